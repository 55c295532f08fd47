#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Generates the mock's tables of devices from src/mock/config/devices.txt.

    gen_devices.py FILE OUT

devices.txt says at its head what its lines mean. A figure that is missing, is given twice or has no
source is an error, and so is a line that is not understood.
"""
import sys

HEAD = "/* SPDX-License-Identifier: MIT */\n/* Generated from devices.txt. Do not edit. */\n"
LINKS = {"none": "MOCK__NO_LINK", "pcie": "MOCK__PCIE", "nvlink": "MOCK__NVLINK"}


class Wrong(Exception):
    pass


def once(table, key, value):
    if key in table:
        raise Wrong(f"'{key}' is given twice")
    table[key] = value


class Devices:
    """What the file says: attributes by number, and devices in order."""

    def __init__(self, path):
        self.sources, self.attributes, self.capabilities, self.devices = {}, {}, {}, {}
        self.until, self.columns, self.section = {}, [], None
        with open(path) as file:
            lines = file.read().splitlines()
        for number, line in enumerate(lines, 1):
            try:
                if line and not line.startswith("#"):
                    self.read(line)
            except (Wrong, ValueError) as error:
                raise SystemExit(f"{path}:{number}: {error}")
        try:
            self.check()
        except Wrong as error:
            raise SystemExit(f"{path}: {error}")

    def read(self, line):
        words = line.split()
        if line.startswith(" "):
            if not self.section:
                raise Wrong("this belongs to no section")
            self.section(words, line.strip())
        elif words[0] == "source":
            word, text = line.split(" ", 1)[1].split(": ", 1)
            once(self.sources, word, text)
        elif words == ["attributes"]:
            self.section = self.attribute
        elif words[0] == "capabilities":
            self.columns, self.section = words[1:], self.capability
            for column in self.columns:
                once(self.capabilities, column, {})
        elif words[0] == "until":
            once(self.until, words[1], int(words[2]))
            self.source(words[3])
        elif words[0] == "device" and len(words) == 2:
            once(self.devices, words[1], {"figures": {}})
            self.section = self.device
        else:
            raise Wrong(f"'{line}' is not understood")

    def source(self, word):
        if word not in self.sources:
            raise Wrong(f"there is no source '{word}'")
        return word

    def value(self, *words):
        if len(words) != 2:
            raise Wrong("a figure and its source were expected")
        self.source(words[1])
        return int(words[0], 0)

    def attribute(self, words, _):
        since = 0
        if words[2] == "since":
            since = int(words[3])
            del words[2:4]
        value = None if words[2:] == ["-"] else self.value(*words[2:])
        once(self.attributes, int(words[0]), (words[1], since, value))

    def capability(self, words, _):
        if len(words) != len(self.columns) + 2:
            raise Wrong(f"{len(self.columns)} figures and a source were expected")
        for column, text in zip(self.columns, words[1:-1]):
            once(self.capabilities[column], words[0], self.value(text, words[-1]))

    def device(self, words, line):
        device = self.devices[list(self.devices)[-1]]
        if words[0] in ("name", "capability", "link"):
            once(device, words[0], line.split(" ", 1)[1])
        elif words[0] in ("memory", "context"):
            once(device, words[0], self.value(*words[1:]))
        elif words[0] == "seen":
            device["seen"] = True
        else:
            if words[-1] == "output" and "seen" not in device:
                raise Wrong(f"where '{words[0]}' was seen is not said")
            once(device["figures"], words[0], self.value(*words[1:]))

    def check(self):
        names = {name for name, _, _ in self.attributes.values()}
        if sorted(self.attributes) != list(range(1, len(self.attributes) + 1)):
            raise Wrong("the attributes are not numbered from 1 on")
        for table in [d["figures"] for d in self.devices.values()] + list(self.capabilities.values()):
            for name in table:
                if name not in names:
                    raise Wrong(f"there is no attribute '{name}'")
        for key, device in self.devices.items():
            for word in ("name", "capability", "link", "memory", "context"):
                if word not in device:
                    raise Wrong(f"{key} has no {word}")

    def figure(self, key, name, value):
        device = self.devices[key]
        capability = self.capabilities[device["capability"]]
        if name.startswith("compute_capability_"):
            return int(device["capability"].split(".")[name.endswith("minor")])
        for table in (device["figures"], capability):
            if name in table:
                return table[name]
        if value is None:
            raise SystemExit(f"devices.txt: {key} has no {name}")
        return value


def models(devices):
    text = "const struct mock__model mock__models[] = {\n"
    for key, device in devices.devices.items():
        until = devices.until.get(device["capability"], "INT_MAX")
        figures = ", ".join(str(devices.figure(key, name, value))
                            for _, (name, _, value) in sorted(devices.attributes.items()))
        text += (f'    {{"{key}", "{device["name"]}", {device["memory"]}, {device["context"]}, '
                 f'{LINKS[device["link"]]}, {until},\n     {{0, {figures}}}}},\n')
    return text + f"}};\nconst int mock__n_models = {len(devices.devices)};\n\n"


def attributes(devices):
    rows = "".join(f'    [{number}] = {{"{name}", {since}}},\n'
                   for number, (name, since, _) in sorted(devices.attributes.items()))
    return ("const struct mock__attribute_row mock__attribute_rows[MOCK__N_ATTRIBUTES] = {\n"
            + rows + "};\n")


def table(devices):
    words = ", ".join(devices.devices) + " and ci"
    return (HEAD + '#include "mock/config/profile_tables.h"\n\n#include <limits.h>\n\n'
            f'const char mock__all_kinds[] = "{words}";\n\n'
            + models(devices) + attributes(devices))


def main():
    path, out = sys.argv[1:]
    text = table(Devices(path))
    with open(out, "w") as file:
        file.write(text)


if __name__ == "__main__":
    main()
