"""The drill of the backups (OPS-5): people upload, one of them deletes the account, and both
databases are restored into empty directories, the data to a time before the deletion. What was
acknowledged up to that time must be there, later samples must not, and the account must be deleted
again by the ledger of the keys. Wrong keys and wrong passphrases must be refused.

Without an argument it starts two bare clusters and the services, without containers, and takes
about a minute; with --deployment it restores the deployment that runs on this machine. Ends with a
table, and exit code 1 if a must is missed.

usage: restore.py [--deployment]
"""

import secrets
import sys
import time

from clusters import Clusters
from containers import Containers
from deployment import PATIENCE, Failure, wait
from load import history, text
from people import register
from results import conclude, least, most, store

SAMPLES = 20  # of an upload
FOREIGN_MASTER = f"trackme-master-key-1 388ded20a727ae14 {'22' * 32}\n"
CLOCK = ("SELECT to_char(clock_timestamp() AT TIME ZONE 'UTC',"
         " 'YYYY-MM-DD\"T\"HH24:MI:SS.US\"Z\"')")


class Drill:
    """The steps, and the rows of the table."""

    def __init__(self, place):
        self.place = place
        self.rows = []
        self.seconds = 0.0

    def expect(self, title, actual, expected):
        """Adds a row to the table."""
        self.rows.append((title, actual, expected))
        if actual != expected:
            print(f"missed: {title}: {actual}, must be {expected}", flush=True)

    def run(self):
        staying, leaving = register(2, self.place.client, self.place.mails)
        acknowledged = upload(staying)
        upload(leaving)
        for scope in ("data", "keys"):
            print(self.place.program(scope, "backup", "full"), flush=True)
        acknowledged += upload(staying)
        upload(leaving)
        before, moment = self.accounts(), self.now()
        late = upload(staying)
        deleted = self.delete(leaving)
        self.place.archive()
        self.refuse_repositories(moment)
        begun = time.monotonic()
        self.place.restore(moment, lambda: self.expect(
            "deleted accounts in the restored data, before the services start",
            len(self.accounts() & deleted), 1))
        self.seconds = time.monotonic() - begun
        wait("the gateway", PATIENCE, lambda: staying.send("/ready")[0] == 200)
        self.check_samples(staying, acknowledged, late)
        self.check_deletion(leaving, before, deleted)
        self.refuse_keys()
        upload(staying)
        for scope in ("data", "keys"):
            print(self.place.program(scope, "backup", "incr"))
            print(self.place.program(scope, "verify"), flush=True)

    def now(self):
        """The time of the database's clock, in microseconds: commits before it are earlier."""
        return self.place.sql("data", CLOCK)

    def accounts(self):
        """The numbers of the accounts in the data."""
        return set(self.place.sql("data", "SELECT account_id FROM data4help.accounts").split())

    def delete(self, leaving):
        """Deletes an account; returns its number in the ledger."""
        known = set(self.place.sql("keys", "SELECT account_id FROM deletions").split())
        status, _ = leaving.send(
            "/auth/delete", {"password": leaving.password, "confirm": "DELETE"})
        if status != 200:
            raise Failure(f"the deletion is {status}")
        lines = set(self.place.sql("keys", "SELECT account_id FROM deletions").split())
        self.expect("lines that the deletion added to the ledger", len(lines - known), 1)
        return lines - known

    # --- the restored system --------------------------------------------------------------------

    def check_samples(self, staying, acknowledged, late):
        """The person's history ends at the time."""
        staying.token = None
        staying.log_in(staying.email, staying.password)
        stored = history(staying, min(acknowledged))
        self.expect(f"lost of {len(acknowledged)} samples acknowledged before the time",
                    sum(stored[each] == 0 for each in acknowledged), 0)
        self.expect("doubled", sum(count > 1 for count in stored.values()), 0)
        self.expect(f"present of {len(late)} samples from after the time",
                    sum(stored[each] for each in late), 0)

    def check_deletion(self, leaving, before, deleted):
        """The deletion from after the time holds, and no other account was lost."""
        leaving.token = None
        status, _ = leaving.send(
            "/auth/login", {"email": leaving.email, "password": leaving.password})
        self.expect("status of the deleted person's login", status, 401)
        remaining = self.accounts()
        self.expect("deleted accounts in the data", len(remaining & deleted), 0)
        self.expect("other accounts missing", len(before - deleted - remaining), 0)
        self.expect("keys of deleted accounts", self.place.sql(
            "keys", "SELECT count(*) FROM account_keys JOIN deletions USING (account_id)"), "0")

    # --- refusals -------------------------------------------------------------------------------

    def refused(self, title, outcome, part):
        """Expects one plain line that contains a text, and exit code 1."""
        lines = [each for each in (outcome.stdout + outcome.stderr).splitlines()
                 if not each.startswith("{")]
        is_refused = outcome.returncode == 1 and len(lines) == 1 and part in lines[0]
        self.expect(f"{title} refused", "yes" if is_refused else
                    f"{outcome.returncode}: {' / '.join(lines)[:200]}", "yes")

    def refuse_repositories(self, moment):
        """Restores that must not begin, or that end without a cluster."""
        def attempt(scope, *arguments, **options):
            return self.place.attempt(scope, "restore", *arguments, **options)

        self.refused("a wrong passphrase", attempt(
            "data", self.place.scratch("data"), passphrase=secrets.token_hex(32)),
            "cannot be opened with this passphrase")
        self.refused("keys to a time", attempt(
            "keys", "--to", moment, self.place.scratch("keys")), "to the end of their archive")
        self.refused("a directory with files", attempt(
            "data", self.place.directory("data")), "is not empty")
        self.refused("a time after the end of the archive", attempt(
            "data", "--to", moment.replace(moment[:4], "2030", 1), self.place.scratch("data")),
            "the archive ends before")
        self.refused("a time before the first backup", attempt(
            "data", "--to", "2020-01-01T00:00:00Z", self.place.scratch("data")),
            "the oldest backup ends at")

    def refuse_keys(self):
        """Data4Help on the restored databases, with the master key of another installation."""
        self.refused("a wrong master key", self.place.data4help(FOREIGN_MASTER),
                     "lacks a master key of this installation")


