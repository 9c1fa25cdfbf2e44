"""More than 5,000 people join a run of 5,000 places, over 200 connections."""

import datetime
import json

import companies
from processes import BenchFailure, run
from report import Row
from rounds import QUICK

PLACES = 200 if QUICK else 5_000
LATE = PLACES // 25
CONNECTIONS = 200
COUNTS = """
SELECT run.enrolled, run.last_number, count(*), count(DISTINCT number), max(number),
       count(DISTINCT account_id)
  FROM track4run.runs AS run JOIN track4run.enrolments USING (run_id)
 WHERE run_id = {run} AND left_at IS NULL GROUP BY run_id
"""


def published(system, token):
    """Creates a run a year from now, so that its check-in does not open."""
    start = datetime.datetime.now(datetime.timezone.utc) + datetime.timedelta(days=365)
    answer = system.ask("/t4r/org/create", token, {
        "runName": "Bench", "startTime": start.isoformat(timespec="seconds"),
        "endTime": (start + datetime.timedelta(hours=2)).isoformat(timespec="seconds"),
        "participants": PLACES})
    system.ask("/t4r/org/path", token, {
        "runID": answer["runID"],
        "path": [{"coordinate": "44.46,9.19"}, {"coordinate": "44.46,9.2156"}]})
    return answer["runID"]


def measure(report, system, tokens):
    """Seconds from the first to the last response; the database counts the enrolled runners."""
    run_id = published(system, companies.company(system))
    file = f"{system.scratch}/joining"
    with open(file, "w", encoding="ascii") as lines:
        lines.write("".join(f"{token}\n" for token in tokens[:PLACES + LATE]))
    command = [system.program("trackme-lab"), "bench", "joins", str(system.http_port), str(run_id),
               file, str(CONNECTIONS)]
    report.begin(f"{PLACES + LATE:,} people join a run of {PLACES:,} over {CONNECTIONS} "
                 "connections", [" ".join(command)])
    output = run(command, system.environment, "trackme-lab bench joins", 600)
    figures = json.loads(output.strip().splitlines()[-1])
    counts = [int(word) for word in
              system.sql(COUNTS.format(run=run_id), "track4run").strip().split("|")]
    report.say(f"   {figures}, in the database {counts}")
    if figures["joined"] != PLACES or figures["refused"] != LATE or set(counts) != {PLACES}:
        raise BenchFailure(f"{PLACES} places, {figures}, in the database {counts}")
    report.add(Row(
        f"joins of a run of {PLACES:,}", (PLACES + LATE) / figures["seconds"], "/s",
        note=f"none too many, none lost; median {figures['p50']:.0f} ms over {CONNECTIONS} "
             "connections"))
