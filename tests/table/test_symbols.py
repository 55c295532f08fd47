#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The lists as they are checked in, and symbols.py, which reads them."""

import hashlib
import unittest

from support import CUDA, NVJITLINK, NVRTC, InFolder

import symbols

# The names of the rows that were ever released, in order. A row that was inserted, moved or
# taken out changes the sum, and breaks every program that was compiled before. Appending
# does not. With a release that appended rows, another pair may be added here.
RELEASED = {
    CUDA: [
        (634, "f38f8139634acc7c2f9d345a738def0fd86e65440233663ce3fc14a2b3320779"),
        (672, "c85f03769fa0fe44f7e30620574cb5b3bf317b09de1914fad5a1887b7b721f72"),
        (723, "ac90b9c1afdb0e6c8d6b8a44cabd247744815464b96b0ec3f3b58cd72d4af189"),
    ],
    NVRTC: [
        (24, "eb400bfed99f306b09f4ecddd148ff8a394abc7edba35517e56599b49f4bbc85"),
        (26, "548a75ae170b6a2b3f033781bce60c87cad3377f634da3a3829155256202ad9c"),
        (31, "9d96b843121426fbeeca9194bbac5a5a9676b74305ee9ce24c1281a694ed4eb2"),
    ],
    NVJITLINK: [
        (14, "63f0a64dccd35d769b68f3c0c978db5e9f14947e3887372d74fb624d4da04e54"),
        (16, "e5ace30a45e496319dfa2bb4bfb36b40b6adf694ea28c57db3838f0f264a22d0"),
    ],
}


class Lists(unittest.TestCase):
    def test_no_row_was_moved(self):
        for path, released in RELEASED.items():
            names = [r.symbol for r in symbols.read(path)]
            for count, wanted in released:
                with self.subTest(list=path.name, rows=count):
                    self.assertGreaterEqual(len(names), count)
                    got = hashlib.sha256("\n".join(names[:count]).encode()).hexdigest()
                    self.assertEqual(got, wanted, "rows may only be appended")

    def test_every_row_is_numbered_by_its_place(self):
        for path in RELEASED:
            rows = symbols.read(path)
            self.assertEqual([r.index for r in rows], list(range(len(rows))))

    def test_names_and_flags_agree(self):
        for row in symbols.read(CUDA):
            base, _, variant = symbols.split_name(row.symbol)
            self.assertEqual((base, variant), (row.base, row.variant), row.symbol)
        for path in (NVRTC, NVJITLINK):
            for row in symbols.read(path):
                self.assertEqual(row.symbol, row.base)

    def test_one_row_for_a_base_version_and_variant(self):
        seen = {}
        for row in symbols.read(CUDA):
            key = (row.base, row.since, row.variant)
            self.assertNotIn(key, seen, f"{row.symbol} and {seen.get(key)} are asked for alike")
            seen[key] = row.symbol

    def test_versions_are_possible(self):
        for path in RELEASED:
            for row in symbols.read(path):
                numbers = (row.since, *(v for k, v in row.flags.items() if k in symbols.NUMBER_FLAGS))
                for number in numbers:
                    self.assertTrue(2000 <= number < 20000 and number % 10 == 0, row.symbol)
                self.assertLessEqual(row.since, row.header, row.symbol)
                self.assertLess(row.since, row.flags.get("until", 1 << 30), row.symbol)

    def test_counts_by_version(self):
        """What drivers of these versions have of cuda.h, as measured from their headers."""
        rows = [r for r in symbols.read(CUDA) if not any(h in r.flags for h in symbols.HEADERS)]
        for version, wanted in {11000: 413, 11040: 484, 12000: 535, 12080: 611, 13000: 634, 13010: 650,
                                13020: 661, 13030: 675, 13040: 682, 13050: 685}.items():
            self.assertEqual(sum(r.since <= version for r in rows), wanted, f"CUDA {version}")

    def test_formatting_a_row_gives_its_line(self):
        for path in RELEASED:
            lines = [x for x in path.read_text().splitlines() if x and not x.startswith("#")]
            self.assertEqual([r.format() for r in symbols.read(path)], lines)


