# SPDX-License-Identifier: MIT
"""The mock's kernels beside the same algorithms in C and in OpenCL C: medians in milliseconds.

kernels.py PROGRAM KERNELS MOCK [--quick] [--cpu] [--only NAME]... [--columns 'NAME;...'] [--json FILE]

Each column of a kernel is a process of its own, and they run one after another, so that whatever else
the machine does disturbs them alike. Results are compared with C's. The mock checks bounds in every
column, as it cannot be told not to; "all" are the checks that are on by default: what was written
before, races between threads and blocks. Threads of OpenMP sleep while they wait, as the mock's do.

On a machine that does other work meanwhile, --cpu is more steady: one thread of each, and its processor
time.
"""
import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile

BOUNDS, ALL = {"CUSHIM_MOCK_CHECK": "0"}, {"CUSHIM_MOCK_CHECK": ""}
INTERPRETED, COMPILED = {"CUSHIM_MOCK_PTX_COMPILE": "0"}, {"CUSHIM_MOCK_PTX_COMPILE": "always"}

# heading: (way of the program, environment)
COLUMNS = {
    "C, 1": ("c", {}),
    "C, all": ("c-all", {}),
    "OpenCL": ("opencl", {}),
    "int.": ("driver", INTERPRETED | BOUNDS),
    "int. all": ("driver", INTERPRETED | ALL),
    "jit": ("driver", COMPILED | BOUNDS),
    "jit all": ("driver", COMPILED | ALL),
}
RATIOS = {"jit / C": ("jit", "C, all"), "jit / CL": ("jit", "OpenCL"), "int./jit": ("int.", "jit"),
          "all/jit": ("jit all", "jit")}


def options():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("program")
    parser.add_argument("kernels")
    parser.add_argument("mock")
    parser.add_argument("--quick", action="store_true", help="a tenth of the time")
    parser.add_argument("--cpu", action="store_true", help="processor time, of one thread where that can be said")
    parser.add_argument("--only", action="append", help="this kernel; may be given several times")
    parser.add_argument("--columns", help="only these, separated by ';'")
    parser.add_argument("--json", help="a file that gets all figures")
    return parser.parse_args()


def run(args, column, problem, cache):
    """(first ms, median ms, runs), or why there is none."""
    way, variables = COLUMNS[column]
    env = dict(os.environ, CUSHIM_LIBCUDA=args.mock, CUSHIM_CACHE=cache, POCL_CACHE_DIR=cache,
               OMP_WAIT_POLICY="passive", **variables)
    if args.cpu:
        env |= {"CUSHIM_MOCK_PTX_WORKERS": "1", "OMP_NUM_THREADS": "1", "POCL_MAX_PTHREAD_COUNT": "1"}
    done = subprocess.run([args.program, way, problem, "0.03" if args.quick else "0.4", args.kernels,
                           *["cpu"] * args.cpu], env=env, capture_output=True, text=True)
    if done.returncode:
        return f"failed: {done.stderr.strip()[-300:] or done.returncode}"
    if done.stdout.startswith("-"):
        return done.stdout[2:].strip()
    first, median, runs = done.stdout.split()
    return float(first), float(median), int(runs)


def number(value):
    return f"{value:.{3 if value < 10 else 2 if value < 100 else 1}f}"


def ratio_of(row, name):
    above, below = (row.get(column) for column in RATIOS[name])
    return above / below if above and below else None


def print_row(name, row, compiling):
    cells = [number(row[column]) if row.get(column) else "-" for column in row]
    ratios = [ratio_of(row, name) for name in RATIOS]
    cells += [f"{ratio:.2f}" if ratio else "-" for ratio in ratios]
    print(f"{name:10}" + "".join(f"{cell:>10}" for cell in cells) +
          f"{f'{compiling:.0f}' if compiling else '-':>10}", flush=True)


def measure(args, columns, problem, cache, reasons):
    """({column: median ms or None}, ms of the first compiled launch beyond the others)"""
    row, compiling = {}, None
    for column in columns:
        result = run(args, column, problem, cache)
        row[column] = None if isinstance(result, str) else result[1]
        if isinstance(result, str):
            reasons.setdefault(f"{column}: {result}", []).append(problem)
        elif column == "jit":
            compiling = result[0] - result[1]
    return row, compiling


def main():
    args = options()
    columns = args.columns.split(";") if args.columns else list(COLUMNS)
    if args.cpu and not args.columns:
        columns.remove("C, all")
        RATIOS["jit / C"] = ("jit", "C, 1")
    problems = args.only or subprocess.run([args.program], capture_output=True, text=True,
                                           check=True).stdout.split()
    rows, reasons = {}, {}
    print(f"{'ms':10}" + "".join(f"{name:>10}" for name in [*columns, *RATIOS, "compiling"]))
    with tempfile.TemporaryDirectory() as cache:
        for problem in problems:
            rows[problem], compiling = measure(args, columns, problem, cache, reasons)
            print_row(problem, rows[problem], compiling)
    for name in RATIOS:
        values = [value for value in (ratio_of(row, name) for row in rows.values()) if value]
        if values:
            print(f"{name}: geometric mean {statistics.geometric_mean(values):.2f}, most {max(values):.2f}")
    for reason, which in reasons.items():
        print(f"{reason} ({', '.join(which)})")
    if args.json:
        with open(args.json, "w") as file:
            json.dump(rows, file, indent=1)
    sys.exit(any(": failed" in reason for reason in reasons))


main()
