#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Generates what the mock derives from the list of driver functions.

    gen_mock.py cuda.symbols --header OUT      prototypes of the implementations
    gen_mock.py cuda.symbols --defaults OUT    an answer for every function

The implementation of cuX is called mock_cuX. The header types each of them from
the toolkit's own declaration, so that an implementation cannot drift from it.

The defaults give every function a weak definition that answers
CUDA_ERROR_NOT_SUPPORTED; a definition in a file of the mock replaces it when the
library is linked. They are compiled without CUDA's headers, from the machine's
view of the arguments, and so also cover functions newer than the toolkit of the
build.
"""

import argparse
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))
import symbols

LICENCE = "/* SPDX-License-Identifier: MIT */"
WRITTEN_BY = "/* Written by tools/gen_mock.py from cuda.symbols. */"
NOT_SUPPORTED = 801


def in_cuda_h(row):
    """Is the function declared by cuda.h, and not by the header of a graphics interface?"""
    return not any(name in row.flags for name in symbols.HEADERS)


def header(rows):
    lines = [
        LICENCE,
        WRITTEN_BY,
        "#ifndef CUSHIM_MOCK_FUNCTIONS_H",
        "#define CUSHIM_MOCK_FUNCTIONS_H",
        "",
        "/* Without the toolkit's macros, every version of a function has its exported name. */",
        "#ifndef __CUDA_API_VERSION_INTERNAL",
        "#define __CUDA_API_VERSION_INTERNAL",
        "#endif",
        "#include <cuda.h>",
        "",
        '#pragma GCC visibility push(hidden)',
        "",
    ]
    for row in filter(in_cuda_h, rows):
        lines += [
            f"#if CUDA_VERSION >= {row.header}",
            f"extern __typeof__({row.symbol}) mock_{row.symbol};",
            "#endif",
        ]
    lines += [
        "",
        "#pragma GCC visibility pop",
        "",
        "#endif",
    ]
    return lines


def parameters(row):
    return ", ".join(symbols.C_TYPES[letter] for letter in row.arguments) or "void"


def definition(row):
    # Unnamed parameters would be shorter, but C11 does not have them.
    named = ", ".join(f"{symbols.C_TYPES[c]} a{i}" for i, c in enumerate(row.arguments)) or "void"
    unused = "".join(f"    (void) a{i};\n" for i in range(len(row.arguments)))
    return (
        f"WEAK int mock_{row.symbol}({parameters(row)});\n"
        f"int mock_{row.symbol}({named})\n"
        "{\n"
        f"{unused}"
        f"    return {NOT_SUPPORTED};\n"
        "}\n"
    )


def defaults(rows):
    strings = [row.symbol for row in rows if row.returns_string]
    if strings:
        raise symbols.ListError(f"{strings[0]} returns a string; the defaults return an int")
    lines = [
        LICENCE,
        WRITTEN_BY,
        "#include <stdint.h>",
        "",
        '#include "base/abi.h"',
        "",
        '#define WEAK   __attribute__((weak, visibility("hidden")))',
        '#define HIDDEN __attribute__((visibility("hidden")))',
        "",
    ]
    lines += [definition(row) for row in rows]
    lines += [
        "/* One implementation a row, in the order of the rows. */",
        f"HIDDEN extern void *const mock__functions[{len(rows)}];",
        f"void *const mock__functions[{len(rows)}] = {{",
    ]
    # A function's address becomes a data pointer through an integer: ISO C has no
    # conversion between the two, and -Wpedantic says so.
    lines += [f"    (void *) (uintptr_t) mock_{row.symbol}," for row in rows]
    lines += ["};"]
    return lines


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("list", type=Path)
    parser.add_argument("--header", type=Path, metavar="OUT")
    parser.add_argument("--defaults", type=Path, metavar="OUT")
    options = parser.parse_args()
    if not options.header and not options.defaults:
        parser.error("nothing to write: give --header or --defaults")
    try:
        rows = symbols.read(options.list)
        if options.header:
            options.header.write_text("\n".join(header(rows)) + "\n")
        if options.defaults:
            options.defaults.write_text("\n".join(defaults(rows)) + "\n")
    except (symbols.ListError, OSError) as error:
        sys.exit(f"gen_mock.py: {error}")


if __name__ == "__main__":
    main()
