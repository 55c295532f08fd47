#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Prints why tests were skipped, with the number of tests for each reason, as the tests say it.

skips.py LOG_FOLDER     of a build: build/gcc/meson-logs. The newest log counts.
"""

import json
import sys
from collections import Counter
from pathlib import Path


def reason(test):
    lines = [line.strip() for line in (test.get("stdout", "") + "\n" + test.get("stderr", "")).splitlines()]
    said = [line for line in lines if line and not line.startswith(("ok ", "1..", "TAP"))]
    return said[-1] if said else "no reason given"


def main():
    logs = sorted(Path(sys.argv[1]).glob("testlog*.json"), key=lambda path: path.stat().st_mtime)
    if not logs:
        return
    tests = [json.loads(line) for line in logs[-1].read_text().splitlines()]
    for text, n in Counter(reason(t) for t in tests if t["result"] == "SKIP").most_common():
        print(f"    {n} skipped: {text[:150]}")


main()
