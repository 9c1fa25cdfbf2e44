"""The faults of the drills and their ends: containers killed, stopped, frozen, cut off from every
network, and a database on a full disk; and whether a container does its work. Those of single
processes are in process_faults.py."""

import contextlib
import dataclasses
import json
import os
import pathlib
import shutil
import signal
import subprocess
import time

from deployment import (
    ASK, CONTAINERS, PATIENCE, ROUTER, ZONES, Failure, addresses, container, process, router, run,
    volume, wait)

FROZEN = 12  # seconds
FULL = 15  # seconds of a full disk
DISK = "1g"  # of the database that is to fill it
# The musts of issue and register: seconds without service for a primary that is stopped, and for
# one whose machine is lost. Every other drill has the second one as its bound.
STOPPED_MAX = 10
LOST_MAX = 25
SETTLED = 30  # seconds until a standby that was started follows its primary, if it can
CUT = "trackme_cut"  # the table of rules that cut a container off
DATABASES = [name for name, (zone, *_) in CONTAINERS.items() if zone in ("data", "keys")]
# What the command lines of Patroni, and of the first process of PostgreSQL alone, have.
PATRONI = "/usr/bin/patroni"
POSTGRESQL = "/usr/lib/postgresql/15/bin/postgres"


@dataclasses.dataclass
class Drill:
    """A fault, its end, and when service has to be back."""

    begin: object  # called without arguments
    end: object  # called after the services have answered again; returns what must be healthy
    seconds_max: int = LOST_MAX
    failed_max: int | None = None  # requests; None where an unplanned loss fails some


# --- the state of containers --------------------------------------------------------------------

def answers(namespace, *options):
    """Whether curl has an answer in a network namespace."""
    return subprocess.run(
        ["nsenter", *namespace, *ASK, "--output", "/dev/null", *options], capture_output=True,
        check=False).returncode == 0


def patroni(zone, host, path):
    """The answer of a database's Patroni; None without one."""
    outcome = subprocess.run(
        ["nsenter", f"--net={ROUTER}", *ASK, "--fail",
         f"https://10.91.{ZONES[zone]}.{host}:8008{path}"],
        capture_output=True, text=True, check=False)
    return outcome.stdout if outcome.returncode == 0 else None


def members(zone):
    """The members of a cluster of databases as Patroni lists them; empty if none answers."""
    for host in (11, 12):
        answer = patroni(zone, host, "/cluster")
        if answer is not None:
            return json.loads(answer)["members"]
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
        return answers(outside, "--fail", f"https://10.91.{ZONES[zone]}.{host}:{ports[2]}/health")
    if zone == "services":
        # The port of requests demands the certificate of a service.
        return answers(outside, "--fail", f"https://10.91.{ZONES[zone]}.{host}:{ports[1]}/ready")
    if zone == "egress":
        # Greeting, EHLO and HELP (RFC 5321): curl has an answer only if the server accepts all.
        return answers(outside, f"smtp://10.91.{ZONES[zone]}.{host}:{ports[0]}")
    return answers(outside, f"http://10.91.{ZONES[zone]}.{host}:{ports[0]}/ready")


def primary(zone):
    """The container of a cluster's primary, which must exist."""
    name = leader(zone)
    if name is None:
        raise Failure(f"the cluster of the zone {zone} has no primary")
    return name


def standby(zone):
    """The container of a cluster's standby."""
    other = primary(zone)
    return next(name for name, (in_zone, *_) in CONTAINERS.items()
                if in_zone == zone and name != other)


def reaction(name):
    """What waits until a cluster has reacted to the loss of one of its databases: with another
    primary, or without the standby. Other containers have no such reaction."""
    zone = CONTAINERS[name][0] if name in CONTAINERS else None
    if zone not in ("data", "keys"):
        return lambda: None
    if leader(zone) == name:
        return lambda: wait(
            "another primary", PATIENCE, lambda: leader(zone) not in (None, name))
    return lambda: wait(f"the cluster without {name}", PATIENCE, lambda: not is_whole(zone))


# --- the faults ---------------------------------------------------------------------------------

