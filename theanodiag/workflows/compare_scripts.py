"""Runs a script, or a script and its port, in two interpreters and compares what their functions compute."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from os import PathLike
from pathlib import Path
from typing import Any

from ..capture.model import Capture, InstrumentAsked
from ..capture.runner import run_script
from ..comparison.model import Comparison, Difference, FunctionPair, Side, Tolerance
from ..errors import UsageError
from ..processes import interpreter
from ..processes.guard import temporary
from .first_node import INSIDE, Rerun, ask, first_node

Row = Mapping[str, Any]
"""An event of the recording instrument."""


@dataclass(frozen=True)
class _Ran:
    """One run: what was captured, the folder with the values, and the calls by function."""

    capture: Capture
    folder: Path
    calls: Mapping[int, Sequence[Row]]


def compare(
    path: str | PathLike[str],
    other: str | PathLike[str] | None = None,
    *,
    python: str,
    against: str,
    args: Sequence[str] = (),
    calls: int = 10,
    rtol: float | None = None,
    atol: float = 0.0,
    seed: int | None = 1234,
    timeout: float | None = 600.0,
    stdout: int | None = None,
    find_node: bool = True,
) -> Comparison:
    """Run the script `path` with the interpreter `python`, and `other` (None: the same script) with `against`, and compare them.

    Functions are paired by the order in which they are compiled, calls by their number.

    Args:
        path: The script.
        other: The script for the second run; None: the same one.
        python: The interpreter of the first run.
        against: The interpreter of the second run.
        args: The script's own arguments.
        calls: Calls of each function that are compared, from the first one.
        rtol: Tolerance relative to the largest magnitude of an array; None: by dtype.
        atol: Absolute tolerance.
        seed: The seed of `random` and `numpy.random` in both runs; None: they are not seeded.
        timeout: Seconds for each run; None: no limit.
        stdout: The file descriptor for the scripts' own output; None: our standard output.
        find_node: Where a call differs, run both scripts once more, up to that call, to find the first node that differs.

    Returns:
        The comparison, function by function.

    Raises:
        UnreadableError: A script or an interpreter cannot be read.
        UsageError: Neither interpreter is Python 3.
    """
    if calls < 1:
        raise UsageError(f"--calls {calls}: nothing would be compared", help="give a number of calls, 1 or more")
    judge = _judge(python, against)
    with temporary() as folder:
        old, new = (
            _run(os.fspath(script), python_, args, calls, seed, timeout, stdout, folder / name)
            for name, script, python_ in (("old", path, python), ("new", path if other is None else other, against))
        )
        found = _compared(old, new, judge, Tolerance(rtol, atol))
        earliest = _earliest(found, old) if find_node else None
        if earliest is None:
            return found
        options = {"args": tuple(args), "max_calls": calls, "timeout": timeout}
        again = [
            Rerun(ran.capture.path, ran.capture.interpreter, folder / f"{name}-again", options, seed)
            for name, ran in (("old", old), ("new", new))
        ]
        node = first_node(again[0], again[1], *earliest, judge, Tolerance(rtol, atol))
        return replace(found, node_unknown=node) if isinstance(node, str) else replace(found, node=node)


def _earliest(found: Comparison, old: _Ran) -> tuple[int, Difference] | None:
    """The function and the difference of the call that was made before all others that differ."""
    order = {(int(str(e["function"])), int(str(e["call"]))): n for n, e in enumerate(old.capture.measured) if e.get("what") == "values"}
    rows = [(order.get((f.index, f.first.call), len(order)), f.index, f.first) for f in found.functions if f.first is not None]
    return min(rows, key=lambda row: row[:2])[1:] if rows else None


def _judge(*names: str) -> str:
    """The interpreter that compares arrays: the last one that is Python 3."""
    found = [interpreter.find(name, os.environ) for name in names]
    judge = next((f.path for f in reversed(found) if f.version >= (3, 5)), None)
    if judge is None:
        raise UsageError("both interpreters are Python 2", help="name one of Python 3 as one of the two")
    return judge


def _run(
    path: str, python: str, args: Sequence[str], calls: int, seed: int | None, timeout: float | None, stdout: int | None, folder: Path
) -> _Ran:
    folder.mkdir()
    options = {"folder": str(folder), "calls": calls, "seed": seed}
    asked = InstrumentAsked(INSIDE / "record.py", options)
    capture = run_script(path, python, args, max_calls=calls, calls="real", timeout=timeout, stdout=stdout, instrument=asked)
    found: dict[int, list[Row]] = {}
    for event in capture.measured:
        if event.get("what") == "values":
            found.setdefault(int(str(event["function"])), []).append(event)
    return _Ran(capture, folder, found)


def _compared(old: _Ran, new: _Ran, judge: str, tolerance: Tolerance) -> Comparison:
    functions = [_pair(old, new, index, judge, tolerance) for index in range(min(len(r.capture.script.functions) for r in (old, new)))]
    return Comparison(_side(old), _side(new), tuple(functions))


def _side(ran: _Ran) -> Side:
    c = ran.capture
    framework = f"{c.framework.name} {c.framework.version}" if c.framework is not None else "no framework"
    ended = "" if not c.end.failed and c.end.status != "timeout" else c.end.message or c.end.status
    return Side(c.path, c.interpreter, framework, len(c.script.functions), ended)


def _pair(old: _Ran, new: _Ran, index: int, judge: str, tolerance: Tolerance) -> FunctionPair:
    one, other = (ran.capture.script.functions[index] for ran in (old, new))
    calls = old.calls.get(index, ()), new.calls.get(index, ())
    rows = [(call, a, b) for call, (left, right) in enumerate(zip(*calls)) for a, b in _values(left, right)]
    found = _differences(old, new, rows, judge)
    first, worst = None, (0.0, 0.0)
    places = [_places(ran, index) for ran in (old, new)]
    for (call, a, b), measured in zip(rows, found):
        difference = _difference(call, a, b, measured, tolerance, (places[0](a), places[1](b)))
        if difference is not None:
            first = difference
            break
        if measured is not None and measured["absolute"]:
            worst = max(worst, (measured["absolute"], measured["absolute"] / (measured["scale"] or 1.0)))
    seconds = tuple(sum(float(row["seconds"]) for row in side) for side in calls)
    return FunctionPair(
        index, (one.name, other.name), (len(one.graph.applies), len(other.graph.applies)), (len(calls[0]), len(calls[1])),
        (seconds[0], seconds[1]), len(rows), *worst, first,
    )  # fmt: skip


def _values(left: Row, right: Row) -> Sequence[tuple[Row | None, Row | None]]:
    """The values of one call in both runs: outputs by their number, shared variables by their name, those without one in their order."""
    sides = [{_key(row, n): row for n, row in enumerate(side["values"])} for side in (left, right)]
    return [(sides[0].get(key), sides[1].get(key)) for key in dict.fromkeys((*sides[0], *sides[1]))]


def _key(row: Row, number: int) -> str:
    return f"#{number}" if str(row["name"]).startswith("shared variable") else str(row["name"])


def _differences(old: _Ran, new: _Ran, rows: Sequence[tuple[int, Row | None, Row | None]], judge: str) -> list[Row | None]:
    """For each pair of arrays of one shape what differs; None where there is nothing to compare element by element."""
    pairs = [
        [str(old.folder / a["file"]), str(new.folder / b["file"])]
        if a is not None and b is not None and a["file"] and b["file"] and a["shape"] == b["shape"]
        else None
        for _, a, b in rows
    ]
    asked = [pair for pair in pairs if pair is not None]
    if not asked:
        return [None] * len(pairs)
    answers = iter(ask(judge, "differ.py", asked))
    return [next(answers) if pair is not None else None for pair in pairs]


def _difference(
    call: int, a: Row | None, b: Row | None, measured: Row | None, tolerance: Tolerance, places: tuple[int | None, int | None]
) -> Difference | None:
    """How one value differs; None where it is the same."""
    name, dtype = str((a or b or {}).get("name")), str((a or b or {}).get("dtype"))
    if a is None or b is None:
        return Difference(call, name, f"only the {'new' if a is None else 'old'} run has it", places=places, dtype=dtype)
    if a["shape"] != b["shape"]:
        return Difference(call, name, f"shape {tuple(a['shape'])} became {tuple(b['shape'])}", places=places, dtype=dtype)
    if a["dtype"] != b["dtype"]:
        return Difference(call, name, f"{a['dtype']} became {b['dtype']}", places=places, dtype=dtype)
    if measured is None or tolerance.holds(dtype, measured["absolute"], measured["scale"]):
        return None
    absolute, scale = measured["absolute"], measured["scale"]
    relative = None if absolute is None else absolute / (scale or 1.0)
    why = "not finite in one run" if absolute is None else f"off by {absolute:.3g}, {relative:.3g} of the largest value"
    at = tuple(measured["at"]) if measured["at"] is not None else None
    return Difference(call, name, why, absolute, relative, at, places, dtype)


def _places(ran: _Ran, index: int) -> Callable[[Row | None], int | None]:
    """Where a recorded value is among the outputs of its graph: those that are returned, then the updates in the order of the inputs."""
    graph = ran.capture.script.functions[index].graph
    updated = [n for n, entry in enumerate(graph.inputs) if entry.update is not None]

    def place(row: Row | None) -> int | None:
        if row is None:
            return None
        if row["place"] is None:
            return int(str(row["name"]).rpartition(" ")[2])
        return graph.n_returned + updated.index(int(row["place"]))

    return place
