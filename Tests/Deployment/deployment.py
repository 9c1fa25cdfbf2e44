"""What the tests of a deployment on this machine share: its containers, their addresses, commands
inside its network namespaces, and a client of its public address."""

import json
import os
import pathlib
import ssl
import subprocess
import time
import urllib.error
import urllib.request

LOCAL = pathlib.Path(__file__).resolve().parents[2] / "deploy" / "local"
STATE = pathlib.Path(os.environ.get("DEPLOY_STATE", "/var/lib/trackme-local"))
os.environ["CONTAINERS_CONF"] = str(STATE / "containers.conf")
PATIENCE = int(os.environ.get("DEPLOY_PATIENCE", "90"))  # seconds until a part has to be ready
ROUTER = "/run/netns/trackme"
HOLDERS = STATE / "inner"  # the certificates of the containers
# Asks an inner port as the monitoring does. The address isn't compared with the certificate, which
# names a role.
ASK = ["curl", "--silent", "--insecure", "--max-time", "2", "--cert",
       str(HOLDERS / "monitoring/certificate.pem"), "--key", str(HOLDERS / "monitoring/key.pem")]
CLIENT = "trackme-client"
PUBLIC = ("10.91.0.1", "fd91:7472:6163::1")
ADDRESS = ("10.91.1.10", "fd91:7472:6163:1::10")
EGRESS_PEER = "203.0.113.10"  # TEST-NET-3 (RFC 5737), only inside the client's namespace
ZONES = {
    "gateways": 1, "services": 2, "data": 3, "keys": 4, "egress": 5, "operator": 6, "quorum": 7,
    "monitoring": 8,
}
# Container: its zone, the last part of its addresses, and the ports on which it listens.
CONTAINERS = {
    "gateway-1": ("gateways", 11, [8443, 9080]),
    "gateway-2": ("gateways", 12, [8443, 9080]),
    "data4help-1": ("services", 11, [9000, 9080]),
    "data4help-2": ("services", 12, [9000, 9080]),
    "track4run-1": ("services", 21, [9000, 9080]),
    "track4run-2": ("services", 22, [9000, 9080]),
    "database-1": ("data", 11, [5432, 8008]),
    "database-2": ("data", 12, [5432, 8008]),
    "keys-database-1": ("keys", 11, [5432, 8008]),
    "keys-database-2": ("keys", 12, [5432, 8008]),
    "etcd-1": ("quorum", 11, [2379, 2380, 2381]),
    "etcd-2": ("quorum", 12, [2379, 2380, 2381]),
    "etcd-3": ("quorum", 13, [2379, 2380, 2381]),
    "mail": ("egress", 11, [2525]),
    "monitoring": ("monitoring", 11, [9090, 9093]),
}


class Failure(Exception):
    """A must that was missed; the text is for the operator."""


def run(*command, data=None, seconds=60):
    """The output of a command, which must succeed."""
    text = " ".join(map(str, command))
    try:
        outcome = subprocess.run(
            command, input=data, capture_output=True, text=True, timeout=seconds, check=False)
    except subprocess.TimeoutExpired as error:
        raise Failure(f"{text}: has not ended after {seconds} s") from error
    if outcome.returncode != 0:
        raise Failure(f"{text}: {outcome.stderr.strip()[-300:]}")
    return outcome.stdout


def local(command, seconds=60):
    """The output of a command of bash that may call the functions of deploy/local/common.sh."""
    return run("bash", "-ceu", f'source "$0"; {command}', LOCAL / "common.sh", seconds=seconds)


def router(*command, data=None):
    """Runs a command in the network namespace of the router."""
    return run("nsenter", f"--net={ROUTER}", *command, data=data)


def container(name):
    return f"trackme_{name}_1"


def addresses(name):
    """The IPv4 and IPv6 address of a container."""
    zone, host, _ = CONTAINERS[name]
    number = ZONES[zone]
    return f"10.91.{number}.{host}", f"fd91:7472:6163:{number}::{host}"


