"""The systemd units under a systemd that runs (OPS-8), in a container of its own with PostgreSQL:
an empty server is prepared as docs/operations.md says, the target starts everything, people use it
while each unit is restarted and killed, and the operator's units succeed. Ends with exit code 1 if
a must is missed. Needs root and the images.

usage: started_units.py [try DIRECTORY]    (the latter inside the container's network)
"""

import pathlib
import re
import subprocess
import sys
import tempfile
import time

from deployment import PATIENCE, Client, run, wait
from load import Load
from people import register
from results import conclude, most, store

ROOT = pathlib.Path(__file__).resolve().parents[2]
MACHINE = "trackme-units"
MAIL = "trackme-units-mail"
URL = "https://localhost:8443"
SERVICES = [
    "trackme-data4help@1", "trackme-data4help@2", "trackme-track4run@1", "trackme-track4run@2",
    "trackme-gateway",
]
# What a command of the operator starts.
COMMANDS = ["trackme-migrate", "trackme-audit"]
# An empty server: roles and keys, migrations, and the files that the units read.
PREPARATION = f"""
set -euo pipefail
secrets=/etc/trackme/secrets
install -d -m 0700 /etc/trackme $secrets
echo 'TRACKME_PUBLIC_URL={URL}' >/etc/trackme/settings
export TRACKME_PUBLIC_URL={URL} TRACKME_STATE=/var/lib/trackme-first TRACKME_DOCUMENTS=templates
owner=postgresql://trackme_owner@127.0.0.1
TRACKME_DATABASE_URL=$owner/trackme TRACKME_KEYS_DATABASE_URL=$owner/trackme_keys \\
  trackme migrate --print-roles | su postgres -c 'psql -q -v ON_ERROR_STOP=1'
keys=$TRACKME_STATE/keys
url() {{ echo "postgresql://$1:$(cat "$keys/database/$1.password")@127.0.0.1/$2"; }}
url trackme_owner trackme >$secrets/owner_database_url
url trackme_owner trackme_keys >$secrets/owner_keys_url
for role in gateway data4help track4run; do
  url $role trackme >$secrets/${{role}}_database_url
done
url data4help trackme_keys >$secrets/data4help_keys_url
TRACKME_DATABASE_URL_FILE=$secrets/owner_database_url \\
  TRACKME_KEYS_DATABASE_URL_FILE=$secrets/owner_keys_url trackme migrate
cp "$keys/root.secret" $secrets/root_secret
cp "$keys/master.key" $secrets/master_key
cp "$keys/push.key" $secrets/push_key
echo smtp://127.0.0.1:2525 >$secrets/smtp_url
openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 2 -subj /CN=localhost \\
  -addext subjectAltName=DNS:localhost -keyout $secrets/tls_key -out $secrets/tls_certificate \\
  2>/dev/null
"""


# --- the machine ---------------------------------------------------------------------------------

def inside(*command, data=None):
    """The output of a command on the machine, which must succeed."""
    return run("podman", "exec", "--interactive", MACHINE, *command, data=data, seconds=300)


def remove():
    for name in (MAIL, MACHINE):
        run("podman", "rm", "--force", "--ignore", "--time", "5", name)


def boot(mails):
    """Starts systemd, and a mail server in its network."""
    run("podman", "run", "--detach", "--name", MACHINE, "--privileged", "--systemd=always",
        "--network", "none", "--tmpfs", "/tmp", "--tmpfs", "/run", "localhost/trackme-units")
    # As on a machine: units receive credentials by mounts, which are private in a container.
    inside("mount", "--make-rshared", "/")
    run("podman", "run", "--detach", "--name", MAIL, "--network", f"container:{MACHINE}",
        "--user", "0:0", "--volume", f"{mails}:/var/mail/trackme", "localhost/trackme-mail")
    wait("systemd", PATIENCE, is_booted)
    wait("PostgreSQL", PATIENCE, lambda: state("postgresql@15-main")["ActiveState"] == "active")


def is_booted():
    """Whether systemd answers; its bus appears some time after it has started."""
    return subprocess.run(
        ["podman", "exec", MACHINE, "systemctl", "show", "--property=Version"],
        capture_output=True, timeout=60, check=False).returncode == 0


