#!/usr/bin/env python3
"""Stores the figures as evidence in docs/benchmarks.json, which only `make bench` and the tests of
a deployment write and `make trace` reads. Run as a program it prints the digest of the code that
each part measures, with the argument `images` the digest of the code of the images, and with
further names of images nothing, but exit code 1 if one of them has other code."""

import datetime
import hashlib
import json
import os
import pathlib
import platform
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
FILE = ROOT / "docs" / "benchmarks.json"

# The code that every request passes through, and how it is compiled and linked. A new module makes
# the figures stale too, which is rare beside changes of the other parts.
COMMON = ["Package.swift", "Sources/EventLoop", "Sources/HTTP", "Sources/Web", "Sources/JSON",
          "Sources/Postgres", "Sources/PublicAPI", "Sources/ServiceKit", "Sources/Bytes",
          "Sources/Operations", "Sources/Cryptography", "Sources/Time"]
# The modules of Data4Help.
DATA4HELP = ["Sources/Accounts", "Sources/HealthRecords", "Sources/Sharing",
             "Sources/GroupStatistics", "Sources/Emergencies", "Sources/Data4Help"]
# The modules of Track4Run.
TRACK4RUN = ["Sources/Runs", "Sources/LiveRuns", "Sources/Data4HelpSync", "Sources/Track4Run"]
# The code whose change makes a part's figures stale.
CODE = {
    "detector": ["Sources/AutomatedSOS"],
    "gateway": COMMON + ["Sources/Gateway"],
    "connections": COMMON + ["Sources/Gateway"],
    "instructions": COMMON + ["Sources/Gateway"],
    "statistics": COMMON + ["Sources/Gateway", "Sources/HealthRecords", "Sources/Domain",
                            "Tests/Bench/peer"],
    "uploads": COMMON + ["Sources/Gateway", "Sources/HealthRecords", "Sources/Domain", "sql"],
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
    "idle": COMMON + ["Sources/Gateway"],
    "floods": COMMON + ["Sources/Gateway"],
    "citus": COMMON + ["Sources/HealthRecords", "deploy/citus", "sql"],
    "pages": ["Sources/WebApp", "Sources/Gateway/Pages"],
    # The tests of a deployment (Tests/Deployment).
    "images": ["Package.swift", "Sources", "sql", "deploy/Containerfile",
               "deploy/programs.containerfile", "deploy/images", "deploy/compose.yaml"],
    "firewall": ["deploy/firewall", "deploy/compose.yaml", "deploy/local"],
    "encryption": ["deploy/compose.yaml", "deploy/database", "deploy/local",
                   "deploy/monitoring/prometheus.yaml", "Sources/HTTP/TLS",
                   "Sources/ServiceKit/InnerTLS", "Sources/OperatorTool/Authority"],
    "limits": COMMON + ["Sources/Gateway", "deploy/compose.yaml", "deploy/firewall",
                        "deploy/gateway", "deploy/local"],
    "drills": COMMON + ["Sources/Gateway", "deploy/compose.yaml", "deploy/database",
                        "deploy/gateway"] + DATA4HELP + TRACK4RUN,
    "restore": ["deploy/backup", "deploy/local", "deploy/compose.yaml", "deploy/database",
                "Sources/OperatorTool", "Sources/Postgres", "sql"],
    "rotation": COMMON + ["Sources/Gateway", "Sources/OperatorTool", "deploy/backup",
                          "deploy/compose.yaml", "deploy/database", "deploy/local",
                          "sql"] + DATA4HELP + TRACK4RUN,
    "power": COMMON + ["deploy/compose.yaml", "deploy/database", "deploy/local"],
    "replacement": COMMON + ["Sources/Gateway", "Sources/OperatorTool", "deploy/compose.yaml",
                             "deploy/database", "deploy/gateway", "deploy/local"],
    "upgrade": COMMON + ["Sources/Gateway", "deploy/compose.yaml", "deploy/gateway",
                         "deploy/local", "sql"] + DATA4HELP + TRACK4RUN,
    "monitoring": ["deploy/monitoring"],
    "units": COMMON + ["Sources/Gateway", "Sources/Installation", "Sources/OperatorTool",
                       "deploy/systemd", "sql"] + DATA4HELP + TRACK4RUN,
    "sos": COMMON + ["Sources/Gateway", "Sources/AutomatedSOS", "Sources/Emergencies",
                     "Sources/Telephony"],
}
# The scripts that measure the parts, and those that every part of a directory shares; the
# generators of load in the tool measure with them.
SHARED = ["load", "processes", "rounds", "system"]
GENERATORS = ["Sources/trackme-lab/Bench"]
SCRIPTS = {
    "detector": ["detecting"], "gateway": ["proxying"], "connections": ["connecting", "proxying"],
    "instructions": ["instructing", "proxying"], "statistics": ["statistics_endpoint"],
    "uploads": ["uploading"], "import": ["importing"], "groups": ["groups", "companies"],
    "delivery": ["delivering"], "callbacks": ["calling"], "memory": ["delivering"],
    "checkins": ["checkins"], "live": ["watching"], "joins": ["joining"],
    "polling": ["polling", "watching"], "overload": ["overloading", "alarming"],
    "sos": ["alarming", "calling"], "idle": ["idling", "watching"],
    "floods": ["flooding", "proxying"], "citus": ["distributing", "uploading"],
    "pages": ["browsing", "chromium", "watching"],
}
DRILLS_SHARED = ["containers", "deployment", "load"]
DRILLS = {
    "images": ["images"], "firewall": ["firewall", "probe"], "encryption": ["encryption"],
    "limits": ["limits", "faults", "process_faults"],
    "drills": ["drills", "faults", "process_faults", "emergencies"],
    "restore": ["restore"], "rotation": ["rotation", "encryption", "restore"],
    "power": ["power", "faults", "emergencies"], "monitoring": ["monitoring"],
    "replacement": ["replacement", "traffic", "http2"], "units": ["started_units", "units"],
    "upgrade": ["upgrade", "replacement", "traffic", "http2"],
}
# The code in the images of a deployment (deploy/images/build).
IMAGES = ["Package.swift", "Sources", "sql", "deploy/Containerfile",
          "deploy/programs.containerfile", "deploy/images", "deploy/local/Containerfile",
          "deploy/backup", "deploy/database", "deploy/gateway", "deploy/monitoring",
          "deploy/systemd"]


