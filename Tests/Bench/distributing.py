"""Samples distributed by Citus over a coordinator and up to two workers: processor time of uploads
and group requests beside that of one server, the ways of an upload to its shard, and shards that
move while people upload. All nodes are on this machine: compare processor times, not rates.

Citus is no Debian package: CITUS names what deploy/citus/build made, otherwise the part is left
out."""

import collections
import datetime
import http.client
import json
import os
import shutil
import statistics
import subprocess
import threading
import time
import urllib.parse

import companies
import groups
import uploading
from load import PgBench
from processes import BenchFailure, Stopwatch, run
from report import Row
from rounds import QUICK, ROUNDS, SECONDS, Series
from system import System

PREFIX = os.environ.get("CITUS", "")
PEOPLE = 2_000 if QUICK else 100_000
ACCOUNTS = uploading.SINGLE["accounts"] + uploading.BATCH["accounts"]
CONNECTIONS = 16
MOVING_PEOPLE, MOVING_THREADS, MOVING_SHARDS = 64, 8, 1 if QUICK else 4
UPSERTED = 64
UPSERT = """
INSERT INTO {table} AS chunks (account_id, type, day, part, blocks, n, first_ts, last_ts, first_seq,
                     last_seq, data)
VALUES (:account, 2, 20000, 0, 1, 1, 1, 1, 1, 1, '\\x000102030405060708090a0b0c0d0e0f')
ON CONFLICT (account_id, type, day, part) DO UPDATE
   SET n = chunks.n + excluded.n, last_ts = excluded.last_ts, last_seq = excluded.last_seq;
"""


def is_there():
    """Whether CITUS names a Citus."""
    return os.path.exists(f"{PREFIX}/usr/lib/postgresql/15/lib/citus.so")


class CitusSystem(System):
    """A system on a Citus of its own with a number of nodes; one node has all shards."""

    def __init__(self, root, nodes):
        super().__init__(root)
        self.nodes = ["coordinator"] + [f"worker-{each}" for each in range(1, nodes)]
        self.citus = f"{self.directory}/citus"
        self.state = f"{self.citus}/trackme"
        self.environment["TRACKME_STATE"] = self.state

    def script(self, name, *arguments):
        """The output of a script of deploy/citus."""
        return run([f"{self.root}/deploy/citus/{name}", PREFIX, self.citus, *arguments],
                   self.environment, f"deploy/citus/{name}", 300)

    def start(self):
        lines = self.script("start", str(len(self.nodes) - 1)).splitlines()
        self.environment |= dict(line.split("=", 1) for line in lines)
        super().start()

    def __exit__(self, *_):
        self.stop()
        subprocess.run([f"{self.root}/deploy/citus/stop", PREFIX, self.citus], check=False,
                       stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                       stderr=subprocess.DEVNULL)
        shutil.rmtree(self.directory, ignore_errors=True)

    def processes(self):
        found = super().processes()
        for node in self.nodes:
            with open(f"{self.citus}/{node}/data/postmaster.pid", encoding="ascii") as file:
                found[node] = [(int(file.readline()), True)]
        return found

    def node_url(self, node="coordinator"):
        return f"postgresql://postgres@/trackme?host={self.citus}/{node}/socket"

    def rows(self, statement, node="coordinator"):
        """The rows of a statement of the superuser."""
        text = run(["psql", "-XqAt", "-v", "ON_ERROR_STOP=1", "-c", statement,
                    self.node_url(node)])
        return [line.split("|") for line in text.splitlines()]


# The sessions of Data4Help that execute a statement or have an open transaction.
WORKING = ("SELECT count(*) FROM pg_stat_activity WHERE usename = 'data4help' "
           "AND state <> 'idle' AND pid <> pg_backend_pid()")


class Uploads(uploading.Uploads):
    """Uploads whose samples are counted on all nodes, once those in progress have ended. Few
    connections: with 128, Citus keeps the sessions so long that others are answered 503."""

    def __init__(self, *arguments):
        super().__init__(*arguments)
        self.connections = CONNECTIONS

    def stored(self):
        count, before = 0, -1
        while count != before:
            before = count
            self._wait()
            count = int(self.system.sql("SELECT coalesce(sum(n), 0) FROM data4help.chunks"))
        return count, 0

    def _wait(self):
        """Until no session of the service works; each look is a process, which is pause enough."""
        end = time.monotonic() + 60
        while int(self.system.sql(WORKING)) > 0:
            if time.monotonic() > end:
                raise BenchFailure("uploads in progress did not end within 60 s")


