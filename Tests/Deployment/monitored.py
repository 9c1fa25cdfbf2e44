"""A local system with a real Prometheus and its exporters, on free ports, removed at the end."""

import contextlib
import json
import os
import pathlib
import re
import shutil
import socket
import subprocess
import tempfile
import time
import urllib.parse
import urllib.request

from deployment import Client, Failure, run, wait

START_MAX = 300  # seconds, of a machine that is busy with other work
ROUNDS = 8  # of requests between scrapes
TLS = """    scheme: https
    tls_config:
      server_name: metrics
      ca_file: /run/inner/authority.pem
      cert_file: /run/inner/certificate.pem
      key_file: /run/inner/key.pem
"""
PASSWORD = "only-for-this-test"
NO_ONE = "00000000-0000-0000-0000-000000000000"


class Monitored:
    """`trackme start` with the demo data, the exporters, Alertmanager and Prometheus."""

    def __init__(self, root, files):
        self.root, self.files = root, files
        self.programs = pathlib.Path(
            os.environ.get("MONITORED_PROGRAMS", root / ".build/release"))
        # Accessible to the database's user.
        self.directory = pathlib.Path(tempfile.mkdtemp(prefix="trackme-monitored-", dir="/var/tmp"))
        self.directory.chmod(0o711)
        self.config = self.directory / "monitoring"
        self.processes = []
        self.port = {name: free_port() for name in (
            "http", "https", "broker", "mail", "database", "keys", "public", "machine",
            "alertmanager", "prometheus")}
        self.metrics = free_ports_in_a_row(4)
        self.environment = dict(
            os.environ, TRACKME_STATE=str(self.directory / "state"), TRACKME_DEMO="1",
            TRACKME_HTTP_PORT=str(self.port["http"]), TRACKME_HTTPS_PORT=str(self.port["https"]),
            TRACKME_BROKER_PORT=str(self.port["broker"]), TRACKME_RATE_LIMITS="off",
            TRACKME_METRICS_PORT=str(self.metrics))

    # --- life ------------------------------------------------------------------------------------

    def __enter__(self):
        try:
            self.trackme("start")
            self.start_exporters()
            self.start_prometheus()
            logins = (self.directory / "state/demo-logins").read_text().splitlines()
            use([line.split("\t")[1:] for line in logins], pause=1, client=self.client)
        except BaseException:
            self.__exit__()
            raise
        return self

    def __exit__(self, *_):
        for process in reversed(self.processes):
            process.terminate()
        for process in self.processes:
            with contextlib.suppress(subprocess.TimeoutExpired):
                process.wait(20)
            if process.poll() is None:
                process.kill()
        with contextlib.suppress(Failure):
            self.trackme("stop")
        shutil.rmtree(self.directory, ignore_errors=True)

    def trackme(self, command):
        outcome = subprocess.run(
            [str(self.programs / "trackme"), command], env=self.environment, text=True,
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
            timeout=START_MAX, check=False)
        if outcome.returncode != 0:
            raise Failure(f"trackme {command}: {outcome.stdout[-1000:]}")

    def spawn(self, *command, **variables):
        log = (self.directory / f"{pathlib.Path(command[0]).name}-{len(self.processes)}.log")
        with log.open("w") as output:
            self.processes.append(subprocess.Popen(
                command, env=dict(os.environ, **variables), cwd=self.directory,
                stdin=subprocess.DEVNULL, stdout=output, stderr=subprocess.STDOUT))

    # --- parts -----------------------------------------------------------------------------------

    def url(self, role, password, database):
        """The address of the embedded database, which is a directory of sockets."""
        keys = self.directory / "state/keys/database"
        directory = (keys / "data4help.trackme.url").read_text().split("host=")[1].strip()
        password = password or (keys / f"{role}.password").read_text().strip()
        return f"postgresql://{role}:{password}@/{database}?host={directory}&sslmode=disable"

    def psql(self, database, *arguments):
        url = self.url("postgres", None, database).removesuffix("&sslmode=disable")
        return run("psql", url, "-qAt", "-v", "ON_ERROR_STOP=1", *arguments)

    def start_exporters(self):
        self.psql("postgres", "-v", f"password={PASSWORD}", "-f", str(self.files / "role.sql"))
        for database in ("trackme", "trackme_keys"):
            self.psql(database, "-f", str(self.files / "backups.sql"))
        self.psql("trackme", "-f", str(self.files / "functions.sql"))
        for name, database in (("database", "trackme"), ("keys", "trackme_keys")):
            queries = {"database": "data"}.get(name, name)
            self.spawn(
                "prometheus-postgres-exporter", f"--web.listen-address={self.address(name)}",
                f"--extend.query-path={self.files}/queries-{queries}.yaml",
                DATA_SOURCE_NAME=self.url("monitoring", PASSWORD, database))
        shutil.copytree(self.files, self.config)
        self.replace("blackbox.yaml", {
            "/run/secrets/authority": str(self.directory / "state/tls/certificate.pem"),
            "server_name: 10.91.0.1": "server_name: localhost"})
        self.spawn(
            "prometheus-blackbox-exporter", f"--config.file={self.config}/blackbox.yaml",
            f"--web.listen-address={self.address('public')}")
        self.spawn(
            "prometheus-node-exporter", f"--web.listen-address={self.address('machine')}")
        self.replace("alertmanager.yaml", {"10.91.5.11:2525": self.address("mail")})
        self.spawn(
            "prometheus-alertmanager", f"--config.file={self.config}/alertmanager.yaml",
            f"--storage.path={self.directory}/alertmanager", "--cluster.listen-address=",
            f"--web.listen-address={self.address('alertmanager')}")

    def start_prometheus(self):
        processes = [
            (self.metrics, "gateway", "gateway", None),
            (self.metrics + 1, "data4help", "data4help-1", None),
            (self.metrics + 2, "data4help", "data4help-2", None),
            (self.metrics + 3, "track4run", "track4run-1", None),
        ]
        targets = [
            (self.port["database"], "postgresql", "database-1", "data"),
            (self.port["keys"], "postgresql", "keys-database-1", "keys"),
            (self.port["machine"], "machine", "machine", None),
            (self.port["alertmanager"], "alertmanager", "alertmanager", None),
            (self.port["prometheus"], "prometheus", "prometheus", None),
        ]
        for name, listed in (("processes", processes), ("targets", targets)):
            (self.config / f"{name}.json").write_text(json.dumps([
                {"targets": [f"127.0.0.1:{port}"],
                 "labels": {"job": job, "instance": instance, "cluster": cluster or ""}}
                for port, job, instance, cluster in listed]))
        (self.config / "public.json").write_text(json.dumps([
            {"targets": [f"https://localhost:{self.port['https']}/ready"],
             "labels": {"instance": "public", "exporter": self.address("public")}}]))
        # No program beside these has an inner certificate.
        (self.config / "certificates.json").write_text("[]")
        self.replace("prometheus.yaml", {
            "scrape_interval: 15s": "scrape_interval: 1s",
            "evaluation_interval: 15s": "evaluation_interval: 1s",
            # On loopback, where processes have no certificates.
            TLS: "",
            "127.0.0.1:9093": self.address("alertmanager")})
        self.spawn(
            "prometheus", f"--config.file={self.config}/prometheus.yaml",
            f"--storage.tsdb.path={self.directory}/metrics",
            f"--web.listen-address={self.address('prometheus')}")
        wait("Prometheus", START_MAX, lambda: self.get("/-/ready") is not None)
        wait("a target", START_MAX, lambda: not self.missing_targets())

    def address(self, name):
        return f"127.0.0.1:{self.port[name]}"

    def replace(self, name, changes):
        path = self.config / name
        text = path.read_text()
        for old, new in changes.items():
            if old not in text:
                raise Failure(f"{name} has no {old!r}")
            text = text.replace(old, new)
        path.write_text(text)

    def client(self):
        return Client(f"https://localhost:{self.port['https']}",
                      self.directory / "state/tls/certificate.pem")

    # --- Prometheus ------------------------------------------------------------------------------

    def get(self, path):
        """The answer of Prometheus; None without one."""
        try:
            with urllib.request.urlopen(
                    f"http://{self.address('prometheus')}{path}", timeout=30) as response:
                return response.read()
        except OSError:
            return None

    def api(self, path, **parameters):
        body = self.get(f"/api/v1/{path}?{urllib.parse.urlencode(parameters)}")
        if body is None:
            raise Failure(f"Prometheus does not answer {path}: {parameters}")
        return json.loads(body)["data"]

    def ask(self, query):
        """The values of a query, as texts."""
        return [sample["value"][1] for sample in self.api("query", query=query)["result"]]

    def missing_targets(self):
        return [f"{target['scrapeUrl']}: {target['lastError'] or 'not read yet'}"
                for target in self.api("targets")["activeTargets"] if target["health"] != "up"]

    def health_of_rules(self):
        return {rule["name"]: rule.get("lastError") or rule["health"]
                for group in self.api("rules")["groups"] for rule in group["rules"]}

    def faults(self, metrics, runbooks):
        """Metrics without data, rules that fail, targets that are not up, refused statements."""
        yield from self.missing_targets()
        for metric in metrics:
            if not self.ask(f"count({metric})"):
                yield f"{metric} does not exist"
        wait("a rule", START_MAX, lambda: "unknown" not in self.health_of_rules().values())
        for name, health in self.health_of_rules().items():
            if health != "ok":
                yield f"{name}: {health}"
        if len(self.api("alertmanagers")["activeAlertmanagers"]) != 1:
            yield "Prometheus does not know its Alertmanager"
        errors = self.ask("max(pg_exporter_last_scrape_error)")
        if errors != ["0"]:
            yield f"queries of the exporter fail: {errors}"
        yield from self.mail_faults()
        yield from self.rights_faults()
        yield from self.statement_faults(runbooks)

    def mail_faults(self):
        """An alert reaches the operator's address with its runbook."""
        alert = {"labels": {"alertname": "EmergencyOverdue", "severity": "critical"},
                 "annotations": {"summary": "this is a test", "description": "of the mail",
                                 "runbook": "docs/runbooks/emergency-overdue.md"}}
        with MailServer(self.port["mail"]) as mails:
            request = urllib.request.Request(
                f"http://{self.address('alertmanager')}/api/v2/alerts",
                data=json.dumps([alert]).encode(), headers={"Content-Type": "application/json"})
            urllib.request.urlopen(request, timeout=30).close()
            mail = mails.receive()
        for text in ("RCPT TO:<operator@trackme.example>", "critical: EmergencyOverdue",
                     "this is a test", "docs/runbooks/emergency-overdue.md"):
            if text not in mail:
                yield f"the mail of an alert has no {text!r}: {mail[-500:]}"

    def rights_faults(self):
        """The role of the exporter reads no table."""
        url = self.url("monitoring", PASSWORD, "trackme").removesuffix("&sslmode=disable")
        for statement in ("SELECT count(*) FROM data4help.emergencies",
                          "SELECT count(*) FROM data4help.accounts"):
            outcome = subprocess.run(
                ["psql", url, "-qAtc", statement], capture_output=True, text=True, check=False)
            if "permission denied" not in outcome.stderr:
                yield f"the role monitoring may {statement}: {outcome.stdout}{outcome.stderr}"

    def statement_faults(self, runbooks):
        """The statements of the runbooks' first checks run."""
        count = 0
        for path in sorted(runbooks.glob("*.md")):
            for statement in re.findall(r'sql \S+ <<<"(.*?)"', path.read_text(), re.DOTALL):
                count += 1
                try:
                    self.psql("trackme", "-c", "SET default_transaction_read_only = on", "-c",
                              statement.replace("…", NO_ONE))
                except Failure as failure:
                    yield f"{path.name}: {failure}"
        print(f"{count} statements of runbooks")


