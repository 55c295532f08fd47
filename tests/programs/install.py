# SPDX-License-Identifier: MIT
"""Where a program is installed, and how."""
import glob
import os
import re
import shutil
import subprocess
import sys
import tarfile


class Place:
    """A program's virtual environment."""

    def __init__(self, folder, name, program, mock):
        self.folder, self.program, self.mock = os.path.join(folder, name), program, mock
        title, _, self.version = program.packages[0].partition("==")
        self.title = title.partition("[")[0]
        self.python = os.path.join(self.folder, "bin", "python")

    def words(self, text):
        """Puts folders in place of the words in capitals."""
        release = f"python{sys.version_info[0]}.{sys.version_info[1]}"
        folders = {"WHEELS": os.path.join(self.folder, "lib", release, "site-packages", "nvidia"), "MOCK": self.mock,
                   "TESTS": os.path.join(self.folder, "tests"), "STUBS": os.path.join(self.folder, "stubs"),
                   "PATH": os.environ.get("PATH", ""), "PYTHONPATH": os.environ.get("PYTHONPATH", "")}
        return re.sub(r"\b(WHEELS|MOCK|TESTS|PYTHONPATH|PATH)\b|(?<=-L)STUBS\b", lambda word: folders[word[0]], text)

    def settings(self, values):
        return {key: self.words(value) for key, value in values.items()}

    def device_settings(self):
        """Those that are not for the mock, but where the tests are."""
        return {key: self.words(value) for key, value in self.program.settings.items()
                if "MOCK" not in value and "WHEELS" not in value}

    def wanted(self):
        return "\n".join(filter(None, [*self.program.before, *self.program.packages, self.program.sources]))

    def is_ready(self):
        """Whether the environment has what the list asks for."""
        try:
            with open(os.path.join(self.folder, "installed.txt"), encoding="utf-8") as file:
                return file.read() == self.wanted()
        except OSError:
            return False


def pip(place, words, log, settings=None):
    command = [place.python, "-m", "pip", "--quiet", "--disable-pip-version-check", *words]
    return not subprocess.run(command, stdout=log, stderr=log, env={**os.environ, **(settings or {})}).returncode


def make_stub(place, log):
    """What is built is linked with a libcuda without functions, as with that of a toolkit."""
    stubs = os.path.join(place.folder, "stubs")
    os.makedirs(stubs, exist_ok=True)
    command = ["gcc", "-shared", "-Wl,-soname,libcuda.so.1", "-x", "c", os.devnull, "-o", f"{stubs}/libcuda.so"]
    return not subprocess.run(command, stdout=log, stderr=log).returncode


def unpack(place, log):
    """Unpacks the tests of the source package, and puts the other files beside them."""
    sources, tests = os.path.join(place.folder, "sources"), os.path.join(place.folder, "tests")
    name = place.program.sources.partition("==")[0]
    if not pip(place, ["download", "--no-deps", "--no-binary", name, "--dest", sources, place.program.sources], log):
        return False
    with tarfile.open(glob.glob(os.path.join(sources, "*.tar.gz"))[0]) as archive:
        for member in archive.getmembers():
            _, _, path = member.name.partition("/")
            if path.startswith("test/") and ".." not in path and member.isfile():
                os.makedirs(os.path.dirname(os.path.join(tests, path)), exist_ok=True)
                with archive.extractfile(member) as file, open(os.path.join(tests, path), "wb") as out:
                    shutil.copyfileobj(file, out)
    for path, source in place.program.copies.items():
        shutil.copyfile(source, os.path.join(tests, path))
    return True


def make_links(place):
    """Makes them anew for each run: the mock may be another one than the last time."""
    for path, target in place.program.links.items():
        link = os.path.join(place.folder, "tests", place.words(path))
        os.makedirs(os.path.dirname(link), exist_ok=True)
        if os.path.lexists(link):
            os.remove(link)
        os.symlink(place.words(target), link)


def install(place, log):
    """Makes the environment, unless it is there. Returns whether all could be had."""
    if not place.is_ready() and not install_all(place, log):
        return False
    make_links(place)
    return True


def install_all(place, log):
    """Returns whether pip could install everything."""
    program = place.program
    if subprocess.run([sys.executable, "-m", "venv", "--clear", place.folder], stdout=log, stderr=log).returncode:
        return False
    if program.before and not (pip(place, ["install", *program.before], log) and make_stub(place, log)):
        return False
    # What pip built before may have been built with other settings.
    words = ["install", *(["--no-cache-dir"] if program.build else []), *program.packages]
    if not pip(place, words, log, place.settings(program.build)):
        return False
    if program.sources and not unpack(place, log):
        return False
    with open(os.path.join(place.folder, "installed.txt"), "w", encoding="utf-8") as file:
        file.write(place.wanted())
    return True
