"""What stands in front of every line of a printed graph."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from theanodiag.ir import Variable
from theanodiag.printed import read_debugprint
from theanodiag.printed.cleaning import without_prefixes

from .texts import AESARA, ALL, PYTENSOR, SCAN, THEANO

PREFIXES: dict[str, Callable[[int], str]] = {
    "level in brackets": lambda n: "[INFO] ",
    "other level": lambda n: "[DEBUG] ",
    "level and colon": lambda n: "INFO: ",
    "level and dash": lambda n: "INFO - ",
    "Python's own form": lambda n: "INFO:root:",
    "time, level, name": lambda n: f"2015-03-01 10:00:{n % 60:02d},{n * 7 % 1000:03d} [INFO] name: ",
    "time alone": lambda n: f"[10:00:{n % 60:02d}] ",
    "py.test": lambda n: f"INFO     root:test_model.py:{n} ",
    "py.test before 3.4": lambda n: f"test_model.py              {n + 8:3d} INFO     ",
    "py.test's errors": lambda n: "E       ",
    "docker compose": lambda n: "web_1  | ",
    "docker compose and a log": lambda n: f"web_1  | [INFO] 10:00:{n % 60:02d} ",
    "systemd": lambda n: f"Mar 01 10:00:{n % 60:02d} host python[123]: ",
    "kubernetes": lambda n: f"2021-03-04T10:11:12.{n * 1234567:09d}Z stdout F ",
    "kernel": lambda n: f"[{n * 1.7:9.3f}] ",
    "numbers of lines": lambda n: f"{n + 6:6d}\t",
    "deeper": lambda n: "    [INFO] ",
    "list": lambda n: " * ",
    "continued prompt": lambda n: "... ",
    "quotation": lambda n: "> ",
}


def each(text: str, kind: str) -> str:
    """`text` with a prefix in front of every line, also of empty ones."""
    return "\n".join(PREFIXES[kind](n) + line for n, line in enumerate(text.split("\n")))


def nodes(text: str) -> list[object]:
    """All nodes of a text, the inner ones too; inputs by the number of the node that makes them, or by name."""
    found = read_debugprint(text)
    assert not found.damage
    return [[(a.op.text, [_source(p.graph.variables[v]) for v in a.inputs], a.op.inner) for a in p.graph.applies] for p in found.prints]


def _source(variable: Variable) -> object:
    return variable.name if variable.owner is None else variable.owner


@pytest.mark.parametrize("kind", PREFIXES)
@pytest.mark.parametrize("text", [*ALL.values(), SCAN])
def test_in_front_of_every_line(kind: str, text: str) -> None:
    """It is taken off, whatever it is, in every generation's form."""
    assert nodes(each(text, kind)) == nodes(text)


@pytest.mark.parametrize("kind", PREFIXES)
def test_among_other_lines(kind: str) -> None:
    """Other messages of the log stand around the graph; ends of lines are cut; another graph has another prefix or none."""
    log = "\n".join(line.rstrip() for line in each(f"epoch 1\n{AESARA}\nsee [id Q]", kind).split("\n"))
    assert nodes(f"hello\n{log}\nbye")[0] == nodes(AESARA)[0]
    assert nodes(log + "\n" + each(AESARA, "docker compose") + "\n\n" + AESARA)[0] == nodes(AESARA)[0]


def test_one_line() -> None:
    """A single line has no second one that tells what is a prefix: levels are known."""
    assert nodes("[INFO] Softmax [id A] ''   0") == nodes("INFO - Softmax [id A] ''   0") == nodes("Softmax [id A] ''   0")


def test_arrays_of_a_storage_in_a_quotation() -> None:
    """The other lines of a printed array are quoted as well."""
    text = THEANO.replace("   0\n", "   0 [array([[1., 2.],\n       [3., 4.]])]\n").replace("   1\n", "   1 [None]\n")
    assert nodes(each(text, "quotation")) == nodes(text)


@pytest.mark.parametrize(
    "text", [*ALL.values(), SCAN, PYTENSOR.replace("\n", "\n\n"), "| a | b |\n| a |b |\n", " |a [id A]\n | |b [id B]\n"]
)
def test_nothing_is_taken_from_other_texts(text: str) -> None:
    """What branches and labels have in common is no prefix."""
    rows = text.split("\n")
    assert without_prefixes(rows) is rows


def test_strings_of_a_program_are_left() -> None:
    """A quote has one at its end, too."""
    rows = [f'    "{line}\\n"' for line in THEANO.split("\n")]
    assert without_prefixes(rows) is rows
