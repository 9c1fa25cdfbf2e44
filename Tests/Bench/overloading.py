"""Warnings of monitored people beside three times the uploads that the system stores."""

import json
import time

import alarming
from processes import BenchFailure, Running, Stopwatch, run
from report import Row
from rounds import QUICK
from system import GATEWAY

# Monitored people of whom the first are warned; the others upload beside them.
MONITORED = 40 if QUICK else 400
WATCHED = 20 if QUICK else 200
RATE, ALARMS = (20, 10) if QUICK else (40, 20)
SECONDS = 5 if QUICK else 60
# People whom nobody watches over, and the connections over which they upload: as many as wrk has
# in the part `uploads` where the capacity is measured; where it is exceeded, more than the 10,240
# requests that two loops of the gateway have under way or waiting.
ORDINARY = 500 if QUICK else 5000
CONNECTIONS, CONNECTIONS_MAX = 128, 12_000
TIMES = 3
# What a phone sends that collects for a minute. Of uploads of one sample two cores send and answer
# no more than twice what they store.
SAMPLES = 60
# Programs whose processor time is shown.
COUNTED = ("gateway", "data4help", "postgres")
REFUSED = 'trackme_gateway_requests_total{endpoint="upload",status="5xx"}'
# Longer than all streams take to open.
MARGIN = 20 if QUICK else 60


class Flood:
    """Uploads of ordinary people, and what became of them."""

    def __init__(self, system, tokens):
        self.system = system
        self.people = f"{system.scratch}/ordinary"
        with open(self.people, "w", encoding="ascii") as file:
            file.write("".join(f"{token}\n" for token in tokens))

    def command(self, rate, connections, seconds):
        return [self.system.program("trackme-lab"), "bench", "flood", str(self.system.http_port),
                self.people, str(rate), str(SAMPLES), str(connections), str(seconds)]

    def capacity(self, report, seconds):
        """Uploads that are stored in a second, where none is refused."""
        command = self.command(0, CONNECTIONS, seconds)
        report.begin(f"uploads over {CONNECTIONS} connections", [" ".join(command)])
        output = run(command, self.system.environment, "trackme-lab bench flood", seconds + 60)
        figures = json.loads(output)
        report.say(f"   {figures}")
        if figures["refused"] or figures["lost"]:
            raise BenchFailure(f"uploads were refused within the capacity: {figures}")
        return figures["served"]


def measure(report, system, tokens):
    """Warnings alone, the capacity, and warnings beside three times of it."""
    people = f"{system.scratch}/watched"
    with open(people, "w", encoding="ascii") as file:
        file.write("".join(f"{token}\n" for token in tokens[:MONITORED]))
    alarming.monitor_nobody(system)
    alarming.monitor(system, 1, MONITORED)
    flood = Flood(system, tokens[MONITORED:MONITORED + ORDINARY])
    # From here on the gateway knows of everybody who is monitored that any upload may be an alarm.
    alone, _ = warnings(system, people, 2 * WATCHED // ALARMS)
    capacity = flood.capacity(report, 3 if QUICK else 15)
    figures, beside = overload(report, system, people, flood, round(TIMES * capacity))
    report.add(Row(f"uploads of {SAMPLES} samples that are stored, no more sent", capacity,
                   "a second"))
    report.add(Row("critical reading to warning, beside an overload, 99 %", figures["p99"], "ms",
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
    """Warnings of the people who are watched."""
    return alarming.load(system, seconds, people, WATCHED, RATE, ALARMS)


def overload(report, system, people, flood, rate):
    """What became of the warnings, and of the flood."""
    command = flood.command(rate, CONNECTIONS_MAX, SECONDS + MARGIN)
    output = f"{system.scratch}/flood"
    with open(output, "wb") as sink, Running(command, system.environment, sink) as running:
        system.wait_for_metric(REFUSED, [GATEWAY], lambda value: value > 0,
                               "no upload is refused: this is no overload")
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
