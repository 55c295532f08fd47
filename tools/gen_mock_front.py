#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Writes the exports of a driver of an older version, for src/mock/exports/version_front.c.

gen_mock_front.py LIST OUT VERSION

They are the functions that a driver of VERSION has (such as 11.4), and no others,
so that dlsym() finds what it would find there. Each jumps to the mock's function of
the same row.
"""

import re
import sys

import gen_forwarders
import symbols

def number(version):
    """'11.4' -> 11040"""
    match = re.fullmatch(r"(\d+)\.(\d)", version)
    if not match:
        raise symbols.ListError(f"'{version}' is not a version such as 11.4")
    return 1000 * int(match[1]) + 10 * int(match[2])


def in_driver(row, version):
    return row.since <= version < row.flags.get("until", version + 1)


def generate(path, version):
    rows = [row for row in symbols.read(path) if in_driver(row, version)]
    text = symbols.banner(path, f"the driver of CUDA {symbols.version_text(version)}")
    text += '#include "base/forward.h"\n\n' + symbols.typedefs(rows)
    text += "\nextern CUSHIM__HIDDEN cushim__forward front_forward;\n\n"
    return text + "".join(gen_forwarders.forwarder(row, "front") for row in rows)


def main():
    path, out, version = sys.argv[1:]
    try:
        symbols.write(out, generate(path, number(version)))
    except (symbols.ListError, OSError) as error:
        sys.exit(f"gen_mock_front.py: {error}")


if __name__ == "__main__":
    main()
