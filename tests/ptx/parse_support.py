# SPDX-License-Identifier: MIT
"""The cases of parse_cases.tsv, for the tests of `cushim ptx` and of the toolkit's own tools."""

import re
import subprocess
import tempfile
import unittest
from pathlib import Path

HERE = Path(__file__).resolve().parent
TAKES, REFUSES = 0, 1

NOT_EXECUTED = "is not executed by this device"
HEAD = ".version 9.0\n.target sm_90\n.address_size 64\n"
NEWEST = HEAD.replace("sm_90", "sm_121a")
AROUND_KERNELS = HEAD + """.extern .func (.param .b32 r) ff(.param .b32 a);
.global .u32 a[4]; .shared .align 16 .b8 s[64];
"""
AROUND = """.visible .entry {}(.param .u64 pk){{ .reg .f64 %d<4>; .reg .b32 %r<20>; .reg .f32 %f<3>; \
.reg .b64 %rd<3>; .reg .b16 %h<3>; .reg .pred %p<3>; .reg .u32 %u<3>; .reg .s32 %s<3>; \
.reg .b8 %c<3>; .reg .v2 .f32 %v; .local .u32 l; .shared .u32 sh; .reg .u16 %us<3>; \
.reg .f16 %hf<3>; .reg .f16x2 %hx<3>; .reg .b128 %q<3>;
{}
}}
"""


class ParseCase:
    def __init__(self, line):
        answer, self.words, self.message = line.split("\t")
        self.taken = answer == "takes"
        self.is_text = self.words[0] == "!"
        self.text = (HEAD + self.words[1:] + "\n" if self.is_text else
                     AROUND_KERNELS + AROUND.format("k", self.words))


class Cases:
    def __init__(self):
        lines = (HERE / "parse_cases.tsv").read_text().splitlines()
        self.all = [ParseCase(line) for line in lines if not line.startswith("#")]
        # These do not disturb each other in one text; a call of ff has to be linked, or of k found.
        self.statements = [case for case in self.all
                           if not case.is_text and not re.search(r"\b(ff|k)\b", case.words)]

    @staticmethod
    def text_of(statements):
        """One text with a kernel for each statement, and the number of the statement's line."""
        text, lines = AROUND_KERNELS, []
        for number, case in enumerate(statements):
            text += AROUND.format(f"k{number}", case.words)
            lines.append(text.count("\n") - 1)
        return text, lines


def run(*command):
    done = subprocess.run(command, capture_output=True, text=True, timeout=60)
    return done.returncode, done.stdout + done.stderr


class Case(unittest.TestCase):
    maxDiff = None

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)

    def write(self, text, name="module.ptx"):
        path = self.folder / name
        path.write_text(text)
        return path
