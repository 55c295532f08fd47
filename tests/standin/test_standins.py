#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""What stands in for NVIDIA's compilers: nvJitLink, NVRTC and ptxas give images with PTX, which the mock loads.

test_standins.py CUSHIM LIBCUSHIM-NVJITLINK PTXAS PROGRAM

The results of nvJitLink are those of the real one, version 13.5, unless the test says what differs. What needs a
real NVRTC or nvJitLink is skipped without one.
"""

import ctypes
import os
import re
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

CUSHIM, LIBRARY, PTXAS, PROGRAM = (str(Path(a).absolute()) for a in sys.argv[1:5])
HEAD = ".version 8.0\n.target sm_90\n.address_size 64\n"
GOOD = HEAD + """.visible .entry k(.param .u64 p)
{
    .reg .u64 %r<3>;
    ld.param.u64 %r1, [p];
    st.global.u64 [%r1], %r1;
    ret;
}
"""
USES_F = HEAD + ".extern .func f();\n.visible .entry m() { call f; ret; }\n"
DEFINES_F = HEAD + ".visible .func f() { ret; }\n"
PTX, FATBIN, LIBRARY_KIND, ANY = 2, 4, 6, 10
SUCCESS, UNRECOGNIZED_OPTION, MISSING_ARCH, INVALID_INPUT, PTX_COMPILE, INTERNAL = 0, 1, 2, 3, 4, 6
NULL_INPUT, INCOMPATIBLE_OPTIONS, INCORRECT_INPUT_TYPE, MISSING_FATBIN, UNRECOGNIZED_ARCH = 10, 11, 12, 15, 16


class Link:
    """A link of the library, with Python's types."""

    library = ctypes.CDLL(LIBRARY)

    def __init__(self, *options):
        words = (ctypes.c_char_p * len(options))(*[o.encode() for o in options])
        self.handle = ctypes.c_void_p()
        self.created = self.library.nvJitLinkCreate(ctypes.byref(self.handle), len(options), words)

    def add(self, text, kind=PTX, name="a.ptx"):
        data = text.encode() if isinstance(text, str) else text
        return self.library.nvJitLinkAddData(self.handle, kind, data, ctypes.c_size_t(len(data)), name.encode())

    def complete(self):
        return self.library.nvJitLinkComplete(self.handle)

    def bytes_of(self, what):
        size = ctypes.c_size_t()
        result = getattr(self.library, f"nvJitLinkGet{what}Size")(self.handle, ctypes.byref(size))
        if result:
            return result
        data = ctypes.create_string_buffer(size.value + 1)
        result = getattr(self.library, f"nvJitLinkGet{what}")(self.handle, data)
        return result or data.raw[:size.value]

    def errors(self):
        return self.bytes_of("ErrorLog").decode().removesuffix("\0")

    def infos(self):
        return self.bytes_of("InfoLog").decode().removesuffix("\0")

    def destroy(self):
        return self.library.nvJitLinkDestroy(ctypes.byref(self.handle))


