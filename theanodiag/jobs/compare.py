"""Runs a script, or a script and its port, in two interpreters and compares what their functions compute; or, without sampling, the
log-densities of the models that they create.
"""

from __future__ import annotations

import difflib
import json
import os
import shlex
import subprocess
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from .. import files
from ..capture.model import Capture, InstrumentRequest, StopByCount
from ..capture.runner import run_script, unsaid
from ..comparison import draws_read
from ..comparison.densities import DensityComparison, ModelsRun, pairs, unpaired
from ..comparison.first_node import (
    Agreement,
    FirstDifference,
    Scale,
    ValuedGraph,
    bounds,
    first,
    lines_that_stand_for_each_other,
    node_text,
    read,
)
from ..comparison.model import MAY_ROUND, RELATIVE, Comparison, Difference, FirstNode, FunctionPair, NodeShown, Side, Tolerance, generators
from ..devices import HOST
from ..engines import choose, settings_for
from ..errors import UnreadableError, UsageError
from ..findings import Location
from ..ir.graph import Site
from ..memory.script import Call, CompiledFunction
from ..memory.simulate import simulate
from ..porting.notebook import cell_code
from ..processes import interpreter
from ..processes.group import temporary
from ..processes.interpreter import AGENT
from ..report.user_source import raising_place
from ..requests import CompareRequest, DensityRequest
from ..workflows.compose import opened_device
from ..workflows.source_files import first_python2

# Runs two scripts again up to the first differing call, and finds the first node that differs in it.

RECORD = AGENT / "record"


@dataclass(frozen=True)
class Rerun:
    """One of the two runs, which can be repeated: its script, its interpreter, and the folder for its values."""

    path: str
    python: str
    folder: Path
    options: Mapping[str, object]
    """The options passed to `run_script`."""
    randomness: Mapping[str, object]
    """The instrument's options for seeds and draws."""

    def graph(self, function: int, call: int) -> ValuedGraph | None:
        """Runs the script again and returns the user's graph of call number `call` of a function, with its values; None if the run did not
        reach the call, or its graph is unknown.
        """
        self.folder.mkdir()
        options = {"folder": str(self.folder), "calls": 1, "function": function, "call": call, **self.randomness}
        instrument = InstrumentRequest(RECORD / "recompute.py", options)
        with open(os.devnull, "w", encoding="utf-8") as nowhere:
            quiet = nowhere.fileno()
            run_script(self.path, self.python, calls="real", instrument=instrument, stdout=quiet, stderr=quiet, **self.options)  # type: ignore[arg-type]
        try:
            document = json.loads((self.folder / "graph.json").read_text(encoding="utf-8"))
        except (OSError, ValueError):
            return None
        return read(document["table"], document["roles"]) if document["table"] is not None else None


def first_node(
    old: Rerun,
    new: Rerun,
    compiled: tuple[CompiledFunction, CompiledFunction],
    calls: tuple[Site | None, Site | None],
    difference: Difference,
    judge: str,
    tolerance: Tolerance,
) -> FirstNode | str:
    """Finds the first node that differs in one call of a function, or returns the reason, as text, why it was not found. `compiled` is the
    function in both runs.

    `calls`: the lines of that call.
    """
    graphs = []
    for name, side in (("old", old), ("new", new)):
        graph = side.graph(compiled[0].index, difference.call)
        if graph is None:
            return f"the {name} run did not come to this call again, or its graph is not known"
        graphs.append(graph)
    values = tuple(None if place is None else graph.outputs[place] for graph, place in zip(graphs, difference.places))
    by_dtype = difference.absolute is None and " became float" in difference.why
    judging = _Judging((old.folder, new.folder), judge, difference.dtype, tolerance, by_dtype)
    origin = first(graphs[0], graphs[1], (values[0], values[1]), judging, _aligned(old.path, new.path))
    measured = judging.measured(origin)
    named = [_shown(origin, side, values[side], compiled[side], calls[side]) for side in (0, 1)]
    return FirstNode(compiled[0].index, difference.call, difference.value, named[0], named[1], *measured, steps=origin.steps)


