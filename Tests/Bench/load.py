"""The load generators wrk, h2load, openssl and pgbench, and the parsing of their output."""

import re
import subprocess

from processes import BenchFailure, Stopwatch, pinned, run
from rounds import Round


# The priority of a client that runs as soon as it is woken.
REAL_TIME = ["chrt", "--fifo", "1"]


def _number(pattern, text, what):
    found = re.search(pattern, text)
    if not found:
        raise BenchFailure(f"{what} is not in the output: {text[-800:].strip()}")
    return float(found.group(1))


def _shown(command, secrets):
    text = " ".join(f"'{word}'" if " " in word else word for word in command)
    for secret, name in secrets.items():
        text = text.replace(secret, name)
    return text


class Load:
    """A load generator's command, and the processes whose processor time it measures."""

    def __init__(self, processes, core=None, secrets=None):
        self.processes = processes
        self.core = core
        self.secrets = secrets or {}

    def command(self, seconds):
        raise NotImplementedError

    def operations(self, output):
        raise NotImplementedError

    def shown(self, seconds):
        return _shown(pinned(self.core, self.command(seconds)), self.secrets)

    def measure(self, seconds):
        """A round."""
        watch = Stopwatch(self.processes)
        output = run(pinned(self.core, self.command(seconds)))
        spent = watch.read()
        operations, real = self.operations(output)
        if operations == 0:
            raise BenchFailure(f"nothing was answered: {output[-800:].strip()}")
        return Round(operations, real, spent)


class Transfer(Load):
    """Large bodies through curl, one after the other on one connection, in either direction;
    operations are megabytes."""

    def __init__(self, url, fields, processes, megabytes, bodies, file=None, **more):
        super().__init__(processes, **more)
        self.url = url
        self.fields = fields
        self.megabytes = megabytes
        self.bodies = bodies
        self.file = file

    def command(self, seconds):
        words = ["curl", "-sf", "-o", "/dev/null",
                 "-w", "%{size_upload} %{size_download} %{time_total}\\n"]
        for field in self.fields:
            words += ["-H", field]
        if self.file:
            words += ["-X", "POST", "-H", "Expect:", "-T", self.file]
        # curl repeats the request for each number, and does not send it.
        return words + [f"{self.url}#[1-{self.bodies}]"]

    def operations(self, output):
        total = 0
        for line in output.splitlines():
            up, down, seconds = (float(word) for word in line.split())
            if max(up, down) != self.megabytes * 1e6:
                raise BenchFailure(f"curl moved {max(up, down):,.0f} bytes")
            total += seconds
        return self.megabytes * self.bodies, total


class Wrk(Load):
    """HTTP/1.1 with keep-alive."""

    def __init__(self, url, fields, processes, connections=64, script=None, arguments=(), **more):
        super().__init__(processes, **more)
        self.url = url
        self.fields = fields
        self.connections = connections
        self.script = script
        self.arguments = list(arguments)

    def command(self, seconds):
        words = ["wrk", "-t", "1", "-c", str(self.connections), "-d", f"{seconds}s"]
        for field in self.fields:
            words += ["-H", field]
        if self.script:
            words += ["-s", self.script]
        words.append(self.url)
        return words + (["--"] + self.arguments if self.arguments else [])

    def operations(self, output):
        wrong = re.search(r"Non-2xx or 3xx responses: (\d+)", output)
        broken = re.search(r"Socket errors: (.*)", output)
        if wrong or (broken and not re.fullmatch(
                r"connect 0, read 0, write 0, timeout 0", broken.group(1))):
            raise BenchFailure(f"answers that are not 200, or lost connections: {output.strip()}")
        requests = _number(r"(\d+) requests in", output, "the number of requests")
        return requests, requests / _number(r"Requests/sec:\s+([\d.]+)", output, "the rate")


class H2Load(Load):
    """HTTP/2 over TLS, unless the options choose otherwise."""

    def __init__(self, url, fields, processes, connections=8, streams=16, body=None, options=(),
                 **more):
        super().__init__(processes, **more)
        self.options = list(options)
        self.url = url
        self.fields = fields
        self.connections = connections
        self.streams = streams
        self.body = body

    def command(self, seconds):
        words = ["h2load", "-t", "1", "-c", str(self.connections), "-m", str(self.streams),
                 "-D", str(seconds), *self.options]
        for field in self.fields:
            words += ["-H", field]
        return words + (["-d", self.body] if self.body else []) + [self.url]

    def operations(self, output):
        wrong = _number(r"status codes: \d+ 2xx, \d+ 3xx, (\d+) 4xx", output, "the status codes")
        wrong += _number(r"4xx, (\d+) 5xx", output, "the status codes")
        wrong += _number(r"(\d+) errored", output, "the number of errors")
        if wrong:
            raise BenchFailure(f"answers that are not 200: {output.strip()}")
        requests = _number(r"status codes: (\d+) 2xx", output, "the number of requests")
        if requests == 0:
            raise BenchFailure(f"nothing was answered: {output[-800:].strip()}")
        return requests, requests / _number(r", ([\d.]+) req/s", output, "the rate")


