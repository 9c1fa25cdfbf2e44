"""The loss of power of the whole machine (NFR-4): under load, every container and what supervises
it are killed at once, and the network is gone; no other container may run on the machine. Then
deploy/local/up starts the deployment again, as after a reboot. The primary is the server that it
starts second. What was acknowledged must be in the histories, once, and an emergency whose window
was open must be called.

Ends with exit code 1 if a must is missed.
"""

import os
import pathlib
import re
import shutil
import signal
import time

from deployment import CONTAINERS, LOCAL, PATIENCE, Failure, local, run, wait
from emergencies import CRITICAL, Emergency, monitored, seconds
from faults import is_healthy, primary, switch_over
from load import Load
from people import register
from results import conclude, least, most, store

PEOPLE = 4
SECOND = "database-2"
ACKNOWLEDGED = 40  # samples of each person before the loss
START_MAX = 180  # seconds
# The mounts of a container's files and shared memory.
STORAGE = r"/var/lib/containers/storage/overlay(/\w+/merged|-containers/\w+/userdata/shm)$"


def running():
    """The supervisors of all containers, which would start them again, and then their first
    processes; the files of their networks, and the directories by which runc knows them."""
    names = run("podman", "ps", "--format", "{{.Names}}").split()
    if len(names) < len(CONTAINERS):
        raise Failure(f"only {len(names)} containers run")
    if others := [each for each in names if not each.startswith("trackme_")]:
        raise Failure(f"{others} run too, and would be killed: stop them first")
    kinds = ("{{.State.ConmonPid}}", "{{.State.Pid}}", "{{.NetworkSettings.SandboxKey}}")
    supervisors, first, networks = (
        run("podman", "inspect", "--format", kind, *names).split() for kind in kinds)
    identifiers = run("podman", "ps", "--all", "--quiet", "--no-trunc").split()
    return (list(map(int, supervisors + first)), networks,
            [f"/run/runc/{each}" for each in identifiers])


def lose_power(numbers, networks, directories):
    """Kills all processes at once, and removes what a reboot leaves nothing of: the networks, the
    mounts, and the files in memory by which podman and runc know their containers."""
    for number in numbers:
        os.kill(number, signal.SIGKILL)
    local("remove_router")
    for each in {pathlib.Path(each).name for each in networks}:
        run("ip", "netns", "delete", each)
    for line in pathlib.Path("/proc/self/mounts").read_text().splitlines():
        if re.match(STORAGE, mount := line.split()[1]):
            run("umount", "--lazy", mount)
    for each in directories:
        # Containers that never ran, as the operator's tool, have none.
        shutil.rmtree(each, ignore_errors=True)
    for each in ("/run/containers/networks/ipam.db", "/run/libpod/alive", "/dev/shm/libpod_lock"):
        os.unlink(each)


def begin_emergency():
    """Begins an emergency; returns its person once it is confirmed, with its window open."""
    [person] = monitored(1)
    Emergency(person, *CRITICAL[0]).start()
    wait("the confirmed emergency", PATIENCE, lambda: any(
        each["stage"] == "confirmed" for each in emergencies(person)))
    return person


def emergencies(person):
    """The emergencies of a person; none while they can't be read."""
    status, history = person.send("/sos/history")
    return history["episodes"] if status == 200 else []


def first_call(person):
    """The time of the first call for a person, in seconds since 1970; None without one."""
    return min((seconds(call["calledAt"]) for each in emergencies(person)
                for call in each["calls"]), default=None)


def main():
    people = register(PEOPLE)
    if primary("data") != SECOND:
        switch_over("data", SECOND)
    beginning = int(time.time() * 1000)
    with Load(people) as load:
        wait("the load", PATIENCE, lambda: load.has_served_since(0))
        wait("the acknowledged samples", PATIENCE, lambda: all(
            sum(each.sent.copy().values()) >= ACKNOWLEDGED for each in load.uploaders))
        parts = running()
        person = begin_emergency()
        lose_power(*parts)
        lost_at = time.time()
    begun = time.monotonic()
    run(LOCAL / "up", seconds=START_MAX)
    wait("all containers", PATIENCE, lambda: all(is_healthy(each) for each in CONTAINERS))
    taken = time.monotonic() - begun
    acknowledged, lost, doubled = load.check(beginning)
    wait("the call", PATIENCE, lambda: first_call(person) is not None)
    if first_call(person) < lost_at:
        raise Failure("help was called before the loss: nothing was tried")
    print(f"{acknowledged} samples acknowledged before, {lost} lost, {doubled} doubled; the "
          f"emergency was called afterwards; all containers serve after {taken:.0f} s")
    store("power", least("samples acknowledged before", acknowledged),
          most("acknowledged samples lost", lost, 0), most("samples doubled", doubled, 0),
          most("time from the start command until all containers serve", taken, START_MAX, "s"))
    return 1 if lost or doubled or taken > START_MAX else 0


if __name__ == "__main__":
    conclude("power", main)
