"""The drills of a deployment that runs (OPS-2, NFR-4): its containers and single processes in them
killed, frozen, stopped, cut off, or without space, under load, one after the other. A checker reads
the histories: what was acknowledged is in them, once. During each drill a person has an emergency,
whose call must come on its clock.

Ends with a table (drill, lost, doubled, failed requests, seconds without service, seconds to the
call), and exit code 1 if a must is missed.

usage: drills.py [PART OF A TITLE]...
"""

import dataclasses
import sys
import time

from deployment import CONTAINERS, PATIENCE, Failure, wait
from emergencies import Patients
from faults import (
    FROZEN, FULL, LOST_MAX, STOPPED_MAX, Drill, cut, diverge, fill_disk, freeze, hand_over,
    hold_mail, is_healthy, kill, mend, primary, standby, stop)
from load import Load
from people import register, sign_up
from process_faults import (
    cut_holder, freeze_patroni, freeze_postgresql, kill_patroni, kill_postgresql, kill_vrrp,
    lose_patroni)
from results import conclude, least, most, store

PEOPLE = 4
CALM = 2  # seconds of load before and after a drill
# Without `monitoring`, whose network others use and which has no clients.
ALL = [*(name for name in CONTAINERS if name != "monitoring"), "address-1", "address-2"]


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
    called: float | None
    seconds_max: int
    failed_max: int | None
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
        if self.failed_max is not None and self.failed > self.failed_max:
            missed.append(f"{self.failed} requests failed, must be {self.failed_max} at most")
        return missed


def plan():
    """The titles of all drills, and what prepares each of them just before it begins."""
    yield "nothing", lambda: Drill(lambda: time.sleep(5), lambda: "gateway-1")
    for name in ALL:
        yield f"kill -9 {name}", lambda name=name: kill(name)
    for name in ALL:
        if not name.startswith(("database", "keys-database")):
            yield f"freeze {name}, {FROZEN} s", lambda name=name: freeze(name, FROZEN)
    for zone, cluster in (("data", "primary"), ("keys", "keys' primary")):
        yield f"hand over the {cluster}", lambda zone=zone: hand_over(zone)
        yield f"stop the {cluster}", lambda zone=zone: stop(primary(zone), 30, STOPPED_MAX)
        yield f"lose the {cluster}", lambda zone=zone: stop(primary(zone), 0)
        yield f"freeze the {cluster}", lambda zone=zone: freeze(primary(zone))
        yield f"freeze the {cluster}, let it write", lambda zone=zone: diverge(primary(zone))
        yield f"cut off the {cluster}", lambda zone=zone: cut(primary(zone))
    for zone, cluster in (("data", "standby"), ("keys", "keys' standby")):
        yield f"stop the {cluster}", lambda zone=zone: stop(standby(zone), 30)
        yield f"lose the {cluster}", lambda zone=zone: stop(standby(zone), 0)
        yield f"freeze the {cluster}", lambda zone=zone: freeze(standby(zone))
        yield f"cut off the {cluster}", lambda zone=zone: cut(standby(zone))
    for zone, cluster in (("data", "primary"), ("keys", "keys' primary")):
        yield f"kill the {cluster}'s PostgreSQL", lambda zone=zone: kill_postgresql(primary(zone))
        yield (f"freeze the {cluster}'s PostgreSQL, {FROZEN} s",
               lambda zone=zone: freeze_postgresql(primary(zone)))
        yield f"kill the {cluster}'s Patroni", lambda zone=zone: kill_patroni(primary(zone))
        yield f"lose the {cluster}'s Patroni", lambda zone=zone: lose_patroni(primary(zone))
        yield f"freeze the {cluster}'s Patroni", lambda zone=zone: freeze_patroni(primary(zone))
    yield "kill keepalived's VRRP", kill_vrrp
    yield "cut off the gateway with the address", cut_holder
    for name in ("data4help-1", "track4run-1", "etcd-1"):
        yield f"cut off {name}", lambda name=name: cut(name)
    yield f"lose the mail server, {FROZEN} s", lambda: hold_mail(sign_up)
    yield f"fill the primary's disk, {FULL} s", lambda: fill_disk("data")
    yield f"fill the keys' primary's disk, {FULL} s", lambda: fill_disk("keys")


