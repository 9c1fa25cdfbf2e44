"""Verifies the signatures of calls as the Standard Webhooks specification requires.

Usage: signatures.py LOG PATH SECRET [SKIPPED], with the lines written by receiver.py; the first
SKIPPED calls of the path are ignored.
"""

import base64
import hashlib
import hmac
import json
import sys

AGE_MAX = 300
log, path, secret = sys.argv[1:4]
skipped = int(sys.argv[4]) if len(sys.argv) > 4 else 0
key = base64.b64decode(secret.removeprefix("whsec_"))
count = 0
with open(log, encoding="utf-8") as lines:
    for call in map(json.loads, lines):
        if call["path"] != path:
            continue
        if skipped > 0:
            skipped -= 1
            continue
        signed = f"{call['id']}.{call['timestamp']}.{call['body']}".encode()
        right = "v1," + base64.b64encode(hmac.digest(key, signed, hashlib.sha256)).decode()
        if not any(hmac.compare_digest(each, right) for each in call["signature"].split(" ")):
            sys.exit(f"{call['id']} is not signed by this secret")
        if abs(call["at"] - int(call["timestamp"])) > AGE_MAX:
            sys.exit(f"{call['id']} is not of its time")
        count += 1
print(count)
