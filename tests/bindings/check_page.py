# SPDX-License-Identifier: MIT
"""Checks docs/bindings.md against the headers: each macro has a row, each function exists, and each
enumeration has a row with its values.

    check_page.py ROOT
"""
import re
import sys
from os.path import commonprefix
from pathlib import Path

# What a compiler knows, and a binding does not need.
ASIDE = {"CUSHIM_PRINTF", "CUSHIM_STATUS_MAP", "CUSHIM_STATUS_NVRTC", "CUSHIM_STATUS_NVJITLINK", "CUSHIM_ELEMENT"}


def rows_of_enumerations(headers):
    """The rows that the enumerations of the headers, but mock.h, have."""
    for name, body in re.findall(r"^enum (cushim_\w+) \{(.*?)^\}", headers, re.M | re.S):
        map_name = re.search(r"(CUSHIM_\w+_MAP)\(", body)
        if map_name:
            body = re.search(rf"#define {map_name[1]}\(X\)((?:.*\\\n)*.*)", headers)[1]
        values = re.findall(r"\b(CUSHIM_\w+)(?: =|,) (-?\w+)", body)
        prefix = commonprefix([value for value, _ in values])
        prefix = prefix[:prefix.rindex("_") + 1]
        yield f"| `{name}` | `{prefix}` | " + ", ".join(
            f"{value[len(prefix):]} {int(number, 0)}" for value, number in values) + " |"


def main(root):
    page = Path(root, "docs/bindings.md").read_text()
    exported = set(Path(root, "tests/rules/cushim.exports").read_text().split())
    headers = "".join(p.read_text() for p in sorted(Path(root, "include/cushim").glob("*.h")))
    macros = set(re.findall(r"^#define ((?:cushim|CUSHIM)_[a-zA-Z]\w*)\(", headers, re.M))
    structures = {m for m in macros if re.search(rf"^struct {m} \{{", headers, re.M)}
    enumerations = {m for m in macros if re.search(rf"^#define {m}\(X\)", headers, re.M)}
    # All kinds of handles have one such function, and one row.
    retained = {f"{m}_retain" for m in re.findall(r"^CUSHIM__HANDLE\((\w+),", headers, re.M)}
    retained.discard("cushim_slice_retain")
    rows = dict(re.findall(r"^\| (.*?) \| (.*) \|$", page, re.M))
    named = set(re.findall(r"`(\w+)", " ".join(rows)))
    failures = sorted(macros - exported - structures - enumerations - ASIDE - retained - named)
    public = "".join(p.read_text() for p in sorted(Path(root, "include/cushim").glob("*.h"))
                     if p.name != "mock.h")
    unlisted = [row for row in rows_of_enumerations(public) if row not in page]
    for row in unlisted:
        print(f"docs/bindings.md has no row\n{row}")
    for macro in failures:
        print(f"{macro} has no row in docs/bindings.md")
    functions = {f for row in rows.values() for f in re.findall(r"`(cushim_\w+)`", row)}
    missing = sorted(f for f in functions - exported if f"{f}(" not in headers)
    for function in missing:
        print(f"docs/bindings.md names {function}, which is no function")
    return len(failures) + len(missing) + len(unlisted)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
