#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""nvlink and fatbinary that stand in for the toolkit's: what they make of images with PTX, the mock loads.

test_tools.py CUSHIM PTXAS NVLINK FATBINARY PROGRAM

Messages and statuses are those of the real ones, of CUDA 13.0, unless the test says what differs. What needs nvcc is
skipped without one.
"""

import re
import shutil
import struct
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

CUSHIM, PTXAS, NVLINK, FATBINARY, PROGRAM = (str(Path(a).absolute()) for a in sys.argv[1:6])
HEAD = ".version 8.0\n.target {}\n.address_size 64\n"
CALL = HEAD.format("sm_90") + """.extern .func (.param .b32 r) seven();
.visible .entry store(.param .u64 p)
{
    .reg .u64 %d; .reg .b32 %v;
    ld.param.u64 %d, [p];
    call (%v), seven;
    st.global.u32 [%d], %v;
    ret;
}
"""
SEVEN = HEAD.format("sm_90") + ".visible .func (.param .b32 r) seven() { st.param.b32 [r], 7; ret; }\n"
OTHER = HEAD.format("sm_100") + ".visible .func (.param .b32 r) seven() { st.param.b32 [r], 8; ret; }\n"
PTX, MACHINE_CODE = 1, 2
WHOLE, ONE_TARGET, ONE_FAMILY = 0x11, 0x100011, 0x200011


class Folder(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)

    def write(self, name, data):
        (self.folder / name).write_bytes(data.encode() if isinstance(data, str) else data)

    def run_it(self, *words):
        return subprocess.run(words, cwd=self.folder, capture_output=True, text=True)

    def make(self, *words):
        done = self.run_it(*words)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done

    def assemble(self, name, text, *options):
        """What ptxas makes of a text for a later link."""
        self.write(f"{name}.ptx", text)
        self.make(PTXAS, "-arch=sm_90", "-c", *options, f"{name}.ptx", "-o", f"{name}.cubin")

    def object(self, name, binaries, module):
        """An object of the host with fat binaries in it, as nvcc makes them."""
        self.write(f"{name}.bin", binaries)
        self.write(f"{name}.s", f'.section __nv_relfatbin, "a"\n.balign 8\n.incbin "{name}.bin"\n'
                                f'.section __nv_module_id, "a"\n.string "{module}"\n')
        if self.run_it("gcc", "-c", f"{name}.s", "-o", f"{name}.o").returncode:
            self.skipTest("gcc makes no object here")

    def runs(self, name):
        """Whether the mock loads a file, and its kernel `store` stores 7."""
        shutil.copy(self.folder / name, self.folder / "out")
        (self.folder / "libcuda.so.1").touch()
        done = self.run_it(CUSHIM, "run", "--devices", "h200", "--", sys.executable, PROGRAM, str(self.folder), "load")
        self.assertEqual((done.returncode, done.stdout), (0, "right\n"), done.stderr)


class Nvlink(Folder):
    def setUp(self):
        super().setUp()
        self.assemble("call", CALL)
        self.assemble("seven", SEVEN)

    def fatbin(self, name, *images):
        self.make(FATBINARY, f"--create={name}", *[f"--image3={image}" for image in images])
        return (self.folder / name).read_bytes()

    def test_images_and_texts(self):
        for inputs in [("call.cubin", "seven.cubin"), ("call.ptx", "seven.cubin"), ("call.ptx", "seven.ptx")]:
            with self.subTest(inputs=inputs):
                done = self.make(NVLINK, "-arch=sm_90", *inputs, "-o", "linked")
                self.assertEqual(done.stdout + done.stderr, "")
                self.runs("linked")

    def test_objects_and_libraries(self):
        """Of an object, all fat binaries in it count; one without device code is the host's alone."""
        call = self.fatbin("call.fatbin", "kind=elf,sm=90,file=call.cubin")
        seven = self.fatbin("seven.fatbin", "kind=ptx,sm=90,file=seven.ptx")
        self.object("both", call + seven, "both_of_them")
        self.object("call", call, "first")
        self.object("a_name_of_more_than_15_letters", seven, "second")
        self.write("none.s", ".text\n")
        self.make("gcc", "-c", "none.s", "-o", "none.o")
        self.make("ar", "cr", "libseven.a", "none.o", "a_name_of_more_than_15_letters.o")
        for words, modules in [(["both.o"], ["both_of_them"]),
                               (["call.o", "libseven.a"], ["first", "second"]),
                               (["call.o", "none.o", "-L/nowhere", "-L.", "-lseven", "-lm"], ["first", "second"]),
                               (["call.o", "--library-path=.", "-l", "seven"], ["first", "second"])]:
            with self.subTest(words=words):
                self.make(NVLINK, "-arch=sm_90", "-m64", "--register-link-binaries=reg.c", *words, "-o", "linked")
                self.runs("linked")
                self.assertEqual((self.folder / "reg.c").read_text(), f"#define NUM_PRELINKED_OBJECTS {len(modules)}\n" +
                                 "".join(f"DEFINE_REGISTER_FUNC({name})\n" for name in modules))

    def test_what_is_linked_again(self):
        self.make(NVLINK, "-arch=sm_90", "-r", "call.cubin", "-o", "part")
        self.make(NVLINK, "-arch=sm_90", "part", "seven.cubin", "-o", "linked")
        self.runs("linked")

    def test_code_for_another_architecture_is_left_out(self):
        self.fatbin("other.fatbin", "kind=ptx,sm=100,file=seven.ptx")
        words = ["-arch=sm_90", "call.cubin", "seven.cubin", "other.fatbin", "-o", "linked"]
        self.assertEqual(self.make(NVLINK, *words).stderr,
                         "nvlink warning : SM Arch ('sm_90') not found in 'other.fatbin'\n")
        self.runs("linked")
        for option in ["-w", "--suppress-arch-warning"]:
            self.assertEqual(self.make(NVLINK, option, *words).stderr, "")

    def test_the_library_of_the_device_runtime(self):
        member = b"cuda_device_runtime.o/"
        self.write("libcudadevrt.a", b"!<arch>\n" + b"//".ljust(48) + str(len(member)).encode().ljust(10) + b"`\n" + member)
        self.make(NVLINK, "-arch=sm_90", "call.cubin", "seven.cubin", "-L.", "-lcudadevrt", "-o", "linked")
        self.runs("linked")
        self.assertIn(b"cudaCGGetIntrinsicHandle", (self.folder / "linked").read_bytes())

    def test_errors(self):
        self.write("code.cubin", b"\x7fELF\2\1\1" + bytes(11) + struct.pack("<H", 190) + bytes(100))
        self.write("text.cu", "__global__ void k() {}\n")
        self.write("broken.o", b"\x7fELF\2\1\1" + bytes(11) + struct.pack("<H", 62) + b"\xff" * 44)
        self.write("broken.a", b"!<arch>\n" + b"x/".ljust(48) + b"999999".ljust(10) + b"`\n")
        for words, status, text in [
            ([], 1, "nvlink fatal   : Unknown arch name '(null)'\n"),
            (["-arch=sm_90", "call.cubin"], 1, "nvlink fatal   : Must specify output file with -o option\n"),
            (["-foo"], 1, "nvlink fatal   : Unknown option 'foo'\n"),
            (["-arch=ninety", "-o", "out"], 1, "nvlink fatal   : Value 'ninety' is not defined for option 'arch'\n"),
            (["-arch=sm_90", "none.o", "-o", "out"], 1, "nvlink fatal   : Could not open input file 'none.o'\n"),
            (["-arch=sm_90", "call.ptx", "seven.ptx", "-o", "no/out"], 1, "Could not open output file 'no/out'\n"),
            (["-arch=sm_90", "-o"], 1, "nvlink fatal   : argument expected after '-o'\n"),
            (["-arch=sm_90", "-m32", "-o", "out"], 1, "Value '32' is not defined for option 'machine'\n"),
            (["-arch=sm_90", "call.cubin", "-o", "out"], 255, "nvlink error   : Undefined reference to 'seven'\n"),
            (["-arch=sm_90", "text.cu", "-o", "out"], 255, "nvlink fatal   : text.cu: it is not PTX, and has none\n"),
            (["-arch=sm_90", "call.cubin", "broken.o", "broken.a", "-o", "out"], 255, "'seven'"),
            (["-arch=sm_90", "call.cubin", "call.cubin", "seven.cubin", "-o", "out"], 255,
             "Multiple definition of 'store'"),
            (["-arch=sm_90", "code.cubin", "-o", "out"], 255, "machine code only"),
            # The real one takes any text for nothing.
            (["-arch=sm_90", "text.cu", "-o", "out"], 255, "is not PTX"),
            # The real one does these.
            (["-arch=sm_90", "-dlto", "-o", "out"], 1, "Option 'dlto' is not understood here"),
            (["-arch=sm_90", "--time", "x", "-o", "out"], 1, "Option 'time' is not understood here"),
        ]:
            with self.subTest(words=words):
                done = self.run_it(NVLINK, *words)
                self.assertEqual(done.returncode, status, done.stderr)
                self.assertIn(text, done.stderr)
                self.assertFalse((self.folder / "out").exists())

    def test_version(self):
        self.assertRegex(self.make(NVLINK, "--version").stdout, r"^nvlink: .*\n.*release \d+\.\d+, V\d+")


