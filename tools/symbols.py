# SPDX-License-Identifier: MIT
"""Reads the lists of the functions of the driver, of NVRTC and of nvJitLink (src/loader/*.symbols).

Everything that is generated from the lists reads them through this module, so
the meaning of a column is written down once, here:

    symbol  base  since  signature  flag...

symbol     the exported name, as dlsym() knows it
base       the name that cuGetProcAddress() knows; the same for all versions
since      CUDA version that introduced this symbol, as 1000 * major + 10 * minor
signature  one letter an argument, "-" for none: the machine's view of the type
flag       ptds | ptsz     the per-thread-default-stream variant
           string          returns const char * (all others return an int)
           launch          launches kernels
           release         gives something back, or waits: a fault fails it after it was called
           basic           tells what is wrong: a fault of all functions leaves it out
           lost            works on a device that was lost, as what is basic does
           gl | egl | vdpau | profiler
                           declared by that header and not by cuda.h
           internal=N      from toolkit N on, its type is declared only for
                           __CUDA_API_VERSION_INTERNAL
           header=N        first toolkit whose headers declare it, if not since
           until=N         first version that no longer has it
           narrow          takes addresses or sizes of 32 bits, and first looks whether the current
                           context is one of the first cuCtxCreate, which it is for
           same=SYMBOL     does what that version of the function does, which may take
                           integers of 64 bits where this one takes 32

The number of a row is its place in the file. It is ABI: rows are appended,
never moved.
"""

import re
from dataclasses import dataclass, field
from pathlib import Path

# The machine's view of an argument. Structures that are passed by value have
# letters of their own: m is CUmemLocation; H stands for the 64-byte ones (the IPC
# handles and CUeglFrame), which every ABI passes in memory.
C_TYPES = {
    "p": "void *",
    "l": "uint64_t",
    "i": "uint32_t",
    "h": "uint16_t",
    "b": "uint8_t",
    "f": "float",
    "m": "struct cushim__arg8",
    "H": "struct cushim__arg64",
}

VARIANTS = ("ptds", "ptsz")
HEADERS = ("gl", "egl", "vdpau", "profiler")
FAULT_FLAGS = ("launch", "release", "basic", "lost")  # the same for all rows of a base name
ROW_FLAGS = VARIANTS + ("string",) + FAULT_FLAGS  # that the rows have in C
PLAIN_FLAGS = HEADERS + ROW_FLAGS + ("narrow",)
NUMBER_FLAGS = ("internal", "header", "until")
NAME_FLAGS = ("same",)


@dataclass
class Row:
    index: int
    symbol: str
    base: str
    since: int
    signature: str
    flags: dict = field(default_factory=dict)

    @property
    def arguments(self):
        return "" if self.signature == "-" else self.signature

    @property
    def variant(self):
        return next((v for v in VARIANTS if v in self.flags), "")

    @property
    def header(self):
        """First toolkit version whose headers declare the function."""
        return self.flags.get("header", self.since)

    @property
    def twin_of(self):
        """The function that does the same, but for the default stream or the width of integers. Or ""."""
        if self.variant:
            return self.symbol.removesuffix(f"_{self.variant}")
        return self.flags.get("same", "")

    @property
    def returns_string(self):
        return "string" in self.flags

    def format(self):
        flags = [k if v is True else f"{k}={v}" for k, v in self.flags.items()]
        text = f"{self.symbol:<46} {self.base:<40} {self.since:>5} {self.signature:<11} {' '.join(flags)}"
        return text.rstrip()


class ListError(Exception):
    """A row that cannot be right. The text names the file and the line."""


def parse_flags(words, where):
    flags = {}
    for word in words:
        name, _, number = word.partition("=")
        if word in PLAIN_FLAGS:
            flags[word] = True
        elif name in NUMBER_FLAGS and number.isdigit():
            flags[name] = int(number)
        elif name in NAME_FLAGS and number:
            flags[name] = number
        else:
            raise ListError(f"{where}: unknown flag '{word}'")
    return flags


