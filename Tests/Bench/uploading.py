"""Uploads through the whole system, compared with pgbench inserting a row per sample."""

import datetime
import json

from load import PgBench, Wrk
from processes import BenchFailure
from report import Row
from rounds import QUICK, SECONDS, Round, alternate, ratio

# Two kinds of uploads: one sample every five minutes, like a watch, with the accounts at different
# times of the day; and 500 samples, one per second.
SINGLE = {"accounts": 1000, "seconds": 300, "samples": 1, "stagger": 288, "bodies": 2500}
BATCH = {"accounts": 256, "seconds": 1, "samples": 500, "stagger": 1, "bodies": 500}
CONNECTIONS = 128

LUA = """
local tokens, bodies, turn, sent = {}, {}, 0, 0
local first_account, accounts, first_body, stagger
function init(arguments)
  local token_file, body_file = arguments[1], arguments[2]
  first_account, accounts = tonumber(arguments[3]), tonumber(arguments[4])
  first_body, stagger = tonumber(arguments[5]), tonumber(arguments[6])
  local number = 0
  for token in io.lines(token_file) do
    number = number + 1
    if number >= first_account and #tokens < accounts then tokens[#tokens + 1] = token end
  end
  for body in io.lines(body_file) do bodies[#bodies + 1] = body end
end
function request()
  local account = turn % accounts
  local body = bodies[first_body + math.floor(turn / accounts) + account % stagger + 1]
  turn = turn + 1
  if not body then io.stderr:write("bodies ran out\\n") os.exit(1) end
  return "POST /data/upload HTTP/1.1\\r\\nHost: localhost\\r\\nAuthorization: Bearer "
    .. tokens[account + 1] .. "\\r\\nContent-Type: application/json\\r\\nContent-Length: "
    .. #body .. "\\r\\n\\r\\n" .. body
end
"""

TABLE = """
CREATE SCHEMA IF NOT EXISTS bench;
CREATE TABLE IF NOT EXISTS bench.samples (
  account_id bigint, type smallint, ts bigint, value real, PRIMARY KEY (account_id, type, ts));
"""
# Times that increase, and never repeat for an account.
TIME = "(extract(epoch FROM clock_timestamp()) * 1000000)::bigint * 1000"
PEERS = {
    1: f"INSERT INTO bench.samples VALUES (:account, 2, {TIME}, 72);",
    500: "INSERT INTO bench.samples "
         f"SELECT :account, 2, {TIME} + place, 72 FROM generate_series(0, 499) AS place;",
}


def write_bodies(path, kind, start):
    """One body per line; the next line is the next upload of the same account."""
    count, seconds = kind["samples"], kind["seconds"]
    with open(path, "w", encoding="ascii") as file:
        for place in range(kind["bodies"] + kind["stagger"]):
            first = start + datetime.timedelta(seconds=place * count * seconds)
            times = [first + datetime.timedelta(seconds=each * seconds) for each in range(count)]
            file.write(json.dumps({
                "dataTypes": ["heartRate"] * count,
                "values": [str(60 + (place + each) * 7 % 40) for each in range(count)],
                "timestamp": [time.strftime("%Y-%m-%dT%H:%M:%SZ") for time in times],
            }, separators=(",", ":")) + "\n")


class Uploads(Wrk):
    """Uploads of one kind; each measurement continues where the previous one ended."""

    def __init__(self, system, kind, first_account):
        self.system = system
        self.kind = kind
        self.first_account = first_account
        self.first_body = 0
        lua = f"{system.scratch}/upload.lua"
        with open(lua, "w", encoding="ascii") as file:
            file.write(LUA)
        self.bodies = f"{system.scratch}/bodies.{kind['samples']}"
        start = datetime.datetime.now(datetime.timezone.utc) - datetime.timedelta(days=20)
        write_bodies(self.bodies, kind, start.replace(hour=0, minute=0, second=0))
        super().__init__(
            system.address("/data/upload"), [], system.processes(), connections=CONNECTIONS,
            script=lua)

    def command(self, seconds):
        kind = self.kind
        self.arguments = [
            f"{self.system.scratch}/tokens", self.bodies, str(self.first_account),
            str(kind["accounts"]), str(self.first_body), str(kind["stagger"])]
        return super().command(seconds)

    def stored(self):
        """All stored samples of the system, and their bytes on disk."""
        text = self.system.sql(
            "SELECT coalesce(sum(n), 0), pg_total_relation_size('data4help.sample_accounts') "
            "+ (SELECT sum(pg_total_relation_size(relid)) "
            "FROM pg_partition_tree('data4help.chunks')) FROM data4help.chunks")
        samples, size = text.strip().split("|")
        return int(samples), int(size)

    def measure(self, seconds):
        before, _ = self.stored()
        done = super().measure(seconds)
        samples = self.stored()[0] - before
        # Uploads in progress when wrk stopped are in the database only.
        expected = done.operations * self.kind["samples"]
        if not expected <= samples <= expected + CONNECTIONS * self.kind["samples"]:
            raise BenchFailure(f"{expected:.0f} samples were acknowledged, {samples} are stored")
        self.first_body += int(done.operations + CONNECTIONS) // self.kind["accounts"] + 1
        return done


