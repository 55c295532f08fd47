#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Checks that tests/safe/arguments gives bad arguments to every public function, and bad values to
every field of the structures of parameters.

test_arguments.py ROOT
"""

import re
import sys
import unittest
from pathlib import Path

ROOT = Path(sys.argv.pop(1) if len(sys.argv) > 1 else Path(__file__).parents[2])
FOLDER = ROOT / "tests/safe/arguments"
HEADERS = {p.name: p.read_text() for p in (ROOT / "include/cushim").glob("*.h")}

# Functions without a row, and why.
WITHOUT_A_ROW = {
    "cushim_mock_front": "it sets the version of the mock's driver for the whole process",
    "cushim_mock_for_each_thread": "only a kernel may call it, with the launch that it got",
    "cushim_mock_shared": "only a thread of cushim_mock_for_each_thread() may call it",
    "cushim_mock_barrier_at": "only a thread of cushim_mock_for_each_thread() may call it",
    "cushim_mock_findings_clear": "it would hide what the sweep looks for, and has no argument",
    "cushim_mock_leaks": "what is still in use would be a finding; the sweep calls it at its end",
}

# Fields without bad values, and why. Truth values have none, and need no reason.
WITHOUT_BAD_VALUES = {
    "cushim_open_params.resolver": "any function is good, and NULL is the default",
    "cushim_open_params.resolver_user": "only the resolver looks at it",
    "cushim_block_size_params.shared_of_block": "any function is good, and NULL is the default",
    "cushim_embedded_kernel.elements": "an array as long as .parameters, which is there",
    "cushim_embedded_kernel.cache": "memory of the program, and NULL is allowed",
    "cushim_module_params.options": "the driver reads the array; .n_options is there",
    "cushim_launch_options.sync_domain_map": "all numbers go to the driver",
    "cushim_launch_options.ret_device_node": "an output of launches that are recorded",
    "cushim_launch_options.attributes": "the driver reads the array; .n_attributes is there",
    "cushim_external_memory_params.handle": "the driver takes it for a pointer",
    "cushim_external_memory_params.name": "the driver takes it for a pointer",
    "cushim_external_semaphore_params.handle": "the driver takes it for a pointer",
    "cushim_external_semaphore_params.name": "the driver takes it for a pointer",
}


def public_functions():
    code = re.sub(r"/\*.*?\*/", "", HEADERS["mock.h"], flags=re.S)
    control = re.findall(r"CUSHIM_API[^;(]*?\b(cushim_mock_\w+)\(", code)
    return set((ROOT / "tests/rules/cushim.exports").read_text().split()) | set(control)


def rows():
    text = "".join(p.read_text() for p in FOLDER.glob("rows_*.c"))
    return re.findall(r"\bX0?\((cushim_\w+), [A-Z]+\b", text)


def structures():
    """{structure: its fields} of all structures that begin with their size; truth values are left out."""
    found = {}
    for text in HEADERS.values():
        text = re.sub(r"/\*(?! sizeof the structure).*?\*/", "", text, flags=re.S)
        for name, body in re.findall(r"struct (cushim_\w+) \{\s*size_t size; /\* sizeof(.*?)\n\};", text, re.S):
            fields = [f.strip() for f in body.split("*/", 1)[1].split(";") if f.strip()]
            found[name] = [n for f in fields if not f.startswith("bool ") for n in names(f)]
    return found


def names(declaration):
    """The names that a declaration of fields declares."""
    function = re.search(r"\(\*(\w+)\)", declaration)
    if function:
        return [function[1]]
    return [re.findall(r"\w+", part.split("[")[0])[-1] for part in declaration.split(",")]


def fields_with_bad_values():
    """{"structure.field"} of fields.c, where STRUCT() names the structure of the fields that follow."""
    text = (FOLDER / "fields.c").read_text()
    macros = dict(re.findall(r"#define (\w+)\(member, kind\)\s+FIELD\((\w+), member, kind\)", text))
    macros["FIELD"] = None
    found = set()
    for macro, first, second in re.findall(r"\b([A-Z_]+)\((\w+)(?:\[\d\])?,\s*(\w+)", text):
        if macro in macros:
            found.add(f"{macros[macro] or first}.{first if macros[macro] else second}")
    return found


class Arguments(unittest.TestCase):
    def test_every_function_has_a_row(self):
        self.assertGreater(len(public_functions()), 200)
        without = public_functions() - set(rows())
        self.assertEqual(without, set(WITHOUT_A_ROW), "a row is missing in tests/safe/arguments/rows_*.c")

    def test_every_row_is_of_a_function_and_stands_once(self):
        self.assertEqual(set(rows()) - public_functions(), set())
        self.assertEqual(len(rows()), len(set(rows())))

    def test_every_field_has_bad_values(self):
        fields = {f"{s}.{f}" for s, all_of_it in structures().items() for f in all_of_it}
        self.assertGreater(len(fields), 80)
        without = fields - fields_with_bad_values()
        self.assertEqual(without, set(WITHOUT_BAD_VALUES), "a field is missing in tests/safe/arguments/fields.c")


if __name__ == "__main__":
    unittest.main()
