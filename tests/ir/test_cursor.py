"""Reading JSON values: every complaint says where in the document it is."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import settings as hypothesis
from hypothesis import strategies as st

from theanodiag.errors import UnreadableError
from theanodiag.ir.serial import Cursor

ROOT = Cursor({"a": [{"b": 1, "c": None, "flag": True}, "text", 2.5], "numbers": {"3": "x", "10": "y"}, "list": [1, 2]}, None, "doc")


def at(*way: str | int) -> Cursor:
    """The place at the end of the way."""
    here = ROOT
    for step in way:
        here = here.key(step) if isinstance(step, str) else list(here.rows())[step]
    return here


def complaint(read: Callable[[], object]) -> str:
    """What is said of a value that cannot be read so."""
    with pytest.raises(UnreadableError) as caught:
        read()
    return caught.value.message


class TestPath:
    """The way to a value."""

    @pytest.mark.parametrize(
        ("way", "path"), [((), "doc"), (("a",), "doc.a"), (("a", 0), "doc.a[0]"), (("a", 0, "b"), "doc.a[0].b")], ids=str
    )
    def test_keys_have_dots_and_positions_brackets(self, way: tuple[str | int, ...], path: str) -> None:
        """As one would write it in a program."""
        assert at(*way).path == path

    def test_the_way_is_in_the_message(self) -> None:
        """Before what is wrong there."""
        assert at("a", 0).wrong("is wrong").message == "doc.a[0]: is wrong"


class TestKinds:
    """What a value is expected to be."""

    @pytest.mark.parametrize(
        ("read", "message"),
        [
            (lambda: at("a", 0, "nothing"), "doc.a[0]: has no 'nothing'"),
            (lambda: at("a", 0, "c"), "doc.a[0]: has no 'c'"),
            (lambda: at("a", 1).table(), "doc.a[1]: expected an object, found a string"),
            (lambda: at("a").table(), "doc.a: expected an object, found a list"),
            (lambda: at("a", 1).integer(), "doc.a[1]: expected an integer, found a string"),
            (lambda: at("a", 2).integer(), "doc.a[2]: expected an integer, found 2.5"),
            (lambda: at("a", 0, "flag").integer(), "doc.a[0].flag: expected an integer, found true or false"),
            (lambda: at("a", 0).integer(), "doc.a[0]: expected an integer, found an object"),
            (lambda: at("a", 0, "b").text(), "doc.a[0].b: expected a string, found 1"),
            (lambda: list(at("a", 0, "b").rows()), "doc.a[0].b: expected a list, found 1"),
            (lambda: list(at("a", 0).rows("b")), "doc.a[0].b: expected a list, found 1"),
            (lambda: ROOT.integers("a"), "doc.a[0]: expected an integer, found an object"),
            (lambda: at("a", 0).maybe_text("b"), "doc.a[0].b: expected a string, found 1"),
            (lambda: ROOT.maybe_integer("list"), "doc.list: expected an integer, found a list"),
            (lambda: list(Cursor({"n": {"x": 1}}, None, "doc").by_number("n")), "doc.n.x: expected a number as the key"),
            (lambda: list(Cursor({"n": {"-1": 1}}, None, "doc").by_number("n")), "doc.n.-1: expected a number as the key"),
            (lambda: list(ROOT.by_number("list")), "doc.list: expected an object, found a list"),
            (lambda: Cursor(None, None, "doc").table(), "doc: expected an object, found null"),
        ],
    )
    def test_another_kind_is_refused_with_the_place(self, read: Callable[[], object], message: str) -> None:
        """What was expected, and what there is."""
        assert complaint(read) == message

    def test_what_is_there_is_read(self) -> None:
        """Integers, texts, rows and numbered entries."""
        assert (at("a", 0, "b").integer(), at("a", 1).text(), ROOT.integers("list")) == (1, "text", (1, 2))
        assert [(n, c.text()) for n, c in ROOT.by_number("numbers")] == [(3, "x"), (10, "y")]

    def test_what_is_missing_may_be_missing(self) -> None:
        """A null is as good as no key."""
        here = at("a", 0)
        assert (here.maybe("x"), here.maybe("c"), here.maybe_text("x"), here.maybe_integer("c")) == (None, None, None, None)
        assert (list(here.rows("x")), list(here.by_number("x")), here.integers("x")) == ([], [], ())


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner, max_size=3),
    max_leaves=10,
)


def refused(read: Callable[[], object]) -> str:
    """What is said where a value is refused; the document's name where it is read."""
    try:
        read()
    except UnreadableError as error:
        return error.message
    return "doc"


@hypothesis(deadline=None)
@given(JSON)
def test_any_value_is_read_or_refused_with_the_place(value: object) -> None:
    """No other error than ours, whatever the document holds."""
    here = Cursor(value, None, "doc")
    for read in (here.integer, here.text, here.table, lambda: list(here.rows()), lambda: list(here.by_number("a"))):
        assert refused(read).startswith("doc")


@pytest.mark.parametrize("key", ["²", "①", "", " 1", "1.5", "x"])
def test_a_key_that_is_no_number_is_refused(key: str) -> None:
    """Also a digit that stands above the line."""
    assert complaint(lambda: list(Cursor({"n": {key: 1}}, None, "doc").by_number("n"))) == f"doc.n.{key}: expected a number as the key"