def parse_row(line, index, where):
    words = line.split()
    if len(words) < 4:
        raise ListError(f"{where}: expected 'symbol base since signature [flag...]'")
    symbol, base, since, signature = words[:4]
    if not since.isdigit():
        raise ListError(f"{where}: '{since}' is not a CUDA version such as 11060")
    if signature != "-" and not set(signature) <= set(C_TYPES):
        raise ListError(f"{where}: '{signature}' has a letter that is none of {''.join(C_TYPES)}")
    return Row(index, symbol, base, int(since), signature, parse_flags(words[4:], where))


def widens(narrow, wide):
    """May arguments of the one signature be passed as those of the other?"""
    return len(narrow) == len(wide) and all(a == b or a + b == "il" for a, b in zip(narrow, wide))


def check_same(rows, path):
    """What stands behind same= is another version of the function, and takes its arguments."""
    known = {row.symbol: row for row in rows}
    for row in rows:
        name = row.flags.get("same")
        if not name:
            continue
        other = known.get(name)
        version = split_name(name)[0] == split_name(row.symbol)[0]
        if not (version and other and widens(row.arguments, other.arguments)):
            raise ListError(f"{path}: {row.symbol} cannot be the same as {name}")


def read(path):
    """All rows of a list, in order. Raises ListError at the first bad one."""
    rows, seen = [], {}
    for number, line in enumerate(Path(path).read_text().splitlines(), 1):
        line = line.split("#")[0].strip()
        if not line:
            continue
        row = parse_row(line, len(rows), f"{path}:{number}")
        if row.symbol in seen:
            raise ListError(f"{path}:{number}: {row.symbol} stands in line {seen[row.symbol]} already")
        seen[row.symbol] = number
        rows.append(row)
    check_same(rows, path)
    return rows


def split_name(symbol):
    """'cuMemcpyHtoD_v2_ptds' -> ('cuMemcpyHtoD', 2, 'ptds'). Version 1 has no suffix."""
    match = re.fullmatch(r"(\w+?)(?:_v(\d+))?(?:_(pt[sd][zs]))?", symbol)
    return match[1], int(match[2] or 1), match[3] or ""


def version_text(version):
    """11060 -> '11.6'"""
    return f"{version // 1000}.{version % 1000 // 10}"


def prefix(rows):
    """'cuda', 'nvrtc' or 'nvjitlink': how the generated names of a list begin."""
    symbol = rows[0].symbol.lower()
    return next((p for p in ("nvrtc", "nvjitlink") if symbol.startswith(p)), "cuda")


# --- C text that more than one generator writes ---


def banner(path, what):
    return f"/* Generated from {Path(path).name}: {what}. Do not edit. */\n"


def parameters(row):
    """'void *a0, uint32_t a1', as the machine sees them."""
    return ", ".join(c_declare(letter, f"a{i}") for i, letter in enumerate(row.arguments)) or "void"


def c_declare(letter, name):
    kind = C_TYPES[letter]
    return f"{kind}{name}" if kind.endswith("*") else f"{kind} {name}"


def arguments(row):
    return ", ".join(f"a{i}" for i in range(len(row.arguments)))


def returns(row):
    return "const char *" if row.returns_string else "int "


def shape(row):
    """Names a function type: 'i_ppl' returns an int and takes two pointers and a 64-bit integer."""
    return ("s_" if row.returns_string else "i_") + row.arguments


def shapes(rows):
    """One row of each shape, by name."""
    return dict(sorted({shape(r): r for r in rows}.items()))


def typedefs(rows):
    """typedef int fn_i_ppl(void *a0, ...); for every shape in rows."""
    return "".join(f"typedef {returns(r)}fn_{s}({parameters(r)});\n" for s, r in shapes(rows).items())


def write(path, text):
    Path(path).write_text(text)
