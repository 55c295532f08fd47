#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Writes what the lists say as C data.

gen_rows.py header OUT LIST...    the public row numbers
gen_rows.py source OUT LIST       one list for "base/rows.h"
"""

import sys

import symbols

HEADER = """/* SPDX-License-Identifier: MIT */
/* Generated from cuda.symbols, nvrtc.symbols and nvjitlink.symbols. Do not edit. */
/*
 * The number of every function: its place in the tables, and what hooks are told.
 * Numbers are never reused or moved.
 */
#ifndef CUSHIM_ROWS_H
#define CUSHIM_ROWS_H
"""


def header(paths):
    text = HEADER
    for path in paths:
        rows = symbols.read(path)
        name = symbols.prefix(rows)
        text += f"\nenum cushim_{name}_row {{\n"
        text += "".join(f"    CUSHIM_ROW_{r.symbol} = {r.index},\n" for r in rows)
        text += f"    CUSHIM_{name.upper()}_ROWS = {len(rows)}, /* how many there are */\n}};\n"
    return text + "\n#endif\n"


class Strings:
    """All strings in one, so that the rows need no relocation when the library is loaded."""

    def __init__(self):
        self.offsets, self.text, self.length = {}, [], 0

    def add(self, string):
        if string not in self.offsets:
            self.offsets[string] = self.length
            self.text.append(string)
            self.length += len(string) + 1
        return self.offsets[string]


def flags(row):
    names = [f"CUSHIM__ROW_{f.upper()}" for f in symbols.ROW_FLAGS if f in row.flags]
    return " | ".join(names) or "0"


def source(path):
    rows = symbols.read(path)
    name = symbols.prefix(rows)
    strings = Strings()
    entries = ""
    for r in rows:
        entries += (
            f"    {{{strings.add(r.symbol)}, {strings.add(r.base)}, {strings.add(r.arguments)}, {flags(r)}, "
            f"{r.since}, {r.flags.get('until', 0)}}}, /* {r.index} {r.symbol} */\n"
        )
    order = sorted(range(len(rows)), key=lambda i: rows[i].symbol)
    text = symbols.banner(path, "the rows") + '#include "base/rows.h"\n\n'
    text += "#pragma GCC diagnostic ignored \"-Woverlength-strings\"\n"
    text += "static const char strings[] =\n" + "".join(f'    "{s}\\0"\n' for s in strings.text) + "    ;\n\n"
    text += f"static const struct cushim__row rows[] = {{\n{entries}}};\n\n"
    text += "static const uint16_t by_name[] = {\n    " + ", ".join(map(str, order)) + "\n};\n\n"
    text += f"const struct cushim__rows cushim__{name}_rows = {{rows, by_name, strings, {len(rows)}}};\n"
    return text


def main():
    kind, out, *paths = sys.argv[1:]
    symbols.write(out, header(paths) if kind == "header" else source(paths[0]))


if __name__ == "__main__":
    main()
