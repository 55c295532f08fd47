#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Prints how the cost of inputs grows with their size: exponents of time and of memory.

growth.py BENCH_GROWTH BENCH_GROWTH_CALLS LIBRARY [--scale X] [CASE...]

Each case is an input of four sizes, each twice the one before, given to a process of its own
(growth.c, growth_calls.c). An exponent of 1 says that twice the input costs twice as much, 2 that it costs four
times as much.
"""

import argparse
import math
import os
import random
import subprocess
import sys
import tempfile

HEAD = ".version 8.0\n.target sm_80\n.address_size 64\n"
SIZES = 4
LONG = 4  # seconds


def kernel(body, name="k0", parameters=""):
    return f".visible .entry {name}({parameters})\n{{\n{body}\nret;\n}}\n"


def lines(n, make):
    return "\n".join(make(i) for i in range(n))


def kernels(n):
    return [HEAD + lines(n, lambda i: f".visible .entry k{i}() {{ ret; }}")]


def kernels_with_shared(n):
    return [HEAD + lines(n, lambda i: kernel(
        f".shared .b32 s[8]; .reg .b32 %r<2>; mov.u32 %r1, %tid.x; st.shared.u32 [s], %r1;", f"k{i}"))]


def functions(n):
    return [HEAD + lines(n, lambda i: f".func f{i}() {{ ret; }}") + kernel("call f0;")]


def chain(n):
    return [HEAD + ".func f0() { ret; }\n"
            + lines(n, lambda i: f".func f{i + 1}() {{ call f{i}; ret; }}") + kernel(f"call f{n};")]


def chain_with_shared(n):
    """Functions that call each other in a row, and a kernel for each that calls it."""
    return [HEAD + ".func f0() { ret; }\n"
            + lines(n, lambda i: f".func f{i + 1}() {{ .shared .b8 s; call f{i}; ret; }}\n"
                    + (kernel(f"call f{i};", f"k{i}") if i < n // 2 else ""))]


def random_calls(n):
    draw = random.Random(1)
    return [HEAD + ".func f0() { ret; }\n" + lines(n, lambda i: (
        f".func f{i + 1}() {{ " + "".join(f"call f{draw.randint(0, i)}; " for _ in range(3)) + "ret; }"))
        + kernel(f"call f{n};")]


def pointers(n):
    """A table of functions' addresses, and indirect calls."""
    return [HEAD + lines(n, lambda i: f".func f{i}() {{ ret; }}")
            + f"\n.global .u64 v0[{n}] = {{{', '.join(f'f{i}' for i in range(n))}}};\n"
            + kernel(".reg .b64 %rd<2>; ld.global.u64 %rd1, [v0];\np: .callprototype _ ();\n"
                     + lines(n, lambda i: "call %rd1, p;"))]


def globals_(n):
    return [HEAD + lines(n, lambda i: f".visible .global .b32 v{i};") + kernel("")]


def externs(n):
    return [HEAD + lines(n, lambda i: f".extern .global .b32 v{i};") + kernel("")]


def shared(n):
    """Variables in the module's shared memory, one of which each kernel uses."""
    return [HEAD + lines(n, lambda i: f".shared .b32 s{i};\n" + kernel(
        f".reg .b32 %r<2>; ld.shared.u32 %r1, [s{i}];", f"k{i}"))]


def labels(n):
    return [HEAD + kernel(lines(n, lambda i: f"L{i}:"))]


def blocks(n):
    return [HEAD + kernel(".reg .b32 %r<2>; .reg .pred %p<2>;\n"
                          "mov.u32 %r1, %tid.x; setp.eq.u32 %p1, %r1, 0;\n"
                          + lines(n, lambda i: f"@%p1 bra L{i};\nadd.u32 %r1, %r1, 1;\nL{i}:"))]


def gotos(n):
    draw = random.Random(1)
    return [HEAD + kernel(".reg .b32 %r<2>; .reg .pred %p<2>;\n"
                          "mov.u32 %r1, %tid.x; setp.eq.u32 %p1, %r1, 0;\n"
                          + lines(n, lambda i: f"L{i}: add.u32 %r1, %r1, 1;\n"
                                  f"@%p1 bra L{draw.randrange(n)};"))]


