"""A third party's endpoint for tests: answers the challenge, then as selected by its path.

Usage: receiver.py PORT LOG [CERTIFICATE KEY]. Each call is written as a line of JSON to LOG.
"""

import http.server
import json
import ssl
import sys
import threading
import time

LOCK = threading.Lock()
COUNTS = {}


class Receiver(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_POST(self):
        body = self.rfile.read(int(self.headers["content-length"]))
        document = json.loads(body)
        kind = document["type"]
        with LOCK:
            if not kind.startswith("endpoint."):
                COUNTS[self.path] = COUNTS.get(self.path, 0) + 1
            count = COUNTS.get(self.path, 0)
            with open(sys.argv[2], "a", encoding="utf-8") as log:
                log.write(json.dumps({
                    "path": self.path, "at": time.time(), "peer": self.client_address[1], "id": self.headers["webhook-id"],
                    "timestamp": self.headers["webhook-timestamp"],
                    "signature": self.headers["webhook-signature"], "type": kind,
                    "seq": document.get("seq"), "body": body.decode()}) + "\n")
        if kind == "endpoint.challenge":
            wrong = self.path == "/stranger"
            challenge = "another" if wrong else document["data"]["challenge"]
            self.answer(200, json.dumps({"challenge": challenge}).encode())
        elif self.path == "/huge":
            self.huge()
        elif self.path == "/hang":
            time.sleep(60)
        elif self.path == "/flaky":
            self.answer(500 if count == 1 else 200)
        elif self.path == "/moved":
            self.answer(301, b"", [("location", "/taken")])
        elif self.path == "/gone":
            self.answer(410)
        elif self.path == "/later":
            self.answer(503, b"", [("retry-after", "1000")])
        else:
            self.answer(200)

    def answer(self, status, body=b"", fields=()):
        self.send_response(status)
        for name, value in fields:
            self.send_header(name, value)
        self.send_header("content-length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def huge(self):
        self.send_response(200)
        self.send_header("content-length", str(100 << 20))
        self.end_headers()
        try:
            for _ in range(100):
                self.wfile.write(b"x" * (1 << 20))
        except OSError:
            pass
        self.close_connection = True

    def log_message(self, *arguments):
        pass


server = http.server.ThreadingHTTPServer(("127.0.0.1", int(sys.argv[1])), Receiver)
server.daemon_threads = True
if len(sys.argv) > 3:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(sys.argv[3], sys.argv[4])
    server.socket = context.wrap_socket(server.socket, server_side=True, do_handshake_on_connect=False)
server.serve_forever()
