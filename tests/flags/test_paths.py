"""Paths: home folders, and which files are read in which order."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from theanodiag.flags.defaults import NoHome, expand_pathlib, expand_user, rc_paths
from theanodiag.flags.model import Dialect, Host

HOST = Host(home=os.path.expanduser("~"), user_homes=(("ann", "/home/ann"),))
paths = st.text(alphabet="~/.ax", max_size=8)


@given(paths.filter(lambda p: not p.startswith("~") or p[1:2] in ("", "/")))
def test_expand_user_is_that_of_os_path(path: str) -> None:
    """Our own reading of `~` gives what Python gives."""
    assert expand_user(path, os.environ, HOST) == os.path.expanduser(path)


@given(paths)
def test_expand_pathlib_is_that_of_pathlib(path: str) -> None:
    """So does the other one, which tidies up, and fails where pathlib fails: `./~a` is an account too."""
    try:
        theirs = str(Path(path).expanduser())
    except RuntimeError:
        theirs = "no home"
    try:
        ours = expand_pathlib(path, os.environ, Host(home=HOST.home))
    except NoHome:
        ours = "no home"
    assert ours == theirs


@pytest.mark.parametrize(("path", "expanded"), [("~ann/x", "/home/ann/x"), ("~bob/x", "~bob/x"), ("a~/x", "a~/x")])
def test_other_accounts(path: str, expanded: str) -> None:
    """A named account has its own home; one that is not known stays as it is."""
    assert expand_user(path, {"HOME": "/h"}, HOST) == expanded


def test_pathlib_wants_to_know_the_home() -> None:
    """pathlib raises for an account that it does not know."""
    with pytest.raises(NoHome):
        expand_pathlib("~bob/x", {"HOME": "/h"}, HOST)


@pytest.mark.parametrize(
    ("environ", "platform", "expected"),
    [
        ({}, "linux", ("~/.theanorc",)),
        ({}, "win32", ("~/.theanorc", "~/.theanorc.txt")),
        ({"THEANORC": "a:b"}, "linux", ("a", "b")),
        ({"THEANORC": "C:/a;b"}, "win32", ("C:/a", "b")),
        ({"THEANORC": ""}, "linux", ("",)),
        ({"AESARARC": "a"}, "linux", ("~/.theanorc",)),
    ],
)
def test_files_that_are_read(environ: dict[str, str], platform: str, expected: tuple[str, ...]) -> None:
    """The variable names them, else the home folder; on Windows also the name that editors give."""
    assert rc_paths(Dialect.THEANO, environ, Host(platform=platform)) == expected
