#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""devices.txt: what gen_devices.py refuses, and whether figures that follow from a rule follow from it."""

import sys
import tempfile
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(ROOT / "tools"))

import gen_devices as gen  # noqa: E402

FILE = ROOT / "src/mock/config/devices.txt"
TEXT = FILE.read_text()


def read(text):
    with tempfile.NamedTemporaryFile("w", suffix=".txt") as file:
        file.write(text)
        file.flush()
        devices = gen.Devices(file.name)
        gen.table(devices)
        return devices


class Refused(unittest.TestCase):
    def fails(self, words, old, new):
        self.assertEqual(TEXT.count(old) > 0, True, old)
        with self.assertRaisesRegex(SystemExit, words):
            read(TEXT.replace(old, new, 1))

    def test_a_figure_without_a_source(self):
        self.fails("there is no source 'hearsay'", "  1300000  output", "  1300000  hearsay")
        self.fails("a figure and its source were expected", "  1300000  output", "  1300000")

    def test_a_figure_that_nobody_gives(self):
        self.fails("orin has no clock_rate", "    clock_rate                                    1300000  output\n", "")

    def test_a_figure_that_is_given_twice(self):
        line = "    clock_rate                                    1300000  output\n"
        self.fails("'clock_rate' is given twice", line, line + line)

    def test_an_attribute_that_there_is_not(self):
        self.fails("there is no attribute 'clock'", "    clock_rate                                    1300000",
                   "    clock                                    1300000")
        self.fails("not numbered from 1 on", "147 only_partial", "148 only_partial")

    def test_an_output_of_which_nobody_says_where_it_was_seen(self):
        self.fails("where 'clock_rate' was seen is not said", "    seen cuda-device-query", "#   seen cuda-device-query")

    def test_a_row_that_is_too_short(self):
        self.fails("9 figures and a source", "    0      0      1      1      1      1      1      1      1  since8",
                   "    0      0      1      1      1      1      1      1  since8")


class Rules(unittest.TestCase):
    """Figures of a rule, by the source that the file gives for them."""

    def setUp(self):
        self.devices = read(TEXT)
        self.marks = {}
        key = None
        for line in TEXT.splitlines():
            words = line.split()
            if line.startswith("device "):
                key = words[1]
            elif key and line.startswith("    ") and words[0] != "seen":
                self.marks[key, words[0]] = words[-1]

    def figure(self, key, name):
        defaults = {n: value for n, _, value in self.devices.attributes.values()}
        return self.devices.figure(key, name, defaults[name])

    def capability(self, key):
        return tuple(map(int, self.devices.devices[key]["capability"].split(".")))

    def expect(self, source, name, rule):
        marked = [key for (key, of), mark in self.marks.items() if (of, mark) == (name, source)]
        self.assertTrue(marked, f"nothing follows from {source}")
        for key in marked:
            self.assertEqual(self.figure(key, name), rule(key), f"{key} {name}")

    def test_persisting_l2(self):
        shares = {(8, 0): 12, (8, 7): 12, (9, 0): 10, (10, 0): 10}
        self.expect("l2", "max_persisting_l2_cache_size", lambda key: self.figure(key, "l2_cache_size") // 16
                    * (0 if self.capability(key) < (8, 0) else shares.get(self.capability(key), 11)))

    def test_its_window(self):
        self.expect("window", "max_access_policy_window_size", lambda key: 0 if self.capability(key) < (8, 0)
                    else self.figure("h200" if self.capability(key) in ((8, 0), (10, 0)) else "rtx4090",
                                     "max_access_policy_window_size") if key != "rtx4090" else 134213632)

    def test_the_memory_of_a_context(self):
        for (key, name), mark in self.marks.items():
            if (name, mark) == ("context", "context"):
                self.assertEqual(self.devices.devices[key]["context"],
                                 self.figure(key, "multiprocessor_count") * 3 << 20, key)

    def test_handles_of_fabric(self):
        def has(key):
            return self.devices.devices[key]["link"] == "nvlink" and self.capability(key) >= (9, 0)

        self.expect("nvlink", "handle_type_fabric_supported", lambda key: int(has(key)))
        self.expect("nvlink", "mempool_supported_handle_types", lambda key: 9 if has(key) else 1)

    def test_geforce(self):
        self.expect("geforce", "gpu_direct_rdma_supported",
                    lambda key: int("GeForce" not in self.devices.devices[key]["name"]))

    def test_every_source_is_used(self):
        body = TEXT[TEXT.index("\nattributes\n"):]
        for source in self.devices.sources:
            self.assertRegex(body, rf"\s{source}\n", f"nothing has the source {source}")


if __name__ == "__main__":
    unittest.main()
