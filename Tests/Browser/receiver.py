"""A program that receives the callbacks of a company."""

import base64
import hashlib
import hmac
import http.server
import json
import threading


class Receiver:
    """A company's program: answers challenges and keeps the calls of the callback."""

    def __init__(self):
        receiver = self
        self.calls = []
        self.status = 200

        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_POST(self):
                body = self.rfile.read(int(self.headers["content-length"]))
                event = json.loads(body)
                receiver.calls.append((dict(self.headers.items()), body, event["type"]))
                answer = b""
                if event["type"] == "endpoint.challenge":
                    answer = json.dumps({"challenge": event["data"]["challenge"]}).encode()
                self.send_response(receiver.status)
                self.send_header("content-length", str(len(answer)))
                self.end_headers()
                self.wfile.write(answer)

            def log_message(self, *arguments):
                pass

        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.address = f"http://127.0.0.1:{self.server.server_port}/hook"
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def tests(self):
        return [call for call in self.calls if call[2] == "endpoint.test"]


def is_signed(secret, headers, body):
    """Whether one of the signatures of a call belongs to a secret (Standard Webhooks)."""
    fields = {name.lower(): value for name, value in headers.items()}
    signed = f"{fields['webhook-id']}.{fields['webhook-timestamp']}.".encode() + body
    key = base64.b64decode(secret.removeprefix("whsec_"))
    expected = b"v1," + base64.b64encode(hmac.digest(key, signed, hashlib.sha256))
    return expected.decode() in fields["webhook-signature"].split(" ")
