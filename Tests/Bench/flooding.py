"""Floods of hostile clients against the gateway: what another client notices of each.

Run as a program it is such a client: flooding.py PORT KIND SECONDS
"""

import pathlib
import signal
import socket
import ssl
import statistics
import struct
import subprocess
import sys
import time

from load import Punctual, prioritise
from processes import BenchFailure, Running, peak, pinned, reset_peak, resident
from proxying import GET_PATH, LOAD_CORE, Contest, bearer
from report import Row
from rounds import QUICK, ROUNDS, SECONDS

RATE = 20_000  # requests a second of the other client, a quarter of what the gateway can answer
CLIENTS = 64
SLOWEST = 0.99
# The hostile client keeps a quarter of the connections that one address may have.
CONNECTIONS = 50 if QUICK else 500
GROWTH_MAX = 128  # MiB: what the gateway buffers at most for all clients

PREFACE = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"
DATA, HEADERS, PRIORITY, RESET, SETTINGS, PING, WINDOW_UPDATE, CONTINUATION = 0, 1, 2, 3, 4, 6, 8, 9
END_STREAM, END_HEADERS = 1, 4
INITIAL_WINDOW_SIZE, CANCEL = 4, 8
# RFC 7541 in literals without indexing: GET or POST, https, /openapi.json, localhost.
PATH = b"/openapi.json"
FIELDS = (b"\x87\x04" + bytes([len(PATH)]) + PATH + b"\x01\x09localhost")
GET, POST = b"\x82" + FIELDS, b"\x83" + FIELDS
# A length that contradicts a request without a body, so that the gateway resets its stream.
CONTRADICTION = b"\x00\x0econtent-length\x019"
# A field of 4,000 bytes enters the table of the connection (section 6.2.1), and is named by its
# index there.
LARGE = b"\x40\x01x\x7f\xa1\x1e" + bytes(4_000).replace(b"\0", b"v")
REFERENCE = b"\xbe"


def frame(kind, flags, stream, payload=b""):
    """A frame of HTTP/2 (RFC 9113, section 4.1)."""
    return struct.pack(">I", len(payload))[1:] + struct.pack(">BBI", kind, flags, stream) + payload


def batch(kind, first):
    """Frames of a flood, and the number of the stream after them."""
    if kind == "resets":
        streams = range(first, first + 400, 2)
        return b"".join(
            frame(HEADERS, END_STREAM | END_HEADERS, each, GET)
            + frame(RESET, 0, each, struct.pack(">I", CANCEL)) for each in streams), first + 400
    if kind in ("provoked resets", "table references"):
        head = GET + (CONTRADICTION if kind == "provoked resets" else REFERENCE * 30)
        streams = range(first, first + 100, 2)
        return b"".join(frame(HEADERS, END_STREAM | END_HEADERS, each, head)
                        for each in streams), first + 100
    if kind == "continuations":
        return frame(CONTINUATION, 0, 1, b"\x00\x01a\x01b") * 1_000, first
    if kind == "empty data":
        return frame(DATA, 0, 1) * 1_000, first
    if kind == "settings":
        return frame(SETTINGS, 0, 0) * 1_000, first
    if kind == "pings":
        return frame(PING, 0, 0, bytes(8)) * 1_000, first
    if kind == "priorities":
        return frame(PRIORITY, 0, 3, bytes(4) + b"\x10") * 1_000, first
    if kind == "window updates":
        return frame(WINDOW_UPDATE, 0, 0, struct.pack(">I", 1)) * 1_000, first
    raise ValueError(kind)


def opening(kind):
    """What precedes the flood on a connection."""
    if kind == "continuations":
        return frame(SETTINGS, 0, 0) + frame(HEADERS, 0, 1, GET)
    if kind == "empty data":
        return frame(SETTINGS, 0, 0) + frame(HEADERS, END_HEADERS, 1, POST)
    if kind == "table references":
        return frame(SETTINGS, 0, 0) + frame(HEADERS, END_STREAM | END_HEADERS, 1, GET + LARGE)
    if kind in ("closed windows", "windows of a byte"):
        window = struct.pack(">HI", INITIAL_WINDOW_SIZE, 0 if kind == "closed windows" else 1)
        return frame(SETTINGS, 0, 0, window) + b"".join(
            frame(HEADERS, END_STREAM | END_HEADERS, each, GET) for each in range(1, 200, 2))
    return frame(SETTINGS, 0, 0)


HOLDING = ["closed windows", "windows of a byte", "slow readers"]
KINDS = ["resets", "provoked resets", "continuations", "empty data", "settings", "pings",
         "priorities", "window updates", "table references"] + HOLDING


