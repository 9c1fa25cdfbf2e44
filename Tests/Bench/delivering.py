"""From a sample's acceptance to its arrival on a stream, and memory under that load."""

import concurrent.futures
import datetime
import json
import os
import threading
import time

from processes import BenchFailure, resident, run
from report import Row
from rounds import QUICK

FOLLOWERS = 200 if QUICK else 2000
RATE = 100 if QUICK else 1000
SECONDS = 10 if QUICK else 60
# The steady load, and its last part, in which memory must not grow.
MEMORY_SECONDS, MEMORY_FROM = (40, 12) if QUICK else (600, 180)
# Beside it, connections a second over TLS with a request each, by HTTP/2.
NEW_CONNECTIONS = 20
FIRST_PARTY = 1_000_001
FOLLOW = """
INSERT INTO data4help.single_requests (
       request_id, third_party_id, account_id, sealed_addressee, is_by_email, types,
       is_subscribing, duration_seconds, status, created_at, answer_by, answered_at,
       accepted_types, ends_at, relayed_seq)
SELECT gen_random_uuid(), {party} + account_id - {first}, account_id, '', true, stored_types,
       true, 86400, 2, now(), now() + interval '3 days', now(),
       stored_types, now() + interval '1 day', next_seq - 1
  FROM data4help.sample_accounts
 WHERE account_id BETWEEN {first} AND {last};
UPDATE data4help.sample_accounts SET is_subscribed = true
 WHERE account_id BETWEEN {first} AND {last};
"""


class Load:
    """People with one subscriber each; `trackme-lab bench delivery` measures."""

    def __init__(self, system, first, tokens):
        self.system = system
        self.people = f"{system.scratch}/followed"
        self.parties = f"{system.scratch}/parties"
        with open(self.people, "w", encoding="ascii") as file:
            file.write("".join(f"{token}\n" for token in tokens))
        self.start = int(time.time()) - 20 * 86400
        self._first_samples(tokens)
        run([system.program("trackme-lab"), "bench", "accounts", str(len(tokens)), "--tokens",
             self.parties, "--parties-from", str(FIRST_PARTY)], system.environment,
            "creating third parties")
        system.sql(FOLLOW.format(party=FIRST_PARTY, first=first, last=first + len(tokens) - 1))
        with open(self.parties, encoding="ascii") as file:
            system.wait_until_usable("/req/tp/list", file.read().split()[-1])

    def _first_samples(self, tokens):
        moment = datetime.datetime.fromtimestamp(self.start - 86400, datetime.timezone.utc)
        body = {"dataTypes": ["heartRate"], "values": [60], "timestamp": [moment.isoformat()]}
        with concurrent.futures.ThreadPoolExecutor(16) as pool:
            for _ in pool.map(lambda token: self.system.ask("/data/upload", token, body), tokens):
                pass

    def command(self, seconds):
        return [self.system.program("trackme-lab"), "bench", "delivery", str(self.system.http_port),
                self.people, self.parties, str(RATE), str(seconds), str(self.start)]

    def measure(self, seconds):
        """Figures of some seconds; each run uploads samples of other times."""
        output = run(self.command(seconds), self.system.environment, "trackme-lab bench delivery",
                     seconds + 300)
        self.start += 2 * seconds * RATE // FOLLOWERS + 10
        figures = json.loads(output.strip().splitlines()[-1])
        if "error" in figures:
            raise BenchFailure(figures["error"])
        return figures


_loads = {}


def load_of(system, first, tokens):
    """The same for both parts."""
    if "load" not in _loads:
        _loads["load"] = Load(system, first, tokens)
    return _loads["load"]


def measure(report, system, first, tokens):
    """The delays of samples; checks that each arrives once."""
    load = load_of(system, first, tokens)
    report.begin(f"samples accepted to delivered, to {FOLLOWERS} open streams",
                 [" ".join(load.command(SECONDS))])
    load.measure(3)
    before = os.getloadavg()[0]
    figures = load.measure(SECONDS)
    report.say(f"   {figures}")
    report.say(f"   load of the machine before {before:.1f}, after {os.getloadavg()[0]:.1f}, "
               f"on {len(os.sched_getaffinity(0))} cores, this system and its clients included")
    for name in ("refused", "strange", "cut"):
        if figures[name]:
            raise BenchFailure(f"{figures[name]} {name}: {figures}")
    note = f"median {figures['p50']:.0f} ms; {figures['p99'] / figures['upload99']:.2f} of what " \
           f"99 % of the uploads took themselves ({figures['upload99']:.0f} ms)"
    report.add(Row("accepted to delivered, 99th percentile", figures["p99"], "ms",
                   must=300, below=True,
                   note=note))
    report.add(Row("accepted to delivered, all", figures["max"], "ms", must=1000, below=True))
    report.add(Row("samples accepted", figures["rate"], "samples/s", must=0.98 * RATE))
    report.add(Row("samples lost", figures["lost"], "", must=0, below=True))
    report.add(Row("samples delivered twice", figures["twice"], "", must=0, below=True))


def _resident(system):
    """Resident bytes of our processes, by their numbers; the database's are shared memory."""
    found = {}
    for name, members in system.processes().items():
        if name in ("gateway", "data4help"):
            for pid, _ in members:
                found[f"{name} {pid}"] = resident(pid)
    return found


def _new_connections(system, token):
    """Opens connections at a steady rate; each ends after its request."""
    count = str(NEW_CONNECTIONS * MEMORY_SECONDS)
    output = run(["h2load", "-t", "1", "-c", count, "-n", count, "-m", "1", "-r",
                  str(NEW_CONNECTIONS), "-H", f"Authorization: Bearer {token}",
                  f"https://127.0.0.1:{system.https_port}/data/quota"],
                 what="h2load", seconds=MEMORY_SECONDS + 120)
    if f"status codes: {count} 2xx" not in output:
        raise BenchFailure(f"not all connections were answered: {output[-400:].strip()}")


def memory(report, system, first, tokens):
    """Growth of the resident size while the load is steady."""
    load = load_of(system, first, tokens)
    report.begin(f"memory under {MEMORY_SECONDS} s of that load, and {NEW_CONNECTIONS} new "
                 "connections a second", [" ".join(load.command(MEMORY_SECONDS))])
    failures = []

    def attempt(work):
        try:
            work()
        except BenchFailure as failure:
            failures.append(failure)

    threads = [threading.Thread(target=attempt, args=[work]) for work in (
        lambda: report.say(f"   {load.measure(MEMORY_SECONDS)}"),
        lambda: _new_connections(system, tokens[0]))]
    for thread in threads:
        thread.start()
    began = time.monotonic()
    time.sleep(MEMORY_FROM)
    first_sizes = _resident(system)
    while time.monotonic() - began < MEMORY_SECONDS - 1 and threads[0].is_alive():
        time.sleep(1)
    last_sizes = _resident(system)
    for thread in threads:
        thread.join()
    if failures:
        raise failures[0]
    if first_sizes.keys() != last_sizes.keys():
        raise BenchFailure("a process was replaced meanwhile")
    for name, size in first_sizes.items():
        report.say(f"   {name}: {size / 2**20:.1f} MiB, then {last_sizes[name] / 2**20:.1f} MiB")
    growth = 100 * (sum(last_sizes.values()) / sum(first_sizes.values()) - 1)
    report.add(Row(f"growth of resident memory, seconds {MEMORY_FROM} to {MEMORY_SECONDS}",
                   growth, "%", must=5, below=True,
                   note=f"gateway and services: {sum(last_sizes.values()) / 2**20:.0f} MiB"))