def kill(name, number=None):
    """Kills the first process of a container, or another one with which it ends, and so all of
    them; podman starts it again."""
    before = process(name)
    if before == 0:
        raise Failure(f"{name} is not running")

    def begin():
        os.kill(number or before, signal.SIGKILL)

    def end():
        wait(f"a new process of {name}", PATIENCE, lambda: process(name) not in (0, before))
        return name

    return Drill(begin, end)


def stop(name, seconds, seconds_max=LOST_MAX):
    """Ends a database, with this time to end by itself, and starts it after the service was
    back."""
    has_reacted = reaction(name)

    def begin():
        router("podman", "stop", "--time", str(seconds), container(name))

    def end():
        has_reacted()
        router("podman", "start", container(name))
        return name

    return Drill(begin, end, seconds_max)


def freeze(name, seconds=0):
    """Freezes all processes of a container for some seconds, and until there is service:
    connections stay open."""
    has_reacted = reaction(name)

    def begin():
        router("podman", "pause", container(name))
        # The length of the fault itself; the wait for the service follows.
        time.sleep(seconds)

    def end():
        has_reacted()
        router("podman", "unpause", container(name))
        return name

    return Drill(begin, end)


def diverge(name):
    """Freezes a primary until there is service. When it continues, its PostgreSQL writes before its
    Patroni does anything: its log has records that the next primary's does not have."""
    drill = freeze(name)

    def end():
        patronis = programs(name, PATRONI)
        # A stop signal applies before a thawed process continues.
        for each in patronis:
            os.kill(each, signal.SIGSTOP)
        try:
            drill.end()
            router("podman", "exec", container(name), *write_log(10_000))
        finally:
            for each in patronis:
                os.kill(each, signal.SIGCONT)
        return name

    return Drill(drill.begin, end)


def write_log(length, count=1):
    """The command inside a database that writes records of this length into its log."""
    return ["psql", "-qh", "/tmp", "-U", "postgres", "-c",
            f"SELECT count(pg_logical_emit_message(false, 'drill', repeat('-', {length})))"
            f" FROM generate_series(1, {count})"]


def programs(name, program):
    """The first process of a container and its children, those whose command line has this
    program; none if it is not running."""
    first = process(name)
    children = contents(f"/proc/{first}/task/{first}/children").split()
    return [number for number in (first, *map(int, children))
            if program in contents(f"/proc/{number}/cmdline").split("\0")]


def contents(file):
    """A file of a process; empty if the process has ended."""
    try:
        return pathlib.Path(file).read_text()
    except (FileNotFoundError, ProcessLookupError):
        return ""


def cut(name):
    """Drops each packet from and to a container, of open connections too, until there is
    service."""
    four, six = addresses(name)
    has_reacted = reaction(name)

    def begin():
        # Before the rules of the firewall, and for packets of the router itself too.
        router("nft", "-f", "-", data=f"""
            table inet {CUT} {{
              chain from {{
                type filter hook prerouting priority -350
                ip saddr {four} drop
                ip6 saddr {six} drop
              }}
              chain to {{
                type filter hook postrouting priority 350
                ip daddr {four} drop
                ip6 daddr {six} drop
              }}
            }}""")

    def end():
        has_reacted()
        router("nft", "delete", "table", "inet", CUT)
        return name

    return Drill(begin, end)


def hold_mail(begin_mail):
    """Kills the mail server without starting it again; a mail of that time must arrive
    afterwards."""
    arrived = []

    def begin():
        router("podman", "stop", "--time", "0", container("mail"))
        arrived.append(begin_mail())
        time.sleep(FROZEN)

    def end():
        router("podman", "start", container("mail"))
        arrived[0]()
        return "mail"

    return Drill(begin, end)


# --- a full disk --------------------------------------------------------------------------------

def fill_disk(zone):
    """Moves the primary of a cluster to a small disk, which is then filled for some seconds,
    whether or not the standby takes over; afterwards it gets its own disk back."""
    name = standby(zone)
    disk = pathlib.Path(volume(name))
    change_disk(name, "mount", "-t", "tmpfs", "-o",
                f"size={DISK},mode=700,uid=10002,gid=10002", "tmpfs", str(disk))
    switch_over(zone, name)

    def begin():
        with (disk / "filler").open("wb", buffering=0) as filler:
            try:
                while filler.write(bytes(65536)):
                    pass
            except OSError:
                pass
        until = time.monotonic() + FULL
        if zone == "keys":
            exceed_disk(name)
        time.sleep(max(0, until - time.monotonic()))
        (disk / "filler").unlink()

    def end():
        wait("a whole cluster", PATIENCE, lambda: is_whole(zone))
        give_disk_back(name)
        return name

    return Drill(begin, end, FULL + LOST_MAX)


