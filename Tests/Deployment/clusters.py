"""A whole TrackMe on two bare clusters of PostgreSQL with repositories of their own, without
containers, under /var/tmp. It uses the programs of deploy/backup as the containers do."""

import os
import pathlib
import pwd
import secrets
import shutil
import socket
import subprocess
import tempfile

from deployment import Client, Failure, wait

ROOT = pathlib.Path(__file__).resolve().parents[2]
PROGRAMS = pathlib.Path(os.environ.get("TRACKME_PROGRAMS", ROOT / ".build" / "release"))
POSTGRESQL = pathlib.Path("/usr/lib/postgresql/15/bin")
DATABASES = {"data": "trackme", "keys": "trackme_keys"}
# PostgreSQL refuses root.
OWNER = "postgres" if os.geteuid() == 0 else pwd.getpwuid(os.geteuid()).pw_name
AS_OWNER = ["setpriv", "--reuid", OWNER, "--regid", OWNER, "--init-groups"] * (os.geteuid() == 0)


def free_ports(count):
    """Ports of loopback that are free now."""
    sockets = [socket.create_server(("127.0.0.1", 0)) for _ in range(count)]
    ports = [each.getsockname()[1] for each in sockets]
    for each in sockets:
        each.close()
    return ports


class Cluster:
    """One cluster, its repository and its passphrase."""

    def __init__(self, scope, home, scripts):
        self.scope = scope
        self.home = home / scope
        self.scripts = scripts
        self.directory = self.home / "cluster"
        self.home.mkdir()
        (self.home / "passphrase").write_text(secrets.token_hex(32))
        for name in ("repository", "socket", "lock"):
            (self.home / name).mkdir()
        for each in [self.home, *self.home.iterdir()]:
            shutil.chown(each, OWNER, pwd.getpwnam(OWNER).pw_gid)
        (self.home / "passphrase").chmod(0o400)

    def variables(self, **more):
        """The environment of PostgreSQL and of the programs of the backups."""
        return {
            "PATH": f"{POSTGRESQL}:/usr/bin:/bin", "LANG": "C.UTF-8",
            "PGBACKREST_STANZA": self.scope, "PGBACKREST_PG1_PATH": str(self.directory),
            "PGBACKREST_PG1_SOCKET_PATH": str(self.home / "socket"),
            "PGBACKREST_REPO1_PATH": str(self.home / "repository"),
            "PGBACKREST_LOCK_PATH": str(self.home / "lock"),
            "BACKUP_PASSPHRASE_FILE": str(self.home / "passphrase"), **more}

    def attempt(self, *command, **variables):
        """The outcome of a command of the cluster's owner."""
        return subprocess.run(
            [*AS_OWNER, *map(str, command)], env=self.variables(**variables), cwd="/",
            stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False)

    def run(self, *command):
        """The output of a command of the cluster's owner, which must succeed."""
        outcome = self.attempt(*command)
        if outcome.returncode != 0:
            raise Failure(f"{command[0]}: {(outcome.stderr or outcome.stdout).strip()[-300:]}")
        return outcome.stdout.strip()

    def make(self):
        """Creates the cluster as Patroni does, with connections over its socket only."""
        self.run("initdb", "--pgdata", self.directory, "--username", "postgres", "--encoding",
                 "UTF8", "--lc-collate", "C", "--lc-ctype", "C.UTF-8", "--data-checksums",
                 "--no-sync")
        archive = self.scripts / "pgbackrest-archive"
        with (self.directory / "postgresql.conf").open("a", encoding="ascii") as file:
            file.write(f"listen_addresses = ''\nunix_socket_directories = '{self.home}/socket'\n"
                       "shared_buffers = 64MB\narchive_mode = on\narchive_timeout = 60\n"
                       f"archive_command = '{archive} push \"%p\"'\n")
        (self.directory / "pg_hba.conf").write_text(
            "local all postgres peer map=owner\nlocal all all scram-sha-256\n")
        (self.directory / "pg_ident.conf").write_text(f"owner {OWNER} postgres\n")
        self.start()

    def start(self):
        self.run("pg_ctl", "--pgdata", self.directory, "--wait", "--silent", "--log",
                 self.home / "log", "start")

    def stop(self):
        self.attempt("pg_ctl", "--pgdata", self.directory, "--wait", "--mode", "fast", "stop")

    def sql(self, statement, database=None):
        """The rows of a statement of the superuser, as text."""
        return self.run(
            "psql", "-XqAt", "-v", "ON_ERROR_STOP=1", "-h", self.home / "socket", "-U", "postgres",
            "-d", database or DATABASES[self.scope], "-c", statement)

    def execute(self, script, database="postgres"):
        """Runs a script of the superuser."""
        subprocess.run(
            [*AS_OWNER, "psql", "-Xq", "-v", "ON_ERROR_STOP=1", "-h", str(self.home / "socket"),
             "-U", "postgres", "-d", database],
            input=script, text=True, cwd="/", stdout=subprocess.DEVNULL, check=True)

    def archive(self):
        """Waits until everything that was written is in the repository."""
        name = self.sql("SELECT pg_walfile_name(pg_switch_wal())", "postgres")
        wait(f"the archive of the {self.scope}", 60, lambda: name <= self.sql(
            "SELECT coalesce(last_archived_wal, '') FROM pg_stat_archiver", "postgres"))