def volume(name):
    """The directory of a container's files on this machine."""
    return run(
        "podman", "volume", "inspect", "--format", "{{.Mountpoint}}", f"trackme_{name}").strip()


def process(name):
    """The process identifier of a container; 0 while it is not running."""
    return int(run("podman", "inspect", "--format", "{{.State.Pid}}", container(name)))


class Outside:
    """A client machine on the outer network, as a network namespace; gone at the end."""

    def __enter__(self):
        self.__exit__()
        run("ip", "netns", "add", CLIENT)
        router("ip", "link", "add", "client", "type", "veth", "peer", "name", "client-end")
        router("ip", "link", "set", "client-end", "netns", CLIENT)
        router("ip", "link", "set", "client", "master", "outer", "up")
        self.run("ip", "link", "set", "lo", "up")
        self.run("ip", "link", "set", "client-end", "name", "eth0")
        self.run("ip", "address", "add", "10.91.0.3/24", "dev", "eth0")
        self.run("ip", "address", "add", "fd91:7472:6163::3/64", "dev", "eth0", "nodad")
        self.run("ip", "address", "add", f"{EGRESS_PEER}/32", "dev", "lo")
        self.run("ip", "link", "set", "eth0", "up")
        self.run("ip", "route", "add", "default", "via", PUBLIC[0])
        self.run("ip", "-6", "route", "add", "default", "via", PUBLIC[1])
        router("ip", "route", "replace", f"{EGRESS_PEER}/32", "via", "10.91.0.3")
        return self

    def __exit__(self, *_):
        subprocess.run(["ip", "netns", "delete", CLIENT], capture_output=True, check=False)
        subprocess.run(
            ["nsenter", f"--net={ROUTER}", "ip", "link", "delete", "client"],
            capture_output=True, check=False)

    def run(self, *command):
        return run("nsenter", f"--net=/run/netns/{CLIENT}", *command)


class Client:
    """A client of the public address, or of another one; each request has a connection of its
    own."""

    def __init__(self, origin=f"https://{PUBLIC[0]}", authority=STATE / "authority.pem"):
        self.origin = origin
        is_encrypted = origin.startswith("https:")
        self.context = ssl.create_default_context(cafile=str(authority)) if is_encrypted else None
        self.token = None

    def send(self, path, body=None, seconds=10):
        """The status and body of the response; the status is 0 without a response."""
        fields = {"Content-Type": "application/json"}
        if self.token:
            fields["Authorization"] = f"Bearer {self.token}"
        request = urllib.request.Request(
            f"{self.origin}{path}",
            data=None if body is None else json.dumps(body).encode(), headers=fields)
        try:
            with urllib.request.urlopen(
                    request, context=self.context, timeout=seconds) as response:
                return response.status, json.loads(response.read() or b"{}")
        except urllib.error.HTTPError as error:
            return error.code, {}
        except (OSError, ValueError):
            return 0, {}

    def log_in(self, email=None, password=None):
        """Logs in, by default as the person of the deployment."""
        if email is None:
            email, password = (STATE / "logins").read_text().splitlines()[0].split()
        body = patiently("the login", lambda: self.send(
            "/auth/login", {"email": email, "password": password, "replace": True}))
        self.token = body["authToken"]
        return self


def patiently(what, send):
    """The body of a request's answer; repeats it while the gateway limits such requests (429)."""
    deadline = time.monotonic() + PATIENCE
    while True:
        status, body = send()
        if status == 200:
            return body
        if status != 429 or time.monotonic() > deadline:
            raise Failure(f"{what} is {status}")
        time.sleep(2)


def wait(what, seconds, ready):
    """Waits for a condition, up to a number of seconds."""
    deadline = time.monotonic() + seconds
    while not ready():
        if time.monotonic() > deadline:
            raise Failure(f"{what} is not ready after {seconds} s")
        time.sleep(0.3)
