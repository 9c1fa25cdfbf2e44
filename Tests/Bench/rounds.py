"""Two sides measured in alternating rounds, and their results."""

import os
import statistics

QUICK = os.environ.get("QUICK", "") not in ("", "0")
ROUNDS = 2 if QUICK else 5
SECONDS = 1 if QUICK else 3


class Round:
    """One round of one side: operations, duration, and processor seconds by process."""

    def __init__(self, operations, seconds, processors):
        self.operations = operations
        self.rate = operations / seconds
        self.processors = processors

    def microseconds(self, names=None):
        """Processor time per operation, of the named processes or of all."""
        spent = sum(
            value for name, value in self.processors.items() if names is None or name in names)
        return spent / self.operations * 1e6


class Series:
    """The rounds of one side."""

    def __init__(self, name):
        self.name = name
        self.rounds = []

    def values(self, of):
        return [of(each) for each in self.rounds]

    def rate(self):
        return statistics.median(self.values(lambda each: each.rate))

    def microseconds(self, names=None):
        return statistics.median(self.values(lambda each: each.microseconds(names)))

    def spread(self, of):
        """The lowest and the highest value of the rounds."""
        values = self.values(of)
        return min(values), max(values)

    def shares(self):
        """Processor time per operation of each process, as text."""
        names = self.rounds[0].processors
        return ", ".join(
            f"{name} {self.microseconds([name]):.1f} µs" for name in names)


def alternate(*sides):
    """A B A B …, ours last in each round: a side is a name and a function that returns a Round.
    The first round of each side warms up and is discarded. Returns their series in the order of
    the arguments, ours first."""
    named = [(Series(name), measure) for name, measure in sides]
    for _, measure in reversed(named):
        measure(True)
    for _ in range(ROUNDS):
        for series, measure in reversed(named):
            series.rounds.append(measure(False))
    return [series for series, _ in named]


def ratio(ours, peer, of):
    """The ratio of the medians, with the lowest and highest ratio of the rounds."""
    pairs = [of(a) / of(b) for a, b in zip(ours.rounds, peer.rounds)]
    middle = statistics.median(ours.values(of)) / statistics.median(peer.values(of))
    return middle, min(pairs), max(pairs)
