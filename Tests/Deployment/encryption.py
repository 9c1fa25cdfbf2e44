"""The connections between containers: TLS with both certificates between services, and to
PostgreSQL with a verified name (OPS-3). Each plain, unknown or wrong connection must be refused.
Ends with the number of connections, and exit code 1 if one of them is wrong. Needs a deployment
that runs."""

import json
import socket
import ssl
import subprocess
import sys

from deployment import STATE, Failure, addresses, container, process, run

HOLDERS = STATE / "inner"
TRUSTED = HOLDERS / "clients" / "authority.pem"
REQUEST = b"GET /health HTTP/1.1\r\nHost: inner\r\nConnection: close\r\n\r\n"
# Source, service, and the holder of the certificate; a text for a plain request and for none.
SERVICES = [
    ("gateway-1", "data4help-1", "gateway", True),
    ("gateway-2", "track4run-2", "gateway", True),
    ("track4run-1", "data4help-2", "track4run", True),
    ("data4help-1", "track4run-1", "data4help", True),
    ("gateway-1", "data4help-1", "data4help", False),
    ("gateway-1", "data4help-1", "database-1", False),
    ("gateway-1", "track4run-1", "none", False),
    ("gateway-1", "track4run-1", "plain", False),
]


def ask(address, role, holder):
    """The first line of the answer to a request; empty if the connection is refused."""
    try:
        with socket.create_connection((address, 9000), timeout=5) as plain:
            if holder == "plain":
                plain.sendall(REQUEST)
                return plain.recv(64).decode(errors="replace").split("\r\n")[0]
            context = ssl.create_default_context(cafile=str(TRUSTED))
            if holder != "none":
                directory = HOLDERS / holder
                context.load_cert_chain(directory / "certificate.pem", directory / "key.pem")
            with context.wrap_socket(plain, server_hostname=role) as secure:
                secure.sendall(REQUEST)
                return secure.recv(64).decode(errors="replace").split("\r\n")[0]
    except OSError:
        return ""


def within(name, *command):
    return subprocess.run(
        ["nsenter", "--target", str(process(name)), "--net", *command], capture_output=True,
        text=True, timeout=30, check=False)


def check_services(faults):
    for source, service, holder, may in SERVICES:
        role = service.rsplit("-", 1)[0]
        arguments = json.dumps([addresses(service)[0], role, holder])
        line = within(source, "/usr/bin/python3", __file__, "ask", arguments).stdout.strip()
        # Without the internal secret a known process gets 404.
        if (" 404 " in f"{line} ") != may or (line and not may):
            faults.append(f"{source} to {service} as {holder}: {line or 'refused'}")
    return len(SERVICES)


def check_databases(faults):
    """A client of the databases verifies them, and is refused without encryption."""
    url = (STATE / "secrets/gateway_database_url").read_text().strip()
    base = url.split("?", maxsplit=1)[0]
    cases = [
        ("verified", f"?sslmode=verify-full&sslrootcert={TRUSTED}", ""),
        ("plain", "?sslmode=disable", "no encryption"),
        ("another authority", f"?sslmode=verify-full&sslrootcert={STATE}/authority.pem",
         "certificate verify failed"),
    ]
    for title, options, reason in cases:
        outcome = within("gateway-1", "psql", base + options, "-Atc", "SELECT 1")
        if (outcome.returncode == 0) != (not reason) or reason not in outcome.stderr:
            faults.append(f"gateway-1 to the database, {title}: {outcome.stderr.strip()[-200:]}")
    return len(cases)


def check_replication(faults):
    """The standbys read over TLS."""
    for name in ("database", "keys-database"):
        rows = [run(
            "podman", "exec", container(f"{name}-{number}"), "psql", "-XqAt", "-h", "/tmp", "-U",
            "postgres", "-c",
            "SELECT ssl FROM pg_stat_ssl JOIN pg_stat_replication USING (pid)").split()
            for number in (1, 2)]
        if sum(rows, []) != ["t"]:
            faults.append(f"{name}: the replication is {rows}, must be encrypted once")
    return 2


def main():
    if sys.argv[1:2] == ["ask"]:
        print(ask(*json.loads(sys.argv[2])))
        return 0
    faults = []
    count = check_services(faults) + check_databases(faults) + check_replication(faults)
    for fault in faults:
        print(fault)
    print(f"{count} connections, {len(faults)} wrong")
    return 1 if faults else 0


if __name__ == "__main__":
    try:
        sys.exit(main())
    except Failure as failure:
        sys.exit(f"encryption: {failure}")
