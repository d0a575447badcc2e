"""Names in values: the same result as Python's own interpolation."""

from __future__ import annotations

import configparser

import pytest
from hypothesis import given
from hypothesis import strategies as st

from theanodiag.flags.rcfile_text import InterpolationError, interpolate

PIECES = ["%", "%%", "%(a)s", "%(B)s", "%(no)s", "%(a", "%(a)d", "%x", "text", " "]
values = st.lists(st.sampled_from(PIECES), max_size=6).map("".join)


def reference(value: str, names: dict[str, str]) -> str | None:
    """What configparser makes of it; None for an error."""
    parser = configparser.ConfigParser()
    parser.read_dict({"s": {}})
    parser._sections["s"].update({**names, "value": value})  # type: ignore[attr-defined]
    try:
        return parser.get("s", "value")
    except configparser.InterpolationError:
        return None


def ours(value: str, names: dict[str, str]) -> str | None:
    """The same from us."""
    try:
        return interpolate(value, {**names, "value": value})
    except InterpolationError:
        return None


@given(values, values, values)
def test_equals_configparser(value: str, a: str, b: str) -> None:
    """Nested names, percent signs and unknown names give the same text or are refused alike."""
    assert ours(value, {"a": a, "b": b}) == reference(value, {"a": a, "b": b})


def test_a_name_that_refers_to_itself() -> None:
    """A circle is refused, not followed for ever."""
    with pytest.raises(InterpolationError, match="ten levels"):
        interpolate("%(a)s", {"a": "%(a)s"})
