# SPDX-License-Identifier: MIT
"""Every form of every instruction gives the same on all instruction sets of the host, and what
hardware gave.

clones.py FORMS ANSWERS CONFIGURATION [CLONE...]
"""
import os
import subprocess
import sys


def run(cpu, config, *args):
    env = dict(os.environ, CUSHIM_MOCK_PTX_CPU=cpu, CUSHIM_MOCK_CONFIG=config)
    done = subprocess.run([sys.argv[1], *args], env=env, capture_output=True, text=True)
    return done.returncode, done.stdout + done.stderr


def all_forms(cpu):
    """{form: answer}, of a device that has the newest forms, too."""
    status, text = run(cpu, sys.argv[3])
    return status, dict(line.split("\t") for line in text.splitlines() if line[0] != "#")


def main():
    status, base = all_forms("base")
    # 218 is what ptxas refuses, too; 801 what is not executed.
    bad = [f"{name}: {answer}" for name, answer in base.items()
           if answer.startswith("refused") and answer != "refused 218"]
    bad += ["base: does not end well"] * bool(status)
    for cpu in sys.argv[4:]:
        status, other = all_forms(cpu)
        bad += [f"{cpu}: {name} is {other.get(name)}, base has {answer}"
                for name, answer in base.items() if other.get(name) != answer]
    # What holds for one holds for those that are the same.
    for argument in (sys.argv[2], "-a"):
        status, text = run("best", "", argument)
        bad += [text] * bool(status)
        print(text.splitlines()[-1])
    print("\n".join(bad))
    sys.exit(bool(bad) or len(base) < 2000)


main()
