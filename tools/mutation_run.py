# SPDX-License-Identifier: MIT
"""Builds copies of the tree and runs tests on a mutant in one of them.

All copies are made of one built tree, and each is mounted over that tree's path in a name space
of its own for as long as a command runs. So absolute paths in build files are right in every
copy, nothing is configured or built twice, and whatever a mutant leaves running ends with it.
"""

import json
import os
import re
import shutil
import subprocess
import time
from dataclasses import dataclass, field
from pathlib import Path

# Which tests may see a change: suites of Meson, and names of tests that belong in spite of them.
SUITES = {
    "core": {"safe", "unit", "loader", "interpose", "fault", "examples", "info"},
    "loader": {"loader", "info", "table", "examples", "interpose", "unit"},
    "interpose": {"interpose", "fault", "table", "examples", "mock"},
    "mock": {"mock", "driver", "safe", "examples", "fault", "fuzz"},
    "ptx": {"ptx", "mock", "driver", "examples", "safe", "fuzz"},
}
NEVER = {"rules", "headers", "hardware"}
SKIPPED = 77  # the exit status of a test that cannot run here

# As Meson runs tests: what is read before it is written, or after it was freed, is no zero.
PERTURB = {"MALLOC_PERTURB_": "165"}

# Mounts the copy over the tree, then runs the command beside the first process of the name space,
# which signals would not end. Processes of two name spaces have the same numbers, and tests name
# files by them.
ENTER = """mount --bind "$0" "$1" && mount -t tmpfs tmpfs /tmp && mount -t tmpfs tmpfs /dev/shm &&
cd "$1" && ulimit -c 0 && ulimit -d 16777216 && shift && "$@" &
wait $!"""


@dataclass
class Test:
    name: str
    suites: set
    command: list
    env: dict
    folder: str
    targets: list
    limit: float
    seconds: float = 0.0
    words: set = field(default_factory=set)


@dataclass
class Result:
    verdict: str  # killed, survived, does not compile
    by: str = ""
    how: str = ""
    seconds: float = 0.0
    tests: int = 0