def upload(person):
    """Uploads samples, which must be acknowledged; returns their times in milliseconds."""
    first = int(time.time() * 1000)
    times = [first + each for each in range(SAMPLES)]
    status, _ = person.send("/data/upload", {
        "dataTypes": ["heartRate"] * SAMPLES, "values": ["70"] * SAMPLES,
        "timestamp": [text(each) for each in times]})
    if status != 200:
        raise Failure(f"an upload is {status}")
    # The next upload has later times.
    time.sleep(SAMPLES / 1000)
    return times


def table(rows):
    """The rows as a table that docs/operations.md can take as it is."""
    lines = ["| | result | must be |", "|---|---|---|"]
    return "\n".join(lines + [f"| {title} | {actual} | {expected} |"
                              for title, actual, expected in rows])


def main(is_deployed):
    with Containers() if is_deployed else Clusters() as place:
        drill = Drill(place)
        drill.run()
    missed = sum(actual != expected for _, actual, expected in drill.rows)
    print(f"\n{table(drill.rows)}\n")
    print(f"{drill.seconds:.1f} s from the stop of the services until they run again, "
          f"{missed} musts missed")
    if is_deployed:
        store("restore", most("musts missed", missed, 0),
              least("time from the stop of the services until they run again", drill.seconds,
                    unit="s"))
    return 1 if missed else 0


if __name__ == "__main__":
    if sys.argv[1:] not in ([], ["--deployment"]):
        sys.exit("usage: restore.py [--deployment]")
    IS_DEPLOYED = len(sys.argv) == 2
    conclude("restore", lambda: main(IS_DEPLOYED), is_kept=IS_DEPLOYED)
