# SPDX-License-Identifier: MIT
"""Every form of every instruction gives the same on all instruction sets of the host, and what
hardware gave.

clones.py FORMS ANSWERS CONFIGURATION [CLONE...]
"""
import os
import subprocess
import sys


CLONES = ["base", *sys.argv[4:]]


def run(cpu, config, *args):
    """One of several with the checks of what a kernel does, which the forms have no use for."""
    env = dict(os.environ, CUSHIM_MOCK_PTX_CPU=cpu, CUSHIM_MOCK_CONFIG=config,
               CUSHIM_MOCK_CHECK="" if cpu == CLONES[-1] != "base" else "0")
    return subprocess.run([sys.argv[1], *args], env=env, capture_output=True, text=True)


def complaints(status, text):
    """Its last line says how much was compared."""
    lines = text.splitlines() or ["nothing was compared"]
    print(lines[-1])
    return lines if status else []


def all_forms(cpu):
    """({form: answer}, what differs from hardware), of a device that has the newest forms, too."""
    done = run(cpu, sys.argv[3], "-p", sys.argv[2])
    answers = dict(line.split("\t") for line in done.stdout.splitlines())
    return answers, complaints(done.returncode, done.stderr)


def main():
    base, bad = all_forms("base")
    # 218 is what ptxas refuses, too; 801 what is not executed.
    bad += [f"{name}: {answer}" for name, answer in base.items()
            if answer.startswith("refused") and answer != "refused 218"]
    for cpu in CLONES[1:]:
        other, different = all_forms(cpu)
        bad += different
        bad += [f"{cpu}: {name} is {other.get(name)}, base has {answer}"
                for name, answer in base.items() if other.get(name) != answer]
    # What holds for one holds for those that are the same.
    approximate = run(CLONES[-1], "", "-a")
    bad += complaints(approximate.returncode, approximate.stdout + approximate.stderr)
    print("\n".join(bad))
    sys.exit(bool(bad) or len(base) < 2000)


main()
