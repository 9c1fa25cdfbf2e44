"""Every pair of containers, the machine outside, and the router: allowed connections open and
allowed datagrams arrive, all others are dropped, by IPv4 and IPv6 (OPS-1). Ends with the number of
connections and datagrams, and exit code 1 if one of them is wrong. Needs a deployment that runs and
an ordinary load."""

import json
import pathlib
import subprocess

from deployment import (
    ADDRESS, CLIENT, CONTAINERS, EGRESS_PEER, PUBLIC, ROUTER, STATE, ZONES, Outside, addresses,
    process, router, run)
from process_faults import holders
from results import conclude, least, most, store

PROBE = str(pathlib.Path(__file__).with_name("probe.py"))
PORTS = sorted({22, 80, 443, 8080, 9080, *(port for _, _, ports in CONTAINERS.values()
                                         for port in ports)})
SCANNED = range(1, 65536)
PROBE_MAX = 300  # seconds for the targets of one source
OPERATOR = "trackme_operator_probe"
PROTOCOLS = ("tcp", "udp")
SERVICES = ["data4help-1", "track4run-1"]
# The lists of egress.nft, each with the protocol and a port of a destination, and the containers
# that reach it.
EGRESS = [
    ("https4", "tcp", 443, ["data4help-1"]), ("tiles4", "tcp", 444, ["track4run-1"]),
    ("names4", "tcp", 53, SERVICES), ("names4", "udp", 53, SERVICES),
    ("voice4", "udp", 5060, ["data4help-1"]),
]


def kind(name):
    """A container without its number."""
    return name.rsplit("-", 1)[0] if name[-1].isdigit() else name


# Source, destination and TCP port of all that may connect, by kind; the rest may not.
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
        capture_output=True, text=True, timeout=PROBE_MAX, check=True).stdout
    return json.loads(output)


def expectations(source):
    """The targets of a source, each with its outcome. None is the client outside."""
    allowed = set()  # addresses and TCP ports
    reached = [*PUBLIC, *ADDRESS] if kind(source or "outside") != "gateway" else [*PUBLIC]
    for name in CONTAINERS:
        if name != source:
            reached += addresses(name)
            allowed |= {(addresses(name)[0], port) for port in PORTS
                        if (kind(source or "outside"), kind(name), port) in ALLOWED}
    allowed |= {(address, port) for each, address, port in ADDRESS_ALLOWED if each == source}
    if source is None:
        allowed |= {(address, 443) for address in PUBLIC}
    else:
        # The router itself on the source's side, and a destination outside.
        number = ZONES[CONTAINERS[source][0] if source in CONTAINERS else "operator"]
        reached += [f"10.91.{number}.1", f"fd91:7472:6163:{number}::1", EGRESS_PEER]
    return [((address, port, protocol),
             "open" if protocol == "tcp" and (address, port) in allowed else "dropped")
            for address in reached for port in PORTS for protocol in PROTOCOLS]


def check(title, namespace, expected, faults):
    outcomes = probe(namespace, [target for target, _ in expected])
    passed = 0
    for ((address, port, protocol), must), outcome in zip(expected, outcomes):
        passed += outcome != "dropped"
        if outcome != must:
            faults.append(f"{title} to {address}, {protocol} port {port}: {outcome}, must be "
                          f"{must}")
    print(f"{title:18} {passed:9} {len(expected) - passed:9}")
    return len(expected)


def check_public(outside, faults):
    """From outside only port 443 of the public addresses is open."""
    expected = [((address, port, "tcp"), "open" if port == 443 else "dropped")
                for address in PUBLIC for port in SCANNED]
    return check("outside, ports", outside, expected, faults)


def check_egress(faults):
    """A destination outside answers the containers of its list, and only while it is listed.
    Nothing listens there, so that it refuses what arrives."""
    count = 0
    for state, order in (("listed", "add"), ("unlisted", "delete")):
        for list_name, port in {(each[0], each[2]) for each in EGRESS}:
            router("nft", order, "element", "inet", "trackme", list_name,
                   f"{{ {EGRESS_PEER} . {port} }}")
        for name in (*SERVICES, "gateway-1", "database-1", "mail"):
            admitted = {(protocol, port) for _, protocol, port, names in EGRESS
                        if name in names and state == "listed"}
            expected = [((EGRESS_PEER, port, protocol),
                         "refused" if (protocol, port) in admitted else "dropped")
                        for port in {each[2] for each in EGRESS} for protocol in PROTOCOLS]
            count += check(f"{name}, {state}", inside(name), expected, faults)
    return count


