#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Compares what a driver answers to the questions of the program `sweep` with what was recorded.

sweep.py check SWEEP FOLDER LIBRARY FAMILY   asks, and says what differs
sweep.py lists SWEEP FOLDER SYMBOLS PAGE     do the questions, the recorded answers, the exceptions and the page belong together?
                                             SYMBOLS lists all functions, which are asked about or left out
sweep.py page FOLDER PAGE                    writes the page, docs/answers.md: how many answers there are, by family
sweep.py agree ONE AGAIN                     prints what two outputs of `sweep` agree in
sweep.py record FOLDER DEVICE ONE TWO        records the answers in outputs of `sweep`, with one device and with two; answers to other
                                             questions stay
sweep.py except FOLDER ONE TWO               writes the exceptions anew, from such outputs of `sweep` on the mock

The family `two_devices` is of all questions about another device, and needs two devices; the others need one.
FOLDER/FAMILY.tsv has a line for each parameter of each function: "function<TAB>parameter<TAB>value=answer value=answer...".
The parameter "-" is none: these are the good call, and that call in other situations. An answer is the result, then
":results" if it was 0, "!what came later", "/state of the capture". "crash" and "hang" mean that the driver did, also later: here,
any error is right. ":~" are results that differ from one process to the next, and are not compared.

