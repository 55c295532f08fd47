#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Copies the tests that run against any driver into a folder that runs on another machine.

carry.py BUILD FOLDER

BUILD is a build folder, in which the tests are built. FOLDER gets the programs, the libraries that
they need but those of the C library, and any_driver.py. On the machine with the GPU, which needs
Python and a C library that is not older, run FOLDER/run.
"""

import json
import os
import re
import shutil
import subprocess
import sys

# What belongs to the C library, or to the machine.
STAYS = re.compile(r"^(ld-linux.*|linux-vdso|libc|libm|libdl|libpthread|librt|libresolv)\.so")

RUN = """#!/bin/sh
# The tests of the safe layer on this machine's driver, or the one that CUSHIM_TEST_LIBRARY names.
here=$(dirname "$0")
exec python3 "$here/any_driver.py" --libraries "$here/lib" "$@" "$here/check_driver" "$here"/tests/*
"""


def programs(build):
    """The probe and the programs of the tests of any driver, as Meson knows them."""
    listed = subprocess.run(["meson", "introspect", "--tests", build], check=True, capture_output=True, text=True)
    probe, found = None, []
    for test in json.loads(listed.stdout):
        command = test["cmd"] if any(name.endswith("hardware") for name in test["suite"]) else []
        for i, word in enumerate(command):
            if os.path.basename(word) == "any_driver.py":
                probe, *more = (os.path.join(build, path) for path in command[i + 1:])
                found += more
    return probe, found


def libraries(program):
    listed = subprocess.run(["ldd", program], check=True, capture_output=True, text=True)
    found = re.findall(r"^\s*(\S+) => (/\S+)", listed.stdout, re.MULTILINE)
    return {name: path for name, path in found if not STAYS.match(name)}


def main():
    build, folder = sys.argv[1:]
    probe, found = programs(build)
    if not found:
        print(f"{build} has no such tests: Criterion was not found when it was set up")
        return 1
    os.makedirs(os.path.join(folder, "lib"), exist_ok=True)
    os.makedirs(os.path.join(folder, "tests"), exist_ok=True)
    needed = {}
    for program in [probe] + found:
        needed.update(libraries(program))
    shutil.copy(probe, folder)
    for program in found:
        shutil.copy(program, os.path.join(folder, "tests"))
    for name, path in needed.items():
        shutil.copy(path, os.path.join(folder, "lib", name))
    shutil.copy(os.path.join(os.path.dirname(__file__), "any_driver.py"), folder)
    with open(os.path.join(folder, "run"), "w", encoding="utf-8") as file:
        file.write(RUN)
    os.chmod(os.path.join(folder, "run"), 0o755)
    print(f"{len(found)} programs and {len(needed)} libraries in {folder}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
