"""The connections between containers: TLS with both certificates between services, to etcd, Patroni
and the ports of metrics, and to PostgreSQL with a verified name (OPS-3). Each plain, unknown or
wrong connection must be refused, also after another authority has replaced the first one. Ends with
the number of connections, and exit code 1 if one of them is wrong. Needs a deployment that runs."""

import json
import socket
import ssl
import subprocess
import sys

from deployment import (
    ASK, CONTAINERS, HOLDERS, LOCAL, PATIENCE, STATE, addresses, container, process, router, run,
    wait)
from results import conclude, least, most, store

TRUSTED = HOLDERS / "clients" / "authority.pem"
# A certificate with the name of a gateway, issued by an untrusted authority.
FOREIGN = STATE / "foreign"
# The path that a port answers.
PATHS = {9000: "/health", 9080: "/ready", 8008: "/health", 2379: "/health", 2380: "/version",
         2381: "/health"}
# Source, destination, its port and name, the holder of the certificate, or `plain` or `none`, and
# the status of the answer. A service answers a known process without the internal secret by 404.
CONNECTIONS = [
    ("gateway-1", "data4help-1", 9000, "data4help", "gateway", 404),
    ("gateway-2", "track4run-2", 9000, "track4run", "gateway", 404),
    ("track4run-1", "data4help-2", 9000, "data4help", "track4run", 404),
    ("data4help-1", "track4run-1", 9000, "track4run", "data4help", 404),
    ("gateway-1", "data4help-1", 9000, "data4help", "data4help", None),
    ("gateway-1", "data4help-1", 9000, "data4help", "database-1", None),
    ("gateway-1", "data4help-1", 9000, "data4help", "monitoring", None),
    ("gateway-1", "data4help-1", 9000, "data4help", "foreign", None),
    ("gateway-1", "track4run-1", 9000, "track4run", "none", None),
    ("gateway-1", "track4run-1", 9000, "track4run", "plain", None),
    ("monitoring", "gateway-1", 9080, "metrics", "monitoring", 200),
    ("monitoring", "data4help-2", 9080, "metrics", "monitoring", 200),
    ("monitoring", "track4run-1", 9080, "metrics", "monitoring", 200),
    ("monitoring", "gateway-1", 9080, "metrics", "data4help", None),
    ("monitoring", "gateway-1", 9080, "metrics", "foreign", None),
    ("monitoring", "data4help-1", 9080, "metrics", "none", None),
    ("monitoring", "track4run-1", 9080, "metrics", "plain", None),
    ("monitoring", "etcd-1", 2381, "metrics", "monitoring", 200),
    ("monitoring", "etcd-1", 2381, "metrics", "none", None),
    ("monitoring", "etcd-1", 2381, "metrics", "plain", None),
    ("database-1", "etcd-2", 2379, "etcd", "database-1", 200),
    ("keys-database-2", "etcd-3", 2379, "etcd", "keys-database-2", 200),
    ("database-1", "etcd-2", 2379, "etcd", "gateway", None),
    # The firewall alone refuses this one.
    ("monitoring", "etcd-1", 2379, "etcd", "monitoring", None),
    ("database-1", "etcd-2", 2379, "etcd", "foreign", None),
    ("database-1", "etcd-2", 2379, "etcd", "none", None),
    ("database-1", "etcd-2", 2379, "etcd", "plain", None),
    ("etcd-1", "etcd-2", 2380, "etcd", "etcd-1", 200),
    ("etcd-1", "etcd-2", 2380, "etcd", "database-1", None),
    ("etcd-1", "etcd-2", 2380, "etcd", "plain", None),
    ("database-1", "database-2", 8008, "database-2", "database-1", 200),
    ("database-1", "database-2", 8008, "database-2", "none", None),
    ("database-1", "database-2", 8008, "database-2", "plain", None),
]


def ask(address, port, role, holder):
    """The first line of the answer to a request; empty if the connection is refused."""
    request = f"GET {PATHS[port]} HTTP/1.1\r\nHost: inner\r\nConnection: close\r\n\r\n".encode()
    try:
        with socket.create_connection((address, port), timeout=5) as plain:
            if holder == "plain":
                plain.sendall(request)
                return plain.recv(64).decode(errors="replace").split("\r\n")[0]
            context = ssl.create_default_context(cafile=str(TRUSTED))
            if holder != "none":
                directory = FOREIGN if holder == "foreign" else HOLDERS / holder
                context.load_cert_chain(directory / "certificate.pem", directory / "key.pem")
            with context.wrap_socket(plain, server_hostname=role) as secure:
                secure.sendall(request)
                return secure.recv(64).decode(errors="replace").split("\r\n")[0]
    except OSError:
        return ""


def within(name, *command):
    return subprocess.run(
        ["nsenter", "--target", str(process(name)), "--net", *command], capture_output=True,
        text=True, timeout=30, check=False)


