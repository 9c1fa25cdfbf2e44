"""Delays of warnings and of hospitals' callbacks, and memory for monitored people."""

import datetime
import json
import os
import sys
import threading
import time

import calling
from processes import BenchFailure, Running, free_ports, resident, run
from report import Row
from rounds import QUICK
from system import REPLICAS

PEOPLE = 1000 if QUICK else 10_000
WATCHED = 50 if QUICK else 1000
RATE = 100 if QUICK else 1000
ALARMS = 5 if QUICK else 20
SECONDS = 10 if QUICK else 60
CALLED = 3 if QUICK else 20
MONITORED = 5000 if QUICK else 100_000
HOSPITAL = "simulated-club-1@example.org"
FIRST_MONITORED = 3_000_001
MONITOR = """
WITH clock AS (UPDATE data4help.monitoring_clock SET change = change + {count} RETURNING change)
INSERT INTO data4help.monitored_users (account_id, change, permitted_at)
SELECT account_id, clock.change - {count} + row_number() OVER (ORDER BY account_id), now()
  FROM data4help.accounts, clock
 WHERE account_id BETWEEN {first} AND {last}
ON CONFLICT (account_id) DO UPDATE SET change = EXCLUDED.change, permitted_at = now()
"""
IGNORE = """
WITH clock AS (UPDATE data4help.monitoring_clock SET change = change + 1000000 RETURNING change)
UPDATE data4help.monitored_users AS monitored
   SET permitted_at = NULL, change = clock.change - 1000000 + numbered.place
  FROM clock, (SELECT account_id, row_number() OVER (ORDER BY account_id) AS place
                 FROM data4help.monitored_users) AS numbered
 WHERE monitored.account_id = numbered.account_id
"""
MAKE = """
INSERT INTO data4help.accounts
       (account_id, kind, state, password_hash, registered_at, activated_at, sealed_email,
        sealed_identity, sealed_profile, birth_date, sex)
SELECT number, 1, 2, '', now(), now(), '', '', '', DATE '1980-01-01', 'F'
  FROM generate_series({first}, {last}) AS number
"""


def monitor(system, first, count):
    """Enables monitoring, and waits until every replica knows it."""
    system.sql(MONITOR.format(count=count, first=first, last=first + count - 1))
    wait_until_followed(system)


def monitor_nobody(system):
    """Disables monitoring of all people."""
    system.sql(IGNORE)
    wait_until_followed(system)


def wait_until_followed(system):
    """Waits until every replica judges the readings of all monitored people."""
    count = int(system.sql(
        "SELECT count(*) FROM data4help.monitored_users WHERE permitted_at IS NOT NULL"))
    system.wait_for_metric("trackme_data4help_people_monitored", REPLICAS,
                           lambda value: value == count, f"{count} people are monitored")


def load(system, seconds, people, watched=WATCHED, rate=RATE, alarms=ALARMS):
    """The report of `trackme-lab bench sos` after some seconds."""
    command = [system.program("trackme-lab"), "bench", "sos", str(system.http_port), people,
               str(watched), str(rate), str(alarms), str(seconds)]
    output = run(command, system.environment, "trackme-lab bench sos", seconds + 200)
    figures = json.loads(output.strip().splitlines()[-1])
    if "error" in figures:
        raise BenchFailure(figures["error"])
    return figures, " ".join(command)


def moment(text):
    """Seconds since 1970."""
    return datetime.datetime.fromisoformat(text).timestamp()


class Calls:
    """People with emergencies during the load, and the hospital that is called for them."""

    def __init__(self, system):
        file = f"{system.scratch}/registered"
        run([system.program("trackme-lab"), "bench", "registered", str(CALLED), "--tokens", file],
            system.environment, "registering people")
        with open(file, encoding="ascii") as lines:
            self.company, *self.people = lines.read().split()
        run([system.program("trackme"), "hospitals", "approve", HOSPITAL], system.environment,
            "approving the hospital")
        system.ask("/sos/duty", self.company, {"onDuty": True, "coordinate": "45.46,9.19"})
        for token in self.people:
            system.ask("/sos/enable", token, {"callPermission": True})
        self.system = system
        self.emergencies = []
        self.failures = []

    def raise_all(self):
        """Uploads a high heart rate for each person for 3 s, on another thread."""
        for token in self.people:
            try:
                for rate, pause in ((150, 3.1), (151, 0)):
                    now = datetime.datetime.now(datetime.timezone.utc).isoformat()
                    self.system.ask("/data/upload", token, {
                        "dataTypes": ["heartRate"], "values": [rate], "timestamp": [now]})
                    time.sleep(pause)
            except OSError as error:
                self.failures.append(str(error))

    def delays(self, log):
        """Seconds from the end of each window to the hospital's callback."""
        with open(log, encoding="utf-8") as lines:
            told = [json.loads(line) for line in lines if line.endswith("\n")]
        times = {}
        for each in told:
            if each["type"] == "sos.called":
                emergency = json.loads(each["body"])["data"]["episodeID"]
                times.setdefault(emergency, each["at"])
        found = []
        for token in self.people:
            for entry in self.system.ask("/sos/history", token)["episodes"]:
                if entry["episodeID"] in times:
                    due = max(moment(entry["abortUntil"]), moment(entry["confirmedAt"]))
                    found.append(times[entry["episodeID"]] - due)
        return found


