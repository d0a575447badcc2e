"""Ends that CPython's search for garbage brings: by chance, or since the script asked for it."""

from __future__ import annotations

import json

import pytest

from theanodiag.agent.hook.garbage import DEEP, LATER, Searches
from theanodiag.agent.hook.stream import Stream

CHANCE, CERTAIN = {"event": "delete", "shared": 3, "collected": True}, {"event": "delete", "shared": 3}
OLDEST, YOUNG = {"generation": 2}, {"generation": 1}


class Kept(Stream):
    """A stream whose events stay here."""

    def __init__(self) -> None:
        self.events: list[dict[str, object]] = []

    def emit(self, event: str, **fields: object) -> None:
        """Keeps it as the runner would read it."""
        self.events.append(json.loads(json.dumps({**fields, "event": event})))


@pytest.fixture
def stream() -> Kept:
    """An empty one."""
    return Kept()


def events(stream: Kept) -> list[dict[str, object]]:
    """What a stream holds."""
    return stream.events


def test_what_the_script_drops_is_certain(stream: Kept) -> None:
    """No search is running."""
    Searches().ended(stream, "delete", shared=3)
    assert events(stream) == [CERTAIN]


def found_by_chance(stream: Kept, event: str = "delete", **fields: object) -> Searches:
    """A search that nobody asked for, in which something ended."""
    searches = Searches()
    searches.phase("start", OLDEST)
    searches.ended(stream, event, **(fields or {"shared": 3}))
    searches.phase("stop", OLDEST)
    return searches


def test_what_a_search_finds_is_marked(stream: Kept) -> None:
    """In another run it is found at another time."""
    found_by_chance(stream)
    assert events(stream) == [CHANCE]


def test_it_is_certain_after_some_more_full_searches(stream: Kept) -> None:
    """It is told once, however many searches of young objects, or more full ones, there are."""
    searches = found_by_chance(stream)
    told = []
    for generation in (*[YOUNG] * (LATER + 1), *[OLDEST] * (LATER + 1)):
        searches.phase("start", generation)
        searches.phase("stop", generation)
        told.append(len(events(stream)) == 2)
    assert told == [False] * 2 * LATER + [True, True]
    assert events(stream) == [CHANCE, CERTAIN]


@pytest.mark.parametrize(
    ("event", "fields", "searches"),
    [
        ("delete", {"shared": 3}, DEEP),
        ("delete", {"constant": 3}, DEEP),
        ("delete", {"function": 3}, 1),
        ("release", {"result": 3}, 1),
    ],
    ids=["shared variable", "constant", "function", "result"],
)
def test_it_is_certain_once_the_script_asks_for_searches(stream: Kept, event: str, fields: dict[str, object], searches: int) -> None:
    """It is told once; the search of the young objects only does not tell it. What a graph holds may go after its function."""
    collect = found_by_chance(stream, event, **fields).collecting(lambda generation: 40 + generation)
    assert (collect(1), len(events(stream))) == (41, 1)
    told = [len(events(stream)) for _ in range(DEEP + 1) if collect() == 42]
    assert told == [1] * (searches - 1) + [2] * (DEEP + 2 - searches)


def test_what_an_asked_search_finds_is_certain(stream: Kept) -> None:
    """CPython tells of that search too."""
    searches = Searches()

    def search(generation: int) -> int:
        searches.phase("start", OLDEST)
        searches.ended(stream, "delete", shared=3)
        searches.phase("stop", OLDEST)
        return generation

    searches.collecting(search)()
    assert events(stream) == [CERTAIN]
