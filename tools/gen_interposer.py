#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Writes the functions of interposed tables.

gen_interposer.py calls OUT LIST...   for every shape of function, the call with hooks
gen_interposer.py slot OUT LIST...    the tables of one slot; compiled once a slot, with
                                      CUSHIM__SLOT its number
gen_interposer.py tables OUT N LIST...  where the tables of N slots are

A function of a table knows its slot and its row and nothing else. Without hooks it
jumps to the function below. With hooks it jumps to the call of its shape, which is
shared by all rows and slots of that shape.
"""

import sys

import symbols


def all_shapes(paths):
    rows = [r for p in paths for r in symbols.read(p)]
    return symbols.shapes(rows), symbols.typedefs(rows)


def with_place(row):
    """The parameters of a shape's call: where it was made, then the arguments."""
    rest = symbols.parameters(row)
    return "struct cushim__place place" + ("" if rest == "void" else f", {rest}")


def call(shape, row):
    arguments = symbols.arguments(row)
    pointers = ", ".join(f"&a{i}" for i in range(len(row.arguments))) or "NULL"
    cast = "intptr_t" if row.returns_string else "int"
    back = "const char *" if row.returns_string else "int"
    return (
        f"{symbols.returns(row)}cushim__call_{shape}({with_place(row)})\n{{\n"
        f"    void *const args[] = {{{pointers}}};\n"
        f"    struct cushim__frame frame;\n"
        f"    fn_{shape} *const below = (fn_{shape} *) cushim__enter(&frame, place, args);\n\n"
        f"    if (below)\n"
        f"        cushim__result(&frame, ({cast}) below({arguments}));\n"
        f"    return ({back}) cushim__leave(&frame);\n}}\n\n"
    )


def declare(shape, row):
    return f"{symbols.returns(row)}cushim__call_{shape}({with_place(row)});\n"


def calls(paths):
    shapes, typedefs = all_shapes(paths)
    text = "/* Generated from the lists: calls with hooks. Do not edit. */\n"
    text += '#include "interpose/frame.h"\n\n' + typedefs
    text += "".join(declare(s, r) for s, r in shapes.items()) + "\n"
    return text + "".join(call(s, r) for s, r in shapes.items())


def entry(row, name):
    place = f"CUSHIM__PLACE({name.upper()}, {row.index})"
    arguments = symbols.arguments(row)
    shape = symbols.shape(row)
    return (
        f"static {symbols.returns(row)}{name}{row.index}({symbols.parameters(row)})\n{{\n"
        f"    if (CUSHIM__HOOKED({name.upper()}))\n"
        f"        return cushim__call_{shape}({place}{', ' if arguments else ''}{arguments});\n"
        f"    return ((fn_{shape} *) CUSHIM__BELOW({name.upper()})[{row.index}])({arguments});\n}}\n"
    )


def slot(paths):
    shapes, typedefs = all_shapes(paths)
    text = "/* Generated from the lists: the tables of one slot. Do not edit. */\n"
    text += '#include "interpose/slot.h"\n\n' + typedefs
    text += "".join(declare(s, r) for s, r in shapes.items()) + "\n"
    for path in paths:
        rows = symbols.read(path)
        name = symbols.prefix(rows)
        text += "".join(entry(r, name) for r in rows)
        text += f"\nextern cushim__entry *const CUSHIM__TABLE({name})[];\n"
        text += f"cushim__entry *const CUSHIM__TABLE({name})[] = {{\n"
        text += "".join(f"    (cushim__entry *) {name}{r.index},\n" for r in rows) + "};\n\n"
    return text


def tables(count, paths):
    libraries = [symbols.prefix(symbols.read(path)) for path in paths]
    names = {name: [f"cushim__interposed_{name}_{i}" for i in range(count)] for name in libraries}
    text = "/* Generated: the tables of all slots. Do not edit. */\n"
    text += '#include "interpose/tables.h"\n\n'
    text += "".join(f"extern cushim__entry *const {n}[];\n" for ns in names.values() for n in ns)
    text += "\ncushim__entry *const *const cushim__interposed[CUSHIM__LISTS][CUSHIM__SLOTS] = {\n"
    text += "".join(f"    [CUSHIM_LIBRARY_{n.upper()}] = {{{', '.join(ns)}}},\n" for n, ns in names.items())
    return text + "};\n"


def main():
    kind, out, *rest = sys.argv[1:]
    if kind == "tables":
        symbols.write(out, tables(int(rest[0]), rest[1:]))
    else:
        symbols.write(out, calls(rest) if kind == "calls" else slot(rest))


if __name__ == "__main__":
    main()
