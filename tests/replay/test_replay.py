#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""libcushim-nvrtc: answers are recorded from the NVRTC of this machine, and then replayed without it.

test_replay.py CUSHIM LIBCUSHIM-NVRTC MOCK CALLS SYMBOLS COMPILE-TESTS(with arguments, joined by |) EXAMPLE...

It needs NVRTC. Without one the result is 77.
"""

import os
import random
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import unittest
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

CUSHIM, LIBRARY, MOCK, CALLS, SYMBOLS = (str(Path(a).absolute()) for a in sys.argv[1:6])
COMPILE_TESTS = [str(Path(a).absolute()) for a in sys.argv[6].split("|")]
EXAMPLES = [str(Path(a).absolute()) for a in sys.argv[7:]]
CLEAN = {k: v for k, v in os.environ.items() if not k.startswith(("CUSHIM_NVRTC_", "CUSHIM_CACHE"))}
REAL = os.environ.get("CUSHIM_LIBNVRTC") or "auto"
KERNEL = 'extern "C" __global__ void k(float *x) { *x = 1; }\n'


def environment(**more):
    return CLEAN | {"CUSHIM_LIBNVRTC": LIBRARY, "CUSHIM_NVRTC_REAL": REAL} | more


def run(*command, cwd, env):
    return subprocess.run([str(c) for c in command], cwd=cwd, env=env, text=True, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT)


def real_nvrtc():
    """The path of this machine's NVRTC, or None."""
    text = subprocess.run([CUSHIM, "info"], capture_output=True, text=True, env=CLEAN).stdout
    found = re.search(r"^nvrtc +[0-9.]+ +(\S+)", text, re.M)
    return Path(found[1]) if found else None


class Replay(unittest.TestCase):
    def setUp(self):
        self.folder = Path(tempfile.mkdtemp(prefix="cushim-replay-"))
        self.addCleanup(shutil.rmtree, self.folder)
        self.file = self.folder / "answers.txt"
        (self.folder / "include").mkdir()
        (self.folder / "include/on_disk.h").write_text("#define ON_DISK 5\n")

    def record(self, *command, **more):
        return run(*command, cwd=self.folder, env=environment(CUSHIM_NVRTC_RECORD="answers.txt", **more))

    def replay(self, *command, **more):
        # Were it asked, the real one would not be there.
        return run(*command, cwd=self.folder, env=environment(
            CUSHIM_NVRTC_REPLAY="answers.txt", **{"CUSHIM_NVRTC_REAL": "none"} | more))

    def compile(self, source, *arguments, how, status=0):
        (self.folder / "k.cu").write_text(source)
        done = how(CUSHIM, "compile", "k.cu", "-o", "k.ptx", *arguments)
        self.assertEqual(done.returncode, status, done.stdout)
        return done.stdout


class Calls(Replay):
    def test_answers_are_those_of_nvrtc(self):
        """What a program sees is the same with NVRTC itself, while it is recorded, and replayed."""
        real = real_nvrtc()
        builtins = {"NVRTC_BUILTINS": str(b) for b in real.parent.glob("libnvrtc-builtins.so.*")}
        wanted = run(sys.executable, CALLS, real, cwd=self.folder, env=CLEAN | builtins)
        self.assertEqual(wanted.returncode, 0, wanted.stdout)
        self.assertGreater(wanted.stdout.count("\n"), 20)
        for how in [self.record, self.record, self.replay]:
            self.assertEqual(how(sys.executable, CALLS, LIBRARY).stdout, wanted.stdout)

    def test_every_function_is_there(self):
        symbols = [line.split()[0] for line in Path(SYMBOLS).read_text().splitlines()
                   if line.strip() and not line.startswith("#")]
        exported = subprocess.run(["nm", "-D", "--defined-only", LIBRARY], capture_output=True, text=True).stdout
        names = {line.split()[2].split("@")[0] for line in exported.splitlines() if " T " in line}
        self.assertGreater(len(symbols), 20)
        self.assertEqual(names, set(symbols))


    def test_headers_that_come_with_nvrtc(self):
        """There are none with recorded answers; else they are those of the real one, if it has some."""
        script = ("import ctypes, sys\nrtc = ctypes.CDLL(sys.argv[1])\ninfo = (ctypes.c_size_t * 8)(*[1] * 8)\n"
                  "log = ctypes.c_char_p()\nprint(rtc.nvrtcGetBundledHeadersInfo(info, None), info[0] & 0xffffffff)\n"
                  "print(rtc.nvrtcInstallBundledHeaders(b'/nowhere/at/all', 0, ctypes.byref(log)) != 0, bool(log.value))\n"
                  "print(rtc.nvrtcRemoveBundledHeaders(None, None), rtc.nvrtcGetBundledHeadersInfo(None, None))\n")
        self.compile(KERNEL, how=self.record)
        self.assertEqual(self.replay(sys.executable, "-c", script, LIBRARY).stdout, "0 0\nTrue True\n3 3\n")
        self.assertRegex(self.record(sys.executable, "-c", script, LIBRARY).stdout, "^0 [01]\nTrue True\n3 3\n$")


