#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""What `cushim ptx` says of PTX: right and wrong statements, and mutated texts.

test_parse_cases.py CUSHIM CORPUS STEP
Every STEPth of the texts of their own is asked about: each needs a process. If that is not all, what is
supported is not asked for either: it takes some seconds with sanitizers, and as many as all else.
"""

import functools
import os
import re
import struct
import sys
import unittest
from pathlib import Path

from parse_support import HEAD, NEWEST, REFUSES, TAKES, Case, Cases, run

CUSHIM, CORPUS = sys.argv[1:3]
STEP = int(sys.argv[3])


@functools.cache
def every_form():
    """Thousands of statements are asked about for it."""
    return run(CUSHIM, "ptx", "--coverage", "--forms")[1]


class Statements(Case):
    def check_alone(self, case):
        status, said = run(CUSHIM, "ptx", self.write(case.text))
        self.assertEqual(status, TAKES if case.taken else REFUSES, f"{case.words}\n{said}")
        self.assertIn(case.message, said, case.words)

    def refused_at_once(self, cases):
        """Those for whose line there is their reason: what follows an error of syntax is left."""
        text, lines = Cases.text_of(cases)
        status, said = run(CUSHIM, "ptx", self.write(text))
        self.assertEqual(status, REFUSES, said)
        found = re.findall(r":(\d+):\d+: error: (.*)", said)
        return [case for case, line in zip(cases, lines)
                if any(int(at) == line and case.message in why for at, why in found)]

    def test_what_is_taken(self):
        taken = [case for case in Cases().statements if case.taken]
        if run(CUSHIM, "ptx", self.write(Cases.text_of(taken)[0]))[0] != TAKES:
            for case in taken:
                self.check_alone(case)
            self.fail("each of the statements is taken, and not all in one text")

    def test_what_is_refused_with_its_reason(self):
        left = [case for case in Cases().statements if not case.taken]
        while left:
            refused = self.refused_at_once(left)
            if not refused:
                self.check_alone(left[0])
                refused = left[:1]
            left = [case for case in left if case not in refused]

    def test_texts(self):
        cases = Cases()
        for case in [case for case in cases.all if case not in cases.statements][::STEP]:
            self.check_alone(case)


class Places(Case):
    def test_a_mistake_has_line_and_column(self):
        text = HEAD + ".entry k()\n{\n    .reg .b32 %r<2>;\n    mov.u32 %r1, %r2;\n    ret;\n}\n"
        path = self.write(text)
        status, said = run(CUSHIM, "ptx", path)
        self.assertEqual(status, REFUSES)
        self.assertEqual(said, f"{path}:7:18: error: Unknown symbol '%r2'\n")

    def test_all_mistakes_are_said(self):
        status, said = run(CUSHIM, "ptx", Path(CORPUS) / "wrong.ptx")
        self.assertEqual(status, REFUSES)
        self.assertEqual(len(re.findall(r"^\S+:\d+:\d+: error: ", said, re.M)), 8, said)

    def test_what_is_not_executed_is_named_with_its_line_and_tier(self):
        status, said = run(CUSHIM, "ptx", Path(CORPUS) / "refused.ptx")
        self.assertEqual(status, REFUSES)
        self.assertIn("kernel k\n", said)
        self.assertRegex(said, r":8:5: error: Instruction 'fabric.submit' \(tier 4\) is not "
                         "executed by this device: memory of other machines\n")
        self.assertRegex(said, r":9:5: error: Instruction 'fabric.wait' \(tier 4\)")

    def test_lanes_without_metadata_are_not_selected(self):
        for words, selector, end, said_of in (
                ("m64n8k32.f32.f16.f16", 1, "p,1,1,0,0", ""),
                ("m64n8k32.f32.f16.f16", 2, "p,1,1,0,0", "with floating point types': unexpected "
                                                        "value '2', expected to be 0 or 1"),
                ("m64n8k64.f32.e4m3.e4m3", 1, "p,1,1", "with FP8 types': unexpected value '1', "
                                                       "expected to be 0")):
            path = self.write(HEAD.replace("sm_90", "sm_90a") + ".entry k() { .reg .b32 %r; .reg .f32 %f; "
                              ".reg .b64 %d; .reg .pred p; wgmma.mma_async.sp.sync.aligned."
                              f"{words} {{%f,%f,%f,%f}},%d,%d,%r,{selector},{end}; ret; }}\n")
            status, said = run(CUSHIM, "ptx", path)
            self.assertEqual(status, REFUSES if said_of else TAKES, said)
            self.assertIn(said_of, said)

    def test_a_form_of_two_families_is_for_no_other(self):
        for version, target, capability, wanted in (
                ("9.2", "120f", "12.0", TAKES), ("9.5", "121a", "12.1", TAKES),
                ("9.4", "107f", "10.7", TAKES), ("9.1", "120f", "12.0", "requires PTX ISA .version 9.2"),
                ("9.3", "107f", "10.7", "requires PTX ISA .version 9.4"),
                ("9.5", "120", "12.0", "not supported on .target 'sm_120'"),
                ("9.5", "103f", "10.3", "not supported on .target 'sm_103f'"),
                ("9.5", "110a", "11.0", "not supported on .target 'sm_110a'")):
            path = self.write(f".version {version}\n.target sm_{target}\n.address_size 64\n"
                              ".entry k() { .reg .b32 %r<3>; add.u8x4 %r1, %r1, %r2; ret; }")
            status, said = run(CUSHIM, "ptx", "--capability", capability, path)
            self.assertEqual(status, TAKES if wanted == TAKES else REFUSES, f"{target} {said}")
            self.assertIn(wanted if wanted != TAKES else "kernel k\n", said)

    def test_a_form_that_is_not_executed_is_said_as_well(self):
        path = self.write(NEWEST + ".entry k() { .reg .f32 %f<3>; .reg .b32 %r<3>;\n"
                          "cvt.rs.f16x2.f32 %r1, %f1, %f2, %r2;\nfabric.submit; ret; }")
        status, said = run(CUSHIM, "ptx", "--capability", "12.1", path)
        self.assertEqual(status, REFUSES)
        self.assertRegex(said, r":5:1: error: Instruction 'cvt' \(tier 1\) is not executed by "
                         "this device: which of the random bits")
        self.assertRegex(said, r":6:1: error: Instruction 'fabric.submit'")

    def test_what_no_lane_comes_to_does_not_matter(self):
        path = self.write(HEAD + ".entry k() { ret;\nfabric.submit; ret; }")
        self.assertEqual(run(CUSHIM, "ptx", path)[0], TAKES)


class Modules(Case):
    def test_kernels_parameters_and_resources(self):
        text = HEAD + """.const .u32 table[3];
            .extern .shared .b8 more[];
            .func f() { .shared .u32 a[4]; .local .u64 l; ret; }
            .visible .entry k(.param .u8 a, .param .u64 b, .param .align 4 .b8 c[12]) .maxntid 16, 4
            { .shared .align 8 .b8 s[8]; .reg .b64 r; mov.u64 r, more; call f; ret; }"""
        status, said = run(CUSHIM, "ptx", self.write(text))
        self.assertEqual(status, TAKES, said)
        self.assertEqual([line.split() for line in said.splitlines()], [line.split() for line in """
            PTX 9.0 for sm_90, 12 bytes of constants
            kernel k
            28 bytes of parameters, 24 shared and dynamic, 8 local, about 16 registers, 64 threads at most
            a offset 0 1 bytes .u8
            b offset 8 8 bytes .u64
            c offset 16 12 bytes .b8[]""".strip().splitlines()])

    def test_several_texts_are_linked(self):
        texts = (Path(CORPUS) / "linked.ptx").read_text().split("\f")
        paths = [self.write(text, f"{i}.ptx") for i, text in enumerate(texts)]
        self.assertEqual(run(CUSHIM, "ptx", *paths)[0], TAKES)
        status, said = run(CUSHIM, "ptx", paths[0])
        self.assertEqual(status, REFUSES)
        self.assertIn("error: Unresolved extern function 'other'\n", said)

    def test_a_target_above_the_device_is_refused(self):
        path = Path(CORPUS) / "control.ptx"
        status, said = run(CUSHIM, "ptx", "--capability", "8.0", path)
        self.assertEqual(status, REFUSES)
        self.assertIn("'sm_90' cannot be compiled to architecture 'sm_80'", said)

    @unittest.skipIf(STEP > 1, "not all is asked")
    def test_coverage_has_every_instruction(self):
        status, said = run(CUSHIM, "ptx", "--coverage")
        self.assertEqual(status, TAKES)
        counts = re.search(r"(\d+) instructions: (\d+) supported, (\d+) refused\n$", said)
        self.assertTrue(counts, said)
        self.assertEqual(len(re.findall(r"^    \S+ +supported, ", said, re.M)), int(counts[2]))
        self.assertEqual(len(re.findall(r"^    \S+ +refused", said, re.M)), int(counts[3]))
        self.assertGreater(len(every_form()), 5 * len(said))
        self.assertRegex(said, r"\n    fabric.submit +refused: memory of other machines\n")

    @unittest.skipIf(STEP > 1, "not all is asked")
    def test_coverage_is_what_loading_says(self):
        """A statement that it names as refused is refused, with the reason that it gives."""
        said = every_form()
        refused = re.findall(r"^            refused: (cvt\S+ .*?;) (.*)", said, re.M)
        self.assertTrue(refused)
        begin = NEWEST.replace('version 9.0', 'version 9.5') + ".entry k() { .reg .f32 %f<9>; .reg .b16 %h<9>; .reg .b32 %r<9>;\n"
        path = self.write(begin + "\n".join(statement for statement, _ in refused) + " ret; }")
        status, answer = run(CUSHIM, "ptx", "--capability", "12.1", path)
        self.assertEqual(status, REFUSES)
        for line, (statement, why) in enumerate(refused, 5):
            self.assertIn(f":{line}:1: error: {why}\n", answer, statement)
        taken = self.write(begin + "cvt.rn.f16x2.f32 %r1, %f3, %f5; ret; }")
        self.assertEqual(run(CUSHIM, "ptx", "--capability", "12.1", taken)[0], TAKES)

    def test_wrong_usage(self):
        for words in ([], ["--capability", "nine", "x"], ["--coverage", "x"], ["--nothing"]):
            self.assertEqual(run(CUSHIM, "ptx", *words)[0], 2, words)
        self.assertEqual(run(CUSHIM, "ptx", self.folder / "nothing.ptx")[0], 3)

    def test_what_is_no_file(self):
        pipe, circle, holes = (self.folder / name for name in ("pipe", "circle", "holes"))
        os.mkfifo(pipe)
        circle.symlink_to(circle)
        holes.touch()
        os.truncate(holes, 1 << 40)
        for path, why in ((pipe, "it is a pipe"), (circle, "in a circle"), (self.folder, "it is a folder"),
                          ("/dev/zero", "it is a device"), ("/proc/version", "the kernel makes it up"),
                          (holes, "more than the 536870912 bytes")):
            status, said = run(CUSHIM, "ptx", path)
            self.assertEqual(status, 3, said)
            self.assertIn(f"cushim ptx: {path}: ", said)
            self.assertIn(why, said)

    def test_a_file_points_nowhere(self):
        path = self.folder / "pointer"
        path.write_bytes(struct.pack("<IIQ", 0x466243B1, 1, 0xDEADBEEF))
        self.assertEqual(run(CUSHIM, "ptx", path)[0], REFUSES)


if __name__ == "__main__":
    del sys.argv[1:]
    unittest.main()
