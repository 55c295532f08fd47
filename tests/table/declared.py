#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Lists the functions that a CUDA header declares, by the names that they have after the
preprocessor: DECLARED(X).

declared.py OUT HEADER PREFIX COMPILER...
"""

import re
import subprocess
import sys
from pathlib import Path


def main():
    out, header, prefix, *compiler = sys.argv[1:]
    source = f"#include <{header}>\n"
    done = subprocess.run([*compiler, "-E", "-P", "-xc", "-"], input=source, text=True, capture_output=True)
    if done.returncode:
        sys.exit(f"declared: {' '.join(compiler)}\n{done.stderr}")
    # A return type and a name at the start of a declaration; not the inline functions.
    found = re.findall(rf"(?:^|;|\}})\s*(?:extern\s+)?(?:__attribute__\s*\(\(.*?\)\)\s*)*"
                       rf"(?:CUresult|nvrtcResult|const\s+char\s*\*)\s*({prefix}[A-Z]\w*)\s*\(", done.stdout, re.M)
    names = list(dict.fromkeys(found))
    if not names:
        sys.exit(f"declared: no functions found in {header}")
    lines = " \\\n".join(f"    X({n})" for n in names)
    Path(out).write_text(f"/* Generated from {header}. Do not edit. */\n#define DECLARED(X) \\\n{lines}\n")


if __name__ == "__main__":
    main()
