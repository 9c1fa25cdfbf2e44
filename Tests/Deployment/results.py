"""Stores the results of the tests of a deployment as evidence for requirements (`make trace`)."""

import json
import pathlib
import sys

from deployment import STATE, Failure

sys.path.append(str(pathlib.Path(__file__).resolve().parents[1] / "Bench"))

# pylint: disable=wrong-import-position
from evidence import digest, have_code, keep
from report import Row


def most(what, reached, must, unit=""):
    """A figure with an upper bound."""
    return Row(what, reached, unit, must, below=True)


def least(what, reached, must=None, unit=""):
    """A figure with a lower bound, or without one."""
    return Row(what, reached, unit, must)


def store(part, *rows):
    """Replaces the figures of a part in docs/benchmarks.json, if the containers run the code of
    this tree."""
    if not is_current(part):
        print(f"not stored: the containers don't run the code of this tree that {part} measures; "
              "`make deploy-down images` lets the next start run it", file=sys.stderr)
        return
    for row in rows:
        row.part = part
    keep(rows, [part])


def is_current(part):
    """Whether the code of a part is that of the images and of the files from which the containers
    were made. Images have its digest as a label (deploy/images/build), and deploy/local/up records
    the digests of all parts; the units have an image of their own."""
    if part == "units":
        return have_code(["trackme-units"])
    try:
        recorded = json.loads((STATE / "code.json").read_text(encoding="utf-8"))
    except FileNotFoundError:
        return False
    return recorded.get(part) == digest(part)


def conclude(part, main, is_kept=True):
    """Ends the process with the exit code of a test. A run without figures, because it failed
    before, replaces those of an earlier run."""
    try:
        sys.exit(main())
    except Exception as error:  # pylint: disable=broad-exception-caught
        if is_kept:
            store(part, most("runs that ended without figures", 1, 0))
        if isinstance(error, Failure):
            sys.exit(f"{part}: {error}")
        raise
