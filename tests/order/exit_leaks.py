#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""exit_leaks.py PROGRAM MOCK LATE: only what nobody gives back, to the very end, is reported."""

import subprocess
import sys


def check(program, mock, late, first):
    done = subprocess.run([program, mock, late, first], capture_output=True, text=True, timeout=60,
                          check=False)
    said = done.stderr
    leaks = [line for line in said.splitlines() if "leak" in line and "bytes" in line]
    if done.returncode or len(leaks) != 1 or "(444 bytes" not in leaks[0] or "could not" in said:
        print(f"{first} first: status {done.returncode}, expected one leak of 444 bytes:\n{said}")
        return False
    return True


if __name__ == "__main__":
    sys.exit(not all([check(*sys.argv[1:4], first) for first in ("late", "mock")]))
