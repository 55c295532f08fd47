#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Compiles every public header alone, in C and in C++, in both stream modes.

test_headers.py CC INCLUDE BUILD_INCLUDE LEFT_OUT [FLAG...]

FLAG... leads to the headers of CUDA. LEFT_OUT names the headers, separated by commas, that are
not checked because what they need is not here.
"""

import shutil
import subprocess
import sys
import unittest
from pathlib import Path

CC, INCLUDE, BUILD_INCLUDE, LEFT_OUT, *CUDA = sys.argv[1:]
sys.argv = sys.argv[:1]
CXX = {"gcc": "g++", "clang": "clang++", "cc": "c++"}.get(Path(CC).name)
# Included by table.h and nvrtc_table.h, which give them what they need.
PARTS = {"cuda_api.h", "nvrtc_api.h"}
STRICT = ["-Wall", "-Wextra", "-Wpedantic", "-Wshadow", "-Wundef", "-Werror", "-fsyntax-only"]
PER_THREAD = "-DCUDA_API_PER_THREAD_DEFAULT_STREAM"


def compiles(compiler, flags, text):
    command = [*compiler, *STRICT, *flags, f"-I{INCLUDE}", f"-I{BUILD_INCLUDE}", *CUDA, "-"]
    return subprocess.run(command, input=text, capture_output=True, text=True)


def headers():
    left_out = set(filter(None, LEFT_OUT.split(",")))
    for name in left_out:
        print(f"{name} is not checked: the headers that it needs are not here")
    found = {p.name for folder in (INCLUDE, BUILD_INCLUDE) for p in Path(folder, "cushim").glob("*.h")}
    return sorted(found - PARTS - left_out)


class Headers(unittest.TestCase):
    def check(self, compiler, *flags):
        for header in headers():
            # Twice, for the include guard; C wants a declaration, and version.h has none.
            text = f"#include <cushim/{header}>\n" * 2 + "extern int checked;\n"
            done = compiles(compiler, flags, text)
            self.assertEqual(done.returncode, 0, f"{header}, {compiler}, {flags}:\n{done.stderr}")

    def test_there_are_headers(self):
        self.assertIn("cushim.h", headers())
        self.assertIn("rows.h", headers())

    def test_c11(self):
        self.check([CC, "-xc"], "-std=c11")

    def test_c11_per_thread(self):
        self.check([CC, "-xc"], "-std=c11", PER_THREAD)

    def test_cxx(self):
        if not CXX or not shutil.which(CXX):
            self.skipTest(f"there is no C++ compiler beside {CC}")
        self.check([CXX, "-xc++"], "-std=c++17")
        self.check([CXX, "-xc++"], "-std=c++17", PER_THREAD)


if __name__ == "__main__":
    unittest.main()
