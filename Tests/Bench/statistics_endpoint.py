"""GET /data/stats through the whole system, compared with pgbench (same statements and rows), and
with what a user would write instead: a program in Go on a table with a row for each sample."""

import datetime
import json
import os
import pathlib
import re
import urllib.request

from load import PgBench, Wrk
from processes import BenchFailure, RunningTogether, free_ports, run
from report import Row
from rounds import SECONDS, alternate, ratio

ACCOUNTS = 64
DAYS = 30
PATH = "/data/stats"
GO_SOURCE = pathlib.Path(__file__).parent / "peer/main.go"

ROWS = """
DROP SCHEMA IF EXISTS bench_peer CASCADE;
CREATE SCHEMA bench_peer;
CREATE TABLE bench_peer.samples (
  account_id bigint, type smallint, taken_at timestamptz, value double precision,
  PRIMARY KEY (account_id, type, taken_at));
INSERT INTO bench_peer.samples
SELECT account, 1, date_trunc('hour', now()) - hour * interval '1 hour',
       55 + (7 * ({hours} - hour)) % 60
  FROM generate_series(1, {accounts}) AS account, generate_series(1, {hours}) AS hour;
GRANT USAGE ON SCHEMA bench_peer TO data4help;
GRANT SELECT ON bench_peer.samples TO data4help;
VACUUM ANALYZE bench_peer.samples;
"""

NGINX = """
daemon off; master_process off; worker_processes 1; pid {directory}/go-nginx.pid;
error_log {directory}/go-nginx.error;
events {{ worker_connections 1024; }}
http {{
  access_log /dev/null combined buffer=64k;
  client_body_temp_path {directory}; proxy_temp_path {directory};
  fastcgi_temp_path {directory}; uwsgi_temp_path {directory}; scgi_temp_path {directory};
  map_hash_bucket_size 256; map_hash_max_size 65536;
  map $http_authorization $account {{ default ""; include {directory}/accounts.map; }}
  keepalive_requests 1000000000;
  upstream backend {{
    server 127.0.0.1:{backend}; keepalive 128; keepalive_requests 1000000000;
  }}
  server {{
    listen 127.0.0.1:{port} backlog=1024;
    location / {{
      if ($account = "") {{ return 401; }}
      proxy_pass http://backend; proxy_http_version 1.1;
      proxy_set_header Connection ""; proxy_set_header X-Account $account;
    }}
  }}
}}
"""


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


class GoPeer(RunningTogether):
    """The program in Go behind nginx, during the scope."""

    def __init__(self, system, tokens):
        super().__init__()
        self.system = system
        self.tokens = tokens
        self.port, self.backend = free_ports(2)

    def _start(self):
        system, directory = self.system, self.system.scratch
        for statement in ROWS.format(accounts=ACCOUNTS, hours=DAYS * 24).strip().split(";\n"):
            system.sql(statement, "postgres")
        program = f"{directory}/go-peer"
        # The packages of Debian are sources under this path, without modules.
        run(["go", "build", "-o", program, str(GO_SOURCE)], dict(
            os.environ, GO111MODULE="off", GOPATH="/usr/share/gocode", HOME=directory,
            GOCACHE=f"{directory}/go-cache"), "the Go program", 600)
        with open(f"{directory}/accounts.map", "w", encoding="ascii") as file:
            file.writelines(f'"Bearer {token}" {account};\n'
                            for account, token in enumerate(self.tokens, 1))
        with open(f"{directory}/go-nginx.conf", "w", encoding="ascii") as file:
            file.write(NGINX.format(directory=directory, port=self.port, backend=self.backend))
        self.program = self._begin(
            [program, str(self.backend)], errors=f"{directory}/go-peer.errors",
            environment=dict(os.environ, DATABASE_URL=system.url("data4help")))
        self.nginx = self._begin(
            ["nginx", "-p", directory, "-c", f"{directory}/go-nginx.conf"],
            errors=f"{directory}/go-nginx.start")
        self.program.wait_until(lambda: self._answer() is not None, "an answer of the program")

    def _answer(self):
        request = urllib.request.Request(
            f"http://127.0.0.1:{self.port}{PATH}",
            headers={"Authorization": f"Bearer {self.tokens[0]}"})
        try:
            with urllib.request.urlopen(request, timeout=5) as answer:
                return json.load(answer)["dataTypes"][0]
        except OSError:
            return None

    def check(self, ours):
        """Both compute the same from the same samples."""
        theirs = self._answer()
        for name in ("count", "mean", "median", "stddev", "min", "max"):
            if abs(float(ours[name]) - float(theirs[name])) > 0.01:
                raise BenchFailure(f"{name} is {ours[name]} here and {theirs[name]} in Go")

    def processes(self):
        return {"go": [(self.program.pid, False)], "nginx": [(self.nginx.pid, False)],
                "postgres": self.system.processes()["postgres"]}


def measure(report, system, tokens):
    """Compares the rates with pgbench's, then with those of the program in Go."""
    fill(system, tokens[:ACCOUNTS])
    beside_pgbench(report, system, tokens)
    lua = f"{system.scratch}/statistics.lua"
    with GoPeer(system, tokens[:ACCOUNTS]) as peer:
        peer.check(system.ask(PATH, tokens[0])["dataTypes"][0])
        ours = Wrk(system.address(PATH), [], system.processes(), script=lua)
        theirs = Wrk(f"http://127.0.0.1:{peer.port}{PATH}", [], peer.processes(), script=lua)
        report.begin(f"{PATH} beside a program in Go behind nginx",
                     [load.shown(SECONDS) for load in (ours, theirs)])
        endpoint, program = alternate(*(
            (name, lambda warm, load=load: load.measure(1 if warm else SECONDS))
            for name, load in (("endpoint", ours), ("Go", theirs))))
        show(report, endpoint, program)
        middle, low, high = ratio(endpoint, program, lambda each: each.rate)
        report.add(Row(f"{PATH}: rate of a Go program's with rows", middle, "",
                       note=f"{program.rate():,.0f}/s, rounds {low:.2f} to {high:.2f}"))


def show(report, *sides):
    """The rates of sides, and the processor time of their processes."""
    for side in sides:
        low, high = side.spread(lambda each: each.rate)
        report.say(f"   {side.name:8} {side.rate():,.0f}/s ({low:,.0f} to {high:,.0f}): "
                   f"{side.shares()}")


def beside_pgbench(report, system, tokens):
    """The rates of the endpoint and of its statements in pgbench."""
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
    show(report, endpoint, pgbench)
    middle, low, high = ratio(endpoint, pgbench, lambda each: each.rate)
    report.add(Row(
        f"{PATH} through the gateway, {DAYS} days hourly", endpoint.rate(), "/s", must=8000,
        aim=15000, note=f"pgbench {pgbench.rate():,.0f}/s"))
    report.add(Row(f"{PATH}: rate of pgbench's with its statements", middle, "", aim=0.4,
                   note=f"rounds {low:.2f} to {high:.2f}"))
