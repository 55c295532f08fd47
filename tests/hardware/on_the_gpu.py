#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Runs a program if this machine has a usable driver, else skips (77) with the reason.

on_the_gpu.py COMMAND_THAT_SKIPS PROGRAM [ARGUMENT...]
"""

import subprocess
import sys


def main():
    probe = subprocess.run([sys.argv[1]], capture_output=True, text=True)
    if probe.returncode == 77:
        print(probe.stdout, end="")
        return 77
    return subprocess.run(sys.argv[2:]).returncode


if __name__ == "__main__":
    sys.exit(main())