FOLDER/exceptions.tsv has lines "function<TAB>parameter<TAB>value value...<TAB>reason": answers that are not expected to hold;
one that does hold is an error, too, so that the list can only shrink.
"""

import argparse
import collections
import fnmatch
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

EXCEPTIONS = "exceptions.tsv"
LEFT_OUT = "left_out.tsv"
TWO_DEVICES = "two_devices"
VERSION = 13000  # of the recorded driver
NOT_EXAMINED = "not examined yet"
SECONDS = 100
WORKERS = 2
# A sanitizer ends a process that lets the mock read memory of the host that is not there.
SANITIZED = "address" in os.environ.get("CUSHIM_TEST_SANITIZERS", "")
# An older kernel does not tell the mock in time that memory may not be used.
OLD_KERNEL = tuple(int(number) for number in re.findall(r"\d+", os.uname().release)[:2]) < (6, 11)


def read_output(text):
    """{family: {(function, parameter, value): answer}} of what `sweep` prints."""
    result = {}
    for line in text.splitlines():
        family, function, parameter, value, answer = line.split("\t")
        result.setdefault(family, {})[function, parameter, value] = answer
    return result


def read_answers(path):
    """{(function, parameter, value): answer} of a file of recorded answers."""
    result = {}
    for line in path.read_text().splitlines():
        if line.startswith("#"):
            continue
        function, parameter, pairs = line.split("\t")
        for pair in pairs.split(" "):
            value, answer = pair.split("=", 1)
            result[function, parameter, value] = answer
    return result


def read_exceptions(folder):
    """{(function, parameter, value): reason}"""
    result = {}
    for line in (folder / EXCEPTIONS).read_text().splitlines():
        if line.startswith("#"):
            continue
        function, parameter, values, reason = line.split("\t")
        for value in values.split(" "):
            result[function, parameter, value] = reason
    return result


def by_parameter(keys):
    """{(function, parameter): [value]}, in the order of the questions."""
    result = {}
    for function, parameter, value in keys:
        result.setdefault((function, parameter), []).append(value)
    return result


def code(answer):
    return answer.split(":")[0].split("!")[0].split("/")[0]


def holds(recorded, answer):
    """Is an answer as good as the recorded one?"""
    if code(recorded) in ("crash", "hang") or recorded.endswith("!crash"):
        return code(answer) not in ("0", "crash", "hang")
    if ":~" in recorded and code(recorded) == code(answer) == "0":
        return True
    return recorded == answer


def ask(program, library, family):
    """The answers to the questions of a family."""
    text = "other_device" if family == TWO_DEVICES else family
    devices = {"CUSHIM_MOCK_DEVICES": "h200,h200" if family == TWO_DEVICES else "h200"}
    command = [os.path.abspath(program), os.path.abspath(library), str(WORKERS), str(SECONDS), text]
    with tempfile.TemporaryDirectory() as folder:  # some functions write files
        done = subprocess.run(command, stdout=subprocess.PIPE, env={**os.environ, **devices}, cwd=folder,
                              stdin=subprocess.DEVNULL, stderr=subprocess.DEVNULL, text=True, check=True)
    return {key: answer for answers in read_output(done.stdout).values() for key, answer in answers.items()}


def complaints(recorded, answers, exceptions):
    result = []
    for key, expected in recorded.items():
        name = " ".join(key)
        if key not in answers:
            result.append(f"{name}: no answer; recorded is {expected}")
        elif holds(expected, answers[key]) and key in exceptions:
            result.append(f"{name}: {answers[key]} is as recorded; take it off the exceptions")
        elif (SANITIZED or OLD_KERNEL) and code(expected) == code(answers[key]) == "crash":
            continue
        elif not holds(expected, answers[key]) and key not in exceptions:
            result.append(f"{name}: {answers[key]}, but recorded is {expected}")
    return result


def check(options):
    folder = Path(options.folder)
    recorded = read_answers(folder / f"{options.family}.tsv")
    exceptions = {key: reason for key, reason in read_exceptions(folder).items() if key in recorded}
    answers = ask(options.sweep, options.library, options.family)
    wrong = complaints(recorded, answers, exceptions)
    for line in wrong:
        print(line)
    held = sum(holds(answer, answers.get(key, "")) for key, answer in recorded.items())
    print(f"{options.family}: {held} of {len(recorded)} answers hold, {len(exceptions)} exceptions")
    return 1 if wrong else 0


def recorded_files(folder):
    return sorted(path for path in folder.glob("*.tsv") if path.name not in (EXCEPTIONS, LEFT_OUT))


def not_asked(folder, symbols, functions):
    """What is wrong with the list of functions that no question is about."""
    patterns = [pattern for line in (folder / LEFT_OUT).read_text().splitlines() if not line.startswith("#")
                for pattern in line.split("\t")[0].split(" ")]
    rows = [line.split() for line in symbols.read_text().splitlines() if line and not line.startswith("#")]
    known = {row[0] for row in rows if int(row[2]) <= VERSION}
    left_out = {name for name in known for pattern in patterns if fnmatch.fnmatchcase(name, pattern)}
    wrong = [f"{name} is neither asked about nor left out" for name in known - left_out - functions]
    wrong += [f"{name} is left out, and asked about" for name in left_out & functions]
    return wrong + [f"{pattern} leaves out nothing" for pattern in patterns if not fnmatch.filter(known, pattern)]


def lists(options):
    folder = Path(options.folder)
    done = subprocess.run([options.sweep, "list"], stdout=subprocess.PIPE, text=True, check=True)
    asked = {key for keys in read_output(done.stdout).values() for key in keys}
    recorded = {}
    for path in recorded_files(folder):
        recorded.update(read_answers(path))
    exceptions = read_exceptions(folder)
    wrong = [f"{' '.join(key)} is never asked" for key in recorded.keys() - asked]
    wrong += [f"exceptions: {' '.join(key)} is not recorded" for key in exceptions if key not in recorded]
    wrong += not_asked(folder, Path(options.symbols), {function.split("/")[0] for function, _, _ in asked})
    if Path(options.page).read_text() != page_text(folder):
        wrong.append(f"{options.page} says other numbers; sweep.py page writes it anew")
    for line in sorted(wrong):
        print(line)
    print(f"{len(recorded)} recorded answers, {len(exceptions)} exceptions; {len(asked - recorded.keys())} questions wait "
          "for hardware")
    return 1 if wrong else 0


PAGE = """# Answers of a driver, by rule

