#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Installs into a scratch folder, and builds and runs programs there that know only pkg-config.

install.py BUILD PREFIX LIBDIR CONSUMER.C CONSUMER.CPP [TOOLKIT_INCLUDE...]

No variable of the environment leads a program to a library: they start as they are, shared and
static, in C and in C++, with CUDA's headers and without.
"""

import os
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

BUILD, PREFIX, LIBDIR, C_SOURCE, CPP_SOURCE = sys.argv[1:6]
TOOLKIT = [f"-I{folder}" for folder in sys.argv[6:]]
CLEAN = {k: v for k, v in os.environ.items() if k not in ("LD_LIBRARY_PATH", "PKG_CONFIG_PATH")}


def run(*command, env=None):
    done = subprocess.run([str(c) for c in command], capture_output=True, text=True,
                          env=CLEAN | (env or {}))
    if done.returncode:
        raise AssertionError(f"{command}: {done.returncode}\n{done.stdout}{done.stderr}")
    return done.stdout


class Install(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.scratch = Path(tempfile.mkdtemp(prefix="cushim-install-"))
        run(*shutil.which("meson").split(), "install", "-C", BUILD, "--no-rebuild", "--quiet",
            env={"DESTDIR": cls.scratch})
        cls.prefix = cls.scratch / PREFIX.lstrip("/")
        cls.lib = cls.prefix / LIBDIR

    @classmethod
    def tearDownClass(cls):
        shutil.rmtree(cls.scratch)

    def pkg_config(self, *arguments):
        path = {"PKG_CONFIG_PATH": self.lib / "pkgconfig"}
        return run("pkg-config", f"--define-variable=prefix={self.prefix}", *arguments, env=path).split()

    def build_and_run(self, compiler, source, *flags):
        program = self.scratch / f"consumer{len(list(self.scratch.iterdir()))}"
        run(compiler, "-Wall", "-Wextra", "-Werror", source, "-o", program, *flags)
        self.assertEqual(run(program, env={"CUSHIM_LIBCUDA": "mock"}), "sum 50\n")
        return program

    def consume(self, *flags):
        self.build_and_run("cc", C_SOURCE, *flags)
        if shutil.which("c++"):
            self.build_and_run("c++", CPP_SOURCE, *flags)

    def test_the_command_starts(self):
        text = run(self.prefix / "bin/cushim", "info", env={"CUSHIM_LIBCUDA": "mock"})
        self.assertIn("H200", text)

    def test_programs_of_pkg_config_start(self):
        self.consume(*self.pkg_config("--cflags", "--libs", "cushim"))

    def test_each_standard_of_cpp(self):
        flags = self.pkg_config("--cflags", "cushim")
        for compiler in filter(shutil.which, ["g++", "clang++"]):
            for standard in ["11", "14", "17", "20"]:
                run(compiler, f"-std=c++{standard}", "-Wall", "-Wextra", "-Wpedantic", "-Werror",
                    "-fsyntax-only", CPP_SOURCE, *flags)

    def test_with_the_headers_of_cuda(self):
        self.consume("-DWITH_CUDA", *TOOLKIT, *self.pkg_config("--cflags", "--libs", "cushim"))

    def test_the_drop_in_and_the_mock_can_be_linked(self):
        self.consume(*self.pkg_config("--cflags", "--libs", "cushim-cuda"))
        self.consume(*self.pkg_config("--cflags", "--libs", "cushim-mock"))

    def test_a_static_program_starts(self):
        # It is not beside the mock's folder, so the folder is named.
        flags = [*self.pkg_config("--cflags", "cushim"), self.lib / "libcushim.a", "-lpthread", "-ldl"]
        program = self.scratch / "static"
        run("cc", C_SOURCE, "-o", program, *flags)
        [folder] = self.pkg_config("--variable=mockdir", "cushim-mock")
        self.assertEqual(run(program, env={"LD_LIBRARY_PATH": folder}), "sum 50\n")

    def test_the_recorder_has_the_names_of_nvrtc(self):
        [folder] = self.pkg_config("--variable=nvrtcdir", "cushim-nvrtc")
        for name in ["libnvrtc.so.13", "libnvrtc.so.12", "libnvrtc.so.11.2"]:
            run(sys.executable, "-c", f"import ctypes; ctypes.CDLL('{name}').nvrtcVersion", env={"LD_LIBRARY_PATH": folder})

    def test_the_build_folder_has_the_variables_too(self):
        path = {"PKG_CONFIG_PATH": Path(BUILD) / "meson-uninstalled"}
        [library] = run("pkg-config", "--variable=library", "cushim-nvrtc", env=path).split()
        run(sys.executable, "-c", f"import ctypes; ctypes.CDLL('{library}').nvrtcVersion")
        [folder] = run("pkg-config", "--variable=mockdir", "cushim-mock", env=path).split()
        run(sys.executable, "-c", "import ctypes; ctypes.CDLL('libcuda.so.1').cuInit", env={"LD_LIBRARY_PATH": folder})

    def test_the_mock_stands_in_for_the_driver(self):
        [folder] = self.pkg_config("--variable=mockdir", "cushim-mock")
        program = self.build_and_run("cc", C_SOURCE, *self.pkg_config("--cflags", "--libs", "cushim"))
        self.assertEqual(run(program, env={"LD_LIBRARY_PATH": folder}), "sum 50\n")


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
