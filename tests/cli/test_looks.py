"""How output looks: colours, width and quiet are asked for alike in all commands, and change no word."""

from __future__ import annotations

import re
import sys
from pathlib import Path

import pytest

from theanodiag.cli.coloring import colored
from theanodiag.cli.commands import COMMANDS as ALL

from .run import theanodiag
from .test_graph import SHAPES, TEXT

ESCAPE = re.compile(r"\x1b\[[\d;]*m")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """What the commands read: a paste, an rc file with a slip, a log."""
    (tmp_path / "paste.txt").write_text(TEXT, encoding="utf-8")
    (tmp_path / "rc").write_text("[global]\nflaotX = float32\n")
    (tmp_path / "model.py").write_text("import theano.tensor as T\nx = T.matrix()\n")
    (tmp_path / "job.log").write_text("MemoryError: Error allocating 4096 bytes of device memory (out of memory).\n")
    return tmp_path


COMMANDS = {
    "check": ["check", "none.py"],
    "graph": ["graph", "paste.txt", *SHAPES, "--gpu", "2MiB", "--device-overhead", "0"],
    "config check": ["config", "check", "rc"],
    "config show": ["config", "show"],
    "config rewrite": ["config", "rewrite", "rc", "--to", "pytensor"],
    "config set": ["config", "set", "floatX=float32", "rc", "--diff"],
    "doctor": ["doctor", "--only", "--python", sys.executable],
    "explain": ["explain", "TD301"],
    "explain-log": ["explain-log", "job.log"],
    "diff": ["diff", "none", "none"],
    "export": ["export", "none.py", "--function", "f", "-o", "f.stablehlo"],
    "port": ["port", "model.py"],
    "scan": ["scan", "model.py", "--no-cache"],
    "weights": ["weights", "none"],
    "compare": ["compare", "none.py", "--python", "none"],
    "rules": ["rules"],
    "completion": ["completion", "bash"],
}


def test_each_command_is_here() -> None:
    """A new one has to have a look too."""
    assert {name.split()[0] for name in COMMANDS} == ALL.keys() - {"run"}


def words(text: str) -> list[str]:
    """The lines without colours, and without blanks at their ends, which colours may enclose; and without those of work that takes more
    than a second, as on a busy machine."""
    lines = [line.rstrip() for line in ESCAPE.sub("", text).splitlines()]
    return [line for line in lines if not (line.startswith("theanodiag: ") and line.endswith("..."))]


@pytest.mark.parametrize("name", COMMANDS)
def test_colours_change_no_word(name: str, folder: Path) -> None:
    """None in a pipe; with --color always they are there, in words that are the same."""
    asked = COMMANDS[name]
    plain = theanodiag(*asked, cwd=str(folder), env={"FORCE_COLOR": ""})
    always = theanodiag(*asked, "--color", "always", cwd=str(folder))
    assert "\x1b" not in plain.stdout + plain.stderr
    assert words(always.stdout) == words(plain.stdout)
    assert words(always.stderr) == words(plain.stderr)
    if name not in ("completion", "scan"):  # lines for a shell; a plain table
        assert ESCAPE.search(always.stdout + always.stderr)


@pytest.mark.parametrize(
    ("env", "more", "wanted"),
    [
        ({"FORCE_COLOR": "1"}, [], True),
        ({"FORCE_COLOR": "1", "NO_COLOR": "1"}, [], False),
        ({"FORCE_COLOR": "1"}, ["--color", "never"], False),
        ({"NO_COLOR": "1"}, ["--color", "always"], True),
        ({"NO_COLOR": "", "FORCE_COLOR": ""}, [], False),
    ],
)
def test_variables_and_the_option(env: dict[str, str], more: list[str], wanted: bool, folder: Path) -> None:
    """The option decides; then NO_COLOR, then FORCE_COLOR; an empty variable is none."""
    for asked in (COMMANDS["config check"], COMMANDS["graph"]):
        done = theanodiag(*asked, *more, cwd=str(folder), env={"NO_COLOR": "", "FORCE_COLOR": "", **env})
        assert ("\x1b" in done.stdout) is wanted


@pytest.mark.parametrize("columns", [60, 80, 140, 200])
def test_columns_are_those_that_are_asked_for(columns: int, folder: Path) -> None:
    """No line is wider; and the width is used."""
    lines = theanodiag(*COMMANDS["graph"], cwd=str(folder), env={"COLUMNS": str(columns)}).stdout.splitlines()
    assert min(columns, 160) - 30 < max(map(len, lines)) <= columns


def test_quiet_leaves_verdict_and_findings(folder: Path) -> None:
    """No table, no line about the device, nothing on stderr."""
    loud, quiet = (theanodiag(*COMMANDS["graph"], *more, cwd=str(folder)) for more in ([], ["-q"]))
    assert len(quiet.stdout) < len(loud.stdout)
    assert "DOES NOT FIT" in quiet.stdout
    assert "TD301 error: " in quiet.stdout
    assert "live at the peak " not in quiet.stdout
    said = theanodiag("config", "check", "rc", "--version", "1.0.99", "-q", cwd=str(folder)).stderr
    assert said == ""


@pytest.mark.parametrize("name", ["graph", "config check", "config show", "rules", "explain-log", "doctor", "config rewrite"])
def test_the_formats_have_the_same_names(name: str, folder: Path) -> None:
    """`text`, which was called `terminal` in some, and `json`."""
    asked = COMMANDS[name]
    first, second = (theanodiag(*asked, "--format", word, cwd=str(folder)).stdout for word in ("text", "terminal"))
    assert first == second != ""
    assert theanodiag(*asked, "--format", "json", cwd=str(folder)).stdout.startswith("{")


def test_any_text_keeps_its_lines() -> None:
    """Long lines are not broken, brackets are no markup, blanks stay."""
    text = f"x:3: TD301 error: [bold]{'w ' * 300}[/bold]  \n\n  help: y\n+a\n-b\nno end"
    assert ESCAPE.sub("", colored(text)) == text


@pytest.mark.parametrize("words", ["TD231 error", "TD249 warning", "TD313 info"])
def test_code_and_severity_are_of_one_colour(words: str) -> None:
    """As in the report of `check`: no change of colour between the two."""
    assert f"m{words}\x1b[0m" in colored(f"rc:3:1: {words}: text")