def digest(part):
    """SHA-256 over the names and contents of the files that a part measures."""
    if part in SCRIPTS:
        scripts = GENERATORS + [f"Tests/Bench/{name}.py" for name in SCRIPTS[part] + SHARED]
    else:
        scripts = [f"Tests/Deployment/{name}.py" for name in DRILLS[part] + DRILLS_SHARED]
    return digest_of(CODE[part] + scripts)


def digest_of(folders):
    """SHA-256 over the names and contents of the files in folders."""
    total = hashlib.sha256()
    for folder in folders:
        found = [ROOT / folder, *(ROOT / folder).rglob("*")]
        # Python compiles modules beside them when a test imports them.
        files = sorted(path for path in found
                       if path.is_file() and "__pycache__" not in path.parts)
        if not files:
            raise FileNotFoundError(f"{folder}, whose digest is evidence, has no file")
        for path in files:
            total.update(f"{path.relative_to(ROOT)}\0".encode())
            total.update(hashlib.sha256(path.read_bytes()).digest())
    return total.hexdigest()


def label(image):
    """The digest of the code in an image, its label by deploy/images/build; empty without one."""
    return subprocess.run(
        ["podman", "image", "inspect", "--format", '{{index .Labels "trackme.code"}}',
         f"localhost/{image}"], capture_output=True, text=True, check=False).stdout.strip()


def have_code(images):
    """Whether all of these images have the code of this tree."""
    code = digest_of(IMAGES)
    return all(label(each) == code for each in images)


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
    measured = ["Package.swift", "Sources", "sql", "deploy", "Tests/Bench", "Tests/Deployment"]
    changed = subprocess.run(git + ["status", "--porcelain", "--", *measured],
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
                 "holds": not row.misses_must} | ({"note": row.note} if row.note else {})
                for row in rows if row.part == part],
        }
    text = json.dumps({"parts": dict(sorted(kept.items()))}, ensure_ascii=False, indent=1)
    FILE.write_text(text + "\n", encoding="utf-8")


if __name__ == "__main__":
    if sys.argv[1:] == ["images"]:
        print(digest_of(IMAGES))
    elif sys.argv[1:2] == ["images"]:
        sys.exit(not have_code(sys.argv[2:]))
    else:
        print(json.dumps({part: digest(part) for part in CODE}))
