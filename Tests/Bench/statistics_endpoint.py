"""GET /data/stats through the whole system, compared with pgbench: same statements and rows."""

import datetime
import re

from load import PgBench, Wrk
from processes import BenchFailure, run
from report import Row
from rounds import SECONDS, alternate, ratio

ACCOUNTS = 64
DAYS = 30
PATH = "/data/stats"


def fill(system, tokens):
    """Stores an hourly heart rate over 30 days for each account."""
    now = datetime.datetime.now(datetime.timezone.utc).replace(minute=0, second=0, microsecond=0)
    times = [now - datetime.timedelta(hours=hour) for hour in range(DAYS * 24, 0, -1)]
    body = {
        "dataTypes": ["heartRate"] * len(times),
        "values": [str(55 + (7 * place) % 60) for place in range(len(times))],
        "timestamp": [time.isoformat() for time in times],
    }
    for token in tokens:
        stored = system.ask("/data/upload", token, body)["stored"]
        if stored != len(times):
            raise BenchFailure(f"{stored} of {len(times)} samples were stored")
    count = system.ask(PATH, tokens[0])["dataTypes"][0]["count"]
    if count != len(times):
        raise BenchFailure(f"the statistics count {count} of {len(times)} samples")


def write_script(system, path):
    """Writes the endpoint's statements for pgbench; returns its variables."""
    output = run([system.program("trackme-lab"), "bench", "statements", "--account", "1"],
                 what="trackme-lab bench statements")
    variables, lines = [], []
    for line in output.splitlines():
        if line.startswith("-D "):
            variables.append(line[3:])
        else:
            lines.append(line)
    account = variables[-1].partition("=")[0]
    with open(path, "w", encoding="utf-8") as file:
        file.write(f"\\set {account} random(1, {ACCOUNTS})\n" + "\n".join(lines) + "\n")
    return variables, "\n".join(lines)


def check_statements(system, token, script):
    """Checks with the server's counts that the endpoint issues these statements and no others."""
    calls = 200
    role = "SELECT oid FROM pg_roles WHERE rolname = 'data4help'"
    # The few others are polls of the gateway and of workers.
    system.sql("CREATE EXTENSION IF NOT EXISTS pg_stat_statements", "postgres")
    system.sql("SELECT pg_stat_statements_reset()", "postgres")
    for _ in range(calls):
        system.ask(PATH, token)
    issued = system.sql(
        "SELECT replace(query, E'\\n', ' ') FROM pg_stat_statements "
        f"WHERE userid = ({role}) AND calls >= {calls // 2}", "postgres").splitlines()

    def words(text):
        return re.sub(r"[:$]\w*?(\d+)\b", r"$\1", " ".join(text.replace(";", "").split()))

    expected = [words(script)]
    if [words(each) for each in issued] != expected:
        raise BenchFailure(
            f"the endpoint issues other statements than pgbench would: {issued}")


def write_script_of_wrk(path, tokens_file):
    """Requests one account after the other."""
    with open(path, "w", encoding="ascii") as file:
        file.write(f"""
local requests, place = {{}}, 0
function init()
  for token in io.lines("{tokens_file}") do
    if #requests == {ACCOUNTS} then break end
    requests[#requests + 1] = wrk.format(
      "GET", "{PATH}", {{ Authorization = "Bearer " .. token }})
  end
end
function request()
  place = place % #requests + 1
  return requests[place]
end
""")


def measure(report, system, tokens):
    """Compares the rates."""
    fill(system, tokens[:ACCOUNTS])
    script = f"{system.scratch}/statistics.sql"
    variables, statements = write_script(system, script)
    check_statements(system, tokens[0], statements)
    lua = f"{system.scratch}/statistics.lua"
    write_script_of_wrk(lua, f"{system.scratch}/tokens")
    url = system.url("data4help")
    ours = Wrk(system.address(PATH), [], system.processes(), script=lua)
    database = {"postgres": system.processes()["postgres"]}
    peer = PgBench(url, script, database, variables=variables, secrets={url: "$DATABASE_URL"})
    report.begin(f"{PATH} of {DAYS} days of hourly heart rate beside pgbench",
                 [ours.shown(SECONDS), peer.shown(SECONDS)])
    endpoint, pgbench = alternate(
        ("endpoint", lambda warm: ours.measure(1 if warm else SECONDS)),
        ("pgbench", lambda warm: peer.measure(1 if warm else SECONDS)))
    for side in (endpoint, pgbench):
        low, high = side.spread(lambda each: each.rate)
        report.say(f"   {side.name:8} {side.rate():,.0f}/s ({low:,.0f} to {high:,.0f}): "
                   f"{side.shares()}")
    middle, low, high = ratio(endpoint, pgbench, lambda each: each.rate)
    report.add(Row(
        f"{PATH} through the gateway, {DAYS} days hourly", endpoint.rate(), "/s", must=5000,
        aim=15000, note=f"pgbench {pgbench.rate():,.0f}/s"))
    report.add(Row(f"{PATH}: rate of pgbench's with its statements", middle, "", aim=0.4,
                   note=f"rounds {low:.2f} to {high:.2f}"))
