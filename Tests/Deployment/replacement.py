"""Replaces every process of a local system 20 times in a row (or as often as the argument says)
while clients read through the gateway, over TLS and without. Ends with a table, and exit code 1 if
a request failed or a process stayed."""

import collections
import http.client
import json
import os
import pathlib
import shutil
import ssl
import subprocess
import sys
import tempfile
import threading
import time

from monitored import free_port, free_ports_in_a_row

ROOT = pathlib.Path(__file__).resolve().parents[2]
CLIENTS = 3  # of each port
ANSWER_MAX = 60  # seconds, of a machine that is busy with other work
TARGETS = ("/lookup/dataTypes", "/t4r/active/list?limit=%d")  # of Data4Help and of Track4Run


class System:
    """`trackme start` on free ports, in a directory that is removed at the end."""

    def __init__(self):
        programs = pathlib.Path(os.environ.get("REPLACED_PROGRAMS", ROOT / ".build/release"))
        self.program = programs / "trackme"
        # Accessible to the database's user.
        self.directory = pathlib.Path(tempfile.mkdtemp(prefix="trackme-replaced-", dir="/var/tmp"))
        self.directory.chmod(0o711)
        self.ports = {name: free_port() for name in ("http", "https")}
        self.environment = dict(
            os.environ, TRACKME_STATE=str(self.directory / "state"), TRACKME_DEMO="0",
            TRACKME_HTTP_PORT=str(self.ports["http"]), TRACKME_HTTPS_PORT=str(self.ports["https"]),
            TRACKME_METRICS_PORT=str(free_ports_in_a_row(4)), TRACKME_RATE_LIMITS="off")

    def trackme(self, command):
        return subprocess.run(
            [str(self.program), command], env=self.environment, capture_output=True, text=True,
            check=False)

    def processes(self):
        status = json.loads((self.directory / "state/status.json").read_text())
        return {m["name"]: m["process"] for m in status["members"] if m["name"] != "postgres"}

    def connect(self, port):
        if port == "http":
            return http.client.HTTPConnection("127.0.0.1", self.ports[port], timeout=ANSWER_MAX)
        trusted = ssl.create_default_context(
            cafile=str(self.directory / "state/tls/certificate.pem"))
        return http.client.HTTPSConnection(
            "localhost", self.ports[port], timeout=ANSWER_MAX, context=trusted)

    def __enter__(self):
        outcome = self.trackme("start")
        if outcome.returncode != 0:
            self.__exit__()
            sys.exit(outcome.stdout + outcome.stderr)
        return self

    def __exit__(self, *_):
        self.trackme("stop")
        shutil.rmtree(self.directory, ignore_errors=True)


class Load:
    """Clients that send one request after the other, each on its own connection."""

    def __init__(self, system):
        self.system = system
        self.answered = collections.Counter()
        self.failures = []
        self.is_over = False
        self.threads = [threading.Thread(target=self.run, args=(port,))
                        for port in ("http", "https") for _ in range(CLIENTS)]

    def __enter__(self):
        for thread in self.threads:
            thread.start()
        return self

    def __exit__(self, *_):
        self.is_over = True
        for thread in self.threads:
            thread.join()

    def run(self, port):
        connection = self.system.connect(port)
        count = 0
        while not self.is_over:
            count += 1
            target = TARGETS[count % 2].replace("%d", str(count % 50 + 1))
            try:
                connection.request("GET", target)
                answer = connection.getresponse()
                body = answer.read()
                if answer.status == 200:
                    self.answered[port] += 1
                else:
                    self.failures.append(f"{port} {target}: {answer.status} {body[:200]}")
            except (OSError, http.client.HTTPException) as error:
                self.failures.append(f"{port} {target}: {error!r}")
                connection.close()
        connection.close()


def main(rounds):
    faults = []
    longest = 0
    with System() as system, Load(system) as load:
        for _ in range(rounds):
            former = system.processes()
            began = time.monotonic()
            outcome = system.trackme("replace")
            longest = max(longest, time.monotonic() - began)
            if outcome.returncode != 0:
                faults.append(outcome.stdout + outcome.stderr)
                break
            now = system.processes()
            faults += [f"{name} stayed" for name in former if now.get(name) == former[name]]
    print("| rounds | processes replaced | longest round | answered (plain, TLS) | failed |")
    print("|---|---|---|---|---|")
    print(f"| {rounds} | {rounds * len(former)} | {longest:.1f} s | {load.answered['http']}, "
          f"{load.answered['https']} | {len(load.failures)} |")
    for fault in (faults + load.failures)[:20]:
        print(fault)
    return 1 if faults or load.failures else 0


if __name__ == "__main__":
    sys.exit(main(int(sys.argv[1]) if len(sys.argv) > 1 else 20))
