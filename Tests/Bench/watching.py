"""A live run with spectators: age of positions, processor time, cost of each spectator."""

import json
import time

from processes import BenchFailure, processor_seconds, run
from report import Row
from rounds import QUICK

RUNNERS = 100 if QUICK else 1000
SPECTATORS = [20, 50] if QUICK else [100, 1000, 2000]
SECONDS = 8 if QUICK else 30
MAKE = """
WITH made AS (
  INSERT INTO track4run.runs (organiser_id, organiser_name, name, starts_at, enrol_until, ends_at,
                              participants_max, enrolled, last_number)
  VALUES (1, 'Bench', 'Live', to_timestamp({start}), to_timestamp({start}),
          to_timestamp({start}) + interval '1 day', {runners}, {runners}, {runners})
  RETURNING run_id),
listed AS (
  INSERT INTO track4run.publications (run_id, code, end_latitude, end_longitude, published_at)
  SELECT run_id, 'BENCH' || run_id, 45.6442, 9.25, now() FROM made),
drawn AS (
  INSERT INTO track4run.paths (run_id, path, length_metres)
  SELECT run_id, postgis.ST_GeogFromText(
           'LINESTRING(9.19 45.4642, 9.25 45.5242, 9.19 45.5842, 9.25 45.6442)'), 24500
    FROM made),
entered AS (
  INSERT INTO track4run.enrolments (run_id, number, account_id, shows_health, is_findable,
                                    joined_at, request_id, checked_in_at)
  SELECT run_id, number, 5000000 + number, false, true, now(), gen_random_uuid(), now()
    FROM made, generate_series(1, {runners}) AS number)
SELECT run_id FROM made
"""


def _seconds(system):
    """Processor time by kind of process."""
    return {name: sum(processor_seconds(pid, tree) for pid, tree in members)
            for name, members in system.processes().items()}


def measure(report, system):
    """The same kind of run with increasing numbers of spectators, a new run each time."""
    for spectators in SPECTATORS:
        start = int(time.time()) - 600
        run_id = system.sql(MAKE.format(start=start, runners=RUNNERS), "track4run").strip()
        command = [system.program("trackme-lab"), "bench", "live", str(system.http_port), run_id,
                   str(start), str(RUNNERS), str(spectators), str(SECONDS)]
        report.begin(f"{RUNNERS} runners at a position a second, {spectators} spectators",
                     [" ".join(command)])
        before, began = _seconds(system), time.monotonic()
        output = run(command, system.environment, "trackme-lab bench live", SECONDS + 300)
        took, after = time.monotonic() - began, _seconds(system)
        system.sql(f"DELETE FROM track4run.runs WHERE run_id = {run_id} RETURNING 1", "track4run")
        figures = json.loads(output.strip().splitlines()[-1])
        if "error" in figures or figures["lost"] or not figures["positions"]:
            raise BenchFailure(str(figures))
        used = {name: after[name] - before.get(name, 0) for name in after}
        report.say(f"   {figures}")
        report.say(f"   processor seconds in {took:.0f} s: "
                   + ", ".join(f"{name} {value:.1f}" for name, value in sorted(used.items())))
        services = used.get("gateway", 0) + used.get("track4run", 0)
        report.add(Row(f"{spectators} spectators: bytes per runner who moved",
                       figures["bytesPerRunner"], "B", must=24, below=True,
                       note=f"{figures['bytesPerSpectatorSecond'] / 1000:.1f} kB per spectator and "
                            "second, placings included"))
        report.add(Row(f"{spectators} spectators: age of a position, 99th percentile",
                       figures["p99"], "ms",
                       must=1100, aim=500, below=True, note=f"median {figures['p50']:.0f} ms"))
        report.add(Row(f"{spectators} spectators: processor time per spectator and second",
                       1000 * services / spectators / SECONDS, "ms",
                       note="gateway and Track4Run"))
