"""The people and companies of the journeys, their mails, and calls of the API on their behalf."""

import email
import email.policy
import io
import json
import os
import random
import re
import signal
import subprocess
import tempfile
import time
import urllib.error
import urllib.request
from dataclasses import dataclass, field
from datetime import datetime, timedelta, timezone

from browser import DIRECTORY, PROGRAMS, STATE
from PIL import Image

API = f"http://127.0.0.1:{os.environ['TRACKME_HTTP_PORT']}"
# Numbers that no other journey uses on the same installation.
CHANCE = random.SystemRandom()
# A mail that the server refused twice is sent again after a minute.
MAIL_SECONDS = 150

ODD_VALUES = [
    1, 0, 5, 7, 9, 13, 15, 17, 19, 21, 2, 4, 18, 20, 11, 3, 6, 8, 12, 14, 16, 10, 22, 25, 24, 23,
]


def fiscal_code():
    """A fiscal code of a woman who was born in Rome on 1 January 1980 (DM 23-12-1976)."""
    body = "".join(CHANCE.choices("ABCDEFGHIJKLMNOPQRSTUVWXYZ", k=6)) + "80A41H501"
    values = [int(each) if each.isdigit() else ord(each) - ord("A") for each in body]
    total = sum(
        ODD_VALUES[value] if index % 2 == 0 else value for index, value in enumerate(values)
    )
    return body + chr(ord("A") + total % 26)


def vat_number():
    """A P.IVA of the office 015 with its check digit (Luhn)."""
    digits = [CHANCE.randrange(10) for _ in range(7)] + [0, 1, 5]
    total = sum(
        digit if index % 2 == 0 else sum(divmod(2 * digit, 10))
        for index, digit in enumerate(digits)
    )
    return "".join(map(str, digits)) + str(-total % 10)


def number():
    return CHANCE.randrange(10**12)


def own_place():
    """A place whose nearest hospital on duty is that of the same journey."""
    return f"{CHANCE.uniform(44, 46):.4f},{CHANCE.uniform(8, 12):.4f}"


@dataclass
class Person:
    password: str = "a horse that was never a battery"
    birthdate: str = "1980-01-01"
    sex: str = "F"
    code: str = field(default_factory=fiscal_code)
    number: int = field(default_factory=number)

    @property
    def email(self):
        return f"person{self.number}@example.org"

    @property
    def name(self):
        return f"Anna Number{self.number}"

    def registered(self):
        """Registers the person by the API."""
        register("/auth/reg/single", self, {
            "fc": self.code, "full_name": self.name, "birthdate": self.birthdate, "sex": self.sex,
        })
        return self


@dataclass
class Company:
    password: str = "a company that keeps its word"
    vat_number: str = field(default_factory=vat_number)
    number: int = field(default_factory=number)
    description: str = "Looks after hearts"

    @property
    def email(self):
        return f"company{self.number}@example.com"

    @property
    def name(self):
        return f"Clinic Number{self.number}"

    def registered(self):
        """Registers the company by the API."""
        register("/auth/reg/tp", self, {
            "piva": self.vat_number, "company_name": self.name,
            "company_description": self.description,
        })
        return self

    def approved(self):
        """Has the operator approve the company as a hospital."""
        subprocess.run([PROGRAMS / "trackme", "hospitals", "approve", self.email], check=True)
        return self


def register(path, account, more):
    call("POST", path, {"email": account.email, "password": account.password, **more})
    token = activation_link(account.email).split("activToken=")[1]
    call("GET", f"/auth/activ?activToken={token}")


def lab(*arguments):
    """Runs a command of the lab on the installation."""
    subprocess.run([PROGRAMS / "trackme-lab", *arguments], check=True, stdout=subprocess.DEVNULL)


def picture():
    """The bytes of a small PNG picture."""
    data = io.BytesIO()
    Image.new("RGB", (64, 48), "teal").save(data, "PNG")
    return data.getvalue()


def sql(statement, role):
    """Runs a statement in the database of the installation."""
    keys = STATE / "keys/database"
    address = (keys / "data4help.trackme.url").read_text().strip().partition("@")[2]
    password = (keys / f"{role}.password").read_text().strip()
    subprocess.run(
        ["psql", "-XqAt", "-v", "ON_ERROR_STOP=1", "-c", statement,
         f"postgresql://{role}:{password}@{address}"], check=True)


def call(method, path, body=None, token=None):
    """Calls the API and returns the answer."""
    status, answer = answer_of(method, path, body, token)
    assert status == 200, f"{method} {path}: {status} {answer}"
    return json.loads(answer)


def answer_of(method, path, body=None, token=None):
    """Calls the API and returns the status and the bytes of the answer."""
    headers = {"Content-Type": "application/json", "Accept": "application/json"}
    if token:
        headers["Authorization"] = f"Bearer {token}"
    data = None if body is None else json.dumps(body).encode()
    request = urllib.request.Request(API + path, data=data, method=method, headers=headers)
    try:
        with urllib.request.urlopen(request, timeout=60) as response:
            return response.status, response.read()
    except urllib.error.HTTPError as refusal:
        return refusal.code, refusal.read()


