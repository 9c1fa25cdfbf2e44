"""The drills of a deployment that runs (OPS-2, NFR-4): each container killed, frozen or stopped
under load, one after the other. A checker reads the histories: what was acknowledged is in them,
once.

Ends with a table (drill, lost, doubled, failed requests, seconds without service), and exit code 1
if a must is missed.

usage: drills.py [PART OF A TITLE]...
"""

import dataclasses
import json
import os
import signal
import subprocess
import sys
import time

from deployment import (
    CONTAINERS, PATIENCE, ROUTER, ZONES, Failure, container, process, router, wait)
from load import Load
from people import register

PEOPLE = 4
CALM = 2  # seconds of load before and after a drill
FROZEN = 12  # seconds
# The musts of issue and register: seconds without service for a primary that is stopped, and for
# one whose machine is lost. Every other drill has the second one as its bound.
STOPPED_MAX = 10
LOST_MAX = 25
# Without `monitoring`, whose network others use and which serves nobody.
KILLED = [*(name for name in CONTAINERS if name != "monitoring"), "address-1", "address-2"]


@dataclasses.dataclass
class Drill:
    """A fault, its end, and when service has to be back."""

    begin: object  # called without arguments
    end: object  # called after the services have answered again; returns what must be healthy
    seconds_max: int = LOST_MAX


@dataclasses.dataclass
class Row:
    """The outcome of a drill."""

    title: str
    acknowledged: int
    lost: int
    doubled: int
    requests: int
    failed: int
    uploads: float
    reads: float
    runs: float
    seconds_max: int
    faults: list

    @property
    def misses(self):
        """What was missed, as texts."""
        missed = list(self.faults)
        if self.lost or self.doubled:
            missed.append(f"{self.lost} lost, {self.doubled} doubled")
        longest = max(self.uploads, self.reads, self.runs)
        if longest > self.seconds_max:
            missed.append(f"{longest:.1f} s without service, must be {self.seconds_max} at most")
        return missed


# --- the state of containers --------------------------------------------------------------------

def answers(namespace, *options):
    """Whether curl has an answer in a network namespace."""
    return subprocess.run(
        ["nsenter", *namespace, "curl", "--silent", "--insecure", "--max-time", "2", "--output",
         "/dev/null", *options], capture_output=True, check=False).returncode == 0


def members(zone):
    """The members of a cluster of databases as Patroni lists them; empty if none answers."""
    for host in (11, 12):
        outcome = subprocess.run(
            ["nsenter", f"--net={ROUTER}", "curl", "--silent", "--fail", "--max-time", "2",
             f"http://10.91.{ZONES[zone]}.{host}:8008/cluster"],
            capture_output=True, text=True, check=False)
        if outcome.returncode == 0:
            return json.loads(outcome.stdout)["members"]
    return []


def leader(zone):
    """The container of a cluster's primary; None while there is none."""
    return next((each["name"] for each in members(zone) if each["role"] == "leader"), None)


def is_whole(zone):
    """Whether a cluster has a primary and a synchronous standby."""
    roles = {each["role"] for each in members(zone) if each["state"] in ("running", "streaming")}
    return {"leader", "sync_standby"} <= roles


def is_healthy(name):
    """Whether a container runs and does its work."""
    number = process(name)
    if number == 0:
        return False
    inside = [f"--target={number}", "--net"]
    if name.startswith(("gateway", "address")):
        return answers(inside, "--fail", "https://127.0.0.1:8443/ready")
    zone, host, ports = CONTAINERS[name]
    if zone in ("data", "keys"):
        return is_whole(zone)
    outside = [f"--net={ROUTER}"]
    if zone == "quorum":
        return answers(outside, "--fail", f"http://10.91.{ZONES[zone]}.{host}:2379/health")
    return zone == "egress" or answers(
        outside, f"http://10.91.{ZONES[zone]}.{host}:{ports[0]}/ready")


# --- the drills ---------------------------------------------------------------------------------

def kill(name):
    """Kills the first process of a container, and so all of them; podman starts it again."""
    before = process(name)
    if before == 0:
        raise Failure(f"{name} is not running")

    def begin():
        os.kill(before, signal.SIGKILL)

    def end():
        wait(f"a new process of {name}", PATIENCE, lambda: process(name) not in (0, before))
        return name

    return Drill(begin, end)


def stop(zone, seconds, seconds_max):
    """Ends the primary of a cluster, with this time to end by itself, until it is started after the
    fail-over."""
    name = leader(zone)
    if name is None:
        raise Failure(f"the cluster of the zone {zone} has no primary")

    def begin():
        router("podman", "stop", "--time", str(seconds), container(name))

    def end():
        wait("another primary", PATIENCE, lambda: leader(zone) not in (None, name))
        router("podman", "start", container(name))
        return name

    return Drill(begin, end, seconds_max)