def check_certificates(faults):
    for source, destination, port, role, holder, status in CONNECTIONS:
        arguments = json.dumps([addresses(destination)[0], port, role, holder])
        outcome = within(source, "/usr/bin/python3", __file__, "ask", arguments)
        line = outcome.stdout.strip()
        # A server of TLS may answer a plain request by an error in clear.
        refusals = ("", "HTTP/1.0 400 Bad Request") if holder == "plain" else ("",)
        is_right = f" {status} " in f"{line} " if status else line in refusals
        if outcome.returncode != 0 or not is_right:
            faults.append(
                f"{source} to {destination}:{port} as {holder}: {line or 'refused'}, must be "
                f"{status or 'refused'} {outcome.stderr.strip()[-200:]}")
    return len(CONNECTIONS)


def check_databases(faults):
    """A client of the databases verifies them, and is refused without encryption."""
    cases = [
        ("verified", f"?sslmode=verify-full&sslrootcert={TRUSTED}", ""),
        ("plain", "?sslmode=disable", "no encryption"),
        ("another authority", f"?sslmode=verify-full&sslrootcert={STATE}/authority.pem",
         "certificate verify failed"),
    ]
    clients = [("gateway-1", "gateway_database_url"), ("track4run-1", "track4run_database_url"),
               ("data4help-1", "data4help_database_url"), ("data4help-1", "data4help_keys_url")]
    for name, secret in clients:
        base = (STATE / "secrets" / secret).read_text().strip().split("?", maxsplit=1)[0]
        for title, options, reason in cases:
            outcome = within(name, "psql", base + options, "-Atc", "SELECT 1")
            if (outcome.returncode == 0) != (not reason) or reason not in outcome.stderr:
                faults.append(f"{name} by {secret}, {title}: {outcome.stderr.strip()[-200:]}")
    return len(cases) * len(clients)


def check_urls(faults):
    """All programs that are given the URL of a database verify its name."""
    urls = [path for path in (STATE / "secrets").glob("*_url")
            if path.read_text().startswith("postgresql://")]
    for path in urls:
        if "sslmode=verify-full" not in path.read_text():
            faults.append(f"{path.name} does not demand a verified name")
    return len(urls)


def ask_databases(name, query):
    """The words of the rows of both servers of a cluster."""
    return [run("podman", "exec", container(f"{name}-{number}"), "psql", "-XqAt", "-h", "/tmp",
                "-U", "postgres", "-c", query).split() for number in (1, 2)]


def check_sessions(faults):
    """Connections of services, and the replication, use TLS."""
    for name in ("database", "keys-database"):
        rows = ask_databases(
            name, "SELECT ssl FROM pg_stat_ssl JOIN pg_stat_replication USING (pid)")
        if sum(rows, []) != ["t"]:
            faults.append(f"{name}: the replication is {rows}, must be encrypted once")
        rows = ask_databases(
            name, "SELECT DISTINCT ssl FROM pg_stat_ssl JOIN pg_stat_activity USING (pid) "
            "WHERE client_addr IS NOT NULL AND usename IN ('gateway', 'data4help', 'track4run')")
        if set(sum(rows, [])) != {"t"}:
            faults.append(f"{name}: TLS of the services' connections is {rows}, must be t")
    return 4


def check_orders(faults):
    """A holder of a certificate that is no member of the cluster orders nothing of Patroni."""
    status = router(*ASK, "--request", "POST", "--output", "/dev/null", "--write-out",
                    "%{http_code}", f"https://{addresses('database-1')[0]}:8008/restart")
    if status != "403":
        faults.append(f"an order to Patroni from outside its cluster: {status}, must be 403")
    return 1


def check(faults):
    known = len(faults)
    count = sum(part(faults) for part in (
        check_certificates, check_databases, check_urls, check_sessions, check_orders))
    print(f"{count} connections, {len(faults) - known} wrong")
    return count


def reloads():
    """How often each process of TrackMe has read other certificates."""
    return [
        subprocess.run(["podman", "logs", container(name)], stdout=subprocess.PIPE,
                       stderr=subprocess.STDOUT, text=True, timeout=60, check=True
                       ).stdout.count("inner certificates reloaded")
        for name, (zone, *_) in CONTAINERS.items() if zone in ("gateways", "services")]


def rotate_authority():
    """Replaces the authority in three steps. After each, all processes have read the new files."""
    for _ in range(3):
        before = reloads()
        run(LOCAL / "renew", "rotate", seconds=300)
        wait("the reading of the certificates", PATIENCE, lambda: all(
            count > former for count, former in zip(reloads(), before, strict=True)))


def make_foreign():
    """Makes the foreign certificate, with all names that the ports ask for."""
    FOREIGN.mkdir(mode=0o700, exist_ok=True)
    names = ",".join(f"DNS:{each}" for each in ("gateway", "monitoring", "etcd-client", "metrics"))
    run("openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256",
        "-noenc", "-days", "1", "-subj", "/CN=gateway", "-addext", f"subjectAltName={names}",
        "-keyout", str(FOREIGN / "key.pem"), "-out", str(FOREIGN / "certificate.pem"))


def main():
    faults = []
    make_foreign()
    count = check(faults)
    rotate_authority()
    count += check(faults)
    for fault in faults:
        print(fault)
    store("encryption", least("connections tried", count, 110),
          most("wrong connections", len(faults), 0))
    return 1 if faults else 0


if __name__ == "__main__":
    if sys.argv[1:2] == ["ask"]:
        print(ask(*json.loads(sys.argv[2])))
    else:
        conclude("encryption", main)