class Punctual(H2Load):
    """A client that runs as soon as it is woken, with a real-time priority.

    Without preemption of its own, a kernel lets another process of the same core run up to the next
    tick: 5.5 ms of waiting for it were measured instead of the gateway (`perf sched`)."""

    def command(self, seconds):
        return REAL_TIME + super().command(seconds)


class Paced(Wrk):
    """HTTP/1.1 at a rate: each connection pauses for a random time before each request, so that
    requests arrive one by one. (`h2load --rps` sends those of ten milliseconds at once.) The rate
    is slightly lower, by the latency of each request."""

    UNITS = {"us": 1e-3, "ms": 1, "s": 1e3}

    def __init__(self, url, fields, processes, rate, directory, connections=256, **more):
        super().__init__(url, fields, processes, connections=connections,
                         script=f"{directory}/paced.lua", **more)
        pause = round(2_000 * connections / rate)
        with open(self.script, "w", encoding="ascii") as file:
            file.write(f"function delay() return math.random(0, {pause}) end\n")
        self.output = ""

    def command(self, seconds):
        command = super().command(seconds)
        return [*REAL_TIME, command[0], "--latency", *command[1:]]

    def operations(self, output):
        self.output = output
        return super().operations(output)

    def percentile(self, percent):
        """The latency of the last measurement in milliseconds."""
        found = re.search(rf"^ +{percent}% +([\d.]+)(us|ms|s)$", self.output, re.MULTILINE)
        if not found:
            raise BenchFailure(f"wrk names no latency: {self.output[-800:].strip()}")
        return float(found.group(1)) * self.UNITS[found.group(2)]


def prioritise(process):
    """Sets the real-time priority of such a client for a process that shares the load's core."""
    if subprocess.run(["chrt", "--all-tasks", "--fifo", "--pid", "1", str(process.pid)],
                      check=False).returncode:
        raise BenchFailure("this client needs a real-time priority: run this as root")


class Handshakes(Load):
    """Connections of TLS 1.3, each with one request, whose answer brings the client's ticket.

    `kind` is `new`, or `reuse` for the session of the first connection."""

    def __init__(self, port, path, kind, processes, **more):
        super().__init__(processes, **more)
        self.port = port
        self.path = path
        self.kind = kind

    def command(self, seconds):
        return ["openssl", "s_time", "-connect", f"127.0.0.1:{self.port}", "-tls1_3",
                f"-{self.kind}", "-www", self.path, "-time", str(seconds)]

    def operations(self, output):
        count = _number(r"(\d+) connections in [\d.]+ real seconds", output, "the connections")
        # One letter for each connection: `*` for a full handshake, `r` for a resumed one.
        letters = re.search(r"^[*rt]+$", output, re.MULTILINE)
        if not letters or (self.kind == "reuse" and letters[0].count("r") < 0.99 * count):
            raise BenchFailure("sessions were not resumed")
        return count, _number(r"in ([\d.]+) real seconds", output, "the seconds")


class PgBench(Load):
    """Prepared statements on the same server."""

    def __init__(self, url, script, processes, clients=16, variables=(), **more):
        super().__init__(processes, **more)
        self.url = url
        self.script = script
        self.clients = clients
        self.variables = list(variables)

    def command(self, seconds):
        words = ["pgbench", "-n", "-M", "prepared", "-c", str(self.clients), "-j", "1",
                 "-T", str(seconds), "-f", self.script]
        for variable in self.variables:
            words += ["-D", variable]
        return words + [self.url]

    def operations(self, output):
        if _number(r"number of failed transactions: (\d+)", output, "the failures"):
            raise BenchFailure(f"pgbench's transactions failed: {output.strip()}")
        done = _number(
            r"number of transactions actually processed: (\d+)", output, "the transactions")
        return done, done / _number(r"tps = ([\d.]+)", output, "the rate")
