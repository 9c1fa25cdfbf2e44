"""Spectators that read nothing.

Usage: stalled_spectators.py PORT RUN COUNT FILE. Opens COUNT streams with the smallest buffers,
reads the beginning of each, creates FILE.open, and reads nothing until FILE.go exists or the parent
process has ended.
"""

import os
import socket
import sys
import time

port, run, count, path = int(sys.argv[1]), sys.argv[2], int(sys.argv[3]), sys.argv[4]
parent = os.getppid()
clients = []
for _ in range(count):
    client = socket.socket()
    client.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
    # Small segments also limit the sender's buffer.
    client.setsockopt(socket.IPPROTO_TCP, socket.TCP_MAXSEG, 536)
    client.connect(("127.0.0.1", port))
    client.sendall((
        f"GET /t4r/active/stream?runID={run} HTTP/1.1\r\n"
        f"Host: localhost:{port}\r\n\r\n").encode())
    if not client.recv(256).startswith(b"HTTP/1.1 200"):
        sys.exit("no stream")
    clients.append(client)
with open(path + ".open", "wb"):
    pass
while not os.path.exists(path + ".go") and os.getppid() == parent:
    time.sleep(0.02)
