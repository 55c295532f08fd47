#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""PTX as the toolkit's own tools see it: ptxas takes what parse_cases.tsv says, and `cushim ptx` reads
what fatbinary writes. Skipped, with 77, where there is neither.

test_parse_tools.py CUSHIM PTXAS FATBINARY      a tool that is not there is empty
"""

import re
import subprocess
import sys
import unittest

from parse_support import HEAD, NOT_EXECUTED, REFUSES, TAKES, Case, Cases, run

CUSHIM, PTXAS, FATBINARY = sys.argv[1:]


@unittest.skipUnless(PTXAS, "there is no ptxas")
class Statements(Case):
    def ptxas(self, text):
        return run(PTXAS, "-arch=sm_90", "-o", "/dev/null", self.write(text))

    def check_alone(self, case):
        status, said = self.ptxas(case.text)
        # It compiles no more than whole programs, and it knows the instructions of all tiers.
        missing = "Unresolved extern function 'ff'" in said and "'ff'" in case.message
        if not missing and NOT_EXECUTED not in case.message:
            self.assertEqual(status == 0, case.taken, f"{case.words}\n{said}")

    def refused_at_once(self, cases):
        """Those for whose line there is an error: ptxas gives up at some, and what follows is left."""
        text, lines = Cases.text_of(cases)
        found = re.findall(r", line (\d+); (?:error|fatal)", self.ptxas(text)[1])
        return [case for case, line in zip(cases, lines) if str(line) in found]

    def test_what_is_taken(self):
        taken = [case for case in Cases().statements if case.taken]
        if self.ptxas(Cases.text_of(taken)[0])[0] != 0:
            for case in taken:
                self.check_alone(case)
            self.fail("ptxas takes each of the statements, and not all in one text")

    def test_what_is_refused(self):
        left = [case for case in Cases().statements
                if not case.taken and NOT_EXECUTED not in case.message]
        while left:
            refused = self.refused_at_once(left)
            if not refused:
                self.check_alone(left[0])
                refused = left[:1]
            left = [case for case in left if case not in refused]

    def test_texts(self):
        cases = Cases()
        for case in cases.all:
            if case not in cases.statements:
                self.check_alone(case)


@unittest.skipUnless(FATBINARY, "there is no fatbinary")
class FatBinaries(Case):
    MODES = ("none", "speed", "balance", "size")  # as they are, LZ4, and Zstandard

    def make(self, mode, *targets):
        path = self.folder / f"{mode}.fatbin"
        images = []
        for target in targets:
            text = (HEAD + f".entry for_{target}() {{ ret; }}\n").replace("sm_90", f"sm_{target}")
            # Enough of it to be compressed.
            text += "".join(f".global .u32 variable_{i} = {i};\n" for i in range(200))
            file = self.write(text, f"{target}.ptx")
            images.append(f"--image3=kind=ptx,sm={target},file={file}")
        subprocess.run([FATBINARY, f"--create={path}", "--64", f"--compress-mode={mode}", *images],
                       check=True, capture_output=True)
        return path

    def test_the_text_for_the_newest_target_that_fits(self):
        for mode in self.MODES:
            path = self.make(mode, "75", "80", "90", "100")
            for capability, kernel in (("7.5", "for_75"), ("8.9", "for_80"), ("12.0", "for_100")):
                status, said = run(CUSHIM, "ptx", "--capability", capability, path)
                self.assertEqual(status, TAKES, f"{mode} {said}")
                self.assertIn(f"kernel {kernel}\n", said)

    def test_a_text_for_one_target_is_for_no_other(self):
        path = self.make("none", "80", "90a")
        self.assertIn("kernel for_90a\n", run(CUSHIM, "ptx", path)[1])
        self.assertIn("kernel for_80\n", run(CUSHIM, "ptx", "--capability", "10.0", path)[1])

    def test_one_without_a_text_that_fits(self):
        status, said = run(CUSHIM, "ptx", "--capability", "7.5", self.make("none", "90"))
        self.assertEqual(status, REFUSES)
        self.assertIn("there is no PTX for this device in it", said)

    def test_a_broken_one_is_refused(self):
        for mode in self.MODES:
            whole = self.make(mode, "90").read_bytes()
            for size in list(range(4, 120, 7)) + [len(whole) // 2, len(whole) - 9]:
                path = self.folder / "broken.fatbin"
                path.write_bytes(whole[:size])
                self.assertEqual(run(CUSHIM, "ptx", path)[0], REFUSES, f"{mode}, {size} bytes")


if __name__ == "__main__":
    if not PTXAS and not FATBINARY:
        print("skipped: there is neither ptxas nor fatbinary (PATH, /usr/local/cuda/bin)")
        sys.exit(77)
    del sys.argv[1:]
    unittest.main()
