#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Compiles every public header alone, in C and in C++, in both stream modes.

test_headers.py CC INCLUDE BUILD_INCLUDE LEFT_OUT [FLAG...]

FLAG... leads to the headers of CUDA. LEFT_OUT names the headers, separated by commas, that are
not checked because what they need is not here.

If the variable CUSHIM_TEST_HEADERS is "toolkit", only the headers that lead to one of CUDA's are compiled: what the
others say is the same with every toolkit.
"""

import os
import re
import shutil
import subprocess
import sys
import unittest
from pathlib import Path

CC, INCLUDE, BUILD_INCLUDE, LEFT_OUT, *CUDA = sys.argv[1:]
sys.argv = sys.argv[:1]
CXX = {"gcc": "g++", "clang": "clang++", "cc": "c++"}.get(Path(CC).name)
# Included by table.h and its like, which give them what they need.
PARTS = {"cuda_api.h", "nvrtc_api.h", "nvjitlink_api.h"}
TOOLKIT = os.environ.get("CUSHIM_TEST_HEADERS") == "toolkit"
STRICT = ["-Wall", "-Wextra", "-Wpedantic", "-Wshadow", "-Wundef", "-Werror", "-fsyntax-only"]
PER_THREAD = "-DCUDA_API_PER_THREAD_DEFAULT_STREAM"

# What has a macro in C and a template in C++.
LAUNCHES = """
#include <cushim/cushim.h>
struct two { double d[2]; };
cushim_status launches(cushim_stream stream, cushim_function f, cushim_slice x, cushim_view v,
                       cushim_launcher launcher, const struct two *t, size_t n);
cushim_status launches(cushim_stream stream, cushim_function f, cushim_slice x, cushim_view v,
                       cushim_launcher launcher, const struct two *t, size_t n)
{
    struct cushim_launch_config config = cushim_for_elements(n);

    CUSHIM_TRY(cushim_launch(stream, f, cushim_for_2d(n, n)));
    CUSHIM_TRY(cushim_launch(stream, f, config, CUSHIM_VALUE(n), CUSHIM_VALUE(*t),
                             CUSHIM_VALUE(n + 1), CUSHIM_IN(x), CUSHIM_INOUT(v)));
    CUSHIM_TRY(cushim_launcher_push(launcher, CUSHIM_OUT(x), CUSHIM_BYTES(t, sizeof(*t))));
    CUSHIM_TRY(cushim_op_run(cushim_op_zip(cushim_op_fill(cushim_op_borrow(x), 1.0f),
                                           cushim_op_launch(f, config, CUSHIM_VALUE(n),
                                                            CUSHIM_OP_IN(cushim_op_copy_of(v)),
                                                            CUSHIM_OP_SAME(1), CUSHIM_IN(x)),
                                           cushim_op_partition(cushim_op_borrow(v),
                                                               cushim_tiling(.tile = {2}))),
                             stream, NULL));
    return cushim_launcher_set(launcher, 0, CUSHIM_OUT(v));
}
"""


# Each drops a status: a function, a macro that notes the source location, one that makes a view, and
# one that makes an array.
DROPPED = [
    "cushim_stream_synchronize(stream)",
    "cushim_stream_new(context, 0, &stream)",
    "cushim_slice_fill(stream, slice, 1.5f)",
    "cushim_slice_read(stream, slice, &value, 1)",
    "cushim_field_fill(stream, cushim_field_2d(CUSHIM_VIEW(slice), 0, 1, 1), 1.5f)",
    "cushim_launch(stream, function, cushim_for_elements(1), CUSHIM_VALUE(value))",
]


NO_VALUE = "a handle or a pointer is no value: write CUSHIM_IN"

# What C's compilers say is the name of a function, and so has no spaces.
NO_MEMORY = r"write.the.slice,?.pinned.(or.)?unified"

# Mistakes that the compiler finds, and a part of what it says.
REFUSED = [
    ("CUSHIM_IGNORE(cushim_slice_read(stream, slice, (void *) &value, 1))", "a void pointer says"),
    ("CUSHIM_IGNORE(cushim_slice_write(stream, slice, (const void *) &value, 1))", "a void pointer"),
    ("CUSHIM_IGNORE(cushim_launch(stream, function, cushim_for_elements(1), CUSHIM_VALUE(slice)))",
     NO_VALUE),
    ("CUSHIM_IGNORE(cushim_launch(stream, function, cushim_for_elements(1), CUSHIM_VALUE(stream)))",
     NO_VALUE),
    *((f"CUSHIM_IGNORE(cushim_launch(stream, function, cushim_for_elements(1), CUSHIM_VALUE({name})))",
       NO_VALUE)
      for name in ("event", "module", "graph", "pool", "kernel", "field", "function", "op", "policy", "future")),
    ("CUSHIM_IGNORE(cushim_launch(stream, function, cushim_for_elements(1), CUSHIM_VALUE(&value)))",
     NO_VALUE),
    ("CUSHIM_IGNORE(cushim_launch(stream, function, cushim_for_elements(1), CUSHIM_VALUE((void *) 0)))",
     NO_VALUE),
    ("CUSHIM_IGNORE(cushim_launch(stream, function, 56))", ""),
    *((f"CUSHIM_IGNORE(cushim_launch(stream, function, cushim_for_elements(1), CUSHIM_IN({x})))", NO_MEMORY)
      for x in ("&value", "&slice", "(void *) &value")),
    ("CUSHIM_IGNORE(cushim_launch(stream, function, cushim_for_elements(1), CUSHIM_IN(stream)))", ""),
    *((f"CUSHIM_IGNORE(cushim_launch(stream, function, cushim_for_elements(1), CUSHIM_IN({x})))",
       "CUSHIM_OP_IN")
      for x in ("op", "&op")),
    ("CUSHIM_IGNORE(cushim_slice_read(stream, &slice, &value, 1))", NO_MEMORY),
    ("cushim_slice_free(slice)", ""),
]


def compiles(compiler, flags, text, strict=STRICT):
    command = [*compiler, *strict, *flags, f"-I{INCLUDE}", f"-I{BUILD_INCLUDE}", *CUDA, "-"]
    return subprocess.run(command, input=text, capture_output=True, text=True)


# What the statements above use.
VARIABLES = ["cushim_context context", "cushim_stream stream", "cushim_slice slice",
             "cushim_function function", "cushim_event event", "cushim_module module",
             "cushim_graph graph", "cushim_pool pool", "cushim_arena arena", "cushim_kernel kernel", "cushim_field field", "cushim_op op", "cushim_policy policy", "cushim_future future",
             "float value"]


def uses(statement):
    """A function with one statement that uses these variables."""
    parameters = ", ".join(VARIABLES)
    used = " ".join(f"(void) {variable.split()[1]};" for variable in VARIABLES)
    return f"""#include <cushim/cushim.h>
        void use({parameters});
        void use({parameters})
        {{
            {used}
            {statement};
        }}"""


def public_headers():
    return {p.name: p.read_text() for folder in (INCLUDE, BUILD_INCLUDE) for p in Path(folder, "cushim").glob("*.h")}


def leads_to_cuda(name, texts):
    """Whether it includes a header that is in a folder of CUDA's, at any depth."""
    included = re.findall(r'^#\s*include\s*[<"](?:cushim/)?([^>"]+)', texts[name], re.MULTILINE)
    folders = [Path(word) for word in CUDA if not word.startswith("-")]
    return any(leads_to_cuda(other, texts) if other in texts else any((folder / other).exists() for folder in folders)
               for other in included)


