# SPDX-License-Identifier: MIT
"""What the tests of `cushim info` have in common: running the command, reading its answer."""

import argparse
import json
import os
import shlex
import shutil
import subprocess
import tempfile
import unittest
from pathlib import Path

from schema import Validator

try:
    import jsonschema
except ImportError:
    jsonschema = None

HERE = Path(__file__).resolve().parent
# The command line of test_info.py, filled in before the tests run.
ARGS = argparse.Namespace()

# Of outputs that jsonschema has seen.
SHAPES = set()

USABLE, NOT_USABLE, WRONG_USAGE, NO_ANSWER = 0, 1, 2, 3
VARIABLES = ("CUSHIM_LIBCUDA", "CUSHIM_LIBNVRTC", "CUSHIM_LIBNVJITLINK", "CUSHIM_CACHE",
             "CUSHIM_CACHE_BYTES", "CUSHIM_LOG", "CUSHIM_TRACE", "CUDA_VISIBLE_DEVICES")


def environment(**variables):
    """The caller's environment without what decides over libraries. Values may be bytes."""
    result = {k: v for k, v in os.environ.items()
              if k not in VARIABLES and not k.startswith("FAKE_")}
    result.update(variables)
    return result


def cushim(*words, **variables):
    return subprocess.run([ARGS.cushim, *words], env=environment(**variables), timeout=120,
                          stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, check=False)


def read_schema():
    return json.loads((ARGS.root / "docs/cushim-info.schema.json").read_text())


def shape(value):
    """What a schema sees of a value, without its length and its texts."""
    if isinstance(value, dict):
        return tuple((key, shape(value[key])) for key in sorted(value))
    if isinstance(value, list):
        return frozenset(map(shape, value))
    return type(value)


def build_fake(folder):
    """fake_libcuda.c as a library in folder; None where there is no compiler."""
    if ARGS.fake:
        return shutil.copy(ARGS.fake, folder / "fake.so")
    compiler = shlex.split(ARGS.cc)
    if not shutil.which(compiler[0]):
        return None
    subprocess.run([*compiler, "-shared", "-fPIC", "-o", folder / "fake.so",
                    HERE / "fake_libcuda.c"], check=True)
    return folder / "fake.so"


class Case(unittest.TestCase):
    maxDiff = None

    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="cushim-info-")
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name).resolve()

    def run_cushim(self, status, *words, **variables):
        """Standard output as text. The exit status is as expected, standard error is silent."""
        done = cushim(*words, **variables)
        self.assertEqual(done.returncode, status, (done.stdout, done.stderr))
        self.assertEqual(done.stderr, b"")
        return done.stdout.decode()

    def info(self, status, *words, **variables):
        return self.run_cushim(status, "info", *words, **variables)

    def json(self, status, *words, **variables):
        """The JSON output, checked against the schema."""
        output = json.loads(self.info(status, "--json", *words, **variables))
        schema = read_schema()
        self.assertEqual(Validator(schema).errors(output), [])
        # A second opinion on our own validator, which takes its time: once for outputs of a kind.
        if jsonschema and shape(output) not in SHAPES:
            jsonschema.Draft202012Validator(schema).validate(output)
            SHAPES.add(shape(output))
        self.assertEqual(output["usable"], status == USABLE)
        self.assertEqual(output["problem"] is None, output["usable"])
        self.assertEqual(output["advice"] is None, output["usable"])
        return output
