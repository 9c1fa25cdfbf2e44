"""A rolling upgrade of the deployment on this machine (OPS-4): processes of a former version and of
this tree serve together. Under the load of the replacements, one Data4Help, one Track4Run and one
gateway are replaced by the former version, one after the other, and then by this tree's again. The
database has the schema of this tree. Each mixed state lasts until requests have passed through the
gateway that holds the address and through both processes of each service. Ends with a table, and
exit code 1 if a request failed, or if an acknowledged sample is not in its person's history once.

DEPLOY_FORMER is a checkout of the former version, with its compiled programs. Its own
deploy/images/build makes its image, with the suffix -former, and its
own compose file starts its containers. The images stay, as those of this tree do.

usage: upgrade.py [check]     check: only whether DEPLOY_FORMER is complete
"""

import os
import pathlib
import re
import subprocess
import sys
import time

from deployment import ASK, ROUTER, STATE, Failure, addresses, container, process, run, wait
from replacement import REPLACED, ROOT, Deployment, judge
from results import conclude, store  # makes the modules of the benchmarks importable
from traffic import Traffic
from evidence import label  # pylint: disable=wrong-import-order

PRESENT, FORMER = "localhost/trackme", "localhost/trackme-former"
PROGRAMS = ("gateway", "data4help", "track4run", "trackme")
SERVICES = REPLACED[:4]
# A replaced container, its image, and the gateway that must hold the address afterwards: the former
# gateway gets it when the other one is replaced.
STEPS = [
    ("data4help-1", FORMER, None), ("track4run-1", FORMER, None),
    ("gateway-1", FORMER, "gateway-2"), ("gateway-2", PRESENT, "gateway-1"),
    ("data4help-1", PRESENT, "gateway-1"), ("track4run-1", PRESENT, "gateway-1"),
    ("gateway-1", PRESENT, "gateway-2"),
]
# What must pass in each state. Each loop of a gateway checks a service once a second with a few
# hundred bytes, so that most of these bytes are requests.
RECEIVED_MIN = 1_000_000  # bytes from the gateway, at each service
REQUESTS_MIN = 1_000  # at the gateway
UPLOADS_MIN = 20
STATE_MAX = 300  # seconds


# --- the former version --------------------------------------------------------------------------

def former():
    """The checkout of the former version, which must be complete."""
    if not (value := os.environ.get("DEPLOY_FORMER")):
        raise Failure("DEPLOY_FORMER is not set: it must name a checkout of a former version with "
                      "its compiled programs (docs/operations.md)")
    tree = pathlib.Path(value).resolve()
    if tree == ROOT:
        raise Failure("DEPLOY_FORMER is this tree: it must be a checkout of a former version")
    needed = ["deploy/images/build", "deploy/compose.yaml",
              *(f"{compiled(tree)}/{each}" for each in PROGRAMS)]
    missing = [each for each in needed if not (tree / each).is_file()]
    if missing:
        raise Failure(f"DEPLOY_FORMER, {tree}, lacks {', '.join(missing)} (docs/operations.md says "
                      "how to compile them)")
    return tree


def compiled(tree):
    """The folder from which the version's own deploy/images/build takes the programs."""
    script = tree / "deploy/images/build"
    is_apart = script.is_file() and ".build/static" in script.read_text(encoding="utf-8")
    return ".build/static/release" if is_apart else ".build/release"


def build(tree):
    """Builds the image of the former version, whose code must be another one."""
    foreign = ("DEPLOY_PROGRAMS", "DEPLOY_COMPILE_IN_IMAGE", "DEPLOY_FRESH_BASE")
    environment = {name: value for name, value in os.environ.items() if name not in foreign}
    outcome = subprocess.run(
        [str(tree / "deploy/images/build"), "services"], capture_output=True, text=True,
        check=False, env=dict(environment, DEPLOY_SUFFIX="-former"))
    if outcome.returncode != 0:
        raise Failure(f"the image of {tree}: {(outcome.stdout + outcome.stderr).strip()[-500:]}")
    labels = {each: label(each) for each in ("trackme", "trackme-former")}
    for image, code in labels.items():
        if not code:
            raise Failure(f"localhost/{image} has no label with the digest of its code: build it "
                          "with deploy/images/build")
    if labels["trackme"] == labels["trackme-former"]:
        raise Failure(f"{tree} has the code of the image {PRESENT}: no other version is tried")


