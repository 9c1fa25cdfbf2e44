"""The deployment that runs on this machine, as the drill of the backups uses it."""

import json
import pathlib
import subprocess

from deployment import ASK, LOCAL, PATIENCE, ROUTER, Client, Failure, container, run, wait

MEMBERS = {"data": "database", "keys": "keys-database"}
ZONES = {"data": 3, "keys": 4}
PROGRAMS = "/etc/trackme/backup"


def podman(*command, data=None, seconds=600):
    """The outcome of podman in the namespace of the deployment."""
    return subprocess.run(
        ["nsenter", f"--net={ROUTER}", "podman", "--log-level", "error", *command], input=data,
        capture_output=True, text=True, timeout=seconds, check=False)


def mountpoint(volume):
    """The directory of a volume on this machine."""
    return pathlib.Path(run(
        "podman", "volume", "inspect", "--format", "{{.Mountpoint}}", f"trackme_{volume}").strip())


class Containers:
    """The deployment: its clusters have a primary that may change."""

    def __enter__(self):
        self.mails = mountpoint("mail") / "box" / "new"
        return self

    def __exit__(self, *_):
        for scope in MEMBERS:
            self.attempt(scope, "sh", "-c", "rm -rf /tmp/passphrase /tmp/restored")

    def client(self):
        """A client of the gateways."""
        return Client()

    def primary(self, scope):
        """The container of a cluster's primary."""
        for number in (1, 2):
            outcome = subprocess.run(
                ["nsenter", f"--net={ROUTER}", *ASK, "--fail",
                 f"https://10.91.{ZONES[scope]}.1{number}:8008/primary"],
                capture_output=True, check=False)
            if outcome.returncode == 0:
                return container(f"{MEMBERS[scope]}-{number}")
        raise Failure(f"the {scope} have no primary")

    def sql(self, scope, statement, database=None):
        """The rows of a statement of the superuser, as text."""
        database = database or {"data": "trackme", "keys": "trackme_keys"}[scope]
        outcome = podman("exec", self.primary(scope), "psql", "-XqAt", "-v", "ON_ERROR_STOP=1",
                         "-h", "/tmp", "-U", "postgres", "-d", database, "-c", statement)
        if outcome.returncode != 0:
            raise Failure(outcome.stderr.strip())
        return outcome.stdout.strip()

    def archive(self):
        """Waits until everything that was written is in the repositories."""
        for scope in MEMBERS:
            name = self.sql(scope, "SELECT pg_walfile_name(pg_switch_wal())", "postgres")
            wait(f"the archive of the {scope}", PATIENCE, lambda: name <= self.sql(
                scope, "SELECT coalesce(last_archived_wal, '') FROM pg_stat_archiver", "postgres"))

    def directory(self, _):
        """The directory of a cluster."""
        return "/var/lib/postgresql/data/cluster"

    def scratch(self, _):
        """A directory that does not exist, for a cluster's owner."""
        return "/tmp/restored"

    def program(self, scope, name, *arguments):
        """The output of a program of deploy/backup, which must succeed."""
        outcome = self.attempt(scope, name, *arguments)
        if outcome.returncode != 0:
            raise Failure(f"{name}: {outcome.stderr.strip()}")
        return outcome.stdout.strip()

    def attempt(self, scope, name, *arguments, passphrase=None):
        """The outcome of a program of deploy/backup, with another passphrase if given."""
        member, options = self.primary(scope), []
        if passphrase:
            podman("exec", "--interactive", member, "sh", "-c", "cat >/tmp/passphrase",
                   data=passphrase)
            options = ["--env", "BACKUP_PASSPHRASE_FILE=/tmp/passphrase"]
        command = name if name == "sh" else f"{PROGRAMS}/{name}"
        return podman("exec", *options, member, command, *arguments)

    def restore(self, time, _):
        """Restores both clusters, the data to a time; the services start by themselves. Returns the
        output."""
        output = ""
        for arguments in (["data", "--to", time], ["keys"]):
            outcome = subprocess.run(
                [LOCAL / "restore", *arguments], capture_output=True, text=True, check=False)
            print(outcome.stdout.strip())
            if outcome.returncode != 0:
                raise Failure(outcome.stderr.strip()[-300:])
            output += outcome.stdout
        return output

    def data4help(self, key, setting="TRACKME_MASTER_KEY_FILE"):
        """The outcome of a further Data4Help with this key file, which must end by itself."""
        name = container("data4help-1")
        file = mountpoint("data4help-1") / "foreign.key"
        file.write_text(key)
        file.chmod(0o600)
        subprocess.run(["chown", "10001:10001", file], check=True)
        stored = json.loads(run("podman", "inspect", name))[0]["Config"]["Env"]
        variables = [each for each in stored if each.startswith("TRACKME_")] + [
            f"{setting}=/state/foreign.key", "TRACKME_LISTEN=127.0.0.1:9990",
            "TRACKME_METRICS_PORT=9991"]
        options = [part for each in variables for part in ("--env", each)]
        outcome = podman("run", "--rm", "--network", f"container:{name}", "--volumes-from", name,
                         *options, "localhost/trackme", "data4help", seconds=90)
        file.unlink()
        return outcome
