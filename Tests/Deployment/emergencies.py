"""Emergencies of the drills: a monitored person's phone sends critical readings until help is
called, which must happen on the emergency's clock whatever else fails. Without a telephone a call
is a file of the process that calls (docs/operations.md, "Calls by voice")."""

import collections
import datetime
import http.client
import json
import pathlib
import threading
import time

from deployment import PATIENCE, PUBLIC, Failure, volume, wait
from load import text
from people import register

PATIENTS = 20  # with one emergency of each rule for every drill
# Critical values for an adult at rest, each of a rule of its own (docs/automated-sos.md).
CRITICAL = [
    ("heartRate", 150), ("heartRate", 38), ("bloodPressureSystolic", 190),
    ("bloodPressureSystolic", 78),
]
QUIET = 600  # seconds after an end, in which a rule raises no other emergency of the person
PAUSE = 0.5  # seconds between two readings
ANSWER_MAX = 3  # seconds
CONFIRM = 3  # seconds between the first reading and one that confirms it
WINDOW = 5  # seconds for an abort, from the warning on
LATE_MAX = 2  # seconds after the window
CALL_MAX = 60  # seconds, after which a call is missing


class Emergency(threading.Thread):
    """Critical readings of one person until the call."""

    def __init__(self, person, kind, value):
        super().__init__(daemon=True)
        self.person = person
        self.kind = kind
        self.value = value
        self.folders = [pathlib.Path(volume(f"data4help-{each}")) / "calls" for each in (1, 2)]
        self.earlier = set(self.files())
        self.readings = []  # (time of the reading, time of its answer or None)
        self.called = None  # time of the first call
        self.identifier = None
        self.connection = None

    def files(self):
        """The calls so far, one file for each emergency."""
        return [each for folder in self.folders for each in folder.glob("*.txt")]

    def run(self):
        begun = time.time()
        while self.called is None and time.time() < begun + CALL_MAX:
            sent = time.time()
            self.upload(sent)
            self.look()
            time.sleep(max(0, sent + PAUSE - time.time()))

    def look(self):
        """Notes the first call. Its file is written again by later calls, the next after 30 s."""
        for each in self.files():
            if each not in self.earlier and self.called is None:
                self.called, self.identifier = each.stat().st_mtime, each.stem

    def upload(self, moment):
        """Uploads a reading, after those that got no answer: phones keep what was not answered, and
        replicas name an emergency by its first reading (decision 0024)."""
        first = next((index for index, each in enumerate(self.readings) if each[1] is None),
                     len(self.readings))
        self.readings.append((moment, None))
        answered = self.send(first)
        self.readings[first:] = [(sent, answered) for sent, _ in self.readings[first:]]

    def send(self, first):
        """Sends the readings from this index on; the time of an answer from a replica, which has
        judged them, be they stored (200) or not (503)."""
        values = range(first, len(self.readings))
        body = json.dumps({
            "dataTypes": [self.kind for _ in values],
            "values": [str(self.value + each % 3) for each in values],
            "timestamp": [text(int(self.readings[each][0] * 1000)) for each in values]})
        fields = {
            "Authorization": f"Bearer {self.person.token}", "Content-Type": "application/json"}
        try:
            if self.connection is None:
                self.connection = http.client.HTTPSConnection(
                    PUBLIC[0], context=self.person.context, timeout=ANSWER_MAX)
            self.connection.request("POST", "/data/upload", body=body, headers=fields)
            answer = self.connection.getresponse()
            answer.read()
        except (OSError, http.client.HTTPException):
            if self.connection is not None:
                self.connection.close()
            self.connection = None
            return None
        return time.time() if answer.status in (200, 503) else None

    def due(self):
        """The end of the window by the answers; None while they do not confirm an emergency."""
        answered = [each for each in self.readings if each[1] is not None]
        confirming = [at for sent, at in answered if sent >= answered[0][0] + CONFIRM]
        return max(answered[0][1] + WINDOW, confirming[0]) if confirming else None

    def finish(self):
        """Ends the emergency as a false alarm, once there is service again. Returns the seconds
        from the first reading to the call, None without one, and what was missed."""
        self.join(CALL_MAX + 2 * ANSWER_MAX)
        if self.called is None:
            return None, [f"no call within {CALL_MAX} s"]
        missed, due = [], self.due()
        # A replica that takes over needs readings of its own to confirm.
        if due is not None and self.called > due + CONFIRM + LATE_MAX:
            missed.append(f"a call {self.called - due:.1f} s after the window of its answers")
        try:
            late = self.stored_lateness()
            if late > LATE_MAX:
                missed.append(f"a call {late:.1f} s after the window of its emergency")
        except Failure as failure:
            missed.append(str(failure))
        return self.called - self.readings[0][0], missed

    def stored_lateness(self):
        """The seconds from the end of the stored window to the stored call."""
        entry = self.stored()
        window = seconds(entry["abortUntil"])
        if entry.get("confirmedAt"):
            window = max(window, seconds(entry["confirmedAt"]))
        return seconds(entry["calls"][0]["calledAt"]) - window

    def stored(self):
        """Waits until the person's history has the call, reports a false alarm, and returns the
        entry of the emergency, which must be the only one of this drill."""
        since, entries = self.readings[0][0] - 1, []

        def is_stored():
            status, history = self.person.send("/sos/history")
            entries[:] = [each for each in history.get("episodes", [])
                          if seconds(each["suspectedAt"]) >= since]
            return status == 200 and any(each["calls"] for each in entries)

        wait("the stored emergency", PATIENCE, is_stored)
        wait("the end of the emergency", PATIENCE, lambda: self.person.send(
            "/sos/falseAlarm", {"episodeID": self.identifier})[0] == 200)
        if len(entries) != 1:
            raise Failure(f"one emergency is stored as {len(entries)}")
        return entries[0]


def seconds(moment):
    """A time of the API in seconds since 1970."""
    return datetime.datetime.fromisoformat(moment).timestamp()


def monitored(count):
    """Clients of this many new people, for whom AutomatedSOS is enabled."""
    people = register(count)
    for person in people:
        if person.send("/sos/enable", {"callPermission": True})[0] != 200:
            raise Failure("AutomatedSOS cannot be enabled")
    return people


class Patients:
    """Monitored people, whose rules take turns, because each is quiet after its emergency."""

    def __init__(self):
        people = monitored(PATIENTS)
        self.turns = collections.deque(
            (0.0, person, kind, value) for kind, value in CRITICAL for person in people)

    def begin(self):
        """Begins an emergency."""
        free_at, person, kind, value = self.turns.popleft()
        time.sleep(max(0, free_at - time.time()))
        # From the end on, which is later than now by the length of a drill.
        self.turns.append((time.time() + 2 * QUIET, person, kind, value))
        emergency = Emergency(person, kind, value)
        emergency.start()
        return emergency
