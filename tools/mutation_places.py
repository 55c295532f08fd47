# SPDX-License-Identifier: MIT
"""Finds the places of C files where a small change makes a mutant.

Works on the text, as the house lays it out: a function's brace stands alone in the first column.
What is found need not compile; whoever runs the mutants says so.
"""

import difflib
import random
import re
from dataclasses import dataclass
from pathlib import Path

# Share of each area in a draw. The engine is most of the mock, but no more important than the rest.
AREAS = {"core": 4, "loader": 2, "interpose": 2, "mock": 4, "ptx": 4}

# A lost call of these is found by the sanitizers and valgrind, not by what a test looks at.
FOR_OTHER_TOOLS = re.compile(r"(assert|free|.*_destroy|.*_lock|.*_free|.*LOCK|va_end|va_start|.*log_.*|.*_log)$")
KEYWORDS = {"if", "while", "for", "switch", "return", "sizeof", "else", "do", "case", "typeof"}


@dataclass(frozen=True)
class Mutant:
    path: str  # relative to the root
    line: int
    function: str
    kind: str
    begin: int
    end: int
    text: str  # in the place of begin..end

    @property
    def area(self):
        parts = Path(self.path).parts
        return "ptx" if parts[1:3] == ("mock", "ptx") else parts[1]

    def apply(self, source):
        return source[: self.begin] + self.text + source[self.end :]

    def diff(self, source):
        """The changed lines, each with - or + before it."""
        lines = difflib.unified_diff(source.splitlines(), self.apply(source).splitlines(), n=0, lineterm="")
        return [line[0] + " " + line[1:].strip() for line in list(lines)[2:] if line[0] in "+-"]

    def identity(self, source):
        """The same after the file has moved or grown, so that lists of mutants last."""
        return (self.area, Path(self.path).name, self.function, self.kind, tuple(self.diff(source)))


def blank(match):
    return re.sub(r"[^\n]", " ", match.group())


def masked(source):
    """The source with blanks for comments, preprocessor lines and what is between quotes."""
    def quotes(match):
        text = match.group()
        return text if text[0] not in "\"'" else text[0] + "_" * (len(text) - 2) + text[0]

    text = re.sub(r'/\*.*?\*/|//[^\n]*|("(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])*\')',
                  lambda m: quotes(m) if m.group(1) else blank(m), source, flags=re.S)
    return re.sub(r"^[ \t]*#(?:[^\n]*\\\n)*[^\n]*", blank, text, flags=re.M)


def functions(text):
    """(name, return type, begin, end) of each body, the braces not included."""
    for match in re.finditer(r"^\{\n(.*?)^\}", text, re.S | re.M):
        head = re.search(r"(?:^|[;}\n]\n)((?:[^\n;}]+\n)+)\Z", text[: match.start()])
        if not head:
            continue
        name = re.search(r"\b(\w+)\s*\(", head.group(1).replace("__attribute__((", "__attribute__  "))
        if name:
            kind = head.group(1)[: name.start()].replace("static", "").replace("inline", "")
            yield name.group(1), " ".join(kind.split()), match.start(1), match.end(1)


def closing(text, opening):
    """Where the parenthesis at opening ends, or -1."""
    depth = 0
    for i in range(opening, len(text)):
        depth += {"(": 1, ")": -1}.get(text[i], 0)
        if not depth:
            return i
    return -1


def swaps(pattern, table):
    def find(text, _):
        for match in re.finditer(pattern, text):
            yield match.start(1), match.end(1), table[match.group(1)]
    return find


def negate(text, _):
    for match in re.finditer(r"\bif \(", text):
        end = closing(text, match.end() - 1)
        if end > 0:
            yield match.end(), end, "!(" + text[match.end() : end] + ")"


def constant(text, _):
    for match in re.finditer(r"(?<![\w.])(0x[0-9a-fA-F]+|\d+)([uUlL]*)(?![\w.])", text):
        line = text[text.rfind("\n", 0, match.start()) + 1 : match.end() + 1]
        room = re.match(r"\s*(?:\w+ )+\**\w+\[\w+\]$", line)  # one more element of an array changes nothing
        if not room and text[match.start() - 1 : match.end() + 1] != "{0}":
            yield match.start(), match.end(), str(int(match.group(1), 0) + 1) + match.group(2)


def starts_statement(text, begin):
    before = text[:begin].rstrip()
    return not before or before[-1] in "{};:)" or before.endswith("else")