class Reading(InFolder):
    GOOD = "cuInit cuInit 2000 i\n"

    def refused(self, line, text):
        path = self.write("bad.symbols", f"# a comment\n\n{self.GOOD}{line}\n")
        with self.assertRaises(symbols.ListError) as caught:
            symbols.read(path)
        self.assertEqual(str(caught.exception), f"{path}:4: {text}")

    def test_errors_name_file_and_line(self):
        self.refused("cuFoo cuFoo 2000", "expected 'symbol base since signature [flag...]'")
        self.refused("cuFoo", "expected 'symbol base since signature [flag...]'")
        self.refused("cuFoo cuFoo new i", "'new' is not a CUDA version such as 11060")
        self.refused("cuFoo cuFoo -1 i", "'-1' is not a CUDA version such as 11060")
        self.refused("cuFoo cuFoo 2000 ix", "'ix' has a letter that is none of plihbfmH")
        self.refused("cuFoo cuFoo 2000 i soon", "unknown flag 'soon'")
        self.refused("cuFoo cuFoo 2000 i until", "unknown flag 'until'")
        self.refused("cuFoo cuFoo 2000 i until=x", "unknown flag 'until=x'")
        self.refused("cuFoo cuFoo 2000 i ptds=1", "unknown flag 'ptds=1'")
        self.refused("cuFoo cuFoo 2000 i same=", "unknown flag 'same='")
        self.refused("cuInit cuInit 2000 i", "cuInit stands in line 3 already")

    def test_what_is_the_same_has_to_be_another_version_with_such_arguments(self):
        for line in ("cuInit_v2 cuInit 3000 i same=cuStart", "cuStart cuStart 3000 i same=cuInit",
                     "cuInit_v2 cuInit 3000 l same=cuInit", "cuInit_v2 cuInit 3000 ii same=cuInit"):
            path = self.write("bad.symbols", f"{self.GOOD}{line}\n")
            with self.assertRaisesRegex(symbols.ListError, "bad.symbols: .* cannot be the same as"):
                symbols.read(path)

    def test_twins(self):
        text = (self.GOOD + "cuInit_v2 cuInit 3000 l\ncuInit_v2_ptsz cuInit 7000 l ptsz\n"
                "cuFoo cuFoo 2000 ib same=cuFoo_v2\ncuFoo_v2 cuFoo 3000 lb\n")
        rows = symbols.read(self.write("good.symbols", text))
        self.assertEqual([r.twin_of for r in rows], ["", "", "cuInit_v2", "cuFoo_v2", ""])

    def test_rows(self):
        text = self.GOOD + "cuFoo_v2_ptsz cuFoo 11060 - ptsz header=12000 # why\nnvrtcX nvrtcX 7000 i string\n"
        first, second, third = symbols.read(self.write("good.symbols", text))
        self.assertEqual((first.index, first.symbol, first.since, first.arguments), (0, "cuInit", 2000, "i"))
        self.assertEqual((second.index, second.base, second.arguments), (1, "cuFoo", ""))
        self.assertEqual((second.variant, second.header, second.returns_string), ("ptsz", 12000, False))
        self.assertTrue(third.returns_string)

    def test_names(self):
        for name, wanted in {
            "cuInit": ("cuInit", 1, ""),
            "cuMemAlloc_v2": ("cuMemAlloc", 2, ""),
            "cuMemcpyHtoD_v2_ptds": ("cuMemcpyHtoD", 2, "ptds"),
            "cuLaunchKernel_ptsz": ("cuLaunchKernel", 1, "ptsz"),
        }.items():
            self.assertEqual(symbols.split_name(name), wanted)
        self.assertEqual(symbols.version_text(11060), "11.6")
        self.assertEqual(symbols.version_text(13000), "13.0")

    def test_c_text(self):
        row = symbols.parse_row("cuFoo cuFoo 2000 plihbfmH", 0, "here")
        self.assertEqual(symbols.shape(row), "i_plihbfmH")
        self.assertEqual(
            symbols.parameters(row),
            "void *a0, uint64_t a1, uint32_t a2, uint16_t a3, uint8_t a4, float a5, "
            "struct cushim__arg8 a6, struct cushim__arg64 a7",
        )
        none = symbols.parse_row("nvrtcX nvrtcX 2000 - string", 0, "here")
        self.assertEqual((symbols.parameters(none), symbols.arguments(none)), ("void", ""))
        self.assertEqual((symbols.shape(none), symbols.returns(none)), ("s_", "const char *"))


if __name__ == "__main__":
    unittest.main()
