#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Checks README.md: programs that are said to be of an example are in it, and all links lead to something.

A block of C belongs to the example that the paragraph before it links. All lines of the block are
in the example in the same order; comments and spaces may differ.

test_readme.py ROOT
"""

import re
import sys
import unittest
from pathlib import Path

ROOT = Path(sys.argv.pop(1) if len(sys.argv) > 1 else Path(__file__).parents[2])
PAGE = (ROOT / "README.md").read_text()


def blocks():
    """[(example, lines), ...]"""
    found = re.findall(r"\n\n((?:[^\n]+\n)+)\n```c\n(.*?)```", PAGE, re.DOTALL)
    links = [(re.search(r"\]\((examples/\w+\.c)\)", before), text) for before, text in found]
    return [(link.group(1), plain(text)) for link, text in links if link]


def plain(text):
    """The lines without comments and spaces, but empty ones."""
    lines = re.sub(r"/\*.*?\*/", "", text, flags=re.DOTALL).splitlines()
    return [line for line in (re.sub(r"\s+", "", line) for line in lines) if line]


class Readme(unittest.TestCase):
    def test_blocks_are_in_their_examples(self):
        self.assertGreaterEqual(len(blocks()), 2)
        for example, lines in blocks():
            rest = iter(plain((ROOT / example).read_text()))
            for line in lines:
                self.assertIn(line, rest, f"{example} has no such line, or not in this place")

    def test_links_lead_to_something(self):
        links = [link.split("#")[0] for link in re.findall(r"\]\(([^)]+)\)", PAGE)]
        for link in links:
            if link and not link.startswith("https://"):
                self.assertTrue((ROOT / link).exists(), link)


if __name__ == "__main__":
    unittest.main()