def exceed_disk(name):
    """Lets a database with a full disk write more log than fits, which must fail: the load writes
    to the data without a pause, but rarely to the keys."""
    outcome = subprocess.run(
        ["nsenter", f"--net={ROUTER}", "timeout", str(FULL - 2), "podman", "exec", container(name),
         *write_log(1_000_000, 300)], capture_output=True, check=False)
    if outcome.returncode == 0:
        raise Failure(f"{name} has written 300 MB on a full disk: nothing was tried")


def give_disk_back(name):
    """Ends the small disk of a database, which then copies the primary once more."""
    zone = CONTAINERS[name][0]
    if leader(zone) == name:
        switch_over(zone, standby(zone))
    change_disk(name, "umount", volume(name))


def change_disk(name, *command):
    """Runs a command that replaces the disk of a standby while it is stopped; waits until it has
    copied the primary to it."""
    router("podman", "stop", "--time", "30", container(name))
    run(*command)
    shutil.rmtree(f"{volume(name)}/cluster", ignore_errors=True)
    router("podman", "start", container(name))
    wait(f"the copy of {name}", PATIENCE, lambda: is_streaming(name))


def is_streaming(name):
    """Whether a standby follows its primary synchronously."""
    zone = CONTAINERS[name][0]
    return any(each["name"] == name and each["role"] == "sync_standby"
               and each["state"] in ("running", "streaming") for each in members(zone))


def order(name, *command):
    """An order to Patroni, which takes them from members alone."""
    run("podman", "exec", container(name), "patronictl", "-c", "/etc/trackme/patroni.yaml",
        *command)


def switch_over(zone, name):
    """Makes the synchronous standby the primary, as planned."""
    run("podman", "exec", container(primary(zone)), "/etc/trackme/hand-over")
    wait(f"{name} as primary", PATIENCE, lambda: leader(zone) == name and is_whole(zone))


def hand_over(zone):
    """A planned change of the primary."""
    name = standby(zone)
    return Drill(lambda: switch_over(zone, name), lambda: name, STOPPED_MAX, failed_max=0)


# --- the end of all -----------------------------------------------------------------------------

def mend(names):
    """Ends each fault that a failed drill left behind, so that the next one begins with all
    containers."""
    subprocess.run(
        ["nsenter", f"--net={ROUTER}", "nft", "delete", "table", "inet", CUT],
        capture_output=True, check=False)
    for each in json.loads(router("bridge", "-json", "link")):
        router("bridge", "link", "set", "dev", each["ifname"], "state", "3")
    for name in DATABASES:
        (pathlib.Path(volume(name)) / "filler").unlink(missing_ok=True)
        for each in programs(name, PATRONI) + programs(name, POSTGRESQL):
            with contextlib.suppress(ProcessLookupError):
                os.kill(each, signal.SIGCONT)
    for name in names:
        state = run("podman", "inspect", "--format", "{{.State.Status}}", container(name)).strip()
        if state == "paused":
            router("podman", "unpause", container(name))
        elif state != "running":
            router("podman", "start", container(name))
    for number in (1, 2):
        if not is_healthy(f"gateway-{number}"):
            router("podman", "restart", "--time", "2", container(f"gateway-{number}"))
    for zone in ("data", "keys"):
        follow_again(zone)
    wait("all containers", PATIENCE, lambda: all(is_healthy(each) for each in names))
    for name in DATABASES:
        if os.path.ismount(volume(name)):
            give_disk_back(name)


def follow_again(zone):
    """Lets the standby of a cluster copy its primary once more if it does not follow. An order that
    fails ends nothing: the check of all containers decides."""
    try:
        wait(f"the cluster of the zone {zone}", SETTLED, lambda: is_whole(zone))
    except Failure:
        try:
            order(primary(zone), "reinit", zone, standby(zone), "--force")
        except Failure as failure:
            print(f"the standby of the zone {zone} copies nothing: {failure}", flush=True)
