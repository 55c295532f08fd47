#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Asks the toolkit's ptxas about every form of the table of instructions: each word of each
slot, with operands as the form has them, in the version and for the target that introduced it.
Skipped, with 77, where PTXAS is empty.

test_parse_isa.py ROOT PTXAS [FORM...]
"""

import re
import subprocess
import sys
import tempfile
import unittest
from collections import defaultdict
from pathlib import Path

ROOT, PTXAS = Path(sys.argv[1]), sys.argv[2]
sys.path.insert(0, str(ROOT / "tools"))
import gen_ptx_isa as isa  # noqa: E402

# What a target needs at least, and the oldest that ptxas compiles for.
VERSION_OF = {75: 63, 80: 70, 86: 71, 87: 74, 89: 78, 90: 80, 100: 86, 103: 88, 107: 94, 120: 87}
FAMILIES = 88  # targets with an "f"
OLDEST = 75

# Of several in one instruction, the last is that of all others.
CONSTANTS = {"applypriority": "128", "discard": "128", "fence": "128", "setmaxnreg": "64",
             "st.bulk": "0", "mma.sp": "0", "mma.sp::ordered_metadata": "0",
             "wgmma.wait_group": "0", "wgmma.mma_async": "1", "wgmma.mma_async.sp": "0 1",
             "tensormap.replace": "1", "tensormap.cp_fenceproxy": "128"}

# What the driver takes from old texts, and ptxas from texts for old targets; and what is slow.
TAKEN_FROM_OLD_TEXTS = r"Advisory: |without '.sync' (is deprecated|may produce unpredictable)"

REGISTERS = {"pred": "%p", "b8": "%c", "b16": "%h", "b32": "%r", "b64": "%rd", "b128": "%q",
             "f32": "%f", "f64": "%d"}
HEAD = """.version {}.{}
.target sm_{}
.address_size 64
.global .align 16 .b8 table[64];
.shared .align 16 .b8 room[64];
.visible .entry k(.param .align 16 .b8 pk[64]) {{
.reg .pred %p<300>; .reg .b8 %c<20>; .reg .b16 %h<40>; .reg .b32 %r<300>; .reg .b64 %rd<300>;
.reg .f32 %f<140>; .reg .f64 %d<40>; .reg .f16 %x<9>; .param .align 16 .b8 slot[64];
targets: .branchtargets L;
L:
"""


class Forms:
    def __init__(self):
        types = re.findall(r'^    T\(\w+, "(\w+)", (\d+), \w+\)',
                           (ROOT / "src/mock/ptx/syntax/types.h").read_text(), re.M)
        self.bits = {name: int(bits) for name, bits in types}
        self.table = isa.Table(ROOT / "src/mock/ptx/syntax/isa.txt", [name for name, _ in types])
        self.names = {number: name for name, number in self.table.types.items()}
        self.words = {number: name for name, number in self.table.modifiers.items()}
        self.words |= {isa.WORD_TYPE + n: name for n, name in self.names.items()}
        self.words |= {isa.WORD_SPACE + n: name for n, name in enumerate(isa.SPACES)}
        self.words |= {isa.WORD_VECTOR + n: f"v{n}" for n in (2, 4, 8)}

    def text_of(self, words):
        return "".join("." + self.words[w] for w in words)

    def register(self, name, i):
        if name in ("f32", "f64", "pred"):
            return f"{REGISTERS[name]}{i}"
        return f"{REGISTERS['b%d' % max(self.bits[name], 8)]}{i}"

    def scalar(self, shape, words, i):
        types = [w for w in words if isa.WORD_TYPE < w < isa.WORD_SPACE]
        kind = shape["type"]
        if kind >= isa.TYPE_SLOT:
            kind = types[kind - isa.TYPE_SLOT] - isa.WORD_TYPE
        name = self.names[kind]
        if shape["wide"]:
            name = {"u16": "u32", "s16": "s32", "u32": "u64", "s32": "s64"}[name]
        if shape["loose"] and self.bits[name] < 16:
            name = "b16"
        return self.register(name, i)

    def constant(self, name, shapes, i, words):
        """Of an instruction's constants, that of operand i."""
        known = CONSTANTS.get(name, "16" if ".cg" in self.text_of(words) else "8").split()
        before = sum(s["kind"] == "IMMEDIATE" for s in shapes[:i])
        return known[min(before, len(known) - 1)]

    def count(self, shape, words):
        """How many elements a vector has; 254: as many as one likes."""
        columns = [int(m[1]) for m in re.finditer(r"\.m\d+n(\d+)k", self.text_of(words))]
        dims = [int(m[1]) for m in re.finditer(r"\.(\d)d\b", self.text_of(words))]
        if shape["elements"] in (251, 250):  # as .3d says, or two fewer
            return dims[0] - (251 - shape["elements"]) * 2
        part = {253: 2, 252: 4}.get(shape["elements"])
        return columns[0] // part if part else shape["elements"]

    def operand(self, name, shapes, words, number, i):
        shape = shapes[number]
        vector = [w - isa.WORD_VECTOR for w in words if w > isa.WORD_VECTOR]
        kind = shape["kind"]
        if kind == "BRACKETS":
            last = ", ".join(f"%r{j + 1}" for j in range(self.count(shape, words)))
            return f"[%rd9, {{{last}}}]"
        if kind == "TYPED":
            n = self.count(shape, words)
            n = {255: vector[0] if vector else 0, 254: 1}.get(n, n)
            if not n:
                return self.scalar(shape, words, i) + ("|%p8" if shape["both"] else "")
            return "{" + ", ".join(self.scalar(shape, words, i + j) for j in range(n)) + "}"
        space = [isa.SPACES[w - isa.WORD_SPACE] for w in words
                 if isa.WORD_SPACE < w < isa.WORD_VECTOR]
        if kind == "MEMORY":
            if space and space[0] in ("param", "param::entry"):
                return "[slot]" if name == "st" else "[pk]"
            return "[%rd9]"
        return {"IMMEDIATE": self.constant(name, shapes, number, words), "LABEL": "L",
                "TABLE": "targets", "SINK": "_", "TENSOR": "[%r9]"}.get(kind)

    def statement(self, name, form, words):
        """None if it takes more than the form says to write one."""
        hint = self.table.modifiers["L2::cache_hint"] in words
        shapes = [s for s in form[2] if not s["optional"] or (s["policy"] and hint)]
        if any(s["kind"] in ("CALL", "ANY") or (s["kind"] == "BRACKETS" and not s["elements"])
               for s in shapes):
            return None
        if isa.WORD_SPACE + isa.SPACES.index("param::func") in words:
            return None  # it needs a call around it
        operands, first = [], 1
        for number, shape in enumerate(shapes):
            operands.append(self.operand(name, shapes, words, number, first))
            first += max(2, self.count(shape, words) % 254)  # no register stands in two operands
        return f"{name}{self.text_of(words)} {', '.join(operands)};"

    def choices(self, form):
        """The words of the form: the first of each slot, then each other one of each slot."""
        first = [None if optional else chosen[0] for chosen, optional in form[1]]
        yield first
        for i, (chosen, optional) in enumerate(form[1]):
            for word in chosen if optional else chosen[1:]:
                yield [*first[:i], word, *first[i + 1:]]

    def statements(self):
        for form in self.table.forms:
            name, _, refused, _, _ = self.table.opcodes[form[0] - 1]
            for words in self.choices(form):
                text = self.statement(name, form, [w for w in words if w is not None])
                if text and not refused:
                    gates = [self.table.gates.get(w, (0, 0)) for w in words]
                    yield (max(form[3], *(g[0] for g in gates), FAMILIES if form[5] == "f" else 0),
                           max(form[4], *(g[1] for g in gates), 0), form[5], text)


class Isa(unittest.TestCase):
    maxDiff = None

    def ptxas(self, text, target):
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "forms.ptx"
            path.write_text(text)
            done = subprocess.run([PTXAS, f"-arch=sm_{target}", "-o", "/dev/null", path],
                                  capture_output=True, text=True)
        return done.returncode, done.stdout + done.stderr

    def refused(self, version, target, suffix, statements):
        """{statement: what ptxas says}"""
        head = HEAD.format(version // 10, version % 10, f"{target}{suffix}")
        if version >= 83:
            head = head.replace("L:\n", ".reg .b128 %q<20>; L:\n")
        first = head.count("\n") + 1
        status, output = self.ptxas(head + "".join(f"{s}\n" for s in statements) + "ret; }\n",
                                    f"{target}{suffix}")
        said = [(line, text) for line, text in
                re.findall(r", line (\d+); \w+ *: (.*)", output)
                if not re.search(TAKEN_FROM_OLD_TEXTS, text)]
        other = [line for line in output.splitlines()
                 if ", line " not in line and "aborted" not in line]
        found = {statements[int(line) - first]: text for line, text in said
                 if 0 <= int(line) - first < len(statements)}
        return found or ({"?": " ".join(other)} if status else {})

    def newest(self):
        """The newest version that this ptxas knows, which it says of one that nobody has."""
        said = self.ptxas(HEAD.format(99, 9, OLDEST), OLDEST)[1]
        return int("".join(re.search(r"current version is '(\d+)\.(\d+)'", said).groups()))

    def test_every_form_is_one_of_ptxas(self):
        groups, newest = defaultdict(list), self.newest()
        for version, target, suffix, text in Forms().statements():
            target = max(target, OLDEST)
            pair = "cta_group::2" in text  # a kernel uses one of the two
            if version <= newest:
                groups[max(version, VERSION_OF[target]), target, suffix, pair].append(text)
        for (version, target, suffix, pair), statements in sorted(groups.items()):
            with self.subTest(version=version, target=f"{target}{suffix}", pair=pair):
                found = self.refused(version, target, suffix, statements)
                lines = "\n".join(f"{s}  {t}" for s, t in found.items())
                self.assertEqual(lines, "")


if __name__ == "__main__":
    if not PTXAS:
        print("skipped: there is no ptxas (PATH, /usr/local/cuda/bin)")
        sys.exit(77)
    del sys.argv[1:]
    unittest.main()
