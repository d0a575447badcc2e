"""What `compare` says of two runs, for people and as JSON."""

from __future__ import annotations

import json
from dataclasses import replace

from theanodiag.comparison.model import Comparison, Difference, FirstNode, FunctionPair, NodeShown, Side
from theanodiag.ir.graph import Site
from theanodiag.report.compared import text
from theanodiag.report.v1.common import text as json_text
from theanodiag.report.v1.compare import CompareV1

SIDES = (Side("old.py", "python3.8", "theano 1.0.5", 1, ""), Side("new.py", "python3.13", "pytensor 3.3.8", 1, ""))
SAME = FunctionPair(0, ("train", "train"), (40, 38), (3, 3), (0.5, 0.25), (2048, None), values=9, absolute=1e-9, relative=2e-9)
DIFFERENT = Difference(1, "W after the update", "off by 0.5, 0.25 of the largest value", 0.5, 0.25, (2, 0), (1, 1), "float32")
EQUAL = Comparison(*SIDES, (SAME,))
NODE = FirstNode(
    0, 1, "W after the update", NodeShown("dot(x, W)", Site("old.py", 7, code="h = T.dot(x, W)"), "float32", (3, 2)), None, 0.5, 0.25, (3,)
)
OFF = replace(EQUAL, functions=(replace(SAME, first=DIFFERENT),), node=NODE)


def test_equal_runs() -> None:
    """The verdict, and a line with calls, nodes, seconds and predicted peaks of both."""
    assert text(EQUAL) == (
        "old.py  theano 1.0.5\nnew.py  pytensor 3.3.8\n\nequal\n\n"
        "train: 3 / 3 calls, 9 values, 40 / 38 nodes, 0.5 / 0.25 s, peak 2.0 KiB / ?: within 1e-09, relative 2e-09\n"
    )
    rounding = text(replace(EQUAL, functions=(replace(SAME, names=("train", "f"), rounding=("output 0",)),)))
    assert rounding.splitlines()[-1].startswith("train / f: ")
    assert rounding.endswith("; rounding alone: output 0\n")
    unread = text(replace(EQUAL, functions=(replace(SAME, unread=("output 1",)),)))
    assert "\nequal except for elements that were not compared\n" in unread
    assert unread.endswith("; by dtype and shape alone: output 1\n")


def test_a_difference_is_named_with_its_node() -> None:
    """Where it is seen first, and the node of each run from which it comes."""
    lines = text(OFF).splitlines()
    assert lines[3] == "not equal: train, call 2, W after the update, element [2, 0]: off by 0.5, 0.25 of the largest value"
    assert lines[4:8] == [
        "first node that differs, in call 2 of train, behind W after the update, in step 4 of the loop, "
        "off by 0.5, 0.25 of the largest value:",
        "  old: dot(x, W)  float32 [3, 2]",
        "       old.py:7: h = T.dot(x, W)",
        "  new: no such node",
    ]
    assert lines[-1].endswith("differs in call 2: W after the update")
    unknown = replace(OFF, node=None, node_unknown="the rerun ended early")
    assert "the first node that differs was not found: the rerun ended early\n" in text(unknown)


def test_runs_that_are_no_pair() -> None:
    """Other numbers of functions or calls, an early end, and nothing compared are never equal."""
    more = replace(EQUAL, new=replace(SIDES[1], functions=2, ended="ValueError: no"))
    lines = text(more).splitlines()
    assert lines[2] == "the new run of new.py ended early: ValueError: no"
    assert lines[4] == "not equal: the runs did not call the same functions the same number of times"
    assert "the old run compiled 1 functions, the new one 2; they are paired by order of creation" in lines
    both = replace(EQUAL, old=replace(SIDES[0], ended="exit code 3"), new=replace(SIDES[1], ended="exit code 3"))
    assert "not known to be equal: both runs ended early; the values until then are equal\n" in text(both)
    assert "not equal: the new run ended early\n" in text(replace(both, old=SIDES[0]))
    for pair in (replace(SAME, values=0), replace(SAME, calls=(3, 2))):
        found = replace(EQUAL, functions=(pair,))
        assert not found.equal
        why = (
            "not compared: no call has a value to compare"
            if not pair.values
            else "not equal: the runs did not call the same functions the same number of times"
        )
        assert f"\n{why}\n" in text(found)


def test_a_port_that_lacks_theanodiag_is_told_to_install_it() -> None:
    """And its run, in which nothing was called, is no evidence of a difference."""
    ended = "ModuleNotFoundError: No module named 'theanodiag'"
    idle = replace(EQUAL, new=replace(SIDES[1], functions=0, ended=ended), functions=())
    lines = text(idle).splitlines()
    assert "pip install theanodiag" in lines[3]
    assert lines[5] == "not compared: the new run compiled no function"
    uncalled = replace(EQUAL, functions=(replace(SAME, values=0, calls=(3, 0)),))
    assert "\nnot compared: the new run called no function\n" in text(uncalled)


def test_other_generators_are_told() -> None:
    """Unless both runs were given the same draws, which are counted."""
    drawing = replace(SAME, draws=(("MRG31k3p",), ()))
    assert "train draws from other generators, other numbers by design: theano.sandbox.rng_mrg / none; --same-draws" in text(
        replace(EQUAL, functions=(drawing,))
    )
    fed = text(replace(EQUAL, functions=(drawing,), same_draws=(5, 1)))
    assert "by design" not in fed
    assert fed.endswith("5 draws of the new run were those of the old one, 1 its own\n")


def test_a_name_cannot_begin_a_line() -> None:
    """A newline in a name is shown as an escape."""
    assert "\n::error" not in text(replace(EQUAL, functions=(replace(SAME, names=("f\n::error::x", "g")),)))


def test_the_document() -> None:
    """The same as plain data, the old run's figure first."""
    found = json.loads(json_text(CompareV1.of(replace(OFF, same_draws=(5, 1)))))
    assert (found["schema"], found["equal"], found["same_draws"]) == ("theanodiag/compare/v1", False, {"fed": 5, "own": 1})
    assert found["first_node"] == {
        "function": 0, "call": 1, "value": "W after the update", "steps": [3], "absolute": 0.5, "relative": 0.25, "new": None,
        "old": {"text": "dot(x, W)", "path": "old.py", "line": 7, "code": "h = T.dot(x, W)", "dtype": "float32", "shape": [3, 2]},
    }  # fmt: skip
    assert found["functions"] == [
        {"index": 0, "names": ["train", "train"], "nodes": [40, 38], "calls": [3, 3], "seconds": [0.5, 0.25], "peak_bytes": [2048, None],
         "draws": [[], []], "values": 9, "largest_absolute": 1e-9, "largest_relative": 2e-9, "rounding": [],
         "by_shape_alone": [],
         "first_difference": {"call": 1, "value": "W after the update", "why": "off by 0.5, 0.25 of the largest value", "absolute": 0.5,
                              "relative": 0.25, "at": [2, 0]}},
    ]  # fmt: skip
    assert CompareV1.of(EQUAL).first_node is None
