"""The load of the drills, and its checker: people upload and read through the gateway without a
pause, and afterwards everything that was acknowledged must be in their history, once."""

import collections
import datetime
import http.client
import json
import secrets
import threading
import time
import urllib.parse

from deployment import Failure

PAUSE = 0.25  # between two requests of a worker
REQUEST_MAX = 10  # seconds
SAMPLES = 2  # of an upload


class Worker(threading.Thread):
    """Sends one request after the other, on a connection that it keeps while it works."""

    def __init__(self, kind, client):
        super().__init__(daemon=True)
        self.kind = kind
        self.client = client
        self.outcomes = []  # (monotonic time of the answer, whether it was 200)
        self.causes = collections.Counter()
        self.ending = threading.Event()
        self.connection = None

    def run(self):
        while not self.ending.is_set():
            self.outcomes.append((time.monotonic(), self.turn()))
            self.ending.wait(PAUSE)

    def send(self, method, path, body=None, fields=None):
        """The body of an answer of 200; None for every other outcome."""
        try:
            if self.connection is None:
                self.connection = http.client.HTTPSConnection(
                    urllib.parse.urlsplit(self.client.origin).netloc, context=self.client.context,
                    timeout=REQUEST_MAX)
            self.connection.request(method, path, body=body, headers=fields or {})
            answer = self.connection.getresponse()
            content = answer.read()
        except (OSError, http.client.HTTPException) as error:
            if self.connection is not None:
                self.connection.close()
            self.connection = None
            self.causes[type(error).__name__] += 1
            return None
        if answer.status == 200:
            return content
        self.causes[str(answer.status)] += 1
        return None


class Uploader(Worker):
    """Uploads samples as a device does: the same body again until it is acknowledged. Every second
    uploader sends an Idempotency-Key, with which the gateway may repeat by itself."""

    def __init__(self, person, sends_key):
        super().__init__("uploads", person)
        self.person = person
        self.sends_key = sends_key
        self.sent = {}  # milliseconds of a sample: whether it was acknowledged
        self.last = 0
        self.pending = None

    def turn(self):
        if self.pending is None:
            self.last = max(int(time.time() * 1000), self.last + 1)
            times = [self.last + place for place in range(SAMPLES)]
            self.last = times[-1]
            fields = {"Authorization": f"Bearer {self.person.token}",
                      "Content-Type": "application/json"}
            if self.sends_key:
                fields["Idempotency-Key"] = secrets.token_hex(16)
            body = json.dumps({
                "dataTypes": ["heartRate"] * SAMPLES,
                "values": [str(60 + each % 40) for each in times],
                "timestamp": [text(each) for each in times]})
            self.sent.update((each, False) for each in times)
            self.pending = (times, body, fields)
        times, body, fields = self.pending
        if self.send("POST", "/data/upload", body, fields) is None:
            return False
        self.sent.update((each, True) for each in times)
        self.pending = None
        return True


class Reader(Worker):
    """Reads a person's own data, or without a person the public list of runs."""

    def __init__(self, kind, path, client, token=None):
        super().__init__(kind, client)
        self.path = path
        self.fields = {"Authorization": f"Bearer {token}"} if token else {}

    def turn(self):
        return self.send("GET", self.path, fields=self.fields) is not None


def text(milliseconds):
    """A time as RFC 3339."""
    moment = datetime.datetime.fromtimestamp(milliseconds // 1000, datetime.timezone.utc)
    return f"{moment:%Y-%m-%dT%H:%M:%S}.{milliseconds % 1000:03}Z"


class Load:
    """All workers. Each drill is a window of time in their outcomes."""

    def __init__(self, people):
        self.uploaders = [Uploader(each, index % 2 == 0) for index, each in enumerate(people)]
        self.workers = self.uploaders + [
            Reader("reads", "/data/quota", each, each.token) for each in people
        ] + [Reader("runs", "/t4r/active/list", people[0]) for _ in range(2)]

    def __enter__(self):
        for worker in self.workers:
            worker.start()
        return self

    def __exit__(self, *_):
        for worker in self.workers:
            worker.ending.set()
        for worker in self.workers:
            worker.join(REQUEST_MAX * 2)

    def has_served_since(self, moment):
        """Whether every worker has had an answer of 200 after this time."""
        return all(any(is_good and at > moment for at, is_good in worker.outcomes[-20:])
                   for worker in self.workers)

    def gap(self, kind, begin, end):
        """The longest time that one worker of a kind was without an answer of 200."""
        longest = 0.0
        for worker in (each for each in self.workers if each.kind == kind):
            times = [at for at, is_good in list(worker.outcomes)
                     if is_good and begin <= at <= end]
            edges = [begin, *times, end]
            longest = max([longest, *(b - a for a, b in zip(edges, edges[1:]))])
        return longest

    def failures(self, begin, end):
        """The requests of a window, and how many of them were not answered with 200."""
        window = [is_good for worker in self.workers for at, is_good in list(worker.outcomes)
                  if begin <= at <= end]
        return len(window), window.count(False)

    def causes(self):
        """The failures by cause since the last call."""
        total = collections.Counter()
        for worker in self.workers:
            total.update(worker.causes)
            worker.causes = collections.Counter()
        return total

    def check(self, since):
        """The outcome of `check` for all people."""
        return check(self.uploaders, since)


def check(uploaders, since):
    """Reads the histories; returns how many samples since a time (in milliseconds) were
    acknowledged, how many of those are missing, and how many are there twice."""
    acknowledged = lost = doubled = 0
    for uploader in uploaders:
        # Acknowledged before the history is read, so each of these must be in it.
        due = [each for each, done in list(uploader.sent.items()) if done and each >= since]
        counts = history(uploader.person, since)
        acknowledged += len(due)
        lost += sum(1 for each in due if counts[each] == 0)
        doubled += sum(1 for count in counts.values() if count > 1)
    return acknowledged, lost, doubled


def history(person, since):
    """The number of heart rates in a person's history, by their time."""
    counts, cursor = collections.Counter(), ""
    deadline = time.monotonic() + 60
    while True:
        status, page = person.send(
            f"/data/series?type=heartRate&from={text(since)}{cursor}", seconds=20)
        if status != 200:
            if time.monotonic() > deadline:
                raise Failure(f"the history cannot be read: {status}")
            time.sleep(0.5)
            continue
        for point in page["points"]:
            moment = datetime.datetime.fromisoformat(point["time"])
            counts[round(moment.timestamp() * 1000)] += 1
        if "next" not in page:
            return counts
        cursor = f"&cursor={urllib.parse.quote(page['next'])}"