def run_drill(title, prepare, load, patients):
    """Runs one drill under load; returns its row."""
    seconds_max, failed_max, faults, emergency, called = LOST_MAX, None, [], None, None
    since, begin = int(time.time() * 1000), time.monotonic()
    load.causes()
    time.sleep(CALM)
    try:
        drill = prepare()
        seconds_max, failed_max = drill.seconds_max, drill.failed_max
        emergency = patients.begin()
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
        try:
            mend(ALL)
        except Failure as unmended:
            faults.append(f"not mended: {unmended}")
    if emergency is not None:
        called, missed = emergency.finish()
        faults += missed
    time.sleep(CALM)
    end = time.monotonic()
    requests, failed = load.failures(begin, end)
    row = Row(title, *load.check(since), requests, failed,
              load.gap("uploads", begin, end), load.gap("reads", begin, end),
              load.gap("runs", begin, end), called, seconds_max, failed_max,
              faults)
    causes = ", ".join(f"{count} {cause}" for cause, count in load.causes().items())
    print(f"{row.title}: {end - begin:.0f} s, {failed} of {requests} failed"
          f"{f' ({causes})' if causes else ''}", flush=True)
    return row


def table(rows):
    """The rows as a table that docs/operations.md can take as it is."""
    lines = ["| drill | acknowledged | lost | doubled | failed requests "
             "| uploads, s | reads, s | runs, s | call, s |", f"{'|---' * 9}|"]
    for row in rows:
        called = "none" if row.called is None else f"{row.called:.1f}"
        lines.append(
            f"| {row.title} | {row.acknowledged} | {row.lost} | {row.doubled} "
            f"| {row.failed} of {row.requests} "
            f"| {row.uploads:.1f} | {row.reads:.1f} | {row.runs:.1f} | {called} |")
    return "\n".join(lines)


def run_all(parts, load, patients, rows):
    """Runs the drills with one of these parts in their title, or all; appends their rows. A run
    that is interrupted, or cannot mend what a drill left behind, keeps the rows that it has, and
    returns that it missed the others."""
    try:
        for title, prepare in plan():
            if not parts or any(part in title for part in parts):
                rows.append(run_drill(title, prepare, load, patients))
                if rows[-1].faults and not all(is_healthy(each) for each in ALL):
                    return [f"ended after {len(rows)} drills: not all containers are healthy"]
    except KeyboardInterrupt:
        return [f"interrupted after {len(rows)} drills"]
    return []


def main(parts):
    people, patients = register(PEOPLE), Patients()
    beginning = int(time.time() * 1000)
    rows = []
    with Load(people) as load:
        wait("the load", PATIENCE, lambda: load.has_served_since(0))
        missed = run_all(parts, load, patients, rows)
    acknowledged, lost, doubled = load.check(beginning)
    print(f"\n{table(rows)}\n")
    print(f"at the end: {acknowledged} samples acknowledged, {lost} lost, {doubled} doubled")
    missed += [f"{row.title}: {each}" for row in rows for each in row.misses]
    if lost or doubled:
        missed.append(f"at the end: {lost} lost, {doubled} doubled")
    for each in missed:
        print(f"missed: {each}")
    print(f"{len(rows)} drills, {len(missed)} musts missed")
    if not parts:
        store("drills", least("drills", len(rows), 60),
              most("acknowledged samples lost", lost, 0),
              most("samples doubled", doubled, 0), most("musts missed", len(missed), 0),
              *(most(f"longest time without service, must be {bound} s at most",
                     max(max(row.uploads, row.reads, row.runs) for row in rows
                         if row.seconds_max == bound), bound, "s")
                for bound in sorted({row.seconds_max for row in rows})))
    return 1 if missed else 0


if __name__ == "__main__":
    conclude("drills", lambda: main(sys.argv[1:]), is_kept=not sys.argv[1:])
