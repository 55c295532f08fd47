#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""`cushim compile`: what it writes, compiled by each compiler here and run on the mock; what it refuses.

test_compile.py CUSHIM LIBCUSHIM MOCK INCLUDE...

It needs NVRTC. Without one the result is 77.
"""

import os
import re
import resource
import shutil
import signal
import struct
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

CUSHIM, LIBRARY, MOCK, *INCLUDES = (str(Path(a).absolute()) for a in sys.argv[1:])
C = [[c, "-x", "c", "-std=c11"] for c in ("gcc", "clang") if shutil.which(c)]
CPP = [[c, "-x", "c++", f"-std=c++{s}"] for c in ("g++", "clang++") if shutil.which(c) for s in (11, 20)]
STRICT = ["-Wall", "-Wextra", "-Wpedantic", "-Wshadow", "-Werror", *(f"-I{i}" for i in INCLUDES)]

SAXPY = """extern "C" __global__ void saxpy(float a, const float *__restrict__ x, float *y, size_t n)
{
    size_t i = blockIdx.x * (size_t) blockDim.x + threadIdx.x;
    if (i < n)
        y[i] = a * x[i] + y[i];
}
"""

PROGRAM = """#include "kernels.h"
#include <stdio.h>

static cushim_status run(void)
{
    CUSHIM_SCOPED(cushim_driver) driver = CUSHIM_NONE;
    CUSHIM_SCOPED(cushim_context) context = CUSHIM_NONE;
    CUSHIM_SCOPED(cushim_slice) x = CUSHIM_NONE;
    CUSHIM_SCOPED(cushim_slice) y = CUSHIM_NONE;
    cushim_stream stream;
    float a[4] = {1, 2, 3, 4}, b[4] = {1, 1, 1, 1};

    CUSHIM_TRY(cushim_open(NULL, &driver));
    CUSHIM_TRY(cushim_context_primary(driver, 0, &context));
    CUSHIM_TRY(cushim_stream_default(context, &stream));
    CUSHIM_TRY(cushim_slice_from(stream, a, 4, &x));
    CUSHIM_TRY(cushim_slice_from(stream, b, 4, &y));
    CUSHIM_TRY(LAUNCH);
    CUSHIM_TRY(cushim_slice_read(stream, y, b, 4));
    printf("%g %g %g %g\\n", b[0], b[1], b[2], b[3]);
    return CUSHIM_OK;
}

