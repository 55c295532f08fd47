# SPDX-License-Identifier: MIT
"""What the tests of the lists and of their generators share."""

import io
import runpy
import subprocess
import sys
import tempfile
import traceback
import unittest
from contextlib import redirect_stderr, redirect_stdout
from pathlib import Path
from unittest import mock

ROOT = Path(__file__).resolve().parent.parent.parent
TOOLS = ROOT / "tools"
LISTS = ROOT / "src/loader"
CUDA, NVRTC, NVJITLINK = (LISTS / f"{name}.symbols" for name in ("cuda", "nvrtc", "nvjitlink"))

sys.path.insert(0, str(TOOLS))
sys.dont_write_bytecode = True


def spawn_tool(name, *arguments):
    """Runs tools/NAME, which needs no more than the standard library; gives its status and texts."""
    command = [sys.executable, "-S", str(TOOLS / name), *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True)


def call_tool(main, *arguments):
    """A tool's function as its process would run it."""
    command = ["tool", *map(str, arguments)]
    out, errors = io.StringIO(), io.StringIO()
    with mock.patch.object(sys, "argv", command), redirect_stdout(out), redirect_stderr(errors):
        try:
            status = main() or 0
        except SystemExit as end:
            status = end.code or 0
        except Exception:
            traceback.print_exc()
            status = 1
        if isinstance(status, str):
            print(status, file=sys.stderr)
            status = 1
    return subprocess.CompletedProcess(command, status, out.getvalue(), errors.getvalue())


def run_tool(name, *arguments):
    """The same as spawn_tool() in this process: most tools take less time than to start one."""
    def main():
        runpy.run_path(str(TOOLS / name), run_name="__main__")
    return call_tool(main, *arguments)


class InFolder(unittest.TestCase):
    """A test with a folder of its own."""

    maxDiff = None

    def setUp(self):
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.folder = Path(scratch.name)

    def write(self, name, text):
        path = self.folder / name
        path.write_text(text)
        return path