class Programs(Replay):
    def test_the_examples_run_without_nvrtc(self):
        self.assertGreater(len(EXAMPLES), 5)
        mock = {"CUSHIM_LIBCUDA": MOCK, "CUSHIM_MOCK_DEVICES": "h200,h200,h200,h200"}
        with ThreadPoolExecutor(4) as pool: # several processes write one file
            recorded = list(pool.map(lambda example: self.record(example, **mock), EXAMPLES))
        for example, done in zip(EXAMPLES, recorded):
            self.assertEqual(done.returncode, 0, f"{example}: {done.stdout}")
            done = self.replay(example, **mock)
            self.assertEqual(done.returncode, 0, f"{example}: {done.stdout}")
        loaded = self.replay(EXAMPLES[0], LD_DEBUG="files", **mock).stdout
        self.assertIn("libcushim-nvrtc", loaded)
        self.assertNotRegex(loaded, r"libnvrtc[.-]")

    def test_the_tests_of_cushim_compile_pass_without_nvrtc(self):
        chosen = ("Refusals Files.test_ptx_machine_code_and_fat_binaries Files.test_dependencies Headers.test_names_in_cpp "
                  "Headers.test_every_type_of_a_parameter Headers.test_a_fat_image_runs Headers.test_structures_as_values")
        for variable, real in [("CUSHIM_NVRTC_RECORD", REAL), ("CUSHIM_NVRTC_REPLAY", "none")]:
            done = run(sys.executable, *COMPILE_TESTS, cwd=self.folder, env=environment(
                CUSHIM_NVRTC_REAL=real, CUSHIM_COMPILE_TESTS=chosen, **{variable: str(self.file)}))
            self.assertEqual(done.returncode, 0, done.stdout)

    def test_programs_that_are_linked_with_nvrtc(self):
        """By its name in the library path, also while the real one is sought."""
        (self.folder / "libnvrtc.so.13").symlink_to(LIBRARY)
        path = f"{self.folder}:{Path(LIBRARY).parents[1]}:{CLEAN.get('LD_LIBRARY_PATH', '')}"
        for mode in ["CUSHIM_NVRTC_RECORD", "CUSHIM_NVRTC_REPLAY"]:
            done = run(sys.executable, CALLS, "libnvrtc.so.13", cwd=self.folder, env=CLEAN | {
                "LD_LIBRARY_PATH": path, mode: "answers.txt"} | ({"CUSHIM_NVRTC_REAL": REAL} if REAL != "auto" else {}))
            self.assertEqual(done.returncode, 0, done.stdout)
            self.assertIn("_Z1tIiEvPT_", done.stdout)


