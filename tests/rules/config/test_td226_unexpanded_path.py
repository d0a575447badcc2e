"""TD226: the entry is the place, and the message names what stays as it is."""

from __future__ import annotations

import pytest

from tests.rules.config.cases import findings, message, spots, value
from theanodiag.flags.model import Dialect
from theanodiag.rules.config.examples import config

FILES = [
    pytest.param("[cuda]\nroot = $HOME/cuda\n", "rc:2:1", "$HOME", id="a variable"),
    pytest.param("[global]\n compiledir = /tmp/${USER}/c\n", "rc:2:2", "${USER}", id="braces"),
    pytest.param("[dnn]\ninclude_path = ~/cudnn\n", "rc:2:1", "~", id="a tilde in a text"),
]


@pytest.mark.parametrize(("text", "place", "what"), FILES)
def test_it_is_named(text: str, place: str, what: str) -> None:
    """As the user wrote it."""
    assert spots("TD226", config(text)) == [f"{place} warning, derived"]
    assert message("TD226", config(text)).startswith(f"{what} is not expanded")


@pytest.mark.parametrize("to", list(Dialect), ids=lambda d: d.name)
def test_library_takes_it_as_it_stands(to: Dialect) -> None:
    """Also from the variable, where the shell has not seen it because of quotes."""
    subject = config(flags="profile=False,cxx=$CXX", to=to)
    assert spots("TD226", subject) == [f"{to.flags_variable}:1:15 warning, derived"]
    assert value(subject, "cxx") == "$CXX"


@pytest.mark.parametrize("text", ["compiledir = ~/c", "compiledir = /a~b", "cxx = a$", "bananas = $HOME", "compiledir = ${}"])
def test_signs_that_mean_nothing(text: str) -> None:
    """Folders for compiled code have their tilde expanded; a lone sign names no variable."""
    assert findings("TD226", config(f"[global]\n{text}\n")) == []
