"""`--confirm` with and without a kind of device, before and behind the script."""

from __future__ import annotations

from pathlib import Path

import pytest

from theanodiag.cli.confirming import CHOICES
from theanodiag.cli.main import parse

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
    args = parse(["check", *words.split()], "check")
    assert (args.model, args.confirm) == ("model.py", device)


def test_a_script_without_an_ending(tmp_path: Path) -> None:
    """A file that is there is no kind of device."""
    script = tmp_path / "model"
    script.write_text("")
    assert parse(["check", "--confirm", str(script)], "check").model == str(script)


def test_an_unknown_kind_is_a_usage_error() -> None:
    """With those that there are; nothing was run before."""
    done = theanodiag("check", "--confirm", "quadro", "missing.py")
    assert done.returncode == 2
    assert f"no device to confirm on is called 'quadro': one of {', '.join(CHOICES)}" in " ".join(done.stderr.split())


def test_what_follows_two_dashes_is_the_scripts() -> None:
    """Also what looks like ours."""
    args = parse(["check", "model.py", "--", "--confirm", "other.py"], "check")
    assert (args.confirm, args.script_args) == (None, ["--confirm", "other.py"])
