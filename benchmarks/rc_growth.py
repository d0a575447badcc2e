"""How the time of reading, checking and rewriting an rc file grows with its size: the exponent between 1 KiB and 1 MiB, by kind of file."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence

from theanodiag.cli.config_check import text
from theanodiag.cli.config_rewrite import diff
from theanodiag.flags.diagnose import ConfigSubject
from theanodiag.flags.flags_variable import parse_flags
from theanodiag.flags.migrate import migrate_rc, target_table, verify_rc
from theanodiag.flags.model import Dialect, Host
from theanodiag.flags.rcfile_text import parse_rc
from theanodiag.flags.resolve import read_rc, resolve
from theanodiag.gc_pause import no_collections
from theanodiag.rules.config import CONFIG_RULES

from ._timing import processor

SIZES = (1 << 10, 1 << 14, 1 << 17, 1 << 20)
LIMIT = 30.0
"""Seconds after which larger files of a kind are left out."""


def repeated(*lines: str, head: str = "[global]\n") -> Callable[[int], str]:
    """A text of lines over and over; `{}` in a line is their number."""

    def make(size: int) -> str:
        parts, n, length = [head], 0, len(head)
        while length < size:
            parts.append(lines[n % len(lines)].replace("{}", str(n)))
            length += len(parts[-1])
            n += 1
        return "".join(parts)

    return make


def _chain(size: int) -> str:
    return "[global]\n" + "".join(f"a{n} = %(a{n + 1})s\n" for n in range(size // 16)) + "floatX = %(a0)s\n"


KINDS: Mapping[str, Callable[[int], str]] = {
    "blanks in a name": lambda size: "[global]\nfloatX" + " " * size + "x = float32\n",
    "blanks, no value": lambda size: "[global]\nfloatX" + " " * size + "x\n",
    "blanks in a value": lambda size: "[global]\nfloatX = float32" + " " * size + "x\n",
    "lines of blanks": repeated(" " * 40 + "\n"),
    "unknown options": repeated("option{} = 1\n"),
    "near names": repeated("flaotX{} = float32\n", "devise{} = gpu\n", "blas.ldflag{} = -lblas\n"),
    "one option again": repeated("floatX = float32\n"),
    "options of many": repeated("option{} = %(base)s\n", head="[global]\nbase = 1\n"),
    "sections": repeated("[section{}]\na = 1\n"),
    "sections again": repeated("[section{}]\na = 1\n", "[blas]\nldflags = -l{}\n"),
    "[DEFAULT]": repeated("option{} = 1\n", head="[global]\n[DEFAULT]\n"),
    "continued": repeated("    -L/opt/{}\n", head="[blas]\nldflags = -lblas\n"),
    "headers as options": repeated("[mode{}] = FAST_RUN\n"),
    "brackets": lambda size: "[" * size + "\n",
    "brackets closed": lambda size: "[global]" + "[]" * (size // 2) + "\n",
    "junk": repeated("word{}\n"),
    "comments": repeated("# floatX = {}\n"),
    "signs of comments": lambda size: "[global]\ncxx = a" + " #b" * (size // 3) + "\n    more\n",
    "names in a value": lambda size: "[global]\ncxx = " + "%(USER)s" * (size // 8) + "\n",
    "open names": lambda size: "[global]\ncxx = " + "%(" * (size // 2) + "\n",
    "percent signs": lambda size: "[global]\ncxx = " + "%%" * (size // 2) + "\n",
    "chain of names": _chain,
    "commas": lambda size: "[global]\noptimizer_excluding = " + "a:" * (size // 2) + "\n",
    "backslashes": lambda size: "[global]\ncxx = " + "C:\\a " * (size // 5) + "\n",
    "not UTF-8": repeated("option{} = \udce9\n"),
}
"""What a file is made of."""


@no_collections()
def whole(content: str) -> None:
    """All that the commands do with a file: read it in three ways, resolve, find, rewrite, compare."""
    data = content.encode("utf-8", "surrogateescape")
    for python in ((2, 7), (3, 8)):
        read_rc(data, "rc", python)
    resolution = resolve(Dialect.THEANO, "1.0.5", {"THEANORC": "rc"}, lambda path: data, Host(home="/root"))
    document = parse_rc(content, "rc")
    subject = ConfigSubject(resolution, (document,), environ=(("THEANORC", "rc"),))
    text(subject, tuple(f for rule in CONFIG_RULES for f in rule.check(subject)))
    for name in ("theano-1.0", "pytensor"):
        target = target_table(name)
        migration = migrate_rc(document, target, unsafe=True)
        verify_rc(migration, target)
        for _ in diff(migration):
            pass


@no_collections()
def variable(content: str) -> None:
    """What is done with the text of a flags variable of that content."""
    parse_flags(content.replace("\n", ","))
    resolve(Dialect.THEANO, "1.0.5", {"THEANO_FLAGS": content.replace("\n", ","), "THEANORC": ""}, lambda path: None, Host(home="/root"))


def exponent(seconds: list[tuple[int, float]]) -> float:
    """The growth to the largest size from the smallest that takes more than 20 ms, below which little but the tables is timed."""
    counted = [(n, t) for n, t in seconds if t > 0.02]
    (n1, t1), (n2, t2) = (counted[0], counted[-1]) if len(counted) > 1 else (seconds[0], seconds[-1])
    return math.log(t2 / t1) / math.log(n2 / n1) if n2 > n1 else 0.0


def measured(make: Callable[[int], str], run: Callable[[str], None], sizes: Sequence[int]) -> list[tuple[int, float]]:
    """Seconds by size."""
    found: list[tuple[int, float]] = []
    for size in sizes:
        content = make(size)
        found.append((size, processor(lambda content=content: run(content), 1)))  # type: ignore[misc]
        if found[-1][1] > LIMIT:
            break
    return found


def main() -> None:
    """Prints the seconds at each size, and the exponent; the mark is 1.1 from 1 KiB to 1 MiB. A variable has at most 128 KiB (Linux)."""
    whole(KINDS["sections"](1000))
    for what, run, sizes in (("file", whole, SIZES), ("variable", variable, SIZES[:-1])):
        for name, make in KINDS.items():
            seconds = measured(make, run, sizes)
            times = " ".join(f"{t:8.3f}" for _, t in seconds)
            print(f"   {what:8} {name:20} {times} s, exponent {exponent(seconds):.2f}", flush=True)
