"""The hooks of schemathesis for TrackMe: callers, and calls that must be accepted.

For every endpoint the run begins with calls that must be accepted, and some of the generated calls
are made acceptable too: a fuzzer whose calls are all refused only tests the refusal. Every token is
of the kind required by the endpoint's security. Logins and logouts use separate accounts, so that
the fuzzer does not log itself out. At the end of the run, the accepted calls and the statuses of
each endpoint are written to TRACKME_FUZZ_TABLE as JSON.
"""

import atexit
import collections
import hashlib
import hmac
import json
import os
import time

import schemathesis
from schemathesis.core import NOT_SET
from schemathesis.generation import GenerationMode

import valid_calls

FIRST_CALLS = 6
# Every third generated call that is valid by the schema is made acceptable.
SHARE = 3

_generated = collections.Counter()
_statuses = collections.defaultdict(collections.Counter)
# The files used as acceptable bodies. The fuzzer considers every body of bytes set by a hook as a
# violation of its schema.
_files = set()


def _name(operation):
    return operation.definition.raw["operationId"]


def _body(parts):
    return parts.get("body", NOT_SET)


@schemathesis.hook
def before_add_examples(context, examples):
    operation = context.operation
    for _ in range(FIRST_CALLS):
        parts = valid_calls.parts(_name(operation))
        media_type = parts.get("media_type") or ("application/json" if "body" in parts else None)
        examples.append(
            operation.Case(
                path_parameters=parts.get("path") or {}, query=parts.get("query") or {}, body=_body(parts), media_type=media_type))


def _sign(case):
    """Signs a confirmation like the broker, over the final bytes of the body."""
    with open(os.environ["TRACKME_FUZZ_SIGNING"], encoding="utf-8") as secret:
        key = secret.read().strip().encode()
    stamp = str(int(time.time()))
    body = json.dumps(case.body, allow_nan=False).encode()
    code = hmac.new(key, stamp.encode() + b"." + body, hashlib.sha256).hexdigest()
    case.headers["Stripe-Signature"] = f"t={stamp},v1={code}"


@schemathesis.hook
def before_call(context, case, kwargs):
    meta = case.meta
    name = _name(case.operation)
    if meta is None:
        # One of the first calls: it has no token from elsewhere, so it logs in now.
        _show_token(case)
        if name == "confirmPayment":
            _sign(case)
        return
    if meta.phase.name.value != "fuzzing" or meta.generation.mode != GenerationMode.POSITIVE:
        return
    _generated[name] += 1
    if name not in valid_calls.BUILDERS or _generated[name] % SHARE:
        return
    parts = valid_calls.parts(name)
    case.query = parts.get("query") or {}
    if "path" in parts:
        case.path_parameters = parts["path"]
    if "body" in parts:
        case.body = parts["body"]
        if isinstance(case.body, bytes):
            _files.add(case.body)
        case.media_type = parts.get("media_type") or "application/json"
        if valid_calls.owner_of(case.body):
            _show_token(case)
    if name == "confirmPayment":
        _sign(case)


@schemathesis.hook
def filter_failure(context, failure, case, response):
    # A long list may exceed the body limit first, and many parameters the limit of the target: 413
    # and 414 are valid refusals besides 400.
    return not (
        type(failure).__name__ == "AcceptedNegativeData"
        and (response.status_code in (413, 414)
             or isinstance(case.body, bytes) and case.body in _files))


@schemathesis.hook
def after_call(context, case, response):
    # Other methods on the same path are tried too; they have no operation of their own.
    if case.method.upper() == case.operation.method.upper():
        _statuses[_name(case.operation)][response.status_code] += 1


def _token(case):
    owner = valid_calls.owner_of(case.body)
    if owner is not None:
        return owner
    rules = case.operation.definition.raw.get("security", [])
    schemes = {name for rule in rules for name in rule}
    return valid_calls.cast().token(_name(case.operation), schemes) if schemes else None


def _show_token(case):
    token = _token(case)
    if token is not None:
        case.headers["Authorization"] = f"Bearer {token}"


@schemathesis.auth(refresh_interval=None)
class Tokens:
    def get(self, case, context):
        return _token(case)

    def set(self, case, data, context):
        if data is not None:
            case.headers["Authorization"] = f"Bearer {data}"


@atexit.register
def write_table():
    rows = {
        name: {
            "calls": statuses.total(),
            "accepted": sum(count for status, count in statuses.items() if 200 <= status < 300),
            "statuses": {str(status): count for status, count in sorted(statuses.items())},
        }
        for name, statuses in sorted(_statuses.items())
    }
    with open(os.environ["TRACKME_FUZZ_TABLE"], "w", encoding="utf-8") as table:
        json.dump(rows, table)
