#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""What a failing assertion says, and whether the test goes on: runs failing.c. Which tests
share a process: runs sharing.c.

test_assertions.py PROGRAM SHARING VALGRIND
"""

import os
import re
import subprocess
import sys
import unittest
from pathlib import Path

TESTS = Path(__file__).resolve().parent.parent

VALUES = [
    "eq(int, next() + 6, 8): 7 is not 8",
    "eq(int, calls, 2): 1 is not 2: calls, the number of them",
    "ne(ptr, NULL, (void *) 0): (nil) is also (nil)",
    r'eq(str, "a\tb\n", "a \"b\""): "a\011b\n" is not "a \"b\""',
    'eq(str, NULL, "text"): NULL is not "text"',
    "lt(u64, UINT64_MAX, 4): 18446744073709551615 is not less than 4",
    "le(i64, INT64_MIN + 1, INT64_MIN): -9223372036854775807 is more than -9223372036854775808",
    "gt(sz, 5, 5): 5 is not more than 5",
    "ge(u8, (uint8_t) 0xff04, 5): 4 is less than 5",
    "eq(flt, 0.1f, 0.3f - 0.2f): 0.100000001 is not 0.100000009",
    "eq(chr, 'x', 'y'): 'x' (120) is not 'y' (121)",
    "zero(uint, 3): 3 is not 0",
    "not(calls): is true: not after 1",
    "calls > 7 && calls < 9: is false: 1 is outside",
]


def run(*program, **environment):
    done = subprocess.run([*program, "--tap=-", "--short-filename"], stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, text=True,
                          env={**{k: v for k, v in os.environ.items() if k != "CUSHIM_TESTS_FORK"}, **environment})
    return done.stdout


class Assertions(unittest.TestCase):
    """Under Criterion, which tells of a test before it tells what failed in it."""

    said = {}

    @classmethod
    def setUpClass(cls):
        for test in re.split(r"^(?=ok|not ok)", run(program), flags=re.MULTILINE)[1:]:
            cls.note(test)

    @classmethod
    def note(cls, test):
        name = re.search(r"^(ok|not ok) .*assertions::(\w+)", test, flags=re.MULTILINE)
        cls.said[name[2]] = name[1] == "ok", re.findall(r"Assertion failed: (.*)", test)

    def check(self, name, passed, *messages):
        self.assertIn(name, self.said)
        self.assertEqual(self.said[name][0], passed)
        self.assertEqual(sorted(self.said[name][1]), sorted(messages))

    def test_both_values_are_printed_and_the_test_goes_on(self):
        self.check("values", False, *VALUES)

    def test_an_assertion_ends_the_test(self):
        self.check("stop_at_an_assertion", False, "eq(int, 10, 11): 10 is not 11: the last word")

    def test_a_fatal_failure_ends_the_test(self):
        self.check("stop_at_a_fatal_failure", False, "nothing holds here")

    def test_what_holds_passes(self):
        self.check("hold", True)


class Forks(Assertions):
    """The tests as forks of one program, whose lines come in the order of what happens."""

    said = {}
    forks = "each"

    @classmethod
    def setUpClass(cls):
        for test in re.findall(r"(?:.*\n)*?(?:ok|not ok) .*", run(program, CUSHIM_TESTS_FORK=cls.forks)):
            cls.note(test)


class FewForks(Forks):
    """What failed comes before the results of all tests of its process."""

    said = {}
    forks = "few"

    def check(self, name, passed, *messages):
        self.assertEqual(self.said[name][0], passed)
        text = [message for _, failures in self.said.values() for message in failures]
        self.assertEqual([message for message in messages if message not in text], [])


def shared(*before, forks="few", **environment):
    """The process of each test, in their order, and what was said of each."""
    text = run(*before, sharing, CUSHIM_TESTS_FORK=forks, **environment)
    return (re.findall(r"^(\w+) is in (\d+)$", text, flags=re.MULTILINE),
            {name: word for word, name in re.findall(r"^(ok|not ok) .*sharing::(\w+)", text, flags=re.MULTILINE)},
            text)


class Sharing(unittest.TestCase):
    begin = {"begins_anew", "alone", "dies"}
    end = {"alone", "dies", "is_skipped", "fails"}

    def test_tests_share_a_process_unless_one_begins_or_ends_it(self):
        processes, said, text = shared()
        self.assertEqual(len(said), 14, text)
        self.assertEqual(sorted(said), sorted(name for name, _ in processes))
        for (name, process), (after, its) in zip(processes, processes[1:]):
            may = name not in self.end and after not in self.begin
            self.assertEqual(process == its, may, f"{name}, {after}\n{text}")

    def test_only_what_fails_has_failed(self):
        for forks in "few", "each":
            _, said, text = shared(forks=forks)
            self.assertEqual([name for name, word in said.items() if word != "ok"], ["fails"], text)

    def test_each_has_its_own(self):
        processes, _, text = shared(forks="each")
        self.assertEqual(len({process for _, process in processes}), 14, text)

    @unittest.skipUnless(len(sys.argv) > 3 and sys.argv[3], "there is no valgrind")
    def test_what_leaks_fails_the_last_test_of_its_process(self):
        wrapper = [valgrind, "-q", "--error-exitcode=99", "--leak-check=full", "--errors-for-leak-kinds=definite"]
        processes, said, text = shared(*wrapper, LEAK="1")
        of = dict(processes)
        last = [name for name, process in processes if process == of["leaks"]][-1]
        self.assertEqual(sorted(name for name, word in said.items() if word != "ok"), sorted({last, "fails"}), text)
        self.assertIn("100 bytes", text)


class Includes(unittest.TestCase):
    def test_no_other_test_includes_those_of_criterion(self):
        sources = [path for kind in "ch" for path in TESTS.rglob(f"*.{kind}")]
        self.assertGreater(len(sources), 100)
        self.assertEqual([path for path in sources
                          if "#include <criterion/new/assert.h>" in path.read_text()], [])


if __name__ == "__main__":
    program, sharing, valgrind = sys.argv[1:4]
    del sys.argv[1:4]
    unittest.main()
