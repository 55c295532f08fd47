#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Checks by reading the includes that each layer uses only what lies below it.

test_layers.py ROOT
"""

import re
import sys
import unittest
from pathlib import Path

ROOT = Path(sys.argv.pop(1) if len(sys.argv) > 1 else Path(__file__).parents[2])

# Who may include whom, spelled from src/.
BELOW = {
    "base": {"base"},
    "loader": {"base", "loader"},
    "interpose": {"base", "interpose"},
    "core": {"base", "loader", "interpose", "core"},
    "api": {"base", "loader", "interpose", "core", "api"},
    "async": {"base", "loader", "interpose", "core", "async"},
    "dropin": {"base"},
    "standin": {"base", "standin", "mock/ptx"},
    "mock": {"base", "interpose", "mock"},
}

# Folders within a layer, in their order: each includes itself and those before it. The lists in
# meson.build have the same order.
ROOMS = {
    "core": ["cu", "object", "order", "memory", "code", "launch", "graph"],
    "standin": ["nvrtc", "code", "jitlink", "tool", "ptxas", "nvlink", "fatbinary", "redirect"],
    "mock": ["config", "base", "ptx", "queue", "graph", "stream", "allocation", "check", "memory",
             "module", "texture", "launch", "node", "device", "exports"],
    "mock/ptx": ["syntax", "check", "parse", "link", "container", "machine", "racecheck", "memory",
                 "warps", "texture", "tensormap", "exec", "tensor", "jit", "lower", "run"],
}

# dlopen() is the loader's business, and base/linker looks at files before it. The mock loads plug-ins
# with kernels, and its libraries of older versions load the mock; fat binaries may need libzstd, and the compiled tier LLVM; what it keeps depends on the
# file that this library is in. What is
# preloaded into programs looks at what they open.
USERS_OF_DLFCN = {"src/base/linker", "src/loader", "src/mock/module/kernels.c", "src/mock/ptx/container/zstd.c",
                  "src/mock/ptx/jit/llvm.c", "src/mock/ptx/jit/keep.c",
                  "src/mock/exports/version_front.c", "src/standin/redirect"}

# The headers of CUDA: the mock implements them, and three public headers give types to tables.
USERS_OF_CUDA = {"src/mock", "include/cushim/table.h", "include/cushim/nvrtc_table.h",
                 "include/cushim/nvjitlink_table.h"}


def sources(folder):
    return sorted(p for p in (ROOT / folder).rglob("*") if p.suffix in (".c", ".h"))


def includes(path):
    """[(quoted, name, line number)]"""
    found = []
    for number, line in enumerate(path.read_text().splitlines(), 1):
        match = re.match(r'\s*#\s*include\s*(["<])([^">]+)[">]', line)
        if match:
            found.append((match[1] == '"', match[2], number))
    return found


def implementations(stem):
    """The files of a public header X.h: X.c and X_*.c, of src/api or of src/async."""
    folders = [ROOT / "src/api", ROOT / "src/async"]
    return [p for folder in folders
            for p in [folder / f"{stem}.c", *folder.glob(f"{stem}_*.c")] if p.exists()]


def among(path, allowed):
    name = path.relative_to(ROOT).as_posix()
    return any(name == a or name.startswith(a + "/") for a in allowed)


class Layers(unittest.TestCase):
    def test_every_folder_of_src_is_a_known_layer(self):
        folders = {p.name for p in (ROOT / "src").iterdir() if p.is_dir()}
        self.assertEqual(folders - set(BELOW), set())

    def test_layers_include_only_what_lies_below(self):
        for layer, below in BELOW.items():
            for path in sources(f"src/{layer}"):
                for quoted, name, number in includes(path):
                    if quoted and "/" in name:
                        where = f"{path.relative_to(ROOT)}:{number} includes {name}"
                        self.assertTrue(any(name.startswith(b + "/") for b in below), where)

    def test_folders_within_a_layer_include_only_those_before_them(self):
        for layer, rooms in ROOMS.items():
            for path in sources(f"src/{layer}"):
                room = path.relative_to(ROOT / "src" / layer).parts[0]
                self.assertIn(room, rooms, f"{path} is in no folder of the list")
                for quoted, name, number in includes(path):
                    other = name[len(layer) + 1:].split("/") if name.startswith(layer + "/") else []
                    if quoted and len(other) > 1:
                        where = f"{path.relative_to(ROOT)}:{number} includes {name}"
                        self.assertLessEqual(rooms.index(other[0]), rooms.index(room), where)

    def test_meson_lists_the_folders_in_their_order(self):
        for layer, rooms in ROOMS.items():
            text = (ROOT / "src" / layer / "meson.build").read_text()
            first = [text.find(f"'{room}/") for room in rooms]
            found = [at for at in first if at >= 0]
            self.assertEqual(found, sorted(found), f"src/{layer}/meson.build has another order")

    def test_the_ptx_engine_includes_nothing_of_the_mock(self):
        for path in sources("src/mock/ptx"):
            for quoted, name, number in includes(path):
                where = f"{path.relative_to(ROOT)}:{number} includes {name}"
                self.assertFalse(name.startswith("mock/") and not name.startswith("mock/ptx/"), where)

    def test_a_tag_or_enumerator_is_defined_once(self):
        known = {}
        for path in sources("src") + sources("include"):
            text = re.sub(r"/\*.*?\*/", "", path.read_text(), flags=re.S)
            text = re.sub(r"^\s*#.*?[^\\]$", "", text, flags=re.M | re.S)  # no macros
            names = re.findall(r"^(?:struct|enum|union)\s+(\w+)\s*\{", text, re.M)
            for body in re.findall(r"^\s*(?:typedef )?enum\b[^;{()]*\{([^}]*)\}", text, re.M):
                names += re.findall(r"(?:^|,)\s*([A-Za-z_]\w*)(?!\w*\()", re.sub(r"=[^,]*", "", body))
            # A name of one .c file is that file's own.
            for name in set(names):
                if path.suffix == ".h":
                    known.setdefault(name, []).append(path.relative_to(ROOT).as_posix())
        twice = {name: where for name, where in known.items() if len(where) > 1}
        self.maxDiff = None
        self.assertEqual(twice, {})

    def test_internal_includes_are_spelled_from_src(self):
        generated = {"mock/functions.h", "mock/ptx/isa_names.h"}
        for path in sources("src"):
            for quoted, name, number in includes(path):
                if quoted and name not in generated:
                    where = f"{path.relative_to(ROOT)}:{number} includes {name}"
                    self.assertTrue((ROOT / "src" / name).exists(), where)

    def test_only_the_loader_uses_dlfcn(self):
        for path in sources("src"):
            names = [name for _, name, _ in includes(path)]
            if "dlfcn.h" in names:
                self.assertTrue(among(path, USERS_OF_DLFCN), f"{path} includes dlfcn.h")

    def test_cuda_headers_are_seen_by_the_mock_and_the_typed_tables_only(self):
        for path in sources("src") + sources("include") + sources("tools"):
            for _, name, number in includes(path):
                if re.fullmatch(r"(cuda\w*|nvrtc)\.h", name):
                    self.assertTrue(among(path, USERS_OF_CUDA), f"{path}:{number} includes {name}")

    def test_programs_use_the_public_headers_only(self):
        for path in sources("tools/cushim") + sources("examples"):
            for quoted, name, number in includes(path):
                where = f"{path.relative_to(ROOT)}:{number} includes {name}"
                reads_ptx = path.name.startswith("ptx") and (name.startswith("mock/ptx/") or
                                                             name == "base/file.h")
                # What reads and writes files, and the parameters of kernels in PTX.
                compiles = path.parent.name == "compile" and (name.startswith("base/") or
                                                              name == "core/code/ptx_params.h")
                self.assertFalse(quoted and "/" in name and not reads_ptx and not compiles, where)

    def test_public_headers_include_no_private_ones(self):
        for path in sources("include"):
            for quoted, name, number in includes(path):
                self.assertFalse(quoted, f"{path}:{number} includes {name} in quotes")

    def test_a_public_header_is_implemented_by_the_file_of_its_name(self):
        for header in sources("include"):
            if header.name == "mock.h":
                continue
            text = header.read_text()
            for name in re.findall(r"^CUSHIM_API [^;]*?\b(cushim_[a-z_]+)\(", text, re.M):
                sources_of = implementations(header.stem)
                self.assertTrue(sources_of, f"{header.name} has no source")
                self.assertTrue(any(re.search(rf"\b{name}\(", s.read_text()) for s in sources_of),
                                f"{name} is not in {sources_of}")


if __name__ == "__main__":
    unittest.main()
