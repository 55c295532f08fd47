#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Writes a driver that has every function of a list and does nothing.

gen_driver.py TOOLS LIST OUT    TOOLS is the folder of symbols.py
"""

import sys

# What the loader wants to know; and the same function as cuInit() under a name that the
# drop-in library does not have, for a program that links both.
SPECIAL = """
API int cuDriverGetVersion(int *version);
int cuDriverGetVersion(int *version)
{
    *version = 13000;
    return 0;
}

API int bench_init(uint32_t flags);
int bench_init(uint32_t flags)
{
    (void) flags;
    return 0;
}
"""


def function(symbols, row):
    declaration = f"int {row.symbol}({symbols.parameters(row)})"
    unused = "".join(f"    (void) a{i};\n" for i in range(len(row.arguments)))
    return f"API {declaration};\n{declaration}\n{{\n{unused}    return 0;\n}}\n\n"


def main():
    tools, path, out = sys.argv[1:]
    sys.path.insert(0, tools)
    import symbols

    text = symbols.banner(path, "a driver that does nothing") + '#include "base/abi.h"\n\n'
    text += '#define API __attribute__((visibility("default")))\n' + SPECIAL + "\n"
    rows = [r for r in symbols.read(path) if r.symbol != "cuDriverGetVersion"]
    symbols.write(out, text + "".join(function(symbols, r) for r in rows))


if __name__ == "__main__":
    main()