int main(void)
{
    if (run())
        printf("%s\\n", cushim_error_text());
    return 0;
}
"""

GRID = "cushim_for_elements(4)"


def run(*command, cwd, env=None, **more):
    return subprocess.run([str(c) for c in command], cwd=cwd, env=env, text=True, capture_output=True, **more)


class Compile(unittest.TestCase):
    def setUp(self):
        self.folder = Path(tempfile.mkdtemp(prefix="cushim-compile-"))
        self.addCleanup(shutil.rmtree, self.folder)

    def write(self, name, text):
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)

    def compile(self, *arguments, status=0, **more):
        done = run(CUSHIM, "compile", *arguments, cwd=self.folder, **more)
        self.assertEqual(done.returncode, status, done.stdout + done.stderr)
        return done.stderr

    def header(self, source, *arguments):
        self.write("kernels.cu", source)
        self.compile("kernels.cu", "-o", "kernels.h", *arguments)
        return (self.folder / "kernels.h").read_text()

    def refuse(self, source, *arguments, status=1):
        self.write("kernels.cu", source)
        return self.compile("kernels.cu", "-o", "kernels.h", *arguments, status=status)

    def build(self, compiler, *files):
        done = run(*compiler, *STRICT, *files, "-x", "none", LIBRARY, f"-Wl,-rpath,{Path(LIBRARY).parent}",
                   "-o", "program", cwd=self.folder)
        self.assertEqual(done.returncode, 0, done.stderr)
        done = run("./program", cwd=self.folder, env={"CUSHIM_LIBCUDA": MOCK})
        return done.stdout

    def check(self, compiler, launch):
        """What the compiler says of a launch, "" if it takes it."""
        self.write("program.c", PROGRAM.replace("LAUNCH", launch))
        return run(*compiler, *STRICT, "-fsyntax-only", "program.c", cwd=self.folder).stderr


class Headers(Compile):
    def test_what_is_written_runs_in_each_language(self):
        self.header(SAXPY)
        self.write("program.c", PROGRAM.replace("LAUNCH", f"saxpy_launch(stream, {GRID}, 2.0f, x, y, 4)"))
        for compiler in C + CPP:
            with self.subTest(compiler=compiler):
                self.assertEqual(self.build(compiler, "program.c"), "3 5 7 9\n")

    def test_a_fat_image_runs(self):
        self.header(SAXPY, "--arch", "75,90,sm_90")
        self.write("program.c", PROGRAM.replace("LAUNCH", f"saxpy_launch(stream, {GRID}, 2, x, CUSHIM_VIEW(y), 4u)"))
        self.assertEqual(self.build(C[0], "program.c"), "3 5 7 9\n")

    def test_wrong_arguments_are_errors_of_the_compiler(self):
        self.header(SAXPY)
        launches = {
            f"saxpy_launch(stream, {GRID}, 2, x, b, 4)": "slice.{1,2}pinned",
            f"saxpy_launch(stream, {GRID}, 2, 3, y, 4)": "slice.{1,2}pinned|cushim__view_of",
            f"saxpy_launch(stream, {GRID}, x, x, y, 4)": "'?float'?|‘float’",
            f"saxpy_launch(stream, {GRID}, b, x, y, 4)": "float",
            f"saxpy_launch(stream, {GRID}, 2, x, y, 4.0)": "the kernel takes an integer here",
            f"saxpy_launch(stream, {GRID}, 2, x, y, b)": "the kernel takes an integer here",
            f"saxpy_launch(stream, {GRID}, 2, x, y)": "arguments",
            f"saxpy_launch(stream, {GRID}, 2, x, y, 4, 4)": "arguments",
            "saxpy_launch(stream, 4, 2, x, y, 4)": "cushim_launch_config|cushim__launch_saxpy",
            f"saxpy_launch(context, {GRID}, 2, x, y, 4)": "cushim_stream|cushim__launch_saxpy",
        }
        for compiler in C + CPP:
            self.assertEqual(self.check(compiler, f"saxpy_launch(stream, {GRID}, 2.0f, x, y, sizeof(b) / 4)"), "")
            for launch, message in launches.items():
                with self.subTest(compiler=compiler, launch=launch):
                    said = self.check(compiler, launch)
                    self.assertRegex(said, "error")
                    self.assertRegex(said, message)
        shown = self.check(C[0], f"saxpy_launch(stream, {GRID}, 2, x, y, 4.0)")
        print(*[line for line in shown.splitlines() if "error" in line], sep="\n")

    def test_memory_of_other_elements_is_an_error_of_the_launch(self):
        self.header(SAXPY.replace("float", "double"))
        self.write("program.c", PROGRAM.replace("LAUNCH", f"saxpy_launch(stream, {GRID}, 2, x, y, 4)"))
        self.assertIn("argument 1 (x) has elements of 4 bytes", self.build(C[0], "program.c"))

    def test_several_files_share_one_module(self):
        self.header(SAXPY)
        self.write("program.c", "cushim_status second(cushim_stream, cushim_slice);\n" + PROGRAM.replace(
            "LAUNCH", f"saxpy_launch(stream, {GRID}, 2, x, y, 4));\n    CUSHIM_TRY(second(stream, y)"))
        program = (self.folder / "program.c").read_text()
        self.write("program.c", '#include "kernels.h"\n' + program)
        self.write("second.c", '#include "kernels.h"\ncushim_status second(cushim_stream s, cushim_slice y);\n'
                   "cushim_status second(cushim_stream s, cushim_slice y)\n{\n    cushim_slice z = CUSHIM_NONE;\n"
                   f"    CUSHIM_TRY(cushim_slice_clone(s, y, &z));\n    CUSHIM_TRY(saxpy_launch(s, {GRID}, 1, z, y, 4));\n"
                   "    cushim_slice_free(&z);\n    return CUSHIM_OK;\n}\n")
        self.assertEqual(self.build(C[0], "program.c", "second.c"), "6 10 14 18\n")

    def test_two_headers_with_one_prefix_are_apart(self):
        self.write("other/kernels.cu", SAXPY.replace("saxpy", "other").replace("a * x", "2 * a * x"))
        self.compile("other/kernels.cu", "-o", "other/kernels.h", "--prefix", "kernels")
        self.header(SAXPY)
        self.write("second.c", '#include "other/kernels.h"\nint use(cushim_context c);\n'
                   "int use(cushim_context c)\n{\n    return kernels_load(c);\n}\n")
        self.write("program.c", PROGRAM.replace("static", "int use(cushim_context);\n\nstatic", 1).replace(
            "LAUNCH", f"use(context));\n    CUSHIM_TRY(saxpy_launch(stream, {GRID}, 2, x, y, 4)"))
        self.assertEqual(self.build(C[0], "program.c", "second.c"), "3 5 7 9\n")

    def test_every_type_of_a_parameter(self):
        types = ["bool", "char", "signed char", "unsigned char", "short", "unsigned short", "int", "unsigned", "long",
                 "unsigned long", "long long", "unsigned long long", "float", "double"]
        values = ", ".join(f"{t} v{i}" for i, t in enumerate(types))
        pointers = ", ".join(f"const {t} *c{i}, {t} *p{i}" for i, t in enumerate([*types, "void", "float *"]))
        self.header(f'extern "C" __global__ void types({values}, {pointers}) {{}}')
        views = ", ".join(["cushim_view"] * 2 * (len(types) + 2))
        self.write("program.c", '#include "kernels.h"\n'
                   "extern cushim_status (*const all_of_them)(cushim_stream, struct cushim_launch_config, "
                   f"{', '.join(types)}, {views});\ncushim_status (*const all_of_them)(cushim_stream, struct "
                   f"cushim_launch_config, {', '.join(types)}, {views}) = cushim__launch_types;\n")
        for compiler in C + CPP:
            done = run(*compiler, *STRICT, "-fsyntax-only", "program.c", cwd=self.folder)
            self.assertEqual(done.stderr, "", compiler)

    def test_intents_and_elements_follow_the_types(self):
        text = self.header("struct s { int a[3]; };\n"
                           'extern "C" __global__ void k(const int *a, volatile double *b, const s *c, s *d, char *e, '
                           "const unsigned short *f, int (*g)[4]) {}")
        self.assertEqual(re.findall(r"INTENT_(\w+), \"(\w)\"", text),
                         [("IN", "a"), ("INOUT", "b"), ("IN", "c"), ("INOUT", "d"), ("INOUT", "e"), ("IN", "f"),
                          ("INOUT", "g")])
        [elements] = re.findall(r"_elements_k\[7\] = \{(.*?)\};", text, re.S)
        self.assertEqual([e.strip() for e in elements.split(",")][:-1],
                         ["4 | (size_t) CUSHIM_ELEMENT_INTEGER << 56", "8 | (size_t) CUSHIM_ELEMENT_FLOAT << 56", "0", "0",
                          "0", "2 | (size_t) CUSHIM_ELEMENT_INTEGER << 56", "0"])

    def test_names_in_cpp(self):
        text = self.header("namespace a { struct q { int i; }; namespace b { __global__ void scale(float *x, const q *y) {} } }\n"
                           "template <class T, int n> __global__ void fill(T *x, T value) { x[0] = value + n; }\n"
                           "namespace { __global__ void hidden(int *p) { *p = 1; } }\n"
                           "typedef unsigned long number;\n__global__ void plain(number n, number *, int) {}",
                           "--kernel", "fill_int=fill<int, 3>", "--kernel", "fill_float=fill<float, 4>")
        for name in ["a_b_scale", "fill_int", "fill_float", "plain", "hidden"]:
            self.assertIn(f"#define {name}_launch(", text)
        self.assertIn("plain_launch(stream, config, argument_0, argument_1, argument_2)", text.replace("\\\n", ""))
        self.assertIn("fill_int_launch(stream, config, x, value)", text)
        self.assertIn("unsigned long cushim__0 /* argument_0 */", text)
        self.assertIn('"_Z4fillIiLi3EEvPT_S0_"', text)

    def test_names_of_parameters_that_would_clash(self):
        text = self.header('extern "C" __global__ void k(int stream, int config, int restrict, float (*arguments)[2] = 0) {}')
        self.assertIn("k_launch(stream, config, stream_, config_, restrict_, arguments_)", text)
        for compiler in C + CPP:
            self.write("program.c", '#include "kernels.h"\n')
            self.assertEqual(run(*compiler, *STRICT, "-fsyntax-only", "program.c", cwd=self.folder).stderr, "")

    def test_names_of_parameters_may_be_words_of_the_program(self):
        text = self.header(SAXPY.replace("size_t n", "size_t N").replace("i < n", "i < N").replace(
            "float a,", "float _Generic,").replace("a * x", "_Generic * x").replace("*y", "*_Thread_local").replace(
            "y[i]", "_Thread_local[i]"))
        self.assertIn("saxpy_launch(stream, config, _Generic, x, _Thread_local, N)", text)
        program = PROGRAM.replace("LAUNCH", f"saxpy_launch(stream, {GRID}, 2.0f, x, y, 4)")
        self.write("program.c", "#define N 100\n#define x_ 3\n" + program)
        for compiler in C + CPP:
            with self.subTest(compiler=compiler):
                self.assertEqual(self.build(compiler, "program.c"), "3 5 7 9\n")

    def test_headers_in_brackets_keep_them(self):
        text = self.header(SAXPY, "--include", "<stdint.h>", "--include", "stddef.h")
        self.assertIn('#include <stdint.h>\n#include "stddef.h"\n', text)

    def test_a_source_with_a_mark_of_its_encoding(self):
        self.header("\ufeff" + SAXPY)

    def test_names_of_kernels_that_begin_alike(self):
        kernels = [f'extern "C" __global__ void {name}(float *y) {{ y[0] = {value}; }}\n'
                   for name, value in [("set", 1), ("set_", 2), ("set__", 3)]]
        for name, value in [("set", 1), ("set_", 2), ("set__", 3)]:
            self.write(f"{name}.c", PROGRAM.replace("LAUNCH", f"{name}_launch(stream, cushim_for_elements(1), y)"))
            for order in (kernels, kernels[::-1]):
                self.header("".join(order))
                for compiler in (C[0], CPP[0]):
                    self.assertEqual(self.build(compiler, f"{name}.c"), f"{value} 1 1 1\n")

    def test_structures_as_values(self):
        self.write("particle.h", "typedef struct particle { float x, y; } particle;\n")
        source = '#include "particle.h"\nextern "C" __global__ void move(particle p, float *y) { y[0] = p.x; y[1] = p.y; }\n'
        said = self.refuse(source)
        self.assertIn("kernel move: parameter 0 (p) is a value of type particle: name a header", said)
        self.header(source, "--include", "particle.h")
        self.write("program.c", PROGRAM.replace("float a[4]", "particle p = {7, 8};\n    float a[4]").replace(
            "LAUNCH", f"move_launch(stream, cushim_for_elements(1), p, y)"))
        self.assertEqual(self.build(C[0], "program.c"), "7 8 1 1\n")
        self.write("particle.h", "typedef struct particle { float x, y, z; } particle;\n")
        self.assertIn("particle_has_another_size_in_the_kernel", self.check(C[0], "0"))

    def test_an_unknown_message_of_nvrtc_is_shown_once(self):
        self.write("kernels.cu", SAXPY + "static __device__ int unused() { return 1; }\n")
        said = self.compile("kernels.cu", "--arch", "75,90", "-o", "kernels.h")
        self.assertEqual(said.count("warning #177"), 1, said)


class Files(Compile):
    def test_ptx_machine_code_and_fat_binaries(self):
        self.write("k.cu", SAXPY)
        self.compile("k.cu", "-o", "k.ptx")
        self.compile("k.cu", "--arch", "80", "-o", "k80.ptx")
        self.compile("k.cu", "--arch", "sm_90", "-o", "k.cubin")
        self.compile("k.cu", "--arch", "75,80,sm_90,90a", "-o", "k.fatbin")
        self.assertIn(".entry saxpy", (self.folder / "k.ptx").read_text())
        self.assertIn(".target sm_80", (self.folder / "k80.ptx").read_text())
        self.assertEqual((self.folder / "k.cubin").read_bytes()[:4], b"\x7fELF")
        for capability, target in [("7.5", 75), ("8.6", 80), ("9.0", 90)]:
            said = run(CUSHIM, "ptx", "--capability", capability, "k.fatbin", cwd=self.folder)
            if "there is no command" in said.stderr:
                return
            self.assertIn(f"for sm_{target}", said.stdout, said.stderr)

    def entries(self, path):
        """[(header, its bytes)] of a fat binary."""
        data = path.read_bytes()
        magic, version, header, size = struct.unpack_from("<IHHQ", data)
        self.assertEqual((magic, version, header, size), (0xba55ed50, 1, 16, len(data) - 16))
        found, at = [], 16
        while at < len(data):
            _, _, length, payload = struct.unpack_from("<HHIQ", data, at)
            found.append((data[at:at + length], data[at + length:at + length + payload]))
            at += length + payload
        return found

    @unittest.skipUnless(shutil.which("fatbinary") or Path("/usr/local/cuda/bin/fatbinary").exists(), "no fatbinary")
    def test_fat_binaries_are_those_of_the_toolkit(self):
        tool = shutil.which("fatbinary") or "/usr/local/cuda/bin/fatbinary"
        self.write("k.cu", SAXPY)
        images = []
        for arch in ["75", "90a"]:
            self.compile("k.cu", "--arch", arch, "-o", f"k{arch}.ptx")
            images.append(f"--image3=kind=ptx,sm={arch},file=k{arch}.ptx")
        self.compile("k.cu", "--arch", "sm_90", "-o", "k.cubin")
        images.append("--image3=kind=elf,sm=90,file=k.cubin")
        done = run(tool, "--create=theirs", "-64", "--compress=false", *images, cwd=self.folder)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.compile("k.cu", "--arch", "75,90a,sm_90", "-o", "ours.fatbin")
        for ours, theirs in zip(self.entries(self.folder / "ours.fatbin"), self.entries(self.folder / "theirs"), strict=True):
            # The toolkit leaves comments out of PTX, so the sizes of texts differ.
            self.assertEqual(ours[0][:8] + ours[0][16:], theirs[0][:8] + theirs[0][16:])
            self.assertEqual(len(ours[1]) % 8, 0)

    def test_dependencies(self):
        self.write("src/k.cu", '#include "a b.h"\n#include <deep.cuh>\n#if 0\n#include "off.h"\n#endif\n' + SAXPY)
        self.write("src/a b.h", "")
        self.write("src/off.h", "")
        self.write("inc/deep.cuh", '#include "next/deeper.cuh"\n')
        self.write("inc/next/deeper.cuh", '# include "deeper$.cuh" // it\n#include "deeper.cuh"\n')
        self.write("inc/next/deeper$.cuh", "#pragma once\n")
        self.write("inc/next/deeper.cuh", '#pragma once\n# include "deeper$.cuh" // it\n')
        self.compile("src/k.cu", "-I", "inc", "-o", "k.h", "-MF", "k.d")
        self.assertEqual((self.folder / "k.d").read_text(),
                         "k.h: src/k.cu \\\n  src/a\\ b.h \\\n  inc/deep.cuh \\\n  inc/next/deeper.cuh \\\n"
                         "  inc/next/deeper$$.cuh \\\n  src/off.h\n")

    def test_dependencies_however_they_are_written(self):
        """A name that a macro makes is not found, and hides no other one."""
        self.write("k.cu", '#define NAME "named.h"\n#include NAME\n/* x */ # /* y */ include "a.h"\n#in\\\nclude "b.h"\n'
                           '#if __has_include("c.h")\n#endif\n%:include <d.h>\n' + SAXPY)
        for name in ("named", "a", "b", "c", "d"):
            self.write(f"{name}.h", "")
        self.compile("k.cu", "-I", ".", "-o", "k.out.h", "-MF", "k.d")
        found = (self.folder / "k.d").read_text().replace("\\\n", "").split()[2:]
        self.assertEqual(sorted(found), ["./d.h", "a.h", "b.h", "c.h"])

    def test_a_failure_leaves_the_output_as_it_was(self):
        self.write("k.cu", SAXPY)
        self.compile("k.cu", "-o", "k.h")
        before = (self.folder / "k.h").read_bytes()
        self.write("k.cu", SAXPY.replace("float a", "floot a"))
        self.compile("k.cu", "-o", "k.h", status=1)
        self.write("k.cu", SAXPY + SAXPY.replace("saxpy", "second"))

        def full_disk():
            signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
            resource.setrlimit(resource.RLIMIT_FSIZE, (4096, 4096))

        said = self.compile("k.cu", "-o", "k.h", status=3, preexec_fn=full_disk)
        self.assertIn("k.h: File too large", said)
        self.assertEqual((self.folder / "k.h").read_bytes(), before)
        self.assertEqual(sorted(p.name for p in self.folder.iterdir()), ["k.cu", "k.h"])

    def test_outputs_that_cannot_be_written(self):
        self.write("k.cu", SAXPY)
        (self.folder / "folder.h").mkdir()
        self.assertIn("absent/k.h: No such file", self.compile("k.cu", "-o", "absent/k.h", status=3))
        self.assertIn("folder.h: Is a directory", self.compile("k.cu", "-o", "folder.h", status=3))
        self.assertIn("k.d", self.compile("k.cu", "-o", "k.h", "-MF", "absent/k.d", status=3))
        self.assertEqual(sorted(p.name for p in self.folder.iterdir()), ["folder.h", "k.cu"])


class Refusals(Compile):
    def test_errors_have_their_file_and_line(self):
        said = self.refuse("// one\n" + SAXPY.replace("float a", "floot a"))
        self.assertRegex(said, r'kernels\.cu\(2\): error: identifier "floot" is undefined')

    def test_templates_need_a_name(self):
        template = "template <class T> __global__ void fill(T *x) { *x = 1; }\n"
        self.assertIn("no kernels: a template becomes one by --kernel", self.refuse(template))
        self.assertIn("kernel fill<int>: it needs a name in C: --kernel NAME=", self.refuse(template, "--kernel", "fill<int>"))
        self.assertIn("name it: --kernel NAME='name<...>'",
                      self.refuse(template + "template __global__ void fill<int>(int *);\n"))
        self.assertRegex(self.refuse(SAXPY, "--kernel", "x=absent"), 'identifier "absent" is undefined')

    def test_two_kernels_of_one_name(self):
        both = "__global__ void k(int *x) { *x = 1; }\n__global__ void k(float *x) { *x = 1; }\n"
        self.assertIn("kernel k: there are two: name one --kernel NAME=_Z1kPf", self.refuse(both))
        self.assertIn("k_float_launch", self.header(both, "--kernel", "k_float=_Z1kPf"))

    def test_a_kernel_has_one_name(self):
        for names in [("a=saxpy", "b=saxpy"), ("saxpy", "b=saxpy"), ("b=saxpy", "saxpy")]:
            said = self.refuse(SAXPY, *(word for name in names for word in ("--kernel", name)))
            self.assertIn("kernel saxpy: two --kernel name it", said)

    def test_a_kernel_with_the_name_of_another_function(self):
        source = "__device__ int twice(int i) { return 2 * i; }\n" + SAXPY.replace("saxpy", "twice")
        self.assertIn('has the name of another function, of CUDA or of the source, give it another name', self.refuse(source))
        self.assertIn("twice_launch", self.header(source.replace('extern "C" ', "")))

    def test_expressions_that_name_no_kernel(self):
        for name in ["=", "1a=saxpy", "=saxpy"]:
            self.assertIn(f"'{name}' has no name in C before its '='", self.refuse(SAXPY, "--kernel", name, status=2))
        self.assertIn("--kernel, which takes a kernel of the source", self.refuse(SAXPY, "--kernel", "a=nosuch"))
        self.assertNotIn("--kernel", self.refuse(SAXPY.replace("float a", "floot a")))

    def test_parameters_that_a_host_has_not(self):
        for parameter, why in {"void (*f)()": "points to a function", "std::vector<int> v": "a std::vector is of a class",
                               "ns::s v": "a ns::s is of a class that has no name in C"}.items():
            said = self.refuse("namespace std { template <class T> struct vector { T *p; }; } namespace ns { struct s { int i; }; }\n"
                               f'extern "C" __global__ void k({parameter}) {{}}')
            self.assertIn(f"kernel k: parameter 0", said)
            self.assertIn(why, said)

    def test_architectures(self):
        self.assertIn("'9x' is no architecture", self.refuse(SAXPY, "--arch", "9x", status=2))
        self.assertIn("'' is no architecture", self.refuse(SAXPY, "--arch", "75,", status=2))
        self.assertIn("'compute_75' is named twice", self.refuse(SAXPY, "--arch", "75,compute_75", status=2))
        self.assertRegex(self.refuse(SAXPY, "--arch", "10"), r"NVRTC has no architecture compute_10; it has [0-9]+,")

    def test_command_lines(self):
        self.write("k.cu", SAXPY)
        self.assertIn("usage:", self.compile(status=2))
        self.assertIn("no output is given: -o OUTPUT\n\nusage:", self.compile("k.cu", status=2))
        self.assertIn("no source is given\n\nusage:", self.compile("-o", "k.h", status=2))
        self.assertIn("one source at a time: 'l.cu' is another", self.compile("k.cu", "l.cu", "-o", "k.h", status=2))
        self.assertIn("has a line end in its name", self.compile("a\nb.cu", "-o", "k.h", "-MF", "k.d", status=2))
        self.assertIn("'k.txt' ends neither with .h", self.compile("k.cu", "-o", "k.txt", status=2))
        self.assertIn("holds one architecture", self.compile("k.cu", "-o", "k.ptx", "--arch", "75,90", status=2))
        self.assertIn("needs an architecture", self.compile("k.cu", "-o", "k.cubin", status=2))
        self.assertIn("is PTX", self.compile("k.cu", "-o", "k.ptx", "--arch", "sm_90", status=2))
        self.assertIn("no name in C", self.compile("k.cu", "-o", "k.h", "--prefix", "a-b", status=2))
        self.assertIn("only -MF FILE", self.compile("k.cu", "-o", "k.h", "-MD", status=2))
        self.assertIn("absent.cu: No such file", self.compile("absent.cu", "-o", "k.h", status=3))
        self.assertIn("no NVRTC found", self.compile("k.cu", "-o", "k.h", status=3, env=os.environ | {"CUSHIM_LIBNVRTC": "none"}))
        self.assertEqual([p.name for p in self.folder.iterdir()], ["k.cu"])

    def test_nothing_written_replaces_the_source(self):
        self.write("k.h", SAXPY)
        (self.folder / "other.h").symlink_to("k.h")
        for arguments in [("k.h", "-o", "k.h"), ("k.h", "-o", "./k.h"), ("other.h", "-o", "k.h"),
                          ("k.h", "-o", "x.h", "-MF", "k.h"), ("k.h", "-o", "x.h", "-MF", "other.h")]:
            self.assertIn("is the source, which", self.compile(*arguments, status=2))
        self.assertIn("'x.h' is the output, which", self.compile("k.h", "-o", "x.h", "-MF", "x.h", status=2))
        self.assertEqual((self.folder / "k.h").read_text(), SAXPY)
        self.assertEqual(sorted(p.name for p in self.folder.iterdir()), ["k.h", "other.h"])

    def test_wrong_options_of_nvrtc(self):
        self.assertRegex(self.refuse(SAXPY, "--option=--there-is-none"), "there-is-none|INVALID_OPTION")


def has_nvrtc():
    with tempfile.TemporaryDirectory() as folder:
        (Path(folder) / "k.cu").write_text(SAXPY)
        done = run(CUSHIM, "compile", "k.cu", "-o", "k.ptx", cwd=folder)
        if "no NVRTC found" in done.stderr:
            print(done.stderr)
            return False
    return True


if __name__ == "__main__":
    if not has_nvrtc():
        sys.exit(77)
    # Another test may want only some of them.
    unittest.main(argv=sys.argv[:1] + os.environ.get("CUSHIM_COMPILE_TESTS", "").split())
