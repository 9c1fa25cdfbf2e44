"""The systemd units: valid, hardened, and for the services that exist. `systemd-analyze security`
counts from 0 (confined) to 10; no unit may exceed 2.0. Ends with the table, and exit code 1 if
a unit fails. Needs no running systemd."""

import pathlib
import re
import subprocess
import sys

# What the programs accept from systemd (SocketName).
SOCKETS = {"http", "https", "service", "metrics"}
UNITS = pathlib.Path(__file__).resolve().parents[2] / "deploy/systemd"
EXPOSURE_MAX = 2.0
# A unit of a program that is not installed on this machine.
NOT_INSTALLED = re.compile(r"Command /usr/local/bin/\w+ is not executable")


def analyze(*arguments):
    return subprocess.run(
        ["systemd-analyze", "--no-pager", *arguments], capture_output=True, text=True, check=False)


def exposure(path):
    """The exposure of a service, from a file; None if it cannot be analysed."""
    output = analyze("security", "--offline=true", str(path)).stdout
    found = re.search(r"Overall exposure level for \S+: ([\d.]+)", output)
    return float(found.group(1)) if found else None


def main():
    faults = []
    for path in sorted(UNITS.iterdir()):
        instance = path.name.replace("@.", "@1.")
        output = analyze("verify", str(path.with_name(instance)))
        faults += [f"{path.name}: {line}" for line in output.stderr.splitlines()
                   if path.name.split("@")[0].split(".")[0] in line
                   and not NOT_INSTALLED.search(line)]
        if path.suffix == ".socket":
            names = set(re.findall(r"^FileDescriptorName=(\S+)$", path.read_text(), re.M))
            if not names or not names <= SOCKETS:
                faults.append(f"{path.name}: passes {sorted(names)}, known are {sorted(SOCKETS)}")
        if path.suffix != ".service":
            continue
        level = exposure(path)
        print(f"{path.name:28} {level}")
        if level is None or level > EXPOSURE_MAX:
            faults.append(f"{path.name}: exposure {level}, at most {EXPOSURE_MAX}")
    for program in ("gateway", "data4help", "track4run"):
        if not list(UNITS.glob(f"trackme-{program}*.service")):
            faults.append(f"{program} has no unit")
    for fault in faults:
        print(fault)
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
