#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Writes drivers (and NVRTCs and nvJitLinks) that tests open, and the calls that tests make.

gen_fake_driver.py library LIST OUT [--until VERSION] [--only NAME,...] [--export NAME,...]
    A library whose functions answer their row number if their arguments are the
    test's ("fake.h" says which). --until leaves out what is newer than a CUDA
    version, --only all but some names; --export names the only functions that dlsym()
    finds, the others being for cuGetProcAddress() to hand out.

gen_fake_driver.py calls OUT LIST...
    fake_call(): calls any row with the test's arguments.

gen_fake_driver.py names OUT LIST
    FAKE_CUDA_ROWS(X), every exported name in row order, and FAKE_CUDA_NAMES(X), every name
    that a program may write for an entry of the table; the same for NVRTC and nvJitLink.
"""

import argparse
from collections import Counter

import gen_api
import symbols


def pointers(row):
    """Where the arguments are, for code that reads them by the signature."""
    return ", ".join(f"&a{i}" for i in range(len(row.arguments))) or "NULL"


def function(row, exported):
    answer = "fake_answer_string" if row.returns_string else "fake_answer"
    head = f"{symbols.returns(row)}{row.symbol}({symbols.parameters(row)})"
    return (
        f"{'FAKE_EXPORT' if exported else 'FAKE_HIDDEN'} {head};\n"
        f"{head}\n{{\n"
        f"    void *const args[] = {{{pointers(row)}}};\n\n"
        f'    return {answer}({row.index}, "{row.arguments}", args);\n}}\n'
    )


def served(row):
    per_thread = "true" if row.variant else "false"
    return f'    {{"{row.base}", {row.since}, {per_thread}, (fake_function *) {row.symbol}}},\n'


def library(path, until, only, exports):
    rows = [r for r in symbols.read(path) if r.since <= until]
    unknown = {*(only or ()), *(exports or ())} - {r.symbol for r in rows}
    if unknown:
        raise SystemExit(f"gen_fake_driver: {path} has no {', '.join(sorted(unknown))}")
    rows = [r for r in rows if only is None or r.symbol in only]
    text = symbols.banner(path, "a library for tests") + '#include "fake_library.h"\n\n'
    text += "".join(function(r, exports is None or r.symbol in exports) for r in rows)
    text += "\nconst struct fake_served fake_served[] = {\n" + "".join(map(served, rows)) + "};\n"
    return text + f"const size_t fake_n_served = {len(rows)};\n"


def call(shape, row):
    values = ", ".join(f"fake_{letter}(row, {i})" for i, letter in enumerate(row.arguments))
    value = f"((fn_{shape} *) function)({values})"
    if row.returns_string:
        value = f"fake_string_value({value})"
    unused = "" if values else "    (void) row;\n"
    return (
        f"static int call_{shape}(cushim_entry function, unsigned row)\n{{\n"
        f"{unused}    return {value};\n}}\n\n"
    )


def calls(paths):
    lists = [symbols.read(p) for p in paths]
    every = [r for rows in lists for r in rows]
    text = "/* Generated from the lists: calls with the test's arguments. Do not edit. */\n"
    text += '#include "fake.h"\n\n' + symbols.typedefs(every) + "\n"
    text += "".join(call(s, r) for s, r in symbols.shapes(every).items())
    text += "typedef int caller(cushim_entry function, unsigned row);\n\n"
    for rows in lists:
        text += f"static caller *const {symbols.prefix(rows)}_callers[] = {{\n"
        text += "".join(f"    call_{symbols.shape(r)}, /* {r.symbol} */\n" for r in rows) + "};\n\n"
    tables = [f"[CUSHIM_LIBRARY_{symbols.prefix(rows).upper()}] = {symbols.prefix(rows)}_callers" for rows in lists]
    return text + (
        "int fake_call(enum cushim_library library, unsigned row, cushim_entry function)\n{\n"
        f"    static caller *const *const callers[] = {{{', '.join(tables)}}};\n\n"
        "    return callers[library][row](function, row);\n}\n"
    )


def each(name, entries):
    return f"#define {name}(X) \\\n" + " \\\n".join(f"    X({e})" for e in entries) + "\n\n"


def names(path):
    rows = symbols.read(path)
    kind = symbols.prefix(rows).upper()
    siblings = Counter(r.base for r in rows)
    second = [(n, r.symbol) for r in rows for n in gen_api.names(r, siblings)[1:]]
    text = symbols.banner(path, "the names that programs write")
    # These are no exported names, so rows.h has no number for them.
    text += "".join(f"#define CUSHIM_ROW_{n} CUSHIM_ROW_{symbol}\n" for n, symbol in second) + "\n"
    text += each(f"FAKE_{kind}_ROWS", [r.symbol for r in rows])
    return text + each(f"FAKE_{kind}_NAMES", [r.symbol for r in rows] + [n for n, _ in second])


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    kinds = parser.add_subparsers(dest="kind", required=True)
    for kind, paths in (("library", ("list", "out")), ("calls", ("out", "lists")), ("names", ("out", "list"))):
        sub = kinds.add_parser(kind)
        for path in paths:
            sub.add_argument(path, nargs="+" if path == "lists" else None)
        if kind == "library":
            sub.add_argument("--until", type=int, default=1 << 30)
            sub.add_argument("--only", type=lambda text: text.split(","))
            sub.add_argument("--export", type=lambda text: text.split(","))
    options = parser.parse_args()
    if options.kind == "library":
        text = library(options.list, options.until, options.only, options.export)
    elif options.kind == "calls":
        text = calls(options.lists)
    else:
        text = names(options.list)
    symbols.write(options.out, text)


if __name__ == "__main__":
    main()