def state(unit):
    """The properties of a unit."""
    lines = inside("systemctl", "show", unit).splitlines()
    return dict(line.split("=", 1) for line in lines if "=" in line)


# --- the test, inside the network ----------------------------------------------------------------

def restart(unit):
    inside("systemctl", "restart", unit)


def kill(unit):
    inside("systemctl", "kill", "--signal=KILL", "--kill-who=main", unit)


def disturb(unit, fault, load):
    """The requests during a fault of a unit and how many failed. The unit must run again by
    itself, as another process, and serve."""
    def serve():
        moment = time.monotonic()
        wait("service", PATIENCE, lambda: load.has_served_since(moment))

    begin, before = time.monotonic(), state(unit)["MainPID"]
    serve()
    fault(unit)
    wait(f"{unit} again", PATIENCE, lambda: (now := state(unit))["ActiveState"] == "active"
         and now["MainPID"] not in ("0", before))
    # Every client is answered, and once more by a request that began after that.
    serve()
    serve()
    return load.failures(begin, time.monotonic())


def confinement(unit):
    """What differs from the confinement that a unit promises; its user is the first item."""
    status = inside("cat", f"/proc/{state(unit)['MainPID']}/status")
    values = dict(re.findall(r"^(\w+):\s+(\S+)", status, re.M))
    faults = [f"{unit}: {name} is {values[name]}, must be {must}" for name, must in (
        ("CapBnd", "0" * 16), ("NoNewPrivs", "1"), ("Seccomp", "2")) if values[name] != must]
    return values["Uid"], faults


def attempt(directory):
    """Uses the machine; returns what was missed."""
    def connect():
        return Client(URL, directory / "authority.pem")

    wait("the gateway", PATIENCE, lambda: connect().send("/ready")[0] == 200)
    people = register(2, connect, directory / "box" / "new")
    faults, failures, since = [], 0, int(time.time() * 1000)
    with Load(people) as load:
        for fault in (restart, kill):
            for unit in SERVICES:
                requests, failed = disturb(unit, fault, load)
                print(f"{fault.__name__} {unit}: {failed} of {requests} failed", flush=True)
                if fault is restart:
                    failures += failed
                    if failed:
                        faults.append(f"{unit}: {failed} requests failed: {load.causes()}")
    acknowledged, lost, doubled = load.check(since)
    print(f"{acknowledged} samples acknowledged, {lost} lost, {doubled} doubled")
    if lost or doubled or not acknowledged:
        faults.append(f"{acknowledged} acknowledged, {lost} lost, {doubled} doubled")
    users = set()
    for unit in SERVICES:
        user, missed = confinement(unit)
        users.add(user)
        faults += missed
    # The replicas of a service share one.
    if len(users) != 3 or "0" in users:
        faults.append(f"the users of three services are {sorted(users)}")
    for unit in COMMANDS:
        inside("systemctl", "start", unit)
        if state(unit)["Result"] != "success":
            faults.append(f"{unit}: {state(unit)['Result']}")
    inside("systemctl", "stop", "trackme.target")
    wait("the stop of all units", PATIENCE, lambda: all(
        state(unit)["ActiveState"] == "inactive" for unit in SERVICES))
    for fault in faults:
        print(fault)
    store("units", most("failed requests at restarts", failures, 0),
          most("acknowledged samples lost", lost, 0), most("samples doubled", doubled, 0),
          most("faults", len(faults), 0))
    return 1 if faults else 0


def main():
    if sys.argv[1:2] == ["try"]:
        return attempt(pathlib.Path(sys.argv[2]))
    remove()
    with tempfile.TemporaryDirectory(prefix="trackme-units-", dir="/var/tmp") as directory:
        try:
            boot(directory)
            inside("bash", data=PREPARATION)
            certificate = inside("cat", "/etc/trackme/secrets/tls_certificate")
            (pathlib.Path(directory) / "authority.pem").write_text(certificate)
            inside("systemctl", "start", "trackme.target")
            number = run("podman", "inspect", "--format", "{{.State.Pid}}", MACHINE).strip()
            return subprocess.run(
                ["nsenter", "--target", number, "--net", sys.executable, __file__, "try",
                 directory], check=False).returncode
        finally:
            remove()


if __name__ == "__main__":
    conclude("units", main)
