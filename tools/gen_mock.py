#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Writes what the mock derives from the list of driver functions.

gen_mock.py LIST --header OUT      the prototypes of the implementations
gen_mock.py LIST --defaults OUT    an answer for every function, and where they are

The implementation of cuX is called mock_cuX. The header types each of them from
the toolkit's own declaration, so that an implementation cannot drift from it.

The defaults give every function a weak definition that answers
CUDA_ERROR_NOT_SUPPORTED (mock__unsupported()); a definition in a file of the mock replaces it when the
library is linked. They are compiled without CUDA's headers, from the machine's
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
#include "mock/config/symbols.h"

#define DEFAULT  __attribute__((weak, visibility("hidden")))
#define EXPORTED __attribute__((weak))

{definitions}
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


def definition(row):
    unused = "".join(f"    (void) a{i};\n" for i in range(len(row.arguments)))
    return (
        f"DEFAULT int mock_{row.symbol}({symbols.parameters(row)});\n"
        f"int mock_{row.symbol}({symbols.parameters(row)})\n"
        "{\n"
        f"{unused}"
        "    return mock__unsupported();\n"
        "}\n"
    )


def header(path, rows):
    prototypes = "".join(prototype(row) for row in rows if in_cuda_h(row))
    return symbols.banner(path, "the mock's prototypes") + HEADER.format(prototypes=prototypes)


def defaults(path, rows):
    strings = [row.symbol for row in rows if row.returns_string]
    if strings:
        raise symbols.ListError(f"{strings[0]} returns a string; the defaults return an int")
    return symbols.banner(path, "the mock's defaults") + DEFAULTS.format(
        definitions="\n".join(definition(row) for row in rows),
        exports="".join(
            f"EXPORTED extern int {row.symbol}({symbols.parameters(row)});\n" for row in rows
        ),
        functions="".join(f"    (cushim__entry *) mock_{row.symbol},\n" for row in rows),
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
