"""An event stream client that stops reading for a while.

Usage: stalled.py PORT TOKEN FILE. Opens the stream from now on, creates FILE.open, reads one event,
creates FILE.event, waits for FILE.go, reads to the end or the loss of the connection, and writes
the body to FILE.done. Ends with its parent process.
"""

import os
import socket
import sys
import time

port, token, path = int(sys.argv[1]), sys.argv[2], sys.argv[3]
parent = os.getppid()


def whole_chunks(body):
    """The body of the chunks received so far (RFC 9112, section 7.1)."""
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
    # Reads to the end of the first event with a number, however it is divided into pieces.
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