def drop_call(text, _):
    for match in re.finditer(r"^[ ]+((\w+)(?:(?:->|\.)\w+)*)\(", text, re.M):
        end = closing(text, match.end() - 1)
        name = match.group(1)
        if match.group(2) in KEYWORDS or FOR_OTHER_TOOLS.match(name) or text[end + 1 : end + 2] != ";":
            continue
        if starts_statement(text, match.start()):
            yield match.start(1), end + 2, ";"


def drop_assignment(text, _):
    for match in re.finditer(r"^[ ]+(\*?[\w(][\w>.\-\[\]()*+]* (?:[|&+\-^]|<<|>>)?= [^;{]*;)", text, re.M):
        if starts_statement(text, match.start()):
            yield match.start(1), match.end(1), ";"


STATUS = {"cushim_status": "CUSHIM_OK", "CUresult": "CUDA_SUCCESS", "nvrtcResult": "NVRTC_SUCCESS"}


def result(text, kind):
    """A function that returns something else at its end."""
    for match in re.finditer(r"\breturn ([^;]+);", text):
        value = match.group(1)
        if kind == "bool":
            yield match.start(1), match.end(1), f"!({value})"
        elif kind in STATUS and value != STATUS[kind]:
            yield match.start(1), match.end(1), f"({value}, {STATUS[kind]})"
        elif kind.endswith("*") and value != "NULL":
            yield match.start(1), match.end(1), "NULL"
        elif kind in ("int", "size_t", "uint64_t", "uint32_t", "unsigned") and value != "0":
            yield match.start(1), match.end(1), "0"


def early(text, kind):
    """A function that does nothing and says that all is well."""
    values = {"void": "", "bool": " true", "int": " 0", "size_t": " 0", **{k: " " + v for k, v in STATUS.items()}}
    if kind in values and len(text.split("\n")) > 2:
        yield 0, 0, f"    if (1) return{values[kind]};\n"


KINDS = {
    "negate": negate,
    "and-or": swaps(r" (&&|\|\|)\s", {"&&": "||", "||": "&&"}),
    "boundary": swaps(r" (<|>|<=|>=) ", {"<": "<=", "<=": "<", ">": ">=", ">=": ">"}),
    "equality": swaps(r" (==|!=) ", {"==": "!=", "!=": "=="}),
    "plus-minus": swaps(r" (\+|-|\+=|-=) ", {"+": "-", "-": "+", "+=": "-=", "-=": "+="}),
    "constant": constant,
    "drop-call": drop_call,
    "drop-assignment": drop_assignment,
    "result": result,
    "early-return": early,
}


def of_file(root, path):
    """All mutants of a file, in the order of its text."""
    source = (root / path).read_text()
    text = masked(source)
    for name, kind, begin, end in functions(text):
        body = text[begin:end]
        asserts = [(m.start(), closing(body, m.end() - 1)) for m in re.finditer(r"\bassert\(", body)]
        for label, find in KINDS.items():
            for b, e, new in find(body, kind):
                if any(first <= b < last for first, last in asserts):
                    continue
                # What is kept of the old text comes from the source, where strings are whole.
                old = body[b:e]
                if old and old in new:
                    new = new.replace(old, source[begin + b : begin + e], 1)
                line = source.count("\n", 0, begin + b) + 1
                yield Mutant(str(path), line, name, label, begin + b, begin + e, new)


def of_tree(root):
    files = [f for area in ("core", "loader", "interpose", "mock") for f in (root / "src" / area).rglob("*.c")]
    return [m for f in sorted(files) for m in of_file(root, f.relative_to(root))]


def draw(mutants, count, seed):
    """As many of each kind as there are, areas by their shares, one mutant a line at most."""
    chance = random.Random(seed)
    groups = {}
    for mutant in mutants:
        groups.setdefault(mutant.area, {}).setdefault(mutant.kind, []).append(mutant)
    chosen, lines = [], set()
    turns = [area for area, share in AREAS.items() for _ in range(share)]
    kinds = {area: sorted(groups.get(area, {})) for area in AREAS}
    turn = {area: 0 for area in AREAS}
    while len(chosen) < count and any(kinds.values()):
        area = turns[len(lines) % len(turns)]
        if not kinds[area]:
            area = chance.choice([a for a in AREAS if kinds[a]])
        kind = kinds[area][turn[area] % len(kinds[area])]
        turn[area] += 1
        pool = groups[area][kind]
        mutant = pool.pop(chance.randrange(len(pool)))
        if not pool:
            kinds[area].remove(kind)
        if (mutant.path, mutant.line) not in lines:
            lines.add((mutant.path, mutant.line))
            chosen.append(mutant)
    return chosen
