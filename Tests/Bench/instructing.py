"""What one proxied request costs the gateway, free of noise: instructions, allocations, counted
references and system calls, by valgrind's callgrind."""

import glob
import os
import re
import subprocess

from load import H2Load
from processes import BenchFailure, Running, free_ports, run
from proxying import (GET_PATH, POST_BODY, POST_PATH, answers, bearer, browser,
                      gateway_settings)
from report import Row
from rounds import QUICK

# The cost of a request is the difference of two loads, so that connections cost nothing.
FEW, MANY = (320, 640) if QUICK else (1280, 2560)
ALLOCATIONS = {"malloc", "calloc", "realloc", "posix_memalign", "aligned_alloc"}
RETAINS = {"swift_retain", "swift_retain_n", "swift_bridgeObjectRetain", "swift_bridgeObjectRetain_n"}


class Load(H2Load):
    """A fixed number of requests."""

    def __init__(self, url, fields, connections, streams, body=None):
        super().__init__(url, fields, {}, connections, streams, body)
        self.options = [] if streams > 1 else ["--h1"]

    def send(self, requests):
        """Sends them; every answer must be 200."""
        words = ["h2load", "-t", "1", "-c", str(self.connections), "-m", str(self.streams),
                 "-n", str(requests)] + self.options
        for field in self.fields:
            words += ["-H", field]
        output = run(words + (["-d", self.body] if self.body else []) + [self.url])
        if self.operations(output)[0] != requests:
            raise BenchFailure(f"not all requests were answered: {output[-800:].strip()}")


class Cost:
    """The counters of one dump of callgrind."""

    def __init__(self, path):
        self.instructions = self.system_calls = self.allocations = self.retains = 0
        names = {}
        with open(path, encoding="utf-8", errors="replace") as file:
            for line in file:
                self._read(line, names)

    def _read(self, line, names):
        if line.startswith("events:"):
            self.events = line.split()[1:]
        elif line.startswith("totals:"):
            totals = dict(zip(self.events, map(int, line.split()[1:])))
            self.instructions = totals["Ir"]
            self.system_calls = totals["sysCount"]
        elif line.startswith("cfn=") or line.startswith("fn="):
            number, name = re.match(r"c?fn=\((\d+)\)(?: (.*))?", line).groups()
            if name:
                names[number] = name.partition("'")[0]
            self.called = names[number]
        elif line.startswith("calls="):
            count = int(line[6:].split()[0])
            self.allocations += count if self.called in ALLOCATIONS else 0
            self.retains += count if self.called in RETAINS else 0

    def figures(self):
        found = [self.instructions, self.allocations, self.retains, self.system_calls]
        if not all(found):
            raise BenchFailure(f"callgrind counts nothing of a kind: {found}")
        return found


class Instrumented:
    """A gateway with one loop under callgrind, before the benchmarks' backend."""

    def __init__(self, system, directory):
        self.dumps = f"{directory}/callgrind"
        self.running = []
        self.ports = free_ports(3)
        socket = f"{directory}/backend.sock"
        backend = Running([system.program("trackme-lab"), "bench", "backend", f"unix:{socket}"])
        self.running.append(backend)
        backend.wait_until(lambda: os.path.exists(socket), "the backend's socket")
        self.gateway = Running(
            ["valgrind", "--tool=callgrind", "--collect-systime=yes",
             f"--callgrind-out-file={self.dumps}", system.program("gateway")],
            environment=gateway_settings(system, self.ports, socket),
            errors=f"{directory}/callgrind.errors")
        self.running.append(self.gateway)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        for each in reversed(self.running):
            each.__exit__()

    def wait(self, token):
        """Until it answers."""
        fields = {"Authorization": f"Bearer {token}"}
        self.gateway.wait_until(
            lambda: answers(f"http://127.0.0.1:{self.ports[0]}{GET_PATH}", fields),
            "an answer from the gateway", seconds=120)

    def dump(self):
        """The cost since the last dump."""
        before = set(glob.glob(f"{self.dumps}.*"))
        subprocess.run(["callgrind_control", "-d", str(self.gateway.pid)], check=True,
                       stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)

        def made():
            return set(glob.glob(f"{self.dumps}.*")) - before

        self.gateway.wait_until(made, "callgrind's file of counters", seconds=60)
        return made().pop()

    def cost(self, load):
        """The figures of one request, and the dump of the larger load."""
        load.send(FEW)
        self.dump()
        load.send(FEW)
        few = Cost(self.dump()).figures()
        load.send(MANY)
        file = self.dump()
        many = Cost(file).figures()
        return [(b - a) / (MANY - FEW) for a, b in zip(few, many)], file


def loads(instrumented, directory, token):
    """Title and load of each kind of request."""
    http, https, _ = instrumented.ports
    body = f"{directory}/body.json"
    with open(body, "wb") as file:
        file.write(POST_BODY)
    media = ["Content-Type: application/json"]
    program, page = bearer(token), browser(token) + media
    return [
        ("GET, HTTP/1.1", Load(f"http://127.0.0.1:{http}{GET_PATH}", program, 64, 1)),
        ("POST, HTTP/1.1",
         Load(f"http://127.0.0.1:{http}{POST_PATH}", program + media, 64, 1, body)),
        ("POST, HTTP/1.1 over TLS 1.3",
         Load(f"https://127.0.0.1:{https}{POST_PATH}", page, 64, 1, body)),
        ("POST, HTTP/2 over TLS, 8 x 16",
         Load(f"https://127.0.0.1:{https}{POST_PATH}", page, 8, 16, body)),
    ]


def measure(report, system, directory, token):
    """All kinds of requests. BENCH_DETAIL names a directory that keeps callgrind's files."""
    detail = os.environ.get("BENCH_DETAIL")
    with Instrumented(system, directory) as instrumented:
        instrumented.wait(token)
        for title, load in loads(instrumented, directory, token):
            report.begin(f"one request of the gateway by callgrind: {title}", [])
            figures, file = instrumented.cost(load)
            if detail:
                name = re.sub(r"[^a-z0-9]+", "-", title.lower())
                os.makedirs(detail, exist_ok=True)
                os.replace(file, f"{detail}/{name}")
            for value, what in zip(
                    figures, ("instructions", "allocations", "retains", "system calls")):
                report.say(f"   {what:12} {value:10,.2f}")
                report.add(Row(f"gateway, {title}: {what} a request", value, "", below=True))