The mock is asked what a driver was asked on hardware (H100 and H200, driver 580.159.04, CUDA 13.0). The questions are written by rule: each
function is called once with good arguments, then with one bad value after another, one parameter at a time, and once in each
situation, such as before `cuInit()` or in a child of `fork()`. [`CONTRIBUTING.md`](../CONTRIBUTING.md#recording-what-hardware-answers)
says how answers are recorded. `tests/driver/sweep/sweep.py page` writes this page of
[the answers](../tests/driver/sweep/answers), and the test `sweep-lists` compares it with them.

Where the driver crashed or never returned, an error is the right answer. Where its results differ from one process to the next,
they are not compared.

## By family

{families}

## What the mock does not give, and why

{reasons}
"""


def row(*cells):
    return "| " + " | ".join(str(cell) for cell in cells) + " |"


def page_text(folder):
    """How many answers are recorded and how many are not given, by family; and the reasons."""
    reasons = read_exceptions(folder)
    counts = {path.stem: read_answers(path).keys() for path in recorded_files(folder)}
    missing = {family: sum(key in reasons for key in keys) for family, keys in counts.items()}
    total, left = sum(len(keys) for keys in counts.values()), sum(missing.values())
    families = [row("family", "answers", "not given"), row("---", "---", "---")]
    families += [row(family, f"{len(keys):,}", missing[family]) for family, keys in sorted(counts.items())]
    families += [row("all", f"{total:,}", f"{left} ({100 * left / total:.2f} %)")]
    of_reason = collections.Counter(reasons.values())
    why = [row("answers", "reason"), row("---", "---")]
    why += [row(n, reason) for reason, n in sorted(of_reason.items(), key=lambda item: (-item[1], item[0]))]
    return PAGE.format(families="\n".join(families), reasons="\n".join(why))


def write_page(options):
    Path(options.page).write_text(page_text(Path(options.folder)))
    return 0


def with_two_devices(path):
    """{family: answers} of an output with two devices, of which only what needs them is kept."""
    output = read_output(Path(path).read_text())
    return {TWO_DEVICES: {key: answer for answers in output.values() for key, answer in answers.items()
                          if key[2] == "other_device"}}


def by_family(options):
    return {**read_output(Path(options.one).read_text()), **with_two_devices(options.two)}


def common(answer, again):
    """What two answers to one question have in common; None if that is not even the result, or there was no call."""
    if "unmade" in (answer, again) or "missing" in (answer, again):
        return None
    if answer == again:
        return answer
    later = [re.sub("^0[^!/]*", "", text) for text in (answer, again)]
    return f"0:~{later[0]}" if code(answer) == code(again) == "0" and later[0] == later[1] else None


def agree(options):
    one, again = (read_output(Path(path).read_text()) for path in (options.one, options.again))
    for family, answers in one.items():
        for key, answer in answers.items():
            kept = common(answer, again.get(family, {}).get(key, "missing"))
            if kept:
                print("\t".join((family, *key, kept)))
    return 0


def record(options):
    for family, new in by_family(options).items():
        if not new:
            continue
        path = Path(options.folder) / f"{family}.tsv"
        answers = {**(read_answers(path) if path.exists() else {}), **new}
        lines = [f"# {options.device}"]
        for (function, parameter), values in by_parameter(answers).items():
            pairs = " ".join(f"{value}={answers[function, parameter, value]}" for value in values)
            lines.append(f"{function}\t{parameter}\t{pairs}")
        path.write_text("\n".join(lines) + "\n")
    return 0


def write_exceptions(options):
    folder = Path(options.folder)
    reasons = read_exceptions(folder) if (folder / EXCEPTIONS).exists() else {}
    lines = ["# Answers of the mock that are not those of hardware yet, and why. sweep.py says what the columns mean."]
    output = by_family(options)
    for path in recorded_files(folder):
        answers = output.get(path.stem, {})
        differ = [key for key, answer in read_answers(path).items() if not holds(answer, answers.get(key, ""))]
        for (function, parameter), values in by_parameter(differ).items():
            of_reason = {}
            for value in values:
                reason = reasons.get((function, parameter, value), NOT_EXAMINED)
                of_reason.setdefault(reason, []).append(value)
            lines += [f"{function}\t{parameter}\t{' '.join(vs)}\t{reason}" for reason, vs in of_reason.items()]
    (folder / EXCEPTIONS).write_text("\n".join(lines) + "\n")
    return 0


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    commands = parser.add_subparsers(dest="command", required=True)
    for name, function, arguments in (("check", check, "sweep folder library family"), ("lists", lists, "sweep folder symbols page"),
                                      ("page", write_page, "folder page"), ("agree", agree, "one again"),
                                      ("record", record, "folder device one two"),
                                      ("except", write_exceptions, "folder one two")):
        command = commands.add_parser(name)
        command.set_defaults(function=function)
        for argument in arguments.split():
            command.add_argument(argument)
    options = parser.parse_args()
    return options.function(options)


if __name__ == "__main__":
    sys.exit(main())
