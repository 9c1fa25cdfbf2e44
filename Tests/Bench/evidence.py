#!/usr/bin/env python3
"""Stores the figures as evidence in docs/benchmarks.json, which only `make bench` writes and
`make trace` reads. Run as a program it prints the digest of the code that each part measures."""

import datetime
import hashlib
import json
import os
import pathlib
import platform
import subprocess

ROOT = pathlib.Path(__file__).resolve().parents[2]
FILE = ROOT / "docs" / "benchmarks.json"

# The code that every request passes through.
COMMON = ["Sources/EventLoop", "Sources/HTTP", "Sources/Web", "Sources/JSON", "Sources/Postgres",
          "Sources/PublicAPI", "Sources/ServiceKit", "Sources/Bytes"]
# The modules of Data4Help.
DATA4HELP = ["Sources/Accounts", "Sources/HealthRecords", "Sources/Sharing",
             "Sources/GroupStatistics", "Sources/Emergencies", "Sources/Data4Help"]
# The code whose change makes a part's figures stale.
CODE = {
    "detector": ["Sources/AutomatedSOS"],
    "gateway": COMMON + ["Sources/Gateway"],
    "connections": COMMON + ["Sources/Gateway"],
    "instructions": COMMON + ["Sources/Gateway"],
    "statistics": COMMON + ["Sources/Gateway", "Sources/HealthRecords"],
    "uploads": COMMON + ["Sources/Gateway", "Sources/HealthRecords"],
    "import": COMMON + ["Sources/HealthRecords", "Sources/XML", "Sources/Zip"],
    "groups": COMMON + ["Sources/GroupStatistics", "Sources/Domain"],
    "delivery": COMMON + ["Sources/Gateway", "Sources/HealthRecords",
                          "Sources/Sharing/EventLog", "Sources/Sharing/Events"],
    "callbacks": COMMON + ["Sources/Sharing/Callbacks", "Sources/Webhooks"],
    "memory": COMMON + ["Sources/Gateway"] + DATA4HELP,
    "checkins": COMMON + ["Sources/Runs/CheckIns", "Sources/Runs/Synchronisation",
                          "Sources/Data4HelpSync", "Sources/Data4Help/InternalRoutes",
                          "Sources/InternalAPI"],
    "live": COMMON + ["Sources/Gateway", "Sources/LiveRuns", "Sources/Runs/SealedData"],
    "joins": COMMON + ["Sources/Gateway", "Sources/Runs/Enrolments"],
    "polling": COMMON + ["Sources/Gateway", "Sources/Runs", "Sources/LiveRuns"],
    "overload": COMMON + ["Sources/Gateway", "Sources/Emergencies", "Sources/HealthRecords"],
    "idle": ["Sources/EventLoop", "Sources/HTTP", "Sources/Gateway"],
    "floods": ["Sources/EventLoop", "Sources/HTTP", "Sources/Gateway"],
    "citus": COMMON + ["Sources/HealthRecords", "deploy/citus", "sql"],
    "pages": ["Sources/WebApp", "Sources/Gateway/Pages"],
    "sos": COMMON + ["Sources/Gateway", "Sources/AutomatedSOS", "Sources/Emergencies",
                     "Sources/Telephony"],
}


def digest(part):
    """SHA-256 over the names and contents of the files that a part measures."""
    total = hashlib.sha256()
    for folder in CODE[part]:
        files = sorted(path for path in (ROOT / folder).rglob("*") if path.is_file())
        if not files:
            raise FileNotFoundError(f"{folder}, which the part {part} measures, has no file")
        for path in files:
            total.update(f"{path.relative_to(ROOT)}\0".encode())
            total.update(hashlib.sha256(path.read_bytes()).digest())
    return total.hexdigest()


def machine():
    """The machine on which the figures were measured."""
    model = platform.machine()
    for line in pathlib.Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines():
        if line.startswith("model name"):
            model = line.split(":", 1)[1].strip()
            break
    cores = len(os.sched_getaffinity(0))
    memory = pathlib.Path("/proc/meminfo").read_text(encoding="utf-8").split()[1]
    kernel = platform.release().split("-")[0]
    return f"{cores} cores of {model}, {int(memory) / 1048576:.0f} GiB, Linux {kernel}"


def commit():
    """The measured commit, marked if files differ from it."""
    git = ["git", "-C", str(ROOT)]
    head = subprocess.run(git + ["rev-parse", "--short=12", "HEAD"], capture_output=True,
                          text=True, check=True).stdout.strip()
    changed = subprocess.run(git + ["status", "--porcelain", "--", "Sources", "sql"],
                             capture_output=True, text=True, check=True).stdout.strip()
    return f"{head}, changed" if changed else head


def keep(rows, parts):
    """Replaces the figures of these parts; those of other parts keep their date."""
    kept = json.loads(FILE.read_text(encoding="utf-8"))["parts"] if FILE.exists() else {}
    for part in parts:
        kept[part] = {
            "date": datetime.date.today().isoformat(),
            "commit": commit(),
            "machine": machine(),
            "code": digest(part),
            "figures": [
                {"what": row.what.strip(), "reached": round(row.reached, 4), "unit": row.unit,
                 "bound": "most" if row.below else "least", "must": row.must, "aim": row.aim,
                 "holds": not row.misses_must}
                for row in rows if row.part == part],
        }
    text = json.dumps({"parts": dict(sorted(kept.items()))}, ensure_ascii=False, indent=1)
    FILE.write_text(text + "\n", encoding="utf-8")


if __name__ == "__main__":
    print(json.dumps({part: digest(part) for part in CODE}))
