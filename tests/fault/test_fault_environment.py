#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Faults that the environment asks for.

test_fault_environment.py CALL_FAULTS [MOCK]    the program that calls, and the mock's libcuda.so.1
"""

import json
import os
import subprocess
import sys
import tempfile
import unittest

PROGRAM = sys.argv.pop(1)
MOCK = sys.argv.pop(1) if len(sys.argv) > 1 else None


class Environment(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)

    def write(self, text):
        path = os.path.join(self.folder.name, "rules")
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
        return path

    def call(self, what, **environment):
        """Runs the program; its lines, and what it wrote to standard error."""
        done = subprocess.run([PROGRAM, what], env={**os.environ, **environment}, timeout=60,
                              capture_output=True, text=True)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stdout.splitlines(), done.stderr


class Cushim(Environment):
    GOOD = ["count 0", "count 0", "alloc 0", "synchronize 0", "init 0", "count 0", "compile 6", "link 9"]

    def check(self, rules, wanted, **environment):
        lines, _ = self.call("cushim", CUSHIM_FAULTS=rules, **environment)
        self.assertEqual(lines, wanted)

    def test_no_faults(self):
        self.check("", self.GOOD)

    def test_all_handles_and_libraries_share_one_set(self):
        self.check("cuDeviceGetCount nth=3 result=100; cuInit result=3; nvrtc* result=compilation; nvJitLink* result=arch_mismatch;"
                   "cuMemAlloc result=out_of_memory; cuCtxSynchronize result=719",
                   ["count 0", "count 0", "alloc 2", "synchronize 719", "init 3", "count 100", "compile 6", "link 13"])

    def test_a_lost_device(self):
        self.check("device_lost after=0",
                   ["count 0", "count 0", "alloc 719", "synchronize 719", "init 0", "count 0", "compile 6",
                    "link 9"])

    def test_a_file(self):
        path = self.write("# rules\ncuDeviceGetCount every=2\tresult=1\nnvrtcCompileProgram result=5\n")
        self.check(f"@{path}", ["count 0", "count 1", *self.GOOD[2:-2], "compile 5", "link 9"])

    def refused(self, rules, *parts):
        lines, _ = self.call("cushim", CUSHIM_FAULTS=rules)
        self.assertEqual(len(lines), 1, lines)
        for part in ("CUSHIM_ERROR_INVALID_ARGUMENT: CUSHIM_FAULTS: ", *parts):
            self.assertIn(part, lines[0])

    def test_bad_rules(self):
        self.refused("cuMemAlocc result=1", "line 1", "'cuMemAlocc'")
        self.refused("cuInit result=1; cuInit nht=2", "line 1", "'nht=2'")
        self.refused(f"@{self.write('# x' + chr(10) + 'cuInit')}", "rules:2", "neither result")
        self.refused("@/nowhere/rules", "/nowhere/rules", "No such file")
        self.refused("@", "CUSHIM_FAULTS: the path is empty")
        self.refused("\n".join(["cuInit result=1"] * 65), "line 65", "64")

    def test_a_driver_that_gets_no_faults_is_not_opened(self):
        lines, _ = self.call("many", CUSHIM_FAULTS="cuInit result=1")
        self.assertEqual(lines, ["open 0"] * 4 + ["open -10"] * 2)
        lines, _ = self.call("many", CUSHIM_TRACE=os.path.join(self.folder.name, "trace.json"))
        self.assertEqual(lines, ["open 0"] * 6)

    def trace(self, path):
        with open(path, encoding="utf-8") as file:
            events = json.load(file)["traceEvents"]
        return [(e["name"], e["args"]["result"]) for e in events if e["ph"] == "X"]

    def test_the_trace_sees_what_the_program_sees(self):
        path = os.path.join(self.folder.name, "trace.json")
        self.call("cushim", CUSHIM_FAULTS="cuMemAlloc result=2; cuCtxSynchronize result=700", CUSHIM_TRACE=path)
        self.assertEqual(self.trace(path), [
            ("cuDeviceGetCount", 0), ("cuDeviceGetCount", 0), ("cuMemAlloc_v2", 2), ("cuCtxSynchronize", 700),
            ("cuInit", 0), ("cuDeviceGetCount", 0), ("nvrtcCompileProgram", 6), ("nvJitLinkComplete", 9)])

    @unittest.skipIf(MOCK is None, "the mock is not built")
    def test_the_mocks_trace_too(self):
        path = os.path.join(self.folder.name, "trace.json")
        self.call(MOCK, CUSHIM_MOCK_FAULTS="cuDeviceGetCount nth=2 result=999", CUSHIM_MOCK_TRACE=path)
        self.assertEqual(self.trace(path), [("cuDriverGetVersion", 0), ("cuInit", 0), ("cuDeviceGetCount", 0),
                                            ("cuDeviceGetCount", 999), ("cuDeviceGetCount", 0)])


@unittest.skipIf(MOCK is None, "the mock is not built")
class Mock(Environment):
    def check(self, rules, wanted):
        lines, errors = self.call(MOCK, CUSHIM_MOCK_FAULTS=rules)
        self.assertEqual(lines, wanted)
        self.assertEqual(errors, "")

    def test_no_faults(self):
        self.check("", ["version 0", "init 0", "count 0", "count 0", "count 0"])

    def test_faults(self):
        self.check("cuDeviceGetCount nth=2 result=100", ["version 0", "init 0", "count 0", "count 100", "count 0"])
        self.check("cuInit result=no_device", ["version 0", "init 100", "count 3", "count 3", "count 3"])

    def test_a_file(self):
        self.check(f"@{self.write('cu* every=2 result=1')}",
                   ["version 0", "init 0", "count 0", "count 1", "count 0"])

    def test_bad_rules(self):
        for rules, part in (("cuInit nth=1", "line 1"), ("@/nowhere/rules", "/nowhere/rules")):
            lines, errors = self.call(MOCK, CUSHIM_MOCK_FAULTS=rules)
            self.assertEqual(lines, ["version 0", "init 1", "count 3", "count 3", "count 3"])
            self.assertEqual(len(errors.splitlines()), 1, errors)
            self.assertIn("cushim mock: CUSHIM_MOCK_FAULTS: ", errors)
            self.assertIn(part, errors)


if __name__ == "__main__":
    unittest.main()
