#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Changes the library in small ways, one at a time, and says which changes no test notices.

mutate.py [OPTION]... [-- MESON OPTION...]

A seed draws places in src/core, src/loader, src/interpose and src/mock, and a change for each: a
condition is negated, a comparison is off by one, a call or an assignment is lost, + is -, a
constant is another, a function does nothing or returns something else. Each mutant is built in a
copy of the tree, and the tests that may see it are run until one fails. One that survives is a
test that is missing, or changes nothing that can be seen: then tools/mutants-equivalent.txt has
it, with the reason, and it is not drawn again.

It takes a core for each job, and about 10 seconds of it for each mutant; a survivor takes as long as
all of its tests.
"""

import argparse
import json
import os
import queue
import sys
import threading
import time
from collections import Counter
from pathlib import Path

sys.dont_write_bytecode = True
import mutation_places as places
import mutation_run as running

ROOT = Path(__file__).resolve().parent.parent
EQUIVALENT = ROOT / "tools/mutants-equivalent.txt"
START = time.monotonic()
SHARE = 0.9  # of the mutants, to be killed


def arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--count", type=int, default=200, help="how many mutants to draw (200)")
    parser.add_argument("--seed", type=int, default=1, help="what to draw by (1)")
    parser.add_argument("--jobs", type=int, default=os.cpu_count(), help="how many copies to work in")
    parser.add_argument("--folder", type=Path, default=ROOT / "build/mutation", help="where the copies are")
    parser.add_argument("--minutes", type=float, help="start no mutant after that")
    parser.add_argument("--results", type=Path, help="a file that gets one line of JSON a mutant")
    parser.add_argument("--again", type=Path, help="results of another run: the survivors of it alone")
    parser.add_argument("--at", action="append", metavar="FILE[:LINE]", help="mutants of this place alone")
    parser.add_argument("--area", action="append", choices=places.AREAS, help="mutants of this area alone")
    parser.add_argument("--longest", type=float, default=60, metavar="SECONDS",
                        help="leave out tests that take longer (60)")
    parser.add_argument("--list", action="store_true", help="print the mutants, run nothing")
    parser.add_argument("options", nargs="*", help="for meson setup")
    return parser.parse_args()


def read_equivalent():
    """Identities of mutants that change nothing. An entry is a head, lines of the change, and a reason."""
    known = set()
    for block in EQUIVALENT.read_text().split("\n\n"):
        lines = [line for line in block.split("\n") if line and line[0] != "#"]
        if not lines:
            continue
        area, name, function, kind = lines[0].split()
        diff = tuple(line.strip() for line in lines[1:] if line.strip()[0] in "+-")
        if not any(line.strip().startswith("why:") for line in lines[1:]):
            raise SystemExit(f"{EQUIVALENT}: no reason for {lines[0]}")
        known.add((area, name, function, kind, diff))
    return known


class Sources:
    """The text of each file, read once."""

    def __init__(self):
        self.texts = {}

    def of(self, mutant):
        if mutant.path not in self.texts:
            self.texts[mutant.path] = (ROOT / mutant.path).read_text()
        return self.texts[mutant.path]


def choose(args, sources):
    mutants = [m for m in places.of_tree(ROOT) if not args.area or m.area in args.area]
    if args.at:
        wanted = [w.rpartition(":") if w.rpartition(":")[2].isdigit() else (w, "", "") for w in args.at]
        mutants = [m for m in mutants if any(m.path == p and n in ("", str(m.line)) for p, _, n in wanted)]
    if args.again:
        rows = [json.loads(line) for line in args.again.read_text().splitlines()]
        survivors = {tuple(map(hashable, r["identity"])) for r in rows if r["verdict"] == "survived"}
        return [m for m in mutants if m.identity(sources.of(m)) in survivors]
    return mutants if args.at else places.draw(mutants, args.count, args.seed)


def hashable(value):
    return tuple(value) if isinstance(value, list) else value


class Run:
    def __init__(self, args, sources, mutants):
        self.args, self.sources = args, sources
        self.waiting = queue.SimpleQueue()
        for mutant in mutants:
            self.waiting.put(mutant)
        self.lock = threading.Lock()
        self.kills = Counter()
        self.counts = Counter()
        self.survivors = []
        self.end = START + args.minutes * 60 if args.minutes else float("inf")

    def work(self, copy, tests):
        while time.monotonic() < self.end:
            try:
                mutant = self.waiting.get_nowait()
            except queue.Empty:
                return
            with self.lock:
                order = running.relevant(tests, mutant, self.kills)
            result = copy.judge(mutant, order)
            with self.lock:
                self.note(mutant, result)

    def note(self, mutant, result):
        source = self.sources.of(mutant)
        self.counts[mutant.area, result.verdict] += 1
        if result.verdict == "killed":
            self.kills[mutant.path, result.by] += 1
            self.kills[mutant.area, result.by] += 1
        if result.verdict == "survived":
            self.survivors.append(mutant)
        show(mutant, source, f"{result.verdict}: {result.by or result.how} {result.how if result.by else ''} "
             f"({result.tests} tests, {result.seconds:.1f} s)")
        if self.args.results:
            row = {"path": mutant.path, "line": mutant.line, **vars(result), "identity": mutant.identity(source)}
            with self.args.results.open("a") as file:
                file.write(json.dumps(row) + "\n")


def show(mutant, source, verdict):
    print(f"{mutant.path}:{mutant.line}: {mutant.function}: {mutant.kind}: {verdict}")
    for line in mutant.diff(source):
        print(f"    {line}")
    sys.stdout.flush()


def measure(copies, tests, longest):
    """How long each test takes as things are. One that fails, or cannot run, tells nothing of a mutant."""
    waiting, good, lock = queue.SimpleQueue(), [], threading.Lock()
    for test in sorted(tests, key=lambda t: -t.limit):
        waiting.put(test)

    def work(copy):
        while True:
            try:
                test = waiting.get_nowait()
            except queue.Empty:
                return
            how, test.seconds, skipped = copy.check(test, longest)
            with lock:
                if how or skipped:
                    print(f"left out: {test.name}: {how or 'cannot run here'}")
                else:
                    good.append(test)
    in_threads(work, [(copy,) for copy in copies])
    return good


def in_threads(function, arguments_of_each):
    threads = [threading.Thread(target=function, args=a, daemon=True) for a in arguments_of_each]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


def summary(counts, left):
    print(f"\n{'area':10} {'killed':>8} {'survived':>9} {'no build':>9} {'killed of those that build':>27}")
    total = Counter()
    for area in [*places.AREAS, "all"]:
        row = total if area == "all" else Counter({v: n for (a, v), n in counts.items() if a == area})
        if area != "all":
            total += row
        built = row["killed"] + row["survived"]
        share = f"{100 * row['killed'] / built:.1f} %" if built else "-"
        print(f"{area:10} {row['killed']:8} {row['survived']:9} {row['does not compile']:9} {share:>27}")
    if left:
        print(f"{left} mutants were not run: the time was up")
    built = total["killed"] + total["survived"]
    return 0 if built and total["killed"] >= SHARE * built else 1


def main():
    args, sources = arguments(), Sources()
    known = read_equivalent()
    chosen = choose(args, sources)
    mutants = [m for m in chosen if m.identity(sources.of(m)) not in known]
    print(f"{len(mutants)} mutants, {len(chosen) - len(mutants)} known to change nothing")
    if args.list:
        for mutant in mutants:
            show(mutant, sources.of(mutant), "")
        return 0
    jobs = max(1, args.jobs)
    tree = running.Tree(ROOT, args.folder.resolve(), args.options, jobs)
    copies = tree.copies()
    start = time.monotonic()
    tests = measure(copies, tree.tests, args.longest)
    took = time.monotonic() - start
    print(f"{len(tests)} tests pass, {sum(t.seconds for t in tests):.0f} s of tests in {took:.0f} s")
    run = Run(args, sources, mutants)
    in_threads(run.work, [(copy, tests) for copy in copies])
    return summary(run.counts, run.waiting.qsize())


if __name__ == "__main__":
    sys.exit(main())
