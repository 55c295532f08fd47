#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Lists the functions of a list that a CUDA header declares, by the names that they have after
the preprocessor: DECLARED(X). What the list does not have is update_symbols.py's business.

declared.py OUT HEADER LIST COMPILER...
"""

import re
import subprocess
import sys
from pathlib import Path

import support  # noqa: F401, for the path to symbols
import symbols


def main():
    out, header, path, *compiler = sys.argv[1:]
    source = f"#include <{header}>\n"
    done = subprocess.run([*compiler, "-E", "-P", "-xc", "-"], input=source, text=True, capture_output=True)
    if done.returncode:
        sys.exit(f"declared: {' '.join(compiler)}\n{done.stderr}")
    known = {r.symbol for r in symbols.read(path)}
    # A return type and a name: a declaration, and not a call or a typedef.
    found = re.findall(r"(?:CUresult|nvrtcResult|nvJitLinkResult|const\s+char\s*\*)\s*((?:cu|nvrtc|nvJitLink)[A-Z]\w*)\s*\(", done.stdout)
    names = [n for n in dict.fromkeys(found) if n in known]
    if not names:
        sys.exit(f"declared: no functions found in {header}")
    lines = " \\\n".join(f"    X({n})" for n in names)
    Path(out).write_text(f"/* Generated from {header}. Do not edit. */\n#define DECLARED(X) \\\n{lines}\n")


if __name__ == "__main__":
    main()
