"""The time from the opening of check-in until all enrolled runners have the request."""

import datetime
import time

import companies
from processes import BenchFailure
from report import Row
from rounds import QUICK

RUNNERS = 200 if QUICK else 5_000
SECONDS_MAX = 30


def enrolled(system, token, count):
    """Creates a run of the next year with some enrolled people; returns its number."""
    start = datetime.datetime.now(datetime.timezone.utc) + datetime.timedelta(days=366)
    answer = system.ask("/t4r/org/create", token, {
        "runName": "Bench", "startTime": start.isoformat(timespec="seconds"),
        "endTime": (start + datetime.timedelta(hours=2)).isoformat(timespec="seconds"),
        "participants": 1_000_000})
    system.ask("/t4r/org/path", token, {
        "runID": answer["runID"],
        "path": [{"coordinate": "45.46,9.19"}, {"coordinate": "45.46,9.2156"}]})
    system.sql(
        "INSERT INTO track4run.enrolments (run_id, number, account_id, shows_health, is_findable,"
        f" joined_at) SELECT {answer['runID']}, account_id, account_id, false, true, now()"
        f" FROM generate_series(1, {count}) AS account_id; UPDATE track4run.runs"
        f" SET enrolled = {count}, last_number = {count} WHERE run_id = {answer['runID']}",
        role="track4run")
    return answer["runID"]


def measure(report, system):
    """Seconds from the planned opening of check-in to the last request in the database."""
    report.begin(f"check-in of {RUNNERS:,} runners", [
        "the run's start moves to an hour from now; SELECT count(*) of check-in requests"])
    run = enrolled(system, companies.company(system), RUNNERS)
    began = time.monotonic()
    system.sql(
        "UPDATE track4run.runs SET starts_at = now() + interval '1 hour', enrol_until = now(),"
        f" ends_at = now() + interval '3 hours' WHERE run_id = {run}", role="track4run")
    count = 0
    while count < RUNNERS:
        count = int(system.sql("SELECT count(*) FROM data4help.single_requests WHERE is_check_in"))
        if time.monotonic() - began > 10 * SECONDS_MAX:
            raise BenchFailure(f"{count} of {RUNNERS} runners were asked")
        time.sleep(0.05)
    report.add(Row(f"{RUNNERS:,} runners asked to check in", time.monotonic() - began, "s",
                   must=SECONDS_MAX, below=True))
