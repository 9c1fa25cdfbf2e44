"""Tries TCP connections and UDP datagrams from the network namespace in which it runs.

Reads a JSON list of [address, port, "tcp" or "udp"] and writes the outcomes in the same order:
"open", "refused" (the destination answered, so the firewall let it pass), or "dropped" (no
answer). A datagram that arrives is "refused": no process reads one, so the destination answers by
ICMP (RFC 1122, 4.1.3.1). Linux limits the ICMP errors for each peer: a fault that lets many
datagrams pass shows as a few that are "refused".
"""

import errno
import json
import resource
import selectors
import socket
import sys
import time

SECONDS = 1.5
PARALLEL = 8000  # at most; the limit of open files may allow fewer


def outcome(error):
    if error == 0:
        return "open"
    return "refused" if error == errno.ECONNREFUSED else "dropped"


def probe(targets):
    """The outcomes of connections that begin together."""
    outcomes = ["dropped"] * len(targets)
    with selectors.DefaultSelector() as pending:
        for place, (address, port, protocol) in enumerate(targets):
            is_datagram = protocol == "udp"
            end = socket.socket(socket.AF_INET6 if ":" in address else socket.AF_INET,
                                socket.SOCK_DGRAM if is_datagram else socket.SOCK_STREAM)
            end.setblocking(False)
            error = end.connect_ex((address, port))
            if error == 0 and is_datagram:
                end.send(b"probe")
                pending.register(end, selectors.EVENT_READ, place)
                continue
            if error == errno.EINPROGRESS:
                pending.register(end, selectors.EVENT_WRITE, place)
                continue
            outcomes[place] = outcome(error)
            end.close()
        deadline = time.monotonic() + SECONDS
        # Answers that have come are read after the deadline too: this process may be late.
        while pending.get_map():
            remaining = max(0, deadline - time.monotonic())
            answered = pending.select(remaining)
            for key, _ in answered:
                error = key.fileobj.getsockopt(socket.SOL_SOCKET, socket.SO_ERROR)
                outcomes[key.data] = outcome(error)
                pending.unregister(key.fileobj)
                key.fileobj.close()
            if remaining == 0 and not answered:
                break
        for key in list(pending.get_map().values()):
            key.fileobj.close()
    return outcomes


def main():
    _, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
    parallel = min(PARALLEL, hard - 64)
    targets, outcomes = json.load(sys.stdin), []
    for first in range(0, len(targets), parallel):
        outcomes += probe(targets[first:first + parallel])
    json.dump(outcomes, sys.stdout)


main()
