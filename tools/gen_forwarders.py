#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Writes functions with the exported names of a list, each a jump through a table.

The table is whatever NAME_forward points to, a pointer to the array of the
functions. An includer of "base/forward.h" defines it.

gen_forwarders.py LIST OUT NAME           forwarders; NAME_forward is defined elsewhere
gen_forwarders.py LIST OUT NAME --lazy    also a first table, NAME_lazy, whose functions
                                          call NAME_open() and then the opened table
"""

import sys

import symbols


def call(row, table):
    return f"((fn_{symbols.shape(row)} *) {table}[{row.index}])({symbols.arguments(row)})"


def forwarder(row, name):
    table = f"CUSHIM__PUBLISHED({name}_forward)"
    return (
        f"CUSHIM__FORWARD {symbols.returns(row)}{row.symbol}({symbols.parameters(row)});\n"
        f"{symbols.returns(row)}{row.symbol}({symbols.parameters(row)}) {{ return {call(row, table)}; }}\n"
    )


def lazy(row, name):
    return (
        f"static {symbols.returns(row)}lazy{row.index}({symbols.parameters(row)}) "
        f"{{ return {call(row, f'{name}_open()')}; }}\n"
    )


def generate(path, name, with_lazy):
    rows = symbols.read(path)
    text = symbols.banner(path, "forwarders") + '#include "base/forward.h"\n\n'
    text += symbols.typedefs(rows) + f"\nextern CUSHIM__HIDDEN cushim__forward {name}_forward;\n\n"
    text += "".join(forwarder(r, name) for r in rows)
    if with_lazy:
        text += f"\ncushim__entry *const *{name}_open(void);\n"
        text += "".join(lazy(r, name) for r in rows)
        text += f"\nextern cushim__entry *const {name}_lazy[];\ncushim__entry *const {name}_lazy[] = {{\n"
        text += "".join(f"    (cushim__entry *) lazy{r.index},\n" for r in rows) + "};\n"
    return text


def main():
    path, out, name, *options = sys.argv[1:]
    symbols.write(out, generate(path, name, "--lazy" in options))


if __name__ == "__main__":
    main()