def check_roles(title, namespace, expected, faults):
    """The databases admit only the roles of a zone (pg_hba). Expected are URLs, each with whether
    it connects; the password doesn't matter where it must not."""
    passed = 0
    for url, may in expected:
        outcome = subprocess.run(
            ["nsenter", *namespace, "psql", url, "-Atc", "SELECT 1"], capture_output=True,
            text=True, timeout=20, check=False)
        passed += outcome.returncode == 0
        if (outcome.returncode == 0) != may or (
                not may and "no pg_hba.conf entry" not in outcome.stderr):
            role = url.split("//")[1].split(":")[0]
            faults.append(f"{title}, {role}: {outcome.stderr.strip()[-200:] or 'connected'}")
    print(f"{title:18} {passed:9} {len(expected) - passed:9}")
    return len(expected)


def url_of(name):
    """The URL of a database in a secret, for a client on this machine."""
    return (STATE / "secrets" / name).read_text().strip().replace(
        "/run/inner/", f"{STATE}/inner/clients/")


def check_gateway_roles(faults):
    """A gateway connects only as the role that reads sessions."""
    return check_roles("gateway-1, roles", inside("gateway-1"), [
        (url_of("gateway_database_url"), True), (url_of("data4help_database_url"), False),
        (url_of("owner_database_url"), False)], faults)


def check_operator_roles(namespace, faults):
    """The operator's tool connects as the services do, to the databases of each."""
    keys = url_of("data4help_keys_url")
    return check_roles("operator, roles", namespace, [
        (url_of("owner_keys_url"), True), (url_of("data4help_database_url"), True),
        (url_of("track4run_database_url"), True), (keys, True),
        (keys.replace("//data4help:", "//track4run:"), False)], faults)


def check_bridges(faults):
    """A bridge whose hardware address is not set (type 3) changes it when a container is replaced,
    and the others send to the former address."""
    types = json.loads(router("ip", "-json", "-details", "link", "show", "type", "bridge"))
    bridges = [each["ifname"] for each in types]
    assert len(bridges) == len(ZONES), bridges
    for name in bridges:
        # /sys has the devices of the namespace for `ip netns exec`, of the machine for `nsenter`.
        origin = run("ip", "netns", "exec", pathlib.Path(ROUTER).name, "cat",
                     f"/sys/class/net/{name}/addr_assign_type").strip()
        if origin != "3":
            faults.append(f"the hardware address of {name} is not set: type {origin}")


def check_holders(faults):
    """One gateway alone has the address, by IPv4 and IPv6: it counts the limits of clients."""
    held = [holders(each) for each in ADDRESS]
    if len(held[0]) != 1 or held[0] != held[1]:
        faults.append(f"the address is held by the gateways {held[0]}, by IPv6 {held[1]}")


def inside(name):
    return ["--target", str(process(name)), "--net"]


def main():
    faults, count = [], 0
    check_bridges(faults)
    check_holders(faults)
    print(f"{'source':18} {'passed':>9} {'dropped':>9}")
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
            operator = ["--target", pid, "--net"]
            count += check("operator", operator, expectations("operator"), faults)
            count += check("outside, zones", outside, expectations(None), faults)
            count += check_public(outside, faults)
            count += check_egress(faults)
            count += check_gateway_roles(faults)
            count += check_operator_roles(operator, faults)
    finally:
        router("podman", "rm", "--force", "--volumes", "--time", "0", OPERATOR)
    print(f"{count} connections and datagrams tried, {len(faults)} wrong")
    for fault in faults[:40]:
        print(f"  {fault}")
    store("firewall", least("connections and datagrams tried", count, 140_000),
          most("wrong connections and datagrams", len(faults), 0))
    return 1 if faults else 0


if __name__ == "__main__":
    conclude("firewall", main)