def log_in(account):
    """Logs in by the API, which logs out windows of the same account; returns the token."""
    body = {"email": account.email, "password": account.password, "replace": True}
    return call("POST", "/auth/login", body)["authToken"]


def confirm_device(token, name, model):
    """Pairs a device that delivers heart rates, as the person and the device would."""
    begun = call("POST", "/devices/pair/start", {
        "name": name, "model": model, "types": ["heartRate"],
    })
    call("POST", "/devices/pair/confirm", {"code": begun["code"], "accept": True}, token)


def now(seconds=0):
    """A time in the format of the API."""
    moment = datetime.now(timezone.utc) + timedelta(seconds=seconds)
    return moment.isoformat(timespec="milliseconds").replace("+00:00", "Z")


def until(what, attempt, seconds=60):
    """Repeats an attempt until it returns a true value."""
    end = time.monotonic() + seconds
    while True:
        found = attempt()
        if found:
            return found
        assert time.monotonic() < end, f"{what}: not within {seconds} s"
        time.sleep(0.2)


def end_run(run, code):
    """Ends a live run, and waits until spectators read so.

    The API changes no run that has begun, and an end that is fixed before would come too early for
    a busy machine."""
    sql(f"UPDATE track4run.runs SET ends_at = date_trunc('second', now()) WHERE run_id = {run}",
        "track4run")
    until("the end of the run", lambda: call("GET", f"/t4r/run/{code}")["state"] == "ended")


def sixty_days():
    """Samples like those of the demo data as an upload, and the times and values of heart rates."""
    end = datetime.now(timezone.utc).replace(minute=0, second=0, microsecond=0)
    hours = [end - timedelta(hours=count) for count in range(60 * 24, 0, -1)]
    rates = [(hour, 60 + hour.hour) for hour in hours]
    samples = [("heartRate", rate, hour) for hour, rate in rates]
    for hour in hours:
        if hour.hour == 7:
            samples += [
                ("bloodPressureSystolic", 122, hour), ("bloodPressureDiastolic", 78, hour),
                ("weight", 63.5, hour), ("oxygenSaturation", 97, hour),
            ]
        if hour.hour == 20:
            samples.append(("steps", 7500, hour))
    upload = {
        "dataTypes": [name for name, _, _ in samples], "values": [each for _, each, _ in samples],
        "timestamp": [time.isoformat() for _, _, time in samples],
    }
    return upload, rates


class SimulatedPhone:
    """A running `trackme-lab simulate device`, which shows six digits until it is paired."""

    def __init__(self, *arguments):
        self.directory = tempfile.TemporaryDirectory(prefix="phone-")
        command = [PROGRAMS / "trackme-lab", "simulate", "device"]
        self.program = subprocess.Popen(
            [*command, "--file", f"{self.directory.name}/phone", *arguments],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        line = self.program.stdout.readline()
        self.code = re.fullmatch(r"code (\d{6})\n", line)[1]

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.program.kill()
        self.program.wait()
        self.program.stdout.close()
        self.program.stdin.close()
        self.directory.cleanup()


def process_of(name):
    """The process of a service, once it is ready."""
    members = json.loads((STATE / "status.json").read_text())["members"]
    member = next(each for each in members if each["name"] == name)
    return member["process"] if member["isReady"] else None


def restart(name, meanwhile=lambda: None):
    """Ends a service, does something while it is down, and waits until it is ready again."""
    former = process_of(name)
    os.kill(former, signal.SIGTERM)
    meanwhile()
    until(f"the restart of {name}", lambda: process_of(name) not in (None, former))


def activation_link(address):
    """The link of the mail that activates an account."""
    return mailed_link(address, r"/auth/activ\?activToken=")


def reset_link(address):
    """The link of the mail by which a lost password is replaced."""
    return mailed_link(address, r"/auth/password/reset\?token=")


def mailed_link(address, path):
    link = re.compile(rf"https?://\S+{path}[\w.-]+")
    return until(
        f"the mail with {path} to {address}",
        lambda: next((found[0] for text in mails(address) if (found := link.search(text))), None),
        seconds=MAIL_SECONDS,
    )


def mails(address):
    """The texts of the mails to an address."""
    for message in messages(address):
        yield message.get_body(("plain",)).get_content()


def messages(address):
    """The mails to an address."""
    # A mail server adds the recipient; without one, an installation writes its mails to files.
    for path in [*(DIRECTORY / "mail/new").glob("*"), *(DIRECTORY / "mail").glob("*.eml")]:
        written = path.read_bytes()
        # Reading the mails of all journeys takes long.
        if address.lower().encode() not in written.lower():
            continue
        message = email.message_from_bytes(written, policy=email.policy.default)
        if address.lower() in str(message["X-RcptTo"] or message["To"]).lower():
            yield message