class Fatbinary(Folder):
    def setUp(self):
        super().setUp()
        self.write("whole.ptx", CALL.replace(".extern .func (.param .b32 r) seven();", SEVEN.split("64\n", 1)[1]))
        self.make(PTXAS, "-arch=sm_90", "whole.ptx", "-o", "whole.cubin")
        self.code = b"\x7fELF\2\1\1" + bytes(11) + struct.pack("<H", 190) + bytes(100)
        self.write("code.cubin", self.code)

    def entries(self, name="out.fatbin"):
        """[(kind, target, flags, data)]"""
        data = (self.folder / name).read_bytes()
        magic, version, head, size = struct.unpack_from("<IHHQ", data)
        self.assertEqual((magic, version, head, head + size), (0xba55ed50, 1, 16, len(data)))
        found, at = [], head
        while at < len(data):
            kind, _, head, size = struct.unpack_from("<HHIQ", data, at)
            found.append((kind, *struct.unpack_from("<I", data, at + 28), *struct.unpack_from("<Q", data, at + 40),
                          data[at + head:at + head + size]))
            at += head + size
        return found

    def create(self, *images):
        self.make(FATBINARY, "--create=out.fatbin", "-64", *images)

    def test_each_kind_of_image(self):
        """What stands in for machine code of 9.0 is for devices of 9.x, as machine code is."""
        text = (self.folder / "whole.ptx").read_bytes()
        for image, kind, target, flags, data in [
            ("--image3=kind=elf,sm=90,file=whole.cubin", PTX, 90, ONE_FAMILY, b".entry store("),
            ("--image3=kind=ptx,sm=90,file=whole.ptx", PTX, 90, WHOLE, text),
            ("--image3=file=whole.ptx,sm=90a,kind=ptx", PTX, 90, ONE_TARGET, text),
            ("--image3=kind=ptx,sm=100f,file=whole.ptx", PTX, 100, ONE_FAMILY, text),
            ("--image3=kind=elf,sm=90a,file=whole.cubin", PTX, 90, ONE_TARGET, b".entry store("),
            ("--image3=kind=elf,sm=90,file=code.cubin", MACHINE_CODE, 90, WHOLE, self.code),
            ("--image=profile=sm_90,file=whole.cubin", PTX, 90, ONE_FAMILY, b".entry store("),
            ("--image=profile=compute_90,file=whole.ptx", PTX, 90, WHOLE, text),
        ]:
            with self.subTest(image=image):
                self.create(image)
                (entry,) = self.entries()
                self.assertEqual(entry[:3], (kind, target, flags))
                self.assertIn(data, entry[3])
                if kind == PTX and target == 90:
                    self.runs("out.fatbin")

    def test_several_images(self):
        self.create("--cmdline=-v", "--cicc-cmdline", "-ftz=0 -fmad=1", "--ident=x", "--compress-all",
                    "--image3=kind=elf,sm=90,file=code.cubin", "--image3=kind=elf,sm=90,file=whole.cubin",
                    "--image3=kind=ptx,sm=90,file=whole.ptx")
        self.assertEqual([entry[0] for entry in self.entries()], [MACHINE_CODE, PTX, PTX])
        self.runs("out.fatbin")

    def test_the_file_for_the_compiler_of_the_host(self):
        """The words that the runtime's headers look for, and the numbers of the binary itself."""
        for words, section, name, number in [([], ".nv_fatbin", "__fatDeviceText", 1),
                                             (["--device-c"], "__nv_relfatbin", "__fatbinwrap__module", 1),
                                             (["-link"], ".nv_fatbin", "__fatDeviceText", 2)]:
            with self.subTest(words=words):
                self.make(FATBINARY, *words, "--image3=kind=ptx,sm=90,file=whole.ptx", "--embedded-fatbin=x.fatbin.c")
                self.write("fatbinary_section.h", "typedef struct { int magic, version; const unsigned long long *data; "
                                                  "void *more; } __fatBinC_Wrapper_t;\n")
                self.write("main.c", '#define __NV_MODULE_ID __module\nstatic void *__cudaPrelinkedFatbins[1];\n'
                                     '#include "x.fatbin.c"\n#include <stdio.h>\nint main(void)\n{\n'
                                     f'    const __fatBinC_Wrapper_t *w = &{name};\n'
                                     '    fprintf(stderr, "%x %d %d", w->magic, w->version, w->more == '
                                     '(void *) __cudaPrelinkedFatbins);\n'
                                     '    return fwrite(w->data, 1, sizeof(fatbinData), stdout) != sizeof(fatbinData);\n}\n')
                if self.run_it("gcc", "-I.", "-Wno-unused", "main.c", "-o", "main").returncode:
                    self.skipTest("gcc makes no program here")
                done = subprocess.run(["./main"], cwd=self.folder, capture_output=True)
                self.assertEqual(done.stderr.decode(), f"466243b1 {number} {int(number == 2)}")
                self.assertEqual(done.stdout, (self.folder / "x.fatbin").read_bytes())
                self.assertIn(section, self.make("readelf", "-SW", "main").stdout)
                self.runs("x.fatbin")

    def test_errors(self):
        for words, text in [
            (["--image3=kind=foo,sm=90,file=whole.ptx"], "fatbinary fatal   : Missing or unknown kind in image3\n"),
            (["--image3=sm=90,file=whole.ptx"], "fatbinary fatal   : Missing or unknown kind in image3\n"),
            (["--image3=kind=ptx,file=whole.ptx"], "fatbinary fatal   : Missing sm in image3\n"),
            (["--image3=kind=ptx,sm=90"], "fatbinary fatal   : Missing file in image3\n"),
            (["--image3=kind=ptx,sm=90,file=none.ptx"], "fatbinary fatal   : Could not open input file 'none.ptx'\n"),
            (["--image3=kind=ptx,sm=9x,file=whole.ptx"], "Invalid architecture '9x'\n"),
            (["--image3=kind=ptx,sm=90,file=code.cubin"], "'code.cubin' is not PTX\n"),
            (["--image3=kind=elf,sm=90,file=/dev/null"], "Could not open input file '/dev/null'\n"),
            (["--foo"], "fatbinary fatal   : Unknown option '-foo'\n"),
            # The real one does these.
            (["--image3=kind=nvvm,sm=90,file=whole.ptx"], "takes no LTO-IR\n"),
            (["--image2=kind=obj,file=whole.ptx"], "Option 'image2' is not understood here"),
        ]:
            with self.subTest(words=words):
                done = self.run_it(FATBINARY, "--create=out", *words)
                self.assertEqual(done.returncode, 1)
                self.assertIn(text, done.stderr)
                self.assertFalse((self.folder / "out").exists())
        done = self.run_it(FATBINARY, "--create=no/out", "--image3=kind=ptx,sm=90,file=whole.ptx")
        self.assertEqual((done.returncode, done.stderr), (1, "fatbinary fatal   : Could not open output file 'no/out'\n"))

    def test_version(self):
        self.assertRegex(self.make(FATBINARY, "-V").stdout, r"^fatbinary: .*\n.*release \d+\.\d+, V\d+")


