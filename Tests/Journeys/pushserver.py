"""A push service for tests, which plays the browsers too and checks each message as they would.

Usage: pushserver.py PORT DIRECTORY.

`GET /browser/NAME` creates a browser with its own keys and answers its subscription. `POST
/push/NAME` checks the sender's token (RFC 8292), decrypts the message with `http_ece` (RFC 8291)
and stores both in `DIRECTORY/NAME-NUMBER.json`. It answers 410 to browsers whose name begins with
`gone`, and 503 to the first message for a name that begins with `busy`. A message with a fault is
answered with 400 and stored as `DIRECTORY/fault-NUMBER.txt`.
"""

import base64
import http.server
import itertools
import json
import pathlib
import sys
import time
import traceback

import http_ece
from cryptography.hazmat.primitives.asymmetric import ec, utils
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat

PORT = int(sys.argv[1])
PLACE = pathlib.Path(sys.argv[2])
ORIGIN = f"http://127.0.0.1:{PORT}"
BROWSERS = {}
NUMBERS = itertools.count()
BUSY = set()


def encoded(octets):
    return base64.urlsafe_b64encode(octets).rstrip(b"=").decode()


def decoded(text):
    return base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))


class Browser:
    """The keys of a browser."""

    def __init__(self, name):
        self.name = name
        self.key = ec.generate_private_key(ec.SECP256R1())
        self.secret = name.encode().ljust(16, b".")[:16]

    def subscription(self):
        point = self.key.public_key().public_bytes(
            Encoding.X962, PublicFormat.UncompressedPoint)
        return {
            "endpoint": f"{ORIGIN}/push/{self.name}", "p256dh": encoded(point),
            "auth": encoded(self.secret),
        }

    def open(self, body):
        content = http_ece.decrypt(
            body, private_key=self.key, auth_secret=self.secret, version="aes128gcm")
        return json.loads(content)


def sender(authorization):
    """The public key and the contact of a message's sender, after a check of its token."""
    scheme, rest = authorization.split(" ", 1)
    assert scheme == "vapid", scheme
    fields = dict(part.strip().split("=", 1) for part in rest.split(","))
    head, claims, signature = fields["t"].split(".")
    assert json.loads(decoded(head)) == {"typ": "JWT", "alg": "ES256"}
    half = decoded(signature)
    assert len(half) == 64, len(half)
    key = ec.EllipticCurvePublicKey.from_encoded_point(ec.SECP256R1(), decoded(fields["k"]))
    numbers = [int.from_bytes(part, "big") for part in (half[:32], half[32:])]
    key.verify(
        utils.encode_dss_signature(*numbers), f"{head}.{claims}".encode(), ec.ECDSA(SHA256()))
    claimed = json.loads(decoded(claims))
    assert claimed["aud"] == ORIGIN, claimed
    assert time.time() < claimed["exp"] <= time.time() + 24 * 3600, claimed
    assert claimed["sub"].startswith("mailto:"), claimed
    return fields["k"], claimed["sub"]


def store(name, text):
    partial = PLACE / f".{name}"
    partial.write_text(text)
    partial.rename(PLACE / name)


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *_):
        pass

    def answer(self, status, body=b""):
        self.send_response(status)
        self.send_header("content-length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def do_GET(self):
        name = self.path.rsplit("/", 1)[-1]
        browser = BROWSERS.setdefault(name, Browser(name))
        self.answer(200, json.dumps(browser.subscription()).encode())

    def do_POST(self):
        body = self.rfile.read(int(self.headers["content-length"]))
        name = self.path.rsplit("/", 1)[-1]
        try:
            message = self.message(BROWSERS[name], body)
        except Exception:
            store(f"fault-{next(NUMBERS)}.txt", traceback.format_exc())
            self.answer(400)
            return
        if name.startswith("gone"):
            self.answer(410)
        elif name.startswith("busy") and name not in BUSY:
            BUSY.add(name)
            self.answer(503)
        else:
            store(f"{name}-{next(NUMBERS)}.json", json.dumps(message))
            self.answer(201)

    def message(self, browser, body):
        assert self.headers["content-encoding"] == "aes128gcm"
        key, contact = sender(self.headers["authorization"])
        return {
            "content": browser.open(body), "length": len(body), "ttl": int(self.headers["ttl"]),
            "urgency": self.headers["urgency"], "topic": self.headers["topic"], "key": key,
            "contact": contact,
        }


PLACE.mkdir(parents=True, exist_ok=True)
http.server.ThreadingHTTPServer(("127.0.0.1", PORT), Handler).serve_forever()
