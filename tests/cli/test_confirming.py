"""`--confirm` with and without a kind of device, before and behind the script."""

from __future__ import annotations

from pathlib import Path

import pytest

from theanodiag.cli.check import CHOICES, arranged
from theanodiag.cli.parameters import parse

from .run import theanodiag


@pytest.mark.parametrize(
    ("words", "device"),
    [
        ("--confirm model.py", "best"),
        ("model.py --confirm", "best"),
        ("--confirm --gpu 4GiB model.py", "best"),
        ("--confirm cpu model.py", "cpu"),
        ("--confirm=cpu model.py", "cpu"),
        ("model.py --confirm cpu", "cpu"),
        ("model.py", None),
    ],
)
def test_the_device_may_be_left_out(words: str, device: str | None) -> None:
    """The script is the script wherever it stands."""
    _, args = parse(["check", *words.split()])
    assert (args.models, args.confirm) == (("model.py",), device)


def test_a_script_without_an_ending(tmp_path: Path) -> None:
    """A file that is there is no kind of device."""
    script = tmp_path / "model"
    script.write_text("")
    assert parse(["check", "--confirm", str(script)])[1].models == (str(script),)


def test_an_unknown_kind_is_a_usage_error() -> None:
    """With those that there are; nothing was run before."""
    done = theanodiag("check", "--confirm", "quadro", "missing.py")
    assert done.returncode == 2
    assert f"'quadro' is not one of {', '.join(map(repr, CHOICES))}" in " ".join(done.stderr.split())


def test_what_follows_two_dashes_is_the_scripts() -> None:
    """Also what looks like ours."""
    _, args = parse(["check", "model.py", "--", "--confirm", "other.py"])
    assert (args.confirm, args.script_args) == (None, ("--confirm", "other.py"))


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("--fix model.py", "--fix= model.py"),
        ("--fix ~/.theanorc model.py", "--fix ~/.theanorc model.py"),
        ("--fix RC SCRIPT", "--fix RC SCRIPT"),
        ("--fix SCRIPT", "--fix= SCRIPT"),
        ("model.py --fix", "model.py --fix"),
        ("model.py --fix RC", "model.py --fix RC"),
        ("--python SCRIPT --fix RC", "--python SCRIPT --fix= RC"),
        ("--confirm SCRIPT", "--confirm=best SCRIPT"),
        ("--confirm cpu script", "--confirm cpu script"),
        ("--fix --confirm model.py", "--fix --confirm=best model.py"),
    ],
)
def test_no_option_takes_the_script_for_its_value(line: str, expected: str, tmp_path: Path) -> None:
    """Where there is another word that can be the script, or the word is a device, it is the value."""
    for name in ("SCRIPT", "RC"):
        (tmp_path / name).write_text("")
    words, wanted = (text.replace("SCRIPT", f"{tmp_path}/SCRIPT").replace("RC", f"{tmp_path}/RC").split() for text in (line, expected))
    assert arranged(words) == wanted
