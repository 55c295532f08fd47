#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Writes the table of PTX instructions as C.

gen_ptx_isa.py names ISA.txt TYPES.h OUT     the enums of opcodes, modifiers, special registers
gen_ptx_isa.py table ISA.txt TYPES.h OUT     the rows of "mock/ptx/syntax/isa.h"

isa.txt says at its head what its lines mean.
"""

import re
import sys

WORD_TYPE, WORD_SPACE, WORD_VECTOR = 1000, 1100, 1200
SPACES = ("", "reg", "sreg", "const", "global", "local", "param", "param::entry", "param::func",
          "shared", "shared::cta", "shared::cluster", "tex")  # as in types.h
TYPE_SLOT = 100


def identifier(text):
    # ".nan" compares, ".NaN" says what min and max do.
    if text == "NaN":
        return "PROPAGATE_NAN"
    return re.sub(r"\W+", "_", text).upper()


class Table:
    def __init__(self, path, types):
        self.types = {name: i for i, name in enumerate(types, 1)}
        self.sets, self.opcodes, self.forms, self.specials = {}, [], [], []
        self.modifiers, self.gates = {}, {}
        for number, line in enumerate(open(path), 1):
            line = line.split("#")[0].rstrip()
            if line:
                try:
                    self.read(line)
                except (KeyError, ValueError, IndexError) as error:
                    sys.exit(f"{path}:{number}: {line.strip()}: {error!r}")

    def read(self, line):
        if line[0] == "$":
            name, words = line[1:].split("=")
            self.sets[name.strip()] = self.words(words.strip())
        elif line[0] == "%":
            name, kind, version, target = line[1:].split()
            kind, _, vector = kind.partition("*")
            self.specials.append((name, self.types[kind], int(vector or 0), self.version(version),
                                  self.target(target)[0]))
        elif line[0] == "@":
            words, version, target = line[1:].split()
            for word in self.words(words):
                self.gates[word] = (self.version(version), self.target(target)[0])
        elif line[0] != " ":
            head, _, reason = line.partition(" refused: ")
            name, tier = head.split()
            self.opcodes.append([name, int(tier), reason, len(self.forms), 0])
        else:
            self.form(line)

    @staticmethod
    def version(text):
        major, minor = text.split(".")
        return 10 * int(major) + int(minor)

    @staticmethod
    def target(text):
        match = re.fullmatch(r"(\d+)([af]?)", text)
        return int(match[1]), match[2]

    def form(self, line):
        parts = [part.strip() for part in line.split("|")]
        if len(parts) != 3:
            raise ValueError("three columns are wanted")
        version, target, *early = parts[2].split()
        slots = [self.slot(word) for word in parts[0].split()]
        shapes, optional = [], False
        for text in parts[1].split():
            shape = self.shape(text)
            optional = optional or shape["optional"]
            shape["optional"] = optional
            shapes.append(shape)
        self.forms.append((len(self.opcodes), slots, shapes, self.version(version),
                           *self.target(target),
                           (self.version(early[0]), int(early[1])) if early else (0, 0)))
        self.opcodes[-1][4] += 1

    def slot(self, text):
        optional = text[0] == "?"
        return tuple(self.words(text[optional:])), optional

    def words(self, text):
        """".rn/rz" or ".$rnd/rna", as words' numbers"""
        found = []
        for name in text.removeprefix(".").split("/"):
            found += self.sets[name[1:]] if name[0] == "$" else [self.word(name)]
        return found

    def word(self, name):
        if name in self.types:
            return WORD_TYPE + self.types[name]
        if name in SPACES:
            return WORD_SPACE + SPACES.index(name)
        if name in ("v2", "v4", "v8"):
            return WORD_VECTOR + int(name[1:])
        return self.modifiers.setdefault(name, len(self.modifiers) + 1)

    def shape(self, text):
        match = re.fullmatch(r"(=?)(-?)(~?)(w?)(\^?)([\w\[\],]+?)(?:\{(\w+)\})?(_?)(&?&?)(\??)", text)
        if not match:
            raise ValueError(f"no operand: {text}")
        result, part, loose, wide, bits, base, elements, sink, pair, optional = match.groups()
        kinds = {"imm": "IMMEDIATE", "[]": "MEMORY", "[t]": "TENSOR", "[,]": "BRACKETS", "label": "LABEL",
                 "table": "TABLE", "call": "CALL", "any": "ANY", "sink": "SINK"}
        policy = base == "policy"
        base = "b64" if policy else base
        kind = 0
        if base not in kinds:
            kind = TYPE_SLOT + int(base) if base.isdigit() else self.types[base]
        count = {None: 0, "v": 255, "n": 254, "n2": 253, "n4": 252, "d": 251, "o": 250}.get(elements)
        return {"kind": kinds.get(base, "TYPED"), "type": kind,
                "elements": int(elements) if count is None else count, "wide": wide,
                "loose": loose, "result": result, "optional": optional, "sink": sink,
                "pair": pair, "both": pair == "&&", "bits": bits, "part": part,
                "policy": policy}