class Misses(Replay):
    def test_another_source(self):
        self.compile(KERNEL, how=self.record)
        said = self.compile(KERNEL.replace("1", "2"), how=self.replay, status=1)
        self.assertIn(f"k.cu: error: no answer is recorded in {self.file}: the source, or a header in memory, is another",
                      said)
        self.assertFalse((self.folder / "k.h").exists())

    def test_other_options_and_names(self):
        self.compile(KERNEL, how=self.record)
        self.assertIn("with other options", self.compile(KERNEL, "--arch", "90", how=self.replay, status=1))
        (self.folder / "other.cu").write_text(KERNEL)
        done = self.replay(CUSHIM, "compile", "other.cu", "-o", "k.ptx")
        self.assertIn("no program of this name was recorded", done.stdout)

    def test_the_log_says_what_is_missing_and_how_to_record_it(self):
        self.compile(KERNEL, how=self.record)
        script = (f"import ctypes; rtc = ctypes.CDLL({LIBRARY!r}); p = ctypes.c_void_p(); s = ctypes.c_size_t()\n"
                  "rtc.nvrtcCreateProgram(ctypes.byref(p), b'new source', b'new.cu', 0, None, None)\n"
                  "print(rtc.nvrtcCompileProgram(p, 1, (ctypes.c_char_p * 1)(b'--std=c++17')))\n"
                  "rtc.nvrtcGetProgramLogSize(p, ctypes.byref(s)); b = ctypes.create_string_buffer(s.value)\n"
                  "print(rtc.nvrtcGetProgramLog(p, b), b.value.decode())")
        said = self.replay(sys.executable, "-c", script).stdout
        self.assertRegex(said, r"^11\n0 new\.cu: error: no answer is recorded in .*answers\.txt: no program of this name")
        for line in ["  options: --std=c++17", '  source: begins with "new source"', f"CUSHIM_NVRTC_RECORD={self.file}"]:
            self.assertIn(line, said)

    def test_a_header_that_has_changed(self):
        (self.folder / "on.h").write_text("#define ONE 1\n")
        source = '#include "on.h"\n' + KERNEL.replace("1", "ONE")
        self.compile(source, how=self.record)
        self.compile(source, how=self.replay)
        (self.folder / "on.h").write_text("#define ONE 2\n")
        self.assertIn("on.h has changed since it was recorded", self.compile(source, how=self.replay, status=1))
        self.compile(source, how=self.record)
        two = (self.folder / "k.ptx").read_text()
        (self.folder / "k.ptx").unlink()
        self.compile(source, how=self.replay)
        self.assertEqual((self.folder / "k.ptx").read_text(), two)
        # Headers of the machine that recorded need not be here.
        (self.folder / "on.h").unlink()
        self.compile(source, how=self.replay)

    def test_wrong_environments(self):
        for env, why in [({}, "none of CUSHIM_NVRTC_RECORD, CUSHIM_NVRTC_REPLAY and CUSHIM_NVRTC_KEEP_PTX is set"),
                         ({"CUSHIM_NVRTC_RECORD": "a", "CUSHIM_NVRTC_REPLAY": "b"}, "each of CUSHIM_NVRTC_RECORD"),
                         ({"CUSHIM_NVRTC_REPLAY": "absent"}, "absent: No such file"),
                         ({"CUSHIM_NVRTC_RECORD": "a", "CUSHIM_NVRTC_REAL": "none"}, "no NVRTC found"),
                         ({"CUSHIM_NVRTC_REPLAY": "broken"}, "broken:3: this line is not of a file of answers"),
                         ({"CUSHIM_NVRTC_REPLAY": "empty"}, "empty: the file is empty: nothing was recorded"),
                         ({"CUSHIM_NVRTC_REPLAY": "later"}, "later: another version of cushim has written it"),
                         ({"CUSHIM_NVRTC_REPLAY": "windows"}, "windows: its lines end with CR and LF"),
                         ({"CUSHIM_NVRTC_REPLAY": "twice"}, "twice:4: this line is not of a file of answers")]:
            (self.folder / "empty").write_text("")
            (self.folder / "later").write_text("cushim-nvrtc 2\nnvrtc 13.0\n")
            (self.folder / "windows").write_text("cushim-nvrtc 1\r\nnvrtc 13.0\r\n")
            (self.folder / "broken").write_text("cushim-nvrtc 1\nnvrtc 13.0\nnonsense\n")
            many = "architectures " + "90 " * 100000
            (self.folder / "twice").write_text(f"cushim-nvrtc 1\nnvrtc 13.0\n{many}\n{many}\n")
            done = run(CUSHIM, "info", cwd=self.folder, env=environment(**env))
            self.assertIn(f"cushim-nvrtc: ", done.stdout)
            self.assertIn(why, done.stdout)

    def test_an_empty_file_is_recorded_into(self):
        self.file.write_text("")
        self.compile(KERNEL, how=self.record)
        self.compile(KERNEL, how=self.replay)

    def test_what_cannot_be_recorded_is_an_error(self):
        (self.folder / "k.cu").write_text(KERNEL)
        done = run(CUSHIM, "compile", "k.cu", "-o", "k.ptx", cwd=self.folder,
                   env=environment(CUSHIM_NVRTC_RECORD="absent/answers.txt"))
        self.assertEqual(done.returncode, 1)
        self.assertIn("the answer is not recorded: ", done.stdout)
        self.file.write_text("something else\n")
        self.assertIn("answers.txt:1: this line is not", self.compile(KERNEL, how=self.record, status=1))
        self.assertEqual(self.file.read_text(), "something else\n")


class Files(Replay):
    def test_many_processes_record_into_one_file(self):
        numbers = range(100, 116)
        with ThreadPoolExecutor(8) as pool:
            recorded = list(pool.map(lambda n: self.record(sys.executable, CALLS, LIBRARY, n).stdout, numbers))
        text = self.file.read_text()
        self.assertEqual(re.findall(r"^program k(\d+)\.cu$", text, re.M), [str(n) for n in numbers])
        for number, wanted in zip(numbers, recorded):
            self.assertEqual(self.replay(sys.executable, CALLS, LIBRARY, number).stdout, wanted)
        self.record(sys.executable, CALLS, LIBRARY, 103)
        self.assertEqual(self.file.read_text(), text)
        self.assertEqual(sorted(p.name for p in self.folder.iterdir()), ["answers.txt", "include"])

    def test_a_process_that_is_killed_leaves_a_whole_file(self):
        for seed in range(6):
            process = subprocess.Popen([sys.executable, CALLS, LIBRARY], cwd=self.folder, stdout=subprocess.DEVNULL,
                                       env=environment(CUSHIM_NVRTC_RECORD="answers.txt"))
            time.sleep(random.Random(seed).uniform(0.1, 0.6))
            process.send_signal(signal.SIGKILL)
            process.wait()
        recorded = self.record(sys.executable, CALLS, LIBRARY, 100).stdout
        self.assertEqual(self.replay(sys.executable, CALLS, LIBRARY, 100).stdout, recorded)
        self.assertIn("program k100.cu", self.file.read_text())


if __name__ == "__main__":
    if not real_nvrtc():
        print("no NVRTC found")
        sys.exit(77)
    unittest.main(argv=sys.argv[:1])
