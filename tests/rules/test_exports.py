#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Checks what the built files export and what they ask of the dynamic linker.

test_exports.py ROOT NM READELF CUSHIM DROPIN [--mock MOCK] [PROGRAM...]
"""

import json
import re
import struct
import subprocess
import sys
import unittest
from pathlib import Path

arguments = sys.argv[1:]
sys.argv = sys.argv[:1]
ROOT, NM, READELF, CUSHIM, DROPIN = arguments[:5]
MOCK = arguments[6] if arguments[5:6] == ["--mock"] else None
PROGRAMS = arguments[7:] if MOCK else arguments[5:]
sys.path.insert(0, f"{ROOT}/tools")
import symbols  # noqa: E402


def run(*command):
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


def exported(library):
    """Names without their version, and without the sanitizers' own."""
    lines = run(NM, "-D", "--defined-only", library).splitlines()
    names = {line.split()[-1].split("@")[0] for line in lines if line.split()[-2] != "A"}
    return {n for n in names if not n.startswith(("__asan", "__odr_asan", "__ubsan", "__tsan"))}


def functions():
    lists = ("cuda", "nvrtc")
    return {n: {r.symbol for r in symbols.read(f"{ROOT}/src/loader/{n}.symbols")} for n in lists}


def dlopen_notes(library):
    """The JSON of all .note.dlopen entries. Words of a note: name size, text size, type."""
    data = bytearray()
    for line in run(READELF, "-x", ".note.dlopen", library).splitlines():
        match = re.match(r"\s+0x[0-9a-f]+ ((?:[0-9a-f]{2,8} ){1,4})", line)
        if match:
            data += bytes.fromhex(match[1].replace(" ", ""))
    entries, place = [], 0
    while place + 12 <= len(data):
        name, text, kind = struct.unpack_from("<III", data, place)
        start = place + 12 + (name + 3) // 4 * 4
        if kind == 0x407C0C0A and data[place + 12 : place + 15] == b"FDO":
            entries += json.loads(data[start : start + text].rstrip(b"\0"))
        place = start + (text + 3) // 4 * 4
    return entries


class Exports(unittest.TestCase):
    maxDiff = None

    def test_libcushim_exports_what_the_list_says(self):
        expected = Path(ROOT, "tests/rules/cushim.exports").read_text().split()
        self.assertEqual(sorted(exported(CUSHIM)), sorted(expected))

    def test_every_export_is_declared_in_a_public_header(self):
        text = "".join(p.read_text() for p in Path(ROOT, "include/cushim").glob("*.h"))
        for name in exported(CUSHIM):
            self.assertRegex(text, rf"\b{name}\b", f"{name} is in no header")

    def test_the_drop_in_exports_every_function_and_nothing_else(self):
        rows = functions()
        expected = rows["cuda"] | rows["nvrtc"] | {"cushim__forwards"}
        self.assertEqual(exported(DROPIN), expected)

    @unittest.skipIf(MOCK is None, "the mock is not built")
    def test_the_mock_exports_every_driver_function_and_its_control_interface(self):
        names = exported(MOCK)
        own = {n for n in names if n.startswith("cushim_mock_")}
        self.assertEqual(names - own, functions()["cuda"])
        text = Path(ROOT, "include/cushim/mock.h").read_text()
        for name in own:
            self.assertRegex(text, rf"\b{name}\(", f"{name} is not in mock.h")


class Links(unittest.TestCase):
    def test_nothing_is_linked_against_cuda(self):
        for file in filter(None, [CUSHIM, DROPIN, MOCK, *PROGRAMS]):
            needed = re.findall(r"\(NEEDED\).*\[(.+?)\]", run(READELF, "-d", file))
            self.assertTrue(needed, f"{file} names no library at all")
            bad = [n for n in needed if re.match(r"lib(cuda|nvrtc|nvJitLink|cudart)\b", n)]
            self.assertEqual(bad, [], f"{file} is linked against CUDA")

    def test_the_optional_libraries_are_noted_for_packagers(self):
        notes = {n["feature"]: n for n in dlopen_notes(CUSHIM)}
        self.assertEqual(set(notes), {"cuda", "nvrtc", "nvjitlink"})
        self.assertEqual(notes["cuda"]["soname"], ["libcuda.so.1"])
        self.assertIn("libnvrtc.so.13", notes["nvrtc"]["soname"])
        self.assertIn("libnvJitLink.so.13", notes["nvjitlink"]["soname"])
        for note in notes.values():
            self.assertEqual(note["priority"], "suggested")


if __name__ == "__main__":
    unittest.main()
