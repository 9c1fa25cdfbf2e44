"""The list of runs and polling, compared with nginx serving the same bytes from memory."""

import json
import os
import time
import urllib.request

import watching
from load import Wrk
from processes import Running, free_ports, pinned, run
from report import Row
from rounds import SECONDS, alternate, ratio

PEER_CORE, LOAD_CORE = 0, 1
RUNNERS = 100
RUNS = 50
LIST = "/t4r/active/list?state=open"
UPDATE = "/t4r/active/specUpdate"

# Listed runs of the next month, each with its own road of two kilometres.
MAKE = """
WITH made AS (
  INSERT INTO track4run.runs (organiser_id, organiser_name, name, place, starts_at, enrol_until,
                              ends_at, participants_max)
  SELECT 1, 'Bench', 'Corsa ' || number, 'Milano', now() + interval '30 days',
         now() + interval '30 days', now() + interval '31 days', 100
    FROM generate_series(1, {runs}) AS number
  RETURNING run_id),
drawn AS (
  INSERT INTO track4run.paths (run_id, path, length_metres)
  SELECT run_id, postgis.ST_MakeLine(
           postgis.ST_MakePoint(9.19, 40 + run_id * 0.01),
           postgis.ST_MakePoint(9.2156, 40 + run_id * 0.01))::postgis.geography, 2000
    FROM made)
INSERT INTO track4run.publications (run_id, code, end_latitude, end_longitude, published_at)
SELECT run_id, 'POLL' || run_id, 40 + run_id * 0.01, 9.2156, now() FROM made RETURNING 1
"""

NGINX = """
daemon off; master_process off; worker_processes 1; pid {directory}/poll.pid;
error_log {directory}/poll.error;
events {{ worker_connections 1024; }}
http {{
  access_log /dev/null combined buffer=64k;
  client_body_temp_path {directory}; proxy_temp_path {directory};
  fastcgi_temp_path {directory}; uwsgi_temp_path {directory}; scgi_temp_path {directory};
  keepalive_requests 1000000000; sendfile on; open_file_cache max=10 inactive=1h;
  open_file_cache_valid 1h; default_type application/json;
  server {{ listen 127.0.0.1:{port} backlog=1024; root {memory}; }}
}}
"""


class Alone:
    """A process of Track4Run that is called without the gateway, over TCP."""

    def __init__(self, system):
        self.system = system
        self.port, metrics = free_ports(2)
        with open(f"{system.state}/status.json", encoding="utf-8") as file:
            members = json.load(file)["members"]
        backend = next(each["addresses"][0] for each in members
                       if each["name"] == "data4help-1")
        environment = dict(
            os.environ, TRACKME_STATE=system.state, TRACKME_METRICS_PORT=str(metrics),
            TRACKME_LISTEN=f"127.0.0.1:{self.port}", TRACKME_LOOPS="1",
            TRACKME_PROCESS="track4run-alone", TRACKME_DATA4HELP_ADDRESSES=backend,
            TRACKME_PUBLIC_URL=f"http://127.0.0.1:{system.http_port}",
            TRACKME_DATABASE_URL_FILE=system.url_file("track4run"))
        self.secret = run([system.program("trackme-lab"), "bench", "secret"],
                          system.environment).strip()
        self.process = Running([system.program("track4run")], environment=environment,
                               errors=f"{system.scratch}/alone.errors")

    def __enter__(self):
        self.process.wait_until(self._answers, "Track4Run without the gateway")
        return self

    def __exit__(self, *_):
        self.process.__exit__()

    def _answers(self):
        try:
            return bool(self.ask(LIST))
        except OSError:
            return False

    def field(self):
        return f"X-TrackMe-Secret: {self.secret}"

    def ask(self, path, body=None):
        name, _, value = self.field().partition(": ")
        request = urllib.request.Request(
            f"http://127.0.0.1:{self.port}{path}", data=body,
            headers={name: value, "Content-Type": "application/json"})
        with urllib.request.urlopen(request, timeout=10) as answer:
            return answer.read()


