"""Active accounts: registered at the gateway, activated by the mail's link, logged in."""

import email
import itertools
import os
import pathlib
import re
import time

import requests

URL = os.environ["TRACKME_FUZZ_URL"]
MAIL = pathlib.Path(os.environ["TRACKME_FUZZ_MAIL"])
# Repeated runs against one system create different people.
RUN = int(os.environ.get("TRACKME_FUZZ_RUN", "0")) % 500
PASSWORD = "a horse that was never a battery"

_ODD = [1, 0, 5, 7, 9, 13, 15, 17, 19, 21, 2, 4, 18, 20, 11, 3, 6, 8, 12, 14, 16, 10, 22, 25, 24, 23]
_numbers = itertools.count(3_000_000 + 10_000 * RUN)
_session = requests.Session()


def fiscal_code(number):
    """A fiscal code of a woman born on 1980-01-01 in Rome, with the number as its letters."""
    letters = ""
    for _ in range(6):
        number, letter = divmod(number, 26)
        letters = chr(65 + letter) + letters
    body = letters + "80A41H501"
    total = 0
    for place, character in enumerate(body):
        value = int(character) if character.isdigit() else ord(character) - 65
        total += _ODD[value] if place % 2 == 0 else value
    return body + chr(65 + total % 26)


def vat_number(number):
    """A P.IVA of the office 015."""
    digits = [int(digit) for digit in f"{number:07d}015"]
    doubled = [digit * 2 - 9 if digit > 4 else digit * 2 for digit in digits[1::2]]
    return "".join(map(str, digits)) + str(-(sum(digits[::2]) + sum(doubled)) % 10)


def new_person():
    """The registration of a person, always a new one."""
    number = next(_numbers)
    return {
        "email": f"fuzzed{number}@example.org",
        "password": PASSWORD,
        "fc": fiscal_code(number),
        "full_name": f"Fuzzed Person {number}",
        "birthdate": "1980-01-01",
        "sex": "F",
        "residence": "Milano",
        "birth_place": "Roma",
        "diseases": [{"code": "asthma", "drugs": [{"name": "Spray", "dosesPerDay": 2}]}],
    }


def new_company():
    """The registration of a company, always a new one."""
    number = next(_numbers)
    return {
        "email": f"fuzzed{number}@example.com",
        "password": PASSWORD,
        "piva": vat_number(number),
        "company_name": f"Fuzzed Clinic {number}",
        "company_description": "Looks after hearts",
        "services": ["Track4Run"],
    }


def call(method, path, token=None, **arguments):
    """Calls the gateway; fails unless the call succeeds."""
    headers = {"Authorization": f"Bearer {token}"} if token else {}
    response = _session.request(method, URL + path, headers=headers, timeout=60, **arguments)
    if not response.ok:
        raise RuntimeError(f"preparing {method} {path}: {response.status_code} {response.text}")
    return response.json()


def registered():
    """Creates an inactive account; returns its address."""
    person = new_person()
    call("POST", "/auth/reg/single", json=person)
    return person["email"]


def activation_token(address):
    """The activation token mailed to the address."""
    return mailed(address, rb"activToken=([\w.-]+)")


def reset_token(address):
    """The token of the newest password reset link mailed to the address."""
    call("POST", "/auth/password/forgot", json={"email": address})
    return mailed(address, rb"reset\?token=([\w.-]+)")


def mailed(address, pattern):
    """The match of the pattern in a mail to the address; waits for the mail."""
    end = time.monotonic() + 120
    while time.monotonic() < end:
        for path in [*MAIL.glob("new/*"), *MAIL.glob("*.eml")]:
            message = email.message_from_bytes(path.read_bytes())
            if address not in message["To"]:
                continue
            part = next(part for part in message.walk() if not part.is_multipart())
            found = re.search(pattern, part.get_payload(decode=True))
            if found:
                return found[1].decode()
        time.sleep(0.05)
    raise RuntimeError("no mail with a link came")


class Account:
    """An activated account."""

    def __init__(self, path, registration):
        self.registration = registration
        self.email = registration["email"]
        call("POST", path, json=registration)
        call("GET", "/auth/activ", params={"activToken": activation_token(self.email)})

    @classmethod
    def single_user(cls):
        return cls("/auth/reg/single", new_person())

    @classmethod
    def third_party(cls):
        return cls("/auth/reg/tp", new_company())

    def log_in(self):
        """Opens a new session, replacing any other of this account; returns its token."""
        credentials = {"email": self.email, "password": PASSWORD, "replace": True}
        return call("POST", "/auth/login", json=credentials)["authToken"]
