"""Runs a script, or a script and its port, in two interpreters and compares what their functions compute; or, without sampling, the
log-densities of the models that they create.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from ..capture.model import Capture, InstrumentRequest, StopByCount
from ..capture.runner import run_script
from ..comparison.densities import DensityComparison, ModelsRun, pairs, unpaired
from ..comparison.model import MAY_ROUND, Comparison, Difference, FunctionPair, Side, Tolerance, generators
from ..devices import HOST
from ..engines import choose, settings_for
from ..errors import UnreadableError, UsageError
from ..ir.graph import Site
from ..memory.script import Call
from ..memory.simulate import simulate
from ..processes import interpreter
from ..processes.group import temporary
from ..requests import CompareRequest, DensityRequest
from ..workflows.compose import opened_device
from ..workflows.reruns import RECORD, Rerun, first_node, query_judge, rounding_alone

_CALLS_ASKED = 3
"""Calls of a function for which both scripts run once more to tell rounding from another computation."""
Row = Mapping[str, Any]
"""An event that the recording instrument emitted."""


@dataclass(frozen=True)
class _Ran:
    """One run: what was captured, the folder with the values, and the calls by function."""

    capture: Capture
    folder: Path
    calls: Mapping[int, Sequence[Row]]


def unsaid(_: str) -> None:
    """Drops the text that describes what a job does, where nobody shows it."""


def compare(request: CompareRequest, *, stdout: int | tuple[int, int] | None = None, doing: Callable[[str], None] = unsaid) -> Comparison:
    """Compares what the functions of both runs computed; functions are paired by compilation order, and calls by number.

    `stdout`: the descriptor for the scripts' output; or two, for the first run's output with its errors, and for the second run's output;
    None: that of this process. `doing` is called with a description of each step before it begins. Raises `UnreadableError` for a script
    or an interpreter that cannot be read, `UsageError` where neither is Python 3.
    """
    stop, tolerance = StopByCount(request.stop_after), Tolerance(request.rtol, request.atol)
    judge = _judge(request.python, request.against)
    with temporary() as folder:
        (folder / "draws").mkdir()
        seeds: list[Mapping[str, object]] = [
            {"seed": request.seed, "draws": {"folder": str(folder / "draws"), "keeps": keeps} if request.same_draws else None}
            for keeps in (True, False)
        ]
        outputs = [(descriptor, descriptor) for descriptor in stdout] if isinstance(stdout, tuple) else [(stdout, None)] * 2
        ran = []
        for name, script, python, randomness, prints in (
            ("old", request.path, request.python, seeds[0], outputs[0]),
            ("new", request.other or request.path, request.against, seeds[1], outputs[1]),
        ):
            doing(f"the {name} run of {os.path.basename(script)} with {python}")
            ran.append(_run(script, python, request, randomness, prints, folder / name, stop))
        old, new = ran
        doing("comparing the values of both runs")
        comparison = _compared(old, new, judge, tolerance, request.same_draws)
        options = {"args": request.args, "max_calls": request.calls, "timeout": request.timeout, "stop": stop}

        def reruns(name: str) -> list[Rerun]:
            doing("both runs once more, to trace a difference to its node")
            return [
                Rerun(ran.capture.path, ran.capture.interpreter, folder / f"{side}-{name}", options, randomness)
                for side, ran, randomness in (("old", old, seeds[0]), ("new", new, seeds[1]))
            ]

        comparison = replace(comparison, functions=tuple(_without_rounding(pair, reruns, judge) for pair in comparison.functions))
        earliest = _earliest(comparison, old) if request.find_node else None
        if earliest is None:
            return comparison
        again = reruns("again")
        index, difference = earliest
        compiled = old.capture.script.functions[index], new.capture.script.functions[index]
        sites = _call_site(old.capture, index, difference.call), _call_site(new.capture, index, difference.call)
        node = first_node(again[0], again[1], compiled, sites, difference, judge, tolerance)
        return replace(comparison, node_unknown=node) if isinstance(node, str) else replace(comparison, node=node)


def _without_rounding(pair: FunctionPair, reruns: Callable[[str], list[Rerun]], judge: str) -> FunctionPair:
    """A function whose differing values may all be rounding, after examining its graph: values that are count as equal, and the first that
    is not is what differs. Each value is traced in the first call in which it differs, in `_CALLS_ASKED` calls at most."""
    if pair.first is not None or not pair.suspects:
        return pair
    rounded: set[str] = set()
    left = list(pair.suspects)
    for _ in range(_CALLS_ASKED):
        here = [d for d in left if d.call == left[0].call]
        names = rounding_alone(reruns(f"rounding-{pair.index}-{here[0].call}"), pair.index, here[0].call, here, judge)
        rounded |= names
        left = [d for d in left if d.value not in rounded]
        if not left or not names.issuperset(d.value for d in here):
            break
    return replace(pair, first=left[0] if left else None, rounding=tuple(sorted(rounded)))


def _earliest(comparison: Comparison, old: _Ran) -> tuple[int, Difference] | None:
    """The function and the difference of the call that was made before all others that differ."""
    order = {(int(str(e["function"])), int(str(e["call"]))): n for n, e in enumerate(old.capture.measured) if e.get("what") == "values"}
    rows = [(order.get((f.index, f.first.call), len(order)), f.index, f.first) for f in comparison.functions if f.first is not None]
    return min(rows, key=lambda row: row[:2])[1:] if rows else None


def _call_site(capture: Capture, function: int, call: int) -> Site | None:
    """The script's line of a call of a function; None where it is not known."""
    calls = [event.site for event in capture.script.events if isinstance(event, Call) and event.function == function and not event.assumed]
    return calls[call] if call < len(calls) else None


