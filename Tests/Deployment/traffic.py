"""The load of the tests of replacements: on each way to the gateway, clients read over HTTP/1.1 and
HTTP/2, and people upload samples over both. Afterwards every acknowledged sample must be in the
histories, once.

Each request without an answer of 200 is a failure, except one that the server has not processed,
which the client sends again (RFC 9113, 8.7). A failed upload is repeated with its Idempotency-Key
until it is acknowledged, so that its samples are known."""

import dataclasses
import http.client
import ssl
import threading
import time

from http2 import Connection, Unprocessed
from load import Uploader, check
from people import register

READERS = 3  # over HTTP/1.1 on each way, without an account
PAUSE = 0.02  # seconds between two uploads of a device
REPEATED_MAX = 10  # times in a row that a request is not processed
ANSWER_MAX = 60  # seconds, of a machine that is busy with other work
# Of Data4Help and of Track4Run, in turn.
PUBLIC_TARGETS = ("/lookup/dataTypes", "/t4r/active/list?limit=%d")
OWN_TARGETS = ("/data/quota", "/t4r/my/list?limit=%d")


@dataclasses.dataclass
class Way:
    """An address of the gateway. `authority` is the file of its certificate's authority; without
    one, requests are sent in plain text over HTTP/1.1 alone."""

    name: str
    host: str
    port: int
    authority: str | None = None


class PlainLink:
    """Requests over HTTP/1.1 on one connection at a time."""

    protocol = "HTTP/1.1"

    def __init__(self, way):
        self.connection = http.client.HTTPConnection(way.host, way.port, timeout=ANSWER_MAX)
        if way.authority:
            self.connection = http.client.HTTPSConnection(
                way.host, way.port, timeout=ANSWER_MAX,
                context=ssl.create_default_context(cafile=way.authority))

    def send(self, method, path, body, fields):
        """The status and body of the response."""
        try:
            self.connection.request(method, path, body=body, headers=fields)
            answer = self.connection.getresponse()
            return answer.status, answer.read()
        except (OSError, http.client.HTTPException):
            self.close()
            raise

    def close(self):
        """Closes the connection; the next request opens another one."""
        self.connection.close()


class StreamLink:
    """Requests over HTTP/2. A connection that the server ends is replaced by another one before the
    next request."""

    protocol = "HTTP/2"

    def __init__(self, way):
        self.way = way
        self.context = ssl.create_default_context(cafile=way.authority)
        self.context.set_alpn_protocols(["h2"])
        self.connection = None

    def send(self, method, path, body, fields):
        """The status and body of the response."""
        if self.connection is not None and not self.connection.is_usable():
            self.close()
        if self.connection is None:
            self.connection = Connection(self.way.host, self.way.port, self.context, ANSWER_MAX)
        try:
            return self.connection.send(method, path, body, fields)
        except (OSError, http.client.HTTPException):
            self.close()
            raise

    def close(self):
        """Closes the connection; the next request opens another one."""
        if self.connection is not None:
            self.connection.close()
            self.connection = None


class Counted:
    """What a worker sends through its link, counted."""

    def __init__(self, way, link):
        self.way = way.name
        self.link = link
        self.answered = self.unprocessed = 0
        self.failures = []

    def send(self, method, path, body=None, fields=None):
        """The body of an answer of 200; None for every other outcome."""
        for _ in range(REPEATED_MAX):
            try:
                status, content = self.link.send(
                    method, path, body.encode() if body else None, fields or {})
                break
            except Unprocessed:
                self.unprocessed += 1
            except (OSError, http.client.HTTPException) as error:
                return self.failed(method, path, repr(error))
        else:
            return self.failed(method, path, f"not processed {REPEATED_MAX} times")
        if status != 200:
            return self.failed(method, path, f"{status} {content[:200]}")
        self.answered += 1
        return content

    def failed(self, method, path, cause):
        """Notes a failed request, with the time of its failure."""
        self.failures.append(f"{time.strftime('%H:%M:%S')} {self.way}, {self.link.protocol}, "
                             f"{method} {path}: {cause}")


class Reading(Counted, threading.Thread):
    """Sends one request after the other, for a person or without an account."""

    def __init__(self, way, link, ending, person=None):
        threading.Thread.__init__(self, daemon=True)
        Counted.__init__(self, way, link)
        self.ending = ending
        self.targets = OWN_TARGETS if person else PUBLIC_TARGETS
        self.fields = {"Authorization": f"Bearer {person.token}"} if person else {}

    def run(self):
        count = 0
        while not self.ending.is_set():
            count += 1
            target = self.targets[count % 2].replace("%d", str(count % 50 + 1))
            self.send("GET", target, fields=self.fields)
        self.link.close()


class Uploading(Counted, Uploader):
    """Uploads samples of a person, with an Idempotency-Key."""

    def __init__(self, way, link, ending, person):
        Uploader.__init__(self, person, sends_key=True)
        Counted.__init__(self, way, link)
        self.ending = ending
        self.acknowledged = 0

    def run(self):
        while not self.ending.is_set():
            self.acknowledged += self.turn()
            self.ending.wait(PAUSE)
        self.link.close()


class Traffic:
    """All clients. `ways` are those of a system, and `people` as many as `people_on` registers."""

    def __init__(self, ways, people):
        self.ending = threading.Event()
        self.workers, self.uploaders = [], []
        people = iter(people)
        for way in ways:
            self.workers += [Reading(way, PlainLink(way), self.ending) for _ in range(READERS)]
            for kind in links(way):
                person = next(people)
                self.workers.append(Reading(way, kind(way), self.ending, person))
                self.uploaders.append(Uploading(way, kind(way), self.ending, person))
        self.workers += self.uploaders
        self.faults = []  # of the clients themselves

    def __enter__(self):
        for worker in self.workers:
            worker.start()
        return self

    def __exit__(self, *_):
        self.faults = [f"a client ended by itself: {worker.way}, {worker.link.protocol}"
                       for worker in self.workers if not worker.is_alive()]
        self.ending.set()
        for worker in self.workers:
            worker.join()

    def check(self, since):
        """The outcome of the drills' check for all people."""
        return check(self.uploaders, since)

    @property
    def answered(self):
        """The requests that were answered with 200."""
        return sum(worker.answered for worker in self.workers)

    @property
    def acknowledged(self):
        """The uploads that were answered with 200."""
        return sum(uploader.acknowledged for uploader in self.uploaders)

    @property
    def failures(self):
        """A text for each failed request, and for each client that ended by itself."""
        return self.faults + [each for worker in self.workers for each in worker.failures]

    @property
    def unprocessed(self):
        """The requests that servers had not processed and that were sent again."""
        return sum(worker.unprocessed for worker in self.workers)

    def answered_by(self, protocol):
        """The requests over a protocol that were answered with 200."""
        return sum(worker.answered for worker in self.workers
                   if worker.link.protocol == protocol)


def links(way):
    """The kinds of links on a way."""
    return (PlainLink, StreamLink) if way.authority else (PlainLink,)


def people_on(ways, connect, box=None):
    """New people for the load on these ways."""
    return register(sum(len(links(way)) for way in ways), connect, box)
