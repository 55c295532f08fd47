#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Compiles the corpus's kernels to PTX.

    regenerate.py [SUBJECT...]             the PTX that is kept beside the sources, in ptx/
    regenerate.py --then COMMAND [ARG...]  all PTX into a temporary folder; then runs the command
                                           with "--ptx FOLDER" as its last arguments

The second line of a source says how: "// build: TARGET... [-OPTION...] [generated]". Without an
option of its own a kernel is compiled with -fmad=false, so that only what is written as a
multiply-add is one. "generated" are sources with others' headers: what they compile to is
others' code, and made where nvcc is instead of being kept.

Exit status: 0 done, 1 something does not compile, 77 there is no nvcc; else the command's.
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


def find_nvcc():
    folders = [os.environ.get("CUDA_PATH"), os.environ.get("CUDA_HOME"), "/usr/local/cuda"]
    places = [str(pathlib.Path(folder) / "bin") for folder in folders if folder]
    return shutil.which("nvcc", path=os.pathsep.join(places + [os.environ.get("PATH", "")]))


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
        if not any(option.startswith("-fmad") for option in self.options):
            self.options.append("-fmad=false")

    def compile(self, nvcc, folder):
        for target in self.targets:
            ptx = folder / f"{self.path.stem}.{target}.ptx"
            subprocess.run([nvcc, "-ptx", f"-arch={target}", "-std=c++17", *self.options,
                            self.path.name, "-o", str(ptx)], check=True, cwd=HERE)
            ptx.write_text(tidy(ptx.read_text()))


def tidy(ptx):
    """Without the compiler's greeting, the folders of this machine, and spaces at the ends."""
    lines = [line.rstrip() for line in ptx.splitlines() if not line.startswith("//")]
    text = "\n".join(lines).strip("\n") + "\n"
    here = os.fsencode(HERE)
    text = text.replace(",".join(map(str, here)), ",".join(map(str, b"." * len(here))))
    return re.sub(r'(\.file\s+\d+ ")[^"]*/([^"/]*")', r"\1\2", text)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--then", nargs=argparse.REMAINDER, metavar="COMMAND")
    parser.add_argument("subjects", nargs="*")
    arguments = parser.parse_args()
    nvcc = find_nvcc()
    if not nvcc:
        print("skipped: there is no nvcc (CUDA_PATH, CUDA_HOME, /usr/local/cuda, PATH)")
        return SKIP
    sources = [Source(path) for path in sorted(HERE.glob("*.cu"))]
    if not arguments.then:
        sources = [s for s in sources if not s.generated and
                   (not arguments.subjects or s.path.stem in arguments.subjects)]
    with tempfile.TemporaryDirectory() as temporary:
        folder = pathlib.Path(temporary) if arguments.then else HERE / "ptx"
        try:
            for source in sources:
                source.compile(nvcc, folder)
        except subprocess.CalledProcessError as error:
            print(f"failed: {' '.join(map(str, error.cmd))}")
            return 1
        print(f"{sum(len(s.targets) for s in sources)} modules", flush=True)
        if arguments.then:
            return subprocess.run([*arguments.then, "--ptx", temporary]).returncode
    return 0


if __name__ == "__main__":
    sys.exit(main())
