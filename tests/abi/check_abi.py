# SPDX-License-Identifier: MIT
"""Compares the binary interface of a library with the one that programs were built for.

    check_abi.py LIBRARY BASELINE HEADERS           what programs rely on is still there
    check_abi.py --write LIBRARY BASELINE HEADERS   the library's interface becomes the baseline

A baseline is written with a release, and when a new function or field is to be kept from now on.
Functions may be added, and fields at the end of structures that carry their size (grows.suppr).
Everything else that abidiff finds fails the test. The test also changes copies of the baseline, to
see that abidiff notices.
"""
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).parent
SKIP = 77


def describe(library, headers, output):
    subprocess.run(["abidw", "--exported-interfaces-only", "--headers-dir", headers,
                    "--drop-private-types", "--no-show-locs", "--no-corpus-path",
                    "--no-comp-dir-path", "--no-elf-needed", "--no-architecture",
                    "--no-write-default-sizes", "--suppressions", HERE / "only.suppr",
                    "--out-file", output, library], check=True)


def differences(before, after):
    """What abidiff says against going from one interface to the other, or "" if nothing."""
    done = subprocess.run(["abidiff", "--no-added-syms", "--suppressions", HERE / "grows.suppr",
                           before, after], capture_output=True, text=True, check=False)
    return "" if done.returncode == 0 else done.stdout + done.stderr


def change(text, what):
    """A baseline in which something is different from the library."""
    if what == "a function that the library does not have":
        return text.replace("name='cushim_stream_new' version", "name='cushim_stream_old' version")
    if what == "a field elsewhere":
        struct = re.search(r"<class-decl name='cushim_argument'.*?</class-decl>", text, re.S)
        moved = struct.group().replace("layout-offset-in-bits='128'", "layout-offset-in-bits='96'")
        return text.replace(struct.group(), moved)
    if what == "another size of a structure that goes by value":
        return re.sub(r"(<class-decl name='cushim_view' size-in-bits=)'\d+'", r"\1'256'", text)
    assert what == "a structure that was smaller"
    struct = re.search(r"<class-decl name='cushim_stream_params'.*?</class-decl>", text, re.S)
    smaller = re.sub(r"( *<data-member (?:(?!<data-member).)*</data-member>\s*)(?=</class-decl>)",
                     "", struct.group(), flags=re.S)
    smaller = smaller.replace("size-in-bits='256'", "size-in-bits='192'", 1)
    assert smaller != struct.group()
    return text.replace(struct.group(), smaller)


def notices(baseline, library):
    """Checks the check: three changes that break programs, and one that does not."""
    text = Path(baseline).read_text()
    failures = 0
    with tempfile.TemporaryDirectory() as folder:
        for what, breaks in (("a function that the library does not have", True),
                             ("a field elsewhere", True),
                             ("another size of a structure that goes by value", True),
                             ("a structure that was smaller", False)):
            changed = change(text, what)
            if changed == text:
                print(f"the baseline has no place for: {what}")
                failures += 1
                continue
            path = Path(folder, "changed.abi")
            path.write_text(changed)
            said = differences(path, library)
            if bool(said) != breaks:
                print(f"{what}: abidiff {'says nothing' if breaks else said}")
                failures += 1
    return failures


def main(arguments):
    write = arguments[:1] == ["--write"]
    library, baseline, headers = arguments[write:]
    if not shutil.which("abidiff"):
        print("abidiff is not installed (abigail-tools)")
        return SKIP
    if write:
        describe(library, headers, baseline)
        return 0
    with tempfile.TemporaryDirectory() as folder:
        now = Path(folder, "now.abi")
        describe(library, headers, now)
        said = differences(baseline, now)
        print(said)
        # One baseline is enough to see that abidiff notices.
        return int(bool(said)) + (0 if "mock" in baseline else notices(baseline, now))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
