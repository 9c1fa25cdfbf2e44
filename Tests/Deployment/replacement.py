"""Replaces every process 20 times in a row (or as often as the argument says) while clients read
through the gateway: of a local system over TLS and without, or of the deployment on this machine
over IPv4 and IPv6, until 200,000 requests are answered. Ends with a table, and exit code 1 if a
request failed or a process stayed.

usage: replacement.py [ROUNDS], or replacement.py deployment [ROUNDS]
"""

import collections
import http.client
import json
import os
import pathlib
import shutil
import ssl
import subprocess
import sys
import tempfile
import threading
import time

from deployment import PUBLIC, STATE, Failure, process, run
from monitored import free_port, free_ports_in_a_row
from results import conclude, least, most, store

ROOT = pathlib.Path(__file__).resolve().parents[2]
CLIENTS = 3  # of each way to the gateway
ANSWERED_MIN = 200_000  # requests of a deployment
ROUNDS_MIN = 20  # of a run whose figures are stored
REPLACED = [f"{name}-{number}" for name in ("data4help", "track4run", "gateway")
            for number in (1, 2)]
ANSWER_MAX = 60  # seconds, of a machine that is busy with other work
TARGETS = ("/lookup/dataTypes", "/t4r/active/list?limit=%d")  # of Data4Help and of Track4Run


class System:
    """`trackme start` on free ports, in a directory that is removed at the end."""

    ways = ("http", "https")
    answered_min = 0

    def __init__(self):
        programs = pathlib.Path(os.environ.get("REPLACED_PROGRAMS", ROOT / ".build/release"))
        self.program = programs / "trackme"
        # Accessible to the database's user.
        self.directory = pathlib.Path(tempfile.mkdtemp(prefix="trackme-replaced-", dir="/var/tmp"))
        self.directory.chmod(0o711)
        self.ports = {name: free_port() for name in ("http", "https")}
        self.environment = dict(
            os.environ, TRACKME_STATE=str(self.directory / "state"), TRACKME_DEMO="0",
            TRACKME_HTTP_PORT=str(self.ports["http"]), TRACKME_HTTPS_PORT=str(self.ports["https"]),
            TRACKME_METRICS_PORT=str(free_ports_in_a_row(4)), TRACKME_RATE_LIMITS="off")

    def replace(self):
        """What was wrong with a replacement of all processes; empty if nothing was."""
        outcome = self.trackme("replace")
        return "" if outcome.returncode == 0 else outcome.stdout + outcome.stderr

    def trackme(self, command):
        return subprocess.run(
            [str(self.program), command], env=self.environment, capture_output=True, text=True,
            check=False)

    def processes(self):
        status = json.loads((self.directory / "state/status.json").read_text())
        return {m["name"]: m["process"] for m in status["members"] if m["name"] != "postgres"}

    def connect(self, way):
        if way == "http":
            return http.client.HTTPConnection("127.0.0.1", self.ports[way], timeout=ANSWER_MAX)
        trusted = ssl.create_default_context(
            cafile=str(self.directory / "state/tls/certificate.pem"))
        return http.client.HTTPSConnection(
            "localhost", self.ports[way], timeout=ANSWER_MAX, context=trusted)

    def __enter__(self):
        outcome = self.trackme("start")
        if outcome.returncode != 0:
            self.__exit__()
            sys.exit(outcome.stdout + outcome.stderr)
        return self

    def __exit__(self, *_):
        self.trackme("stop")
        shutil.rmtree(self.directory, ignore_errors=True)


class Deployment:
    """The running deployment, whose gateways count no limits meanwhile."""

    ways = PUBLIC
    answered_min = ANSWERED_MIN

    def replace(self, *names, limits="off"):
        """What was wrong with a replacement of these containers, or of all; empty if nothing
        was."""
        outcome = subprocess.run(
            [str(ROOT / "deploy/local/replace"), *names], capture_output=True, text=True,
            check=False, env=dict(os.environ, TRACKME_RATE_LIMITS=limits))
        return "" if outcome.returncode == 0 else outcome.stdout + outcome.stderr

    def processes(self):
        return {name: process(name) for name in REPLACED}

    def connect(self, way):
        trusted = ssl.create_default_context(cafile=str(STATE / "authority.pem"))
        return http.client.HTTPSConnection(way, 443, timeout=ANSWER_MAX, context=trusted)

    def change_limits(self, limits):
        fault = self.replace("gateway-1", "gateway-2", limits=limits)
        if fault:
            raise Failure(fault)

    def __enter__(self):
        run("podman", "container", "exists", "trackme_gateway-1_1")
        self.change_limits("off")
        return self

    def __exit__(self, *_):
        self.change_limits("on")


class Load:
    """Clients that send one request after the other, each on its own connection."""

    def __init__(self, system):
        self.system = system
        self.answered = collections.Counter()
        self.failures = []
        self.is_over = False
        self.threads = [threading.Thread(target=self.run, args=(way,))
                        for way in system.ways for _ in range(CLIENTS)]

    def __enter__(self):
        for thread in self.threads:
            thread.start()
        return self

    def __exit__(self, *_):
        self.is_over = True
        for thread in self.threads:
            thread.join()

    def run(self, way):
        connection = self.system.connect(way)
        count = 0
        while not self.is_over:
            count += 1
            target = TARGETS[count % 2].replace("%d", str(count % 50 + 1))
            try:
                connection.request("GET", target)
                answer = connection.getresponse()
                body = answer.read()
                if answer.status == 200:
                    self.answered[way] += 1
                else:
                    self.failures.append(f"{way} {target}: {answer.status} {body[:200]}")
            except (OSError, http.client.HTTPException) as error:
                self.failures.append(f"{way} {target}: {error!r}")
                connection.close()
        connection.close()


def main(system, rounds):
    faults = []
    longest = done = replaced = 0
    with system, Load(system) as load:
        while done < rounds or load.answered.total() < system.answered_min:
            former = system.processes()
            began = time.monotonic()
            fault = system.replace()
            longest = max(longest, time.monotonic() - began)
            done += 1
            if fault:
                faults.append(fault)
                break
            now = system.processes()
            stayed = [name for name in former if now.get(name) in (None, 0, former[name])]
            faults += [f"{name} was not replaced" for name in stayed]
            replaced += len(former) - len(stayed)
    answered = ", ".join(f"{load.answered[way]} by {way}" for way in system.ways)
    print("| rounds | processes replaced | longest round | answered | failed |")
    print("|---|---|---|---|---|")
    print(f"| {done} | {replaced} | {longest:.1f} s | {answered} "
          f"| {len(load.failures)} |")
    for fault in (faults + load.failures)[:20]:
        print(fault)
    is_missed = bool(faults or load.failures)
    # A shorter run is no evidence, unless it fails.
    if IS_DEPLOYED and (is_missed or rounds >= ROUNDS_MIN):
        store("replacement", least("requests answered", load.answered.total(), 200_000),
              least("processes replaced", replaced),
              most("failed requests", len(load.failures), 0), most("faults", len(faults), 0))
    return 1 if is_missed else 0


if __name__ == "__main__":
    IS_DEPLOYED = sys.argv[1:2] == ["deployment"]
    ROUNDS = [int(each) for each in sys.argv[1 + IS_DEPLOYED:]] or [20]
    conclude("replacement", lambda: main(Deployment() if IS_DEPLOYED else System(), ROUNDS[0]),
             is_kept=IS_DEPLOYED)
