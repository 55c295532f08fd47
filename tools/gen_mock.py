#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Writes what the mock derives from the list of driver functions.

gen_mock.py LIST --header OUT      the prototypes of the implementations
gen_mock.py LIST --defaults OUT    an answer for every function, and where they are

The implementation of cuX is called mock_cuX. The header types each of them from
the toolkit's own declaration, so that an implementation cannot drift from it.

The defaults give every function a weak definition that answers
CUDA_ERROR_NOT_SUPPORTED (mock__unsupported()); a definition in a file of the mock replaces it when the
library is linked. A function with addresses of 32 bits is reached through a gate, which asks whether
the current context is of its time. A function that is another one's twin (Row.twin_of) is defined there for good: it
calls the other one. They are compiled without CUDA's headers, from the machine's
view of the arguments, and so also cover functions newer than the toolkit of the
build.
"""

import argparse
import sys
from pathlib import Path

import symbols

HEADER = """\
#ifndef CUSHIM_MOCK_FUNCTIONS_H
#define CUSHIM_MOCK_FUNCTIONS_H

/* Without the toolkit's macros, every version of a function has its exported name. */
#ifndef __CUDA_API_VERSION_INTERNAL
#define __CUDA_API_VERSION_INTERNAL
#endif
#include <cuda.h>

#pragma GCC visibility push(hidden)

{prototypes}
#pragma GCC visibility pop

#endif
"""

DEFAULTS = """\
#include "base/abi.h"
#include "mock/base/default_stream.h"
#include "mock/config/symbols.h"
#include "mock/exports/unsupported.h"

#define DEFAULT  __attribute__((weak, visibility("hidden")))
#define TWIN     __attribute__((visibility("hidden")))
#define EXPORTED __attribute__((weak))

{declarations}
{definitions}
/* Before the functions for contexts of the first version. */
{gates}
/* The exported functions: there are none in a static build. */
{exports}
cushim__entry *const mock__functions[] = {{
{functions}}};

cushim__entry *const mock__exported[] = {{
{exported}}};
"""


def in_cuda_h(row):
    """Is the function declared by cuda.h, and not by the header of a graphics interface?"""
    return not any(name in row.flags for name in symbols.HEADERS)


def prototype(row):
    return (
        f"#if CUDA_VERSION >= {row.header}\n"
        f"extern __typeof__({row.symbol}) mock_{row.symbol};\n"
        "#endif\n"
    )


def function(row):
    return f"int mock_{row.symbol}({symbols.parameters(row)})"


def default_body(row):
    unused = "".join(f"    (void) a{i};\n" for i in range(len(row.arguments)))
    return f"{unused}    return mock__unsupported();\n"


def twin_body(row):
    call = f"mock_{row.twin_of}({symbols.arguments(row)})"
    if not row.variant:
        return f"    return {call};\n"
    return (
        "    int result;\n\n"
        "    mock__per_thread_begin();\n"
        f"    result = {call};\n"
        "    mock__per_thread_end();\n"
        "    return result;\n"
    )


def declaration(row):
    return f"{'TWIN' if row.twin_of else 'DEFAULT'} {function(row)};\n"


def definition(row):
    return f"{function(row)}\n{{\n{twin_body(row) if row.twin_of else default_body(row)}}}\n"


def entrance(row):
    """The function that callers reach."""
    return f"{'gate' if 'narrow' in row.flags else 'mock'}_{row.symbol}"


def gate(row):
    return (
        f"static int {entrance(row)}({symbols.parameters(row)})\n{{\n"
        "    const int refused = mock__refuse_narrow();\n\n"
        f"    return refused ? refused : mock_{row.symbol}({symbols.arguments(row)});\n}}\n"
    )


def header(path, rows):
    prototypes = "".join(prototype(row) for row in rows if in_cuda_h(row))
    return symbols.banner(path, "the mock's prototypes") + HEADER.format(prototypes=prototypes)


def defaults(path, rows):
    known = {row.symbol for row in rows}
    for row in rows:
        if row.returns_string:
            raise symbols.ListError(f"{row.symbol} returns a string; the defaults return an int")
        if row.twin_of and row.twin_of not in known:
            raise symbols.ListError(f"{row.symbol} has to be like {row.twin_of}, which has no row")
    return symbols.banner(path, "the mock's defaults") + DEFAULTS.format(
        declarations="".join(declaration(row) for row in rows),
        definitions="\n".join(definition(row) for row in rows),
        gates="\n".join(gate(row) for row in rows if "narrow" in row.flags),
        exports="".join(
            f"EXPORTED extern int {row.symbol}({symbols.parameters(row)});\n" for row in rows
        ),
        functions="".join(f"    (cushim__entry *) {entrance(row)},\n" for row in rows),
        exported="".join(f"    (cushim__entry *) {row.symbol},\n" for row in rows),
    )


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
            symbols.write(options.header, header(options.list, rows))
        if options.defaults:
            symbols.write(options.defaults, defaults(options.list, rows))
    except (symbols.ListError, OSError) as error:
        sys.exit(f"gen_mock.py: {error}")


if __name__ == "__main__":
    main()
