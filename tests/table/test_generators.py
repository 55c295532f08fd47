#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The generators, on a list small enough to read what they make of it.

test_generators.py CC     a C compiler, with its flags
"""

import subprocess
import sys
import unittest

from support import CUDA, NVJITLINK, NVRTC, ROOT, InFolder, run_tool, spawn_tool

import symbols

CC = sys.argv[1:] or ["cc"]
sys.argv = sys.argv[:1]

LIST = """# a list
cuInit                cuInit     2000 i
cuMemAlloc            cuMemAlloc 2000 pi       internal=11030
cuMemAlloc_v2         cuMemAlloc 3020 pl
cuMemset_ptds         cuMemset   7000 ihb      ptds
cuNew                 cuNew     12030 fmH
cuGLDraw              cuGLDraw   2000 -        gl
"""
NVRTC_LIST = """nvrtcGetErrorString   nvrtcGetErrorString 7000 i string
nvrtcOld              nvrtcOld            7000 p until=13000
"""


class Generator(InFolder):
    def setUp(self):
        super().setUp()
        self.cuda = self.write("cuda.symbols", LIST)
        self.nvrtc = self.write("nvrtc.symbols", NVRTC_LIST)
        self.out = self.folder / "out.c"

    def generate(self, tool, *arguments):
        done = run_tool(tool, *arguments)
        self.assertEqual(done.returncode, 0, done.stderr)
        return self.out.read_text()

    def compile(self, *flags):
        command = [*CC, "-std=gnu11", "-Wall", "-Wextra", "-Wpedantic", "-Werror", "-fsyntax-only",
                   f"-I{ROOT / 'src'}", f"-I{ROOT / 'include'}", f"-I{self.folder}", *flags, str(self.out)]
        done = subprocess.run(command, capture_output=True, text=True)
        self.assertEqual(done.returncode, 0, done.stderr)


class Rows(Generator):
    def test_header(self):
        text = self.generate("gen_rows.py", "header", self.out, self.cuda, self.nvrtc)
        for line in ("CUSHIM_ROW_cuInit = 0,", "CUSHIM_ROW_cuMemAlloc_v2 = 2,", "CUSHIM_ROW_cuGLDraw = 5,",
                     "CUSHIM_CUDA_ROWS = 6,", "CUSHIM_ROW_nvrtcOld = 1,", "CUSHIM_NVRTC_ROWS = 2,"):
            self.assertIn(line, text)
        self.compile("-xc")

    def test_source(self):
        text = self.generate("gen_rows.py", "source", self.out, self.cuda)
        self.assertIn("CUSHIM__ROW_PTDS, 7000, 0}, /* 3 cuMemset_ptds */", text)
        # In the order of strcmp(): capitals before small letters, and the shorter name first.
        self.assertIn("    5, 0, 1, 2, 3, 4\n", text)
        self.compile()
        text = self.generate("gen_rows.py", "source", self.out, self.nvrtc)
        self.assertIn("CUSHIM__ROW_STRING, 7000, 0}, /* 0 nvrtcGetErrorString */", text)
        self.assertIn("0, 7000, 13000}, /* 1 nvrtcOld */", text)

    def test_offsets_of_the_real_lists_fit(self):
        """They are 16 bits wide."""
        for path in (CUDA, NVRTC, NVJITLINK):
            rows = symbols.read(path)
            strings = {s for r in rows for s in (r.symbol, r.base, r.arguments)}
            self.assertLess(sum(len(s) + 1 for s in strings), 1 << 16, path.name)


class Api(Generator):
    def test_members(self):
        text = self.generate("gen_api.py", self.cuda, self.out)
        members = text.split("struct cushim_cuda_api {\n")[1].split("\n};\n")[0] + "\n"
        self.assertEqual(members.count("\n    union {"), 1)
        for line in (
            "PFN_cuInit_v2000 cuInit;",
            "CUSHIM__INTERNAL_11030(PFN_cuMemAlloc_v2000) cuMemAlloc;",
            "CUSHIM__INTERNAL_11030(PFN_cuMemAlloc_v2000) cuMemAlloc_v1;",
            "PFN_cuMemAlloc_v3020 cuMemAlloc_v2;",
            "PFN_cuMemset_v7000_ptds cuMemset_ptds;",
            "CUSHIM__SINCE_12030(PFN_cuNew_v12030) cuNew;",
            "CUSHIM__GL(PFN_cuGLDraw_v2000) cuGLDraw;",
        ):
            self.assertIn(f" {line}\n", members)
        # What it takes away it gives back.
        self.assertIn('#pragma push_macro("cuMemAlloc")\n#undef cuMemAlloc\n', text)
        self.assertEqual(text.count("push_macro"), text.count("pop_macro"))
        for macro in ("CUSHIM__SINCE_12030", "CUSHIM__INTERNAL_11030", "CUSHIM__GL"):
            self.assertIn(f"#undef {macro}\n", text.split("struct ")[1])

    def test_nvrtc(self):
        text = self.generate("gen_api.py", self.nvrtc, self.out)
        self.assertIn("    CUSHIM__TYPE(nvrtcGetErrorString) nvrtcGetErrorString;\n", text)
        self.assertIn("    CUSHIM__UNTIL_13000(CUSHIM__TYPE(nvrtcOld)) nvrtcOld;\n", text)
        self.assertIn("#if CUSHIM_NVRTC_VERSION < 13000\n", text)

    def test_nvjitlink(self):
        path = self.write("nvjitlink.symbols", "nvJitLinkCreate nvJitLinkCreate 12000 pip\n")
        text = self.generate("gen_api.py", path, self.out)
        self.assertIn("    CUSHIM__SINCE_12000(CUSHIM__TYPE(nvJitLinkCreate)) nvJitLinkCreate;\n", text)
        self.assertIn("#if CUSHIM_NVJITLINK_VERSION >= 12000\n", text)
        self.assertIn("#undef CUSHIM__TYPE\n", text)
        self.assertIn("cushim/nvjitlink_table.h", text)


class Functions(Generator):
    def test_forwarders(self):
        text = self.generate("gen_forwarders.py", self.cuda, self.out, "some")
        typedef = "typedef int fn_i_fmH(float a0, struct cushim__arg8 a1, struct cushim__arg64 a2);\n"
        self.assertIn(typedef, text)
        call = "((fn_i_i *) CUSHIM__PUBLISHED(some_forward)[0])(a0)"
        self.assertIn(f"int cuInit(uint32_t a0) {{ return {call}; }}", text)
        self.assertIn("int cuGLDraw(void) {", text)
        self.assertNotIn("lazy", text)
        self.compile()
        text = self.generate("gen_forwarders.py", self.nvrtc, self.out, "other", "--lazy")
        self.assertIn("const char *nvrtcGetErrorString(uint32_t a0)", text)
        self.assertIn("static int lazy1(void *a0) { return ((fn_i_p *) other_open()[1])(a0); }", text)
        self.compile()

    def test_older_drivers(self):
        text = self.generate("gen_mock_front.py", self.cuda, self.out, "11.4")
        self.assertIn("int cuMemset_ptds(", text)
        self.assertNotIn("cuNew", text)
        self.compile()
        self.assertIn("int cuNew(", self.generate("gen_mock_front.py", self.cuda, self.out, "12.3"))
        done = run_tool("gen_mock_front.py", self.cuda, self.out, "eleven")
        self.assertEqual((done.returncode, "'eleven' is not a version" in done.stderr), (1, True), done.stderr)

    def test_the_mocks_defaults_and_twins(self):
        self.cuda.write_text(LIST.replace("internal=11030", "same=cuMemAlloc_v2").replace("ihb ", "lhb ") +
                             "cuMemset cuMemset 2000 lhb\n")
        text = self.generate("gen_mock.py", self.cuda, "--defaults", self.out)
        self.assertIn("DEFAULT int mock_cuInit(uint32_t a0);\n", text)
        self.assertIn("    (void) a0;\n    return mock__unsupported();\n", text)
        self.assertIn("TWIN int mock_cuMemAlloc(void *a0, uint32_t a1);\n", text)
        self.assertIn("{\n    return mock_cuMemAlloc_v2(a0, a1);\n}\n", text)
        self.assertIn("    mock__per_thread_begin();\n    result = mock_cuMemset(a0, a1, a2);\n"
                      "    mock__per_thread_end();\n    return result;\n", text)
        self.compile("-Wno-cast-function-type")

    def test_a_twin_of_nothing(self):
        done = run_tool("gen_mock.py", self.cuda, "--defaults", self.out)
        self.assertEqual(done.returncode, 1)
        self.assertIn("cuMemset_ptds has to be like cuMemset, which has no row", done.stderr)

    def test_missing(self):
        text = self.generate("gen_missing.py", self.cuda, self.out)
        for kind, row in (("missing", 2), ("closed", 5)):
            answer = f"cushim__answer_{kind}(&cushim__cuda_rows, {row})"
            self.assertIn(f"static int {kind}{row}(void) {{ return {answer}; }}", text)
        self.compile("-Wno-cast-function-type")
        text = self.generate("gen_missing.py", self.nvrtc, self.out)
        self.assertIn("static const char *closed0(void)", text)

    def test_fake_driver(self):
        self.generate("gen_rows.py", "header", self.out, self.cuda, self.nvrtc)
        flags = [f"-I{ROOT / 'tests/loader'}"]
        options = ("--until", "7000", "--export", "cuInit")
        text = self.generate("gen_fake_driver.py", "library", *options, self.cuda, self.out)
        self.assertIn("FAKE_EXPORT int cuInit(uint32_t a0);", text)
        self.assertIn("FAKE_HIDDEN int cuMemset_ptds(", text)
        self.assertIn('{"cuMemset", 7000, true, (fake_function *) cuMemset_ptds},', text)
        self.assertNotIn("cuNew", text)
        self.compile(*flags)
        self.generate("gen_fake_driver.py", "calls", self.out, self.cuda, self.nvrtc)
        self.compile(*flags)
        text = self.generate("gen_fake_driver.py", "names", self.out, self.cuda)
        self.assertIn("#define CUSHIM_ROW_cuMemAlloc_v1 CUSHIM_ROW_cuMemAlloc\n", text)
        self.assertIn("    X(cuMemAlloc_v1)\n", text)
        done = run_tool("gen_fake_driver.py", "library", "--only", "cuNowhere", self.cuda, self.out)
        self.assertEqual((done.returncode, "has no cuNowhere" in done.stderr), (1, True), done.stderr)


class All(Generator):
    TOOLS = (
        ("gen_rows.py", "header", "OUT", "CUDA", "NVRTC"),
        ("gen_rows.py", "source", "OUT", "CUDA"),
        ("gen_api.py", "CUDA", "OUT"),
        ("gen_forwarders.py", "CUDA", "OUT", "x", "--lazy"),
        ("gen_missing.py", "CUDA", "OUT"),
        ("gen_mock_front.py", "CUDA", "OUT", "12.0"),
        ("gen_interposer.py", "calls", "OUT", "CUDA", "NVRTC"),
        ("gen_interposer.py", "slot", "OUT", "CUDA", "NVRTC"),
        ("gen_fake_driver.py", "library", "CUDA", "OUT"),
        ("gen_fake_driver.py", "calls", "OUT", "CUDA", "NVRTC"),
    )

    def run_one(self, tool, arguments, how=run_tool):
        places = {"OUT": self.out, "CUDA": self.cuda, "NVRTC": self.nvrtc}
        return how(tool, *[places.get(a, a) for a in arguments])

    def test_the_same_twice(self):
        """In processes of their own, which have other orders of what has none."""
        for tool, *arguments in self.TOOLS:
            texts = []
            for _ in range(2):
                self.assertEqual(self.run_one(tool, arguments, spawn_tool).returncode, 0, tool)
                texts.append(self.out.read_text())
            self.assertEqual(texts[0], texts[1], tool)

    def test_a_bad_list_is_refused(self):
        self.cuda.write_text(LIST + "cuBad cuBad 2000 q\n")
        for tool, *arguments in self.TOOLS:
            self.out.unlink(missing_ok=True)
            done = self.run_one(tool, arguments)
            self.assertNotEqual(done.returncode, 0, tool)
            self.assertIn("cuda.symbols:8: 'q' has a letter", done.stderr, tool)
            self.assertFalse(self.out.exists(), f"{tool} wrote half a file")


if __name__ == "__main__":
    unittest.main()
