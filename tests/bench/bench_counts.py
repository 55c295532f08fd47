#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Prints what calls cost through the safe layer, in time and in instructions.

bench_counts.py PROGRAM WAY...    the program of launch.c or work.c, and what it does

Instructions are counted by callgrind, as the difference of two runs of different length; those of
the driver, which does nothing, are a handful. Without valgrind there are only times.
"""

import re
import shutil
import subprocess
import sys

SHORT, LONG = 1000, 11000


def instructions(program, way, calls):
    callgrind = ["valgrind", "--tool=callgrind", "--callgrind-out-file=/dev/null"]
    command = [*callgrind, program, way, str(calls)]
    run = subprocess.run(command, capture_output=True, text=True, check=True)
    return int(re.search(r"Collected : (\d+)", run.stderr)[1])


def main():
    program, *ways = sys.argv[1:]
    print(subprocess.run([program], capture_output=True, text=True, check=True).stdout, end="")
    for way in ways if shutil.which("valgrind") else []:
        count = instructions(program, way, LONG) - instructions(program, way, SHORT)
        print(f"{way:<10} {count / (LONG - SHORT):9.1f} instructions")


if __name__ == "__main__":
    main()
