"""A client of a stream of events that takes nothing for a while.

Usage: stalled.py PORT TOKEN FILE. Opens the stream from now on, makes FILE.open, takes one event,
makes FILE.event, waits for FILE.go, reads on to the end or the loss of the connection, and makes
FILE.done of the body. Ends with the process that has started it.
"""

import os
import socket
import sys
import time

port, token, path = int(sys.argv[1]), sys.argv[2], sys.argv[3]
parent = os.getppid()


def whole_chunks(body):
    """The body as far as its chunks came (RFC 9112, section 7.1)."""
    text, place = b"", 0
    while True:
        end = body.find(b"\r\n", place)
        if end < 0:
            return text
        size = int(body[place:end], 16)
        chunk = body[end + 2:end + 2 + size]
        text += chunk
        place = end + 2 + size + 2
        if size == 0 or len(chunk) < size:
            return text


with socket.socket() as client:
    client.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
    client.connect(("127.0.0.1", port))
    client.sendall((
        f"GET /req/tp/stream HTTP/1.1\r\nHost: localhost:{port}\r\n"
        f"Authorization: Bearer {token}\r\n\r\n").encode())
    received = client.recv(1024)
    with open(path + ".open", "wb"):
        pass
    # However the pieces fall: to the end of the first event that has a number.
    while b"\n\n" not in received.partition(b"\nid: ")[2]:
        piece = client.recv(1024)
        if not piece:
            sys.exit(f"the stream ended: {received!r}")
        received += piece
    with open(path + ".event", "wb"):
        pass
    while not os.path.exists(path + ".go"):
        if os.getppid() != parent:
            sys.exit("the test has ended")
        time.sleep(0.02)
    try:
        while piece := client.recv(1 << 16):
            received += piece
    except OSError:
        pass
with open(path + ".part", "wb") as file:
    file.write(whole_chunks(received.partition(b"\r\n\r\n")[2]))
os.rename(path + ".part", path + ".done")
