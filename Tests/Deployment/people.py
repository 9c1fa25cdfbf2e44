"""People of a deployment for its drills: registered through the gateway, activated by their mails,
logged in."""

import pathlib
import random
import re
import secrets
import time

from deployment import PATIENCE, Client, Failure, patiently, volume

CHANCE = random.SystemRandom()
# The values of the characters at odd places of a fiscal code (DM 23-12-1976).
ODD_VALUES = [
    1, 0, 5, 7, 9, 13, 15, 17, 19, 21, 2, 4, 18, 20, 11, 3, 6, 8, 12, 14, 16, 10, 22, 25, 24, 23,
]


def fiscal_code():
    """A random fiscal code: female, born in Rome on 1 January 1980."""
    body = "".join(CHANCE.choices("ABCDEFGHIJKLMNOPQRSTUVWXYZ", k=6)) + "80A41H501"
    values = [int(each) if each.isdigit() else ord(each) - ord("A") for each in body]
    total = sum(
        ODD_VALUES[value] if index % 2 == 0 else value for index, value in enumerate(values))
    return body + chr(ord("A") + total % 26)


def register(count, connect=Client, box=None):
    """Clients of this many new people."""
    begun = [sign_up(connect, box) for _ in range(count)]
    return [complete() for complete in begun]


def sign_up(connect=Client, box=None):
    """Registers a person; returns a function that waits for the mail, activates the account, logs
    in and returns the client. Mails are in a directory: by default that of the deployment's mail
    server."""
    status, published = connect().send("/auth/documents")
    if status != 200:
        raise Failure(f"the list of documents is {status}")
    consents = [{"document": each["document"], "version": each["version"]}
                for each in published["documents"] if "single" in each["accountTypes"]]
    email, password = f"drill-{CHANCE.randrange(10**12)}@example.org", secrets.token_urlsafe(12)
    client = connect()
    client.email, client.password = email, password
    patiently("the registration", lambda: client.send("/auth/reg/single", {
        "email": email, "password": password, "fc": fiscal_code(), "full_name": "Anna Prova",
        "birthdate": "1980-01-01", "sex": "F", "consents": consents}))

    def complete():
        path = activation(box or pathlib.Path(volume("mail")) / "box" / "new", email)
        patiently("the activation", lambda: client.send(path))
        return client.log_in(email, password)

    return complete


def activation(box, email):
    """The path of the activation link in the mail to an address."""
    deadline = time.monotonic() + PATIENCE
    while time.monotonic() < deadline:
        for message in box.glob("*"):
            text = message.read_text(errors="replace").replace("=\n", "")
            link = re.search(r"https://[^/\s]+(/\S*activToken=\S+)", text)
            if link and re.search(rf"^To: .*{re.escape(email)}", text, re.M):
                return link.group(1)
        time.sleep(0.5)
    raise Failure(f"no activation mail to {email} within {PATIENCE} s")
