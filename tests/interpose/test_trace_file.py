#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Reads files of traces as Perfetto and chrome://tracing would.

test_trace_file.py WRITE_TRACE    the program whose calls are traced
"""

import collections
import json
import os
import subprocess
import sys
import tempfile
import unittest

PROGRAM = sys.argv.pop(1)

# What write_trace calls: name -> results.
CALLS = {
    "cuDeviceGetCount": [0, 0, 0, 0],
    "cuMemAlloc_v2": [0, 1],
    "cuCtxSynchronize": [0],
    "nvrtcCompileProgram": [6],
    "nvrtcGetErrorString": [0],
    "nvJitLinkComplete": [9],
}
NAMES = {("cuda", 0): "CUDA_SUCCESS", ("cuda", 1): "CUDA_ERROR_INVALID_VALUE",
         ("nvrtc", 0): "NVRTC_SUCCESS", ("nvrtc", 6): "NVRTC_ERROR_COMPILATION",
         ("nvjitlink", 9): "NVJITLINK_ERROR_FINALIZE"}


class TraceFile(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.path = os.path.join(self.folder.name, "trace.json")

    def start(self, *arguments, trace="", log=""):
        environment = {**os.environ, "CUSHIM_TRACE": trace, "CUSHIM_LOG": log}
        return subprocess.Popen([PROGRAM, *arguments], env=environment, stdout=subprocess.PIPE,
                                stderr=subprocess.PIPE, text=True)

    def run_program(self, *arguments, **environment):
        """Runs it and returns its process id and what it wrote to standard error."""
        with self.start(*arguments, **environment) as process:
            out, err = process.communicate(timeout=60)
        self.assertEqual(process.returncode, 0, err)
        self.assertEqual(out, "")
        return process.pid, err

    def read(self):
        """The calls of the file, once it was seen to be what the format asks for."""
        with open(self.path, encoding="utf-8") as file:
            trace = json.load(file)
        self.assertIsInstance(trace, dict)
        self.assertIn(trace.get("displayTimeUnit"), ("ms", "ns"))
        self.assertIsInstance(trace["traceEvents"], list)
        for event in trace["traceEvents"]:
            self.check_event(event)
        metadata = [e["name"] for e in trace["traceEvents"] if e["ph"] == "M"]
        self.assertEqual(metadata, ["process_name"])
        return [e for e in trace["traceEvents"] if e["ph"] == "X"]

    def check_event(self, event):
        self.assertIn(event["ph"], ("X", "M"), event)
        self.assertIsInstance(event["name"], str)
        self.assertIsInstance(event["pid"], int)
        self.assertIsInstance(event["tid"], int)
        if event["ph"] == "M":
            self.assertIsInstance(event["args"]["name"], str)
            return
        self.assertIn(event["cat"], ("cuda", "nvrtc", "nvjitlink"))
        for key in ("ts", "dur"):
            self.assertIsInstance(event[key], (int, float), event)
            self.assertGreaterEqual(event[key], 0, event)
        # A minute of microseconds: longer than the program ran.
        self.assertLess(event["ts"] + event["dur"], 60e6, event)
        result = event["args"]["result"]
        self.assertEqual(event["args"]["name"], NAMES[event["cat"], result], event)

    def check_calls(self, calls, wanted, pid):
        found = collections.defaultdict(list)
        for call in calls:
            found[call["name"]].append(call["args"]["result"])
        self.assertEqual(dict(found), wanted)
        self.assertEqual({c["pid"] for c in calls}, {pid})
        self.check_threads(calls, pid)

    def check_threads(self, calls, pid):
        """Allocations are of the second thread; in each, one call ends before the next."""
        others = {c["tid"] for c in calls if c["name"] == "cuMemAlloc_v2"}
        self.assertEqual(len(others), 1)
        self.assertEqual({c["tid"] for c in calls} - others, {pid})
        for thread in {c["tid"] for c in calls}:
            own = [c for c in calls if c["tid"] == thread]
            for before, after in zip(own, own[1:]):
                # Both are rounded to the nanosecond they were measured in, and then are floats.
                end = before["ts"] + before["dur"]
                self.assertLessEqual(end, after["ts"] + 1e-3, (before, after))

    def test_written_by_the_program(self):
        pid, _ = self.run_program(self.path)
        self.check_calls(self.read(), CALLS, pid)

    def test_written_at_exit(self):
        pid, _ = self.run_program(trace=self.path)
        self.check_calls(self.read(), CALLS, pid)
        self.assertEqual(os.listdir(self.folder.name), ["trace.json"])

    def test_replaces_what_was_there(self):
        with open(self.path, "w", encoding="utf-8") as file:
            file.write("old " * 100000)
        pid, _ = self.run_program(trace=self.path)
        self.check_calls(self.read(), CALLS, pid)

    def test_a_child_leaves_the_file_alone(self):
        pid, _ = self.run_program("--fork", trace=self.path)
        self.check_calls(self.read(), CALLS, pid)
        self.assertEqual(os.listdir(self.folder.name), ["trace.json"])

    def test_not_asked_for(self):
        self.run_program()
        self.assertEqual(os.listdir(self.folder.name), [])

    def test_a_path_that_cannot_be_written_is_logged(self):
        path = os.path.join(self.folder.name, "no", "trace.json")
        _, err = self.run_program(trace=path, log="error")
        self.assertIn("CUSHIM_TRACE", err)
        self.assertIn(path, err)
        self.assertEqual(os.listdir(self.folder.name), [])

    def test_a_path_that_cannot_be_written_is_silent_without_a_log(self):
        _, err = self.run_program(trace=os.path.join(self.folder.name, "no", "trace.json"))
        self.assertEqual(err, "")


if __name__ == "__main__":
    unittest.main()