def backward(n):
    """Loops that overlap, each with registers of its own."""
    draw = random.Random(1)
    return [HEAD + kernel(f".reg .b32 %r<{n + 1}>; .reg .pred %p<2>;\n"
                          "mov.u32 %r0, %tid.x; setp.eq.u32 %p1, %r0, 0;\n"
                          + lines(n, lambda i: f"L{i}: add.u32 %r{i + 1}, %r{draw.randint(0, i)}, 1;\n"
                                  f"@%p1 bra L{draw.randint(0, i)};"))]


def nested(n):
    return [HEAD + kernel(".reg .b32 %r<2>; .reg .pred %p<2>;\n"
                          "mov.u32 %r1, %tid.x; setp.eq.u32 %p1, %r1, 0;\n"
                          + lines(n, lambda i: f"L{i}: add.u32 %r1, %r1, 1;") + "\n"
                          + lines(n, lambda i: f"@%p1 bra L{n - 1 - i};"))]


def waiting(n):
    """Loops around each other, with something inside that another thread may change."""
    return [HEAD + kernel(".reg .b32 %r<2>; .reg .b64 %rd<2>; .reg .pred %p<2>;\n"
                          "mov.u64 %rd1, 0; mov.u32 %r1, %tid.x; setp.eq.u32 %p1, %r1, 0;\n"
                          + lines(n, lambda i: f"L{i}: ld.volatile.global.u32 %r1, [%rd1];") + "\n"
                          + lines(n, lambda i: f"@%p1 bra L{n - 1 - i};"))]


def switch(n):
    return [HEAD + kernel(".reg .b32 %r<2>; mov.u32 %r1, %tid.x;\n"
                          f"t: .branchtargets {', '.join(f'L{i}' for i in range(n))};\n"
                          "brx.idx %r1, t;\n" + lines(n, lambda i: f"L{i}: add.u32 %r1, %r1, {i};"))]


def registers(n):
    return [HEAD + kernel(lines(n, lambda i: f".reg .b32 %x{i};") + "\n"
                          + lines(n, lambda i: f"mov.u32 %x{i}, 1;"))]


def ranges(n):
    return [HEAD + kernel(lines(n, lambda i: f".reg .b32 %x{i}_<2>;") + "\n"
                          + lines(n, lambda i: f"mov.u32 %x{i}_1, 1;"))]


def scopes(n):
    return [HEAD + kernel(lines(n, lambda i: f"{{ .reg .b32 %x; mov.u32 %x, 1; bra L; }}")
                          + "\nL:")]


def constants(n):
    return [HEAD + kernel(".reg .b32 %r<2>; mov.u32 %r1, %tid.x;\n"
                          + lines(n, lambda i: f"add.u32 %r1, %r1, {i};"))]


def variables(n):
    """Arrays of a function, each of which is used."""
    return [HEAD + kernel(".reg .b32 %r<2>; mov.u32 %r1, %tid.x;\n"
                          + lines(n, lambda i: f".local .b32 l{i}; st.local.u32 [l{i}], %r1;"))]


def parameters(n):
    """Calls with memory of their own for what they pass."""
    return [HEAD + ".func f(.param .b32 a) { ret; }\n"
            + kernel(".reg .b32 %r<2>; mov.u32 %r1, %tid.x;\n" + lines(n, lambda i: (
                f"{{ .param .b32 p{i}; st.param.b32 [p{i}], %r1; call f, (p{i}); }}")))]


def initial_values(n):
    return [HEAD + f".visible .global .b32 v0[{n}] = {{{', '.join(str(i) for i in range(n))}}};\n"
            + kernel("")]


def files(n):
    return [HEAD + kernel(lines(n, lambda i: f".loc {i + 1} {i + 1} 1\nbar.sync 0;"))
            + lines(n, lambda i: f'.file {i + 1} "file{i}.cu"')]


