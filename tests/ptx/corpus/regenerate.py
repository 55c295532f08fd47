#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Compiles the corpus's kernels to PTX.

    regenerate.py [SUBJECT...]           the PTX that is kept beside the sources, in ptx/
    regenerate.py [--made FOLDER] --then COMMAND [ARG...]
                                         what is not kept, or comes out differently, into a temporary
                                         folder; then runs the command with "--ptx FOLDER SUBJECT..."
                                         as its last arguments

The second line of a source says how: "// build: TARGET... [-OPTION...] [generated]". Without an
option of its own a kernel is compiled with -fmad=false, so that only what is written as a
multiply-add is one. "generated" are sources with others' headers: what they compile to is
others' code, and made where nvcc is instead of being kept.

Nothing is compiled twice: ptx/made-of.tsv has a digest of what each kept file was made of (compiler,
options, sources) and of the file itself, and FOLDER keeps what was compiled before under such a digest.

Exit status: 0 done, 1 something does not compile, 77 there is no nvcc; else the command's.
"""

import argparse
import hashlib
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
KERNELS, KEPT = HERE / "kernels", HERE / "ptx"
MADE_OF = KEPT / "made-of.tsv"
SKIP = 77


def find_nvcc():
    folders = [os.environ.get("CUDA_PATH"), os.environ.get("CUDA_HOME"), "/usr/local/cuda"]
    places = [str(pathlib.Path(folder) / "bin") for folder in folders if folder]
    return shutil.which("nvcc", path=os.pathsep.join(places + [os.environ.get("PATH", "")]))


class Compiler:
    def __init__(self, nvcc):
        self.nvcc = nvcc
        done = subprocess.run([nvcc, "--version"], stdout=subprocess.PIPE, text=True, check=True)
        self.version = done.stdout.splitlines()[-1]

    def compile(self, module):
        with tempfile.TemporaryDirectory() as folder:
            ptx = pathlib.Path(folder) / "out.ptx"
            subprocess.run([self.nvcc, "-ptx", *module.options, module.source.name, "-o", str(ptx)],
                           check=True, cwd=KERNELS)
            return tidy(ptx.read_text())


def tidy(ptx):
    """Without the compiler's greeting, the folders of this machine, and spaces at the ends."""
    lines = [line.rstrip() for line in ptx.splitlines() if not line.startswith("//")]
    text = "\n".join(lines).strip("\n") + "\n"
    here = os.fsencode(KERNELS)
    text = text.replace(",".join(map(str, here)), ",".join(map(str, b"." * len(here))))
    return re.sub(r'(\.file\s+\d+ ")[^"]*/([^"/]*")', r"\1\2", text)


class Module:
    """A .cu file for one target."""

    def __init__(self, source, target, options, generated):
        self.source, self.subject, self.generated = source, source.stem, generated
        self.name = f"{source.stem}.{target}.ptx"
        self.options = [f"-arch={target}", "-std=c++17", *options]

    def digest(self, compiler, *more):
        """Of all that it is made of, as text."""
        text = self.source.read_text()
        headers = re.findall(r'^#include "(.*)"', text, re.M)
        parts = [compiler.version, *self.options, text, *more]
        parts += [(KERNELS / header).read_text() for header in headers]
        return hashlib.sha256("\0".join(parts).encode()).hexdigest()[:32]

    def kept(self):
        path = KEPT / self.name
        return path.read_text() if path.exists() else ""


def modules_of(source):
    line = source.read_text().splitlines()[1]
    match = re.fullmatch(r"// build: (.*)", line)
    if not match:
        sys.exit(f"{source}:2: expected '// build: ...', found {line!r}")
    words = match.group(1).split()
    options = [word for word in words if word.startswith("-")]
    if not any(option.startswith("-fmad") for option in options):
        options.append("-fmad=false")
    return [Module(source, word, options, "generated" in words)
            for word in words if word.startswith("compute_")]


def read_made_of():
    lines = MADE_OF.read_text().splitlines() if MADE_OF.exists() else []
    return dict(line.split("\t") for line in lines)


def is_current(module, compiler, made_of):
    return not module.generated and made_of.get(module.name) == module.digest(compiler, module.kept())


def compile_kept(compiler, modules):
    made_of = read_made_of()
    for module in modules:
        if is_current(module, compiler, made_of):
            continue
        print(module.name, flush=True)
        text = compiler.compile(module)
        (KEPT / module.name).write_text(text)
        made_of[module.name] = module.digest(compiler, text)
    MADE_OF.write_text("".join(f"{name}\t{made_of[name]}\n" for name in sorted(made_of)))
    return 0


def compile_once(compiler, module, made):
    """What was compiled before, if a folder keeps it."""
    if not made:
        return compiler.compile(module)
    path = made / f"{module.name}.{module.digest(compiler)}"
    if not path.exists():
        made.mkdir(parents=True, exist_ok=True)
        for old in made.glob(f"{module.name}.*"):
            old.unlink()
        half = path.with_name(f"{path.name}.{os.getpid()}")
        half.write_text(compiler.compile(module))
        half.rename(path)
    return path.read_text()


def compile_other(compiler, modules, made, folder):
    """The subjects of what the tests of the kept files do not run."""
    made_of, subjects = read_made_of(), set()
    for module in modules:
        if is_current(module, compiler, made_of):
            continue
        text = compile_once(compiler, module, made)
        if module.generated or text != module.kept():
            (folder / module.name).write_text(text)
            subjects.add(module.subject)
    return sorted(subjects)


def run_other(compiler, modules, made, command):
    with tempfile.TemporaryDirectory() as temporary:
        subjects = compile_other(compiler, modules, made, pathlib.Path(temporary))
        print(f"{len(modules)} modules; to be run: {' '.join(subjects)}", flush=True)
        if not subjects:
            return 0
        return subprocess.run([*command, "--ptx", temporary, *subjects]).returncode


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--made", type=pathlib.Path, metavar="FOLDER")
    parser.add_argument("--then", nargs=argparse.REMAINDER, metavar="COMMAND")
    parser.add_argument("subjects", nargs="*")
    arguments = parser.parse_args()
    nvcc = find_nvcc()
    if not nvcc:
        print("skipped: there is no nvcc (CUDA_PATH, CUDA_HOME, /usr/local/cuda, PATH)")
        return SKIP
    modules = [m for source in sorted(KERNELS.glob("*.cu")) for m in modules_of(source)]
    try:
        if arguments.then:
            return run_other(Compiler(nvcc), modules, arguments.made, arguments.then)
        return compile_kept(Compiler(nvcc), [m for m in modules if not m.generated and
                                             m.subject in (arguments.subjects or [m.subject])])
    except subprocess.CalledProcessError as error:
        print(f"failed: {' '.join(map(str, error.cmd))}")
        return 1


if __name__ == "__main__":
    sys.exit(main())