def freeze(name):
    """Freezes all processes of a container for some seconds: connections stay open."""

    def begin():
        router("podman", "pause", container(name))
        # The length of the fault itself; the wait for the service follows.
        time.sleep(FROZEN)

    def end():
        router("podman", "unpause", container(name))
        return name

    return Drill(begin, end)


def plan():
    """The titles of all drills, and what prepares each of them just before it begins."""
    yield "nothing", lambda: Drill(lambda: time.sleep(5), lambda: "gateway-1")
    for name in KILLED:
        yield f"kill -9 {name}", lambda name=name: kill(name)
    for name in ("gateway-1", "data4help-1", "track4run-1"):
        yield f"freeze {name}, {FROZEN} s", lambda name=name: freeze(name)
    yield "stop the primary", lambda: stop("data", 30, STOPPED_MAX)
    yield "lose the primary", lambda: stop("data", 0, LOST_MAX)


def run_drill(title, prepare, load):
    """Runs one drill under load; returns its row."""
    seconds_max, faults = LOST_MAX, []
    since, begin = int(time.time() * 1000), time.monotonic()
    load.causes()
    time.sleep(CALM)
    try:
        drill = prepare()
        seconds_max = drill.seconds_max
        drill.begin()
        # Later answers than those to requests that were under way.
        begun = time.monotonic() + 0.5
        wait("the service", PATIENCE, lambda: load.has_served_since(begun))
        name = drill.end()
        wait(f"{name}, whole again,", PATIENCE, lambda: is_healthy(name))
        mended = time.monotonic()
        wait("the service", PATIENCE, lambda: load.has_served_since(mended))
    except Failure as failure:
        faults.append(str(failure))
        mend()
    time.sleep(CALM)
    end = time.monotonic()
    requests, failed = load.failures(begin, end)
    row = Row(title, *load.check(since), requests, failed,
              load.gap("uploads", begin, end), load.gap("reads", begin, end),
              load.gap("runs", begin, end), seconds_max, faults)
    causes = ", ".join(f"{count} {cause}" for cause, count in load.causes().items())
    print(f"{row.title}: {end - begin:.0f} s, {failed} of {requests} failed"
          f"{f' ({causes})' if causes else ''}", flush=True)
    return row


def mend():
    """Starts what a failed drill left behind, so that the next one begins with all containers."""
    for name in KILLED:
        if process(name) == 0:
            router("podman", "start", container(name))
    for number in (1, 2):
        if not is_healthy(f"gateway-{number}"):
            router("podman", "restart", "--time", "2", container(f"gateway-{number}"))
    wait("all containers", PATIENCE, lambda: all(is_healthy(each) for each in KILLED))


def table(rows):
    """The rows as a table that docs/operations.md can take as it is."""
    lines = ["| drill | acknowledged | lost | doubled | failed requests "
             "| uploads, s | reads, s | runs, s |", "|---|---|---|---|---|---|---|---|"]
    for row in rows:
        lines.append(
            f"| {row.title} | {row.acknowledged} | {row.lost} | {row.doubled} "
            f"| {row.failed} of {row.requests} "
            f"| {row.uploads:.1f} | {row.reads:.1f} | {row.runs:.1f} |")
    return "\n".join(lines)


def run_all(parts, load, rows):
    """Runs the drills with one of these parts in their title, or all; appends their rows. An
    interrupted run keeps the rows that it has, and returns that it missed the others."""
    try:
        for title, prepare in plan():
            if not parts or any(part in title for part in parts):
                rows.append(run_drill(title, prepare, load))
    except KeyboardInterrupt:
        return [f"interrupted after {len(rows)} drills"]
    return []


def main(parts):
    people = register(PEOPLE)
    beginning = int(time.time() * 1000)
    rows = []
    with Load(people) as load:
        wait("the load", PATIENCE, lambda: load.has_served_since(0))
        missed = run_all(parts, load, rows)
    acknowledged, lost, doubled = load.check(beginning)
    print(f"\n{table(rows)}\n")
    print(f"at the end: {acknowledged} samples acknowledged, {lost} lost, {doubled} doubled")
    missed += [f"{row.title}: {each}" for row in rows for each in row.misses]
    if lost or doubled:
        missed.append(f"at the end: {lost} lost, {doubled} doubled")
    for each in missed:
        print(f"missed: {each}")
    print(f"{len(rows)} drills, {len(missed)} musts missed")
    return 1 if missed else 0


if __name__ == "__main__":
    try:
        sys.exit(main(sys.argv[1:]))
    except Failure as failure:
        sys.exit(f"drills: {failure}")
