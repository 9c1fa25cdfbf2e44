"""Starts processes, pins them to a core, measures and stops them."""

import os
import signal
import socket
import subprocess
import time

TICKS_PER_SECOND = os.sysconf("SC_CLK_TCK")


class BenchFailure(Exception):
    """A measurement that is impossible; the text is the reason."""


def pinned(core, command):
    """The command on one core; on any core for None."""
    return command if core is None else ["taskset", "-c", str(core)] + command


def free_ports(count):
    """Ports on which no process listened a moment ago."""
    sockets = [socket.socket() for _ in range(count)]
    for each in sockets:
        each.bind(("127.0.0.1", 0))
    ports = [each.getsockname()[1] for each in sockets]
    for each in sockets:
        each.close()
    return ports


def free_ports_in_a_row(count):
    """The first of some consecutive free ports, below the range of the system's client ports."""
    for start in range(20_000 + os.getpid() % 1000 * count, 32_000, count):
        sockets = [socket.socket() for _ in range(count)]
        try:
            for place, each in enumerate(sockets):
                each.bind(("127.0.0.1", start + place))
            return start
        except OSError:
            continue
        finally:
            for each in sockets:
                each.close()
    raise BenchFailure(f"there are no {count} free ports in a row")


def _times(pid):
    """Seconds of processor time of a process, and of its children that have ended."""
    with open(f"/proc/{pid}/stat", encoding="ascii", errors="replace") as file:
        fields = file.read().rpartition(")")[2].split()
    user, system, ended_user, ended_system = (int(field) for field in fields[11:15])
    return (user + system) / TICKS_PER_SECOND, (ended_user + ended_system) / TICKS_PER_SECOND


def children(pid):
    """The child processes of a process."""
    found = []
    for task in os.listdir(f"/proc/{pid}/task"):
        with open(f"/proc/{pid}/task/{task}/children", encoding="ascii") as file:
            found += [int(word) for word in file.read().split()]
    return found


def processor_seconds(pid, with_children=False):
    """User and system time so far, from /proc/PID/stat; ended children included."""
    own, ended = _times(pid)
    if not with_children:
        return own
    total = own + ended
    for child in children(pid):
        try:
            total += sum(_times(child))
        except (FileNotFoundError, ProcessLookupError):
            pass
    return total


def resident(pid):
    """The resident bytes of a process."""
    with open(f"/proc/{pid}/status", encoding="ascii", errors="replace") as file:
        line = next(each for each in file if each.startswith("VmRSS:"))
    return int(line.split()[1]) * 1024


def peak(pid):
    """The largest number of resident bytes of a process since `reset_peak`."""
    with open(f"/proc/{pid}/status", encoding="ascii", errors="replace") as file:
        line = next(each for each in file if each.startswith("VmHWM:"))
    return int(line.split()[1]) * 1024


def reset_peak(pid):
    """Begins to look for a process's peak anew (proc(5), clear_refs)."""
    with open(f"/proc/{pid}/clear_refs", "w", encoding="ascii") as file:
        file.write("5")


def name_of(pid):
    """The program's file name."""
    with open(f"/proc/{pid}/comm", encoding="utf-8") as file:
        return file.read().strip()


class Stopwatch:
    """Processor time and real time of named processes between start and read."""

    def __init__(self, processes):
        self.processes = processes
        self.before = self._read()
        self.began = time.monotonic()

    def _read(self):
        return {
            name: sum(processor_seconds(pid, tree) for pid, tree in members)
            for name, members in self.processes.items()
        }

    def read(self):
        """The seconds of each process since the start."""
        after = self._read()
        return {name: after[name] - self.before[name] for name in after}


class RunningTogether:
    """Several processes of ours, begun by `_start`; leaving the scope stops them, last first."""

    def __init__(self):
        self.running = []

    def _start(self):
        raise NotImplementedError

    def _begin(self, *arguments, **more):
        process = Running(*arguments, **more)
        self.running.append(process)
        return process

    def __enter__(self):
        try:
            self._start()
        except BaseException:
            self.__exit__()
            raise
        return self

    def __exit__(self, *_):
        for each in reversed(self.running):
            each.__exit__()


class Running:
    """A process of ours; leaving the scope stops it."""

    def __init__(self, command, environment=None, output=subprocess.DEVNULL, errors=None):
        self.command = command
        self.errors = errors
        with open(errors or os.devnull, "wb") as sink:
            self.process = subprocess.Popen(
                command, env=environment, stdin=subprocess.DEVNULL, stdout=output, stderr=sink)
        self.pid = self.process.pid

    def __enter__(self):
        return self

    def __exit__(self, *_):
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGTERM)
            try:
                self.process.wait(timeout=15)
            except subprocess.TimeoutExpired:
                self.process.kill()
                self.process.wait()

    def wait_until(self, fact, what, seconds=20):
        """Waits for a condition; fails when the process has ended or the time is over."""
        end = time.monotonic() + seconds
        while not fact():
            if self.process.poll() is not None:
                raise BenchFailure(f"{self.command[0]} ended before {what}: {self._last_words()}")
            if time.monotonic() > end:
                raise BenchFailure(f"{what} was not available within {seconds} s")
            time.sleep(0.05)

    def _last_words(self):
        if not self.errors:
            return f"exit code {self.process.returncode}"
        with open(self.errors, encoding="utf-8", errors="replace") as file:
            return file.read()[-500:].strip()


def run(command, environment=None, what=None, seconds=600):
    """Runs a command to completion and returns its output; fails if the command fails."""
    try:
        done = subprocess.run(
            command, env=environment, stdin=subprocess.DEVNULL, capture_output=True, text=True,
            timeout=seconds, check=False)
    except subprocess.TimeoutExpired as error:
        raise BenchFailure(f"{what or command[0]} took longer than {seconds} s") from error
    if done.returncode != 0:
        raise BenchFailure(
            f"{what or command[0]} failed ({done.returncode}): "
            f"{(done.stderr or done.stdout)[-800:].strip()}")
    return done.stdout
