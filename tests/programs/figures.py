# SPDX-License-Identifier: MIT
"""What was counted of programs, and the page that shows it.

figures.tsv has a row for each program: on the mock, and on a device. known.tsv has the tests that fail on the mock,
each with its reason."""
import dataclasses
import os
import re

from catalog import HERE, PROGRAMS

PAGE = os.path.join(HERE, "../../docs/programs.md")
FIGURES, KNOWN = os.path.join(HERE, "figures.tsv"), os.path.join(HERE, "known.tsv")
BEGIN, END = "<!-- by tools/programs --page -->", "<!-- end -->"


def read_rows(path):
    with open(path, encoding="utf-8") as file:
        return [line.rstrip("\n").split("\t") for line in file if not line.startswith("#")]


@dataclasses.dataclass
class Figures:
    passed: int = 0
    failed: int = 0
    skipped: int = 0
    missed: int = 0
    seconds: int = 0
    failures: list = dataclasses.field(default_factory=list)

    def add(self, other):
        for field in dataclasses.fields(self):
            setattr(self, field.name, getattr(self, field.name) + getattr(other, field.name))

    def record(self, name, version, where):
        """Puts the figures into the place of older ones."""
        with open(FIGURES, encoding="utf-8") as file:
            head = [line for line in file if line.startswith("#")]
        rows = [row for row in read_rows(FIGURES) if row[:2] != [name, where]]
        rows.append([name, where, version, *map(str, [self.passed, self.failed, self.skipped, self.missed,
                                                      self.seconds])])
        with open(FIGURES, "w", encoding="utf-8") as file:
            file.write("".join(head) + "".join("\t".join(row) + "\n" for row in sorted(rows)))


def count(text):
    """What the lines of counted.py say. A module that cannot be loaded at all is one failure."""
    words = [line.split(" ", 1)[0] for line in text.splitlines()]
    wanted = re.search(r"^tests (\d+)$", text, re.M)
    if not wanted:
        return Figures(failed=1, failures=[("a module", "it could not be loaded")])
    failures = re.findall(r"^failed (.+?)(?:: (.*))?$", text, re.M)
    seen = Figures(words.count("passed"), words.count("failed"), words.count("skipped"), failures=failures)
    seen.missed = max(0, int(wanted[1]) - seen.passed - seen.failed - seen.skipped)
    return seen


def read_known():
    """The tests that are known to fail on the mock, by program."""
    return {tuple(row[:2]) for row in read_rows(KNOWN)}


def cells(name, figures):
    program = PROGRAMS[name]
    title = re.split(r"\[|==", program.packages[0])[0]
    version, passed, failed, skipped, missed, seconds = figures[name, "mock"]
    device = figures.get((name, "device"))
    needed = program.needed or " ".join(f"`{key}={value}`" for key, value in program.settings.items()
                                        if "WHEELS" not in value)
    on_device = f"{device[1]}, {device[2]}, {device[3]}" if device else ""
    return [title, version, program.title, passed, failed, skipped, missed, seconds, on_device, needed]


def table():
    figures = {tuple(row[:2]): row[2:] for row in read_rows(FIGURES)}
    lines = [["program", "version", "what was run", "passed", "failed", "skipped", "not reached", "seconds",
              "on a device: passed, failed, skipped", "what had to be set"], ["---"] * 10]
    lines += [cells(name, figures) for name in PROGRAMS if (name, "mock") in figures]
    return "".join("| " + " | ".join(line) + " |\n" for line in lines)


def write_page():
    with open(PAGE, encoding="utf-8") as file:
        before, rest = file.read().split(BEGIN)
    with open(PAGE, "w", encoding="utf-8") as file:
        file.write(before + BEGIN + "\n\n" + table() + "\n" + END + rest.split(END)[1])
    return 0
