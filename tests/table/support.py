# SPDX-License-Identifier: MIT
"""What the tests of the lists and of their generators share."""

import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
TOOLS = ROOT / "tools"
LISTS = ROOT / "src/loader"
CUDA, NVRTC = LISTS / "cuda.symbols", LISTS / "nvrtc.symbols"

sys.path.insert(0, str(TOOLS))
sys.dont_write_bytecode = True


def run_tool(name, *arguments):
    """Runs tools/NAME and gives its exit status, output and errors."""
    command = [sys.executable, str(TOOLS / name), *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True)


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
