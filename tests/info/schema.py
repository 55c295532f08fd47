# SPDX-License-Identifier: MIT
"""As much of JSON Schema (draft 2020-12) as docs/cushim-info.schema.json uses.

It is stricter in one way: a key that the schema does not describe is an error, so
that no key goes undocumented. A keyword that is not known here is an error too.
"""

import re

ANNOTATIONS = {"$schema", "$defs", "title", "description"}
TYPES = {
    "object": lambda v: isinstance(v, dict),
    "array": lambda v: isinstance(v, list),
    "string": lambda v: isinstance(v, str),
    "integer": lambda v: isinstance(v, int) and not isinstance(v, bool),
    "boolean": lambda v: isinstance(v, bool),
    "null": lambda v: v is None,
}


def same(left, right):
    """Equal in JSON, where true is not 1."""
    return type(left) is type(right) and left == right


class Validator:
    def __init__(self, schema):
        self.root = schema

    def errors(self, value):
        """A list of texts; empty if the value is as the schema says."""
        return list(self.check(value, self.root, "$"))

    def check(self, value, schema, where):
        for keyword, argument in schema.items():
            if keyword in ANNOTATIONS:
                continue
            rule = getattr(self, "check_" + keyword.strip("$").replace("enum", "words"), None)
            if rule is None:
                yield f"{where}: the schema uses '{keyword}', which this validator does not know"
            else:
                yield from rule(value, argument, schema, where)

    def check_ref(self, value, path, _, where):
        schema = self.root
        for part in path.removeprefix("#/").split("/"):
            schema = schema[part]
        yield from self.check(value, schema, where)

    def check_type(self, value, names, _, where):
        names = [names] if isinstance(names, str) else names
        if not any(TYPES[name](value) for name in names):
            yield f"{where}: {value!r} is not of type {' or '.join(names)}"

    def check_const(self, value, expected, _, where):
        if not same(value, expected):
            yield f"{where}: {value!r} is not {expected!r}"

    def check_words(self, value, words, _, where):
        if not any(same(value, word) for word in words):
            yield f"{where}: {value!r} is none of {words}"

    def check_pattern(self, value, pattern, _, where):
        if isinstance(value, str) and not re.search(pattern, value):
            yield f"{where}: {value!r} does not match {pattern}"

    def check_minimum(self, value, minimum, _, where):
        if TYPES["integer"](value) and value < minimum:
            yield f"{where}: {value} is less than {minimum}"

    def check_required(self, value, keys, _, where):
        if isinstance(value, dict):
            yield from (f"{where}: '{key}' is missing" for key in keys if key not in value)

    def check_properties(self, value, properties, _, where):
        if not isinstance(value, dict):
            return
        for key, member in value.items():
            if key in properties:
                yield from self.check(member, properties[key], f"{where}.{key}")
            else:
                yield f"{where}: '{key}' is not in the schema"

    def check_items(self, value, schema, _, where):
        if isinstance(value, list):
            for index, item in enumerate(value):
                yield from self.check(item, schema, f"{where}[{index}]")