def live_run(system):
    """An active run, whose runners each have a position."""
    start = int(time.time()) - 600
    run_id = system.sql(watching.MAKE.format(start=start, runners=RUNNERS), "track4run").strip()
    command = [system.program("trackme-lab"), "bench", "live", str(system.http_port), run_id,
               str(start), str(RUNNERS), "1", "2"]
    run(command, system.environment, "trackme-lab bench live", 300)
    return run_id


def fetch(address, body=None):
    """The response body of an address."""
    request = urllib.request.Request(
        address, data=body, headers={"Content-Type": "application/json"})
    with urllib.request.urlopen(request, timeout=60) as answer:
        return answer.read()


def script(directory, run_id):
    """The script with which wrk polls."""
    path = f"{directory}/poll.lua"
    with open(path, "w", encoding="ascii") as file:
        file.write(f"wrk.method = 'POST'\nwrk.body = '{{\"runID\":{run_id}}}'\n"
                   "wrk.headers['Content-Type'] = 'application/json'\n")
    return path


def measure(report, system):
    """Four comparisons: list and polling, through the gateway and without it."""
    system.sql(MAKE.format(runs=RUNS), "track4run")
    run_id = live_run(system)
    # Files of a file system in memory, read by nginx once.
    memory = f"/dev/shm/{os.path.basename(system.directory)}"
    os.makedirs(memory, exist_ok=True)
    os.chmod(memory, 0o755)
    port = free_ports(1)[0]
    lua = script(system.scratch, run_id)
    question = json.dumps({"runID": int(run_id)}).encode()
    with open(f"{system.scratch}/poll.conf", "w", encoding="ascii") as file:
        file.write(NGINX.format(directory=system.scratch, port=port, memory=memory))
    nginx = Running(pinned(PEER_CORE, ["nginx", "-p", system.scratch, "-c",
                                       f"{system.scratch}/poll.conf"]),
                    errors=f"{system.scratch}/poll.start")
    try:
        with nginx, Alone(system) as alone:
            peer = {"nginx": [(nginx.pid, False)]}
            whole = {name: members for name, members in system.processes().items()
                     if name in ("gateway", "track4run", "postgres")}
            service = {"track4run": [(alone.process.pid, False)],
                       "postgres": system.processes()["postgres"]}
            for what, path, body, file, must in (
                    ("list of runs", LIST, None, "list", 0.8),
                    ("polling a run", UPDATE, question, "update", 0.7)):
                answer = fetch(system.address(path), body)
                with open(f"{memory}/{file}", "wb") as copy:
                    copy.write(answer)
                served = Wrk(f"http://127.0.0.1:{port}/{file}", [], peer, core=LOAD_CORE)
                lines = None if body is None else lua
                ways = (
                    ("through the gateway", must, 1,
                     Wrk(system.address(path), [], whole, script=lines, core=LOAD_CORE)),
                    ("the service alone", None, 0.7,
                     Wrk(f"http://127.0.0.1:{alone.port}{path}", [alone.field()], service,
                         script=lines, core=LOAD_CORE, secrets={alone.secret: "$SECRET"})))
                for way, least, aim, asked in ways:
                    compare(report, f"{what}, {way}", len(answer), (least, aim), asked, served)
    finally:
        for name in os.listdir(memory):
            os.remove(f"{memory}/{name}")
        os.rmdir(memory)


def compare(report, title, size, bounds, ours, peer):
    """Requests per second of processor time, as a ratio to nginx, with its must and its aim."""
    report.begin(f"{title}: {size:,} bytes", [ours.shown(SECONDS), peer.shown(SECONDS)])
    we, nginx = alternate(("TrackMe", lambda warm: ours.measure(1 if warm else SECONDS)),
                          ("nginx", lambda warm: peer.measure(1 if warm else SECONDS)))
    for side in (we, nginx):
        report.say(f"   {side.name:8} {1e6 / side.microseconds():,.0f} requests a second of "
                   f"processor time ({side.shares()}), {side.rate():,.0f} requests/s")
    middle, low, high = ratio(nginx, we, lambda each: each.microseconds())
    report.add(Row(f"{title}: requests a CPU second, of nginx's", middle, "", *bounds,
                   note=f"{we.microseconds():.1f} of {nginx.microseconds():.1f} µs for "
                        f"{size:,} bytes, rounds {low:.2f} to {high:.2f}"))
