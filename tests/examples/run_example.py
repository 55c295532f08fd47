#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Runs a program and checks how it ends and what it says.

run_example.py STATUS PATTERN PROGRAM [ARGUMENT...]

PATTERN is a regular expression that its output and errors together must match somewhere, and the
mock must have found nothing wrong. A program that needs NVRTC is skipped, with 77, where there is
none.
"""

import re
import subprocess
import sys


def main():
    status, pattern, *command = sys.argv[1:]
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    print(done.stdout, end="")
    if re.search(r"no NVRTC found", done.stdout) and not re.search(pattern, done.stdout):
        return 77
    if done.returncode != int(status):
        print(f"{command[0]} ended with {done.returncode}, expected {status}")
        return 1
    if not re.search(pattern, done.stdout):
        print(f"{command[0]} said nothing that matches '{pattern}'")
        return 1
    if re.search(r"^cushim mock: \d+ finding", done.stdout, re.MULTILINE):
        print(f"the mock found mistakes in {command[0]}")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