def _judge(*names: str) -> str:
    """The interpreter that compares arrays: the last one that is Python 3."""
    interpreters = [interpreter.find(name, os.environ) for name in names]
    judge = next((f.path for f in reversed(interpreters) if f.version >= (3, 5)), None)
    if judge is None:
        raise UsageError("both interpreters are Python 2", help="name one of Python 3 as one of the two")
    return judge


def _run(
    path: str,
    python: str,
    request: CompareRequest,
    randomness: Mapping[str, object],
    outputs: tuple[int | None, int | None],
    folder: Path,
    stop: StopByCount,
) -> _Ran:
    folder.mkdir()
    options = {"folder": str(folder), "calls": request.calls, **randomness}
    instrument = InstrumentRequest(RECORD / "record.py", options)
    capture = run_script(
        path, python, request.args, max_calls=request.calls, calls="real", timeout=request.timeout, stdout=outputs[0], stderr=outputs[1],
        instrument=instrument, stop=stop,
    )  # fmt: skip
    by_function: dict[int, list[Row]] = {}
    for event in capture.measured:
        if event.get("what") == "values":
            by_function.setdefault(int(str(event["function"])), []).append(event)
    return _Ran(capture, folder, by_function)


def _compared(old: _Ran, new: _Ran, judge: str, tolerance: Tolerance, same_draws: bool) -> Comparison:
    both = range(min(len(r.capture.script.functions) for r in (old, new)))
    peaks = _peaks(old.capture), _peaks(new.capture)
    functions = [
        replace(_pair(old, new, index, judge, tolerance, same_draws), peaks=(peaks[0].get(index), peaks[1].get(index))) for index in both
    ]
    draws = next((event for event in new.capture.measured if event.get("what") == "draws"), None) if same_draws else None
    fed = None if draws is None else (int(str(draws["fed"])), int(str(draws["own"])))
    return Comparison(_side(old), _side(new), tuple(functions), same_draws=fed)


def _peaks(capture: Capture) -> dict[int, int]:
    """The predicted peak of live bytes of each function that was called, as `check` predicts it."""
    script, device = capture.script, opened_device(capture) or HOST
    engine = choose(script, device, None)
    device = engine.on(script, device)
    process = simulate(script, engine.settings(script, device, settings_for(script, device)))
    return {index: profile.figures.live_peak_bytes for index, profile in process.functions.items()}


def _side(ran: _Ran) -> Side:
    c = ran.capture
    framework = f"{c.framework.name} {c.framework.version}" if c.framework is not None else "no framework"
    ended = "" if not c.end.failed and c.end.status != "timeout" else c.end.message or c.end.status
    return Side(c.path, c.interpreter, framework, len(c.script.functions), ended, was_lent(c))


def was_lent(capture: Capture) -> bool:
    """Whether the script imported theanodiag where it is not installed."""
    return any(event.get("what") == "lent" for event in capture.measured)


def _pair(old: _Ran, new: _Ran, index: int, judge: str, tolerance: Tolerance, same_draws: bool) -> FunctionPair:
    one, other = (ran.capture.script.functions[index] for ran in (old, new))
    calls = old.calls.get(index, ()), new.calls.get(index, ())
    rows = [(call, a, b) for call, (left, right) in enumerate(zip(*calls)) for a, b in _values(left, right, same_draws)]
    measured = _differences(old, new, rows, judge)
    first, worst, suspects = None, (0.0, 0.0), list[Difference]()
    largest = _largest(rows, measured)
    places = [_places(ran, index) for ran in (old, new)]
    for (call, a, b), measurement in zip(rows, measured):
        difference = _difference(call, a, b, measurement, tolerance, (places[0](a), places[1](b)))
        if difference is not None and _may_be_rounding(difference, largest.get(call, 0.0), tolerance):
            suspects.append(difference)
            continue
        if difference is not None:
            first = difference
            break
        if measurement is not None and measurement["absolute"]:
            worst = max(worst, (measurement["absolute"], measurement["absolute"] / (measurement["scale"] or 1.0)))
    unread = [str(a["name"]) for _, a, b in rows if a is not None and b is not None and not (a["file"] and b["file"])]
    seconds = tuple(sum(float(row["seconds"]) for row in side) for side in calls)
    return FunctionPair(
        index, (one.name, other.name), (len(one.graph.applies), len(other.graph.applies)), (len(calls[0]), len(calls[1])),
        (seconds[0], seconds[1]), values=len(rows) - len(unread), absolute=worst[0], relative=worst[1], first=first,
        draws=(generators(one.graph), generators(other.graph)), suspects=tuple(suspects), unread=tuple(dict.fromkeys(unread)),
    )  # fmt: skip