def measure(report, system, directory, token):
    """The latency of another client beside each flood and, in alternating rounds, without it."""
    with Contest(system, directory, token) as contest:
        plain, secure, _ = contest.gateway_ports
        log = f"{directory}/flooded"
        # The backend shares the core with the hostile client as well.
        prioritise(contest.backend)
        load = Punctual(f"http://127.0.0.1:{plain}{GET_PATH}",
                        bearer(contest.token), {}, connections=CLIENTS,
                        streams=1, core=LOAD_CORE, secrets={contest.token: "$TOKEN"},
                        options=["--h1", f"--rps={RATE // CLIENTS}", f"--log-file={log}"])
        report.begin(f"{RATE:,} GETs a second beside floods", [load.shown(SECONDS)])
        _slowest(load, log)
        reset_peak(contest.gateway.pid)
        before = resident(contest.gateway.pid)
        for kind in KINDS:
            floods = [(*_flooded(load, log, directory, secure, kind), _slowest(load, log))
                      for _ in range(min(ROUNDS, 3))]
            beside, turns, quiet = (statistics.median(each) for each in zip(*floods))
            ratios = [flooded / calm for flooded, _, calm in floods]
            report.add(Row(f"gateway, flood of {kind}: 99 % of another client's requests",
                           beside / quiet, "", must=2, below=True,
                           note=f"{beside:.2f} ms, {quiet:.2f} without; rounds "
                                f"{min(ratios):.2f} to {max(ratios):.2f}; {turns:,.0f} "
                                f"{'connections' if kind in HOLDING else 'batches of frames'}"))
        grown = (peak(contest.gateway.pid) - before) / (1 << 20)
        left = (resident(contest.gateway.pid) - before) / (1 << 20)
        report.add(Row("gateway, growth of memory during all floods, at most", grown, "MiB",
                       must=GROWTH_MAX, below=True, note=f"{left:.0f} MiB after them"))


def _flooded(load, log, directory, port, kind):
    """The latency beside a flood, which lasts longer, and how often it sent meanwhile."""
    # It has what the backend and the other client leave of their core.
    command = pinned(LOAD_CORE, ["chrt", "--idle", "0", sys.executable, __file__, str(port), kind,
                                 str(2 * SECONDS)])
    errors = f"{directory}/flood.errors"
    with Running(command, output=subprocess.PIPE, errors=errors) as flood:
        if not flood.process.stdout.readline():
            raise BenchFailure(f"the flood of {kind} did not begin")
        slow = _slowest(load, log)
        if flood.process.poll() is not None:
            with open(errors, encoding="utf-8") as file:
                raise BenchFailure(f"the flood of {kind} ended: {file.read()[-300:]}")
    turns = int(flood.process.stdout.readline() or 0)
    if turns == 0:
        raise BenchFailure(f"the flood of {kind} sent nothing beside the other client")
    return slow, turns


def _slowest(load, log):
    """The slowest of 100 requests, in milliseconds."""
    # h2load appends.
    pathlib.Path(log).unlink(missing_ok=True)
    load.measure(SECONDS)
    with open(log, encoding="ascii") as file:
        latencies = sorted(int(line.split("\t")[2]) for line in file)
    if len(latencies) < RATE * SECONDS / 2:
        raise BenchFailure(f"h2load sent only {len(latencies)} requests")
    return latencies[int(len(latencies) * SLOWEST)] / 1_000


# --- the hostile client -------------------------------------------------------------------------

def connect(port, protocol):
    context = ssl.create_default_context()
    context.check_hostname = False
    context.verify_mode = ssl.CERT_NONE
    context.set_alpn_protocols([protocol])
    return context.wrap_socket(socket.create_connection(("127.0.0.1", port), 5))


def flood(port, kind, end):
    """Sends frames as fast as the gateway takes them, on a new connection after each close;
    yields after each batch."""
    while time.monotonic() < end:
        try:
            with connect(port, "h2") as connection:
                connection.sendall(PREFACE + opening(kind))
                stream = 3 if kind == "table references" else 1
                while time.monotonic() < end:
                    frames, stream = batch(kind, stream)
                    connection.sendall(frames)
                    yield
        except OSError:
            pass


def hold(port, kind, end):
    """Keeps connections whose answers it does not read; yields after each of them."""
    kept = []
    is_http2 = kind != "slow readers"
    request = PREFACE + opening(kind) if is_http2 else (
        b"GET /openapi.json HTTP/1.1\r\nHost: localhost\r\n\r\n" * 20)
    while time.monotonic() < end:
        if len(kept) == CONNECTIONS:
            kept.pop(0).close()
        try:
            connection = connect(port, "h2" if is_http2 else "http/1.1")
            connection.sendall(request)
            kept.append(connection)
            yield
        except OSError:
            pass


if __name__ == "__main__":
    work = hold if sys.argv[2] in HOLDING else flood
    signal.signal(signal.SIGTERM, lambda *_: sys.exit())
    sent = 0
    try:
        for _ in work(int(sys.argv[1]), sys.argv[2], time.monotonic() + float(sys.argv[3])):
            sent += 1
            if sent == 1:
                print("begun", flush=True)
        # The measurement ends this process; an earlier end is a fault.
        sys.exit("the time is over")
    finally:
        print(max(0, sent - 1), flush=True)
