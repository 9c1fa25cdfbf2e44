"""Events that one third party receives by callback over TLS, one after the other."""

import json
import pathlib
import socket
import sys
import time

import delivering
from processes import BenchFailure, Running, free_ports, run
from report import Row
from rounds import QUICK

EVENTS = 30 if QUICK else 300
RECEIVER = pathlib.Path(__file__).resolve().parents[1] / "Journeys/schemathesis/receiver.py"
# The called third party; other parts hold open streams of the first one.
PLACE = 1


def certificate(system):
    """A certificate for this machine, which the system is configured to trust, and its key."""
    key = f"{system.scratch}/callback-key.pem"
    run(["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj",
         "/CN=localhost", "-addext", "subjectAltName=IP:127.0.0.1", "-keyout", key,
         "-out", system.callback_authorities])
    return system.callback_authorities, key


def enter_events(system, load, person, party):
    """Adds events to the sequence of a third party, one per sample; returns their number."""
    page = system.ask("/req/tp/events?since=0", party)
    count, since = len(page["events"]), page["next"]
    while count < EVENTS:
        moment = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(load.start - 200_000 + count))
        body = {"dataTypes": ["heartRate"], "values": [60], "timestamp": [moment]}
        system.ask("/data/upload", person, body)
        page = {"events": []}
        while not page["events"]:
            page = system.ask(f"/req/tp/events?since={since}", party)
        count, since = count + len(page["events"]), page["next"]
    return count


def calls(log):
    """The times of the calls, without the challenge."""
    with open(log, encoding="utf-8") as lines:
        found = [json.loads(line) for line in lines if line.endswith("\n")]
    return [each["at"] for each in found if not each["type"].startswith("endpoint.")]


def listens(port):
    """Whether a process accepts connections there."""
    with socket.socket() as probe:
        return probe.connect_ex(("127.0.0.1", port)) == 0


def measure(report, system, first, tokens):
    """Events per second, from the log of the called endpoint."""
    load = delivering.load_of(system, first, tokens)
    with open(load.parties, encoding="ascii") as file:
        party = file.read().split()[PLACE]
    report.begin("events to one third party by callback, over TLS",
                 [f"POST /req/tp/callback/resend, with {EVENTS} events and more to send"])
    count = enter_events(system, load, tokens[PLACE], party)
    log, port = f"{system.scratch}/calls", free_ports(1)[0]
    command = [sys.executable, str(RECEIVER), str(port), log, *certificate(system)]
    with Running(command, errors=f"{system.scratch}/receiver.log") as receiver:
        receiver.wait_until(lambda: listens(port), "the receiver")
        system.ask("/req/tp/callback", party, {"url": f"https://127.0.0.1:{port}/"})
        system.ask("/req/tp/callback/resend", party, {"since": 0})
        receiver.wait_until(lambda: len(calls(log)) >= count, "the last call", 120)
    times = calls(log)
    if len(times) > count:
        raise BenchFailure(f"{len(times)} calls for {count} events")
    report.add(Row("events to one third party by callback", (count - 1) / (times[-1] - times[0]),
                   "calls/s", note="one after the other, each written down before and after it"))
