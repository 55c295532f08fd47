#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Runs the cushim command, and checks what it prints and its exit status.

test_info.py COMMAND [--mock WORDS] [--fake LIBRARY] [--cc COMPILER] [--root FOLDER]

COMMAND  the cushim command
--mock   what CUSHIM_LIBCUDA is set to for the software device; then it must be there.
         Without it, "mock" is tried, and its tests are skipped where it is absent
--fake   fake_libcuda.c as a shared library; without it, the compiler makes one
--cc     the compiler, $CC or cc by default
--root   where the sources are

Arguments that follow "--" go to unittest. Needs no GPU, and is not disturbed by one.
"""

import argparse
import json
import os
import re
import subprocess
import sys
import unittest
from pathlib import Path

sys.dont_write_bytecode = True  # the folder of the sources stays as it is
from compiling import Cache, Tools  # noqa: E402, F401, tests that unittest finds here
from schema import Validator  # noqa: E402
from support import (ARGS, NO_ANSWER, NOT_USABLE, USABLE, WRONG_USAGE, Case,  # noqa: E402
                     build_fake, cushim, environment, read_schema)


class CommandLine(Case):
    def wrong(self, *words):
        done = cushim(*words, CUSHIM_LIBCUDA="none")
        self.assertEqual(done.returncode, WRONG_USAGE, (done.stdout, done.stderr))
        self.assertEqual(done.stdout, b"")
        return done.stderr.decode()

    def test_version(self):
        self.assertRegex(self.run_cushim(0, "--version"), r"\Acushim \d+\.\d+\.\d+\n\Z")

    def test_help(self):
        self.assertIn("info", self.run_cushim(0, "--help"))

    def test_help_of_info_names_every_option(self):
        text = self.info(0, "--help")
        for option in ("--json", "--missing", "--library", "--nvrtc", "--nvjitlink"):
            self.assertIn(option, text)

    def test_without_a_command(self):
        self.assertIn("usage:", self.wrong())

    def test_unknown_command(self):
        self.assertIn("'sing'", self.wrong("sing"))

    def test_unknown_option(self):
        self.assertIn("cushim info: ", self.wrong("info", "--loud"))

    def test_option_without_its_value(self):
        self.assertIn("--library", self.wrong("info", "--library"))

    def test_operand(self):
        self.assertIn("'now'", self.wrong("info", "now"))

    @unittest.skipUnless(Path("/dev/full").exists(), "there is no /dev/full here")
    def test_output_that_cannot_be_written(self):
        with open("/dev/full", "wb") as full:
            done = subprocess.run([ARGS.cushim, "info"], env=environment(CUSHIM_LIBCUDA="none"),
                                  stdout=full, stderr=subprocess.PIPE, check=False)
        self.assertEqual(done.returncode, NO_ANSWER)
        self.assertIn(b"cushim info: ", done.stderr)


class Schema(Case):
    def test_it_knows_every_verdict(self):
        schema = read_schema()
        header = (ARGS.root / "include/cushim/report.h").read_text()
        verdicts = [v.lower() for v in re.findall(r"X\(CUSHIM_VERDICT_(\w+),", header)]
        words = schema["$defs"]["candidate"]["properties"]["verdict"]["enum"]
        self.assertEqual(words, verdicts + ["unknown"])

    def test_it_knows_every_problem(self):
        schema = read_schema()
        source = (ARGS.root / "tools/cushim/advice.c").read_text()
        problems = (re.findall(r'unusable\(\s*"(\w+)"', source) +  # what functions say,
                    re.findall(r'(?m)^    \{\w+,\s*"(\w+)",', source))  # and init_cases
        self.assertEqual(set(schema["properties"]["problem"]["enum"]) - {None}, set(problems))

    def test_the_page_explains_every_problem(self):
        page = (ARGS.root / "docs/cushim-info.md").read_text()
        explained = set(re.findall(r"(?m)^\| `([a-z_]+)` \|", page))
        self.assertEqual(set(read_schema()["properties"]["problem"]["enum"]) - {None}, explained)

    def test_the_validator_finds_what_is_wrong(self):
        schema = {"type": "object", "required": ["a"], "properties": {
            "a": {"type": ["integer", "null"], "minimum": 0}, "b": {"enum": ["x"]},
            "c": {"const": 1}, "d": {"items": {"pattern": "^y$"}}}}
        validator = Validator(schema)
        for good in ({"a": 0}, {"a": None, "b": "x", "c": 1, "d": ["y"]}):
            self.assertEqual(validator.errors(good), [], good)
        for bad in ({}, {"a": -1}, {"a": True}, {"a": 0, "b": "y"}, {"a": 0, "c": True},
                    {"a": 0, "d": ["yy"]}, {"a": 0, "e": 1}, []):
            self.assertNotEqual(validator.errors(bad), [], bad)


class NoDriver(Case):
    def test_disabled_by_the_environment(self):
        output = self.json(NOT_USABLE, CUSHIM_LIBCUDA="none")
        self.assertEqual(output["problem"], "disabled")
        self.assertIn("CUSHIM_LIBCUDA", output["advice"])
        self.assertEqual(output["driver"]["status_name"], "CUSHIM_ERROR_NO_DRIVER")
        self.assertEqual(output["driver"]["setting"]["variable_value"], "none")
        self.assertEqual([c["verdict"] for c in output["driver"]["candidates"]], ["disabled"])
        self.assertIsNone(output["driver"]["path"])
        self.assertIsNone(output["devices"])

    def test_disabled_by_the_option(self):
        output = self.json(NOT_USABLE, "--library", "none", CUSHIM_LIBCUDA="/not/asked")
        self.assertEqual(output["problem"], "disabled")
        self.assertIn("--library", output["advice"])
        self.assertEqual(output["driver"]["setting"], {
            "option": "none", "variable": "CUSHIM_LIBCUDA", "variable_value": "/not/asked"})

    def test_text(self):
        lines = self.info(NOT_USABLE, CUSHIM_LIBCUDA="none").splitlines()
        self.assertEqual(lines[0], "driver   none")
        self.assertEqual(lines[1], "         tried: CUSHIM_LIBCUDA is 'none'")
        self.assertRegex(lines[2], r"^ {16}none   .*disabled")
        self.assertRegex(lines[-1], "^not usable: .*CUSHIM_LIBCUDA")

    def test_a_named_library_that_is_absent(self):
        path = str(self.folder / "libcuda.so.575.57.08")
        output = self.json(NOT_USABLE, CUSHIM_LIBCUDA=path)
        self.assertEqual(output["problem"], "named_library_absent")
        self.assertIn(path, output["advice"])
        self.assertEqual(output["driver"]["candidates"][0]["origin"], "environment")

    def rejected(self, path, verdict):
        output = self.json(NOT_USABLE, CUSHIM_LIBCUDA=str(path))
        candidates = output["driver"]["candidates"]
        self.assertEqual([c["verdict"] for c in candidates], [verdict], candidates)
        self.assertEqual(output["problem"], "library_rejected")
        self.assertIn(str(path), output["advice"])
        self.assertIn(f"not usable: {output['advice']}\n",
                      self.info(NOT_USABLE, CUSHIM_LIBCUDA=str(path)))
        return output["advice"]

    def test_an_empty_file(self):
        path = self.folder / "libcuda.so.1"
        path.touch()
        self.assertIn("NVIDIA runtime", self.rejected(path, "empty"))

    def test_a_text_file(self):
        path = self.folder / "libcuda.so.1"
        path.write_text("GROUP ( libcuda.so.550.54.15 ) /* a linker's script */\n" * 4)
        self.rejected(path, "not_elf")

    def test_a_folder(self):
        path = self.folder / "libcuda.so.1"
        path.mkdir()
        self.rejected(path, "not_a_file")

    def test_a_circle_of_links(self):
        path = self.folder / "libcuda.so.1"
        path.symlink_to(path)
        advice = self.rejected(path, "not_a_file")
        self.assertIn("in a circle", advice)
        self.assertNotIn("permissions", advice)

    def test_what_the_kernel_makes_up(self):
        advice = self.rejected("/proc/version", "not_a_file")
        self.assertIn("the kernel makes it up", advice)
        self.assertNotIn("container", advice)

    def test_a_name_that_is_too_long(self):
        advice = self.rejected("/" + 300 * "x", "unreadable")
        self.assertNotIn("permissions", advice)

    def test_another_architecture(self):
        elf = bytearray(Path(sys.executable).resolve().read_bytes()[:4096])
        if elf[:4] != b"\x7fELF":
            self.skipTest("the programs here are no ELF files")
        elf[18:20] = (0xF3 if elf[18] == 0x3E else 0x3E).to_bytes(2, sys.byteorder)  # e_machine
        path = self.folder / "libcuda.so.1"
        path.write_bytes(elf)
        self.assertIn("another architecture", self.rejected(path, "other_machine"))

    def test_names_that_are_no_text(self):
        name = os.fsencode(self.folder) + b"/\x1b[31m\xffred\"\\\n\xc3\xa9.so"
        shown = f"{self.folder}/\\x1b[31m\\xffred\"\\\\x0aé.so"
        self.assertIn(shown, self.info(NOT_USABLE, CUSHIM_LIBCUDA=name))
        output = self.json(NOT_USABLE, CUSHIM_LIBCUDA=name)
        self.assertEqual(output["driver"]["candidates"][0]["name"],
                         f"{self.folder}/\x1b[31m\ufffdred\"\\\né.so")

    def test_every_character_that_json_escapes(self):
        for code in list(range(1, 0x20)) + [0x22, 0x5c, 0x7f, 0x85, 0x2028, 0x1f600]:
            words = f"/x{chr(code)}y"
            with self.subTest(code=hex(code)):
                output = self.json(NOT_USABLE, CUSHIM_LIBCUDA=words.encode())
                self.assertEqual(output["driver"]["setting"]["variable_value"], words)

    def test_bytes_that_are_not_utf8(self):
        for bad, n in ((b"\x80", 1), (b"\xc0\xaf", 2), (b"\xe2\x82", 2), (b"\xed\xa0\x80", 3),
                       (b"\xf4\x90\x80\x80", 4), (b"\xfe", 1), (b"\xe0\x80\xaf", 3)):
            with self.subTest(bytes=bad):
                output = self.json(NOT_USABLE, CUSHIM_LIBCUDA=b"/x" + bad)
                self.assertEqual(output["driver"]["setting"]["variable_value"], "/x" + "\ufffd" * n)

    def test_a_very_long_name(self):
        self.json(NOT_USABLE, CUSHIM_LIBCUDA="/" + "x" * 50000)


class Fake(Case):
    """A driver that misbehaves, reached as a real one is."""

    def setUp(self):
        super().setUp()
        library = build_fake(self.folder)
        if not library:
            self.skipTest(f"no fake driver: no --fake, and no compiler '{ARGS.cc}'")
        self.file = self.folder / "libcuda.so.550.54.15"
        os.rename(library, self.file)
        self.path = self.folder / "libcuda.so.1"
        self.path.symlink_to(self.file.name)

    def fake(self, status, *words, **variables):
        return self.json(status, *words, **self.variables(variables))

    def text(self, status, *words, **variables):
        return self.info(status, *words, **self.variables(variables))

    def variables(self, variables):
        fakes = {f"FAKE_{name.upper()}": str(value) for name, value in variables.items()}
        return {"CUSHIM_LIBCUDA": str(self.path), **fakes}

    def test_usable(self):
        output = self.fake(USABLE, count=2)
        driver = output["driver"]
        self.assertEqual(driver["status"], 0)
        self.assertEqual(driver["release"], "550.54.15")
        self.assertEqual(driver["file"], str(self.file))
        self.assertEqual(driver["cuda_version"], "12.4")
        self.assertEqual(driver["functions_found"] + len(driver["functions_missing"]),
                         driver["functions_known"])
        self.assertEqual([d["index"] for d in output["devices"]], [0, 1])

    def test_text(self):
        lines = self.text(USABLE, count=2).splitlines()
        self.assertRegex(lines[0], rf"^driver   {re.escape(str(self.folder))}/\S+   CUDA 12\.4 "
                                   r"\(driver 550\.54\.15(, kernel module \S+)?\)   "
                                   r"\d+ of \d+ functions$")
        self.assertEqual(lines[1], f"         also tried: CUSHIM_LIBCUDA is '{self.path}'")
        self.assertIn("devices  0  Fake GPU   sm_86   512 MiB   4 SMs", lines)
        self.assertIn("         1  Fake GPU   sm_86   512 MiB   4 SMs      one process at a time",
                      lines)
        self.assertEqual(lines[-1], "usable.")

    def test_by_the_dynamic_linker(self):
        output = self.json(USABLE, LD_LIBRARY_PATH=str(self.folder))
        self.assertEqual(output["driver"]["release"], "550.54.15")
        chosen = [c for c in output["driver"]["candidates"] if c["verdict"] == "chosen"]
        self.assertEqual([c["origin"] for c in chosen], ["linker"])

    def test_device(self):
        device = self.fake(USABLE)["devices"][0]
        self.assertEqual(device["name"], "Fake GPU")
        self.assertEqual(device["memory_bytes"], 512 << 20)
        self.assertEqual((device["compute_capability_major"], device["compute_capability_minor"]),
                         (8, 6))
        self.assertEqual(device["multiprocessors"], 4)
        self.assertIs(device["cooperative_launch"], True)
        self.assertEqual(device["compute_mode"], "default")
        self.assertIsNone(device["memory_pools"], "its question fails")
        self.assertIsNone(device["uuid"], "this driver has no function for it")
        self.assertEqual(device["peers"], [])

    def test_peers(self):
        devices = self.fake(USABLE, count=3)["devices"]
        self.assertEqual([[p["access"] for p in d["peers"]] for d in devices],
                         [[True, False], [True, False], [False, False]])
        self.assertEqual([p["index"] for p in devices[1]["peers"]], [0, 2])
        self.assertRegex(self.text(USABLE, count=3),
                         r"(?m)^devices  0 .* SMs   peer access with 1$")

    def test_many_devices_stay_aligned(self):
        lines = [l for l in self.text(USABLE, count=12).splitlines() if "Fake GPU" in l]
        self.assertEqual(len(lines), 12)
        self.assertEqual({l.index("sm_86") for l in lines}, {lines[0].index("sm_86")})
        self.assertIn("peer access with 1, 2, 3, 4, 5, 6, 7, 8, 9, 10", lines[0])

    def test_compute_modes(self):
        modes = [d["compute_mode"] for d in self.fake(USABLE, count=4)["devices"]]
        self.assertEqual(modes, ["default", "exclusive", "prohibited", "exclusive_process"])

    def test_devices_that_answer_nothing(self):
        device = self.fake(USABLE, fail=1)["devices"][0]
        self.assertEqual({k: v for k, v in device.items() if v is not None},
                         {"index": 0, "peers": []})
        self.assertRegex(self.text(USABLE, fail=1), r"(?m)^devices  0  unknown   sm unknown")

    def test_a_device_name_that_is_no_text(self):
        name = b"GPU \x1b[1m\xe9\n"
        output = self.json(USABLE, CUSHIM_LIBCUDA=str(self.path), FAKE_NAME=name)
        self.assertEqual(output["devices"][0]["name"], "GPU \x1b[1m\ufffd\n")
        text = self.info(USABLE, CUSHIM_LIBCUDA=str(self.path), FAKE_NAME=name)
        self.assertIn(r"0  GPU \x1b[1m\xe9\x0a   sm_86", text)

    def test_a_device_name_without_an_end(self):
        self.assertEqual(len(self.fake(USABLE, name="x" * 300)["devices"][0]["name"]), 255)

    def test_no_device(self):
        output = self.fake(NOT_USABLE, init=100)
        self.assertEqual(output["problem"], "no_device")
        self.assertEqual(output["driver"]["status_name"], "CUDA_ERROR_NO_DEVICE")
        self.assertEqual(output["driver"]["cuda_version"], "12.4")
        self.assertIsNone(output["devices"])
        self.assertIn("cannot be used: 100 CUDA_ERROR_NO_DEVICE", self.text(NOT_USABLE, init=100))

    def test_no_device_because_they_are_hidden(self):
        output = self.json(NOT_USABLE, CUSHIM_LIBCUDA=str(self.path), FAKE_INIT="100",
                           CUDA_VISIBLE_DEVICES="-1")
        self.assertIn("CUDA_VISIBLE_DEVICES is '-1'", output["advice"])
        self.assertEqual(output["machine"]["cuda_visible_devices"], "-1")

    def test_no_device_counted(self):
        output = self.fake(NOT_USABLE, count=0)
        self.assertEqual((output["problem"], output["devices"]), ("no_device", []))

    def test_a_count_that_cannot_be_true(self):
        for count in (-1, 2000000000):
            output = self.fake(NOT_USABLE, count=count)
            self.assertEqual((output["problem"], output["devices"]), ("devices_unknown", None))

    def test_a_driver_that_does_not_start(self):
        for result, problem, word in ((3, "forked", "fork"),
                                      (304, "operating_system", "/dev/nvidia"),
                                      (802, "system_not_ready", "fabric"),
                                      (803, "driver_mismatch", "550.54.15"),
                                      (804, "compat_not_supported", "compat"),
                                      (805, "mps", "MPS"),
                                      (999, "initialization_failed", "nvidia_uvm"),
                                      (46, "initialization_failed", "46"),
                                      (12345, "initialization_failed", "12345")):
            with self.subTest(result=result):
                output = self.fake(NOT_USABLE, init=result)
                self.assertEqual(output["driver"]["status"], result)
                self.assertEqual(output["problem"], problem)
                self.assertIn(word, output["advice"])
                self.assertIn(f"cannot be used: {result} ", self.text(NOT_USABLE, init=result))

    def test_a_stub(self):
        output = self.fake(NOT_USABLE, stub=1)
        self.assertEqual(output["problem"], "library_rejected")
        self.assertEqual([c["verdict"] for c in output["driver"]["candidates"]], ["stub"])
        self.assertIn("stub", output["advice"])
        self.assertIn("CUSHIM_LIBCUDA", output["advice"])

    def test_a_stub_in_the_library_path(self):
        output = json.loads(cushim("info", "--json", LD_LIBRARY_PATH=f"/x:{self.folder}/:",
                                   FAKE_STUB="1").stdout)
        verdicts = [c["verdict"] for c in output["driver"]["candidates"]]
        self.assertIn("stub", verdicts)
        if output["usable"]:
            self.skipTest("a driver is installed here, and found behind the stub")
        self.assertEqual(output["problem"], "library_rejected")
        self.assertIn(f"take {self.folder} out of LD_LIBRARY_PATH", output["advice"])

    def test_missing_functions(self):
        missing = {m["symbol"]: m for m in self.fake(USABLE)["driver"]["functions_missing"]}
        self.assertEqual(missing["cuCtxCreate_v4"]["reason"], "newer")
        self.assertEqual(missing["cuCtxCreate_v4"]["since_cuda_version"], "12.5")
        self.assertEqual(missing["cuMemFree_v2"]["reason"], "lacking")
        self.assertNotIn("cuInit", missing)

    def test_missing_functions_in_text(self):
        self.assertRegex(self.text(USABLE),
                         r"(?m)^missing  \d+ functions of CUDA 12\.5 and later, among them \w+, "
                         r"\w+, \w+; `cushim info --missing` lists them$")

    def test_missing_functions_listed(self):
        output = self.fake(USABLE)["driver"]
        text = self.text(USABLE, "--missing")
        self.assertRegex(text, r"(?m)^missing  driver: \d+ functions of CUDA 12\.5 and later:$")
        listed = re.findall(r"(?m)^ {11}CUDA ([\d.]+) +(\w+)", text)
        expected = {(m["since_cuda_version"], m["symbol"]) for m in output["functions_missing"]}
        self.assertLessEqual(expected, set(listed))

    def test_a_library_by_another_name_has_no_release(self):
        other = self.folder / "libother.so"
        self.file.rename(other)
        output = self.json(USABLE, CUSHIM_LIBCUDA=str(other))
        self.assertIsNone(output["driver"]["release"])
        self.assertNotIn("(driver", self.info(USABLE, CUSHIM_LIBCUDA=str(other)))


class Mock(Case):
    def setUp(self):
        super().setUp()
        self.words = ARGS.mock or "mock"
        output = json.loads(cushim("info", "--json", "--library", self.words).stdout)
        if not ARGS.mock and output["problem"] == "named_library_absent":
            self.skipTest("the software device is not installed, and no --mock says where it is")

    def test_it_is_usable(self):
        output = self.json(USABLE, CUSHIM_LIBCUDA=self.words)
        self.assertGreaterEqual(len(output["devices"]), 1)
        self.assertIsNone(output["driver"]["release"])
        self.assertTrue(output["devices"][0]["name"])

    def test_how_kernels_run_is_said(self):
        off = {"CUSHIM_LIBCUDA": self.words, "CUSHIM_MOCK_PTX_COMPILE": "0"}
        words = "interpreted, as CUSHIM_MOCK_PTX_COMPILE is 0"
        self.assertEqual(self.json(USABLE, **off)["kernels"], words)
        self.assertIn(f"\nkernels  {words}\n", self.info(USABLE, **off))
        self.assertRegex(self.json(USABLE, CUSHIM_LIBCUDA=self.words, CUSHIM_MOCK_PTX_COMPILE="1")["kernels"],
                         r"^interpreted(; those that do much work are compiled by libLLVM[-.so\d]+|: .*)$")
        self.assertIsNone(self.json(NOT_USABLE, CUSHIM_LIBCUDA="none")["kernels"])

    def test_what_is_wrong_with_it_is_said_of_its_settings(self):
        """And nothing of kernel modules, containers, or nvidia-smi."""
        for problem, words, variables in [
                ("mock_settings", "'x'; there are h200", {"CUSHIM_MOCK_DEVICES": "x"}),
                ("mock_settings", "neither 0 nor 1", {"CUSHIM_MOCK_CHECK": "x"}),
                ("mock_settings", "CUSHIM_MOCK_FAULTS", {"CUSHIM_MOCK_FAULTS": "cuInit result=unknown"}),
                ("no_device", "hides all devices", {"CUDA_VISIBLE_DEVICES": "none"}),
                ("no_device", "too new for all of the devices",
                 {"CUSHIM_MOCK_DEVICES": "v100", "CUSHIM_MOCK_DRIVER_VERSION": "13.5"})]:
            with self.subTest(variables=variables):
                done = cushim("info", "--json", CUSHIM_LIBCUDA=self.words, **variables)
                self.assertEqual(done.returncode, NOT_USABLE, done.stderr)
                output = json.loads(done.stdout)
                self.assertEqual(output["problem"], problem)
                self.assertIn(words, output["advice"])
                self.assertNotRegex(output["advice"], "nvidia|docker|kernel|container")

    def test_it_has_every_function_of_its_version(self):
        missing = self.json(USABLE, CUSHIM_LIBCUDA=self.words)["driver"]["functions_missing"]
        self.assertEqual([m["symbol"] for m in missing if m["reason"] == "lacking"], [])

    def test_an_older_one_lacks_what_its_version_lacked(self):
        for text, missing in ("11.4", 201), ("11040", 201), ("12.9", 68), ("13.0", 51), ("13.5", 0):
            with self.subTest(version=text):
                output = self.json(USABLE, CUSHIM_LIBCUDA="mock", CUSHIM_MOCK_DRIVER_VERSION=text)
                self.assertEqual(len(output["driver"]["functions_missing"]), missing)

    def test_the_option_goes_before_the_environment(self):
        self.json(USABLE, "--library", self.words, CUSHIM_LIBCUDA="none")

    def test_the_option_in_one_word(self):
        self.assertTrue(self.info(USABLE, f"--library={self.words}").endswith("usable.\n"))


def main():
    own, rest = sys.argv[1:], []
    if "--" in own:
        own, rest = own[:own.index("--")], own[own.index("--") + 1:]
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("cushim")
    parser.add_argument("--mock")
    parser.add_argument("--fake", type=Path)
    parser.add_argument("--cc", default=os.environ.get("CC", "cc"))
    parser.add_argument("--root", type=Path, default=Path(__file__).resolve().parents[2])
    parser.parse_args(own, namespace=ARGS)
    if "/" in ARGS.cushim:
        ARGS.cushim = str(Path(ARGS.cushim).resolve())
    unittest.main(argv=[sys.argv[0], *rest])


if __name__ == "__main__":
    main()
