#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Derives the rows of src/loader/{cuda,nvrtc,nvjitlink}.symbols from an installed CUDA toolkit.

    update_symbols.py [--include DIR]... [--write] [--list DIR]

Compares what the toolkit's headers declare with the lists that are checked in.
A contradiction (a row that this toolkit should declare and does not, or declares
otherwise) is printed and ends with status 1. Functions that no row names are
printed as rows; with --write they are appended. Any toolkit from 11.3 to 13.x
will do: an older one only has fewer functions to say something about. Status 77:
there is no toolkit to ask.
"""

import argparse
import os
import re
import subprocess
import sys
import tempfile
from collections import defaultdict
from pathlib import Path

import symbols

ROOT = Path(__file__).resolve().parent.parent

# The GL, EGL and VDPAU headers of CUDA include headers that a machine without a
# display does not have. Their types matter here only by size.
STAND_INS = {
    "GL/gl.h": "typedef unsigned int GLenum; typedef unsigned int GLuint;",
    "EGL/egl.h": "typedef void *EGLImageKHR, *EGLStreamKHR, *EGLSyncKHR; typedef int EGLint;",
    "EGL/eglext.h": "",
    "vdpau/vdpau.h": "typedef unsigned int VdpDevice, VdpFuncId, VdpVideoSurface, VdpOutputSurface;"
    "typedef int VdpStatus; typedef VdpStatus VdpGetProcAddress(VdpDevice, VdpFuncId, void **);",
}

# cudaVDPAU.h expects its caller to have included vdpau.h.
PRELUDE = "#include <cuda.h>\n#include <vdpau/vdpau.h>\n"

HEADER_FILES = {
    "": ("cuda.h", "cudaTypedefs.h"),
    "gl": ("cudaGL.h", "cudaGLTypedefs.h"),
    "egl": ("cudaEGL.h", "cudaEGLTypedefs.h"),
    "vdpau": ("cudaVDPAU.h", "cudaVDPAUTypedefs.h"),
    "profiler": ("cudaProfiler.h", "cudaProfilerTypedefs.h"),
}

INTERNAL = "__CUDA_API_VERSION_INTERNAL"
NEVER = 1 << 30

# Prints "symbol signature" for every function named in CUSHIM_NAMES.
SIGNATURE_PROGRAM = r"""
#include <cstdio>
#include <cstddef>
#include <type_traits>
template <class T> constexpr char letter()
{
    if (std::is_pointer<T>::value) return 'p';
    if (std::is_floating_point<T>::value && sizeof(T) == 4) return 'f';
    if (std::is_integral<T>::value || std::is_enum<T>::value)
        return sizeof(T) == 8 ? 'l' : sizeof(T) == 4 ? 'i' : sizeof(T) == 2 ? 'h' : 'b';
    if (std::is_class<T>::value && sizeof(T) == 8 && alignof(T) == 4) return 'm';
    if (std::is_class<T>::value && sizeof(T) == 64) return 'H';
    return '?';
}
template <class R, class... A> void print(const char *name, R (*)(A...))
{
    const char letters[] = {letter<A>()..., 0};
    std::printf("%s %s\n", name, letters[0] ? letters : "-");
}
int main()
{
"""


def run(command, text):
    done = subprocess.run(command, input=text, capture_output=True, text=True)
    if done.returncode:
        sys.exit(f"update_symbols: {' '.join(map(str, command))}\n{done.stderr}")
    return done.stdout


class Toolkit:
    """The headers of one toolkit, seen through the compiler."""

    def __init__(self, includes, scratch):
        self.includes = includes
        self.flags = [f"-I{d}" for d in [*includes, scratch]]
        for name, text in STAND_INS.items():
            path = Path(scratch, name)
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text + "\n")
        self.scratch = Path(scratch)
        self.version = int(self.preprocess("#include <cuda.h>\nCUSHIM_SAYS CUDA_VERSION\n").split()[-1])

    def has(self, header):
        return any(Path(d, header).exists() for d in self.includes)

    def preprocess(self, text, *defines):
        return run(["cc", "-E", "-P", "-xc", "-", *self.flags, *[f"-D{d}" for d in defines]], text)

    def typedefs(self, header, *defines):
        """[(base, version, variant)] of the PFN_ types, in the header's order."""
        text = self.preprocess(f"{PRELUDE}#include <{header}>\n", *defines)
        found = re.findall(r"\*\s*PFN_(cu\w+?)_v(\d+)(?:_(pt[sd][zs]))?\)", text)
        return [(base, int(version), variant) for base, version, variant in found]

    def functions(self, header, pattern, *defines):
        text = self.preprocess(f"{PRELUDE}#include <{header}>\n", *defines)
        return list(dict.fromkeys(re.findall(pattern, text)))

    def signatures(self, header, names, *defines):
        source = "".join(f"#define {d}\n" for d in defines)
        source += f"{PRELUDE}#include <{header}>\n" + SIGNATURE_PROGRAM
        source += "".join(f'    print("{n}", (decltype(&{n})) nullptr);\n' for n in names) + "}\n"
        program = self.scratch / "signatures"
        run(["c++", "-w", "-std=c++11", "-xc++", "-", *self.flags, "-o", program], source)
        return dict(line.split() for line in run([program], "").splitlines())


def derive_header(toolkit, flag, known):
    """The rows of one CUDA header; known are the functions of cuda.h, which all include."""
    header, typedef_header = HEADER_FILES[flag]
    if not toolkit.has(header) or not toolkit.has(typedef_header):
        return []
    names = toolkit.functions(header, r"CUresult\s+(cu[A-Z]\w*)\s*\(", INTERNAL)
    names = [n for n in names if n not in known]
    # The n-th suffix of a (base, variant) is its n-th version.
    versions, suffixes = defaultdict(list), defaultdict(list)
    for base, version, variant in toolkit.typedefs(typedef_header, INTERNAL):
        versions[base, variant].append(version)
    for name in names:
        base, suffix, variant = symbols.split_name(name)
        suffixes[base, variant].append(suffix)
    typed = set(toolkit.typedefs(typedef_header))
    letters = toolkit.signatures(header, names, INTERNAL)
    rows = []
    for name in names:
        base, suffix, variant = symbols.split_name(name)
        group = sorted(versions[base, variant])
        order = sorted(suffixes[base, variant])
        flags = {k: True for k in (variant, flag) if k}
        if len(group) == len(order):
            since = group[order.index(suffix)]
            if (base, since, variant) not in typed:
                flags["internal"] = toolkit.version
        else:
            since = 0  # declared, and not typed by this toolkit
        rows.append(symbols.Row(-1, name, base, since, letters[name], flags))
    return rows


def derive_cuda(toolkit):
    if not toolkit.has("cudaTypedefs.h"):
        sys.exit("update_symbols: these headers have no cudaTypedefs.h; it came with CUDA 11.3")
    rows = derive_header(toolkit, "", ())
    known = {r.symbol for r in rows}
    for flag in symbols.HEADERS:
        rows += derive_header(toolkit, flag, known)
    return rows


def derive_nvrtc(toolkit):
    """nvrtc.h does not say when a function came: a new one is taken to be as old as the toolkit."""
    if not toolkit.has("nvrtc.h"):
        return []
    results = toolkit.functions("nvrtc.h", r"nvrtcResult\s+(nvrtc[A-Z]\w*)\s*\(")
    strings = toolkit.functions("nvrtc.h", r"const char\s*\*\s*(nvrtc[A-Z]\w*)\s*\(")
    letters = toolkit.signatures("nvrtc.h", strings + results)
    return [
        symbols.Row(-1, n, n, toolkit.version, letters[n], {"string": True} if n in strings else {})
        for n in strings + results
    ]


def derive_nvjitlink(toolkit):
    """The functions with a version in their names, such as __nvJitLinkCreate_13_0, and those without."""
    if not toolkit.has("nvJitLink.h"):
        return []
    pattern = r"nvJitLinkResult\s+((?:__)?nvJitLink[A-Z]\w*?)\s*\("
    found = [n for n in toolkit.functions("nvJitLink.h", pattern, "NVJITLINK_NO_INLINE") if n != "nvJitLinkResult"]
    letters = toolkit.signatures("nvJitLink.h", found, "NVJITLINK_NO_INLINE")
    bases = {n: re.sub(r"^__(\w+?)_\d+_\d+$", r"\1", n) for n in found}
    return [symbols.Row(-1, bases[n], bases[n], toolkit.version, letters[n], {}) for n in found]


def expected(row, toolkit, declares):
    """Should this toolkit declare the row?"""
    header = next((f for f in symbols.HEADERS if f in row.flags), None)
    if header and not all(toolkit.has(h) for h in HEADER_FILES[header]):
        return False
    if not row.symbol.startswith("cu") and not declares:
        return False
    return row.header <= toolkit.version < row.flags.get("until", NEVER)


def differences(row, found, toolkit):
    """What the toolkit says otherwise about a row."""
    dated = row.symbol.startswith("cu")  # nvrtc.h dates nothing
    if found.signature != row.signature:
        yield f"signature {found.signature}, the list has {row.signature}"
    if found.base != row.base:
        yield f"base name {found.base}, the list has {row.base}"
    if dated and found.since and found.since != row.since:
        yield f"since {found.since}, the list has {row.since}"
    for flag in (*symbols.VARIANTS, *symbols.HEADERS, "string"):
        if (flag in found.flags) != (flag in row.flags):
            yield f"flag {flag} {'set' if flag in found.flags else 'not set'}, the list differs"
    internal = row.flags.get("internal", NEVER) <= toolkit.version
    if found.since and ("internal" in found.flags) != internal:
        yield f"typed {'only' if 'internal' in found.flags else 'not only'} for {INTERNAL}, the list differs"


def like_others(row, rows):
    """A new version of a function has the flags of those before that no header tells."""
    others = [r for r in rows if r.base == row.base]
    row.flags.update({f: True for f in symbols.FAULT_FLAGS if any(f in r.flags for r in others)})
    return row


def compare(toolkit, rows, derived):
    """(contradictions, additions)"""
    found = {r.symbol: r for r in derived}
    contradictions = []
    for row in rows:
        here = found.pop(row.symbol, None)
        if here:
            contradictions += [f"{row.symbol}: {d}" for d in differences(row, here, toolkit)]
        elif expected(row, toolkit, derived):
            contradictions.append(
                f"{row.symbol}: of CUDA {symbols.version_text(row.header)}, not declared by this toolkit"
            )
    return contradictions, [like_others(row, rows) for row in found.values()]


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    home = os.environ.get("CUDA_PATH") or os.environ.get("CUDA_HOME") or "/usr/local/cuda"
    parser.add_argument("--include", action="append", help="a folder with the toolkit's headers")
    parser.add_argument("--list", default=ROOT / "src/loader", help="the folder of the .symbols files")
    parser.add_argument("--write", action="store_true", help="append the additions to the lists")
    options = parser.parse_args()
    includes = options.include or [f"{home}/include"]
    if not any(Path(d, "cuda.h").exists() for d in includes):
        print(f"update_symbols: no cuda.h in {' '.join(map(str, includes))}")
        return 77

    status = 0
    with tempfile.TemporaryDirectory() as scratch:
        toolkit = Toolkit(includes, scratch)
        for name, derive in (("cuda", derive_cuda), ("nvrtc", derive_nvrtc), ("nvjitlink", derive_nvjitlink)):
            path = Path(options.list, f"{name}.symbols")
            rows = symbols.read(path) if path.exists() else []
            contradictions, additions = compare(toolkit, rows, derive(toolkit))
            for text in contradictions:
                print(f"{name}.symbols contradicts the toolkit: {text}")
            for row in additions:
                print(row.format())
            if options.write and additions:
                with path.open("a") as file:
                    file.writelines(row.format() + "\n" for row in additions)
            if contradictions:
                status = 1
            print(
                f"{name}: toolkit {symbols.version_text(toolkit.version)}, {len(rows)} rows, "
                f"{len(additions)} additions, {len(contradictions)} contradictions"
            )
    return status


if __name__ == "__main__":
    try:
        sys.exit(main())
    except symbols.ListError as error:
        sys.exit(f"update_symbols: {error}")
