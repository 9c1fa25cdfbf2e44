"""Warnings of monitored people during three times the uploads that the system can store."""

import json
import time

import alarming
from processes import BenchFailure, Running, Stopwatch, run
from report import Row
from rounds import QUICK
from system import GATEWAY

# Monitored people: the first ones are warned, the others upload at the same time.
MONITORED = 40 if QUICK else 400
WATCHED = 20 if QUICK else 200
RATE, ALARMS = (20, 10) if QUICK else (40, 20)
SECONDS = 5 if QUICK else 60
# People without monitoring, and their connections. The capacity is measured with the connections of
# the part `uploads`; the overload needs more than the 10,240 requests that two loops of the gateway
# have in progress or waiting.
ORDINARY = 500 if QUICK else 5000
PEOPLE = MONITORED + ORDINARY
CONNECTIONS, CONNECTIONS_MAX = 128, 12_000
TIMES = 3
# The samples of a phone that uploads once a minute. With one sample per upload, two cores can send
# and answer at most twice the uploads that they store: too few for an overload.
SAMPLES = 60
# The programs whose processor time is reported.
COUNTED = ("gateway", "data4help", "postgres")
REFUSED = 'trackme_gateway_requests_total{endpoint="upload",status="5xx"}'
# Longer than opening all streams takes.
MARGIN = 20 if QUICK else 60


class Flood:
    """Uploads of people without monitoring, counted by outcome."""

    def __init__(self, system, tokens):
        self.system = system
        self.people = f"{system.scratch}/ordinary"
        with open(self.people, "w", encoding="ascii") as file:
            file.write("".join(f"{token}\n" for token in tokens))

    def command(self, rate, connections, seconds):
        return [self.system.program("trackme-lab"), "bench", "flood", str(self.system.http_port),
                self.people, str(rate), str(SAMPLES), str(connections), str(seconds)]

    def capacity(self, report, seconds):
        """Uploads stored per second at a load without refusals."""
        command = self.command(0, CONNECTIONS, seconds)
        report.begin(f"uploads over {CONNECTIONS} connections", [" ".join(command)])
        output = run(command, self.system.environment, "trackme-lab bench flood", seconds + 60)
        figures = json.loads(output)
        report.say(f"   {figures}")
        if figures["refused"] or figures["lost"]:
            raise BenchFailure(f"uploads were refused within the capacity: {figures}")
        return figures["served"]


def measure(report, system, first, tokens):
    """Warnings without load, the capacity, and warnings at three times the capacity, of people
    whose numbers count up from `first`.
    """
    people = f"{system.scratch}/watched"
    with open(people, "w", encoding="ascii") as file:
        file.write("".join(f"{token}\n" for token in tokens[:MONITORED]))
    alarming.monitor_nobody(system)
    alarming.monitor(system, first, MONITORED)
    flood = Flood(system, tokens[MONITORED:PEOPLE])
    # From here on the gateway knows all monitored people, whose uploads may be alarms.
    alone, _ = warnings(system, people, 2 * WATCHED // ALARMS)
    capacity = flood.capacity(report, 3 if QUICK else 15)
    figures, beside = overload(report, system, people, flood, round(TIMES * capacity))
    report.add(Row(f"uploads of {SAMPLES} samples that are stored, no more sent", capacity,
                   "a second"))
    report.add(Row("critical reading to warning, beside an overload, 99th percentile",
                   figures["p99"], "ms",
                   aim=1000, below=True,
                   note=f"median {figures['p50']:.0f} ms, all {figures['max']:.0f} ms of "
                        f"{figures['alarms']} alarms; alone 99 % {alone['p99']:.0f} ms, median "
                        f"{alone['p50']:.0f} ms"))
    report.add(Row("warnings that never came, beside an overload",
                   figures["alarms"] - figures["warned"], "", must=0, below=True))
    report.add(Row("ordinary uploads offered beside", beside["offered"], "a second",
                   note=f"{beside['offered'] / capacity:.1f} times the capacity; "
                        f"{beside['served']:,.0f} a second were stored, half of them within "
                        f"{beside['upload50']:.0f} ms, {beside['refused']:,} of "
                        f"{beside['sent']:,} refused, {beside['lost']} connections lost"))


def warnings(system, people, seconds):
    """Warnings of the monitored people."""
    return alarming.load(system, seconds, people, WATCHED, RATE, ALARMS)


def overload(report, system, people, flood, rate):
    """The outcomes of the warnings and of the overload."""
    command = flood.command(rate, CONNECTIONS_MAX, SECONDS + MARGIN)
    output = f"{system.scratch}/flood"
    with open(output, "wb") as sink, Running(command, system.environment, sink) as running:
        system.wait_for_metric(REFUSED, [GATEWAY], lambda value: value > 0,
                               "no upload is refused: this is not an overload")
        watch = Stopwatch({
            **{name: members for name, members in system.processes().items() if name in COUNTED},
            "generator": [(running.pid, False)]})
        figures, shown = warnings(system, people, SECONDS)
        spent, took = watch.read(), time.monotonic() - watch.began
        if running.process.poll() is not None:
            raise BenchFailure("the flood ended before the warnings")
        report.begin(f"{ALARMS} alarms a second beside {rate} ordinary uploads a second",
                     [" ".join(command), shown])
        running.process.wait(timeout=MARGIN + 60)
    with open(output, encoding="ascii") as file:
        beside = json.loads(file.read())
    report.say(f"   warnings: {figures}")
    report.say(f"   ordinary: {beside}")
    report.say(f"   cores taken for {took:.0f} s: " + ", ".join(
        f"{name} {seconds / took:.2f}" for name, seconds in sorted(spent.items())))
    if figures["cut"]:
        raise BenchFailure(f"streams were cut: {figures}")
    return figures, beside