class NvJitLink(unittest.TestCase):
    def link(self, *options):
        link = Link(*options)
        self.addCleanup(link.destroy)
        return link

    def test_texts_are_linked_to_an_image_with_all_of_them(self):
        link = self.link("-arch=sm_90")
        self.assertEqual([link.add(USES_F), link.add(DEFINES_F, name="b.ptx")], [SUCCESS, SUCCESS])
        self.assertEqual(link.complete(), SUCCESS)
        image = link.bytes_of("LinkedCubin")
        self.assertIn(b".entry m()", image)
        self.assertIn(b".visible .func f()", image)
        self.assertEqual(image[-1:], b"\0")
        self.assertEqual(link.bytes_of("LinkedPtx"), INVALID_INPUT)
        self.assertEqual((link.errors(), link.infos()), ("", ""))

    def test_an_image_is_an_input_too(self):
        first = self.link("-arch=sm_90")
        first.add(GOOD)
        first.add(DEFINES_F)
        first.complete()
        second = self.link("-arch=sm_90a")
        self.assertEqual(second.add(first.bytes_of("LinkedCubin"), ANY), SUCCESS)
        self.assertEqual(second.add(USES_F), SUCCESS)
        self.assertEqual(second.complete(), SUCCESS)
        self.assertIn(b".entry k(", second.bytes_of("LinkedCubin"))

    def test_verbose(self):
        link = self.link("-arch=sm_90", "-verbose", "-maxrregcount=24")
        link.add(GOOD)
        self.assertEqual(link.complete(), SUCCESS)
        self.assertRegex(link.infos(), r"ptxas info    : Compiling entry function 'k' for 'sm_90'\n")
        self.assertRegex(link.infos(), r"ptxas info    : Used \d+ registers\n")

    def test_an_error_in_a_text(self):
        link = self.link("-arch=sm_90")
        self.assertEqual(link.add(GOOD.replace("ld.param", "ld.parm")), PTX_COMPILE)
        self.assertIn("ptxas a.ptx, line 7; error   : Unknown modifier '.parm'\n"
                      "ptxas fatal   : Ptx assembly aborted due to errors\n", link.errors())
        self.assertEqual(link.complete(), SUCCESS, "the others are linked, as the real one does")

    def test_what_is_missing(self):
        link = self.link("-arch=sm_90")
        self.assertEqual(link.add(USES_F), SUCCESS)
        self.assertEqual(link.complete(), INTERNAL)
        self.assertIn("'f'", link.errors())
        self.assertEqual(link.bytes_of("LinkedCubin"), INTERNAL)

    def test_a_kernel_twice(self):
        """The real one takes it, and complains on standard error."""
        link = self.link("-arch=sm_90")
        self.assertEqual([link.add(GOOD), link.add(GOOD)], [SUCCESS, PTX_COMPILE])
        self.assertIn("Multiple definition of 'k'", link.errors())

    def test_options(self):
        for options, result, log in [
            (["-arch=sm_90", "-foo"], UNRECOGNIZED_OPTION, "unrecognized option: -foo\n"),
            (["-arch=sm_90", "-maxrregcount=many"], UNRECOGNIZED_OPTION, "unrecognized option: -maxrregcount=many\n"),
            (["-arch=sm_90", "-kernels-used="], UNRECOGNIZED_OPTION, "unrecognized option: -kernels-used=\n"),
            (["-arch="], UNRECOGNIZED_OPTION, "unrecognized option: -arch=\n"),
            (["-arch=sm_90", "-maxrregcount=-1"], SUCCESS, ""),
            (["-arch=sm_90", "-maxrregcount=99999999999999999999"], SUCCESS, ""),
            ([], MISSING_ARCH, ""),
            (["-arch=ninety"], UNRECOGNIZED_ARCH, "unrecognized architecture: ninety\n"),
            (["-arch=compute_90"], INCOMPATIBLE_OPTIONS, "ERROR: virtual arch requires -ptx\n"),
            (["-arch=sm_90", "-ptx"], INCOMPATIBLE_OPTIONS, "ERROR: -ptx requires -lto\n"),
            (["-arch=sm_90", "-O3", "-g", "-lineinfo", "-ftz=true", "-prec-div=false", "-prec-sqrt=true", "-fma=1",
              "-Xptxas=-v", "-split-compile=0", "-no-cache", "-kernels-used=k"], SUCCESS, ""),
        ]:
            with self.subTest(options=options):
                link = self.link(*options)
                self.assertEqual((link.created, link.errors()), (result, log))
                if result == UNRECOGNIZED_OPTION:
                    self.assertEqual([link.add(GOOD), link.complete()], [INTERNAL, INTERNAL])

    def test_wrong_inputs(self):
        for data, kind, result, text in [
            (b"hello", PTX, INCORRECT_INPUT_TYPE, "not PTX"),
            (b"\x7fELF\2\1\1" + bytes(100), 1, MISSING_FATBIN, "machine code only"),
            (GOOD.encode(), 9, INCORRECT_INPUT_TYPE, "unsupported input type: a.ptx"),
            (b"", PTX, INVALID_INPUT, ""),
            (bytes([0xed, 0x43, 0x4e, 0x7f]) + bytes(60), 3, INCORRECT_INPUT_TYPE, "not PTX"),
            (GOOD.replace("sm_90", "sm_100").encode(), PTX, PTX_COMPILE, "sm_100"),
        ]:
            with self.subTest(data=data[:20], kind=kind):
                link = self.link("-arch=sm_90")
                self.assertEqual(link.add(data, kind), result)
                self.assertIn(text, link.errors())

    def test_misuse(self):
        none, nothing = ctypes.c_void_p(), ctypes.c_size_t()
        calls = Link.library
        self.assertEqual(calls.nvJitLinkCreate(None, 0, None), NULL_INPUT)
        self.assertEqual(calls.nvJitLinkComplete(none), INVALID_INPUT)
        self.assertEqual(calls.nvJitLinkAddData(none, PTX, b"x", ctypes.c_size_t(1), b"x"), INVALID_INPUT)
        self.assertEqual(calls.nvJitLinkDestroy(ctypes.byref(none)), INVALID_INPUT)
        self.assertEqual(calls.nvJitLinkGetErrorLogSize(none, ctypes.byref(nothing)), INVALID_INPUT)
        link = self.link("-arch=sm_90")
        self.assertEqual(calls.nvJitLinkAddData(link.handle, PTX, None, ctypes.c_size_t(1), b"x"), NULL_INPUT)
        self.assertEqual(calls.nvJitLinkAddFile(link.handle, PTX, b"/nowhere/x.ptx"), INVALID_INPUT)
        self.assertIn("/nowhere/x.ptx", link.errors())
        self.assertEqual(calls.nvJitLinkGetLinkedCubinSize(link.handle, None), NULL_INPUT)
        self.assertEqual([link.complete(), link.complete()], [SUCCESS, INVALID_INPUT])
        self.assertEqual(link.add(GOOD), INVALID_INPUT, "it is complete")

    def test_files(self):
        with tempfile.NamedTemporaryFile(suffix=".ptx") as file:
            file.write(GOOD.encode())
            file.flush()
            link = self.link("-arch=sm_90")
            self.assertEqual(Link.library.nvJitLinkAddFile(link.handle, PTX, file.name.encode()), SUCCESS)
            self.assertEqual(link.complete(), SUCCESS)

    def test_names_with_versions(self):
        for version in ["12_0", "12_9", "13_0", "13_5"]:
            major, minor = ctypes.c_uint(), ctypes.c_uint()
            call = getattr(Link.library, f"__nvJitLinkVersion_{version}")
            self.assertEqual(call(ctypes.byref(major), ctypes.byref(minor)), SUCCESS)
            self.assertEqual(major.value, 13)