class Versions(Folder):
    """A program writes PTX for the version that ptxas says it has: that of the driver."""

    def version(self, *options, **variables):
        done = self.make("env", *(f"{k}={v}" for k, v in variables.items()), CUSHIM, "run", *options, "--", "ptxas", "--version")
        return re.search(r"release (\S+), V", done.stdout)[1]

    def test_it_is_the_drivers(self):
        self.write("old.conf", "driver_version = 12.2\n")
        self.assertEqual(self.version(), "13.5")
        self.assertEqual(self.version("--driver", "12.4"), "12.4")
        self.assertEqual(self.version("--driver", "13.0"), "13.0")
        self.assertEqual(self.version("--devices", "v100"), "13.0")
        self.assertEqual(self.version("--config", "old.conf"), "12.2")

    def test_by_hand(self):
        for word, version in [("", "13.5"), ("12.9", "12.9"), ("12", "13.5"), ("12.9.1", "13.5"), ("x", "13.5")]:
            done = self.make("env", f"CUSHIM_TOOLKIT_VERSION={word}", NVLINK, "--version")
            self.assertIn(f"release {version}, V{version}.0", done.stdout)


class Ptxas(Folder):
    def test_inputs_that_cannot_be_read(self):
        self.write("code.cubin", b"\x7fELF\2\1\1" + bytes(11) + struct.pack("<H", 190) + bytes(100))
        for words, text in [(["none.ptx"], "ptxas fatal   : Input file 'none.ptx' could not be opened\n"),
                            (["code.cubin"], "ptxas fatal   : code.cubin: it has machine code only"),
                            (["--input-as-string", "x"], "ptxas fatal   : <string>: it is not PTX, and has none\n")]:
            done = self.run_it(PTXAS, "-arch=sm_90", *words)
            self.assertEqual(done.returncode, 255)
            self.assertIn(text, done.stderr)

    def test_a_stream_is_read_whole_or_not_at_all(self):
        limit = "ulimit -v 400000; head -c 600M /dev/zero | "
        done = self.run_it("bash", "-c", f"{limit} {PTXAS} -arch=sm_90 - -o out")
        self.assertEqual((done.returncode, done.stderr),
                         (255, "ptxas fatal   : Input file '-' is larger than what there is memory for\n"))
        self.write("seven.ptx", SEVEN)
        self.make("bash", "-c", f"cat seven.ptx | {PTXAS} -arch=sm_90 - -o out")
        self.assertIn("seven", (self.folder / "out").read_text())