def series(name, uploads, samples):
    """The rounds of one kind of upload, after one to warm up."""
    found = Series(name)
    uploads.measure(1)
    for _ in range(ROUNDS):
        found.rounds.append(uploading.of_samples(uploads.measure(SECONDS), samples))
    return found


def group_seconds(system, tokens):
    """Seconds of real time and of processor time of a broad group request, warm."""
    groups.generate(system, PEOPLE)
    token = companies.company(system)
    groups.ask(system, token, groups.BROAD)
    real, spent = [], []
    for _ in range(ROUNDS):
        watch = Stopwatch(system.processes())
        real.append(groups.ask(system, token, groups.BROAD))
        spent.append(sum(watch.read().values()))
    return statistics.median(real), statistics.median(spent)


def contest(report, system, name):
    """Uploads and a group request of one system; returns processor time by figure."""
    tokens = system.accounts(ACCOUNTS + MOVING_PEOPLE)
    figures, first = {}, 1
    for kind in (uploading.SINGLE, uploading.BATCH):
        count = kind["samples"]
        side = series(name, Uploads(system, kind, first), count)
        first += kind["accounts"]
        figures[count] = side.microseconds()
        report.say(f"   {name}: uploads of {count}: {side.rate():,.0f} samples/s, for a sample: "
                   f"{side.shares()}")
    real, figures["group"] = group_seconds(system, tokens)
    report.say(f"   {name}: a group of {PEOPLE:,}: {real:.3f} s, "
               f"{figures['group']:.3f} s of processor time")
    return figures


# --- the ways of an upload to its shard -------------------------------------------------------


# The rights to write to the table of a shard, which Citus otherwise keeps from its clients.
DIRECT = "&options=-c%20citus.enable_manual_changes_to_shards%3Don"


def upserts(system, node, table, accounts, options=""):
    """The same upsert by prepared statements, of accounts in any order."""
    script = f"{system.scratch}/{node}.{table}.sql"
    cases = " ".join(f"when :place = {place} then {each}" for place, each in enumerate(accounts))
    with open(script, "w", encoding="ascii") as file:
        file.write(f"\\set place random(0, {len(accounts) - 1})\n"
                   f"\\set account case {cases} end\n"
                   + UPSERT.format(table=table).replace("\n", " ") + "\n")
    processes = system.processes()
    return PgBench(system.node_url(node) + options, script,
                   {each: processes[each] for each in system.nodes}, clients=8)


def ways(report, system):
    """Processor time of one upsert on a plain table, by the coordinator, by the worker that has the
    shard, and on the table of the shard."""
    system.rows("CREATE TABLE data4help.plain (LIKE data4help.chunks INCLUDING INDEXES)")
    (shard,), *_ = system.rows(
        "SELECT shardid FROM citus_shards WHERE table_name = 'data4help.chunks'::regclass "
        f"AND nodename = '{system.citus}/worker-1/socket' ORDER BY shardid")
    accounts = [row[0] for row in system.rows(
        "SELECT account FROM generate_series(1000001, 1010000) AS account WHERE "
        f"get_shard_id_for_distribution_column('data4help.chunks', account) = {shard} "
        f"LIMIT {UPSERTED}")]
    found = {}
    for name, *where in (
            ("a plain table", "coordinator", "data4help.plain"),
            ("by the coordinator", "coordinator", "data4help.chunks"),
            ("by the worker", "worker-1", "data4help.chunks"),
            ("on the shard's table", "worker-1", f"data4help.chunks_{shard}", DIRECT)):
        load = upserts(system, *where[:2], accounts, *where[2:])
        load.measure(1)
        side = Series(name)
        side.rounds = [load.measure(SECONDS) for _ in range(ROUNDS)]
        found[name] = side.microseconds()
        report.say(f"   one upsert, {name}: {side.shares()}")
    system.rows("DROP TABLE data4help.plain")
    return found


# --- a shard that moves -----------------------------------------------------------------------


class Uploader(threading.Thread):
    """Uploads single samples of some people without a pause, each at a time of its own."""

    def __init__(self, system, tokens, start):
        super().__init__(daemon=True)
        self.system, self.tokens, self.start_time = system, tokens, start
        self.ending = threading.Event()
        self.sent = {token: {} for token in tokens}  # by milliseconds: whether acknowledged
        self.causes = collections.Counter()
        self.longest = 0.0

    def run(self):
        connection, number = None, 0
        while not self.ending.is_set():
            token, number = self.tokens[number % len(self.tokens)], number + 1
            moment = self.start_time + number
            self.sent[token][moment] = False
            began = time.monotonic()
            try:
                connection = connection or http.client.HTTPConnection(
                    "127.0.0.1", self.system.http_port, timeout=30)
                connection.request("POST", "/data/upload", json.dumps({
                    "dataTypes": ["heartRate"], "values": ["70"], "timestamp": [text(moment)]}),
                    {"Authorization": f"Bearer {token}", "Content-Type": "application/json"})
                answer = connection.getresponse()
                answer.read()
                self.sent[token][moment] = answer.status == 200
                if answer.status != 200:
                    self.causes[str(answer.status)] += 1
            except (OSError, http.client.HTTPException) as error:
                self.causes[type(error).__name__] += 1
                connection = None
            self.longest = max(self.longest, time.monotonic() - began)