def copy_sources(root, tree):
    """What git has or would have, so no build folder comes along."""
    list_files = ["git", "-C", root, "ls-files", "-coz", "--exclude-standard"]
    names = subprocess.run(list_files, capture_output=True, text=True) if shutil.which("git") else None
    if not names or names.returncode:  # an unpacked archive
        shutil.copytree(root, tree, symlinks=True, ignore=shutil.ignore_patterns("build", ".git"))
        return
    for name in filter(None, names.stdout.split("\0")):
        if (root / name).exists():
            (tree / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(root / name, tree / name, follow_symlinks=False)


class Tree:
    """The tree that is built once, the copies of it, and what Meson knows of its tests."""

    def __init__(self, root, folder, options, jobs):
        self.path = folder / "tree"
        self.build = self.path / "build/work"
        self.jobs = jobs
        if folder.is_relative_to("/tmp"):
            raise SystemExit(f"{folder} cannot be in /tmp, which each copy has one of its own")
        if not (self.build / "build.ninja").exists():
            copy_sources(root, self.path)
            self._must(["meson", "setup", str(self.build), str(self.path), *options])
        self._must(["ninja", "-C", str(self.build), "-j", str(jobs)])
        self.tests = self._read_tests()

    @staticmethod
    def _must(command):
        done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        if done.returncode:
            raise SystemExit(f"{' '.join(command)} failed:\n{done.stdout[-4000:]}")

    def _introspect(self, what):
        command = ["meson", "introspect", str(self.build), "--" + what]
        return json.loads(subprocess.run(command, capture_output=True, check=True).stdout)

    def _read_tests(self):
        files = {t["id"]: t["filename"] for t in self._introspect("targets")}
        tests = []
        for t in self._introspect("tests"):
            suites = {s.split(":")[-1] for s in t["suite"]}
            if suites & NEVER:
                continue
            targets = [os.path.relpath(f, self.build) for d in t["depends"] for f in files.get(d, [])[:1]]
            tests.append(Test(t["name"], suites, t["cmd"], t["env"], t["workdir"] or str(self.build), targets,
                              t["timeout"], words=words_of(t["name"])))
        return tests

    def copies(self):
        made = []
        for i in range(self.jobs):
            path = self.path.parent / f"copy-{i}"
            if not path.exists():
                subprocess.run(["cp", "-a", "--reflink=auto", str(self.path), str(path)], check=True)
            made.append(Copy(self, path))
        return made


def words_of(name):
    words = {w.rstrip("s") for w in re.split(r"[^a-z0-9]+", name.lower()) if len(w) > 2}
    return words - {"test", "mock", "safe", "the"}


def relevant(tests, mutant, kills):
    """Tests that may see the mutant: those that saw others of its file, then what is alike by name, then quick ones."""
    wanted = SUITES[mutant.area]
    words = words_of(Path(mutant.path).stem + " " + Path(mutant.path).parent.name)

    def rank(test):
        seen = kills.get((mutant.path, test.name), 0) * 4 + kills.get((mutant.area, test.name), 0) / 8
        return (-(seen + 8 * len(words & test.words)) / (0.3 + test.seconds), test.seconds)
    return sorted((t for t in tests if t.suites & wanted), key=rank)


class Copy:
    def __init__(self, tree, path):
        self.tree, self.path = tree, path
        spaces = ["--mount", "--pid", "--fork", "--kill-child", "--mount-proc"]
        self.prefix = ["unshare", *([] if os.geteuid() == 0 else ["--user", "--map-root-user"]), *spaces,
                       "bash", "-c", ENTER, str(path), str(tree.path)]

    def run(self, command, limit, folder=None, env=None, keep=False):
        """(exit status, output); None as the status when the time was up."""
        if folder:
            command = ["env", "-C", folder, *command]
        out = subprocess.PIPE if keep else subprocess.DEVNULL
        environment = {**os.environ, **PERTURB, **(env or {})}
        with subprocess.Popen(self.prefix + command, stdin=subprocess.DEVNULL, stdout=out, stderr=subprocess.STDOUT,
                              env=environment, errors="replace" if keep else None) as process:
            try:
                output = process.communicate(timeout=limit)[0]
            except subprocess.TimeoutExpired:
                process.kill()
                process.communicate()
                return None, ""
        return process.returncode, output or ""

    def make(self, targets):
        status, output = self.run(["ninja", "-C", str(self.tree.build), "-j", "2", *targets], 300, keep=True)
        return "" if status == 0 else output or "time"

    def check(self, test, most=None):
        """How the test fails, or an empty string; how long it took; whether it cannot run here."""
        limit = most or max(15.0, 5 * test.seconds)
        start = time.monotonic()
        status, _ = self.run(test.command, min(limit, test.limit), test.folder, test.env)
        took = time.monotonic() - start
        if status in (0, SKIPPED):
            return "", took, status == SKIPPED
        return "time" if status is None else f"status {status}", took, False

    def judge(self, mutant, tests):
        """Puts the mutant in, runs tests until one fails, and takes it out again."""
        file, start, n = self.path / mutant.path, time.monotonic(), 0
        source = file.read_text()
        file.write_text(mutant.apply(source))
        try:
            for n, test in enumerate(tests, 1):
                refused = self.make(test.targets)
                if refused:
                    why = re.search(r"^\S+: (?:fatal )?error: .*|undefined reference.*|time$", refused, re.M)
                    why = why.group() if why else refused[-200:]
                    return Result("does not compile", "", why, time.monotonic() - start)
                how, _, _ = self.check(test)
                if how:
                    return Result("killed", test.name, how, time.monotonic() - start, n)
            return Result("survived", "", "", time.monotonic() - start, n)
        finally:
            file.write_text(source)