def rounding_alone(sides: Sequence[Rerun], function: int, call: int, differences: Sequence[Difference], judge: str) -> frozenset[str]:
    """Returns the names of those `differences`, all of one call, that rounding in the values from which they are computed explains."""
    allowed: list[list[float]] = []
    for number, side in enumerate(sides):
        graph = side.graph(function, call)
        if graph is None:
            return frozenset()
        files_ = [(n, str(side.folder / row.file)) for n, row in enumerate(graph.variables) if row.file is not None]
        scales = {n: Scale(*one) for (n, _), one in zip(files_, query_judge(judge, "scales", [path for _, path in files_]))}
        limits = bounds(graph, scales)
        places = [d.places[number] for d in differences]
        allowed.append([0.0 if place is None else limits.get(graph.outputs[place], 0.0) for place in places])
    return frozenset(
        d.value for d, a, b in zip(differences, *allowed) if d.absolute is not None and a > 0 and b > 0 and d.absolute <= a + b
    )


def _shown(origin: FirstDifference, side: int, value: int | None, compiled: CompiledFunction, call: Site | None) -> NodeShown | None:
    """How one side's node is displayed. An argument has the line of the call. A side without such a value shows the function that was
    compiled without it.
    """
    variable = (origin.old, origin.new)[side]
    if variable is None:
        return NodeShown(f"{compiled.name}, which has no such value", compiled.site, None, None) if value is None else None
    graph = origin.graphs[side]
    text, site = node_text(graph, variable)
    if dict(zip(graph.inputs, graph.roles)).get(variable) == "argument":
        site = call or site
    return NodeShown(text, site or origin.loops[side], graph.variables[variable].dtype, graph.variables[variable].shape)


class _Judging:
    """Compares arrays by running a program in an interpreter that has numpy."""

    def __init__(self, folders: tuple[Path, Path], judge: str, dtype: str | None, tolerance: Tolerance, dtypes: bool) -> None:
        self.folders, self.judge, self.dtypes, self.absolute = folders, judge, dtypes, tolerance.absolute
        relative = tolerance.relative if tolerance.relative is not None else RELATIVE.get(dtype or "", 1e-10)
        self.relative = relative

    def __call__(self, old: ValuedGraph, new: ValuedGraph) -> Agreement:
        sides = [
            [[n, str(folder / row.file)] for n, row in enumerate(graph.variables) if row.file is not None]
            for graph, folder in zip((old, new), self.folders)
        ]
        task = {"old": sides[0], "new": sides[1], "relative": self.relative, "absolute": self.absolute, "dtypes": self.dtypes}
        answer = query_judge(self.judge, "matches", task)
        pairs: dict[int, set[int]] = {}
        for a, b in answer["pairs"]:
            pairs.setdefault(a, set()).add(b)
        return Agreement(pairs, (frozenset(answer["weak"][0]), frozenset(answer["weak"][1])))

    def measured(self, origin: FirstDifference) -> tuple[float | None, float | None]:
        """Returns the largest absolute and relative difference of the two values; None if their shapes differ, or the difference is
        infinite.
        """
        if origin.old is None or origin.new is None:
            return None, None
        rows = [graph.variables[v] for graph, v in zip(origin.graphs, (origin.old, origin.new))]
        if rows[0].shape != rows[1].shape or rows[0].file is None or rows[1].file is None:
            return None, None
        answer = query_judge(self.judge, "differences", [[str(self.folders[0] / rows[0].file), str(self.folders[1] / rows[1].file)]])[0]
        absolute = answer["absolute"]
        return absolute, None if absolute is None else absolute / (answer["scale"] or 1.0)


def query_judge(judge: str, question: str, task: object) -> Any:
    """Returns the answer of the program `agent/record/compared_arrays.py`, run in the interpreter `judge`. Raises `UnreadableError` if that
    has no numpy.
    """
    done = subprocess.run(
        [judge, str(RECORD / "compared_arrays.py"), question], input=json.dumps(task), capture_output=True, text=True, check=False
    )
    if done.returncode:
        message = (done.stderr.strip().splitlines() or ["no message"])[-1]
        raise UnreadableError(f"the arrays cannot be compared: {message}", path=judge, help="the interpreter needs numpy")
    return json.loads(done.stdout)


def _aligned(old: str, new: str) -> Callable[[Site | None, Site | None], bool]:
    """Returns a predicate on two places: whether they are the same line of one file, or corresponding lines of the scripts `old` and `new`.

    Files with the same name in different folders are aligned as the scripts are.
    """
    known: dict[tuple[str, str], Callable[[int, int], bool]] = {}

    def aligned(a: Site | None, b: Site | None) -> bool:
        if a is None or b is None:
            return False
        if a.path == b.path:
            return a.line == b.line
        places = [Location(site.path) for site in (a, b)]
        names = [os.path.basename(place.in_file().path) for place in places]
        scripts = names == [os.path.basename(old), os.path.basename(new)]
        if places[0].cell != places[1].cell or (not scripts and names[0] != names[1]):
            return False
        key = a.path, b.path
        if key not in known:
            known[key] = lines_that_stand_for_each_other(_blocks(*key))
        return known[key](a.line, b.line)

    return aligned


