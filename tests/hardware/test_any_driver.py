#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""What any_driver.py makes of what tests print, and how it ends.

test_any_driver.py FAILING LIBRARY: a program under Criterion whose tests fail, and a driver.
"""

import os
import subprocess
import sys
import unittest

import any_driver

HERE = os.path.dirname(os.path.abspath(__file__))

OUTPUT = """TAP version 13
1..5
# Criterion v2.4.1
ok - a::first  # SKIP only on the mock: it has a log
ok - a::second  # SKIP only on the mock: it has a log
not ok - a::third unexpected signal after (0.01s)
not ok - a::fourth  (0.00s)
    failing.c:34: Assertion failed: the last word
ok - a::fifth  (0.02s)
"""

# With CUSHIM_TESTS_FORK.
OUTPUT_OF_FORKS = """1..3
ok 1 - a::first
# skipped: only on the mock: it has a log
ok 2 - a::second # SKIP
not ok 3 - a::third
"""


def run(probe, *programs):
    """The probe is a program that tells nothing, or why there is no driver."""
    env = dict(os.environ, CUSHIM_TEST_LIBRARY=LIBRARY)
    child = subprocess.run([sys.executable, os.path.join(HERE, "any_driver.py"), probe, *programs],
                           capture_output=True, text=True, env=env)
    return child.returncode, child.stdout


class AnyDriver(unittest.TestCase):
    def test_counts(self):
        done = any_driver.read(OUTPUT)
        self.assertEqual((done.ran, done.failed), (3, 2))
        self.assertEqual(done.skips, {"only on the mock: it has a log": 2})

    def test_counts_of_forks(self):
        done = any_driver.read(OUTPUT_OF_FORKS)
        self.assertEqual((done.ran, done.failed), (2, 1))
        self.assertEqual(done.skips, {"only on the mock: it has a log": 1})

    def test_failures_are_told(self):
        status, text = run("/bin/true", FAILING)
        self.assertEqual(status, 1)
        self.assertIn("eq(int, 10, 11): 10 is not 11", text)
        self.assertIn("failing: 4 ran, 3 of them failed, 0 skipped", text)

    def test_a_program_that_tells_nothing_fails(self):
        self.assertEqual(run("/bin/true", "/bin/true")[0], 1)

    def test_without_programs_the_reason_is_told(self):
        status, text = run("/bin/true")
        self.assertEqual(status, 77)
        self.assertIn("skipped: Criterion was not found", text)


if __name__ == "__main__":
    FAILING, LIBRARY = sys.argv[1:]
    unittest.main(argv=sys.argv[:1])
