"""The final table: required bounds, aims and measured figures."""

import sys


class Row:
    """One figure with its bounds; with `below` lower figures are better."""

    def __init__(self, what, reached, unit, must=None, aim=None, below=False, note=""):
        self.what = what
        self.reached = reached
        self.unit = unit
        self.must = must
        self.aim = aim
        self.below = below
        self.note = note
        self.part = None

    def _holds(self, bar):
        return self.reached <= bar if self.below else self.reached >= bar

    @property
    def misses_must(self):
        return self.must is not None and not self._holds(self.must)

    @property
    def verdict(self):
        if self.misses_must:
            return "MISS: under the must" if not self.below else "MISS: over the must"
        if self.aim is not None and not self._holds(self.aim):
            return "miss of the aim" if self.must is None else "pass of the must, miss of the aim"
        return "-" if self.aim is None and self.must is None else "pass"


def amount(value, unit):
    """A number in a readable form."""
    if value is None:
        return "-"
    text = f"{value:,.0f}" if abs(value) >= 100 else f"{value:.2f}".rstrip("0").rstrip(".")
    return f"{text} {unit}".strip()


class Report:
    """Collects rows, and prints messages at once."""

    def __init__(self):
        self.rows = []
        self.part = None

    def say(self, line=""):
        print(line, flush=True)

    def begin(self, title, commands):
        self.say()
        self.say(f"== {title}")
        for command in commands:
            self.say(f"   $ {command}")

    def add(self, row):
        row.part = self.part
        self.rows.append(row)

    def table(self):
        """Prints the table; returns whether every required bound is met."""
        head = ["", "must", "aim", "reached", "", ""]
        lines = [head]
        for row in self.rows:
            sign = "≤ " if row.below else "≥ "
            lines.append([
                row.what,
                "-" if row.must is None else sign + amount(row.must, row.unit),
                "-" if row.aim is None else sign + amount(row.aim, row.unit),
                amount(row.reached, row.unit), row.verdict, row.note])
        widths = [max(len(line[place]) for line in lines) for place in range(5)]
        self.say()
        for line in lines:
            cells = [text.ljust(width) for text, width in zip(line, widths)]
            self.say("  ".join(cells + line[5:]).rstrip())
        return not any(row.misses_must for row in self.rows)


def complain(line):
    """Prints an error on standard error."""
    print(f"bench: {line}", file=sys.stderr, flush=True)
