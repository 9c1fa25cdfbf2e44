"""The import of an Apple Health export through the whole system: duration and memory."""

import json
import os
import time

from processes import BenchFailure, peak, reset_peak, run
from report import Row
from rounds import QUICK

MEGABYTES = 10 if QUICK else 300


def measure(report, system, token):
    """Generates the export, imports it, and waits for its end."""
    export = f"{system.scratch}/export.xml"
    generate = [system.program("trackme-lab"), "generate", "apple-health", "--megabytes",
                str(MEGABYTES), "--output", export]
    run(generate, what="trackme-lab generate")
    watched = {name: system.processes()[name] for name in ("data4help", "gateway")}
    before = {}
    for name, members in watched.items():
        for pid, _ in members:
            reset_peak(pid)
        before[name] = max(peak(pid) for pid, _ in members) / (1 << 20)
    send = ["curl", "-sS", "--fail-with-body", "-X", "POST", "-H",
            f"Authorization: Bearer {token}", "-H", "Content-Type: application/xml",
            "--upload-file", export, system.address("/data/import?format=apple-health")]
    report.begin(f"import of an Apple Health export of {os.path.getsize(export) / 1e6:.0f} MB",
                 [" ".join(generate), " ".join(send).replace(token, "$TOKEN")])
    began = time.monotonic()
    number = json.loads(run(send, what="the upload of the export"))["importID"]
    staged = time.monotonic() - began
    while True:
        state = system.ask(f"/data/import?importID={number}", token)
        if state["state"] != "running":
            break
        if time.monotonic() - began > 300:
            raise BenchFailure("the import did not end within 300 s")
        time.sleep(0.1)
    seconds = time.monotonic() - began
    if state["state"] != "done":
        raise BenchFailure(f"the import failed: {state}")
    if state["stored"] == 0 or state["dropped"] > 0:
        raise BenchFailure(f"the import did not store all samples: {state}")
    peaks = {name: max(peak(pid) for pid, _ in members) / (1 << 20)
             for name, members in watched.items()}
    report.say(f"   staged after {staged:.1f} s, done after {seconds:.1f} s: "
               f"{state['samples']:,} samples, {state['samples'] / seconds:,.0f}/s; memory "
               + ", ".join(f"{name} {before[name]:.0f} MB, at most {peaks[name]:.0f} MB"
                           for name in peaks))
    report.add(Row(f"import of {MEGABYTES} MB", seconds, "s", below=True,
                   note=f"{state['samples']:,} samples, {state['stored']:,} stored"))
    report.add(Row("  memory of data4help at most", peaks["data4help"], "MB", below=True,
                   note=f"{before['data4help']:.0f} MB before it"))
    os.remove(export)
