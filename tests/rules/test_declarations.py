#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Checks that who sees a call in src finds the function: a shared function is declared in the
header of its own file, or in one of the same folder whose first comment names the file, also as one
of "lower_*.c".

test_declarations.py ROOT
"""

import re
import sys
import unittest
from fnmatch import fnmatch
from pathlib import Path

ROOT = Path(sys.argv.pop(1) if len(sys.argv) > 1 else Path(__file__).parents[2])

# Called by generated code alone, which has the prototypes.
GENERATED = {"cushim__cuda_open", "cushim__nvrtc_open"}

SHARED = r"(?:cushim|mock|ptx)__\w+"


def plain(text):
    """Without comments, texts and the preprocessor's lines."""
    text = re.sub(r"/\*.*?\*/", " ", text, flags=re.S)
    text = re.sub(r'"(?:\\.|[^"\\\n])*"', '""', text)
    return re.sub(r"^[ \t]*#(?:[^\n]*\\\n)*[^\n]*", "", text, flags=re.M)


def without_bodies(text):
    while re.search(r"\{[^{}]*\}", text):
        text = re.sub(r"\{[^{}]*\}", ";", text)
    return text


def first_comment(text):
    """The one on top, behind the licence."""
    comments = [c for c in re.findall(r"/\*.*?\*/", text.split("#", 1)[0], re.S) if "SPDX" not in c]
    return comments[0] if comments else ""


def definitions(path):
    pattern = rf"^(?!static\b|typedef\b)[A-Za-z_][\w \t\n*]*?\b({SHARED})\([^;{{}}]*\)\s*\{{"
    return re.findall(pattern, plain(path.read_text()), re.M)


def declarations(path):
    """Prototypes, and H(name); where a header has a macro for many of one type."""
    text = without_bodies(plain(path.read_text()))
    return set(re.findall(rf"\b({SHARED})\s*\(", text)) | set(re.findall(rf"\bH\(({SHARED})\)", text))


def is_for(header, source):
    """Is this where a reader of a function looks first?"""
    if header == source.with_suffix(".h"):
        return True
    names = re.findall(r"[\w*]+\.c\b", first_comment(header.read_text()))
    return header.parent == source.parent and any(fnmatch(source.name, name) for name in names)


class Declarations(unittest.TestCase):
    def test_a_shared_function_is_declared_in_a_header_of_its_file(self):
        where = {}
        for header in sorted((ROOT / "src").rglob("*.h")):
            for name in declarations(header):
                where.setdefault(name, []).append(header)
        for source in sorted((ROOT / "src").rglob("*.c")):
            for name in definitions(source):
                headers = where.get(name, [])
                with self.subTest(function=name, file=source.relative_to(ROOT).as_posix()):
                    self.assertTrue(name in GENERATED or any(is_for(h, source) for h in headers),
                                    [h.relative_to(ROOT).as_posix() for h in headers])

    def test_functions_that_texts_name_are_there(self):
        """As "cushim_open()", in comments, sentences and pages. An x stands for a name."""
        known = set((ROOT / "tests/rules/cushim.exports").read_text().split())
        for header in (ROOT / "include").rglob("*.h"):
            known |= set(re.findall(r"\b(cushim_\w+)\(", plain(header.read_text())))
            known |= set(re.findall(r"^#define (cushim_\w+)\(", header.read_text(), re.M))
            known |= {f"{name}_retain" for name in re.findall(r"\bCUSHIM__HANDLE\((\w+)", header.read_text())}
        for folder in ["include", "src", "docs", "examples", "tools"]:
            for path in sorted((ROOT / folder).rglob("*.*")):
                if path.suffix not in (".c", ".h", ".md", ".py"):
                    continue
                for name in set(re.findall(r"\b(cushim_[a-z0-9][a-z0-9_]*)\(\)", path.read_text())):
                    with self.subTest(file=path.relative_to(ROOT).as_posix()):
                        self.assertTrue(name in known or "x" in name.split("_"), name)

    def test_the_first_comment_names_files_that_are_there(self):
        for header in sorted((ROOT / "src").rglob("*.h")):
            for name in re.findall(r"(?<![\w/*])(\w+\.c)\b", first_comment(header.read_text())):
                with self.subTest(header=header.relative_to(ROOT).as_posix(), file=name):
                    self.assertTrue(list((ROOT / "src").rglob(name)))


if __name__ == "__main__":
    unittest.main()