def files_first(n):
    return [HEAD + lines(n, lambda i: f'.file {i + 1} "file{i}.cu"')
            + kernel(lines(n, lambda i: f".loc {i + 1} {i + 1} 1\nbar.sync 0;"))]


def long_path(n):
    """A path that is as long as the code that comes from there."""
    return [HEAD + f'.file 1 "{"x" * n}"\n'
            + kernel(lines(n // 10, lambda i: f".loc 1 {i + 1} 1\nbar.sync 0;"))]


def aliases(n):
    return [HEAD + ".visible .func f() { ret; }\n"
            + lines(n, lambda i: f".visible .func a{i}(); .alias a{i}, f;")
            + kernel(lines(n, lambda i: f"call a{i};"))]


def mistakes(n):
    return [HEAD + kernel(lines(n, lambda i: f"mov.u32 %none{i}, 1;"))]


def unit(i, n):
    """One of n texts: a kernel and a function of its own, and others' by name."""
    return (HEAD + f".extern .func f{(i + 1) % n}(); .extern .global .b32 v{(i + 1) % n};\n"
            f".visible .global .b32 v{i}; .weak .func common() {{ ret; }}\n"
            f".visible .func f{i}() {{ ret; }}\n"
            + kernel(f".reg .b64 %rd<2>; mov.u64 %rd1, v{(i + 1) % n}; call f{(i + 1) % n}; "
                     "call common;", f"k{i}"))


def several(n):
    """As many texts as can be, each with little in it."""
    return [unit(i, n) for i in range(n)]


def large_two(n):
    """Two texts, each of which declares what the other one has."""
    def text(mine, other):
        return HEAD + lines(n, lambda i: (
            f".extern .func {other}{i}(); .extern .global .b32 w{other}{i};\n"
            f".visible .func {mine}{i}() {{ call {other}{i}; ret; }} .visible .global .b32 w{mine}{i};"
        )) + kernel("", f"k_{mine}")
    return [text("a", "b"), text("b", "a")]


# Each with its smallest size.
TEXTS = {
    kernels: 20000, kernels_with_shared: 5000, functions: 20000, chain: 20000,
    chain_with_shared: 1000, random_calls: 10000, pointers: 20000, globals_: 50000, externs: 50000,
    shared: 2500, labels: 100000, blocks: 10000, gotos: 5000, backward: 5000, nested: 2000,
    waiting: 2000, switch: 20000, registers: 50000, ranges: 50000, scopes: 50000,
    constants: 10000, variables: 20000, parameters: 20000, initial_values: 200000, files: 10000,
    files_first: 10000, long_path: 20000, aliases: 10000, several: 500, large_two: 5000,
}
NAMES = {kernels: 10000, globals_: 10000}
UNLOADED = {kernels: 20000, globals_: 50000}
STREAMS = {"": 10000, "together": 10000, "joined": 10000, "legacy": 5000, "waited": 10000,
           "joined waited": 5000, "legacy waited": 5000}

CHECKS = {"CUSHIM_MOCK_CHECK": "1"}
SEED = {"CUSHIM_MOCK_SEED": "1"}

# Of growth_calls.c, each with its smallest number.
CALLS = {
    "streams": 16384, "events": 16384, "contexts": 8, "modules": 1024, "libraries": 1024,
    "kernels": 1024, "textures": 16384, "user_objects": 4096,
    "allocations": 16384, "allocations_mixed": 8192, "allocations_async": 4096, "pools": 256,
    "mappings": 512, "advice": 4096, "launches": 1024,
    "operations": 16384, "operations_in_turn": 2048, "waits_in_a_row": 2048,
    "waits_for_many": 2048, "turns": 2048, "host_functions": 4096, "values": 512, "batch": 8192,
    "copies_in_one_stream": 1024, "copies_in_streams": 1024, "copies_behind_functions": 512,
    "copies_and_functions": 512, "copies_to_one_place": 2048,
    "graphs": 16384, "graph_in_a_row": 4096, "graph_side_by_side": 2048, "graph_of_layers": 4096,
    "nodes_destroyed": 4096, "nodes_set": 4096, "nodes_in_clone": 4096, "edges": 8192,
    "graph_memory": 1024, "update": 4096,
    "capture_of_streams": 2048, "captures": 2048, "captures_together": 2048,
    "labels": 8192, "findings": 4096,
}
WITH_CHECKS = ["operations", "copies_in_one_stream", "copies_in_streams",
               "copies_behind_functions", "copies_and_functions", "copies_to_one_place"]
WITH_SEED = ["operations", "operations_in_turn", "waits_in_a_row", "waits_for_many", "turns",
             "graph_side_by_side"]


def cases():
    for make, n in TEXTS.items():
        yield make.__name__.strip("_"), "load", make, n
    for make, n in NAMES.items():
        yield f"names of {make.__name__.strip('_')}", "names", make, n
    for make, n in UNLOADED.items():
        yield f"unloading {make.__name__.strip('_')}", "unload", make, n
    for way, n in STREAMS.items():
        yield f"streams {way}".strip(), "streams", way, n


def calls():
    for case, n in CALLS.items():
        yield case, case, n, {}
    for case in WITH_CHECKS:
        yield f"{case}, checked", case, CALLS[case], CHECKS
    for case in WITH_SEED:
        yield f"{case}, seed 1", case, CALLS[case], SEED


def arguments(folder, make, n):
    if isinstance(make, str):
        return [str(n), *make.split()]
    paths = []
    for i, text in enumerate(make(n)):
        paths.append(os.path.join(folder, f"{i}.ptx"))
        with open(paths[-1], "w", encoding="ascii") as file:
            file.write(text)
    return paths


def measure(command, what, make, n, variables):
    with tempfile.TemporaryDirectory() as folder:
        run = subprocess.run([*command, what, *arguments(folder, make, n)], text=True,
                             capture_output=True, check=False, env={**os.environ, **variables})
    if run.returncode:
        sys.exit(f"{what} {n}: {run.stderr or run.returncode}")
    seconds, size = run.stdout.split()
    return float(seconds), float(size)


def slope(sizes, times):
    """Of the line through the logarithms of the three largest sizes."""
    points = [(math.log(n), math.log(time)) for n, time in zip(sizes, times)][-3:]
    x = sum(p[0] for p in points) / len(points)
    y = sum(p[1] for p in points) / len(points)
    return (sum((p[0] - x) * (p[1] - y) for p in points)
            / sum((p[0] - x) ** 2 for p in points))


def step(peaks):
    """How what a size adds to the one before grows: what each process needs anyway cancels out."""
    added = [b - a for a, b in zip(peaks, peaks[1:])][-2:]
    if len(added) < 2 or added[0] < 1 << 20:
        return "    -"
    return f"{math.log2(max(added[1], 1) / added[0]):5.2f}"


def show(command, name, what, make, first, variables):
    sizes, times, peaks = [], [], []
    for i in range(SIZES):
        # Twice as much of what takes that long already says nothing more.
        if times and times[-1] > LONG:
            break
        time, peak = measure(command, what, make, first << i, variables)
        sizes.append(first << i)
        times.append(time)
        peaks.append(peak)
    exponent = f"{slope(sizes, times):5.2f}" if len(sizes) > 1 else "    -"
    print(f"{name:<32} {sizes[-1]:8} {times[-1]:9.3f} s {exponent} "
          f"{peaks[-1] / 1e6:10.1f} MB {step(peaks)}", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("program")
    parser.add_argument("calls")
    parser.add_argument("library")
    parser.add_argument("--scale", type=float, default=1)
    parser.add_argument("cases", nargs="*")
    options = parser.parse_intermixed_args()
    print(f"{'':<32} {'n':>8} {'time':>11} {'~n^':>5} {'memory':>13} {'~n^':>5}")
    for name, what, make, n in cases():
        if not options.cases or any(name.startswith(case) for case in options.cases):
            show([options.program, options.library], name, what, make, int(n * options.scale), {})
    for name, what, n, variables in calls():
        if not options.cases or any(name.startswith(case) for case in options.cases):
            show([options.calls, options.library], name, what, "", n, variables)


if __name__ == "__main__":
    main()
