"""TD210: the entry is the place, the nearest name is offered, and written there the flag counts."""

from __future__ import annotations

import pytest

from tests.rules.config.cases import AE, PT, advice, mended, message, spots, texts, value
from theanodiag.flags.model import Dialect
from theanodiag.rules.config.examples import config

FILES = [
    pytest.param("[global]\nflaotX = float32\n", "2:1", "[global]\nfloatX = float32\n", "floatX", "float32", id="letters swapped"),
    pytest.param(
        "[gpuarray]\n prealocate = 0.5\n", "2:2", "[gpuarray]\n preallocate = 0.5\n", "gpuarray.preallocate", 0.5, id="letter left out"
    ),
    pytest.param("[global]\nallow_gcc = False\n", "2:1", "[global]\nallow_gc = False\n", "allow_gc", False, id="letter too many"),
]
FLAGS = [
    pytest.param(AE, "profle=True", "profile=True", id="aesara"),
    pytest.param(PT, "device=cpu,blas__ldflasg=-lblas", "device=cpu,blas__ldflags=-lblas", id="pytensor, with its underscores"),
]


@pytest.mark.parametrize(("text", "place", "after", "flag", "wanted"), FILES)
def test_name_is_put_right_in_a_file(text: str, place: str, after: str, flag: str, wanted: object) -> None:
    """The flag means something afterwards, and nothing but the name has changed."""
    subject = config(text)
    assert spots("TD210", subject) == [f"rc:{place} warning, derived"]
    assert "ignored without a warning" in message("TD210", subject)
    assert texts(mended("TD210", subject))[0] == after
    assert value(mended("TD210", subject), flag) == wanted


@pytest.mark.parametrize(("to", "text", "after"), FLAGS)
def test_name_is_put_right_in_a_variable(to: Dialect, text: str, after: str) -> None:
    """There the library says so itself."""
    assert "ignored, with a warning" in message("TD210", config(flags=text, to=to))
    assert texts(mended("TD210", config(flags=text, to=to)))[1] == after


def test_nothing_is_near() -> None:
    """Then no name is offered and nothing is written."""
    assert advice("TD210", config("[global]\nbananas = 1\n")).edits == ()