def text(milliseconds):
    """A time as RFC 3339."""
    moment = datetime.datetime.fromtimestamp(milliseconds // 1000, datetime.timezone.utc)
    return f"{moment:%Y-%m-%dT%H:%M:%S}.{milliseconds % 1000:03}Z"


def history(system, token, since):
    """The number of heart rates in a person's history, by their time."""
    counts, cursor = collections.Counter(), ""
    while True:
        page = system.ask(f"/data/series?type=heartRate&from={text(since)}{cursor}", token)
        for point in page["points"]:
            moment = datetime.datetime.fromisoformat(point["time"])
            counts[round(moment.timestamp() * 1000)] += 1
        if "next" not in page:
            return counts
        cursor = f"&cursor={urllib.parse.quote(page['next'])}"


def move(report, system):
    """Moves shards of people who upload to the other worker and reads everything back."""
    tokens = system.tokens[-MOVING_PEOPLE:]
    start = int(time.time() * 1000) - 3_600_000
    uploaders = [Uploader(system, tokens[place::MOVING_THREADS], start)
                 for place in range(MOVING_THREADS)]
    shards = system.rows(
        "SELECT shardid FROM citus_shards WHERE table_name = 'data4help.chunks'::regclass "
        f"AND nodename LIKE '%/worker-1/%' ORDER BY shard_size DESC LIMIT {MOVING_SHARDS}")
    for each in uploaders:
        each.start()
    seconds = []
    try:
        for shard, in shards:
            began = time.monotonic()
            system.rows(
                f"SELECT citus_move_shard_placement({shard}, '{system.citus}/worker-1/socket', "
                f"5432, '{system.citus}/worker-2/socket', 5432, 'force_logical')")
            seconds.append(time.monotonic() - began)
    finally:
        for each in uploaders:
            each.ending.set()
        for each in uploaders:
            each.join()
    sent = acknowledged = lost = doubled = 0
    causes = sum((each.causes for each in uploaders), collections.Counter())
    for token, times in (pair for each in uploaders for pair in each.sent.items()):
        counts = history(system, token, start)
        sent += len(times)
        acknowledged += sum(times.values())
        lost += sum(1 for moment, done in times.items() if done and not counts[moment])
        doubled += sum(1 for count in counts.values() if count > 1)
    report.say(f"   {len(seconds)} shards moved in {max(seconds):.1f} s each at most; {sent:,} "
               f"uploads, {acknowledged:,} acknowledged, failures {dict(causes)}")
    report.add(Row("samples lost or doubled while shards moved", lost + doubled, "", must=0,
                   below=True, note=f"of {acknowledged:,} acknowledged"))
    report.add(Row("uploads that failed while shards moved", sent - acknowledged, "", must=0,
                   below=True))
    report.add(Row("the longest upload while shards moved",
                   max(each.longest for each in uploaders), "s", below=True))


def measure(report, root):
    """All systems, one after the other."""
    report.begin("samples distributed by Citus, all nodes on this machine",
                 ["deploy/citus/start $CITUS STATE WORKERS", "pgbench (one upsert)"])
    with System(root) as system:
        plain = contest(report, system, "one server")
    for nodes in (1, 2, 3):
        with CitusSystem(root, nodes) as system:
            found = contest(report, system, f"{nodes} node{'s' if nodes > 1 else ''}")
            for figure, title, unit in ((1, "processor time of a sample, uploads of 1", "µs"),
                                        (500, "processor time of a sample, uploads of 500", "µs"),
                                        ("group", f"processor time, group of {PEOPLE:,}", "s")):
                report.add(Row(
                    f"{title}, {nodes} of Citus", found[figure], unit, below=True,
                    note=f"{found[figure] / plain[figure]:.1f} times one server's "
                         f"{plain[figure]:.3g} {unit}"))
            if nodes == 3:
                spent = ways(report, system)
                base = spent.pop("a plain table")
                for name, value in spent.items():
                    report.add(Row(f"processor time of an upsert {name}", value, "µs", below=True,
                                   note=f"{value / base:.1f} times a plain table's {base:.0f}"))
                move(report, system)
