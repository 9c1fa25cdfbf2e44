"""Measures backup, restore and migration of a million people (OPS-5, OPS-7): on two bare clusters,
without containers, from people of `trackme-lab generate people` with two months of day values and a
key each. Needs 30 GB under /var/tmp for a million; prints a table of seconds and bytes. The figures
are those of this machine: nothing else should run on it.

usage: backup_size.py [PEOPLE [migrations]]     (default: 1000000; "migrations" measures only these)
"""

import json
import re
import shutil
import subprocess
import sys
import time

from clusters import DATABASES, PROGRAMS, ROOT, Clusters
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

# The last migrations with whose tables the generated rows exist, and the tables. The statements of
# people's rows have not changed since.
FIRST_SCHEMA = {"data": 12, "keys": 1}
TABLES = {"data": ["data4help.accounts", "data4help.day_columns"],
          "keys": ["master_keys", "account_keys"]}
# Migrations whose time grows with the number of people. The directory sql/ has none of them.
KINDS = {
    "scan.sql": "ALTER TABLE data4help.accounts ADD CONSTRAINT accounts_measured_check"
                " CHECK (account_id >= 0);",
    "index.sql": "CREATE INDEX accounts_measured_idx"
                 " ON data4help.accounts (registered_at, account_id);",
    "rewrite.sql": "ALTER TABLE data4help.accounts"
                   " ADD COLUMN measured uuid NOT NULL DEFAULT gen_random_uuid();",
    "update.sql": "UPDATE data4help.accounts SET occupation = occupation;"}


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

    def run(self, people, has_backups):
        begun = time.monotonic()
        self.fill(FIRST, people)
        self.add(f"creation of {people:,} people", time.monotonic() - begun)
        if has_backups:
            self.back_up_and_restore(max(people // 10, 1), people)
        self.migrate()

    def back_up_and_restore(self, more, people):
        """Measures backups, and restores with more people than the first backup has."""
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

    def migrate(self):
        """Migrates a copy of the people from the schema of the first migrations, one migration at a
        time, with a program that finds only these; then the kinds of migrations."""
        self.place.stop()
        program = self.place.home / "former" / "bin" / "trackme"
        program.parent.mkdir(parents=True)
        shutil.copy(PROGRAMS / "trackme", program)
        sources = {"data": ROOT / "sql", "keys": ROOT / "sql" / "keys"}
        targets = {"data": self.place.home / "former" / "sql",
                   "keys": self.place.home / "former" / "sql" / "keys"}
        targets["keys"].mkdir(parents=True)
        (targets["data"] / "reference").symlink_to(sources["data"] / "reference")
        later = []
        for scope, directory in sources.items():
            for file in sorted(directory.glob("*.sql")):
                if int(file.name[:4]) > FIRST_SCHEMA[scope]:
                    later.append((scope, file.name, file.read_text()))
                else:
                    shutil.copy(file, targets[scope])
        for scope in sources:
            self.make_former(scope)
        self.apply(program)
        for scope, tables in TABLES.items():
            for table in tables:
                self.copy(scope, table)
        self.add("trackme migrate without a migration", self.apply(program))
        number = max(int(file.name[:4]) for file in sources["data"].glob("*.sql"))
        later += [("data", f"{number + place:04}_{name}", text)
                  for place, (name, text) in enumerate(KINDS.items(), 1)]
        for scope, name, text in later:
            (targets[scope] / name).write_text(text)
            self.add(f"{scope}: migration {name}", self.apply(program))

    def apply(self, program):
        """The seconds of `trackme migrate` of this program."""
        begun = time.monotonic()
        outcome = subprocess.run(
            [program, "migrate"], env=self.place.environment, stdin=subprocess.DEVNULL,
            capture_output=True, text=True, check=False)
        if outcome.returncode != 0:
            raise Failure(f"trackme migrate: {(outcome.stdout + outcome.stderr)[-500:]}")
        return time.monotonic() - begun

    def make_former(self, scope):
        """An empty database in the place of the one with the people, which gets another name."""
        cluster, name = self.place.clusters[scope], DATABASES[scope]
        for statement in (f"ALTER DATABASE {name} RENAME TO filled",
                          f"CREATE DATABASE {name} OWNER trackme_owner"):
            cluster.sql(statement, "postgres")
        if scope == "data":
            cluster.execute("CREATE SCHEMA postgis AUTHORIZATION trackme_owner;"
                            "CREATE EXTENSION postgis SCHEMA postgis;", name)

    def copy(self, scope, table):
        """Copies the rows of a table from the database with the people."""
        cluster = self.place.clusters[scope]
        names = cluster.sql(
            "SELECT string_agg(quote_ident(attname), ', ' ORDER BY attnum) FROM pg_attribute"
            f" WHERE attrelid = '{table}'::regclass AND attnum > 0 AND NOT attisdropped"
            " AND attgenerated = '' AND attidentity <> 'a'")
        file = cluster.home / "rows"
        cluster.sql(f"COPY (SELECT {names} FROM {table}) TO '{file}'", "filled")
        cluster.sql(f"COPY {table} ({names}) FROM '{file}'")
        cluster.sql(f"VACUUM (ANALYZE) {table}")
        cluster.run("rm", file)
        count = f"SELECT count(*) FROM {table}"
        if cluster.sql(count) != cluster.sql(count, "filled"):
            raise Failure(f"{table} was not copied")

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
        measurement.run(people, arguments[1:] != ["migrations"])
    print("\n| step | seconds | MB | MB a second |\n|---|---|---|---|")
    for row in measurement.rows:
        print(f"| {' | '.join(row)} |")
    return 0


if __name__ == "__main__":
    try:
        sys.exit(main(sys.argv[1:]))
    except Failure as failure:
        sys.exit(f"backup_size: {failure}")
