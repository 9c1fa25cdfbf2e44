"""People, companies and runs that give every page something to show, and the pages' addresses."""

import math
import re
import time
from dataclasses import dataclass

from browser import PAGES
from people import CHANCE, Company, Person, call, log_in, now, until

# Parts and states of pages that have addresses of their own.
STATES = {
    "/app/signup": ["?sent=person", "?sent=child"],
    "/app/help": ["#sos"],
    "/app/health": ["?type=heartRate"],
    "/app/data": ["?part=add", "?part=import", "?part=manage", "?type=position"],
    "/app/followers": ["?part=pending", "?part=followers", "?part=past", "?part=accesses"],
    "/app/organise/runs/:runID": ["?part=edit", "?part=course", "?part=team", "?part=download"],
}

# Pages that say what is missing, for accounts that have done nothing yet.
EMPTY = {
    "person": ["/app/health", "/app/data", "/app/followers", "/app/trusted", "/app/devices",
               "/app/sos", "/app/notifications", "/app/myrun"],
    "company": ["/app/research", "/app/history", "/app/payments", "/app/emergencies",
                "/app/organise/runs"],
}

# Names of companies are unique.
KINDS = ["Istituto", "Clinica", "Laboratorio", "Centro studi", "Fondazione"]
CITIES = ["Ancona", "Bari", "Cagliari", "Genova", "Lecce", "Modena", "Parma", "Torino", "Verona"]
CLAUSES = "Take part only if you are healthy. You run at your own risk."
# Runners beside the person, with their speeds in metres per second.
RUNNERS = {"Bruno": 3.4, "Chiara": 3.1, "Davide": 2.9, "Elena": 2.7, "Fabio": 2.4}
HER_SPEED = 2.6
LEAD = 45  # seconds until the start


@dataclass
class NamedPerson(Person):
    title: str = ""

    @property
    def name(self):
        return self.title


@dataclass
class NamedCompany(Company):
    title: str = ""

    @property
    def name(self):
        return self.title


def addresses(values):
    """Each address with its reader, as the pages themselves list them."""
    text = (PAGES / "Client/routes.js").read_text()
    found = re.findall(r'path: "([^"]+)", reader: "(\w+)"', text)
    assert len(found) == text.count("load: () => import("), "a route has another form"
    for path, reader in [*found, ("/app/history/:groupID", "company")]:
        for state in ["", *STATES.get(path, [])]:
            address = re.sub(r":(\w+)", lambda name: values[name[1]], path) + state
            for each in ("person", "company") if reader == "account" else (reader,):
                yield address, each


class Scene:
    """What a person, a company that is a hospital, and others have done so far."""

    def __init__(self, person, company, has_ended_run=False):
        self.person, self.company = person, company
        self.theirs = log_in(company)
        self.hers = log_in(person)
        self.share()
        self.protect()
        self.ended = None
        self.run(has_ended_run)
        self.values = {
            "reqID": self.accepted, "groupID": self.group,
            "runID": self.race.run, "code": self.race.code,
        }

    def share(self):
        """Requests in every state, a trusted company, and samples that were delivered."""
        call("POST", "/data/upload", {
            "dataTypes": ["heartRate", "heartRate", "steps", "weight", "sleepHours", "position"],
            "values": [61, 78, 4200, 62.7, 7.5, "45.4642,9.19"],
            "timestamp": [now(-7_200), now(-3_600), now(-1_800), now(-900), now(-800), now(-60)],
        }, self.hers)
        institute = NamedCompany(
            title=f"{CHANCE.choice(KINDS)} {CHANCE.choice(CITIES)}",
            description="Studies how people sleep",
        ).registered()
        asked = [self.ask(self.theirs, ["heartRate", "steps"], days) for days in (30, 60, 90)]
        self.accepted = asked[0]
        for request, choice in zip(asked, ("accept", "decline")):
            call("POST", "/req/single/choice", {"reqID": request, "choice": choice}, self.hers)
        token = log_in(institute)
        self.ask(token, ["sleepHours", "oxygenSaturation"], 180)
        call("POST", "/settings/single/preconfirmed", {
            "piva": institute.vat_number, "allowed": True,
        }, self.hers)
        self.ask(token, ["weight"], 7)
        self.group = call("POST", "/req/tp/sendGroup", {
            "dataTypes": ["heartRate"], "searchParams": ["age>=18"],
            "subscribing": False, "from": now(-40 * 86_400), "to": now(-86_400),
        }, self.theirs)["reqID"]

    def ask(self, token, types, days):
        return call("POST", "/req/tp/sendSingle", {
            "email": self.person.email, "dataTypes": types, "subscribing": True,
            "duration": 86_400 * days,
        }, token)["reqID"]

    def protect(self):
        """AutomatedSOS with a contact; the emergency of another person, near the hospital."""
        call("POST", "/sos/enable", {"callPermission": True}, self.hers)
        call("POST", "/sos/contacts", {
            "contacts": [{"name": "Bruno", "email": f"contact{self.person.number}@example.org"}],
        }, self.hers)
        call("POST", "/sos/duty", {"onDuty": True, "coordinate": "45.4642,9.19"}, self.theirs)
        raise_emergency(NamedPerson(title="Luca Ferri").registered())

    def run(self, has_ended_run):
        """A run with runners on their way; before it one that has ended, with the same runners."""
        her_name = self.person.name.split()[0]
        runners = {her_name: (self.hers, HER_SPEED)}
        for name, speed in RUNNERS.items():
            runners[name] = (log_in(NamedPerson(title=f"{name} Rossi").registered()), speed)
        if has_ended_run:
            self.ended = self.sprint(runners)
        self.race = Race(
            self.theirs, runners, runName="Giro del Parco", length=1_000, seconds=7_200,
            description="One lap around the park, on paths and gravel, for everybody.")
        # The session of the person will be that of a window.
        self.race.runners[her_name] = pair(self.hers), HER_SPEED

    def sprint(self, runners):
        """A minute, in which the slowest runner does not finish."""
        slowest = min(speed for _, speed in runners.values())
        sprinters = {name: (token, speed if speed == slowest else speed * 1.6)
                     for name, (token, speed) in runners.items()}
        race = Race(
            self.theirs, sprinters, runName="Duecento metri", length=200, seconds=60,
            description="A sprint around the square.")
        race.finish()
        return race

    def advance(self):
        self.race.advance()


