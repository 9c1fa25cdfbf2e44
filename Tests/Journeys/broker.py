"""A payment broker for tests: the used part of Stripe's hosted checkout.

Usage: broker.py PORT GATEWAY KEY SIGNING_SECRET. `POST /v1/checkout/sessions` returns 400 with the
fault of an invalid form; `GET /pay/SESSION` pays the session, and returns the statuses of the
confirmation and of its replay.
"""

import hashlib
import hmac
import http.server
import json
import sys
import threading
import time
import urllib.error
import urllib.parse
import urllib.request

PORT, GATEWAY, KEY, SECRET = int(sys.argv[1]), sys.argv[2], sys.argv[3], sys.argv[4]
WANTED = {
    "mode", "client_reference_id", "success_url", "cancel_url", "line_items[0][quantity]",
    "line_items[0][price_data][currency]", "line_items[0][price_data][unit_amount]",
    "line_items[0][price_data][product_data][name]",
}
SESSIONS = {}
BY_KEY = {}
# Each request runs on its own thread.
LOCK = threading.Lock()


def confirm(body):
    stamp = str(int(time.time()))
    code = hmac.new(SECRET.encode(), f"{stamp}.".encode() + body, hashlib.sha256).hexdigest()
    request = urllib.request.Request(
        GATEWAY + "/pay/confirm", body,
        {"Content-Type": "application/json", "Stripe-Signature": f"t={stamp},v1={code}"})
    try:
        return urllib.request.urlopen(request, timeout=120).status
    except urllib.error.HTTPError as error:
        return error.code


class Broker(http.server.BaseHTTPRequestHandler):
    def do_POST(self):
        form = dict(urllib.parse.parse_qsl(
            self.rfile.read(int(self.headers["content-length"])).decode(), strict_parsing=True))
        wrong = self.wrong(form)
        if wrong:
            self.answer(400, {"error": {"message": wrong}})
            return
        key = self.headers["idempotency-key"]
        with LOCK:
            if key not in BY_KEY:
                session = f"cs_test_{len(SESSIONS)}"
                BY_KEY[key] = session
                SESSIONS[session] = form
            session = BY_KEY[key]
        self.answer(200, {"id": session, "url": f"http://127.0.0.1:{PORT}/pay/{session}"})

    def wrong(self, form):
        if self.path != "/v1/checkout/sessions":
            return "path"
        if self.headers["authorization"] != f"Bearer {KEY}":
            return "key"
        if self.headers["content-type"] != "application/x-www-form-urlencoded":
            return "media type"
        if not self.headers["idempotency-key"]:
            return "idempotency key"
        if set(form) != WANTED or form["mode"] != "payment":
            return f"fields {sorted(form)}"
        return None

    def do_GET(self):
        form = SESSIONS.get(self.path.removeprefix("/pay/"))
        if form is None:
            self.answer(404, {})
            return
        body = json.dumps({
            "id": "evt_test", "object": "event", "data": {"object": {
                "id": self.path, "object": "checkout.session", "customer": None,
                "amount_total": int(form["line_items[0][price_data][unit_amount]"]),
                "currency": form["line_items[0][price_data][currency]"],
                "client_reference_id": form["client_reference_id"], "payment_status": "paid"}},
            "type": "checkout.session.completed"}).encode()
        self.answer(200, {"statuses": [confirm(body), confirm(body)]})

    def answer(self, status, document):
        self.send_response(status)
        self.end_headers()
        self.wfile.write(json.dumps(document).encode())

    def log_message(self, *arguments):
        pass


http.server.ThreadingHTTPServer(("127.0.0.1", PORT), Broker).serve_forever()
