# SPDX-License-Identifier: MIT
"""Runs tests and tells each result as it comes, so that it is known even if the process dies.

counted.py MODULE           a module or a file of unittest
counted.py --pytest FILE    a file of pytest
    prints "tests N", and then "passed NAME", "failed NAME: WHY" or "skipped NAME: WHY" for each
"""
import contextlib
import importlib.util
import os
import sys
import unittest
import warnings


def tell(out, word, name, why=""):
    line = f"{word} {name}" + (f": {why}" if why else "")
    print(" ".join(line.split()), file=out, flush=True)


class Told(unittest.TestResult):
    """A result that prints. The parts of a test are counted as one: it fails if one of them does."""

    def __init__(self, out):
        super().__init__()
        self.out = out
        self.part_failed = False

    def tell(self, word, test, why=""):
        tell(self.out, word, test.id(), why)

    def startTest(self, test):
        super().startTest(test)
        self.part_failed = False

    def addSuccess(self, test):
        if not self.part_failed:
            self.tell("passed", test)

    def addSkip(self, test, reason):
        self.tell("skipped", test, reason)

    def addExpectedFailure(self, test, err):
        self.tell("passed", test)

    def addUnexpectedSuccess(self, test):
        self.tell("failed", test, "it was expected to fail")

    def addFailure(self, test, err):
        if err[0].__name__ == "Skipped":  # as pytest says it
            self.addSkip(test, str(err[1]))
            return
        self.tell("failed", test, f"{err[0].__name__}: {str(err[1])[:300]}")

    addError = addFailure

    def addSubTest(self, test, subtest, err):
        if err and not self.part_failed:
            self.part_failed = True
            self.addFailure(test, err)


def load(name):
    if not name.endswith(".py"):
        return unittest.defaultTestLoader.loadTestsFromName(name)
    title = os.path.basename(name)[:-3]
    spec = importlib.util.spec_from_file_location(title, name)
    module = sys.modules[title] = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return unittest.defaultTestLoader.loadTestsFromModule(module)


class Plugin:
    """Tells what pytest found. A test fails if its beginning or its end does, too."""

    def __init__(self, out):
        self.out = out

    def pytest_collectreport(self, report):
        if report.failed:
            tell(self.out, "failed", report.nodeid.rpartition("/")[2], str(report.longrepr)[-300:])

    def pytest_collection_finish(self, session):
        print(f"tests {len(session.items)}", file=self.out, flush=True)

    def pytest_runtest_logreport(self, report):
        name = report.nodeid.rpartition("/")[2]
        if report.when == "call" and report.passed:
            tell(self.out, "passed", name)
        elif report.skipped and report.when != "teardown":
            tell(self.out, "passed" if hasattr(report, "wasxfail") else "skipped", name, str(report.longrepr)[-200:])
        elif report.failed:
            tell(self.out, "failed", name, str(report.longrepr)[-300:])


def main():
    # What the tests print goes elsewhere.
    out = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)
    warnings.simplefilter("ignore")
    if sys.argv[1] == "--pytest":
        import pytest
        pytest.main(["-q", "-p", "no:cacheprovider", *sys.argv[2:]], plugins=[Plugin(out)])
        return
    with contextlib.redirect_stdout(sys.stderr):
        suite = unittest.TestSuite(load(name) for name in sys.argv[1:])
        print(f"tests {suite.countTestCases()}", file=out, flush=True)
        suite.run(Told(out))


if __name__ == "__main__":
    main()