class Clusters:
    """TrackMe on two clusters; leaving the scope stops and removes everything."""

    def __enter__(self):
        self.home = pathlib.Path(tempfile.mkdtemp(prefix="trackme-restore-", dir="/var/tmp"))
        self.home.chmod(0o711)
        # Accessible to PostgreSQL's user, unlike the tree of the repository on some machines.
        scripts = self.home / "backup"
        shutil.copytree(ROOT / "deploy" / "backup", scripts)
        self.clusters = {each: Cluster(each, self.home, scripts) for each in DATABASES}
        self.state = self.home / "state"
        http, https, metrics = free_ports(3)
        self.url = f"http://127.0.0.1:{http}"
        self.mails = self.state / "mail"
        self.environment = dict(
            os.environ, TRACKME_STATE=str(self.state), TRACKME_HTTP_PORT=str(http),
            TRACKME_HTTPS_PORT=str(https), TRACKME_METRICS_PORT=str(metrics), TRACKME_DEMO="0",
            TRACKME_RATE_LIMITS="off", **self.urls("trackme_owner"))
        try:
            self.make()
        except BaseException:
            self.__exit__()
            raise
        return self

    def __exit__(self, *_):
        self.stop()
        for each in self.clusters.values():
            each.stop()
        shutil.rmtree(self.home, ignore_errors=True)

    def make(self):
        for each in self.clusters.values():
            each.make()
        script = self.trackme("migrate", "--print-roles")
        data, _, extension = script.partition("\\connect")
        self.clusters["data"].execute("\\connect".join(
            [data.replace("CREATE DATABASE trackme_keys ", "-- "), extension]))
        self.clusters["keys"].execute(data.replace("CREATE DATABASE trackme ", "-- "))
        password = (self.state / "keys" / "database" / "trackme_owner.password").read_text()
        self.environment |= self.urls(f"trackme_owner:{password.strip()}")
        self.trackme("migrate")
        self.start()

    def urls(self, user):
        """The settings of both databases."""
        path = "postgresql://{}@/{}?host={}/{}/socket"
        return {"TRACKME_DATABASE_URL": path.format(user, "trackme", self.home, "data"),
                "TRACKME_KEYS_DATABASE_URL": path.format(user, "trackme_keys", self.home, "keys")}

    def trackme(self, *arguments):
        """The output of a command of the operator's tool, which must succeed."""
        outcome = subprocess.run(
            [PROGRAMS / "trackme", *arguments], env=self.environment, stdin=subprocess.DEVNULL,
            capture_output=True, text=True, check=False)
        if outcome.returncode != 0:
            raise Failure(f"trackme {arguments[0]}: {(outcome.stdout + outcome.stderr)[-500:]}")
        return outcome.stdout

    def start(self):
        self.trackme("start")

    def stop(self):
        subprocess.run([PROGRAMS / "trackme", "stop"], env=self.environment,
                       stdin=subprocess.DEVNULL, capture_output=True, check=False)

    def client(self):
        """A client of the gateway."""
        return Client(self.url)

    def sql(self, scope, statement):
        """The rows of a statement, as text."""
        return self.clusters[scope].sql(statement)

    def archive(self):
        """Waits until everything that was written is in the repositories."""
        for each in self.clusters.values():
            each.archive()

    def directory(self, scope):
        """The directory of a cluster."""
        return self.clusters[scope].directory

    def scratch(self, scope):
        """A directory that does not exist, for a cluster's owner."""
        return self.clusters[scope].home / f"restored-{secrets.token_hex(4)}"

    def program(self, scope, name, *arguments):
        """The output of a program of deploy/backup, which must succeed."""
        cluster = self.clusters[scope]
        return cluster.run(cluster.scripts / name, *arguments)

    def attempt(self, scope, name, *arguments, passphrase=None):
        """The outcome of a program of deploy/backup, with another passphrase if given."""
        cluster, variables = self.clusters[scope], {}
        if passphrase:
            other = cluster.home / "other-passphrase"
            other.write_text(passphrase)
            other.chmod(0o644)
            variables["BACKUP_PASSPHRASE_FILE"] = str(other)
        return cluster.attempt(cluster.scripts / name, *arguments, **variables)

    def restore(self, time, between):
        """Restores both clusters into empty directories, the data to a time. Calls a function
        before the services start."""
        self.stop()
        for cluster in self.clusters.values():
            cluster.stop()
        for scope, arguments in (("data", ["--to", time]), ("keys", [])):
            directory = self.scratch(scope)
            print(self.program(scope, "restore", "--replace", *arguments, directory))
            self.clusters[scope].directory = directory
            self.clusters[scope].start()
        between()
        self.start()

    def data4help(self, master_key):
        """The outcome of a further Data4Help with this master key, which must end by itself."""
        file, files = self.home / "foreign.key", self.state / "keys" / "database"
        file.write_text(master_key)
        file.chmod(0o600)
        port, = free_ports(1)
        absent = f"unix:{self.home}/absent.sock"
        environment = {
            "TRACKME_STATE": str(self.state), "TRACKME_METRICS_PORT": str(port),
            "TRACKME_MASTER_KEY_FILE": str(file),
            "TRACKME_DATABASE_URL_FILE": f"{files}/data4help.trackme.url",
            "TRACKME_KEYS_DATABASE_URL_FILE": f"{files}/data4help.trackme_keys.url",
            "TRACKME_LISTEN": f"unix:{self.home}/further.sock",
            "TRACKME_DATA4HELP_ADDRESSES": absent, "TRACKME_TRACK4RUN_ADDRESSES": absent}
        return subprocess.run(
            [PROGRAMS / "data4help"], env=environment, stdin=subprocess.DEVNULL,
            capture_output=True, text=True, timeout=90, check=False)
