#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Asks a driver the questions of a group, and compares its answers with the recorded ones.

answers.py [--exceptions FILE] [--documented FILE] ASK RECORDED lists
answers.py [--exceptions FILE] [--documented FILE] ASK RECORDED group LIBRARY GROUP
answers.py                     [--documented FILE] ASK RECORDED hardware

The recorded answers are lines "group.case<TAB>answer". The exceptions are lines
"group.case<TAB>reason", the answers that are not expected to hold; one that does
hold is an error too, so that the list can only shrink. The documented answers have the
form of the recorded ones, and stand for them until somebody asks hardware.

`hardware` asks all groups of this machine's driver, and skips (77), with the reason, where
it is not one like that of the recorded answers.
"""

import argparse
import subprocess
import sys
from pathlib import Path

SKIP = 77
SECONDS = 100
DRIVER = "libcuda.so.1"

# What the recorded answers were recorded on.
VERSION, DEVICE, N_DEVICES = "13000", "NVIDIA H200", 2


def read_lines(text, what):
    """{key: value} of lines with a tab."""
    result = {}
    for number, line in enumerate(text.splitlines(), 1):
        if line.startswith("#"):
            continue
        key, tab, value = line.partition("\t")
        if not tab or not key:
            raise ValueError(f"{what}, line {number} is no key and value: '{line}'")
        if key in result:
            raise ValueError(f"{what}, line {number}: '{key}' is there twice")
        result[key] = value
    return result


def read_file(path):
    return read_lines(Path(path).read_text(), path) if path else {}


def expected(options):
    """All answers that a driver should give."""
    recorded, documented = read_file(options.recorded), read_file(options.documented)
    twice = recorded.keys() & documented.keys()
    if twice:
        raise ValueError(f"{options.documented}: '{min(twice)}' is recorded; take it off")
    return {**recorded, **documented}


def of_group(lines, group):
    return {key: value for key, value in lines.items() if key.split(".")[0] == group}


def complaints(recorded, answered, exceptions):
    """What is wrong with a group's answers, one sentence each."""
    result = [f"{key}: no answer; recorded is {recorded[key]}"
              for key in recorded if key not in answered]
    for key, answer in answered.items():
        if key not in recorded:
            result.append(f"{key}: {answer} is an answer that is not recorded")
        elif answer != recorded[key] and key not in exceptions:
            result.append(f"{key}: {answer}, but recorded is {recorded[key]}")
        elif answer == recorded[key] and key in exceptions:
            result.append(f"{key}: {answer} is as recorded; take it off the exceptions")
    return result


def ask(program, library, group):
    """(answers, sentences that say what went wrong with the process itself)"""
    try:
        done = subprocess.run([program, library, group], stdout=subprocess.PIPE,
                              stdin=subprocess.DEVNULL, timeout=SECONDS, check=False)
    except subprocess.TimeoutExpired as error:
        output = (error.stdout or b"").decode(errors="replace")
        # The last line may be cut.
        return read_lines(output[: output.rfind("\n") + 1], group), [
            f"{group}: not done after {SECONDS} seconds"]
    answers = read_lines(done.stdout.decode(errors="replace"), group)
    if done.returncode == 0 and answers.pop(f"{group}.END", None) == "0":
        return answers, []
    return answers, [f"{group}: ended with status {done.returncode}, before its end"]


def check_group(options, library, group):
    """Prints what is wrong, and answers how much."""
    exceptions = of_group(read_file(options.exceptions), group)
    recorded = of_group(expected(options), group)
    answers, problems = ask(options.ask, library, group)
    problems += complaints(recorded, answers, exceptions)
    for problem in problems:
        print(problem)
    held = sum(answers.get(key) == value for key, value in recorded.items())
    print(f"{group}: {held} of {len(recorded)} answers hold, {len(exceptions)} exceptions")
    return len(problems)


def list_groups(options):
    # The list does not need the library.
    done = subprocess.run([options.ask, "none"], stdout=subprocess.PIPE, text=True, check=True)
    return done.stdout.split()


def check_lists(options):
    """Do the groups, the recorded answers and the exceptions belong together?"""
    recorded, exceptions = expected(options), read_file(options.exceptions)
    problems = [f"exceptions: '{key}' is not recorded" for key in exceptions if key not in recorded]
    problems += [f"exceptions: '{key}' has no reason"
                 for key, reason in exceptions.items() if not reason.strip()]
    asked, known = set(list_groups(options)), {key.split(".")[0] for key in recorded}
    problems += [f"the group '{group}' is not recorded" for group in sorted(asked - known)]
    problems += [f"the group '{group}' is never asked" for group in sorted(known - asked)]
    for problem in problems:
        print(problem)
    print(f"{len(recorded)} recorded answers, {len(exceptions)} exceptions")
    return len(problems)


def why_not_comparable(program):
    """None if this machine's driver should give the recorded answers."""
    done = subprocess.run([program, DRIVER, "devices"], stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, text=True, timeout=SECONDS, check=False)
    if done.returncode:
        return f"no driver to ask: {done.stderr.strip() or 'it does not initialise'}"
    lines = [line.split("\t") for line in done.stdout.splitlines()]
    version = next(value for name, value in lines if name == "version")
    devices = [value for name, value in lines if name == "device"]
    if devices[:N_DEVICES] != [DEVICE] * N_DEVICES or version != VERSION:
        return (f"recorded on two devices '{DEVICE}' and CUDA {VERSION}; "
                f"here: {', '.join(devices) or 'none'} and CUDA {version}")
    return None


def check_hardware(options):
    reason = why_not_comparable(options.ask)
    if reason:
        print(f"skipped: {reason}")
        return SKIP
    # A group that no hardware was asked for is of a newer driver.
    asked = {key.split(".")[0] for key in read_file(options.recorded)}
    groups = [group for group in list_groups(options) if group in asked]
    wrong = sum(check_group(options, DRIVER, group) for group in groups)
    return 1 if wrong else 0


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--exceptions")
    parser.add_argument("--documented")
    parser.add_argument("ask", help="the program that asks")
    parser.add_argument("recorded")
    commands = parser.add_subparsers(dest="command", required=True)
    commands.add_parser("lists")
    group = commands.add_parser("group")
    group.add_argument("library")
    group.add_argument("group")
    commands.add_parser("hardware")
    options = parser.parse_args()
    if options.command == "hardware":
        return check_hardware(options)
    if options.command == "lists":
        return 1 if check_lists(options) else 0
    return 1 if check_group(options, options.library, options.group) else 0


if __name__ == "__main__":
    sys.exit(main())
