# SPDX-License-Identifier: MIT
"""Installs other people's programs and runs them on the mock; tools/programs calls this.

programs.py --cushim COMMAND [--minutes N] [PROGRAM...]
programs.py --list                names the programs
    prints a row of a table for each program, and leaves what each said in build/programs/NAME.log
    status 1: nothing could be run
programs.py --cushim COMMAND --quick PROGRAM
    what a check has time for: the first part of one program, if it is installed already
    status 0: all passed; 77: it is not installed; 1: something failed
"""
import argparse
import dataclasses
import os
import re
import subprocess
import sys
import time

HERE = os.path.dirname(os.path.abspath(__file__))
BUILD = os.path.join(HERE, "../../build")
NUMBA = [
    "cudadrv.test_array_attr", "cudadrv.test_cuda_array_slicing", "cudadrv.test_cuda_driver",
    "cudadrv.test_cuda_memory", "cudadrv.test_cuda_ndarray", "cudadrv.test_events", "cudadrv.test_linker",
    "cudadrv.test_managed_alloc", "cudapy.test_blackscholes", "cudapy.test_boolean", "cudapy.test_casting",
    "cudapy.test_complex", "cudapy.test_constmem", "cudapy.test_cooperative_groups", "cudapy.test_device_func",
    "cudapy.test_dispatcher", "cudapy.test_intrinsics", "cudapy.test_math", "cudapy.test_operator",
    "cudapy.test_print", "cudapy.test_reduction", "cudapy.test_slicing", "cudapy.test_sm", "cudapy.test_warp_ops",
]


@dataclasses.dataclass
class Program:
    packages: list                      # what pip installs; the first is the program itself
    title: str                          # what is run
    parts: list                         # modules and files of unittest; each runs in a process of its own
    settings: dict = dataclasses.field(default_factory=dict)


def samples(name, *packages, **settings):
    return Program(list(packages), "samples", [os.path.join(HERE, f"{name}_samples.py")], settings)


PROGRAMS = {
    "numba": Program(["numba-cuda[cu13]==0.30.4", "numba==0.68.1", "cuda-bindings==13.5.0", "cuda-core==1.2.2",
                      "cuda-toolkit==13.5.0", "filecheck==1.0.6", "psutil==7.2.2", "cffi==2.1.1", "pytest==9.2.0"],
                     f"{len(NUMBA)} of its own test modules", ["numba.cuda.tests." + name for name in NUMBA]),
    "core": samples("cuda_core", "cuda-core[cu13]==1.2.2", "cuda-bindings==13.5.0", "cuda-toolkit[nvrtc]==13.5.0",
                    "nvidia-nvjitlink==13.5.37", "numpy==2.4.6"),
    "warp": samples("warp", "warp-lang==1.19.0", "numpy==2.4.6"),
    "taichi": samples("taichi", "taichi==1.7.4", "numpy==1.26.4", "setuptools==65.5.0"),
    "drjit": samples("drjit", "drjit==1.5.0", "numpy==2.4.6"),
    "tinygrad": samples("tinygrad", "tinygrad==0.14.0", "numpy==2.4.6", "nvidia-cuda-nvrtc==13.0.88", DEV="CUDA",
                        CUSHIM_NVRTC_REAL="WHEELS/cu13/lib/libnvrtc.so.13"),
    "triton": samples("triton", "triton==3.9.0", "cuda-bindings==13.5.0", "numpy==2.4.6"),
}


@dataclasses.dataclass
class Count:
    passed: int = 0
    failed: int = 0
    skipped: int = 0
    missed: int = 0

    def add(self, other):
        for field in dataclasses.fields(self):
            setattr(self, field.name, getattr(self, field.name) + getattr(other, field.name))


def python_of(folder, name):
    return os.path.join(folder, name, "bin", "python")


def ready(folder, name, program):
    """Whether the environment of a program has what the list asks for."""
    try:
        with open(os.path.join(folder, name, "installed.txt"), encoding="utf-8") as file:
            return file.read() == "\n".join(program.packages)
    except OSError:
        return False


def install(folder, name, program, log):
    """Makes the environment. Returns whether pip could install everything."""
    if ready(folder, name, program):
        return True
    place = os.path.join(folder, name)
    for command in ([sys.executable, "-m", "venv", "--clear", place],
                    [python_of(folder, name), "-m", "pip", "install", "--quiet", "--disable-pip-version-check",
                     *program.packages]):
        if subprocess.run(command, stdout=log, stderr=log).returncode:
            return False
    with open(os.path.join(place, "installed.txt"), "w", encoding="utf-8") as file:
        file.write("\n".join(program.packages))
    return True


