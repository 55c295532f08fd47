#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Compares the results that cushim knows with those of CUDA's headers.

check_results.py RESULTS.H FOLDER...    the folders have cuda.h, and perhaps nvrtc.h and nvJitLink.h

A number that differs is an error. So is a result that the headers have and cushim does
not, unless the headers are of a later CUDA than the list.
"""

import re
import sys
from pathlib import Path

KNOWN_VERSION = 13000

ROW = re.compile(r"^    X\((\d+), (\w+), \"", re.M)
ENUMERATOR = re.compile(r"^\s*((?:CUDA|NVRTC)_(?:SUCCESS|ERROR_\w+))\s*=\s*(\d+)", re.M)
# These have no numbers of their own but the first.
IN_ORDER = re.compile(r"^\s*(NVJITLINK_(?:SUCCESS|ERROR_\w+))", re.M)
COMMENT = re.compile(r"/\*.*?\*/", re.S)


def known_results(path):
    return {name: int(number) for number, name in ROW.findall(path.read_text())}


def find(folders, name):
    return next((Path(f, name) for f in folders if Path(f, name).exists()), None)


def header_results(path):
    """Every enumerator, whether or not it has a number of its own in the text."""
    text = COMMENT.sub("", path.read_text(errors="replace"))
    if path.name == "nvJitLink.h":
        return {name: number for number, name in enumerate(IN_ORDER.findall(text))}
    return {name: int(number) for name, number in ENUMERATOR.findall(text)}


def header_version(path):
    match = re.search(r"#define CUDA_VERSION (\d+)", path.read_text(errors="replace"))
    return int(match[1]) if match else 0


def compare(path, known, later):
    found = header_results(path)
    problems = [] if len(found) > 10 else [f"{path}: only {len(found)} results were found in it"]
    for name, number in sorted(found.items(), key=lambda item: item[1]):
        if name not in known and later:
            print(f"{path} has {name} = {number}, which is not known yet")
        elif known.get(name) != number:
            problems.append(f"{path} has {name} = {number}, results.h has {known.get(name)}")
    print(f"{path}: {len(found)} results compared")
    return problems


def main():
    results, *folders = sys.argv[1:]
    known = known_results(Path(results))
    cuda, nvrtc = find(folders, "cuda.h"), find(folders, "nvrtc.h")
    linker = find(folders, "nvJitLink.h")
    if not cuda:
        print(f"no cuda.h in {' '.join(folders)}")
        return 77
    later = header_version(cuda) > KNOWN_VERSION
    problems = compare(cuda, known, later)
    if nvrtc:
        problems += compare(nvrtc, known, later)
    if linker:
        problems += compare(linker, known, later)
    print("\n".join(problems))
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