def _largest(rows: Sequence[tuple[int, Row | None, Row | None]], measured: Sequence[Row | None]) -> dict[int, float]:
    """The largest magnitude among the floats of each call."""
    largest: dict[int, float] = {}
    for (call, a, _), measurement in zip(rows, measured):
        if measurement is not None and a is not None and str(a["dtype"]) in MAY_ROUND:
            largest[call] = max(largest.get(call, 0.0), float(measurement["scale"]))
    return largest


def _may_be_rounding(difference: Difference, largest: float, tolerance: Tolerance) -> bool:
    """Whether a difference is so small relative to the call's values that the graph is examined; never if the user set a tolerance."""
    share = MAY_ROUND.get(str(difference.dtype), 0.0) if tolerance.relative is None else 0.0
    return difference.absolute is not None and difference.absolute <= share * largest


def _values(left: Row, right: Row, same_draws: bool) -> Sequence[tuple[Row | None, Row | None]]:
    """The values of one call in both runs: outputs by their number, shared variables by their name, those without one in their order.

    The states of MRG streams count where both runs have such and each its own draws.
    """
    rows = [left["values"], right["values"]]
    if same_draws or len({sum(bool(row["state"]) for row in side) for side in rows}) > 1:
        rows = [[row for row in side if not row["state"]] for side in rows]
    sides = [{_key(row, n): row for n, row in enumerate(side)} for side in rows]
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
    comparable = [pair for pair in pairs if pair is not None]
    if not comparable:
        return [None] * len(pairs)
    answers = iter(query_judge(judge, "differences", comparable))
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
    """Returns a function from a recorded value to its position among the graph's outputs: results first, then updates in input order."""
    graph = ran.capture.script.functions[index].graph
    updated = [n for n, entry in enumerate(graph.inputs) if entry.update is not None]

    def place(row: Row | None) -> int | None:
        if row is None:
            return None
        if row["place"] is None:
            return int(str(row["name"]).rpartition(" ")[2])
        return graph.n_returned + updated.index(int(row["place"]))

    return place


POINTS = 20
"""Number of points in addition to the start."""


def compare_densities(
    request: DensityRequest, *, stdout: int | tuple[int, int] | None = None, doing: Callable[[str], None] = unsaid
) -> DensityComparison:
    """The models of both runs, paired by the names of their variables and evaluated at the same points. Nothing is sampled.

    `stdout` is the descriptor to which the scripts print; two: one for all that the first run prints, errors too, and one for the second;
    None: ours. `doing` is called with a description of each run before it begins. Raises `UnreadableError` for a script or an
    interpreter that cannot be read.
    """
    outputs = [(descriptor, descriptor) for descriptor in stdout] if isinstance(stdout, tuple) else [(stdout, None)] * 2
    with temporary() as folder:
        files = [folder / "old.json", folder / "new.json"]
        doing(f"the models of {os.path.basename(request.path)} with {request.python}")
        old = _record_models(request.path, request.python, request, files[0], None, outputs[0])
        doing(f"the models of {os.path.basename(request.other or request.path)} with {request.against}")
        new = _record_models(request.other or request.path, request.against, request, files[1], files[0], outputs[1])
    left, right = old[1]["models"], new[1]["models"]
    partners = [row["partner"] for row in right]
    lonely = [unpaired(left, partners), unpaired(right, [n for n, partner in enumerate(partners) if partner is not None])]
    return DensityComparison(_models_run(*old, lonely[0]), _models_run(*new, lonely[1]), pairs(left, right, request.rtol, request.atol))


def _record_models(
    path: str, python: str, request: DensityRequest, file: Path, points: Path | None, outputs: tuple[int | None, int | None]
) -> tuple[Capture, Any]:
    options = {"file": str(file), "points": None if points is None else str(points), "count": POINTS, "seed": request.seed}
    instrument = InstrumentRequest(RECORD / "densities.py", options)
    capture = run_script(
        path, python, request.args, calls="dry", timeout=request.timeout, stdout=outputs[0], stderr=outputs[1], instrument=instrument,
    )  # fmt: skip
    try:
        return capture, json.loads(file.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        help = "the script must end by itself within --timeout"
        raise UnreadableError(f"its models were not seen: {capture.end.message or capture.end.status}", path=path, help=help) from None


def _models_run(capture: Capture, document: Any, lonely: tuple[str, ...]) -> ModelsRun:
    end = capture.end
    ended = "" if not end.failed and end.status != "timeout" else end.exception or end.message or end.status
    names = ((name[len(capture.path) :].lstrip(", "), line, exception) for name, line, exception in document["failed"])
    failed = tuple(f"{cell}{', ' if cell else ''}line {line}: {exception}" for cell, line, exception in names)
    lent = was_lent(capture)
    return ModelsRun(capture.path, capture.interpreter, document["library"] or "", len(document["models"]), ended, failed, lonely, lent)
