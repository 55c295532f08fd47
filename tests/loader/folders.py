#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Makes the files that no linker makes, and the folders that tests put in the library path.

folders.py STAMP GOOD-LIBRARY DROP-IN NVRTC BUILTINS GONE MIDDLE OTHER [NAME=LIBRARY]...

Beside STAMP:

    bad/NAME.so                  a file that is no library for this machine
    search/NAME/libcuda.so.1     the bad files, and the libraries given, by the driver's name
    needs/, search/needs/        a library that another one needs, cut short; what else is needed
    good/, chain/                that library, and one on the way to it
    other/                       a library without a name of its own, by some names
    lib-of/, platform-of/        that library cut short, and good, below all values of a token
    circle/                      a circle of links in the place of a good library
    rpath/                       cut short, what a program with this folder finds
    search/truncated/            also what the mock opens by name
    nvrtc/pair                   an NVRTC with its builtins beside it
    nvrtc/waiting                an NVRTC with a pipe in the place of its builtins
    nvrtc/blocked                every name of NVRTC, none of them a library
    nvrtc/home, nvrtc/wheels     NVRTC where toolkits and Python wheels have it
"""

import os
import shutil
import struct
import sys
import sysconfig
from pathlib import Path

EM_386, EM_X86_64, EM_AARCH64 = 3, 62, 183
ET_EXEC = 2
PT_LOAD = 1


def patched(elf, **fields):
    """A copy of an ELF file with header fields changed: they stand where both classes have them."""
    places = {"bits": (4, "B"), "kind": (16, "H"), "machine": (18, "H")}
    out = bytearray(elf)
    for name, value in fields.items():
        offset, code = places[name]
        struct.pack_into(f"={code}", out, offset, value)
    return bytes(out)


def lying(elf):
    """A copy whose first segment with bytes begins so far out that its end is a small number."""
    out = bytearray(elf)
    table, size, n = (struct.unpack_from(c, elf, o)[0] for c, o in (("=Q", 32), ("=H", 54), ("=H", 56)))
    for i in range(n):
        if struct.unpack_from("=I", elf, table + i * size)[0] == PT_LOAD:
            struct.pack_into("=Q", out, table + i * size + 8, 2**64 - 4096)
            struct.pack_into("=Q", out, table + i * size + 32, 8192)
            return bytes(out)
    raise ValueError("it has no segment")


def link(place, target):
    place.parent.mkdir(parents=True, exist_ok=True)
    place.symlink_to(target)


def make_bad(folder, elf, drop_in):
    own = struct.unpack_from("=H", elf, 18)[0]
    files = {
        "empty": b"",
        "text": b"this is no library, and longer than the header of one: " + 64 * b".",
        "other": patched(elf, machine=EM_AARCH64 if own == EM_X86_64 else EM_X86_64),
        "bits32": patched(elf, bits=1),
        "i386": patched(elf, bits=1, machine=EM_386),
        "executable": patched(elf, kind=ET_EXEC),
        "header": elf[:40],
        "truncated": elf[:4096],
        "lie": lying(elf),
    }
    folder.mkdir(parents=True)
    for name, content in files.items():
        (folder / f"{name}.so").write_bytes(content)
    (folder / "folder.so").mkdir()
    os.mkfifo(folder / "pipe.so")
    link(folder / "loop.so", "loop.so")
    link(folder / "self.so", drop_in)


def make_nvrtc(folder, nvrtc, builtins):
    link(folder / "pair/libnvrtc.so.12", nvrtc)
    link(folder / "pair/libnvrtc-builtins.so.12.4", builtins)
    link(folder / "home/lib64/libnvrtc.so.12", nvrtc)
    link(folder / "wheels/lib/python3.99/site-packages/nvidia/cuda_nvrtc/lib/libnvrtc.so.12", nvrtc)
    link(folder / "waiting/libnvrtc.so.12", nvrtc)
    os.mkfifo(folder / "waiting/libnvrtc-builtins.so.12.4")
    (folder / "blocked").mkdir(parents=True)
    for version in ("13", "12", "11.2", "11.1", "11.0"):
        (folder / f"blocked/libnvrtc.so.{version}").write_text("this is no library\n")


def make_needed(root, gone, middle, other):
    name, bad = "libcushim-gone.so.7", root / "bad/truncated.so"
    for folder in ("needs", "search/needs", "chain"):
        link(root / folder / name, bad)
    link(root / "chain/libcushim-middle.so.7", middle)
    link(root / "good" / name, gone)
    link(root / "good/libcushim-other.so.7", other)
    for unnamed in (name, "libcushim-pipe.so.7", "libcuda.so.1"):
        link(root / "other" / unnamed, root / "fake-unnamed.so")
    link(root / "rpath/libcushim-other.so.7", bad)
    for circle in (name, "libcushim-other.so.7"):
        link(root / "circle" / circle, root / "bad/loop.so")
    link(root / "needs/libcushim-text.so.7", root / "bad/text.so")
    for pipe in ("libcushim-pipe.so.7", "libm.so.7"):
        os.mkfifo(root / "needs" / pipe)
    for lib in ("lib", "lib64", f"lib/{sysconfig.get_config_var('MULTIARCH')}"):
        link(root / "lib-of" / lib / name, bad)
    for platform in (os.uname().machine, "haswell", "xeon_phi", "power8", "power9", "power10"):
        link(root / "platform-of" / platform / name, gone)


def make_builds(search, good, bad):
    """Libraries beside others for newer processors."""
    for folder, build, plain, newer in (
        ("builds", "x86-64-v2", good, bad),
        ("builds[1]?*", "x86-64-v2", good, bad),
        ("builds-better", "x86-64-v2", bad, good),
        ("builds-unused", "x86-64-v99", good, bad),
    ):
        link(search / folder / "libcuda.so.1", plain)
        link(search / folder / "glibc-hwcaps" / build / "libcuda.so.1", newer)


def main():
    stamp, good, drop_in, nvrtc, builtins, gone, middle, other = [Path(a).absolute() for a in sys.argv[1:9]]
    named = sys.argv[9:]
    root = stamp.parent
    for name in "bad search nvrtc needs good other chain circle lib-of platform-of rpath".split():
        shutil.rmtree(root / name, ignore_errors=True)
    make_bad(root / "bad", good.read_bytes(), drop_in)
    make_nvrtc(root / "nvrtc", nvrtc, builtins)
    make_needed(root, gone, middle, other)
    for bad in sorted((root / "bad").iterdir()):
        link(root / "search" / bad.stem / "libcuda.so.1", bad)
    make_builds(root / "search", good, root / "bad/truncated.so")
    link(root / "search/needs/libcuda.so.1", root / "search/dangling/libcuda.so.1")
    for name in ("libkernels.so", "libzstd.so.1"):
        link(root / "search/truncated" / name, root / "bad/truncated.so")
    for pair in named:
        name, _, library = pair.partition("=")
        link(root / "search" / name / "libcuda.so.1", Path(library).absolute())
    stamp.write_text("")


if __name__ == "__main__":
    main()