class Options(Folder):
    def test_each_option_of_the_real_ones_is_known(self):
        """It is understood, or refused by its name, and takes a value where the real one does."""
        for tool in [PTXAS, NVLINK, FATBINARY]:
            real = shutil.which(Path(tool).name)
            if not real or Path(real).samefile(tool):
                self.skipTest("there is no toolkit")
            names = re.findall(r"^--(\S+)", self.make(real, "--help").stdout, re.M)
            self.assertGreater(len(names), 15)
            for name in names:
                with self.subTest(tool=Path(tool).name, name=name):
                    ours, its = (self.run_it(path, f"--{name}").stderr for path in (tool, real))
                    self.assertNotIn("Unknown option", ours)
                    self.assertEqual("argument expected" in ours, "argument expected" in its)


class Nvcc(Folder):
    """nvcc runs the tools by paths of its own, and is led to those that stand in."""

    def setUp(self):
        super().setUp()
        self.nvcc = shutil.which("nvcc")
        if not self.nvcc:
            self.skipTest("there is no nvcc")
        self.write("call.cu", 'extern "C" __device__ int seven();\n'
                              'extern "C" __global__ void store(int *p) { *p = seven(); }\n')
        self.write("seven.cu", 'extern "C" __device__ int seven() { return 7; }\n')
        self.write("whole.cu", 'extern "C" __global__ void store(int *p) { *p = 7; }\n')

    def compile(self, *words):
        return self.make(CUSHIM, "run", "--", self.nvcc, "-arch=sm_90", *words)

    def test_whole_files(self):
        for what in ["-cubin", "-fatbin"]:
            self.compile(what, "whole.cu", "-o", "image")
            self.runs("image")

    def test_a_relocatable_program(self):
        self.compile("-rdc=true", "-c", "call.cu", "seven.cu")
        for what in ["-cubin", "-fatbin"]:
            with self.subTest(what=what):
                self.compile("-rdc=true", what, "-dlink", "call.o", "seven.o", "-o", "image")
                self.runs("image")

    def shows(self, path, *lines, status=0, without=()):
        """What `cushim ptx` says of a file."""
        done = self.run_it(CUSHIM, "ptx", path)
        said = done.stdout + done.stderr
        self.assertEqual(done.returncode, status, said)
        for line in lines:
            self.assertIn(line, said)
        for line in without:
            self.assertNotIn(line, said)

    def test_what_they_make_is_shown(self):
        self.compile("-rdc=true", "-c", "call.cu", "seven.cu")
        self.compile("-rdc=true", "-dlink", "-cubin", "call.o", "seven.o", "-o", "linked")
        self.compile("-fatbin", "whole.cu", "-o", "whole.fatbin")
        self.compile("-c", "whole.cu")
        self.compile("-shared", "-Xcompiler=-fPIC", "-cudart=none", "whole.o", "-o", "whole.so")
        self.make("ar", "rcs", "all.a", "call.o", "seven.o", "whole.o")
        for path in ["linked", "whole.fatbin", "whole.o", "whole.so", "all.a"]:
            with self.subTest(path=path):
                self.shows(path, "kernel store\n", "about ", " registers\n", "store_param_0")
        self.shows("whole.fatbin", "whole.fatbin: PTX for sm_90")
        self.shows("all.a", "all.a:whole.o, .nv_fatbin 1: PTX for sm_90", "all.a:call.o, __nv_relfatbin 1: PTX")
        self.shows("call.o", "Unresolved extern function 'seven'", status=1)
        texts = self.make(CUSHIM, "ptx", "--text", "whole.so").stdout
        self.assertIn(".visible .entry store(", texts)
        self.write("again.ptx", texts[texts.rindex(".version"):])
        self.shows("again.ptx", "kernel store\n")

    def test_machine_code_is_called_that(self):
        self.make(self.nvcc, "-cubin", "-arch=sm_90", "whole.cu", "-o", "real.cubin")
        self.make(self.nvcc, "-fatbin", "-gencode", "arch=compute_80,code=sm_80", "whole.cu", "-o", "real.fatbin")
        self.make(self.nvcc, "-fatbin", "-arch=sm_90", "whole.cu", "-o", "both.fatbin")
        self.shows("real.cubin", "only machine code, which the mock does not run", status=1)
        self.shows("real.fatbin", "real.fatbin: machine code for sm_80\n", "only machine code", status=1)
        self.shows("both.fatbin", "both.fatbin: machine code for sm_90\n", "both.fatbin: PTX for sm_90\n", "kernel store")
        self.shows(shutil.which("true"), "no code for a device", status=1)

    def test_kernels_that_launch_kernels(self):
        """They end, and write, as they did on a device of capability 9.0 with a driver of CUDA 13.0."""
        here = Path(__file__).parent
        self.compile("-rdc=true", "-c", here / "children.cu", "-o", "children.o")
        self.compile("-rdc=true", "-cubin", "-dlink", "children.o", "-lcudadevrt", "-o", "image")
        done = self.make(CUSHIM, "run", "--devices", "h200", "--", sys.executable, here / "children.py", "image")
        answers = [line for line in (here / "children.tsv").read_text().splitlines() if not line.startswith("#")]
        for ours, answer in zip(done.stdout.splitlines(), answers, strict=True):
            with self.subTest(kernel=answer.split("\t")[:2]):
                self.assertEqual(ours, answer)
        self.assertIn("(launched by kernel 'wild_child'), ", done.stderr)

    def test_a_program_with_the_runtime_says_why_it_cannot_run(self):
        """It is compiled and linked; NVIDIA's runtime in it does not run on the mock."""
        self.write("main.cu", '#include <stdio.h>\nint main() { int *p; puts(cudaGetErrorName(cudaMalloc(&p, 4))); }\n')
        self.compile("-rdc=true", "main.cu", "call.cu", "seven.cu", "-o", "main")
        done = self.run_it(CUSHIM, "run", "--", "./main")
        self.assertIn("NVIDIA's CUDA runtime (libcudart) asks for private functions", done.stderr)
        self.assertNotEqual(done.stdout, "cudaSuccess\n")


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], *sys.argv[6:]], verbosity=1)
