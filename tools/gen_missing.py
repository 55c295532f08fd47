#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Writes, for each row, the function that stands in for it where a library lacks it,
and the one that stands in where there is no library.

Such a function only says which row was called. It takes whatever it is given: on
every ABI that CUDA exists for, the caller removes the arguments.

gen_missing.py LIST OUT
"""

import sys

import symbols


def function(row, name, kind):
    answer = f"cushim__answer_{kind}(&cushim__{name}_rows, {row.index})"
    if row.returns_string:
        return f"static const char *{kind}{row.index}(void) {{ {answer}; return cushim__answer_string(); }}\n"
    return f"static int {kind}{row.index}(void) {{ return {answer}; }}\n"


def generate(path):
    rows = symbols.read(path)
    name = symbols.prefix(rows)
    text = symbols.banner(path, "stand-ins for functions that are not there")
    text += '#include "loader/missing.h"\n\n'
    for kind in ("missing", "closed"):
        text += "".join(function(r, name, kind) for r in rows)
        text += f"\ncushim__entry *const cushim__{name}_{kind}[] = {{\n"
        text += "".join(f"    (cushim__entry *) {kind}{r.index}, /* {r.symbol} */\n" for r in rows)
        text += "};\n\n"
    return text


def main():
    path, out = sys.argv[1:]
    symbols.write(out, generate(path))


if __name__ == "__main__":
    main()