def of_samples(measured, count):
    """The round in samples instead of uploads."""
    seconds = measured.operations / measured.rate
    return Round(measured.operations * count, seconds, measured.processors)


def packed_bytes(system, first, last):
    """Bytes per sample in the rows of past days, header and pointer of the row included."""
    text = system.sql(
        "SELECT sum(pg_column_size(chunk.*) + 4)::float8 / nullif(sum(n), 0) "
        "FROM data4help.chunks AS chunk JOIN (SELECT account_id, type, max(day) AS newest "
        f"FROM data4help.chunks WHERE account_id BETWEEN {first} AND {last} GROUP BY 1, 2) "
        "AS last USING (account_id, type) WHERE chunk.day < last.newest").strip()
    return float(text) if text else None


def contest(report, system, kind, first_account):
    """Compares one kind of upload with its peer; returns bytes per sample on disk."""
    count = kind["samples"]
    ours = Uploads(system, kind, first_account)
    script = f"{system.scratch}/insert.{count}.sql"
    with open(script, "w", encoding="ascii") as file:
        file.write(f"\\set account random(1, 1000) * 100 + :client_id\n{PEERS[count]}\n")
    owner = system.url("trackme_owner")
    database = {"postgres": system.processes()["postgres"]}
    peer = PgBench(owner, script, database, secrets={owner: "$DATABASE_URL"})
    report.begin(f"uploads of {count} beside pgbench inserting a row a sample",
                 [ours.shown(SECONDS), peer.shown(SECONDS), f"({PEERS[count]})"])
    ours.measure(1)
    samples, size = ours.stored()
    uploads, inserts = alternate(
        ("uploads", lambda warm: of_samples(ours.measure(1 if warm else SECONDS), count)),
        ("pgbench", lambda warm: of_samples(peer.measure(1 if warm else SECONDS), count)))
    for side in (uploads, inserts):
        low, high = side.spread(lambda each: each.rate)
        report.say(f"   {side.name:8} {side.rate():,.0f} samples/s ({low:,.0f} to {high:,.0f}), "
                   f"for a sample: {side.shares()}")
    must, aim = (9_000, 20_000) if count == 1 else (1_000_000, 2_000_000)
    report.add(Row(
        f"uploads of {count}, durable, {CONNECTIONS} connections", uploads.rate(), "samples/s",
        must=must, aim=aim))
    middle, low, high = ratio(uploads, inserts, lambda each: each.rate)
    bounds = {"must": 0.6, "aim": 1} if count == 1 else {}
    report.add(Row(
        f"uploads of {count}: rate of pgbench's", middle, "", **bounds,
        note=f"{inserts.rate():,.0f} samples/s; rounds {low:.2f} to {high:.2f}"))
    more_samples, more_size = ours.stored()
    return (more_size - size) / (more_samples - samples)


def measure(report, system, first_account):
    """Both kinds."""
    for setting in ("synchronous_commit", "fsync", "full_page_writes"):
        if system.sql(f"SHOW {setting}").strip() != "on":
            raise BenchFailure(f"uploads are not durable: {setting} is off")
    system.sql(TABLE, "trackme_owner")
    live = contest(report, system, SINGLE, first_account)
    last = first_account + SINGLE["accounts"] - 1
    packed = None if QUICK else packed_bytes(system, first_account, last)
    dense = contest(report, system, BATCH, last + 1)
    report.add(Row("bytes per sample on disk, uploads of 500", dense, "B", must=15, aim=8,
                   below=True, note="growth of tables and indexes, free space included"))
    report.add(Row(
        "bytes per sample on disk, one every 5 minutes", packed if packed else live, "B",
        must=15, aim=8, below=True,
        note=f"days that are over; {live:.0f} B while the day lasts, free space included"
        if packed else "the day is not over: nothing is packed yet"))
    system.sql("DROP SCHEMA bench CASCADE", "trackme_owner")
