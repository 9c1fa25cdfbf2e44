"""Tests of the rules of deploy/backup that need no database: which backup is due, what the
monitoring learns, and which segments an archive lacks."""

import importlib.machinery
import importlib.util
import pathlib
import sys
import unittest

FOLDER = pathlib.Path(__file__).resolve().parents[2] / "deploy" / "backup"
DAY = 86_400
sys.path.insert(0, str(FOLDER))
sys.dont_write_bytecode = True


def program(name):
    """A program of deploy/backup as a module."""
    loader = importlib.machinery.SourceFileLoader(name, str(FOLDER / name))
    module = importlib.util.module_from_spec(importlib.util.spec_from_loader(name, loader))
    loader.exec_module(module)
    return module


backup, verify = program("backup"), program("verify")


def made(kind, days, timeline=1):
    """A backup as pgBackRest lists it."""
    return {"type": kind, "timestamp": {"stop": days * DAY},
            "archive": {"stop": f"{timeline:08X}{'0' * 16}"}}


class DueTests(unittest.TestCase):
    def check(self, expected, existing, days, timeline=1):
        self.assertEqual(backup.due(existing, timeline, days * DAY), expected)

    def test_first(self):
        self.check("full", None, 0)
        self.check("full", [], 0)

    def test_every_day(self):
        self.check(None, [made("full", 0)], 0.9)
        self.check("incr", [made("full", 0)], 1)
        self.check(None, [made("full", 0), made("incr", 1)], 1.9)

    def test_every_week(self):
        self.check("full", [made("full", 0), made("incr", 6.9)], 7)

    def test_after_failover(self):
        self.check("incr", [made("full", 0)], 0.1, timeline=2)
        self.check(None, [made("full", 0), made("incr", 0.1, timeline=2)], 0.2, timeline=2)


class NoteTests(unittest.TestCase):
    def test_newest(self):
        self.assertEqual(backup.newest_of(None), {})
        self.assertEqual(
            backup.newest_of([made("full", 0), made("incr", 2), made("full", 7), made("incr", 1)]),
            {"full": 7 * DAY, "incr": 2 * DAY})

    def test_statement(self):
        self.assertEqual(backup.note_statement({}), "DELETE FROM monitoring.backups")
        self.assertIn("VALUES ('full', to_timestamp(7)), ('incr', to_timestamp(9))",
                      backup.note_statement({"incr": 9, "full": 7}))


class GapTests(unittest.TestCase):
    def check(self, expected, segments, first=(1, 5)):
        self.assertEqual(verify.gaps(segments, first), expected)

    def test_whole(self):
        self.check([], [(1, 4), (1, 5), (1, 6), (2, 6), (2, 7), (3, 8)])

    def test_missing(self):
        self.check(["1 before 000000010000000000000007"], [(1, 5), (1, 7)])
        self.check(["2 before 000000010000000000000007"], [(1, 7)])
        self.check(["2 before 000000020000000000000009"], [(1, 5), (1, 6), (2, 9)])
        self.check(["1 before 0000000100000001000000FF"],
                   [*((1, each) for each in range(5, 510)), (1, 511)])

    def test_missing_on_a_timeline_that_began_earlier(self):
        self.check(["1 before 000000020000000000000008"],
                   [(1, 5), (1, 6), (1, 7), (2, 6), (2, 8)])

    def test_missing_before_the_backup(self):
        self.check([], [(1, 5), (1, 7), (1, 8)], first=(1, 8))

    def test_names(self):
        self.assertEqual(verify.position("0000000A0000000100000003"), (10, 259))
        self.assertEqual(verify.name(10, 259), "0000000A0000000100000003")


if __name__ == "__main__":
    unittest.main()
