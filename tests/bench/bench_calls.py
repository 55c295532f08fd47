#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Prints what a call costs, in instructions and in time, by the way it takes.

bench_calls.py BENCH_CALL    the program of call.c

Instructions are counted by callgrind, as the difference of two runs of different
length, less those of an empty loop; the called function itself has two. Without
valgrind there are only times.
"""

import re
import shutil
import subprocess
import sys

SHORT, LONG = 1000, 11000

WAYS = {
    "plt": ("linked normally, through the PLT", None),
    "table": ("through the table", 1),
    "dropin": ("through libcushim-cuda", 2),
    "interposed": ("interposed, without hooks", None),
    "hook": ("interposed, with an empty hook", None),
    "trace": ("interposed, with a trace", None),
}


def instructions(program, way, calls):
    callgrind = ["valgrind", "--tool=callgrind", "--callgrind-out-file=/dev/null"]
    command = [*callgrind, program, way, str(calls)]
    run = subprocess.run(command, capture_output=True, text=True, check=True)
    return int(re.search(r"Collected : (\d+)", run.stderr)[1])


def instructions_a_call(program, way):
    return (instructions(program, way, LONG) - instructions(program, way, SHORT)) / (LONG - SHORT)


def count_all(program):
    if not shutil.which("valgrind"):
        return {}
    counts = {way: instructions_a_call(program, way) for way in ["loop", *WAYS]}
    return {way: counts[way] - counts["loop"] for way in WAYS}


def time_all(program):
    out = subprocess.run([program], capture_output=True, text=True, check=True).stdout
    return {way: (float(ns), float(ratio)) for way, ns, ratio in map(str.split, out.splitlines())}


def line(way, counts, times):
    text, budget = WAYS[way]
    ns, ratio = times[way]
    row = f"{text:<34}{ns:>9.2f}{ratio:>8.2f}"
    if counts:
        row += f"{counts[way]:>12.1f}{counts[way] - counts['plt']:>+8.1f}"
    return row + (f"{f'+{budget}':>8}" if budget else "")


def main():
    program = sys.argv[1]
    counts, times = count_all(program), time_all(program)
    head = f"{'a call':<34}{'ns':>9}{'x PLT':>8}"
    print(head + (f"{'instr.':>12}{'- PLT':>8}{'budget':>8}" if counts else ""))
    for way in WAYS:
        print(line(way, counts, times))
    if not counts:
        print("no valgrind here: instructions were not counted")


if __name__ == "__main__":
    main()
