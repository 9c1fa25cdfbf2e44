"""Memory of the gateway for each of 15,000 open connections that have had one answer, or that have
an open stream of events.

Run as a program it opens the connections: idling.py PORT CONNECTIONS FIRST plain|tls PATH
"""

import os
import socket
import ssl
import subprocess
import sys
import time

import watching
from processes import BenchFailure, resident, run
from report import Row
from rounds import QUICK

CONNECTIONS = 600 if QUICK else 15_000
# The clients, and the connections of each of their addresses, below the number that a client may
# have open: a process has no more descriptors than its limit.
CLIENTS, PER_ADDRESS = 2, 1_000
# More descriptors than the gateway keeps for everything except connections of clients.
RESERVE = 1_000
KIB = 1024
# Idle connections are closed after 75 s.
OPENED_WITHIN = 70
ANSWER = "/health"
STREAM = "/t4r/active/stream?runID={}"
RUNNERS = 100  # of the run that is watched


def _descriptors(pid):
    """The number of open files and sockets of a process."""
    return len(os.listdir(f"/proc/{pid}/fd"))


def _allowed(pid):
    """The connections that the limit of the gateway's descriptors allows."""
    with open(f"/proc/{pid}/limits", encoding="ascii") as file:
        limit = next(line.split()[3] for line in file if line.startswith("Max open files"))
    return min(CONNECTIONS, (int(limit) - RESERVE) // CLIENTS * CLIENTS)


def _growth(report, system, kind, path):
    """The growth of the gateway for each connection, their number, and the seconds to open them."""
    # What a former measurement left free would be reused, and not counted.
    run([system.program("trackme"), "replace", "gateway"], system.environment,
        "trackme replace gateway")
    gateway = system.processes()["gateway"][0][0]
    port = system.https_port if kind == "tls" else system.http_port
    count = _allowed(gateway)
    each = count // CLIENTS
    commands = [[sys.executable, __file__, str(port), str(each), str(client * each), kind, path]
                for client in range(CLIENTS)]
    report.begin(f"{count} connections, {kind}, {path}", [" ".join(commands[0][1:])])
    before, descriptors, began = resident(gateway), _descriptors(gateway), time.monotonic()
    clients = [subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
               for command in commands]
    try:
        for client in clients:
            if client.stdout.readline() != "open\n":
                raise BenchFailure("a client could not open its connections")
        seconds = time.monotonic() - began
        if seconds > OPENED_WITHIN:
            raise BenchFailure(f"the connections took {seconds:.0f} s: the first ones are closed")
        opened, after = _descriptors(gateway) - descriptors, resident(gateway)
    finally:
        for client in clients:
            client.stdin.close()
            client.wait()
    # Connections to the services come and go.
    if opened < 0.99 * count:
        raise BenchFailure(f"the gateway has only {opened} more descriptors")
    return (after - before) / count / KIB, count, seconds


def measure(report, system):
    """Each kind of connection, at a gateway that has just been started; the streams are of a run
    that begins tomorrow."""
    start = int(time.time()) + 86_400
    run_id = system.sql(watching.MAKE.format(start=start, runners=RUNNERS), "track4run").strip()
    for kind, path, what, must in [
            ("plain", ANSWER, "an idle connection, HTTP/1.1", 8),
            ("tls", ANSWER, "an idle connection, HTTP/1.1 over TLS 1.3", 24),
            ("tls", STREAM.format(run_id), "an open stream, HTTP/1.1 over TLS 1.3", 28)]:
        kib, count, seconds = _growth(report, system, kind, path)
        report.add(Row(what, kib, "KiB", must=must, below=True,
                       note=f"{count:,} opened in {seconds:.0f} s"))
        if path != ANSWER:
            report.add(Row("open streams over TLS 1.3 at one gateway", count, "",
                           must=CONNECTIONS))


def _client(port, count, first, kind, path):
    """Opens connections one after the other, reads one answer of each, or its first bytes, and
    keeps them open until its standard input ends. Ends when the gateway has closed all of them, or
    at once with open streams."""
    request = f"GET {path} HTTP/1.1\r\nHost: localhost\r\n\r\n".encode()
    context = ssl.create_default_context()
    context.check_hostname = False
    context.verify_mode = ssl.CERT_NONE
    kept = []
    for number in range(first, first + count):
        source = f"127.0.1.{number // PER_ADDRESS + 1}"
        connection = socket.create_connection(("127.0.0.1", port), 60, (source, 0))
        if kind == "tls":
            connection = context.wrap_socket(connection)
        connection.sendall(request)
        answer = connection.recv(4_096)
        if not answer.startswith(b"HTTP/1.1 200"):
            raise SystemExit(f"the gateway answered {answer[:80]}")
        kept.append(connection)
    print("open", flush=True)
    sys.stdin.read()
    if path != ANSWER:
        return
    for connection in kept:
        connection.shutdown(socket.SHUT_WR)
    for connection in kept:
        while connection.recv(4_096):
            pass


if __name__ == "__main__":
    _client(int(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3]), *sys.argv[4:])
