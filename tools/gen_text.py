#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Writes text files, one behind the other, as C data with a NUL behind it.

gen_text.py NAME IN... OUT
"""
import sys


def main():
    name, *paths, out = sys.argv[1:]
    data = b""
    for path in paths:
        with open(path, "rb") as file:
            data += file.read()
    data += b"\0"
    lines = [", ".join(str(byte) for byte in data[at:at + 24]) for at in range(0, len(data), 24)]
    with open(out, "w", encoding="utf-8") as file:
        file.write(f"/* Generated from a text. Do not edit. */\nextern const char {name}[];\n"
                   f"const char {name}[] = {{\n    " + ",\n    ".join(lines) + ",\n};\n")


if __name__ == "__main__":
    main()
