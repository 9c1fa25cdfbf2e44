"""Group requests over up to a million people: cold, warm, during uploads, and their growth."""

import datetime
import http.client
import json
import os
import statistics
import threading
import time

import companies
from processes import BenchFailure, run
from report import Row
from rounds import QUICK, ROUNDS

SIZES = [2_000, 20_000] if QUICK else [10_000, 100_000, 1_000_000]
UPLOADS_A_SECOND = 200
CONNECTIONS = 8
TYPES = ["heartRate", "steps", "weight"]
BROAD = ["age>=18"]
NARROW = ["age>=30", "sex=F", "residence.region=Lombardia", "heartRate>=60"]


def ask(system, token, search):
    """Seconds until the answer to a group, which must be approved."""
    began = time.monotonic()
    answer = system.ask("/req/tp/sendGroup", token, {
        "dataTypes": TYPES, "searchParams": search, "subscribing": False})
    seconds = time.monotonic() - began
    if answer["status"] != "approved":
        raise BenchFailure(f"a group was refused: {answer}")
    return seconds


def warm(system, token, search):
    """The median of some rounds after one warm-up round."""
    ask(system, token, search)
    return statistics.median(ask(system, token, search) for _ in range(ROUNDS))


def chill(system):
    """Restarts the system with empty caches of the database and the kernel."""
    system.stop()
    for folder, _, names in os.walk(f"{system.state}/postgres"):
        for name in names:
            path = f"{folder}/{name}"
            if not os.path.isfile(path):
                continue
            file = os.open(path, os.O_RDONLY)
            os.fsync(file)
            os.posix_fadvise(file, 0, 0, os.POSIX_FADV_DONTNEED)
            os.close(file)
    system.start()
    system.wait_until_usable("/data/quota", system.tokens[-1])


class Uploading:
    """Uploads single samples at a steady rate during the scope."""

    def __init__(self, system, tokens):
        self.system, self.tokens = system, tokens
        self.ending = threading.Event()
        self.done, self.failures = 0, []
        self.threads = [
            threading.Thread(target=self._send, args=(place,)) for place in range(CONNECTIONS)]

    def __enter__(self):
        self.began = time.monotonic()
        for thread in self.threads:
            thread.start()
        return self

    def __exit__(self, *_):
        self.ending.set()
        for thread in self.threads:
            thread.join()

    def rate(self):
        return self.done / (time.monotonic() - self.began)

    def _send(self, place):
        connection = http.client.HTTPConnection("127.0.0.1", self.system.http_port, timeout=30)
        start = datetime.datetime.now(datetime.timezone.utc) - datetime.timedelta(hours=12)
        pause, number = CONNECTIONS / UPLOADS_A_SECOND, 0
        try:
            while not self.ending.is_set():
                sample = start + datetime.timedelta(milliseconds=100 * number + place)
                body = json.dumps({"dataTypes": ["heartRate"], "values": ["70"],
                                   "timestamp": [sample.isoformat()]})
                token = self.tokens[(number * CONNECTIONS + place) % len(self.tokens)]
                connection.request("POST", "/data/upload", body, {
                    "Authorization": f"Bearer {token}", "Content-Type": "application/json"})
                answer = connection.getresponse()
                answer.read()
                if answer.status != 200:
                    raise BenchFailure(f"an upload was answered {answer.status}")
                self.done += 1
                number += 1
                late = self.began + number * pause - time.monotonic()
                self.ending.wait(max(late, 0))
        except (OSError, http.client.HTTPException, BenchFailure) as error:
            self.failures.append(str(error))


def generate(system, count):
    """Creates people; returns the seconds that it took."""
    began = time.monotonic()
    run([system.program("trackme-lab"), "generate", "people", "--count", str(count),
         "--months", "2"], system.environment, "trackme-lab generate people", seconds=3600)
    return time.monotonic() - began


def measure(report, system, tokens):
    """Measures the sizes in order; the bounds apply to the last one."""
    token = companies.company(system)
    report.begin(f"group requests for {', '.join(TYPES)} of 30 days",
                 ["trackme-lab generate people --count N --months 2",
                  f"POST /req/tp/sendGroup {BROAD} and {NARROW}"])
    made, spent, growth = 0, 0.0, []
    for size in SIZES:
        spent += generate(system, size - made)
        made = size
        growth.append((size, warm(system, token, BROAD)))
        report.say(f"   {size:,} people: {growth[-1][1]:.3f} s warm, {spent:.0f} s to create")
    report.add(Row(f"{made:,} people created", spent, "s", must=600, below=True))
    for name, search in (("broad", BROAD), ("narrow", NARROW)):
        chill(system)
        report.add(Row(f"group of {made:,}, {name}, cold", ask(system, token, search), "s",
                       must=5, aim=2, below=True))
        report.add(Row(f"group of {made:,}, {name}, warm", warm(system, token, search), "s",
                       must=1, aim=0.5, below=True))
    with Uploading(system, tokens) as uploading:
        seconds = warm(system, token, BROAD)
        rate = uploading.rate()
    if uploading.failures:
        raise BenchFailure(f"uploads failed beside groups: {uploading.failures[0]}")
    report.add(Row(f"group of {made:,} beside uploads", seconds, "s", must=5, aim=2, below=True,
                   note=f"{rate:.0f} of {UPLOADS_A_SECOND} uploads a second"))
    (few, first), (many, last) = growth[0], growth[-1]
    report.add(Row(f"time of {many:,} by that of {few:,}, by people", last / first / (many / few),
                   "", must=1, below=True, note="1 is linear"))
