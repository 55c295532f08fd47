#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Writes a call of every function of the lists, with arguments that tell their places.

gen_every_call.py TOOLS OUT LIST...    TOOLS is the folder of symbols.py
"""

import sys


def value(letter, place):
    """Argument number `place` is place + 1, in as many bytes as it has."""
    n = place + 1
    return {
        "p": f"(void *) (uintptr_t) {n}",
        "f": f"{n}.5f",
        "m": f"(struct cushim__arg8){{{n}, -{n}}}",
        "H": f"(struct cushim__arg64){{{{{', '.join(str(n + i) for i in range(8))}}}}}",
    }.get(letter, str(n))


def call(symbols, row, name):
    arguments = ", ".join(value(letter, i) for i, letter in enumerate(row.arguments))
    function = f"((fn_{symbols.shape(row)} *) table[{row.index}])"
    return (
        f"static intptr_t {name}{row.index}(const cushim_entry *table)\n{{\n"
        f"    return (intptr_t) {function}({arguments});\n}}\n"
    )


def generate(symbols, paths):
    lists = [symbols.read(p) for p in paths]
    text = "/* Generated from the lists: a call of every function. Do not edit. */\n"
    text += '#include "base/abi.h"\n#include "every_call.h"\n\n'
    text += symbols.typedefs([row for rows in lists for row in rows])
    for rows in lists:
        name = symbols.prefix(rows)
        text += "".join(call(symbols, row, name) for row in rows)
        text += f"\nevery_call *const every_{name}_call[] = {{\n"
        text += "".join(f"    {name}{row.index},\n" for row in rows) + "};\n\n"
    return text


def main():
    tools, out, *paths = sys.argv[1:]
    sys.path.insert(0, tools)
    import symbols

    symbols.write(out, generate(symbols, paths))


if __name__ == "__main__":
    main()
