#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Makes the inputs that fuzzers begin with, of formats that are no text.

seeds.py FOLDER

    FOLDER/image    fat binaries and what is near to one
    FOLDER/elf      the headers of ELF files, and caches of ldconfig
"""

import struct
import sys
from pathlib import Path

PTX, CUBIN = 1, 2
LZ4, ZSTD, ONE_TARGET, FAMILY = 0x2000, 0x8000, 0x100000, 0x200000
TEXT = b".version 7.0\n.target sm_70\n.address_size 64\n.visible .entry k() { ret; }\n"

EM_X86_64, EM_AARCH64, ET_DYN, ET_EXEC, PT_LOAD, PT_DYNAMIC = 62, 183, 3, 2, 1, 2


def entry(kind, target, data, flags=0, size=0, padding=0):
    compressed = len(data) if flags & (LZ4 | ZSTD) else 0
    data += bytes(padding)
    return struct.pack("<HHIQIIHHIIIQQQ", kind, 0x101, 64, len(data), compressed, 0, 0, 7, target, 0,
                       0, flags, 0, size) + data


def binary(*entries):
    data = b"".join(entries)
    return struct.pack("<IHHQ", 0xBA55ED50, 1, 16, len(data)) + data


def lz4_of(text):
    """Literals alone: a token, the length's other bytes, and the text."""
    left = len(text) - 15
    return bytes([0xF0]) + left // 255 * b"\xff" + bytes([left % 255]) + text


def lz4_of_copies(n):
    """One letter, and then as many copies of it."""
    left = n - 4 - 15
    return bytes([0x1F]) + b"x\x01\x00" + left // 255 * b"\xff" + bytes([left % 255, 0])


def zstd_of(text, repeated=0):
    """A frame that says its size: a block as it is, and one of a byte many times over."""
    frame = b"\x28\xb5\x2f\xfd" + struct.pack("<BI", 0xA0, len(text) + repeated)
    frame += struct.pack("<I", len(text) << 3 | (not repeated))[:3] + text
    return frame + (struct.pack("<I", repeated << 3 | 3)[:3] + b"x" if repeated else b"")


def images():
    yield "plain", binary(entry(PTX, 70, TEXT, padding=5))
    yield "lz4", binary(entry(PTX, 70, lz4_of(TEXT), LZ4, len(TEXT), 3))
    yield "copies", binary(entry(PTX, 70, lz4_of_copies(4000), LZ4, 4001))
    yield "zstd", binary(entry(PTX, 70, zstd_of(TEXT), ZSTD, len(TEXT)))
    yield "repeated", binary(entry(PTX, 70, zstd_of(TEXT, 900), ZSTD, len(TEXT) + 900))
    yield "several", binary(entry(CUBIN, 90, b"\x7fELF"), entry(PTX, 75, b"a"), entry(PTX, 90, b"b", FAMILY),
                            entry(PTX, 100, b"c", ONE_TARGET))
    yield "machine_code", binary(entry(CUBIN, 90, b"\x7fELF" + bytes(60)))
    yield "none", binary()
    yield "large", binary(entry(PTX, 70, zstd_of(b"", 1 << 17), ZSTD, 1 << 40))
    yield "pointer", struct.pack("<IIQQ", 0x466243B1, 1, 0xDEADBEEF, 0)
    yield "cubin", elf() + struct.pack("<IIQQQQIIQQ", 0, 1, 0, 0, 64, 8, 0, 0, 8, 0)
    yield "text", TEXT


def elf(machine=EM_X86_64, kind=ET_DYN, bits=2, segments=(), sections=0):
    header = b"\x7fELF" + bytes([bits, 1, 1]) + bytes(9)
    header += struct.pack("<HHIQQQIHHHHHH", kind, machine, 1, 0, 64, 64 + 56 * len(segments), 0, 64, 56,
                          len(segments), 64, sections, 0)
    for kind_of, offset, size in segments:
        header += struct.pack("<IIQQQQQQ", kind_of, 5, offset, offset, offset, size, size, 4096)
    return header


def cache(*libraries):
    strings, entries, at = b"", b"", 48 + 24 * len(libraries)
    for name, path in libraries:
        entries += struct.pack("<iIIIQ", 0x303, at + len(strings), at + len(strings) + len(name) + 1, 0, 0)
        strings += name + b"\0" + path + b"\0"
    return b"glibc-ld.so.cache1.1" + struct.pack("<II5I", len(libraries), len(strings), *[0] * 5) + entries + strings


def elves():
    yield "library", elf(segments=[(PT_LOAD, 0, 176), (PT_DYNAMIC, 64, 16)])
    yield "short", elf(segments=[(PT_LOAD, 0, 4096), (PT_LOAD, 4096, 100)])
    yield "overflow", elf(segments=[(PT_LOAD, 2**64 - 1, 2)])
    yield "table_elsewhere", elf(segments=[(PT_LOAD, 0, 64)])[:32] + struct.pack("<Q", 2**63) + elf()[40:] + bytes(99)
    yield "other", elf(EM_AARCH64)
    yield "bits32", elf(bits=1)
    yield "program", elf(kind=ET_EXEC)
    yield "empty", b""
    yield "text", b"GROUP ( libcuda.so.550.54.15 ) /* a linker's script */\n" * 2
    yield "cache", cache((b"libcuda.so.1", b"/usr/lib/libcuda.so.1"), (b"libc.so.6", b"/lib/libc.so.6"))
    yield "older", b"ld.so-1.7.0\0" + bytes(20) + cache((b"libcuda.so.1", b"/x"))


def main():
    for name, make in (("image", images), ("elf", elves)):
        folder = Path(sys.argv[1]) / name
        folder.mkdir(parents=True, exist_ok=True)
        for file, content in make():
            (folder / file).write_bytes(content)


if __name__ == "__main__":
    main()
