#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""update_symbols.py against the toolkit at hand: with the lists as they are, and with lists
that were made wrong.

test_update_symbols.py [INCLUDE...]     where the headers of CUDA are; exits with 77 if nowhere
"""

import copy
import re
import shutil
import sys
import unittest
from pathlib import Path
from unittest import mock

from support import CUDA, LISTS, NVJITLINK, NVRTC, InFolder, call_tool, run_tool

import symbols
import update_symbols

INCLUDES = sys.argv[1:] or ["/usr/include"]
sys.argv = sys.argv[:1]


def once(derive):
    """What the toolkit declares is asked of the compiler once, which takes seconds."""
    rows = []

    def derived(toolkit):
        if not rows:
            rows.append(derive(toolkit))
        return copy.deepcopy(rows[0])
    return derived


CUDA_ROWS, NVRTC_ROWS = once(update_symbols.derive_cuda), once(update_symbols.derive_nvrtc)
NVJITLINK_ROWS = once(update_symbols.derive_nvjitlink)


def has(header):
    return any(Path(i, header).exists() for i in INCLUDES)


class Update(InFolder):
    def setUp(self):
        super().setUp()
        for path in (CUDA, NVRTC, NVJITLINK):
            shutil.copy(path, self.folder)

    def update(self, *options, folder=None):
        places = [f"--include={i}" for i in INCLUDES]
        places.append(f"--list={folder or self.folder}")
        with mock.patch.multiple(update_symbols, derive_cuda=CUDA_ROWS, derive_nvrtc=NVRTC_ROWS,
                                 derive_nvjitlink=NVJITLINK_ROWS):
            return call_tool(update_symbols.main, *places, *options)

    def doctor(self, *changes):
        """Replaces parts of rows of cuda.symbols: (symbol, from, to)."""
        path = self.folder / "cuda.symbols"
        lines = path.read_text().splitlines()
        for symbol, old, new in changes:
            at = next(i for i, line in enumerate(lines) if line.split()[:1] == [symbol])
            self.assertIn(old, lines[at])
            lines[at] = lines[at].replace(old, new, 1)
        path.write_text("\n".join(lines) + "\n")

    def contradictions(self, done):
        return [x for x in done.stdout.splitlines() if "contradicts" in x]

    def test_the_lists_are_right(self):
        done = self.update(folder=LISTS)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.assertEqual(self.contradictions(done), [])
        self.assertRegex(done.stdout, r"cuda: toolkit [\d.]+, \d+ rows, \d+ additions, 0 contradictions")
        self.assertRegex(done.stdout, r"nvrtc: toolkit [\d.]+, \d+ rows, \d+ additions, 0 contradictions")
        self.assertRegex(done.stdout, r"nvjitlink: toolkit [\d.]+, 16 rows, \d+ additions, 0 contradictions")

    def test_each_contradiction_is_reported(self):
        """All at once: the compiler is asked for everything in one run."""
        self.doctor(
            ("cuMemAlloc_v2", " 3020 ", " 3030 "),
            ("cuMemFree_v2", " cuMemFree ", " cuMemFrei "),
            ("cuLaunchKernel", "piiiiii", "piiiiil"),
            ("cuStreamQuery_ptsz", " ptsz", " ptds"),
            ("cuCtxGetCurrent", "cuCtxGetCurrent", "cuCtxGetCurrant"),
        )
        done = self.update()
        self.assertEqual(done.returncode, 1, done.stdout + done.stderr)
        prefix = "cuda.symbols contradicts the toolkit: "
        signature = next(r.signature for r in symbols.read(CUDA) if r.symbol == "cuLaunchKernel")
        wrong = signature.replace("piiiiii", "piiiiil", 1)
        wanted = [
            "cuMemAlloc_v2: since 3020, the list has 3030",
            "cuMemFree_v2: base name cuMemFree, the list has cuMemFrei",
            f"cuLaunchKernel: signature {signature}, the list has {wrong}",
            "cuStreamQuery_ptsz: flag ptds not set, the list differs",
            "cuStreamQuery_ptsz: flag ptsz set, the list differs",
            "cuCtxGetCurrant: of CUDA 4.0, not declared by this toolkit",
        ]
        self.assertEqual(sorted(self.contradictions(done)), sorted(prefix + w for w in wanted))
        self.assertRegex(done.stdout, rf"cuda: .* {len(wanted)} contradictions")
        # The row that was misspelt is missing under its right name. It has the flags of its base.
        self.assertRegex(done.stdout, r"(?m)^cuCtxGetCurrent +cuCtxGetCurrent +4000 +p +lost$")

    def test_a_list_that_cannot_be_read(self):
        self.doctor(("cuMemAlloc_v2", " 3020 pl", " 3020 pl soon"))
        done = run_tool("update_symbols.py", f"--include={INCLUDES[0]}", f"--list={self.folder}")
        self.assertEqual(done.returncode, 1)
        self.assertRegex(done.stderr, r"^update_symbols: \S*/cuda\.symbols:\d+: unknown flag 'soon'\n$")

    def test_additions_are_appended(self):
        cuda, nvrtc = self.folder / "cuda.symbols", self.folder / "nvrtc.symbols"
        kept = {}
        removed = []
        # A version has the flags of the others that stay: cuStreamSynchronize gives back.
        for path, symbols_removed in (
            (cuda, {"cuFuncGetAttribute", "cuMemAlloc_v2", "cuMemcpyHtoD_v2_ptds", "cuStreamSynchronize"}),
            (nvrtc, {"nvrtcVersion", "nvrtcGetErrorString"} if has("nvrtc.h") else set()),
        ):
            lines = path.read_text().splitlines(keepends=True)
            taken = [x for x in lines if x.split()[:1] and x.split()[0] in symbols_removed]
            self.assertEqual(len(taken), len(symbols_removed))
            kept[path] = "".join(x for x in lines if x not in taken)
            path.write_text(kept[path])
            removed += taken

        done = self.update()
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        for line in removed:
            words = line.split()
            if words[0].startswith("nvrtc"):
                words[2] = r"\d+"  # nvrtc.h does not say when a function came
            self.assertRegex(done.stdout, r"(?m)^" + r" +".join(words) + "$")
        self.assertEqual(cuda.read_text(), kept[cuda], "it only looks")

        self.assertEqual(self.update("--write").returncode, 0)
        for path in (cuda, nvrtc):
            self.assertTrue(path.read_text().startswith(kept[path]), f"{path}: appended to")
        again = {r.symbol for path in (cuda, nvrtc) for r in symbols.read(path)}
        self.assertLessEqual({x.split()[0] for x in removed}, again)
        done = self.update()
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.assertEqual(re.findall(r"(\d+) additions", done.stdout), ["0", "0", "0"])


class Nowhere(InFolder):
    def test_without_a_toolkit(self):
        done = run_tool("update_symbols.py", f"--include={self.folder}")
        self.assertEqual(done.returncode, 77)
        self.assertIn("no cuda.h", done.stdout)


def main():
    if not has("cudaTypedefs.h"):
        print(f"no cudaTypedefs.h in {' '.join(INCLUDES)}")
        return 77
    return 0 if unittest.main(exit=False).result.wasSuccessful() else 1


if __name__ == "__main__":
    sys.exit(main())