def count(text):
    """What the lines of counted.py say. A module that cannot be loaded at all is one failure."""
    words = [line.split(" ", 1)[0] for line in text.splitlines()]
    wanted = re.search(r"^tests (\d+)$", text, re.M)
    if not wanted:
        return Count(failed=1)
    seen = Count(words.count("passed"), words.count("failed"), words.count("skipped"))
    seen.missed = max(0, int(wanted[1]) - seen.passed - seen.failed - seen.skipped)
    return seen


def wheels_of(folder, name):
    """Where pip puts NVIDIA's libraries."""
    return os.path.join(folder, name, "lib", f"python{sys.version_info[0]}.{sys.version_info[1]}", "site-packages",
                        "nvidia")


def run_part(options, name, program, part, log):
    """Runs one part on the mock, in a process of its own: after some faults a process has no device any more."""
    home = os.path.join(options.folder, name)
    settings = {key: value.replace("WHEELS", wheels_of(options.folder, name))
                for key, value in program.settings.items()}
    environment = {**os.environ, **settings, "HOME": home, "PYTHONUNBUFFERED": "1"}
    command = [options.cushim, "run", "--devices", "ci", "--", python_of(options.folder, name),
               os.path.join(HERE, "counted.py"), part]
    log.write(f"== {part}\n".encode())
    log.flush()
    child = subprocess.Popen(command, env=environment, cwd=home, stdout=subprocess.PIPE, stderr=log)
    try:
        text, _ = child.communicate(timeout=60 * options.minutes)
    except subprocess.TimeoutExpired:
        child.kill()
        text, _ = child.communicate()
    log.write(text)
    log.flush()
    return count(text.decode(errors="replace"))


def row(*cells):
    print("| " + " | ".join(str(cell) for cell in cells) + " |", flush=True)


def run_program(options, name):
    program, total, start = PROGRAMS[name], Count(), time.monotonic()
    title, _, version = program.packages[0].partition("==")
    with open(os.path.join(options.folder, f"{name}.log"), "wb") as log:
        if not install(options.folder, name, program, log):
            row(title, version, "not installed: pip failed, see " + log.name, *["-"] * 6)
            return None
        start = time.monotonic()
        for part in program.parts:
            total.add(run_part(options, name, program, part, log))
    needed = " ".join(f"{key}={value}" for key, value in program.settings.items())
    row(title, version, program.title, total.passed, total.failed, total.skipped, total.missed,
        round(time.monotonic() - start), needed or "nothing")
    return total


def quick(options, name):
    if not ready(options.folder, name, PROGRAMS[name]):
        print(f"skipped: {name} is not installed; tools/programs {name} installs it")
        return 77
    with open(os.path.join(options.folder, f"{name}-quick.log"), "wb") as log:
        seen = run_part(options, name, PROGRAMS[name], PROGRAMS[name].parts[0], log)
    print(f"{name}: {seen.passed} passed, {seen.failed} failed, {seen.skipped} skipped, {seen.missed} not reached")
    return 1 if seen.failed or seen.missed or not seen.passed else 0


def main():
    parser = argparse.ArgumentParser(usage="tools/programs [--list] [--minutes N] [PROGRAM...]")
    parser.add_argument("--cushim", help=argparse.SUPPRESS)
    parser.add_argument("--list", action="store_true", help="name the programs, and run none")
    parser.add_argument("--quick", action="store_true", help=argparse.SUPPRESS)
    parser.add_argument("--minutes", type=float, default=2, help="the time that each part may take")
    parser.add_argument("programs", nargs="*", metavar="PROGRAM")
    options = parser.parse_args()
    options.folder = os.path.join(os.path.abspath(os.environ.get("CUSHIM_BUILD") or BUILD), "programs")

    for name in options.programs:
        if name not in PROGRAMS:
            parser.error(f"there is no program '{name}'; there are {', '.join(PROGRAMS)}")
    if options.list:
        print("\n".join(PROGRAMS))
        return 0
    options.cushim = os.path.abspath(options.cushim)
    os.makedirs(options.folder, exist_ok=True)
    if options.quick:
        return quick(options, options.programs[0])
    row("program", "version", "what was run", "passed", "failed", "skipped", "not reached", "seconds", "set")
    row(*["---"] * 9)
    done = [run_program(options, name) for name in options.programs or PROGRAMS]
    return 0 if any(done) else 1


if __name__ == "__main__":
    sys.exit(main())
