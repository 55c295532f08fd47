#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Checks docs/coverage.md: every row says something, and what it names is in the headers.

test_coverage.py ROOT
"""

import re
import sys
import unittest
from pathlib import Path

ROOT = Path(sys.argv.pop(1) if len(sys.argv) > 1 else Path(__file__).parents[2])
PAGE = (ROOT / "docs/coverage.md").read_text()
HEADERS = "".join(p.read_text() for p in (ROOT / "include/cushim").glob("*.h"))


def rows():
    """[[cell, ...]] of all tables, without their heads."""
    lines = [line for line in PAGE.splitlines() if line.startswith("|")]
    cells = [[c.strip() for c in re.split(r"(?<!\\)\|", line)[1:-1]] for line in lines]
    return [c for c in cells if c[1] not in ("here", "---")]


class Coverage(unittest.TestCase):
    def test_there_are_rows(self):
        self.assertGreater(len(rows()), 100)

    def test_no_row_is_silent(self):
        for row in rows():
            self.assertEqual(len(row), 3, row)
            self.assertTrue(row[0] and row[1], row)
            if row[1] == "–":
                self.assertTrue(row[2], f"no reason given: {row}")

    def test_what_is_named_exists(self):
        for name in set(re.findall(r"\b(?:cushim|CUSHIM)_[A-Za-z_]+\b", PAGE)):
            self.assertRegex(HEADERS, rf"\b{name}\b", f"{name} is in no header")
        for name in set(re.findall(r"`(\w+\.h)`", PAGE)):
            self.assertTrue((ROOT / "include/cushim" / name).exists(), name)


if __name__ == "__main__":
    unittest.main()
