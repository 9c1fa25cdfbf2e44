"""What the programs of this directory share: pgBackRest with the passphrase of a cluster's
repository, and failures as one plain line. They run where the cluster is; PGBACKREST_STANZA is
`data` or `keys`."""

import json
import os
import pathlib
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
PASSPHRASE = "BACKUP_PASSPHRASE_FILE"


class Failure(Exception):
    """A failed step; the text is for the operator."""


def stanza():
    """The name of the cluster."""
    name = os.environ.get("PGBACKREST_STANZA", "")
    if name not in ("data", "keys"):
        raise Failure("PGBACKREST_STANZA must be data or keys")
    return name


def environment():
    """The variables with which pgBackRest finds its file and opens the repository."""
    file = os.environ.get(PASSPHRASE, "/run/secrets/backup_passphrase")
    try:
        passphrase = pathlib.Path(file).read_text(encoding="ascii").strip()
    except OSError as error:
        raise Failure(f"the passphrase {file} cannot be read: {error.strerror}") from error
    if not passphrase:
        raise Failure(f"the passphrase {file} is empty")
    return {
        "PGBACKREST_CONFIG": str(HERE / "pgbackrest.conf"), **os.environ,
        "PGBACKREST_REPO1_CIPHER_PASS": passphrase,
    }


def pgbackrest(*arguments):
    """The output of a pgBackRest command, which must succeed."""
    try:
        outcome = subprocess.run(
            ["pgbackrest", *arguments], env=environment(), capture_output=True, text=True,
            errors="replace", check=False)
    except FileNotFoundError as error:
        raise Failure("pgbackrest is not installed") from error
    if outcome.returncode != 0:
        raise Failure(reason(outcome.stderr) or f"pgbackrest ended with {outcome.returncode}")
    return outcome.stdout


def reason(text):
    """The first error of pgBackRest, without its number."""
    lines = [each for each in text.splitlines() if "ERROR:" in each]
    return lines[0].partition("]: ")[2] if lines else text.strip().partition("\n")[0]


def backups():
    """The backups of the repository, the oldest first; None if there is no repository."""
    # With another passphrase the answer quotes undeciphered bytes.
    found = json.loads(pgbackrest("info", "--output=json"), strict=False)
    code, message = (found[0]["status"]["code"], str(found[0]["repo"])) if found else (1, "")
    if "CryptoError" in message or "FormatError" in message:
        raise Failure("the repository cannot be opened with this passphrase")
    if code in (1, 3):
        return None
    if code not in (0, 2):
        raise Failure(found[0]["status"]["message"])
    return found[0]["backup"]


def query(statement, database="postgres"):
    """The fields of the only row, asked over the socket of the cluster as its superuser."""
    variables = environment()
    command = ["psql", "-XqAt", "-h", variables.get("PGBACKREST_PG1_SOCKET_PATH", "/tmp"),
               "-p", variables.get("PGBACKREST_PG1_PORT", "5432"), "-U", "postgres",
               "-d", database, "-c", statement]
    outcome = subprocess.run(command, capture_output=True, text=True, check=False)
    if outcome.returncode != 0:
        last = outcome.stderr.strip().rpartition("\n")[2]
        raise Failure(f"the cluster does not answer: {last}")
    return outcome.stdout.strip().split("|")


def report(text):
    """Prints a line about the cluster."""
    print(f"{pathlib.Path(sys.argv[0]).name}: {stanza()}: {text}", flush=True)


def end(program):
    """Runs a program; a failure is one line and exit code 1."""
    try:
        program(sys.argv[1:])
    except Failure as failure:
        name = os.environ.get("PGBACKREST_STANZA", "?")
        sys.exit(f"{pathlib.Path(sys.argv[0]).name}: {name}: {failure}")
