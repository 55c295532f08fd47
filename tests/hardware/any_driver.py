#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Runs tests under Criterion against a driver, and sums up what ran and why the rest did not.

any_driver.py [--libraries FOLDER] [--jobs N] PROBE [PROGRAM...]

The driver is what CUSHIM_TEST_LIBRARY names, or that of this machine. PROBE (check_driver) says why
it cannot be used, and nothing is run then. FOLDER has the shared libraries of programs that were
built on another machine (carry.py). Exit status: 0 right, 1 a test failed, 77 none could be run.
"""

import argparse
import collections
import os
import re
import subprocess
import sys
import time

SKIPPED = 77
TEST = re.compile(r"^(ok|not ok)\s+(?:\d+ )?- (\S+?):?\s.*?(?:# SKIP\s*(.*))?$")


class Sum:
    """How many tests ran and failed, and how many were skipped for which reason."""

    def __init__(self):
        self.ran = self.failed = 0
        self.skips = collections.Counter()

    def add(self, other):
        self.ran += other.ran
        self.failed += other.failed
        self.skips.update(other.skips)

    def show(self, name, seconds):
        skipped = sum(self.skips.values())
        print(f"{name}: {self.ran} ran, {self.failed} of them failed, {skipped} skipped, {seconds:.1f} s")
        for reason, n in sorted(self.skips.items()):
            print(f"    {n} skipped: {reason}")


def read(text):
    done, reason = Sum(), ""
    for line in text.splitlines():
        if line.startswith("# skipped: "): # what run.c says before the line of the test
            reason = line.removeprefix("# skipped: ")
        match = TEST.match(line + " ")
        if not match:
            continue
        if match[3] is not None:
            done.skips[match[3].strip() or reason] += 1
            continue
        done.ran += 1
        done.failed += match[1] == "not ok"
    return done


def run(program, jobs, env):
    """What the program's tests did; None if it does not start, which is said."""
    command = [program, "--tap=/dev/stdout", "--short-filename", f"--jobs={jobs}"]
    child = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, env=env,
                           errors="replace")
    if child.returncode == 127:
        print(f"skipped: {program} does not start: {child.stdout.strip()}")
        return None
    done = read(child.stdout)
    if child.returncode != 0:
        print(child.stdout)
        done.failed = max(done.failed, 1)
    elif not done.ran and not done.skips:
        print(f"{program} reports no test:\n{child.stdout}")
        done.failed = 1
    return done


def probe(program, env):
    """Why the driver cannot be used; None if it can."""
    child = subprocess.run([program, env["CUSHIM_TEST_LIBRARY"]], capture_output=True, text=True, env=env)
    if child.returncode == 127:
        return "skipped: " + child.stderr.strip()
    return child.stdout.strip() if child.returncode == SKIPPED else None


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--libraries")
    parser.add_argument("--jobs", default="8")
    parser.add_argument("probe")
    parser.add_argument("programs", nargs="*")
    args = parser.parse_args()
    env = dict(os.environ, CUSHIM_TEST_LIBRARY=os.environ.get("CUSHIM_TEST_LIBRARY") or "auto")
    if args.libraries:
        env["LD_LIBRARY_PATH"] = ":".join(filter(None, [args.libraries, env.get("LD_LIBRARY_PATH")]))

    if not args.programs:
        print("skipped: Criterion was not found when this was built, and these tests are written for it")
        return SKIPPED
    reason = probe(args.probe, env)
    if reason is not None:
        print(reason)
        return SKIPPED
    total, start = Sum(), time.monotonic()
    for program in args.programs:
        begin = time.monotonic()
        done = run(program, args.jobs, env)
        if done:
            done.show(os.path.basename(program), time.monotonic() - begin)
            total.add(done)
    if len(args.programs) > 1:
        total.show("all programs", time.monotonic() - start)
    if total.failed:
        return 1
    return 0 if total.ran else SKIPPED


if __name__ == "__main__":
    sys.exit(main())
