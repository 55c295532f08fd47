#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Installs into a scratch folder, and builds examples/build_time with what is there, by Meson and by
CMake. A header that the kernel includes is then changed, and the program built again.

test_build_time.py BUILD PREFIX LIBDIR EXAMPLE

It needs NVRTC. Without one the result is 77.
"""

import os
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

BUILD, PREFIX, LIBDIR, EXAMPLE = sys.argv[1:]
CLEAN = {k: v for k, v in os.environ.items() if k not in ("LD_LIBRARY_PATH", "PKG_CONFIG_PATH")}


def run(*command, env=None, cwd=None):
    done = subprocess.run([str(c) for c in command], capture_output=True, text=True, env=CLEAN | (env or {}), cwd=cwd)
    if done.returncode:
        raise AssertionError(f"{command}: {done.returncode}\n{done.stdout}{done.stderr}")
    return done.stdout


class BuildTime(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.scratch = Path(tempfile.mkdtemp(prefix="cushim-build-time-"))
        run(*shutil.which("meson").split(), "install", "-C", BUILD, "--no-rebuild", "--quiet",
            env={"DESTDIR": cls.scratch})
        cls.prefix = cls.scratch / PREFIX.lstrip("/")
        # The files of pkg-config name the prefix, and the folder that is the prefix now is another one.
        for file in (cls.prefix / LIBDIR / "pkgconfig").glob("*.pc"):
            file.write_text(file.read_text().replace(f"prefix={PREFIX}", f"prefix={cls.prefix}"))
        cls.env = {"PATH": f"{cls.prefix}/bin:{CLEAN['PATH']}", "PKG_CONFIG_PATH": str(cls.prefix / LIBDIR / "pkgconfig")}

    @classmethod
    def tearDownClass(cls):
        shutil.rmtree(cls.scratch)

    def setUp(self):
        self.source = self.scratch / self.id().split(".")[-1]
        shutil.copytree(EXAMPLE, self.source)

    def change_header(self):
        header = self.source / "element.cuh"
        header.write_text(header.read_text().replace("typedef float", "typedef double"))
        os.utime(header, (header.stat().st_mtime + 10,) * 2)

    def check(self, build):
        """Builds and runs, twice: the second time the elements of the kernel are others."""
        program = self.source / "build/build_time"
        build()
        self.assertEqual(run(program, env={"CUSHIM_LIBCUDA": "mock"}), "1000 results, 0 wrong\n")
        [before] = self.source.glob("build/**/saxpy.h")
        text = before.read_text()
        build()
        self.assertEqual(before.read_text(), text)
        self.change_header()
        build()
        self.assertNotEqual(before.read_text(), text)
        done = subprocess.run([program], env=CLEAN | {"CUSHIM_LIBCUDA": "mock"}, capture_output=True, text=True)
        self.assertIn("has elements of 4 bytes, floating-point numbers, the kernel's have 8 bytes", done.stdout)

    def test_meson(self):
        run(*shutil.which("meson").split(), "setup", "build", env=self.env, cwd=self.source)
        self.check(lambda: run("ninja", "-C", self.source / "build", env=self.env))

    def cmake(self, *options):
        run("cmake", "-B", "build", f"-DCMAKE_PREFIX_PATH={self.prefix}", *options, cwd=self.source)
        self.check(lambda: run("cmake", "--build", "build", cwd=self.source))

    @unittest.skipUnless(shutil.which("cmake"), "no cmake")
    def test_cmake_and_ninja(self):
        self.cmake("-G", "Ninja")

    @unittest.skipUnless(shutil.which("cmake") and shutil.which("make"), "no cmake or make")
    def test_cmake_and_make(self):
        self.cmake("-G", "Unix Makefiles")

    @unittest.skipUnless(shutil.which("cmake"), "no cmake")
    def test_a_source_whose_name_has_more_points(self):
        """k.v1.cu and k.v2.cu have a header each."""
        for version in ("v1", "v2"):
            shutil.copy(self.source / "saxpy.cu", self.source / f"saxpy.{version}.cu")
        program, rules = self.source / "build_time.c", self.source / "CMakeLists.txt"
        program.write_text(program.read_text().replace('"saxpy.h"', '"saxpy.v1.h"'))
        rules.write_text(rules.read_text().replace("saxpy.cu", "saxpy.v1.cu saxpy.v2.cu"))
        run("cmake", "-B", "build", f"-DCMAKE_PREFIX_PATH={self.prefix}", cwd=self.source)
        run("cmake", "--build", "build", cwd=self.source)
        headers = sorted(p.name for p in self.source.glob("build/**/*.h"))
        self.assertEqual(headers, ["saxpy.v1.h", "saxpy.v2.h"])
        self.assertEqual(run(self.source / "build/build_time", env={"CUSHIM_LIBCUDA": "mock"}),
                         "1000 results, 0 wrong\n")

    @unittest.skipUnless(shutil.which("cmake"), "no cmake")
    def test_a_source_with_an_error_fails_the_build_with_its_line(self):
        kernel = self.source / "saxpy.cu"
        kernel.write_text(kernel.read_text().replace("const element *x", "const elephant *x"))
        run("cmake", "-B", "build", f"-DCMAKE_PREFIX_PATH={self.prefix}", cwd=self.source)
        with self.assertRaisesRegex(AssertionError, r'saxpy\.cu\(4\): error: identifier "elephant"'):
            run("cmake", "--build", "build", cwd=self.source)
        self.assertEqual(list(self.source.glob("build/**/saxpy.h*")), [])


def has_nvrtc():
    with tempfile.TemporaryDirectory() as folder:
        done = subprocess.run([f"{BUILD}/tools/cushim/cushim", "compile", f"{EXAMPLE}/saxpy.cu", "-o", f"{folder}/k.ptx"],
                              capture_output=True, text=True)
        print(done.stderr, end="")
        return "no NVRTC found" not in done.stderr


if __name__ == "__main__":
    if not has_nvrtc():
        sys.exit(77)
    unittest.main(argv=sys.argv[:1])
