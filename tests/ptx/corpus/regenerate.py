#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Compiles the corpus's kernels to PTX.

    regenerate.py                        the PTX that is kept beside the sources, in ptx/
    regenerate.py --generated FOLDER     what is not kept (see below), into FOLDER
    regenerate.py --check [FOLDER]       compiles all into a temporary folder, and asks ptxas

The second line of a source says how: "// build: TARGET... [-OPTION...] [generated]". Without an
option of its own a kernel is compiled with -fmad=false, so that only what is written as a
multiply-add is one. "generated" are sources with others' headers: what they compile to is
others' code, and made where nvcc is instead of being kept.

Exit status: 0 done, 1 something does not compile, 77 there is no nvcc.
"""

import argparse
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
SKIP = 77


def find_tool(name):
    folders = [os.environ.get("CUDA_PATH"), os.environ.get("CUDA_HOME"), "/usr/local/cuda"]
    places = [str(pathlib.Path(folder) / "bin") for folder in folders if folder]
    return shutil.which(name, path=os.pathsep.join(places + [os.environ.get("PATH", "")]))


class Source:
    """A .cu file and its line of how to build it."""

    def __init__(self, path):
        self.path = path
        line = path.read_text().splitlines()[1]
        match = re.fullmatch(r"// build: (.*)", line)
        if not match:
            sys.exit(f"{path}:2: expected '// build: ...', found {line!r}")
        words = match.group(1).split()
        self.targets = [word for word in words if word.startswith("compute_")]
        self.generated = "generated" in words
        self.options = [word for word in words if word.startswith("-")]

    def compile(self, nvcc, folder):
        for target in self.targets:
            ptx = folder / f"{self.path.stem}.{target}.ptx"
            fmad = [] if any(o.startswith("-fmad") for o in self.options) else ["-fmad=false"]
            subprocess.run([nvcc, "-ptx", f"-arch={target}", "-std=c++17", *fmad, *self.options,
                            self.path.name, "-o", str(ptx)], check=True, cwd=HERE)
            ptx.write_text(tidy(ptx.read_text()))
            yield ptx, target


def tidy(ptx):
    """Without the compiler's greeting, the folders of this machine, and spaces at the ends."""
    lines = [line.rstrip() for line in ptx.splitlines() if not line.startswith("//")]
    text = "\n".join(lines).strip("\n") + "\n"
    return re.sub(r'(\.file\s+\d+ ")[^"]*/([^"/]*")', r"\1\2", text)


def assemble(ptx, target):
    ptxas = find_tool("ptxas")
    if ptxas:
        arch = target.replace("compute_", "sm_")
        subprocess.run([ptxas, f"-arch={arch}", str(ptx), "-o", os.devnull], check=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--generated", type=pathlib.Path, metavar="FOLDER")
    parser.add_argument("--check", action="store_true")
    parser.add_argument("subjects", nargs="*")
    arguments = parser.parse_args()
    nvcc = find_tool("nvcc")
    if not nvcc:
        print("skipped: there is no nvcc (CUDA_PATH, CUDA_HOME, /usr/local/cuda, PATH)")
        return SKIP
    sources = [Source(path) for path in sorted(HERE.glob("*.cu"))]
    if arguments.subjects:
        sources = [s for s in sources if s.path.stem in arguments.subjects]
    if not arguments.check:
        sources = [s for s in sources if s.generated == bool(arguments.generated)]
    count = 0
    with tempfile.TemporaryDirectory() as temporary:
        folder = pathlib.Path(temporary) if arguments.check else arguments.generated or HERE / "ptx"
        folder.mkdir(parents=True, exist_ok=True)
        try:
            for source in sources:
                for ptx, target in source.compile(nvcc, folder):
                    count += 1
                    if arguments.check:
                        assemble(ptx, target)
        except subprocess.CalledProcessError as error:
            print(f"failed: {' '.join(map(str, error.cmd))}")
            return 1
    print(f"{count} modules")
    return 0


if __name__ == "__main__":
    sys.exit(main())