class Versions(Deployment):
    """The running deployment, each of whose containers may have the former version."""

    def __init__(self, tree):
        override = STATE / "former.yaml"
        override.write_text("services:\n" + "".join(
            f"  {name}: {{ image: {FORMER} }}\n" for name in REPLACED), encoding="utf-8")
        self.files = f"{tree / 'deploy/compose.yaml'}:{override}"
        self.record = STATE / "code.json"
        self.recorded = self.record.read_bytes() if self.record.exists() else None

    def change(self, name, image):
        """Replaces a container by one with this image."""
        variables = {"DEPLOY_COMPOSE": self.files} if image == FORMER else {}
        if fault := self.replace(name, **variables):
            raise Failure(fault)
        if identifier(image) != image_of(name):
            raise Failure(f"{name} has not the image {image}")

    def restore(self):
        """Replaces what still has the former version. Then the containers have the code again that
        was recorded when they were made."""
        for name in REPLACED:
            if image_of(name) != identifier(PRESENT):
                self.change(name, PRESENT)
        if self.recorded is not None:
            self.record.write_bytes(self.recorded)


def identifier(image):
    """The identifier of an image."""
    return run("podman", "image", "inspect", "--format", "{{.ID}}", image).strip()


def image_of(name):
    """The identifier of a container's image."""
    return run("podman", "inspect", "--format", "{{.Image}}", container(name)).strip()


# --- what has passed -----------------------------------------------------------------------------

def holder():
    """The gateway that holds the shared address; None while none does."""
    for number in (1, 2):
        inside = ["nsenter", f"--target={process(f'address-{number}')}", "--net"]
        if run(*inside, "ip", "-oneline", "address", "show", "to", "10.91.1.10/32"):
            return f"gateway-{number}"
    return None


def requests(gateway):
    """The requests that a gateway has answered since its start."""
    metrics = run("nsenter", f"--net={ROUTER}", *ASK, "--fail",
                  f"https://{addresses(gateway)[0]}:9080/metrics")
    return sum(map(float, re.findall(
        r"^trackme_gateway_requests_total(?:\{[^}]*\})? (\S+)", metrics, re.M)))


def received(service, gateway):
    """The bytes that a service has received on each open connection of a gateway."""
    listed = run("nsenter", f"--target={process(service)}", "--net", "ss", "-HOtin", "state",
                 "established", f"( sport = :9000 and dst {addresses(gateway)[0]} )")
    found = {}
    for line in listed.splitlines():
        count = re.search(r"\bbytes_received:(\d+)", line)
        found[line.split()[3]] = int(count.group(1)) if count else 0
    return found


def grown(before, now):
    """The bytes of connections since an earlier look at them."""
    return sum(count - before.get(peer, 0) for peer, count in now.items())


def await_load(title, gateway, traffic):
    """Waits until load has passed through the gateway with the address and through every service,
    and uploads were acknowledged."""
    if gateway is not None:
        wait(f"the shared address at {gateway}", STATE_MAX, lambda: holder() == gateway)
    gateway = gateway or holder()
    if gateway is None:
        raise Failure("no gateway holds the shared address")
    answered, uploads = requests(gateway), traffic.acknowledged
    before = {name: received(name, gateway) for name in SERVICES}

    def has_passed():
        return (requests(gateway) >= answered + REQUESTS_MIN
                and traffic.acknowledged >= uploads + UPLOADS_MIN
                and all(grown(before[name], received(name, gateway)) >= RECEIVED_MIN
                        for name in SERVICES))

    wait(f"the load through {gateway} and all services ({title})", STATE_MAX, has_passed)
    return gateway


# --- all of it -----------------------------------------------------------------------------------

def main(tree):
    build(tree)
    system = Versions(tree)
    since = int(time.time() * 1000)
    print("| replaced | now | load passed through |\n|---|---|---|")
    with system:
        try:
            with Traffic(system.ways, system.people()) as traffic:
                for name, image, gateway in STEPS:
                    version = "the former version" if image == FORMER else "this tree"
                    system.change(name, image)
                    passed = await_load(f"{name}: {version}", gateway, traffic)
                    print(f"| {name} | {version} | {passed}, {', '.join(SERVICES)} |", flush=True)
        finally:
            system.restore()
        print()
        rows = judge(traffic, since, [])
    store("upgrade", *rows)
    return 1 if any(row.misses_must for row in rows) else 0


if __name__ == "__main__":
    if sys.argv[1:] not in ([], ["check"]):
        sys.exit(__doc__)
    try:
        TREE = former()
    except Failure as error:
        sys.exit(f"upgrade: {error}")
    if not sys.argv[1:]:
        conclude("upgrade", lambda: main(TREE))
