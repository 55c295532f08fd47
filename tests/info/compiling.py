# SPDX-License-Identifier: MIT
"""What `cushim info` tells of compiling: NVRTC, nvJitLink, and the cache. test_info.py runs these."""

import os
import re
import unittest

from support import NOT_USABLE, Case


class Tools(Case):
    """The compiler and the linker: (key, option, variable, label)."""

    TOOLS = (("nvrtc", "--nvrtc", "CUSHIM_LIBNVRTC", "nvrtc    "),
             ("nvjitlink", "--nvjitlink", "CUSHIM_LIBNVJITLINK", "jitlink  "))

    def each(self):
        for key, option, variable, label in self.TOOLS:
            with self.subTest(library=key):
                yield key, option, variable, label

    def test_disabled(self):
        for key, option, _, _ in self.each():
            output = self.json(NOT_USABLE, option, "none", CUSHIM_LIBCUDA="none")[key]
            self.assertEqual(output["status_name"], f"CUSHIM_ERROR_NO_{key.upper()}")
            self.assertEqual(output["setting"]["option"], "none")
            self.assertEqual(output["functions_missing"], [])

    def test_disabled_by_the_environment(self):
        for key, _, variable, label in self.each():
            settings = {"CUSHIM_LIBCUDA": "none", variable: "none"}
            setting = self.json(NOT_USABLE, **settings)[key]["setting"]
            self.assertEqual((setting["variable"], setting["variable_value"]), (variable, "none"))
            self.assertRegex(self.info(NOT_USABLE, **settings), f"(?m)^{label}none")

    def test_an_installed_one(self):
        for key, _, variable, label in self.each():
            settings = {"CUSHIM_LIBCUDA": "none", variable: os.environ.get(variable, "")}
            output = self.json(NOT_USABLE, **settings)[key]
            if output["path"] is None:
                self.skipTest(f"no {key} is installed here")
            self.assertEqual(output["status"], 0)
            self.assertGreater(output["functions_found"], 10)
            self.assertEqual(output["functions_found"] + len(output["functions_missing"]),
                             output["functions_known"])
            self.assertRegex(self.info(NOT_USABLE, **settings),
                             rf"(?m)^{label}{output['cuda_version']}   {re.escape(output['path'])}")

    def test_missing_functions_of_an_installed_one(self):
        text = self.info(NOT_USABLE, "--missing", CUSHIM_LIBCUDA="none")
        for key, _, _, label in self.each():
            found = not re.search(f"(?m)^{label}none", text)
            self.assertEqual(f"\nmissing  {key}: " in text, found)


class Cache(Case):
    def cache(self, **variables):
        return self.json(NOT_USABLE, CUSHIM_LIBCUDA="none", **variables)["cache"]

    def line(self, **variables):
        lines = self.info(NOT_USABLE, CUSHIM_LIBCUDA="none", **variables).splitlines()
        number = next(i for i, line in enumerate(lines) if line.startswith("cache    "))
        return lines[number], lines[number + 1]

    def keep(self, *sizes):
        """Files with the names that images have, and one that is none."""
        folder = self.folder / "cache"
        folder.mkdir(mode=0o700)
        for i, size in enumerate(sizes):
            (folder / f"{i:064x}.cushim").write_bytes(b"x" * size)
        (folder / "other").write_bytes(b"x" * 1000)
        return str(folder)

    def test_none(self):
        output = self.cache()
        self.assertEqual((output["folder"], output["status"]), (None, 0))
        self.assertEqual((output["images"], output["limit_bytes"], output["writable"]), (None,) * 3)
        self.assertEqual(self.line()[0], "cache    none; CUSHIM_CACHE not set")
        self.assertEqual(self.cache(CUSHIM_CACHE=""), output)

    def test_a_folder(self):
        folder = self.keep(1 << 20, 1 << 19)
        output = self.cache(CUSHIM_CACHE=folder)
        self.assertEqual(output, {
            "folder": folder, "bytes_setting": None, "status": 0, "status_name": "CUSHIM_OK",
            "text": None, "images": 2, "bytes": 3 << 19, "limit_bytes": 256 << 20, "writable": True,
            "unwritable_reason": None})
        self.assertEqual(self.line(CUSHIM_CACHE=folder, CUSHIM_CACHE_BYTES="64M")[0],
                         f"cache    {folder}   2 images   1.5 of 64.0 MiB")

    def test_one_that_is_absent_is_not_made(self):
        folder = self.folder / "a" / "b"
        output = self.cache(CUSHIM_CACHE=str(folder), CUSHIM_CACHE_BYTES="1")
        self.assertEqual((output["images"], output["limit_bytes"]), (0, 1))
        self.assertFalse(folder.parent.exists())

    def test_one_that_is_refused(self):
        folder = self.keep(10)
        os.chmod(folder, 0o777)
        output = self.cache(CUSHIM_CACHE=folder)
        self.assertEqual(output["status_name"], "CUSHIM_ERROR_INVALID_ARGUMENT")
        self.assertIn("others may write to it", output["text"])
        self.assertEqual((output["images"], output["writable"]), (None, None))
        line, reason = self.line(CUSHIM_CACHE=folder)
        self.assertEqual(line, f"cache    {folder}")
        self.assertRegex(reason, "^         cannot be used: .*others may write to it")

    def test_a_limit_that_is_none(self):
        output = self.cache(CUSHIM_CACHE=self.keep(), CUSHIM_CACHE_BYTES="much")
        self.assertEqual(output["bytes_setting"], "much")
        self.assertIn("CUSHIM_CACHE_BYTES is 'much'", output["text"])

    @unittest.skipIf(os.geteuid() == 0, "root may write anywhere")
    def test_one_that_keeps_nothing(self):
        folder = self.keep(10)
        os.chmod(folder, 0o500)
        output = self.cache(CUSHIM_CACHE=folder)
        self.assertEqual((output["images"], output["writable"]), (1, False))
        self.assertIn("keeps nothing: this user may not write to it",
                      self.line(CUSHIM_CACHE=folder)[0])
        os.chmod(folder, 0o700)