class Race:
    """A run that begins soon, with runners who are checked in."""

    def __init__(self, organiser, runners, length, seconds, **terms):
        self.runners, self.length, self.seconds, self.sent = runners, length, seconds, 0
        self.start = time.time() + LEAD
        self.centre = CHANCE.uniform(45.44, 45.5), CHANCE.uniform(9.1, 9.25)
        run = call("POST", "/t4r/org/create", {
            **terms, "startTime": now(LEAD), "endTime": now(LEAD + seconds), "participants": 50,
            "place": "Milano", "clauses": CLAUSES,
        }, organiser)["runID"]
        self.run = str(run)
        self.code = call("POST", "/t4r/org/path", {
            "runID": run, "path": [{"coordinate": self.place(part / 48)} for part in range(49)],
        }, organiser)["code"]
        for name, (token, _) in runners.items():
            send(token, [(now(), self.place(0), 70)])
            call("POST", "/t4r/active/join", {
                "runID": run, "clausesVersion": 1, "runnerName": name, "showHealth": True,
                "findable": True,
            }, token)
        for token, _ in runners.values():
            until("a check-in", lambda token=token: check_in(token))

    def place(self, part):
        return lap(self.centre, self.length, part)

    def advance(self):
        """Sends what the runners have measured since the last time."""
        elapsed = int(time.time() - self.start)
        if elapsed <= self.sent:
            return
        for name, (token, speed) in self.runners.items():
            steps = range(self.sent + 1, elapsed + 1)
            send(token, [(
                now(second - elapsed), self.place(min(speed * second / self.length, 1)),
                100 + min(second, 120) // 3 + second % 5 + len(name),
            ) for second in steps])
        self.sent = elapsed

    def finish(self):
        """Sends what the runners measure until the end of the run."""
        def is_over():
            self.advance()
            return call("GET", f"/t4r/run/{self.code}")["state"] == "ended"

        until("the end of the run", is_over, seconds=LEAD + self.seconds + 60)


def lap(centre, length, part):
    """The place after a part of a lap of about this length that looks drawn by hand."""
    angle = 2 * math.pi * part
    radius = length / 6.6 * (1 + 0.18 * math.sin(3 * angle) + 0.1 * math.cos(2 * angle))
    north = centre[0] + radius * math.sin(angle) / 111_320
    east = centre[1] + radius * math.cos(angle) / 111_320 / math.cos(math.radians(centre[0]))
    return f"{north:.6f},{east:.6f}"


def pair(token):
    """Pairs a watch with a person; returns its token."""
    begun = call("POST", "/devices/pair/start", {
        "name": "Orologio", "model": "Simulated watch", "types": ["position", "heartRate"],
    })
    call("POST", "/devices/pair/confirm", {"code": begun["code"], "accept": True}, token)
    return call("POST", "/devices/pair/finish", {
        "pairingID": begun["pairingID"], "pairingSecret": begun["pairingSecret"],
    })["deviceToken"]


def send(token, fixes):
    call("POST", "/data/upload", {
        "dataTypes": [name for _ in fixes for name in ("position", "heartRate")],
        "values": [value for _, place, rate in fixes for value in (place, rate)],
        "timestamp": [moment for moment, _, _ in fixes for _ in range(2)],
    }, token)


def raise_emergency(person, place="45.4709,9.1935"):
    """Sends dangerous heart rates until they confirm an emergency, without an abort."""
    token = log_in(person)
    call("POST", "/sos/enable", {"callPermission": True}, token)

    def confirmed():
        send(token, [(now(), place, 141)])
        episodes = call("GET", "/sos/history", token=token)["episodes"]
        return episodes and episodes[0]["stage"] in ("confirmed", "dispatched")

    until("the emergency", confirmed, seconds=150)


def check_in(token):
    """Accepts the check-in of a run once it is asked for."""
    requests = call("GET", "/req/single/list?limit=20", token=token)["requests"]
    asked = [each for each in requests
             if each["kind"] == "check-in" and each["status"] == "pending"]
    for each in asked:
        call("POST", "/req/single/choice", {
            "reqID": each["reqID"], "choice": "accept",
        }, token)
    return asked
