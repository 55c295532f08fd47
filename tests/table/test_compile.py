#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""A program that calls all tables, with every compiler there is, in every mode.

test_compile.py INCLUDE BUILD_INCLUDE FLAG...     FLAG... leads to the headers of CUDA
"""

import shutil
import subprocess
import sys
import unittest

INCLUDE, BUILD_INCLUDE, *CUDA = sys.argv[1:]
sys.argv = sys.argv[:1]

STRICT = ["-Wall", "-Wextra", "-Wpedantic", "-Wshadow", "-Wundef", "-Wconversion", "-Werror", "-fsyntax-only"]
MODES = ([], ["-DCUDA_API_PER_THREAD_DEFAULT_STREAM"])
PROGRAM = """
#include <cushim/table.h>
#include <cushim/nvrtc_table.h>
#include <cushim/nvjitlink_table.h>

int main(void)
{
    cushim_driver driver = CUSHIM_NONE;
    cushim_nvrtc nvrtc = CUSHIM_NONE;
    cushim_nvjitlink nvjitlink = CUSHIM_NONE;
    const struct cushim_cuda_api *cu = cushim_cuda(driver);
    const struct cushim_nvrtc_api *rtc = cushim_nvrtc_table(nvrtc);
    const struct cushim_nvjitlink_api *link = cushim_nvjitlink_table(nvjitlink);
    nvJitLinkHandle handle = 0;
    CUdeviceptr p = 0;
    nvrtcProgram program = 0;

    cu->cuMemAlloc(&p, sizeof(p));
    cu->cuMemcpyHtoD(p, &p, sizeof(p));
    cu->cuLaunchKernel(0, 1, 1, 1, 1, 1, 1, 0, 0, 0, 0);
    rtc->nvrtcCreateProgram(&program, "", 0, 0, 0, 0);
    link->nvJitLinkComplete(handle);
    link->nvJitLinkDestroy(&handle);
    return rtc->nvrtcGetErrorString(NVRTC_SUCCESS) == 0;
}
"""
WRONG = (PROGRAM.replace("cuMemAlloc(&p, sizeof(p))", "cuMemAlloc(p, sizeof(p))"),
         PROGRAM.replace("nvJitLinkComplete(handle)", "nvJitLinkComplete(1.5)"))


def compiles(compiler, flags, text):
    command = [compiler, *STRICT, *flags, f"-I{INCLUDE}", f"-I{BUILD_INCLUDE}", *CUDA, "-"]
    return subprocess.run(command, input=text, capture_output=True, text=True)


class Compilers(unittest.TestCase):
    def check(self, compiler, *flags):
        if not shutil.which(compiler):
            self.skipTest(f"there is no {compiler}")
        for mode in MODES:
            done = compiles(compiler, [*flags, *mode], PROGRAM)
            self.assertEqual(done.returncode, 0, f"{compiler} {mode}:\n{done.stderr}")
        for wrong in WRONG:
            self.assertNotEqual(compiles(compiler, flags, wrong).returncode, 0, "the tables are typed")
        without = ["-DNVJITLINK_NO_INLINE", *flags]
        self.assertIn("do not define NVJITLINK_NO_INLINE", compiles(compiler, without, PROGRAM).stderr)

    def test_c11(self):
        for compiler in ("cc", "gcc", "clang"):
            with self.subTest(compiler=compiler):
                self.check(compiler, "-xc", "-std=c11")

    def test_c17(self):
        self.check("cc", "-xc", "-std=c17")

    def test_cxx(self):
        for compiler in ("c++", "g++", "clang++"):
            with self.subTest(compiler=compiler):
                self.check(compiler, "-xc++", "-std=c++11")

    def test_cxx20(self):
        self.check("c++", "-xc++", "-std=c++20")


if __name__ == "__main__":
    unittest.main()
