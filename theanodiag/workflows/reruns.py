"""Runs two scripts again up to the first differing call, and finds the first node that differs in it."""

from __future__ import annotations

import difflib
import json
import os
import subprocess
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from .. import files
from ..capture.model import InstrumentRequest
from ..capture.runner import run_script
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
from ..comparison.model import RELATIVE, Difference, FirstNode, NodeShown, Tolerance
from ..errors import UnreadableError
from ..findings import Location
from ..ir.graph import Site
from ..memory.script import CompiledFunction
from ..porting.notebook import cell_code
from ..processes.interpreter import AGENT

RECORD = AGENT / "record"


@dataclass(frozen=True)
class Rerun:
    """One of the two runs: its script, its interpreter, and the folder for its values."""

    path: str
    python: str
    folder: Path
    options: Mapping[str, object]
    """The options passed to `run_script`."""
    randomness: Mapping[str, object]
    """The instrument's options for seeds and draws."""

    def graph(self, function: int, call: int) -> ValuedGraph | None:
        """The graph of that call with its values; None if the run did not reach the call, or its graph is unknown."""
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
    """The first node that differs in a call of a function, as compiled by both sides; or the reason why it was not found, as text.

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
    """Those of the `differences`, all of one call, that are explained by rounding in the values they are computed from."""
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
    """The node of one side; of an argument the call's line; where that side has no such value at all, the function that was compiled
    without it.
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
    """Asks an interpreter with numpy which values agree."""

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
        """The largest absolute and relative difference of the two values; None where they have not one shape, or it is infinite."""
        if origin.old is None or origin.new is None:
            return None, None
        rows = [graph.variables[v] for graph, v in zip(origin.graphs, (origin.old, origin.new))]
        if rows[0].shape != rows[1].shape or rows[0].file is None or rows[1].file is None:
            return None, None
        answer = query_judge(self.judge, "differences", [[str(self.folders[0] / rows[0].file), str(self.folders[1] / rows[1].file)]])[0]
        absolute = answer["absolute"]
        return absolute, None if absolute is None else absolute / (answer["scale"] or 1.0)


def query_judge(judge: str, question: str, task: object) -> Any:
    """The answer of `agent/record/compared_arrays.py`; raises `UnreadableError` if the interpreter has no numpy."""
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
