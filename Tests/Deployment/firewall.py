"""Every pair of containers, the machine outside, and the router: allowed connections open, all
others are dropped, by IPv4 and IPv6 (OPS-1). Ends with the number of connections, and
exit code 1 if one of them is wrong. Needs a deployment that runs and an ordinary load."""

import json
import pathlib
import subprocess
import sys

from deployment import (
    ADDRESS, CLIENT, CONTAINERS, EGRESS_PEER, PATIENCE, PUBLIC, STATE, ZONES, Outside,
    addresses, process, router, run, wait)
from results import conclude, least, most, store

PROBE = str(pathlib.Path(__file__).with_name("probe.py"))
PORTS = sorted({22, 80, 443, 8080, 9080, *(port for _, _, ports in CONTAINERS.values()
                                         for port in ports)})
SCANNED = range(1, 10001)
OPERATOR = "trackme_operator_probe"
# The lists of egress.nft for TCP, and the containers that reach their destinations.
EGRESS = {
    "https4": ["data4help-1"], "tiles4": ["track4run-1"], "names4": ["data4help-1", "track4run-1"],
}


def kind(name):
    """A container without its number."""
    return name.rsplit("-", 1)[0] if name[-1].isdigit() else name


# Source, destination and port of all that may connect, by kind; the rest may not.
ALLOWED = {
    ("gateway", "data4help", 9000), ("gateway", "track4run", 9000), ("gateway", "database", 5432),
    ("data4help", "track4run", 9000), ("track4run", "data4help", 9000),
    ("data4help", "database", 5432), ("track4run", "database", 5432),
    ("data4help", "keys-database", 5432),
    ("data4help", "mail", 2525), ("track4run", "mail", 2525),
    ("database", "database", 5432), ("database", "database", 8008),
    ("keys-database", "keys-database", 5432), ("keys-database", "keys-database", 8008),
    ("database", "etcd", 2379), ("keys-database", "etcd", 2379), ("etcd", "etcd", 2380),
    ("operator", "database", 5432), ("operator", "keys-database", 5432),
    ("monitoring", "gateway", 9080), ("monitoring", "data4help", 9080),
    ("monitoring", "track4run", 9080), ("monitoring", "etcd", 2381),
    ("monitoring", "database", 5432), ("monitoring", "keys-database", 5432),
    ("monitoring", "database", 8008), ("monitoring", "keys-database", 8008),
    ("monitoring", "mail", 2525),
}
# The sources that may connect to the gateways' address itself; clients use the public one.
ADDRESS_ALLOWED = {("monitoring", ADDRESS[0], 8443)}


def probe(namespace, targets):
    output = subprocess.run(
        ["nsenter", *namespace, "/usr/bin/python3", PROBE], input=json.dumps(targets),
        capture_output=True, text=True, timeout=120, check=True).stdout
    return json.loads(output)


def expectations(source):
    """The targets of a source, each with whether it may connect. None is the client outside."""
    expected = []
    for name in CONTAINERS:
        if name == source:
            continue
        for version, address in enumerate(addresses(name)):
            for port in PORTS:
                may = version == 0 and (kind(source or "outside"), kind(name), port) in ALLOWED
                expected.append(((address, port), may))
    for address in ADDRESS:
        if kind(source or "outside") != "gateway":
            expected += [((address, port), (source, address, port) in ADDRESS_ALLOWED)
                         for port in PORTS]
    # The router itself, on the source's side and on the outer one.
    zone = CONTAINERS[source][0] if source in CONTAINERS else "operator"
    own = [] if source is None else [
        f"10.91.{ZONES[zone]}.1", f"fd91:7472:6163:{ZONES[zone]}::1"]
    expected += [((address, port), False) for address in own for port in PORTS]
    if source is not None:
        expected += [((address, port), False) for address in PUBLIC for port in PORTS]
    expected.append(((EGRESS_PEER, 443), False))
    return expected if source is not None else expected[:-1]


