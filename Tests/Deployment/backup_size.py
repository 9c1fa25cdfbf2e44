"""Measures backup and restore of a million people (OPS-5): on two bare clusters, without
containers, from people of `trackme-lab generate people` with two months of day values and a key
each. Needs 30 GB under /var/tmp for a million; prints a table of seconds and bytes. The figures are
those of this machine: nothing else should run on it.

usage: backup_size.py [PEOPLE]     (default: 1000000)
"""

import json
import re
import subprocess
import sys
import time

from clusters import PROGRAMS, Clusters
from deployment import Failure

# The numbers of generated people (trackme-lab).
FIRST = 1_000_000_000
# A wrapped key has 69 bytes: the version and the name of the master key (9), and random ones.
KEYS = """
INSERT INTO account_keys (account_id, wrapped_key, created_at)
SELECT number,
       '\\x01' || decode(identifier, 'hex') || substring(decode(
         md5(number || 'a') || md5(number || 'b') || md5(number || 'c') || md5(number || 'd'),
         'hex') FOR 60),
       now()
  FROM generate_series({first}, {last}) AS number, master_keys
"""


class Measurement:
    """The rows of the table."""

    def __init__(self, place):
        self.place = place
        self.rows = []

    def add(self, title, seconds, size=None):
        """Adds a row."""
        rate = f"{size / 1e6 / seconds:.0f}" if size else "–"
        row = (title, f"{seconds:.1f}", f"{size / 1e6:.0f}" if size else "–", rate)
        self.rows.append(row)
        print(" ".join(row), flush=True)

    def fill(self, first, count):
        """Creates people in the data, and keys of these numbers."""
        outcome = subprocess.run(
            [PROGRAMS / "trackme-lab", "generate", "people", "--count", str(count), "--months",
             "2"], env=self.place.environment, capture_output=True, text=True, check=False)
        if outcome.returncode != 0:
            raise Failure(f"trackme-lab generate people: {outcome.stderr.strip()}")
        self.place.sql("keys", KEYS.format(first=first, last=first + count - 1))

    def back_up(self, kind, title, scope):
        """Makes a backup; a full one is verified."""
        begun = time.monotonic()
        output = self.place.program(scope, "backup", kind)
        seconds = float(re.search(r"in ([\d.]+) s", output).group(1))
        size = self.size(scope) if kind == "full" else None
        self.add(f"{scope}: {title}", seconds, size)
        if kind == "full":
            self.add(f"{scope}: its verification", time.monotonic() - begun - seconds, size)
        print(f"{scope}: {self.stored(scope):,} bytes in the repository", flush=True)

    def written(self, scope):
        """The position in the write-ahead log, in bytes."""
        return int(self.place.sql(scope, "SELECT pg_current_wal_lsn() - '0/0'").split(".")[0])

    def size(self, scope):
        """Bytes of the cluster."""
        return int(self.place.sql(scope, "SELECT sum(pg_database_size(oid)) FROM pg_database"))

    def stored(self, scope):
        """Bytes of the last backup in the repository."""
        cluster = self.place.clusters[scope]
        passphrase = (cluster.home / "passphrase").read_text()
        found = json.loads(cluster.attempt(
            "pgbackrest", "info", "--output=json", PGBACKREST_REPO1_CIPHER_PASS=passphrase,
            PGBACKREST_CONFIG=str(cluster.scripts / "pgbackrest.conf")).stdout)
        return found[0]["backup"][-1]["info"]["repository"]["delta"]

    def run(self, people):
        more = max(people // 10, 1)
        begun = time.monotonic()
        self.fill(FIRST, people)
        self.add(f"creation of {people:,} people", time.monotonic() - begun)
        for scope in ("data", "keys"):
            self.back_up("full", "full backup", scope)
        before = {scope: self.written(scope) for scope in ("data", "keys")}
        self.fill(FIRST + people, more)
        self.place.archive()
        logs = {scope: self.written(scope) - before[scope] for scope in before}
        for scope in ("data", "keys"):
            self.restore(scope, logs[scope], more)
        for scope in ("data", "keys"):
            self.back_up("incr", f"incremental backup after {more:,} more people", scope)

    def restore(self, scope, log, more):
        """Restores a copy from the full backup and the archive, and removes it."""
        directory = self.place.scratch(scope)
        output = self.place.program(scope, "restore", directory)
        copied, replayed = map(float, re.findall(r"([\d.]+) s for the", output))
        self.add(f"{scope}: copy of the full backup", copied, self.size(scope))
        self.add(f"{scope}: replay of {more:,} more people", replayed, log)
        self.place.clusters[scope].run("rm", "-rf", directory)


def main(arguments):
    people = int(arguments[0]) if arguments else 1_000_000
    with Clusters() as place:
        measurement = Measurement(place)
        measurement.run(people)
    print("\n| step | seconds | MB | MB a second |\n|---|---|---|---|")
    for row in measurement.rows:
        print(f"| {' | '.join(row)} |")
    return 0


if __name__ == "__main__":
    try:
        sys.exit(main(sys.argv[1:]))
    except Failure as failure:
        sys.exit(f"backup_size: {failure}")
