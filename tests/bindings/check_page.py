# SPDX-License-Identifier: MIT
"""Checks docs/bindings.md against the headers: each macro has a row, and each function exists.

    check_page.py ROOT
"""
import re
import sys
from pathlib import Path

# What a compiler knows, and a binding does not need.
ASIDE = {"CUSHIM_PRINTF", "CUSHIM_STATUS_MAP", "CUSHIM_STATUS_NVRTC", "CUSHIM_ELEMENT"}


def main(root):
    page = Path(root, "docs/bindings.md").read_text()
    exported = set(Path(root, "tests/rules/cushim.exports").read_text().split())
    headers = "".join(p.read_text() for p in sorted(Path(root, "include/cushim").glob("*.h")))
    macros = set(re.findall(r"^#define ((?:cushim|CUSHIM)_[a-zA-Z]\w*)\(", headers, re.M))
    structures = {m for m in macros if re.search(rf"^struct {m} \{{", headers, re.M)}
    enumerations = {m for m in macros if re.search(rf"^#define {m}\(X\)", headers, re.M)}
    rows = dict(re.findall(r"^\| (.*?) \| (.*) \|$", page, re.M))
    named = set(re.findall(r"`(\w+)", " ".join(rows)))
    failures = sorted(macros - exported - structures - enumerations - ASIDE - named)
    for macro in failures:
        print(f"{macro} has no row in docs/bindings.md")
    functions = {f for row in rows.values() for f in re.findall(r"`(cushim_\w+)`", row)}
    missing = sorted(f for f in functions - exported if f"{f}(" not in headers)
    for function in missing:
        print(f"docs/bindings.md names {function}, which is no function")
    return len(failures) + len(missing)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