def check(title, namespace, expected, faults):
    outcomes = probe(namespace, [target for target, _ in expected])
    opened = 0
    for ((address, port), may), outcome in zip(expected, outcomes):
        opened += outcome == "open"
        if outcome != ("open" if may else "dropped"):
            faults.append(f"{title} to {address} port {port}: {outcome}, "
                          f"must be {'open' if may else 'dropped'}")
    print(f"{title:18} {opened:9} {len(expected) - opened:9}")
    return len(expected)


def check_public(outside, faults):
    """From outside only port 443 of the public address is open."""
    expected = [((address, port), port == 443) for address in PUBLIC for port in SCANNED]
    return check("outside, ports", outside, expected, faults)


def check_egress(outside, faults):
    """A listed destination opens to the services of its list, and only while it is listed."""
    listener = subprocess.Popen(
        ["nsenter", *outside, "/usr/bin/python3", "-m", "http.server", "--bind", EGRESS_PEER,
         "443"],
        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    element = f"{{ {EGRESS_PEER} . 443 }}"
    count = 0
    try:
        wait("the listener outside", PATIENCE, lambda: f"{EGRESS_PEER}:443" in run(
            "nsenter", *outside, "ss", "-Hlnt"))
        for list_name, admitted in EGRESS.items():
            router("nft", "add", "element", "inet", "trackme", list_name, element)
            for name in ("data4help-1", "track4run-1", "gateway-1", "database-1", "mail"):
                expected = [((EGRESS_PEER, 443), name in admitted), ((EGRESS_PEER, 80), False)]
                count += check(f"{name}, {list_name}", inside(name), expected, faults)
            router("nft", "delete", "element", "inet", "trackme", list_name, element)
            for name in admitted:
                count += check(f"{name}, after", inside(name), [((EGRESS_PEER, 443), False)],
                               faults)
    finally:
        listener.kill()
        listener.wait()
    return count


def check_roles(faults):
    """The database admits a gateway only as the role that reads sessions (pg_hba)."""
    secrets = STATE / "secrets"
    count = 0
    for role, may in (("gateway", True), ("data4help", False), ("owner", False)):
        url = (secrets / f"{role}_database_url").read_text().strip().replace(
            "/run/inner/", f"{STATE}/inner/clients/")
        outcome = subprocess.run(
            ["nsenter", *inside("gateway-1"), "psql", url, "-Atc", "SELECT 1"],
            capture_output=True, text=True, timeout=20, check=False)
        count += 1
        if (outcome.returncode == 0) != may or (
                not may and "no pg_hba.conf entry" not in outcome.stderr):
            faults.append(f"gateway-1 as {role}: {outcome.stderr.strip()[-200:] or 'connected'}")
    print(f"{'gateway-1, roles':18} {1:9} {count - 1:9}")
    return count


def inside(name):
    return ["--target", str(process(name)), "--net"]


def main():
    faults, count = [], 0
    print(f"{'source':18} {'connected':>9} {'dropped':>9}")
    run("podman", "rm", "--force", "--ignore", OPERATOR)
    router("podman", "run", "--detach", "--name", OPERATOR, "--network",
           "trackme_operator:ip=10.91.6.11,ip=fd91:7472:6163:6::11", "localhost/trackme-etcd",
           "/usr/bin/sleep", "600")
    try:
        with Outside():
            outside = [f"--net=/run/netns/{CLIENT}"]
            for name in CONTAINERS:
                count += check(name, inside(name), expectations(name), faults)
            pid = run("podman", "inspect", "--format", "{{.State.Pid}}", OPERATOR).strip()
            count += check("operator", ["--target", pid, "--net"], expectations("operator"), faults)
            count += check("outside, zones", outside, expectations(None), faults)
            count += check_public(outside, faults)
            count += check_egress(outside, faults)
            count += check_roles(faults)
    finally:
        router("podman", "rm", "--force", "--volumes", "--time", "0", OPERATOR)
    print(f"{count} connections tried, {len(faults)} wrong")
    for fault in faults[:40]:
        print(f"  {fault}")
    store("firewall", least("connections tried", count, 10_000),
          most("wrong connections", len(faults), 0))
    return 1 if faults else 0


if __name__ == "__main__":
    conclude("firewall", main)
