"""Texts whose nodes have no ids: `debugprint(f, ids="")`."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest

from theanodiag.errors import UnreadableError
from theanodiag.printed import read_debugprint

from .texts import AESARA, PYTENSOR, THEANO

TEXTS = {name: re.sub(r" \[id \w+\]", "", text) for name, text in (("theano", THEANO), ("aesara", AESARA), ("pytensor", PYTENSOR))}


def each(prefix: str) -> Callable[[str], str]:
    """Puts `prefix` in front of every line."""
    return lambda text: "\n".join(prefix + line for line in text.split("\n"))


CHANGES: dict[str, Callable[[str], str]] = {
    "prompt": each(">>> "),
    "log": each("2021-03-04 10:11:12,345 INFO root: "),
    "level": each("[INFO] "),
    "quotation": each("> "),
    "comment": each("# "),
    "docker compose": each("web_1  | "),
    "change": each("+"),
    "empty lines": lambda text: text.replace("\n", "\n\n"),
    "empty lines in a log": lambda text: each("[INFO] ")(text.replace("\n", "\n\n")),
    "a sentence that speaks of an id": lambda text: f"Hello, here is it:\n\n```\n{text}\n```\nApplies 12, see [id Q].\nThanks | bye\n",
    "a listing": lambda text: f"As [id B] and [@C] say, it is slow | see below 3\n\n{text}",
}


@pytest.mark.parametrize("change", CHANGES.values(), ids=CHANGES)
@pytest.mark.parametrize("text", TEXTS.values(), ids=TEXTS)
def test_what_surrounds_a_graph_does_not_matter(text: str, change: Callable[[str], str]) -> None:
    """Neither what stands in front of each line, nor empty lines, nor ids in other sentences."""
    whole, found = read_debugprint(text), read_debugprint(change(text))
    assert found.graph == whole.graph
    assert len(found.graph.applies) >= 3
    assert not found.damage


def test_only_what_follows_a_graph_is_an_output_of_it() -> None:
    """A line that ends with a number is none at the beginning of a text, nor behind an empty line."""
    assert len(read_debugprint(f"take 3\nAdd 1\n{TEXTS['aesara']}Exp 4\n\nstep 5\n").graph.outputs) == 2


@pytest.mark.parametrize("text", ["x = a |b\nwith |c\n", "x = a |b\n| c |d |\n", "|a|b|\n|c|d|\n"])
def test_other_texts_with_bars_stay_unreadable(text: str) -> None:
    """A bar in a line is no branch."""
    with pytest.raises(UnreadableError):
        read_debugprint(text)


def test_whose_form_it_is() -> None:
    """Only Theano prints empty names."""
    assert [read_debugprint(text).dialect for text in TEXTS.values()] == list(TEXTS)
