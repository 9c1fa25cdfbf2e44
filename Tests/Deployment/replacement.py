"""Replaces every process 20 times in a row (or as often as the argument says) while clients read
and people upload through the gateway, over HTTP/1.1 and HTTP/2: of a local system over TLS and
without, or of the deployment on this machine over IPv4 and IPv6, until 200,000 requests are
answered. Ends with a table, and exit code 1 if a request failed, a process stayed, or an
acknowledged sample is not in its person's history once.

usage: replacement.py [ROUNDS], or replacement.py deployment [ROUNDS]
"""

import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import time

from deployment import PUBLIC, STATE, Client, Failure, process, run
from monitored import free_port, free_ports_in_a_row
from results import conclude, least, most, store
from traffic import Traffic, Way, people_on

ROOT = pathlib.Path(__file__).resolve().parents[2]
ANSWERED_MIN = 200_000  # requests of a deployment
ROUNDS_MIN = 20  # of a run whose figures are stored
REPLACED = [f"{name}-{number}" for name in ("data4help", "track4run", "gateway")
            for number in (1, 2)]
# The containers of the programs of others.
OTHERS = [f"{name}-{number}" for name in ("address", "database", "keys-database")
          for number in (1, 2)] + ["etcd-1", "etcd-2", "etcd-3", "mail"]


class System:
    """`trackme start` on free ports, in a directory that is removed at the end."""

    answered_min = 0
    everything = ()

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
        certificate = str(self.directory / "state/tls/certificate.pem")
        self.ways = [Way("HTTP", "127.0.0.1", self.ports["http"]),
                     Way("HTTPS", "localhost", self.ports["https"], certificate)]

    def people(self):
        """New people for the load, whose mails are files."""
        origin, authority = f"https://localhost:{self.ports['https']}", self.ways[1].authority
        return people_on(
            self.ways, lambda: Client(origin, authority), self.directory / "state/mail")

    def replace(self, *_):
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

    ways = [Way(address, address, 443, str(STATE / "authority.pem")) for address in PUBLIC]
    answered_min = ANSWERED_MIN
    # For deploy/local/replace: also the programs of others.
    everything = ("all",)

    def people(self):
        """New people for the load."""
        return people_on(self.ways, Client)

    def replace(self, *names, limits="off", **variables):
        """What was wrong with a replacement of these containers, or of all; empty if nothing
        was. Variables are those of deploy/local."""
        outcome = subprocess.run(
            [str(ROOT / "deploy/local/replace"), *names], capture_output=True, text=True,
            check=False, env=dict(os.environ, TRACKME_RATE_LIMITS=limits, **variables))
        return "" if outcome.returncode == 0 else outcome.stdout + outcome.stderr

    def processes(self):
        return {name: process(name) for name in REPLACED + OTHERS}

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


def replace_all(system, rounds, traffic):
    """Replaces every process as often as planned; returns the number of rounds, the replaced
    processes, the seconds of the longest round, and what was wrong."""
    longest = done = replaced = 0
    while done < rounds or traffic.answered < system.answered_min:
        former = system.processes()
        began = time.monotonic()
        fault = system.replace(*system.everything)
        longest = max(longest, time.monotonic() - began)
        done += 1
        print(f"round {done} of {rounds}: {time.monotonic() - began:.1f} s, "
              f"{traffic.answered} requests answered", flush=True)
        if fault:
            return done, replaced, longest, [fault]
        now = system.processes()
        stayed = [name for name in former if now.get(name) in (None, 0, former[name])]
        replaced += len(former) - len(stayed)
        if stayed:
            return done, replaced, longest, [f"{name} was not replaced" for name in stayed]
    return done, replaced, longest, []


def judge(traffic, since, faults):
    """Prints what the load met, and reads the histories; returns the figures of both."""
    acknowledged, lost, doubled = traffic.check(since)
    if acknowledged == 0:
        faults.append("no sample was acknowledged")
    failures = traffic.failures
    print("| answered | of these over HTTP/2 | failed | sent again, not processed before "
          "| samples acknowledged | lost | doubled |")
    print("|---|---|---|---|---|---|---|")
    print(f"| {traffic.answered} | {traffic.answered_by('HTTP/2')} | {len(failures)} "
          f"| {traffic.unprocessed} | {acknowledged} | {lost} | {doubled} |")
    for fault in (faults + failures)[:20]:
        print(fault)
    return [least("requests answered", traffic.answered, ANSWERED_MIN),
            least("requests answered over HTTP/2", traffic.answered_by("HTTP/2")),
            most("failed requests", len(failures), 0),
            least("samples acknowledged", acknowledged, 1),
            most("acknowledged samples lost", lost, 0), most("samples doubled", doubled, 0),
            most("faults", len(faults), 0)]


def main(system, rounds):
    since = int(time.time() * 1000)
    with system:
        with Traffic(system.ways, system.people()) as traffic:
            done, replaced, longest, faults = replace_all(system, rounds, traffic)
        print("| rounds | processes replaced | longest round |")
        print("|---|---|---|")
        print(f"| {done} | {replaced} | {longest:.1f} s |\n")
        rows = judge(traffic, since, faults)
    # A local system has no least number of requests.
    is_missed = any(row.misses_must for row in rows[0 if system.answered_min else 1:])
    # A shorter run is no evidence, unless it fails.
    if IS_DEPLOYED and (is_missed or rounds >= ROUNDS_MIN):
        store("replacement", least("processes replaced", replaced), *rows)
    return 1 if is_missed else 0


if __name__ == "__main__":
    IS_DEPLOYED = sys.argv[1:2] == ["deployment"]
    ROUNDS = [int(each) for each in sys.argv[1 + IS_DEPLOYED:]] or [20]
    conclude("replacement", lambda: main(Deployment() if IS_DEPLOYED else System(), ROUNDS[0]),
             is_kept=IS_DEPLOYED)
