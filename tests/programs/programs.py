# SPDX-License-Identifier: MIT
"""Installs other people's programs and runs them on the mock; tools/programs calls this.

programs.py --cushim COMMAND [--minutes N] [--record] [PROGRAM...]
    prints a row of a table for each program, and leaves what each said in build/programs/NAME.log
    --record also puts the figures into figures.tsv; status 1: nothing could be run
programs.py --list                names the programs
programs.py --page                writes the table of docs/programs.md, from figures.tsv
programs.py --cushim COMMAND --stage [PROGRAM...]
    what the stage `programs` of tools/check runs. A test that fails is one too many, unless known.tsv has it
programs.py --cushim COMMAND --quick PROGRAM
    the first part of one program, if it is installed already; status 77: it is not
programs.py --device [--record] PROGRAM...
    runs them on the driver of this machine, with packages that are installed already
"""
import argparse
import os
import subprocess
import sys
import time

from catalog import HERE, PROGRAMS
from figures import Figures, count, read_known, write_page
from install import Place, install

BUILD = os.path.join(HERE, "../../build")


def part_command(options, place, part):
    """The words that run one part."""
    words = [place.words(part)]
    if place.program.pytest:
        words.insert(0, "--pytest")
    if options.device:
        return [sys.executable, os.path.join(HERE, "counted.py"), *words]
    return [options.cushim, "run", "--devices", "ci", "--", place.python, os.path.join(HERE, "counted.py"), *words]


def run_part(options, place, part, log):
    """Runs one part in a process of its own: after some faults a process has no device any more."""
    settings = place.device_settings() if options.device else place.settings(place.program.settings)
    environment = {**os.environ, **settings, "HOME": place.folder, "PYTHONUNBUFFERED": "1"}
    log.write(f"== {part}\n".encode())
    log.flush()
    child = subprocess.Popen(part_command(options, place, part), env=environment, cwd=place.folder,
                             stdout=subprocess.PIPE, stderr=log)
    try:
        text, _ = child.communicate(timeout=60 * options.minutes)
    except subprocess.TimeoutExpired:
        child.kill()
        text, _ = child.communicate()
    log.write(text)
    log.flush()
    return count(text.decode(errors="replace"))


def row(*cells):
    print("| " + " | ".join(str(cell) for cell in cells) + " |", flush=True)


def run_program(options, name, parts):
    """Returns what was counted, or None if the program could not be installed."""
    place = Place(options.folder, name, PROGRAMS[name], options.mock)
    os.makedirs(place.folder, exist_ok=True)
    seen, start = Figures(), time.monotonic()
    with open(os.path.join(options.folder, f"{name}.log"), "wb") as log:
        if not options.device and not install(place, log):
            row(name, place.version, "not installed: pip failed, see " + log.name, *["-"] * 5)
            return None
        start = time.monotonic()
        for part in parts:
            seen.add(run_part(options, place, part, log))
    seen.seconds = round(time.monotonic() - start)
    row(place.title, place.version, place.program.title, seen.passed, seen.failed, seen.skipped, seen.missed,
        seen.seconds)
    if options.record:
        seen.record(name, place.version, "device" if options.device else "mock")
    return seen


def stage(options):
    """Status 1 if a test failed that nobody knows of."""
    known, passed, failed, skipped = read_known(), 0, 0, 0
    options.minutes = max(options.minutes, 10)
    for name in options.programs or [name for name in PROGRAMS if PROGRAMS[name].stage]:
        seen = run_program(options, name, PROGRAMS[name].parts[:PROGRAMS[name].stage])
        if seen is None:
            print(f"skipped: {name} could not be installed; is there a network?")
            skipped += 1
            continue
        for test, why in seen.failures:
            if (name, test) not in known:
                print(f"failed: {name}: {test}: {why}")
                failed += 1
        if seen.missed and (name, "not reached") not in known:
            print(f"failed: {name}: {seen.missed} tests were not reached")
            failed += 1
        passed += seen.passed
        skipped += seen.skipped + len(seen.failures)
    print(f"{passed} passed, {failed} failed, {skipped} skipped")
    return 1 if failed else 0


def quick(options, name):
    place = Place(options.folder, name, PROGRAMS[name], options.mock)
    if not place.is_ready():
        print(f"skipped: {name} is not installed; tools/programs {name} installs it")
        return 77
    with open(os.path.join(options.folder, f"{name}-quick.log"), "wb") as log:
        seen = run_part(options, place, place.program.parts[0], log)
    print(f"{name}: {seen.passed} passed, {seen.failed} failed, {seen.skipped} skipped, {seen.missed} not reached")
    return 1 if seen.failed or seen.missed or not seen.passed else 0


def mock_folder(cushim):
    """Where programs find libcuda under `cushim run`."""
    text = subprocess.run([cushim, "run", "--", "env"], capture_output=True, text=True).stdout
    found = [line.partition("=")[2] for line in text.splitlines() if line.startswith("CUSHIM_LIBCUDA=")]
    return os.path.dirname(found[0]) if found else ""


def read_options():
    parser = argparse.ArgumentParser(usage="tools/programs [--list] [--minutes N] [--record] [PROGRAM...]")
    parser.add_argument("--cushim", help=argparse.SUPPRESS)
    parser.add_argument("--list", action="store_true", help="name the programs, and run none")
    parser.add_argument("--page", action="store_true", help="write the table of docs/programs.md, and run none")
    parser.add_argument("--record", action="store_true", help="keep the figures for that table")
    parser.add_argument("--stage", action="store_true", help=argparse.SUPPRESS)
    parser.add_argument("--quick", action="store_true", help=argparse.SUPPRESS)
    parser.add_argument("--device", action="store_true", help=argparse.SUPPRESS)
    parser.add_argument("--minutes", type=float, default=2, help="the time that each part may take")
    parser.add_argument("programs", nargs="*", metavar="PROGRAM")
    options = parser.parse_args()
    options.folder = os.path.join(os.path.abspath(os.environ.get("CUSHIM_BUILD") or BUILD), "programs")
    for name in options.programs:
        if name not in PROGRAMS:
            parser.error(f"there is no program '{name}'; there are {', '.join(PROGRAMS)}")
    return options


def main():
    options = read_options()
    if options.list:
        print("\n".join(PROGRAMS))
        return 0
    if options.page:
        return write_page()
    options.cushim = options.cushim and os.path.abspath(options.cushim)
    options.mock = "" if options.device else mock_folder(options.cushim)
    os.makedirs(options.folder, exist_ok=True)
    if options.quick:
        return quick(options, options.programs[0])
    row("program", "version", "what was run", "passed", "failed", "skipped", "not reached", "seconds")
    row(*["---"] * 8)
    if options.stage:
        return stage(options)
    done = [run_program(options, name, PROGRAMS[name].parts) for name in options.programs or PROGRAMS]
    return 0 if any(done) else 1


if __name__ == "__main__":
    sys.exit(main())
