"""The web pages in Chromium: bytes, time until they are usable, frames and memory."""

import json
import os
import re
import statistics
import time

import watching
from processes import BenchFailure, Running, run
from report import Row
from rounds import QUICK
from system import System

ROUNDS = 1 if QUICK else 3
RUNNERS = watching.RUNNERS
SECONDS = 5 if QUICK else 30
# A frame a second for a day, and a call every minute of it: more than a country's emergencies.
FRAMES = 400 if QUICK else 86_400
CALLS = 100 if QUICK else 1_440
KIB = 1024
# The runners move until they are stopped, however long the browser takes.
MOVING_MAX, WAIT_MAX = 1_800, 120

# The accounts of the demo data by the kinds of readers of Sources/WebApp/Client/routes.js.
READERS = {"everybody": "visitor", "person": "person", "company": "company", "account": "person"}


# What a page has to show beside its text before it is usable.
MAP = ".map-canvas"
NEEDS = {"/app/runs/:code": MAP, "/app/runs/:code/live": MAP, "/app/emergencies": MAP,
         "/app/organise/runs/:runID/live": MAP}


def _routes(root, values):
    """The reader, the path and the map of every page, with values in place of `:code` and
    others."""
    with open(f"{root}/Sources/WebApp/Client/routes.js", encoding="utf-8") as file:
        found = re.findall(r'path: "([^"]+)", reader: "([^"]+)"', file.read())
    if len(found) < 30:
        raise BenchFailure("the pages can't be read from routes.js")
    pages = []
    for path, reader in found:
        # One page has the two addresses `/` and `/app`.
        if path != "/app":
            filled = re.sub(r":(\w+)", lambda name: str(values[name[1]]), path)
            pages.append((READERS[reader], filled, NEEDS.get(path, "")))
    return [*pages, ("person", "/app/health?type=heartRate", ".chart-canvas canvas")]


def _accounts(system):
    """The logins of the demo data."""
    with open(f"{system.state}/demo-logins", encoding="utf-8") as file:
        lines = [line.rstrip("\n").split("\t") for line in file]
    return {"visitor": None} | {
        {"single user": "person", "third party": "company"}[kind]:
            {"email": email, "password": password} for kind, email, password in lines}


def _company(system, account):
    """What the pages of the company show: its request and its run."""
    token = system.ask("/auth/login", None, {**account, "replace": True})["authToken"]
    requests = system.ask("/req/tp/list", token)["requests"]
    runs = system.sql("SELECT run_id FROM track4run.publications ORDER BY run_id LIMIT 1",
                      "track4run").split()
    if not requests or not runs:
        raise BenchFailure("the demo data has no request or no run")
    return {"reqID": requests[0]["reqID"], "runID": runs[0]}


def _python(root):
    """The Python environment with the browser's driver, which deploy/setup.sh creates."""
    state = os.environ.get("TRACKME_STATE") or f"{root}/.trackme"
    return f"{state}/python/bin/python3"


def _lines(root, order, system):
    """The lines of chromium.py for an order."""
    file = f"{system.scratch}/pages.json"
    with open(file, "w", encoding="utf-8") as out:
        json.dump(order, out)
    output = run([_python(root), f"{root}/Tests/Bench/chromium.py", file], os.environ,
                 "chromium.py", 3_600)
    return [json.loads(line) for line in output.splitlines()]


def measure(report, root):
    """All pages of a system of its own with the demo data, and a run of a thousand runners."""
    with System(root, hasDemo=True) as system:
        accounts = _accounts(system)
        run([system.program("trackme"), "hospitals", "approve", accounts["company"]["email"]],
            system.environment, "trackme hospitals approve")
        values = _company(system, accounts["company"])
        start = int(time.time()) - 600
        run_id = system.sql(watching.MAKE.format(start=start, runners=RUNNERS), "track4run").strip()
        values["code"] = f"BENCH{run_id}"
        order = {
            "origin": f"https://localhost:{system.https_port}",
            "certificate": f"{system.state}/tls/certificate.pem", "accounts": accounts,
            "pages": _routes(root, values), "rounds": ROUNDS, "runners": RUNNERS,
            "live": f"/app/runs/{values['code']}/live", "seconds": SECONDS,
            "frames": FRAMES, "calls": CALLS}
        report.begin("the pages in Chromium: 1 Mb/s, 100 ms, a processor slowed four times",
                     ["Tests/Bench/chromium.py"])
        _pages(report, _lines(root, order | {"live": "", "frames": 0, "calls": 0}, system))
        _live(report, root, order, system, run_id, start)
        _boards(report, _lines(root, order | {"pages": [], "seconds": 0}, system))


