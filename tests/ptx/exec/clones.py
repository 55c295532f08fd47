# SPDX-License-Identifier: MIT
"""Every form of every instruction gives the same on all instruction sets of the host."""
import os
import subprocess
import sys


def forms(program, cpu):
    env = dict(os.environ, CUSHIM_MOCK_PTX_CPU=cpu)
    return subprocess.run([program], env=env, check=True, capture_output=True, text=True).stdout


def main():
    program = sys.argv[1]
    base = forms(program, "base").splitlines()
    # 218 is what ptxas refuses, too; 801 what is not executed.
    bad = [line for line in base if "refused" in line and "refused 218" not in line]
    done = [line for line in base if "refused" not in line]
    for cpu in ("avx2", "best"):
        for a, b in zip(base, forms(program, cpu).splitlines(), strict=True):
            if a != b:
                bad.append(f"{cpu}: {b}, base has {a}")
    print("\n".join(bad))
    sys.exit(bool(bad) or len(done) < 800)


main()
