"""The time of AutomatedSOS' detector per reading, and its memory per person."""

import json
import statistics

from processes import run
from report import Row
from rounds import QUICK, ROUNDS

READINGS = 200_000 if QUICK else 5_000_000


def measure(report, root):
    """Medians of the rounds."""
    command = [f"{root}/.build/release/trackme-lab", "bench", "detector", str(READINGS)]
    report.begin("the detector: readings of one person, and of 100,000 one after the other",
                 [" ".join(command)])
    rounds = [json.loads(run(command, what="trackme-lab bench detector")) for _ in range(ROUNDS)]
    for figures in rounds:
        report.say(f"   {figures}")
    middle = {name: statistics.median(figures[name] for figures in rounds) for name in rounds[0]}
    for name, what, must, aim in (
            ("one", "a reading of one person", 500, 50),
            ("many", "a reading of 100,000 people", 500, 50),
            ("emergency", "a reading of an emergency", 1000, 150)):
        values = [figures[name] for figures in rounds]
        report.add(Row(what, middle[name], "ns", must=must, aim=aim, below=True,
                       note=f"{min(values):.0f} to {max(values):.0f}"))
    report.add(Row("memory of a person", middle["bytes"], "bytes", must=128, below=True,
                   note=f"{middle['bytes'] * 1e6 / 2**20:.0f} MiB for 1,000,000"))
    report.add(Row("memory of a person after an emergency", middle["bytesBroken"], "bytes",
                   must=256, below=True, note="until its rule is ready again"))
