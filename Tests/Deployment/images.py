"""The running services and the operator's tool: an ordinary user without capabilities, a root that
cannot be written, no shell, no test equipment, an image under 150 MB, and for the services nothing
listening beyond their port and that of their metrics. The databases: Patroni with the mend of
deploy/local/Containerfile. Needs a deployment that runs.

Ends with a line for each size, and exit code 1 if something is not as required.
"""

import json
import os
import pathlib

from deployment import container, process, run
from results import conclude, most, store

SERVICES = [f"{name}-{number}" for name in ("gateway", "data4help", "track4run")
            for number in (1, 2)]
DATABASES = [f"{name}-{number}" for name in ("database", "keys-database") for number in (1, 2)]
USER = "10001"
UNWANTED = {"sh", "bash", "dash", "busybox", "trackme-lab"}
SIZE_MAX = 150  # MB
# Patroni rewinds a former primary by the timeline that it applied (4), not the one it receives (5).
JUDGED = """from types import SimpleNamespace as Object
from patroni.postgresql.rewind import Rewind
server = Object(is_running=lambda: True, replayed_location=lambda: 0,
                received_timeline=lambda: 5, get_replica_timeline=lambda: 4)
print(Rewind._get_local_timeline_lsn(Object(_postgresql=server))[1])"""


class Faults(list):
    """What is not as required, as texts."""

    def expect(self, title, must, value):
        """Notes a value that differs."""
        if value != must:
            self.append(f"{title}: {value}, must be {must}")


def unwanted(root):
    """The shells and the test equipment in a file system."""
    return sorted({name for _, folders, files in os.walk(f"{root}/usr")
                   for name in folders + files if name in UNWANTED})


def inspect_service(name, faults):
    """The process of a service."""
    number = process(name)
    status = dict(line.split(":", 1) for line in
                  pathlib.Path(f"/proc/{number}/status").read_text().splitlines())
    faults.expect(f"{name}, user", USER, status["Uid"].split()[0])
    faults.expect(f"{name}, capabilities", "0" * 16, status["CapBnd"].strip())
    faults.expect(f"{name}, no new privileges", "1", status["NoNewPrivs"].strip())
    mounts = [line.split() for line in
              pathlib.Path(f"/proc/{number}/mountinfo").read_text().splitlines()]
    faults.expect(f"{name}, root", ["ro"],
                  [each[5].split(",")[0] for each in mounts if each[4] == "/"])
    faults.expect(f"{name}, shells and test equipment", [], unwanted(f"/proc/{number}/root"))
    listening = run("nsenter", f"--target={number}", "--net", "ss", "-Hltn").splitlines()
    places = [line.split()[3].rpartition(":") for line in listening]
    ports = {int(port) for address, _, port in places
             if not address.startswith("127.") and address != "[::1]"}
    faults.expect(f"{name}, ports", {8443 if name.startswith("gateway") else 9000, 9080}, ports)


def inspect_tool(faults):
    """The container of the operator's tool, which runs only during its commands: with these
    settings each of them has a container of its own."""
    [made] = json.loads(run("podman", "inspect", container("operator")))
    faults.expect("operator, user", f"{USER}:{USER}", made["Config"]["User"])
    faults.expect("operator, capabilities", [], made["BoundingCaps"] or [])
    faults.expect("operator, no new privileges", True,
                  "no-new-privileges" in str(made["HostConfig"]["SecurityOpt"]))
    faults.expect("operator, read-only root", True, made["HostConfig"]["ReadonlyRootfs"])


def size(title, name, faults):
    """The figure of the image of a container, in whose files is nothing unwanted."""
    image = run("podman", "inspect", "--format", "{{.Image}}", container(name)).strip()
    root = run("podman", "image", "mount", image).strip()
    try:
        faults.expect(f"{title}, shells and test equipment", [], unwanted(root))
        megabytes = int(run("du", "-sb", root).split()[0]) / 1e6
    finally:
        run("podman", "image", "unmount", image)
    print(f"{title}: {megabytes:.1f} MB")
    return most(title, megabytes, SIZE_MAX, "MB")


def main():
    faults = Faults()
    for name in SERVICES:
        inspect_service(name, faults)
    inspect_tool(faults)
    for name in DATABASES:
        faults.expect(f"{name}, timeline of a former primary", "4", run(
            "podman", "exec", container(name), "/usr/bin/python3", "-c", JUDGED).strip())
    sizes = [size("image of the services", SERVICES[0], faults),
             size("image of the operator's tool", "operator", faults)]
    for each in faults:
        print(each)
    missed = len(faults) + sum(row.misses_must for row in sizes)
    print(f"{len(SERVICES)} services, the operator's tool and {len(DATABASES)} databases: "
          f"{f'{missed} faults' if missed else 'all as required'}")
    store("images", most("faults", len(faults), 0), *sizes)
    return 1 if missed else 0


if __name__ == "__main__":
    conclude("images", main)
