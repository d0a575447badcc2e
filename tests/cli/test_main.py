"""The command line as a whole: help, versions, wrong commands, exit codes."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from theanodiag.cli.commands import COMMANDS, TASKS
from theanodiag.cli.parameters import parse
from theanodiag.errors import UsageError
from theanodiag.rules.registry import all_rules

from ..interpreters import ROOT
from .run import theanodiag

HEAVY = ("click", "rich", "numpy", "subprocess", "json", "theanodiag.memory", "theanodiag.rules", "theanodiag.flags")


def test_help_names_every_command() -> None:
    """What there is can be found from `--help`."""
    done = theanodiag("--help")
    assert done.returncode == 0
    assert all(name in done.stdout for name in COMMANDS)
    first, *_ = TASKS
    assert done.stdout.index(first) < done.stdout.index("  check ") < done.stdout.index("  run ") < done.stdout.index("  port ")


def test_help_imports_nothing_heavy() -> None:
    """The commands' modules and the libraries they need are imported only when a command runs."""
    program = f"import sys; from theanodiag.cli.main import main; main(['--help']); print([m for m in {HEAVY} if m in sys.modules])"
    done = subprocess.run([sys.executable, "-c", program], cwd=ROOT, capture_output=True, text=True, check=True)
    assert done.stdout.splitlines()[-1] == "[]"


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_has_help_and_a_summary(name: str) -> None:
    """`theanodiag NAME --help` works for each of the table."""
    done = theanodiag(name, "--help", env={"COLUMNS": "200"})
    assert done.returncode == 0
    assert COMMANDS[name][1][1:] in done.stdout


def test_unknown_command_is_a_usage_error() -> None:
    """Exit code 2, and the commands that exist."""
    done = theanodiag("chekc")
    assert done.returncode == 2
    assert "check" in done.stderr


@pytest.mark.parametrize(
    ("word", "help"),
    [
        ("model.py", "theanodiag check model.py?"),
        ("my run.log", "theanodiag explain-log 'my run.log'?"),
        (str(Path(__file__).parent), "theanodiag scan "),
        ("model", "theanodiag --help"),
    ],
)
def test_a_file_in_place_of_a_command(word: str, help: str) -> None:
    """The command that reads such a file is named, with the file."""
    done = theanodiag(word)
    assert (done.returncode, done.stdout) == (2, "")
    assert help in done.stderr


def test_a_folder_is_scanned() -> None:
    """`check` takes scripts."""
    done = theanodiag("check", str(Path(__file__).parent))
    assert done.returncode == 3
    assert "help: theanodiag scan --run FOLDER checks the scripts of a folder" in done.stderr


def test_the_beginning_of_an_option_is_no_option() -> None:
    """`--device` of `check` would be `--device-overhead`, which is not what is meant."""
    done = theanodiag("check", "model.py", "--device", "4GiB")
    assert done.returncode == 2
    assert "unrecognized arguments: --device" in done.stderr


@pytest.mark.parametrize(
    "words", ["check -o --quiet model.py", "check model.py -o -q", "scan --exclude --run .", "compare --rtol --density a.py"]
)
def test_no_option_is_the_value_of_another(words: str) -> None:
    """A file called --quiet is nothing that anybody meant to write."""
    with pytest.raises(UsageError, match=r"option '--(output|exclude|rtol)' requires a value"):
        parse(words.split())


def test_a_negative_number_is_a_value() -> None:
    """Although it begins as an option does."""
    assert parse(["compare", "--python", "a", "--against", "b", "--atol", "-1", "c.py"])[1].atol == -1.0


def test_explain_prints_the_page_of_each_rule() -> None:
    """`explain` takes the code in any case."""
    done = theanodiag("explain", "td301")
    assert done.returncode == 0
    assert done.stdout.startswith("TD301: ")
    assert "What to do" in done.stdout


def test_explain_of_an_unknown_code_says_how_to_list_them() -> None:
    """No traceback, exit code 2."""
    done = theanodiag("explain", "TD999")
    assert done.returncode == 2
    assert "theanodiag rules" in done.stderr


def test_rules_lists_every_rule_in_both_formats() -> None:
    """The list is complete, as text and as JSON."""
    codes = [rule.code for rule in all_rules()]
    assert [line.split()[0] for line in theanodiag("rules").stdout.splitlines()] == codes
    assert [row["code"] for row in json.loads(theanodiag("rules", "--format", "json").stdout)["rules"]] == codes


def test_no_command_prints_the_help() -> None:
    """As `--help` does, with the exit code of wrong usage."""
    done = theanodiag()
    assert (done.returncode, done.stdout) == (2, theanodiag("--help").stdout)


def test_an_option_that_is_missing_comes_with_its_choices() -> None:
    """In one line."""
    done = theanodiag("config", "rewrite", "--flags", "floatX=float32")
    assert done.returncode == 2
    assert done.stderr == "theanodiag: --to is missing\nhelp: add --to with one of theano-1.0, aesara, pytensor\n"
