#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""What gen_mock_page.py says of functions that nothing implements."""

import sys
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent.parent / "tools"))

import gen_mock_page as gen  # noqa: E402

ROWS = ["cuOne", "cuOne_ptsz", "cuTwo", "cuThree"]
TWINS = {"cuOne_ptsz": "cuOne"}
WHERE = {"cuOne": "one.c"}


def reasons(*lines):
    return gen.read_reasons("\n".join("\t".join(line) for line in lines))


class Page(unittest.TestCase):
    def fails(self, words, *lines, where=None):
        with self.assertRaisesRegex(gen.PageError, words):
            gen.page(ROWS, where or WHERE, reasons(*lines), TWINS)

    def test_each_function_is_somewhere(self):
        text = gen.page(ROWS, WHERE, reasons(("cuT*", "default", "no such thing")), TWINS)
        self.assertIn("2 of 4 functions", text)
        self.assertIn("1 functions are generated", text)
        self.assertIn("## `src/mock/one.c`\n\n- `cuOne`\n\n", text)
        self.assertIn("No such thing.\n\n- `cuThree`\n- `cuTwo`\n", text)

    def test_a_forgotten_function(self):
        self.fails("cuThree: nothing", ("cuTwo", "default", "why"))

    def test_a_reason_that_is_not_so_any_more(self):
        self.fails("no function is 'cuOne' and default", ("cuOne", "default", "why"),
                   ("cuT*", "default", "why"))
        self.fails("no function is 'cuFour' and default", ("cuT* cuFour", "default", "why"))

    def test_what_is_said_to_be_checked_has_to_be_defined(self):
        self.fails("cuTwo: nothing", ("cuT*", "checked", "why"))
        text = gen.page(ROWS, WHERE,
                        reasons(("cuT*", "default", "why"), ("cuOne", "checked", "because")), TWINS)
        self.assertIn("0 of 4 functions behave as a driver's do. 2 belong", text)

    def test_a_definition_without_a_row(self):
        self.fails("no row names cuFive", ("cuT*", "default", "why"),
                   where={**WHERE, "cuFive": "five.c"})

    def test_a_twin_is_where_the_function_is_that_it_calls(self):
        twins = {"cuTwo_ptsz": "cuTwo", "cuTwo": "cuOne", "cuSix": "cuFive"}
        found = gen.with_twins({"cuOne": "one.c"}, twins)
        self.assertEqual(found, {"cuOne": "one.c", "cuTwo": "one.c", "cuTwo_ptsz": "one.c"})

    def test_a_twin_that_is_written_by_hand_as_well(self):
        self.fails("one.c: cuOne_ptsz is generated, from cuOne", ("cuT*", "default", "why"),
                   where={**WHERE, "cuOne_ptsz": "one.c"})

    def test_what_is_wrong_with_a_line_is_said(self):
        for line in (("cuTwo", "default"), ("cuTwo", "perhaps", "why"), ("cuTwo", "default", " ")):
            with self.assertRaisesRegex(gen.PageError, "unsupported.tsv:1"):
                reasons(line)


if __name__ == "__main__":
    unittest.main()
