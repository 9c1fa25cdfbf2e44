"""The drill of the rotations (OPS-6): in the running deployment, while people upload and read, the
master key, the root secret and the authority of the connections are replaced, and the command for
the master key is killed twice on the way and continues. No request may fail, no acknowledged sample
may be lost or doubled; sessions, API keys and devices' tokens from before must be valid, and
services with the former keys must be refused. Then both clusters are restored from earlier backups,
the data to a time before the rotations, and must use the current keys.

Ends with a table, and exit code 1 if a must is missed. Needs a deployment that runs.
"""

import os
import pathlib
import signal
import subprocess
import time

from containers import Containers
from deployment import (
    LOCAL, PATIENCE, STATE, Client, Failure, local, patiently, run, volume, wait)
from encryption import rotate_authority
from load import Load, text
from people import register
from restore import Drill, table, upload
from results import conclude, least, most, store

PEOPLE = 4  # under load
# The operator's key files, and their copies for the services.
COPIES = {"master.key": "master_key", "root.secret": "root_secret"}
MOVED = "The restored databases use the root secret of now."


class Tokens:
    """What a person with data and a company had before: a session, an API key that reads the
    answer to a request, and the token of a device."""

    def __init__(self, person):
        email, password = (STATE / "logins").read_text().splitlines()[1].split()
        company = Client().log_in(email, password)
        request = answer(company, "/req/tp/sendSingle", {
            "email": person.email, "dataTypes": ["heartRate"], "subscribing": False})["reqID"]
        answer(person, "/req/single/choice", {"reqID": request, "choice": "accept"})
        key = answer(company, "/auth/keys", {"name": "rotation"})["key"]
        begun = answer(Client(), "/devices/pair/start", {
            "name": "Watch", "model": "W1", "types": ["heartRate"]})
        answer(person, "/devices/pair/confirm", {"code": begun["code"], "accept": True})
        device = answer(Client(), "/devices/pair/finish", {
            name: begun[name] for name in ("pairingID", "pairingSecret")})["deviceToken"]
        # Earlier than all samples that are counted.
        reading = {"dataTypes": ["heartRate"], "values": ["71"],
                   "timestamp": [text(int(time.time() * 1000) - 3_600_000)]}
        self.uses = [("the session", person.token, "/auth/me", None),
                     ("the API key", key, f"/req/tp/data?reqID={request}", None),
                     ("the device's token", device, "/data/upload", reading)]

    def check(self, drill, when):
        """Uses each of them."""
        client = Client()
        for title, token, path, body in self.uses:
            client.token = token
            drill.expect(f"status with {title}, {when}", client.send(path, body)[0], 200)


class Rotations(Drill):
    """The steps, and the figures of the load."""

    def __init__(self, place):
        super().__init__(place)
        self.figures = []

    def run(self):
        staying, *others = register(PEOPLE + 1)
        acknowledged = upload(staying)
        tokens = Tokens(staying)
        tokens.check(self, "before")
        for scope in ("data", "keys"):
            print(self.place.program(scope, "backup", "full"), flush=True)
        acknowledged += upload(staying)
        audited, former = findings(), {name: contents(name) for name in COPIES}
        moment = self.now()
        self.rotate(others)
        tokens.check(self, "after the rotations")
        new = [each for each in findings() if each not in audited]
        for each in new:
            print(each, flush=True)
        self.expect("new findings in the records of accesses", len(new), 0)
        self.check_keys(former, "after the rotations")
        late = upload(staying)
        self.place.archive()
        output = self.place.restore(moment, None)
        self.expect("restored data moved to the current keys", yes(MOVED in output), "yes")
        wait("the gateway", PATIENCE, lambda: staying.send("/ready")[0] == 200)
        tokens.check(self, "after the restore")
        self.check_keys(former, "after the restore")
        self.check_samples(staying, acknowledged, late)
        upload(staying)

    def rotate(self, people):
        """All rotations under load."""
        since = int(time.time() * 1000)
        with Load(people) as load:
            wait("the load", PATIENCE, lambda: load.has_served_since(0))
            load.causes()
            begin = time.monotonic()
            rotate("master", "1/6", kill_script)
            # The container that the script has left may have taken the second step by itself.
            again = [rotate("master", ("2/6", "3/6"), kill_tool), rotate("master")]
            rotate("root")
            rotate_authority()
            end = time.monotonic()
            requests, failed = load.failures(begin, end)
            print(f"{end - begin:.0f} s, failed requests: {dict(load.causes())}", flush=True)
        for killed, lines in zip(("the script", "the container's process"), again):
            self.expect(f"after the kill of {killed} the rotation continues",
                        yes(first_step(lines) not in (None, "1/6")), "yes")
        acknowledged, lost, doubled = load.check(since)
        self.figures = [
            least("requests during the rotations", requests, 100),
            most("failed requests", failed, 0), least("samples acknowledged", acknowledged, 100),
            most("acknowledged samples lost", lost, 0), most("samples doubled", doubled, 0)]

    def check_keys(self, former, when):
        """Each file has one key, a new one, which both databases name; a service with the former
        one does not start."""
        names = {}
        for name, copy in COPIES.items():
            found = identifiers(contents(name))
            names[name] = found[0]
            self.expect(f"keys in {name}, {when}", len(found), 1)
            self.expect(f"former keys in {name}, {when}",
                        len(set(found) & set(identifiers(former[name]))), 0)
            self.expect(f"services have the current {name}, {when}",
                        yes((STATE / "secrets" / copy).read_text() == contents(name)), "yes")
        self.expect(f"account keys under another master key, {when}", self.place.sql(
            "keys", "SELECT count(*) FROM account_keys"
            f" WHERE encode(substring(wrapped_key FROM 2 FOR 8), 'hex') <> '{names['master.key']}'"
        ), "0")
        self.expect(f"root secret in use, {when}", self.place.sql(
            "data", "SELECT identifier FROM trackme.root_secrets WHERE former IS NULL"),
            names["root.secret"])
        self.refused(f"the former master key, {when}", self.place.data4help(former["master.key"]),
                     "which a rotation has replaced")
        self.refused(f"the former root secret, {when}", self.place.data4help(
            former["root.secret"], "TRACKME_ROOT_SECRET_FILE"), "belongs to another installation")

    @property
    def misses(self):
        """How many musts were missed."""
        return (sum(actual != expected for _, actual, expected in self.rows)
                + sum(row.misses_must for row in self.figures))