def _blocks(old: str, new: str) -> list[tuple[str, int, int, int, int]]:
    try:
        sources = [_lines(Location(path)) for path in (old, new)]
    except UnreadableError:
        return []
    return list(difflib.SequenceMatcher(None, sources[0], sources[1], autojunk=False).get_opcodes())


def _lines(place: Location) -> list[str]:
    """The lines of a source, or of a notebook's cell."""
    if place.cell is None:
        return files.read(place.path, files.TEXT).decode("utf-8", "replace").splitlines()
    return cell_code(place).splitlines()


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


def compare(request: CompareRequest, *, stdout: int | tuple[int, int] | None = None, doing: Callable[[str], None] = unsaid) -> Comparison:
    """Compares what the functions of two runs computed. Functions are paired by compilation order, and calls by number.

    `stdout`: the descriptor for the scripts' output, or a pair of descriptors: for all output of the first run including its errors, and
    for that of the second. None: the output of this process. `doing` is called with a description of each step before it begins. Raises
    `UnreadableError` for a script or an interpreter that cannot be read, `UsageError` if neither is Python 3.
    """
    stop, tolerance = StopByCount(request.stop_after), Tolerance(request.rtol, request.atol)
    judge = _judge(request.timeout, request.python, request.against)
    _require_readable(request)
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


def _require_readable(request: CompareRequest) -> None:
    """Raises `UnreadableError` for a script that the first run, which may take long, would be made for in vain."""
    for path, python, option in (
        (request.path, request.python, "--python"),
        (request.other or request.path, request.against, "--against"),
    ):
        files.read(path, files.TEXT, help="name the two scripts to compare")
        version = interpreter.find(python, os.environ, request.timeout).version
        if version[0] == 3 and not path.endswith(".ipynb") and first_python2(Path(path)) == Path(path):
            copy = shlex.quote(f"{os.path.splitext(path)[0]}_python3.py")
            ported = f"theanodiag port {shlex.quote(path)} --python2to3 --into {copy}"
            reason = f"this is Python 2, which CPython {'.'.join(map(str, version))} of {option} cannot read"
            help = f"compare it with its port: {ported}; theanodiag compare {shlex.quote(path)} {copy}"
            raise UnreadableError(reason, path=path, help=help)


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
    """The script's line of a call of a function; None if it is not known."""
    calls = [event.site for event in capture.script.events if isinstance(event, Call) and event.function == function and not event.assumed]
    return calls[call] if call < len(calls) else None


def _judge(limit: float | None, *names: str) -> str:
    """The interpreter that compares arrays: the last one that is Python 3."""
    interpreters = [interpreter.find(name, os.environ, limit) for name in names]
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
    place = raising_place(c.end.traceback or "") if ended and c.end.exception and "line " not in ended else None
    ended = f"{place}: {ended}" if place else ended
    return Side(c.path, c.interpreter, framework, len(c.script.functions), ended, was_lent(c))


def was_lent(capture: Capture) -> bool:
    """Returns whether the script imported theanodiag although it is not installed in the script's environment, so that this program added
    its own copy for the run.
    """
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
    """Call -> the largest magnitude among its compared floats."""
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
    """For each pair of arrays of one shape what differs; None if there is nothing to compare element by element."""
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
    """How one value differs; None if it is the same."""
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
"""Number of points at which densities are compared, in addition to the start."""


def compare_densities(
    request: DensityRequest, *, stdout: int | tuple[int, int] | None = None, doing: Callable[[str], None] = unsaid
) -> DensityComparison:
    """Compares the models of two runs. They are paired by the names of their variables and evaluated at the same points. Nothing is
    sampled.

    `stdout`: as for `compare`. `doing` is called with a description of each run before it begins. Raises `UnreadableError` for a script or
    an interpreter that cannot be read.
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
    compared = pairs(left, right, request.rtol, request.atol)
    read, unsure = draws_read.differences(old[1], new[1])
    notes = (*unsure, *draws_read.sampled(old[1], new[1]))
    return DensityComparison(_models_run(*old, lonely[0]), _models_run(*new, lonely[1]), compared, read, notes)


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
    failed = tuple(f"{draws_read.place(name, line)}: {exception}" for name, line, exception in document["failed"])
    lent = was_lent(capture)
    return ModelsRun(capture.path, capture.interpreter, document["library"] or "", len(document["models"]), ended, failed, lonely, lent)