def beside(report, system, people, calls, log, stressed):
    """The load with calls to hospitals at the same time; on a busy machine if `stressed`."""
    thread = threading.Thread(target=calls.raise_all)
    thread.start()
    before = os.getloadavg()[0]
    if stressed:
        with Running(["stress-ng", "--cpu", "4", "--timeout", f"{SECONDS + 120}s"]):
            figures, command = load(system, SECONDS, people)
    else:
        figures, command = load(system, SECONDS, people)
    thread.join()
    title = "with `stress-ng --cpu 4` beside it" if stressed else "alone"
    report.begin(f"warnings at {RATE} uploads a second of {PEOPLE} monitored people, {title}",
                 [command])
    report.say(f"   {figures}")
    report.say(f"   load of the machine before {before:.1f}, after {os.getloadavg()[0]:.1f}, "
               f"on {len(os.sched_getaffinity(0))} cores, this system and its clients included")
    for name in ("refused", "cut"):
        if figures[name]:
            raise BenchFailure(f"{figures[name]} {name}: {figures}")
    if calls.failures:
        raise BenchFailure(calls.failures[0])
    return figures


def rows(report, figures, stressed):
    """The bounds that the register requires, in milliseconds."""
    part, percent, soon, latest = ("p99", "99", 500, 2000) if stressed else (
        "p999", "99.9", 100, 500)
    where = ", machine full" if stressed else ""
    report.add(Row(f"critical reading to warning, {percent}th percentile{where}", figures[part],
                   "ms", must=soon, aim=None if stressed else 50, below=True,
                   note=f"median {figures['p50']:.0f} ms; {figures['alarms']} alarms; 99 % of the "
                        f"uploads {figures['upload99']:.0f} ms"))
    report.add(Row(f"critical reading to warning, all{where}", figures["max"], "ms", must=latest,
                   below=True))
    report.add(Row(f"uploads{where}", figures["rate"], "a second",
                   must=None if stressed else 0.98 * RATE))
    report.add(Row(f"warnings that never came{where}", figures["alarms"] - figures["warned"], "",
                   must=0, below=True))


def measure(report, system, first, tokens):
    """Warnings and calls, on an idle and on a fully loaded machine, of people whose numbers count
    up from `first`; then memory.
    """
    people = f"{system.scratch}/monitored"
    with open(people, "w", encoding="ascii") as file:
        file.write("".join(f"{token}\n" for token in tokens[:PEOPLE]))
    monitor(system, first, PEOPLE)
    calls = Calls(system)
    log, port = f"{system.scratch}/hospital", free_ports(1)[0]
    command = [sys.executable, str(calling.RECEIVER), str(port), log,
               *calling.certificate(system)]
    with Running(command, errors=f"{system.scratch}/hospital.log") as receiver:
        receiver.wait_until(lambda: calling.listens(port), "the hospital")
        system.ask("/req/tp/callback", calls.company, {"url": f"https://127.0.0.1:{port}/"})
        load(system, 3, people)
        alone = beside(report, system, people, calls, log, False)
        rows(report, alone, False)
        wait_for_calls(calls, log)
        delays = calls.delays(log)
        report.add(Row("end of the window to the hospital's callback, all", 1000 * max(delays),
                       "ms", must=500, below=True,
                       note=f"median {1000 * sorted(delays)[len(delays) // 2]:.0f} ms of "
                            f"{len(delays)} calls, beside that load"))
        calls.people = []
        full = beside(report, system, people, calls, log, True)
        rows(report, full, True)
        report.say(f"   99 % with the machine full is {full['p99'] / alone['p99']:.1f} of alone")
    memory(report, system)


def wait_for_calls(calls, log):
    """Waits until the hospital was called for each person."""
    end = time.monotonic() + 60
    while len(calls.delays(log)) < len(calls.people):
        if time.monotonic() > end:
            raise BenchFailure(f"{len(calls.delays(log))} calls for {len(calls.people)} people")
        time.sleep(0.5)


def residents(system):
    """Resident bytes of each replica of Data4Help."""
    return [resident(pid) for pid, _ in system.processes()["data4help"]]


def memory(report, system):
    """The memory of a replica after its start, with and without some monitored people."""
    report.begin(f"memory of a replica for {MONITORED} monitored people", [])
    system.stop()
    system.start()
    wait_until_followed(system)
    before = residents(system)
    last = FIRST_MONITORED + MONITORED - 1
    system.sql(MAKE.format(first=FIRST_MONITORED, last=last))
    monitor(system, FIRST_MONITORED, MONITORED)
    system.stop()
    system.start()
    wait_until_followed(system)
    after = residents(system)
    each = (max(after) - max(before)) / MONITORED
    report.say(f"   {[size // 2**20 for size in before]} MiB, then "
               f"{[size // 2**20 for size in after]} MiB")
    report.add(Row("memory of a replica for a monitored person", each, "bytes",
                   note=f"{max(after) / 2**20:.0f} MiB with {MONITORED:,}; 1,000,000 take "
                        f"{(max(before) + 1e6 * each) / 2**20:.0f} MiB"))