def answer(client, path, body):
    """The body of an answer of 200."""
    return patiently(path, lambda: client.send(path, body))


def contents(name):
    """A key file of the operator."""
    return (pathlib.Path(volume("operator")) / "keys" / name).read_text()


def identifiers(keys):
    """The names of the keys in a file, without those that former ones have left."""
    return [line.split()[1] for line in keys.splitlines()
            if line.startswith(("trackme-master-key-1 ", "trackme-root-secret-1 "))]


def findings():
    """The lines of `trackme audit verify` about records of accesses that differ: an earlier restore
    leaves some in a deployment."""
    lines = local("operator audit verify || true", seconds=120).splitlines()
    if not any(each.endswith(" entries") for each in lines):
        raise Failure("trackme audit verify ended without a result")
    return [each for each in lines if each.startswith("account ")]


def yes(is_so):
    """A row's value."""
    return "yes" if is_so else "no"


def first_step(lines):
    """The number of the first step that a rotation has printed; None if it has printed none."""
    return next((line.split()[0] for line in lines if line[1:3] == "/6"), None)


def rotate(kind, killed_after=None, kill=None):
    """The lines of deploy/local/rotate, which is killed after the line that begins so."""
    lines, pending = [], kill
    with subprocess.Popen([LOCAL / "rotate", kind], stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, text=True, start_new_session=True) as command:
        for line in command.stdout:
            print(line, end="", flush=True)
            lines.append(line)
            if pending and line.startswith(killed_after):
                pending(command)
                if pending is kill_script:
                    break  # the container may keep the pipe open
                pending = None
    if (command.returncode == 0) == bool(kill):
        raise Failure(f"the rotation of {kind} ended with exit code {command.returncode}")
    return lines


def kill_script(command):
    """Kills the script with the programs that it runs. The operator's container stays."""
    os.killpg(command.pid, signal.SIGKILL)


def kill_tool(_):
    """Kills the process in the operator's container."""
    names = run("podman", "ps", "--filter", "name=^trackme_operator_keys$", "--format",
                "{{.Names}}").split()
    if len(names) != 1:
        raise Failure(f"{len(names)} containers change the keys, must be 1")
    os.kill(int(run("podman", "inspect", "--format", "{{.State.Pid}}", names[0])), signal.SIGKILL)


def main():
    with Containers() as place:
        drill = Rotations(place)
        drill.run()
    loads = [(row.what, row.reached, f"at {'most' if row.below else 'least'} {row.must}")
             for row in drill.figures]
    print(f"\n{table(loads + drill.rows)}\n\n{drill.misses} musts missed")
    store("rotation", most("musts missed", drill.misses, 0), *drill.figures)
    return 1 if drill.misses else 0


if __name__ == "__main__":
    conclude("rotation", main)
