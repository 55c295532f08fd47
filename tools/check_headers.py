#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Compiles what sees CUDA's headers once more, with those of another toolkit and another compiler, to see
that nothing warns: the mock, the examples, and the public headers alone (see test_headers.py).

check_headers.py BUILD COMPILER INCLUDE...

BUILD is a build folder; its compile_commands.json says how each file is compiled. Nothing is written: the
compiler looks at the syntax and at types alone. Files of tests that a toolkit so old does not build are left out.
"""

import json
import os
import re
import shlex
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
# What meson.build compiles with every toolkit.
FILES = re.compile(r"/(src/mock|examples)/")
WARNINGS = ["-Werror", "-fsyntax-only", "-fno-diagnostics-color"]
NOT_WANTED = re.compile(r"-M[DQF]?|-o|-c|-g|-O\d|-fdiagnostics-color=always")


def arguments(command, compiler, include):
    """The command with another compiler and other headers; None if the file sees none of CUDA's."""
    old = shlex.split(command)
    if "-isystem" not in old:
        return None
    new, skip = [], False
    start = next(i for i, word in enumerate(old) if word.startswith("-"))
    for word in old[start:]:
        if skip or word == "-isystem":
            skip = word == "-isystem"
        elif word in ("-MQ", "-MF", "-o"):
            skip = True
        elif not NOT_WANTED.fullmatch(word):
            new.append(word)
    folders = [word for folder in include for word in ("-isystem", folder)]
    return [compiler, *WARNINGS, *folders, *new]


def look(build, command):
    done = subprocess.run(command, cwd=build, capture_output=True, text=True)
    return (done.returncode, " ".join(command) + "\n" + done.stderr) if done.returncode else (0, "")


def left_out(include):
    """The public headers that need one of CUDA's that is not there: nvJitLink.h came with CUDA 12."""
    tables = {"nvrtc.h": "nvrtc_table.h", "nvJitLink.h": "nvjitlink_table.h"}
    return ",".join(t for h, t in tables.items() if not any(Path(folder, h).exists() for folder in include))


def main():
    build, compiler, *include = sys.argv[1:]
    commands = []
    for entry in json.loads(Path(build, "compile_commands.json").read_text()):
        if FILES.search(entry["file"]) or FILES.search(str(Path(build, entry["file"]).resolve())):
            command = arguments(entry["command"], compiler, include)
            if command:
                commands.append(command)
    headers = [sys.executable, str(ROOT / "tests/rules/test_headers.py"), compiler, str(ROOT / "include"),
               str(Path(build, "include").resolve()), left_out(include),
               *(word for folder in include for word in ("-isystem", folder))]
    # The public headers come first: they are one command, which takes as long as many files.
    with ThreadPoolExecutor(os.cpu_count() + 2) as pool:
        results = list(pool.map(lambda command: look(build, command), [headers, *commands]))
    print("\n".join(text for _, text in results if text))
    bad = sum(status != 0 for status, _ in results)
    print(f"{compiler}, {include[0]}: {len(commands)} files and the public headers, {bad} with mistakes")
    sys.exit(bad > 0 or len(commands) < 100)


main()
