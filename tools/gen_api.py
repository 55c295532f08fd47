#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Writes the struct of a list: one typed pointer a row, in row order.

gen_api.py LIST OUT
"""

import sys
from collections import Counter

import symbols

# cudaTypedefs.h came with 11.3, so what is older needs no question.
OLDEST = 11030

GUARDS = {
    "gl": "CUDAGLTYPEDEFS_H",
    "egl": "CUDAEGLTYPEDEFS_H",
    "vdpau": "CUDAVDPAUTYPEDEFS_H",
    "profiler": "CUDAPROFILERTYPEDEFS_H",
}

# In per-thread-default-stream mode cuda.h leads this name to an inline function.
INLINE = {"cuGetProcAddress": "cuGetProcAddress_ptsz", "cuGetProcAddress_v2": "cuGetProcAddress_v2_ptsz"}


# The versions of headers that do not tell theirs: the table's header has to know it.
VERSIONS = {"cuda": "CUDA_VERSION", "nvrtc": "CUSHIM_NVRTC_VERSION", "nvjitlink": "CUSHIM_NVJITLINK_VERSION"}

# The type of a function that no header has a type for.
TYPE = """/* In C++ an unqualified name would have another meaning inside the structure. */
#ifdef __cplusplus
#define CUSHIM__TYPE(function) __typeof__(&::function)
#else
#define CUSHIM__TYPE(function) __typeof__(&function)
#endif

"""


def if_else(name, condition):
    """A macro that lets a type through where it is declared, else says cushim_entry."""
    return (
        f"#if {condition}\n#define {name}(type) type\n"
        f"#else\n#define {name}(type) cushim_entry\n#endif\n"
    )


def conditions(row):
    """[(macro, condition)] for the declaration of the row's type."""
    found = []
    version = VERSIONS[symbols.prefix([row])]
    if row.header > OLDEST:
        found.append((f"CUSHIM__SINCE_{row.header}", f"{version} >= {row.header}"))
    if "until" in row.flags:
        found.append((f"CUSHIM__UNTIL_{row.flags['until']}", f"{version} < {row.flags['until']}"))
    if "internal" in row.flags:
        since = row.flags["internal"]
        unless = f"defined(__CUDA_API_VERSION_INTERNAL) || CUDA_VERSION < {since}"
        found.append((f"CUSHIM__INTERNAL_{since}", unless))
    found += [(f"CUSHIM__{f.upper()}", f"defined({g})") for f, g in GUARDS.items() if f in row.flags]
    return found


def type_of(row):
    if symbols.prefix([row]) != "cuda":
        text = f"CUSHIM__TYPE({row.symbol})"
    else:
        variant = f"_{row.variant}" if row.variant else ""
        text = f"PFN_{row.base}_v{row.since}{variant}"
    for macro, _ in conditions(row):
        text = f"{macro}({text})"
    return text


def names(row, siblings):
    """All names of the entry. The first version of a redirected function is also called _v1."""
    found = [row.symbol]
    if row.symbol == row.base and siblings[row.base] > 1:
        found.append(f"{row.symbol}_v1")
    if row.symbol in INLINE:
        found.append(INLINE[row.symbol])
    return found


def member(row, siblings):
    entries = [f"{type_of(row)} {name};" for name in names(row, siblings)]
    if len(entries) == 1:
        return f"    {entries[0]}\n"
    return "    union {\n" + "".join(f"        {e}\n" for e in entries) + "    };\n"


def generate(path):
    rows = symbols.read(path)
    name = symbols.prefix(rows)
    siblings = Counter(r.base for r in rows)
    macros = sorted({c for r in rows for c in conditions(r)})
    # cuda.h may have defined any of these as a macro that leads elsewhere.
    redirected = [r.symbol for r in rows if siblings[r.base] > 1 and not r.variant]

    text = "/* SPDX-License-Identifier: MIT */\n" + symbols.banner(path, "the table")
    text += f"/* Included by cushim/{'' if name == 'cuda' else name + '_'}table.h, which says how to use it. */\n"
    text += f"#ifndef CUSHIM_{name.upper()}_API_H\n#define CUSHIM_{name.upper()}_API_H\n\n"
    text += ("" if name == "cuda" else TYPE) + "".join(if_else(m, c) for m, c in macros) + "\n"
    text += "".join(f'#pragma push_macro("{n}")\n#undef {n}\n' for n in redirected)
    text += f"\nstruct cushim_{name}_api {{\n"
    text += "".join(member(r, siblings) for r in rows)
    text += "};\n\n"
    text += "".join(f'#pragma pop_macro("{n}")\n' for n in redirected) + "\n"
    text += "".join(f"#undef {m}\n" for m in [*dict(macros), *([] if name == "cuda" else ["CUSHIM__TYPE"])])
    return text + "\n#endif\n"


def main():
    path, out = sys.argv[1:]
    symbols.write(out, generate(path))


if __name__ == "__main__":
    main()