class Ptxas(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.write("good.ptx", GOOD)

    def write(self, name, text):
        (Path(self.folder.name) / name).write_text(text)

    def run_it(self, *words):
        return subprocess.run([PTXAS, *words], cwd=self.folder.name, capture_output=True, text=True)

    def image(self, name="out"):
        return (Path(self.folder.name) / name).read_bytes()

    def test_options_of_programs(self):
        done = self.run_it("-lineinfo", "-v", "--gpu-name=sm_90a", "--fmad=false", "-O3", "--regAllocOptLevel=2",
                           "good.ptx", "-o", "out")
        self.assertEqual((done.returncode, done.stdout), (0, ""))
        self.assertRegex(done.stderr, r"Compiling entry function 'k' for 'sm_90a'\n(.*\n)*ptxas info    : Used \d+ reg")
        self.assertIn(b".entry k(", self.image())

    def test_each_form_of_a_value(self):
        self.write("options.txt", "-arch=sm_90 --output-file\n'elf.o'\t-c")
        for words in [["-arch=sm_90"], ["-arch", "sm_90"], ["--gpu-name", "sm_90"], ["--gpu-name=sm_90", "-O", "2"],
                      ["-arch=sm_90", "-m64", "-O3"], ["-m", "64", "-arch=sm_90", "-maxrregcount", "archmax"],
                      ["-optf", "options.txt"], ["--options-file=options.txt", "-O12"]]:
            with self.subTest(words=words):
                self.assertEqual(self.run_it(*words, "good.ptx").returncode, 0)
                self.assertIn(b".entry k(", self.image("elf.o"))

    def test_a_text_instead_of_a_file(self):
        for words in [["-ias", GOOD], ["--input-as-string=" + GOOD]]:
            self.assertEqual(self.run_it("-arch=sm_90", *words, "-o", "out").returncode, 0)
            self.assertIn(b".entry k(", self.image())

    def test_what_is_linked_later_may_miss_something(self):
        self.write("uses.ptx", USES_F)
        self.assertEqual(self.run_it("-arch=sm_90", "-c", "uses.ptx", "-o", "out").returncode, 0)
        self.assertEqual(self.run_it("-arch=sm_90", "uses.ptx", "-o", "whole").returncode, 255)

    def test_a_virtual_architecture_only_checks(self):
        self.assertEqual(self.run_it("-arch=compute_90", "good.ptx", "-o", "out").returncode, 0)
        self.assertFalse((Path(self.folder.name) / "out").exists())

    def test_errors(self):
        self.write("bad.ptx", GOOD.replace("ld.param", "ld.parm"))
        self.write("circle.txt", "--options-file circle.txt")
        for words, text in [
            (["-arch=sm_90", "bad.ptx"], "ptxas bad.ptx, line 7; error   : Unknown modifier '.parm'\n"),
            (["nosuch.ptx"], "ptxas fatal   : Input file 'nosuch.ptx' could not be opened\n"),
            (["-arch=sm_90", "--foo", "good.ptx"], "ptxas fatal   : Unknown option '-foo'\n"),
            (["-arch=sm_75", "good.ptx"], "sm_75"),
            (["-arch=x", "good.ptx"], "Value 'x' is not defined for option 'gpu-name'\n"),
            (["-arch=sm_90", "good.ptx", "-o", "no/folder"], "Output file 'no/folder' could not be written\n"),
            (["good.ptx", "-o"], "ptxas fatal   : argument expected after '-o'\n"),
            (["good.ptx", "--verbose=1"], "ptxas fatal   : no argument expected after '--verbose'\n"),
            (["good.ptx", "-m32"], "ptxas fatal   : Value '32' is not defined for option 'machine'\n"),
            (["good.ptx", "-maxrregcount=1x"], "ptxas fatal   : Invalid value '1x' for option 'maxrregcount'\n"),
            (["good.ptx", "-archsm_90"], "ptxas fatal   : Unknown option 'archsm_90'\n"),
            (["-optf", "nosuch.txt"], "ptxas fatal   : Could not open options file 'nosuch.txt'\n"),
            (["-optf", "circle.txt"], "ptxas fatal   : Too many options file opened 'circle.txt'\n"),
            ([], "Missing input file\n"),
        ]:
            with self.subTest(words=words):
                done = self.run_it(*words)
                self.assertEqual(done.returncode, 255)
                self.assertIn(text, done.stderr)

    def test_what_is_no_file(self):
        """The standard input by two names, and a pipe."""
        for words in [["-"], ["/dev/stdin"]]:
            with self.subTest(words=words):
                done = subprocess.run([PTXAS, "-arch=sm_90", *words, "-o", "out"], cwd=self.folder.name,
                                      input=GOOD.encode() + b"//" + b"x" * 200000, capture_output=True)
                self.assertEqual((done.returncode, done.stderr), (0, b""))
                self.assertIn(b".entry k(", self.image())
        for words in [["/dev/null"], [self.folder.name]]:
            self.assertEqual(self.run_it("-arch=sm_90", *words).returncode, 255)

    def test_version(self):
        self.assertRegex(self.run_it("--version").stdout, r"release \d+\.\d+, V\d+")


def real_libraries():
    """Variables that name the real compilers of this machine, as far as there are any."""
    text = subprocess.run([CUSHIM, "info"], capture_output=True, text=True).stdout
    found = {}
    for label, variable in [("nvrtc", "CUSHIM_NVRTC_REAL"), ("jitlink", "CUSHIM_NVJITLINK_REAL")]:
        line = re.search(rf"^{label} +[0-9.]+ +(\S+)", text, re.M)
        if line:
            found[variable] = line[1]
    return found


class UnderRun(unittest.TestCase):
    """Programs open NVIDIA's libraries by paths of their own, as wheels do, and get what stands in for them.

    The files at these paths are none that could be used; variables name the real ones."""

    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        for name in ["libcuda.so.1", "libnvJitLink.so.13", "libnvrtc.so.13", "ptxas", "ptxas-new", "nvlink", "fatbinary"]:
            path = Path(self.folder.name) / name
            path.write_text("#!/bin/sh\necho the real one\n")
            path.chmod(0o755)

    def run_it(self, *words, options=()):
        clean = {k: v for k, v in os.environ.items() if not k.startswith("CUSHIM_MOCK")}
        return subprocess.run([CUSHIM, "run", *options, "--", *words], capture_output=True, text=True, env=clean | real_libraries())

    def program(self, *words):
        done = self.run_it(sys.executable, PROGRAM, self.folder.name, *words)
        if done.returncode == 77:
            self.skipTest(done.stdout.strip())
        self.assertEqual((done.returncode, done.stdout), (0, "right\n"), done.stderr)

    def test_what_nvjitlink_links_runs(self):
        self.program("link")

    def test_what_nvrtc_makes_for_a_device_runs(self):
        self.program("compile")

    def test_ltoir_is_linked_by_the_real_one_and_runs(self):
        self.program("lto")

    def test_what_ptxas_makes_runs(self):
        self.program("assemble")

    def test_tools_by_any_path(self):
        path = f"{self.folder.name}/ptxas"
        for words in [["sh", "-c", f"{path} --version"], ["env", "ptxas", "--version"], ["env", path, "--version"],
                      ["env", f"{path}-new", "--version"], ["env", f"{self.folder.name}/nvlink", "--version"],
                      ["sh", "-c", f"{self.folder.name}/fatbinary --version"], ["nvlink", "--version"]]:
            with self.subTest(words=words):
                self.assertIn("stand-in of cushim", self.run_it(*words).stdout)

    def make(self, name, text, *words):
        """Compiles a text of C in the folder."""
        (Path(self.folder.name) / f"{name}.c").write_text(text)
        made = subprocess.run(["gcc", f"{name}.c", "-o", name, *words], cwd=self.folder.name, stderr=subprocess.DEVNULL)
        if made.returncode:
            self.skipTest("gcc makes no program here")
        return f"{self.folder.name}/{name}"

    def test_each_function_that_runs_programs(self):
        program = self.make("runs", """
            #define _GNU_SOURCE
            #include <spawn.h>
            #include <stdlib.h>
            #include <string.h>
            #include <sys/wait.h>
            #include <unistd.h>
            extern char **environ;
            int main(int n, char **words)
            {
                char *const to[] = {"ptxas", "--version", NULL};
                char *path = words[2];
                pid_t pid;
                switch (atoi(words[1])) {
                case 0: return execl(path, "ptxas", "--version", (char *) NULL);
                case 1: return execlp(path, "ptxas", "--version", (char *) NULL);
                case 2: return execle(path, "ptxas", "--version", (char *) NULL, environ);
                case 3: return execv(path, to);
                case 4: return execve(path, to, environ);
                case 5: return execvp(path, to);
                case 6: return execvpe(path, to, environ);
                case 7: return posix_spawn(&pid, path, NULL, NULL, to, environ) || waitpid(pid, NULL, 0) != pid;
                case 8: return posix_spawnp(&pid, path, NULL, NULL, to, environ) || waitpid(pid, NULL, 0) != pid;
                case 9: return system(strcat(strcpy(malloc(9999), path), " --version"));
                default: return n;
                }
            }
            """)
        for number in range(10):
            with self.subTest(number=number):
                self.assertIn("stand-in of cushim", self.run_it(program, str(number), f"{self.folder.name}/ptxas").stdout)

    def test_a_library_that_says_where_it_searches(self):
        """A name without a path is looked for where the library that opens it says, and not where redirect.so does."""
        (Path(self.folder.name) / "part").mkdir()
        self.make("part/libinner.so", "int inner(void) { return 7; }", "-shared", "-fPIC")
        for function in ["dlopen(", "dlmopen(LM_ID_BASE, "]:
            self.make("libouter.so", f"""
                #define _GNU_SOURCE
                #include <dlfcn.h>
                void *outer(void) {{ void *volatile found = {function}"libinner.so", RTLD_NOW); return found; }}
                """, "-shared", "-fPIC", "-Wl,-rpath,$ORIGIN/part")
            program = self.make("main", """
                #include <stdio.h>
                void *outer(void);
                int main(void) { return puts(outer() ? "right" : "not found") < 0; }
                """, f"{self.folder.name}/libouter.so")
            with self.subTest(function=function):
                self.assertEqual(self.run_it(program).stdout, "right\n")

    def test_compilers_of_its_own(self):
        done = self.run_it(f"{self.folder.name}/ptxas", options=["--own-compilers"])
        self.assertEqual(done.stdout, "the real one\n")

    def test_compilers_beside_an_older_driver(self):
        done = self.run_it("env", options=["--driver", "13.0"])
        folders = dict(line.split("=", 1) for line in done.stdout.splitlines() if "=" in line)["LD_LIBRARY_PATH"].split(":")
        self.assertTrue(Path(folders[0], "ptxas").exists(), folders)
        self.assertEqual(Path(folders[1]).name, "13.0")

    def test_a_program_that_is_linked_with_a_compiler(self):
        """It asks for the versions that NVIDIA's libraries have."""
        for name, function in [("nvrtc", "nvrtcVersion"), ("nvJitLink", "nvJitLinkVersion")]:
            for major in [12, 13]:
                soname = f"lib{name}.so.{major}"
                (Path(self.folder.name) / "map").write_text(f"{soname} {{ global: *; }};")
                (Path(self.folder.name) / "real.c").write_text(f"int {function}(void *a, void *b) {{ return a != b; }}")
                (Path(self.folder.name) / "main.c").write_text(
                    f"int {function}(void *, void *);\nint main(void) {{ unsigned a, b; return {function}(&a, &b); }}\n")
                for words in [["-shared", "-fPIC", "real.c", "-o", soname, f"-Wl,-soname,{soname}", "-Wl,--version-script=map"],
                              ["main.c", soname, "-o", "main"]]:
                    subprocess.run(["gcc", *words], cwd=self.folder.name, check=True)
                os.unlink(f"{self.folder.name}/{soname}")
                done = self.run_it(f"{self.folder.name}/main")
                self.assertEqual((done.returncode, done.stderr), (0, ""))

    def test_a_program_with_the_address_sanitizer(self):
        source = Path(self.folder.name) / "main.c"
        source.write_text('#include <dlfcn.h>\n#include <stdio.h>\n'
                          'int main(void) { return puts(dlopen("libcuda.so.1", RTLD_NOW) ? "right" : dlerror()) < 0; }\n')
        made = subprocess.run(["gcc", "-fsanitize=address", "main.c", "-o", "main"], cwd=self.folder.name,
                              stderr=subprocess.DEVNULL)
        if made.returncode:
            self.skipTest("gcc makes no program with the address sanitizer here")
        done = self.run_it(f"{self.folder.name}/main")
        self.assertEqual((done.returncode, done.stdout), (0, "right\n"), done.stderr)

    def test_compilers_that_a_program_opens_by_name(self):
        """The real ones are those that would be found without the stand-ins in the library path, also by a program
        that searches that path itself."""
        if not real_libraries().get("CUSHIM_NVRTC_REAL"):
            self.skipTest("there is no NVRTC")
        script = ("import ctypes, os\nn = ctypes.c_int()\n"
                  "found = os.environ['LD_LIBRARY_PATH'].split(':')[0] + '/libnvrtc.so'\n"
                  "for path in [found, 'libnvrtc.so.13']:\n"
                  "    print(ctypes.CDLL(path).nvrtcVersion(ctypes.byref(n), ctypes.byref(n)))\n")
        clean = {k: v for k, v in os.environ.items() if not k.startswith("CUSHIM_NVRTC")}
        done = subprocess.run([CUSHIM, "run", "--", sys.executable, "-c", script], capture_output=True, text=True,
                              env=clean)
        self.assertEqual(done.stdout, "0\n0\n", done.stderr)

    def test_paths_without_a_file_stay_as_they_are(self):
        script = "import ctypes\ntry:\n ctypes.CDLL('/nowhere/libnvrtc.so.13')\nexcept OSError as e:\n print(e)\n"
        self.assertIn("/nowhere/libnvrtc.so.13", self.run_it(sys.executable, "-c", script).stdout)


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], *sys.argv[5:]])