def use(logins, pause, client=Client):
    """Requests between scrapes, so that rates and durations have values."""
    clients = [client().log_in(email, password) for email, password in logins]
    stranger = client()
    for _ in range(ROUNDS):
        for path in ("/ready", "/openapi.json", "/t4r/active/list", "/app/", "/no/such/path"):
            stranger.send(path)
        stranger.send("/auth/login", {
            "email": "stranger@example.org", "password": "a-wrong-password", "replace": True})
        for account in clients:
            account.send("/data/compare?type=heartRate")
            account.send("/data/upload", {
                "dataTypes": ["heartRate"], "values": [70],
                "timestamp": [time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())]})
            account.send("/req/tp/sendGroup", {
                "dataTypes": ["heartRate"], "searchParams": ["age >= 18"], "subscribing": False})
        time.sleep(pause)


class MailServer:
    """Accepts one mail on loopback (SMTP, RFC 5321)."""

    def __init__(self, port):
        self.listener = socket.create_server(("127.0.0.1", port))
        self.listener.settimeout(START_MAX)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.listener.close()

    def receive(self):
        """The commands and the text of the next mail."""
        end, _ = self.listener.accept()
        end.settimeout(START_MAX)
        lines, in_text = [], False
        with end, end.makefile("rwb") as stream:
            def answer(text):
                stream.write(f"{text}\r\n".encode())
                stream.flush()

            answer("220 test")
            for line in stream:
                lines.append(line.decode(errors="replace").rstrip())
                if in_text and lines[-1] != ".":
                    continue
                was_text, in_text = in_text, lines[-1].upper() == "DATA"
                if lines[-1].upper() == "QUIT":
                    answer("221 bye")
                    break
                answer("354 go ahead" if in_text and not was_text else "250 ok")
        return "\n".join(lines)


def free_port():
    with socket.socket() as end:
        end.bind(("127.0.0.1", 0))
        return end.getsockname()[1]


def free_ports_in_a_row(count):
    """The first of this many free ports."""
    for first in range(21000, 32000, 50):
        with contextlib.ExitStack() as ends, contextlib.suppress(OSError):
            for port in range(first, first + count):
                ends.enter_context(socket.socket()).bind(("127.0.0.1", port))
            return first
    raise Failure("there are no free ports in a row")