def headers():
    left_out = set(filter(None, LEFT_OUT.split(",")))
    for name in left_out:
        print(f"{name} is not checked: the headers that it needs are not here")
    texts = public_headers()
    return [name for name in sorted(texts.keys() - PARTS - left_out) if not TOOLKIT or leads_to_cuda(name, texts)]


class Headers(unittest.TestCase):
    def check(self, compiler, *flags):
        for header in headers():
            # Twice, for the include guard; C wants a declaration, and version.h has none.
            text = f"#include <cushim/{header}>\n" * 2 + "extern int checked;\n"
            done = compiles(compiler, flags, text)
            self.assertEqual(done.returncode, 0, f"{header}, {compiler}, {flags}:\n{done.stderr}")

    def test_there_are_headers(self):
        self.assertIn("table.h", headers())
        if not TOOLKIT:
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


@unittest.skipIf(TOOLKIT, "what they include leads to none of CUDA's headers")
class Uses(unittest.TestCase):
    def test_launches_read_the_same_in_both_languages(self):
        done = compiles([CC, "-xc"], ["-std=c11"], LAUNCHES)
        self.assertEqual(done.returncode, 0, done.stderr)
        if not CXX or not shutil.which(CXX):
            self.skipTest(f"there is no C++ compiler beside {CC}")
        for standard in ("c++11", "c++17"):
            done = compiles([CXX, "-xc++"], [f"-std={standard}"], LAUNCHES)
            self.assertEqual(done.returncode, 0, done.stderr)


    def test_no_warning_comes_from_a_macro(self):
        text = Path(__file__).with_name("macros.inc").read_text()
        for standard in ("c11", "gnu11", "gnu17"):
            done = compiles([CC, "-xc"], [f"-std={standard}"], text)
            self.assertEqual(done.returncode, 0, done.stderr)
        if not CXX or not shutil.which(CXX):
            self.skipTest(f"there is no C++ compiler beside {CC}")
        for standard in ("c++11", "c++17", "c++20"):
            done = compiles([CXX, "-xc++"], [f"-std={standard}"], text)
            self.assertEqual(done.returncode, 0, done.stderr)

    def check_dropped(self, compiler, *flags):
        # With -fsyntax-only gcc does not know yet what is dropped.
        strict = ["-Wall", "-Werror", "-c", "-o", "/dev/null"]
        for call in DROPPED:
            dropped = compiles(compiler, flags, uses(call), strict)
            self.assertNotEqual(dropped.returncode, 0, f"{call} may be dropped")
            self.assertIn("unused", dropped.stderr, call)
            for kept in (f"CUSHIM_IGNORE({call})", f"if ({call}) return"):
                done = compiles(compiler, flags, uses(kept), strict)
                self.assertEqual(done.returncode, 0, f"{kept}:\n{done.stderr}")

    def test_a_status_that_is_dropped_is_a_warning(self):
        self.check_dropped([CC, "-xc"], "-std=gnu11")
        if not CXX or not shutil.which(CXX):
            self.skipTest(f"there is no C++ compiler beside {CC}")
        self.check_dropped([CXX, "-xc++"], "-std=c++17")


    def check_refused(self, compiler, *flags):
        for statement, part in REFUSED:
            done = compiles(compiler, flags, uses(statement), ["-fsyntax-only"])
            self.assertNotEqual(done.returncode, 0, f"{statement} compiles")
            self.assertRegex(done.stderr, part or ".", statement)

    def test_mistakes_that_the_compiler_finds(self):
        self.check_refused([CC, "-xc"], "-std=gnu11", "-Werror=incompatible-pointer-types")
        if not CXX or not shutil.which(CXX):
            self.skipTest(f"there is no C++ compiler beside {CC}")
        self.check_refused([CXX, "-xc++"], "-std=c++11")


if __name__ == "__main__":
    unittest.main()
