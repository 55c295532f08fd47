#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Prints the folders that hold the headers of CUDA on this machine, best first; nothing if
there are none.

Looks in CUDA_PATH and CUDA_HOME, in the usual places of toolkits, in the wheels of
this Python, and in the folders given as arguments (where tools/setup puts wheels).
"""

import glob
import os
import sys
import sysconfig
from pathlib import Path


def toolkits():
    for name in ("CUDA_PATH", "CUDA_HOME"):
        if os.environ.get(name):
            yield os.environ[name]
    yield "/usr/local/cuda"
    # The newest first: "cuda-13.0" after "cuda-9.2" needs numbers, not letters.
    numbered = glob.glob("/usr/local/cuda-*")
    yield from sorted(numbered, key=lambda p: [int(n) for n in p.split("-")[-1].split(".") if n.isdigit()])[::-1]
    yield "/opt/cuda"
    yield "/usr/lib/cuda"


def wheel_folders(site):
    """cu13 holds all headers; the wheels of CUDA 11 and 12 are one folder a component."""
    yield str(Path(site, "nvidia/cu13/include"))
    yield str(Path(site, "nvidia/cuda_runtime/include"))
    yield str(Path(site, "nvidia/cuda_nvrtc/include"))


def usable(folder):
    return Path(folder, "cuda.h").exists() and Path(folder, "cudaTypedefs.h").exists()


def main():
    for home in toolkits():
        if usable(f"{home}/include"):
            return print(f"{home}/include")
    if usable("/usr/include"):
        return None
    for site in [*sys.argv[1:], sysconfig.get_paths()["purelib"]]:
        folders = [f for f in wheel_folders(site) if Path(f).is_dir()]
        if any(usable(f) for f in folders):
            return print("\n".join(folders))
    return None


if __name__ == "__main__":
    main()
