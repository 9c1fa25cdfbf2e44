"""A complete temporary TrackMe with its database, on free ports, removed at the end."""

import json
import os
import shutil
import subprocess
import tempfile
import time
import urllib.request

from processes import BenchFailure, children, free_ports, free_ports_in_a_row, name_of, run


# In the order of their metrics ports, which follow the port of the system.
GATEWAY, REPLICAS = 0, (1, 2)


class System:
    """Starts with `trackme start`; leaving the scope stops and removes it."""

    def __init__(self, root, hasDemo=False):
        self.root = root
        # Accessible to the database's user, and on a disk, unlike /tmp on some machines.
        self.directory = tempfile.mkdtemp(prefix="trackme-bench-", dir="/var/tmp")
        os.chmod(self.directory, 0o711)
        self.state = f"{self.directory}/state"
        self.scratch = f"{self.directory}/scratch"
        os.mkdir(self.scratch)
        self.tokens = []
        self.http_port, self.https_port = free_ports(2)
        # The gateway's, and one for each replica of the services.
        self.metrics_port = free_ports_in_a_row(8)
        self.callback_authorities = f"{self.scratch}/callback-certificate.pem"
        self.environment = dict(
            os.environ, TRACKME_CALLBACK_ALLOW="127.0.0.0/8",
            TRACKME_CALLBACK_AUTHORITIES=self.callback_authorities, TRACKME_STATE=self.state,
            TRACKME_HTTP_PORT=str(self.http_port),
            TRACKME_HTTPS_PORT=str(self.https_port), TRACKME_DEMO="1" if hasDemo else "0",
            TRACKME_METRICS_PORT=str(self.metrics_port), TRACKME_RATE_LIMITS="checked",
            TRACKME_CHECKIN_OPENS="7200")

    def program(self, name):
        return f"{self.root}/.build/release/{name}"

    def __enter__(self):
        try:
            self.start()
        except BaseException:
            self.__exit__()
            raise
        return self

    def start(self):
        """Starts the existing system."""
        run([self.program("trackme"), "start"], self.environment, "trackme start")

    def stop(self):
        """Stops it; its data stays."""
        subprocess.run(
            [self.program("trackme"), "stop"], env=self.environment, stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=False)

    def __exit__(self, *_):
        self.stop()
        shutil.rmtree(self.directory, ignore_errors=True)

    # Processes

    def supervisor(self):
        """The process ID of the supervisor."""
        with open(f"{self.state}/trackme.pid", encoding="ascii") as file:
            return int(file.read().split()[0])

    def processes(self):
        """All processes by program: replicas together, the database with its backends."""
        supervisor = self.supervisor()
        found = {"supervisor": [(supervisor, False)]}
        for pid in children(supervisor):
            name = name_of(pid)
            found.setdefault(name, []).append((pid, name == "postgres"))
        return found

    # Metrics

    def metric(self, name, place):
        """The metric of the process at an index, summed over its labels."""
        with urllib.request.urlopen(
                f"http://127.0.0.1:{self.metrics_port + place}/metrics", timeout=20) as answer:
            text = answer.read().decode()
        return sum(float(line.rsplit(" ", 1)[1]) for line in text.splitlines()
                   if line.startswith((name + " ", name + "{")))

    def wait_for_metric(self, name, places, holds, what, seconds=60):
        """Waits until the metric of each of these processes matches; fails at the deadline."""
        end = time.monotonic() + seconds
        for place in places:
            while not holds(self.metric(name, place)):
                if time.monotonic() > end:
                    raise BenchFailure(f"{what}: {name} is {self.metric(name, place):.0f}")
                time.sleep(0.05)

    # The database

    def url_file(self, role, database="trackme"):
        return f"{self.state}/keys/database/{role}.{database}.url"

    def url(self, role):
        """The URL of a role, derived from that of another role."""
        with open(self.url_file("data4help"), encoding="ascii") as file:
            url = file.read().strip()
        with open(f"{self.state}/keys/database/{role}.password", encoding="ascii") as file:
            password = file.read().strip()
        return f"postgresql://{role}:{password}@{url.partition('@')[2]}"

    def sql(self, statement, role="data4help"):
        """The rows of one statement, as lines."""
        return run(["psql", "-XqAt", "-v", "ON_ERROR_STOP=1", "-c", statement, self.url(role)])

    # The gateway

    def address(self, path):
        return f"http://127.0.0.1:{self.http_port}{path}"

    def ask(self, path, token, body=None):
        """The document of the response."""
        fields = {"Content-Type": "application/json"}
        if token:
            fields["Authorization"] = f"Bearer {token}"
        data = None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(self.address(path), data=data, headers=fields)
        with urllib.request.urlopen(request, timeout=60) as answer:
            return json.load(answer)

    def accounts(self, count):
        """Tokens of single users, whose numbers count up from 1."""
        file = f"{self.scratch}/tokens"
        run([self.program("trackme-lab"), "bench", "accounts", str(count), "--tokens", file],
            self.environment, "creating accounts")
        with open(file, encoding="ascii") as lines:
            self.tokens = lines.read().split()
        self.wait_until_usable("/data/quota", self.tokens[-1])
        return self.tokens

    def wait_until_usable(self, path, token):
        """Waits until the gateway knows the newest account: it follows them in order."""
        end = time.monotonic() + 20
        while True:
            try:
                self.ask(path, token)
                return
            except OSError as error:
                if time.monotonic() > end:
                    raise BenchFailure(f"the accounts cannot be used: {error}") from error
                time.sleep(0.1)
