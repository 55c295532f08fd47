#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Compiles every public header alone, in C and in C++, in both stream modes.

test_headers.py CC INCLUDE BUILD_INCLUDE [FLAG...]

FLAG... leads to the headers of CUDA; without any, the headers that need them are left
out, and that is said.
"""

import shutil
import subprocess
import sys
import unittest
from pathlib import Path

CC, INCLUDE, BUILD_INCLUDE, *CUDA = sys.argv[1:]
sys.argv = sys.argv[:1]
CXX = {"gcc": "g++", "clang": "clang++", "cc": "c++"}.get(Path(CC).name)
NEEDS_CUDA = {"table.h", "nvrtc_table.h"}
# Included by the two above, which give them what they need.
PARTS = {"cuda_api.h", "nvrtc_api.h"}
STRICT = ["-Wall", "-Wextra", "-Wpedantic", "-Wshadow", "-Wundef", "-Werror", "-fsyntax-only"]
PER_THREAD = "-DCUDA_API_PER_THREAD_DEFAULT_STREAM"


def compiles(compiler, flags, text):
    command = [*compiler, *STRICT, *flags, f"-I{INCLUDE}", f"-I{BUILD_INCLUDE}", *CUDA, "-"]
    return subprocess.run(command, input=text, capture_output=True, text=True)


def has(header):
    text = f"#include <cuda.h>\n#include <{header}>\n"
    return compiles([CC, "-xc"], ["-w"], text).returncode == 0


def headers():
    found = {p.name for folder in (INCLUDE, BUILD_INCLUDE) for p in Path(folder, "cushim").glob("*.h")}
    found -= PARTS
    if not has("cudaTypedefs.h"):
        print("without CUDA's headers: table.h is not checked")
        found -= NEEDS_CUDA
    if not has("nvrtc.h"):
        print("without NVRTC's header: nvrtc_table.h is not checked")
        found -= {"nvrtc_table.h"}
    return sorted(found)


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
