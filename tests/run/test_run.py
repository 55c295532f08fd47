#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""`cushim run`: what it refuses, and what it tells of findings.

test_run.py COMMAND PROGRAM KERNEL
"""
import json
import os
import re
import signal
import subprocess
import sys
import tempfile
import unittest

COMMAND, PROGRAM, KERNEL = sys.argv[1:4]


# The dynamic linker asks such a library before it opens another.
HIDES_LLVM = """
#define _GNU_SOURCE
#include <link.h>
#include <string.h>
unsigned la_version(unsigned version) { return version; }
char *la_objsearch(const char *name, uintptr_t *cookie, unsigned flag) { return strstr(name, "libLLVM") ? 0 : (char *) name; }
"""


def run(*words, **variables):
    clean = {k: v for k, v in os.environ.items() if not k.startswith("CUSHIM_")}
    return subprocess.run([COMMAND, "run", *words], capture_output=True, text=True, env=clean | variables)


class Case(unittest.TestCase):
    def ends(self, done, status, *patterns, without=()):
        self.assertEqual(done.returncode, status, done.stdout + done.stderr)
        for pattern in patterns:
            self.assertRegex(done.stderr, pattern)
        for pattern in without:
            self.assertNotRegex(done.stderr, pattern)


class Words(Case):
    """A wrong word ends the command with 2 before the program is run, and the sentence says what is right."""

    def refused(self, words, *patterns, **variables):
        done = run(*words, "--", "echo", "it ran", **variables)
        self.ends(done, 2, *patterns)
        self.assertNotIn("it ran", done.stdout)

    def test_options(self):
        for words, pattern in [
                (["--devices", "h300"], r"--devices: there is no device 'h300'; there are h200, .* and ci$"),
                (["--devices", "h200,,t4"], r"--devices: there is no device ''"),
                (["--devices", ",".join(["t4"] * 17)], r"--devices: more than 16 devices"),
                (["--devices", ""], r"--devices: the word is empty"),
                (["--seed", "lucky"], r"--seed: 'lucky' is not a seed, a number of 64 bits"),
                (["--driver", "99"], r"--driver: '99' is not a CUDA version from 10\.0 to "),
                (["--driver", "11.4", "--devices", "x"], r"--devices: there is no device 'x'"),
                (["--config", "/nowhere/f"], r"--config: /nowhere/f: No such file"),
                (["--faults", "cuFoo nth=1"], r"--faults: line 1: no function 'cuFoo' is known"),
                (["--faults", "@/nowhere/f"], r"--faults: /nowhere/f: No such file"),
                (["--trace", "/nowhere/t.json"], r"--trace: /nowhere: No such file"),
                (["--kernels", "/nowhere/k.so"], r"--kernels: /nowhere/k\.so: No such file"),
                (["--suppress", "leek: event*"], r"--suppress: 'leek: event\*' is not a kind .* leak,"),
                (["--suppress", "@/nowhere/f"], r"--suppress: /nowhere/f: No such file"),
                (["--check-status", "256"], r"--check-status: '256' is not a number from 1 to 255"),
                (["--check-status", "0"], r"--check-status: '0' is not"),
                (["--check-status", "1x"], r"--check-status: '1x' is not"),
                (["--loud"], r"unrecognized option")]:
            with self.subTest(words=words):
                self.refused(words, "^cushim run: (?:unrec|--)", pattern)

    def test_lines_of_a_file(self):
        with tempfile.NamedTemporaryFile("w", suffix=".conf") as file:
            file.write("devices = h200\ndevice.0.memory = 8 gallons\n")
            file.flush()
            self.refused(["--config", file.name], r"\.conf:2: '8 gallons' is not a size")

    def test_variables(self):
        for name, value, pattern in [("CUSHIM_MOCK_DEVICES", "x", "there is no device 'x'"),
                                     ("CUSHIM_MOCK_PTX_CPU", "x", "'x' is none of base, avx2 and best"),
                                     ("CUSHIM_MOCK_FAULTS", "x", "no function 'x' is known")]:
            with self.subTest(name=name):
                self.refused([], f"cushim run: {name}: .*{pattern}", **{name: value})

    def test_help_has_what_the_mock_takes(self):
        text = run("--help").stdout
        devices = re.search(r"there are (.*) and (\w+)$", run("--devices", "x", "true").stderr)
        versions = re.search(r"from ([\d.]+ to [\d.]+)", run("--driver", "x", "true").stderr)
        for word in [*devices[1].split(", "), devices[2], versions[1]]:
            self.assertRegex(text, rf"\b{word}\b")
        for word in ["default", "half of the host's", "--check-status", "--suppress"]:
            self.assertIn(word, text)

    def test_right_words_run_the_program(self):
        done = run("--devices", "ci,t4", "--seed", "0x7", "--driver", "12.0", "--faults", "cuMemAlloc nth=2 result=2",
                   "--", "echo", "it ran")
        self.ends(done, 0)
        self.assertEqual((done.stdout, done.stderr), ("it ran\n", ""))

    def test_a_program_that_is_not_there(self):
        for words in [[], ["--check"]]:
            self.ends(run(*words, "--", "/nowhere/program"), 127, "/nowhere/program: No such file")
            self.ends(run(*words, "--", "/"), 126, "cushim run: /: ")


class Findings(Case):
    def check(self, *words, options=("--check",), **variables):
        return run(*options, "--", sys.executable, PROGRAM, *words, **variables)

    def test_a_clean_program(self):
        done = self.check()
        self.ends(done, 0)
        self.assertEqual(done.stderr, "cushim run: nothing was found in 1 process\n")

    def test_the_status_stays_the_programs(self):
        self.ends(self.check("four"), 4, "nothing was found")
        self.ends(self.check("four", "oob"), 4, "1 finding in all")

    def test_a_status_of_its_own(self):
        status = ("--check-status", "99")
        self.ends(self.check("oob", options=status), 99, r"cushim mock: 1 finding\n1  out of bounds", "1 finding in all")
        self.ends(self.check("four", "oob", "leak", options=status), 99, "3 findings in all")
        self.ends(self.check("four", options=status), 4, "nothing was found")
        self.ends(self.check("oob", "child", options=status), 99, "1 finding in all")

    def test_ends_that_print_nothing(self):
        for word, status in [("_exit", 5), ("kill", -signal.SIGKILL), ("abort", -signal.SIGABRT), ("exec", 0)]:
            with self.subTest(word=word):
                done = self.check("oob", "leak", word)
                self.ends(done, status, r"ended early, by _exit\(\), exec\(\) or a signal; .* and it had 1 finding\n"
                          r"1  out of bounds: copy: 65 bytes at offset 0", "1 finding in all", without=["cushim mock"])
        self.ends(self.check("oob", "kill", options=["--check-status", "99"]), 99)

    def test_findings_that_a_program_prints_nowhere(self):
        for word in ["close", "null"]:
            with self.subTest(word=word):
                self.ends(self.check("oob", "leak", word), 0, r"process [0-9]+ has no standard error, and it had 3 findings\n"
                          r"1  out of bounds: copy: 65 bytes at offset 0", "3 findings in all", without=["cushim mock"])
                done = self.check(word)
                self.assertEqual(done.stderr, "cushim run: nothing was found in 1 process\n")

    def test_no_process_used_the_mock(self):
        self.ends(run("--check", "true"), 0, "no process used the mock, so nothing was checked")
        self.ends(run("--check-status", "99", "true"), 99, "no process used the mock, so nothing was checked")

    def test_several_processes(self):
        self.ends(self.check("child"), 0, "nothing was found in 2 processes")
        self.ends(self.check("child", "oob", "kill"), 0, "process [0-9]+ ended early", "1 finding in all")

    def test_what_is_suppressed_is_no_finding(self):
        rules = "leak: allocation*made by cuMemAlloc,*; out of bounds: *\n# a comment\n leak: primary context*"
        status = ("--check-status", "99")
        self.ends(self.check("leak", options=status), 99, "2 findings in all")
        self.ends(self.check("leak", options=[*status, "--suppress", rules]), 0, "nothing was found")
        self.ends(self.check("leak", "oob", options=[*status, "--suppress", "leak: *"]), 99, "1 finding in all",
                  without=["leak"])
        self.ends(self.check("oob", options=[*status, "--suppress", "leak: *65 bytes*"]), 99)
        with tempfile.NamedTemporaryFile("w") as file:
            file.write(rules)
            file.flush()
            self.ends(self.check("leak", "oob", options=[*status, "--suppress", "@" + file.name]), 0, "nothing was found")

    def test_signals_reach_the_program(self):
        child = subprocess.Popen([COMMAND, "run", "--check", "--", sys.executable, PROGRAM, "oob", "wait"],
                                 stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        self.assertEqual(child.stdout.readline(), "ready\n")
        child.send_signal(signal.SIGTERM)
        _, errors = child.communicate()
        self.assertEqual(child.returncode, -signal.SIGTERM, errors)
        self.assertIn("1  out of bounds: copy", errors)

    def test_a_trace_is_the_programs(self):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "calls.json")
            self.ends(self.check(options=["--check", "--trace", path]), 0)
            with open(path, encoding="utf-8") as file:
                self.assertIn("cuMemAlloc", json.dumps(json.load(file)))


class Hints(Case):
    """A program prints a number and no more; the mock says where, and what to do, also without --check."""

    def launch(self, target, statements, *files, options=(), **variables):
        return run(*options, "--", sys.executable, KERNEL, target, statements, *files, **variables)

    def test_faults_name_their_place(self):
        place = r"breaks the context: kernel 'k', line 8 of the PTX, block \(0,0,0\), thread \(0,0,0\)"
        for statement, result, text in [
                ("st.global.u32 [a+67108864], 1;", "700 CUDA_ERROR_ILLEGAL_ADDRESS", "writes: 4 bytes at 0x.* never allocated"),
                ("ld.global.u32 r, [a+1];", "716 CUDA_ERROR_MISALIGNED_ADDRESS", "not aligned"),
                ("trap;", "719 CUDA_ERROR_LAUNCH_FAILED", "trap"),
                ("L: bra.uni L;", "702 CUDA_ERROR_LAUNCH_TIMEOUT", "an endless loop?")]:
            for check in ["", "0"]:
                done = self.launch("sm_80", statement, CUSHIM_MOCK_CHECK=check, CUSHIM_MOCK_PTX_STEPS="10000")
                self.assertEqual(done.stdout, f"cuCtxSynchronize {result[:3]}\n")
                self.ends(done, 0, f"^cushim mock: {result} {place}.*{text}")
        quiet = self.launch("sm_80", "trap;", CUSHIM_LOG="none")
        self.assertEqual((quiet.stdout, quiet.stderr), ("cuCtxSynchronize 719\n", ""))

    def test_a_core_that_is_asked_for(self):
        done = self.launch("sm_80", "trap;", CUDA_ENABLE_COREDUMP_ON_EXCEPTION="1")
        self.ends(done, 0, "no core of the device is written, though one is asked for")

    def test_compiled_kernels_without_llvm(self):
        with tempfile.TemporaryDirectory() as folder:
            source, hides = os.path.join(folder, "hides.c"), os.path.join(folder, "hides.so")
            with open(source, "w", encoding="utf-8") as file:
                file.write(HIDES_LLVM)
            if subprocess.run(["gcc", "-shared", "-fPIC", source, "-o", hides], stderr=subprocess.DEVNULL).returncode:
                self.skipTest("gcc makes no library here")
            compiled = {"CUSHIM_MOCK_PTX_COMPILE": "always", "LD_AUDIT": hides}
            done = self.launch("sm_80", "st.global.u32 [a], 1;", **compiled)
            self.ends(done, 0, r"^cushim mock: CUSHIM_MOCK_PTX_COMPILE: kernels are interpreted: there is no libLLVM of "
                      r"version 14 to 22 that can be loaded\n\Z")
            quiet = self.launch("sm_80", "st.global.u32 [a], 1;", CUSHIM_LOG="none", **compiled)
            self.assertEqual((quiet.returncode, quiet.stderr), (0, ""))

    def test_compiled_kernels_that_cannot_be_kept(self):
        done = self.launch("sm_80", "st.global.u32 [a], 1;", CUSHIM_MOCK_PTX_COMPILE="always", CUSHIM_CACHE="/proc/no/folder")
        if "kernels are interpreted" in done.stderr:
            self.skipTest("kernels are not compiled here")
        self.ends(done, 0, r"^cushim mock: compiled kernels are not kept: CUSHIM_CACHE: the cache '/proc/no/folder' "
                  r"cannot be used: No such file or directory\n\Z")

    def test_no_fault_no_hint(self):
        done = self.launch("sm_80", "st.global.u32 [a], 1;")
        self.assertEqual((done.returncode, done.stdout, done.stderr), (0, "", ""))

    def test_ptx_for_other_devices(self):
        for device, target in [("h200", "sm_100"), ("a100", "sm_90a"), ("b200", "sm_90a")]:
            done = self.launch(target, "ret;", options=["--devices", device])
            self.assertEqual(done.stdout, "cuModuleLoadData 218\n")
            self.ends(done, 0, f"than sm_.* only .PTX with .target '{target}' cannot be compiled to")

    def test_a_fat_binary_for_other_devices(self):
        with tempfile.TemporaryDirectory() as folder:
            files = [os.path.join(folder, name) for name in ("a.ptx", "all.fatbin")]
            with open(files[0], "w", encoding="utf-8") as file:
                file.write(".version 8.7\n.target sm_100\n.address_size 64\n.visible .entry k() { ret; }\n")
            made = run("fatbinary", "-64", f"--create={files[1]}", f"--image3=kind=ptx,sm=100,file={files[0]}",
                       f"--image3=kind=ptx,sm=120,file={files[0]}")
            self.assertEqual(made.returncode, 0, made.stderr)
            done = self.launch("", "", files[1])
            self.assertEqual(done.stdout, "cuModuleLoadData 209\n")
            self.ends(done, 0, r"PTX for other devices than sm_90 only \(sm_100, sm_120\): choose one")

    def test_memory_of_a_small_device(self):
        for memory, call, text in [
                ("256 MiB", "cuDevicePrimaryCtxRetain", r"527 MiB are asked for, and device 0 \(NVIDIA H200\) has 256 "
                 "MiB, of which 0 contexts take 0 and memory takes 0; each context takes 527 MiB, as on hardware"),
                ("552402944", "cuMemAlloc_v2", r"1 MiB are asked for, and .* has 527 MiB, of which 1 context takes 527 "
                 "and memory takes 0;")]:
            with tempfile.NamedTemporaryFile("w") as file:
                file.write(f"device.0.memory = {memory}\n")
                file.flush()
                done = self.launch("sm_80", "", options=["--config", file.name])
            self.assertEqual(done.stdout, f"{call} 2\n")
            self.ends(done, 0, f"cushim mock: out of memory: {text}")


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], *sys.argv[4:]])