def _pages(report, lines):
    """The figures of each page: medians of its rounds."""
    by_page = {}
    faults = [f"{line['page']}: {line['fault']}" for line in lines if "fault" in line]
    if faults:
        raise BenchFailure("; ".join(faults))
    for line in lines:
        by_page.setdefault((line["kind"], line["page"]), []).append(line)
    for (kind, page), rounds in by_page.items():
        size = statistics.median(each["bytes"] for each in rounds) / 1000
        seconds = statistics.median(each["seconds"] for each in rounds)
        isFirst = page == "/"
        name = "the first page" if isFirst else f"{page} ({kind})"
        note = f"{rounds[0]['requests']} requests, {size:.0f} kB"
        report.add(Row(f"{name}: usable", seconds, "s", must=2 if isFirst else 3, below=True,
                       note=note))
        if isFirst:
            report.add(Row(f"{name}: compressed", size, "kB", must=100, below=True))


def _live(report, root, order, system, run_id, start):
    """The live map, moved by the stream of the gateway."""
    load = [system.program("trackme-lab"), "bench", "live", str(system.http_port), run_id,
            str(start), str(RUNNERS), "1", str(MOVING_MAX)]
    report.begin(f"a live map with {RUNNERS} runners at a position a second", [" ".join(load)])
    with Running(load, system.environment) as runners:
        runners.wait_until(lambda: _have_positions(system, run_id), "the first positions", WAIT_MAX)
        lines = _lines(root, order | {"pages": [], "frames": 0, "calls": 0}, system)
        if runners.process.poll() is not None:
            raise BenchFailure("the runners stopped while they were watched")
    figures = lines[0]["live"]
    if not figures["moved"]:
        raise BenchFailure("the map showed the same picture before and after")
    report.say(f"   frames of each second: {figures['counts']}")
    report.say(f"   memory: {figures['before']} to {figures['after']}")
    report.add(Row("live map: frames a second, median", statistics.median(figures["counts"]), "",
                   must=30, note=f"the slowest second has {min(figures['counts'])}"))
    report.add(Row("live map: growth of memory in half a minute", _growth(
        figures["before"]["heap"], figures["after"]["heap"]), "%", must=5, below=True,
        note=f"{figures['after']['heap'] / KIB / KIB:.1f} MiB"))


def _have_positions(system, run_id):
    """Whether spectators are shown a position of every runner."""
    shown = system.ask(f"/t4r/active/placings?runID={run_id}", None)["placings"]
    return sum("coordinate" in runner for runner in shown) == RUNNERS


def _boards(report, lines):
    """Open pages that take the events of a day, from its middle on: before, the browser compiles
    the code and learns the shapes of the values, which is memory that does not grow any further."""
    figures = {name: line[name]["figures"] for line in lines for name in line if name != "live"}
    for name, what in (("frames", f"live map: {FRAMES} frames"),
                       ("calls", f"hospital's board: {CALLS} calls")):
        first, last = figures[name][len(figures[name]) // 2 - 1], figures[name][-1]
        report.say(f"   {what}: {figures[name][0]}, {first} to {last}")
        report.add(Row(f"{what}: growth of memory", _growth(first["heap"], last["heap"]), "%",
                       must=5, below=True, note=f"{last['heap'] / KIB / KIB:.1f} MiB"))
        report.add(Row(f"{what}: growth of elements", _growth(first["nodes"], last["nodes"]), "%",
                       must=5, below=True, note=f"{last['nodes']:.0f} nodes"))


def _growth(first, last):
    return 100 * (last - first) / first
