"""Shows failures and progress in the output of `swift test`, and stores all of it.

Usage: swift test … 2>&1 | progress.py FILE. Failures, ended suites and all unknown lines are
shown. Starts, passed tests and seeds are only in FILE. After half a minute without a line, the
tests that run are counted, and the oldest one is named.
"""

import os
import re
import select
import signal
import sys
import time

QUIET_SECONDS = 30
STARTED = re.compile(r"◇ Test (.+) started\.$")
ENDED = re.compile(r"[✔✘] Test (.+?)(?: with \d+ test cases?)? (passed|failed) after [\d.]+ s")
CRASH = re.compile(r"Fatal error|^error: ")


class Progress:
    """The lines so far, and the tests that run."""

    def __init__(self):
        self.begun = time.monotonic()
        self.running = {}
        self.passed = 0
        # Whether the line belongs to a start, whose arguments have line feeds.
        self.is_inside_start = False

    def is_shown(self, line):
        if self.is_inside_start:
            self.is_inside_start = not line.endswith(" started.")
            # A crash interrupts a start, which has no further line then.
            if line[:2] not in ("◇ ", "✔ ", "✘ ") and not CRASH.search(line):
                return False
            self.is_inside_start = False
        if line.startswith("◇ "):
            self.is_inside_start = not line.endswith(" started.")
            match = STARTED.match(line)
            if match and match[1] != "run" and not match[1].startswith("case passing "):
                self.running[match[1]] = None
            return False
        if line.startswith(("✔ Test run with ", "✘ Test run with ")):
            return True
        if match := ENDED.match(line):
            self.running.pop(match[1], None)
            if match[2] == "passed":
                self.passed += 1
                # With a known issue the line continues.
                return not line.endswith(" seconds.")
        return not line.startswith("seed of ")

    def summary(self):
        text = f"  {time.monotonic() - self.begun:.0f} s: {self.passed} tests passed"
        if self.running:
            text += f", {len(self.running)} run, the oldest is {next(iter(self.running))}"
        return text


def main(path):
    # After Ctrl-C the tests still print something: this program ends when they close its output.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    progress = Progress()
    shown = time.monotonic()
    rest = b""
    is_open = True
    with open(path, "wb") as file:
        while is_open:
            lines = []
            if select.select([0], [], [], 1)[0]:
                piece = os.read(0, 65536)
                is_open = piece != b""
                file.write(piece)
                file.flush()
                *lines, rest = (rest + piece).split(b"\n")
                if not is_open and rest:
                    lines.append(rest)
            visible = [line for line in lines if progress.is_shown(line.decode(errors="replace"))]
            if not visible and time.monotonic() - shown > QUIET_SECONDS:
                visible = [progress.summary().encode()]
            if visible:
                sys.stdout.buffer.write(b"\n".join(visible) + b"\n")
                sys.stdout.buffer.flush()
                shown = time.monotonic()


main(sys.argv[1])