def names(table):
    def enum(name, prefix, end, rows):
        body = "".join(f"    PTX_{prefix}_{identifier(row)},\n" for row in rows)
        return f"enum ptx__{name} {{\n    PTX_NO_{name.upper()},\n{body}    PTX_N_{end},\n}};\n\n"

    return ("/* SPDX-License-Identifier: MIT */\n/* Generated from isa.txt. Do not edit. */\n"
            "#ifndef CUSHIM_MOCK_PTX_ISA_NAMES_H\n#define CUSHIM_MOCK_PTX_ISA_NAMES_H\n\n"
            + enum("opcode", "OP", "OPCODES", [row[0] for row in table.opcodes])
            + enum("modifier", "MOD", "MODIFIERS", table.modifiers)
            + enum("special", "SREG", "SPECIALS", [row[0] for row in table.specials]) + "#endif\n")


def flag(value):
    return "true" if value else "false"


def slots_of(table):
    """All slots, each once, and the words they choose from."""
    slots, words, places = [], [], {}
    for _, of_form, *_ in table.forms:
        for chosen, _ in of_form:
            if chosen not in places:
                places[chosen] = len(words)
                words += chosen
    for _, of_form, *_ in table.forms:
        slots += [(places[chosen], len(chosen), optional) for chosen, optional in of_form]
    return slots, words


def rows(table):
    slots, words = slots_of(table)
    text = "const struct ptx__opcode_row ptx__opcodes[PTX_N_OPCODES] = {\n    {\"\", 0, NULL, 0, 0},\n"
    for name, tier, refused, first, n in table.opcodes:
        refused = f'"{refused}"' if refused else "NULL"
        text += f"    {{\"{name}\", {tier}, {refused}, {first}, {n}}},\n"
    text += "};\n\nconst char *const ptx__modifiers[PTX_N_MODIFIERS] = {\n    \"\",\n"
    text += "".join(f"    \"{name}\",\n" for name in table.modifiers)
    text += "};\n\nconst struct ptx__special_row ptx__specials[PTX_N_SPECIALS] = {\n"
    text += "    {\"\", 0, 0, 0, 0},\n"
    text += "".join('    {"%s", %d, %d, %d, %d},\n' % row for row in table.specials)
    text += "};\n\nconst uint16_t ptx__slot_words[] = {\n"
    text += "".join(f"    {word},\n" for word in words) + "};\n\n"
    text += "const struct ptx__slot ptx__slots[] = {\n"
    text += "".join(f"    {{{a}, {n}, {flag(o)}}},\n" for a, n, o in slots) + "};\n\n"
    return text


def named(name, rows):
    """A list that is sorted by name, to be searched."""
    body = "".join(f'    {{"{text}", {number}}},\n' for text, number in sorted(rows))
    return (f"const struct ptx__named ptx__{name}_by_name[] = {{\n{body}}};\n"
            f"const size_t ptx__n_{name}_by_name = {len(rows)};\n\n")


def indices(table):
    words = [(name, number) for name, number in table.modifiers.items()]
    words += [(name, WORD_TYPE + number) for name, number in table.types.items()]
    words += [(name, WORD_SPACE + i) for i, name in enumerate(SPACES) if name]
    words += [(f"v{n}", WORD_VECTOR + n) for n in (2, 4, 8)]
    gates = "".join(f"    {{{word}, {version}, {target}}},\n"
                    for word, (version, target) in sorted(table.gates.items()))
    return (f"const struct ptx__gate ptx__gates[] = {{\n{gates}}};\n"
            f"const size_t ptx__n_gates = {len(table.gates)};\n\n"
            + named("opcodes", [(row[0], i) for i, row in enumerate(table.opcodes, 1)])
            + named("words", words)
            + named("specials", [(row[0], i) for i, row in enumerate(table.specials, 1)]))


def forms(table):
    first_slot = first_shape = 0
    shapes = "const struct ptx__shape ptx__shapes[] = {\n"
    text = "const struct ptx__form ptx__forms[] = {\n"
    for opcode, slots, of_form, version, target, suffix, early in table.forms:
        text += (f"    {{{opcode}, {first_slot}, {len(slots)}, {first_shape}, {len(of_form)}, "
                 f"{version}, {target}, {repr(suffix) if suffix else 0}, {early[0]}, {early[1]}}},\n")
        first_slot += len(slots)
        first_shape += len(of_form)
        for s in of_form:
            flags = ", ".join(flag(s[k]) for k in ("wide", "loose", "result", "optional", "sink",
                                                   "pair", "both", "bits", "part", "policy"))
            shapes += f"    {{PTX_SHAPE_{s['kind']}, {s['type']}, {s['elements']}, {flags}}},\n"
    count = "const size_t ptx__n_forms = sizeof(ptx__forms) / sizeof(*ptx__forms);\n"
    return shapes + "};\n\n" + text + "};\n\n" + count


def source(table):
    return ("/* SPDX-License-Identifier: MIT */\n/* Generated from isa.txt. Do not edit. */\n"
            "#include \"mock/ptx/syntax/isa.h\"\n\n" + rows(table) + indices(table) + forms(table))


def main():
    what, path, types, out = sys.argv[1:]
    known = re.findall(r'^    T\(\w+, "(\w+)",', open(types).read(), re.M)
    table = Table(path, known)
    with open(out, "w") as file:
        file.write(names(table) if what == "names" else source(table))


if __name__ == "__main__":
    main()
