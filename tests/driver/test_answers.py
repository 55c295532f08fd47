#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""What answers.py finds wrong."""

import unittest

import answers

RECORDED = {"a.one": "0", "a.two": "1"}


class Complaints(unittest.TestCase):
    def check(self, answered, exceptions, *words):
        found = answers.complaints(RECORDED, answered, exceptions)
        self.assertEqual(len(found), 1 if words else 0, found)
        for word in words:
            self.assertIn(word, found[0])

    def test_all_hold(self):
        self.check(RECORDED, {})

    def test_a_different_answer(self):
        self.check({"a.one": "0", "a.two": "7"}, {}, "a.two", "7", "recorded is 1")

    def test_an_exception(self):
        self.check({"a.one": "0", "a.two": "7"}, {"a.two": "why"})

    def test_an_exception_that_holds(self):
        self.check(RECORDED, {"a.two": "why"}, "a.two", "take it off")

    def test_no_answer(self):
        self.check({"a.one": "0"}, {}, "a.two", "no answer")

    def test_no_answer_is_no_exception(self):
        self.check({"a.one": "0"}, {"a.two": "why"}, "a.two", "no answer")

    def test_an_answer_to_nothing(self):
        self.check({**RECORDED, "a.three": "0"}, {}, "a.three", "not recorded")


class Lines(unittest.TestCase):
    def test_comments_and_values(self):
        lines = answers.read_lines("# text\na.one\t0\na.two\ta b\n", "file")
        self.assertEqual(lines, {"a.one": "0", "a.two": "a b"})

    def test_what_is_wrong_is_said(self):
        for text, words in (("a.one 0\n", "line 1"), ("a.x\t0\na.x\t0\n", "twice")):
            with self.assertRaisesRegex(ValueError, words):
                answers.read_lines(text, "file")

    def test_groups_are_told_apart_by_the_whole_word(self):
        lines = {"a.one": "0", "ab.one": "1"}
        self.assertEqual(answers.of_group(lines, "a"), {"a.one": "0"})


if __name__ == "__main__":
    unittest.main()
