"""Builds the Report on a printed graph: that of a script which calls the function once, including everything that the text leaves open."""

from __future__ import annotations

import dataclasses
import shlex
from collections.abc import Iterator, Mapping, Sequence

from ...capture.model import Capture, FrameworkInfo, ScriptEnd
from ...devices import HOST, DeviceProfile, option_of, with_overhead
from ...findings import EXACT_FIGURES, Confidence, Skipped
from ...gc_pause import no_collections
from ...ir import Constant, Shape, Unknown
from ...ir.shape import Value, is_exact
from ...memory.profile import MemoryProfile, UnknownSize
from ...printed import DebugPrint
from ...report.model import Report, argument
from .. import compose
from .execution_variants import Dtypes, PrintedOutcome, outcome, printed_floats
from .shaping import NO_TYPE, Shaped, shape_names


@no_collections()
def report(
    text: DebugPrint,
    source: str,
    shapes: Mapping[str, Sequence[int]],
    device: DeviceProfile | None = None,
    overhead: int | None = None,
    *,
    values: Mapping[str, Value] | None = None,
    allow_gc: bool = True,
    preallocate: float = 0.0,
    batch_dim: Sequence[str] = (),
    dtypes: Dtypes | None = None,
) -> Report:
    """Reports on the largest printed graph of a text; `dtypes` are types to assume for Variables whose type it does not print."""
    target = device or HOST
    target = target if overhead is None else with_overhead(target, overhead)
    result = outcome(text, shapes, target, values, dtypes=dtypes, allow_gc=allow_gc, preallocate=preallocate)
    text, shaped = result.text, result.shaped
    given = [*(("shape", n, ",".join(map(str, s))) for n, s in shapes.items()), *(("value", n, str(v)) for n, v in (values or {}).items())]
    skipped = (*text.skipped, *_left_out(text, result), *_types(shaped, dtypes), *_needs(shaped, source, given, dtypes, target))
    framework = FrameworkInfo(text.dialect, "?", "")
    capture = Capture(source, "", "", result.script, ScriptEnd("finished", 0), framework, skipped)
    composed = compose.report(capture, target, batch=batch_dim, process=result.runs[0])
    composed = _with_ways(composed, result)
    if shaped.assumed:
        composed = dataclasses.replace(
            composed, findings=tuple(dataclasses.replace(f, confidence=Confidence.GUESSED) for f in composed.findings)
        )
    composed = _as_bounds(composed, shaped) if shaped.untyped else composed
    return _as_cut(composed, text) if text.main.cut else composed


def _with_ways(report: Report, result: PrintedOutcome) -> Report:
    """The report with the figures of all execution variants that the printed text allows, and a verdict only where all agree."""
    profiles = result.process.functions
    rows = tuple(dataclasses.replace(f, profile=profiles.get(f.index, f.profile)) for f in report.functions)
    if report.process.fits != result.process.fits:
        rows = tuple(dataclasses.replace(f, fits=None) for f in rows)
    return dataclasses.replace(report, functions=rows, process=result.process)


def _as_bounds(report: Report, shaped: Shaped) -> Report:
    """The report where Variables have no printed type: since they may be on the device or not, it does not say that anything fits."""
    reason = NO_RANK if shaped.assumed else NO_TYPE.reason
    untyped = tuple(UnknownSize(v.name or f"variable {v.id}", None, reason) for v in shaped.graph.variables if v.type.text == "?")
    functions = tuple(dataclasses.replace(f, fits=f.fits and None, profile=_lower_bound(f.profile, untyped)) for f in report.functions)
    without = f"{len(untyped)} Variables have" if len(untyped) != 1 else "one Variable has"
    unknown = Unknown(f"{without} no type in the text" + " and no known shape" * bool(shaped.assumed))
    process = dataclasses.replace(report.process, fits=report.process.fits and unknown)
    return dataclasses.replace(report, functions=functions, process=process)


def _as_cut(report: Report, text: DebugPrint) -> Report:
    """The report on a part of a graph, such as the one node that a log prints: it does not say that anything fits."""
    rows = tuple(UnknownSize(text.graph.applies[n].op.text, None, CUT) for n in sorted(text.main.cut) if n < len(text.graph.applies))
    functions = tuple(dataclasses.replace(f, fits=f.fits and None, profile=_lower_bound(f.profile, rows)) for f in report.functions)
    count = len(text.main.cut)
    unknown = Unknown(f"the text has a part of the graph: inputs of {count} node{'s' * (count > 1)} are not printed")
    process = dataclasses.replace(report.process, fits=report.process.fits and unknown)
    return dataclasses.replace(report, functions=functions, process=process)


CUT = "the computation of its inputs is not printed"
"""Why a node whose inputs are not printed makes the figures lower bounds."""
NO_RANK = "neither its type is printed nor is its shape known"
"""Why an untyped Variable has no size although other types were assumed."""


def _lower_bound(profile: MemoryProfile | None, untyped: tuple[UnknownSize, ...]) -> MemoryProfile | None:
    return profile and dataclasses.replace(profile, unknown=profile.unknown or untyped)


MOST_NAMES = 12
"""Maximum number of inputs whose shapes the report asks for individually."""


def _types(shaped: Shaped, dtypes: Dtypes | None) -> Iterator[Skipped]:
    """Yields notes on the dtypes that were assumed."""
    if shaped.assumed and dtypes is not None:
        yield Skipped(f"types of {shaped.assumed} Variables", f"not printed; assumed from {dtypes.options}")
        floats = printed_floats(shaped.graph)
        if floats and dtypes.floatX not in floats:
            yield Skipped("floatX", f"Ops of the text name {' and '.join(floats)}: the figures may be those of another floatX")


def _needs(
    shaped: Shaped, source: str, given: Sequence[tuple[str, str, str]], dtypes: Dtypes | None, target: DeviceProfile
) -> Iterator[Skipped]:
    """Yields a note for each shape or value that the text lacks, with the option that supplies it, then the command with all options;
    `given`: options already used.
    """
    patterns = _patterns(shaped) if shaped.needed else {}
    needed = {name: patterns.get(name, "N,N") for name in shaped.needed}
    options = [*given]
    for name in shaped.needed[:MOST_NAMES]:
        options.append(("shape", name, needed[name]))
        yield Skipped(f"the shape of {name}", f"it is not in the text; give --shape {shlex.quote(f'{name}={needed[name]}')}")
    for name in shaped.values[:MOST_NAMES]:
        options.append(("value", name, "N"))
        yield Skipped(f"the value of {name}", f"a size depends on it; give --value {name}=N")
    left = len(shaped.needed[MOST_NAMES:]) + len(shaped.values[MOST_NAMES:])
    if left:
        yield Skipped(f"{left} further inputs", "their shapes or values are not in the text either")
    untyped = shaped.untyped and dtypes is None
    if shaped.needed or shaped.values or untyped:
        command = [f"--{option} {shlex.quote(f'{name}={what}')}" for option, name, what in options] + ["..."] * bool(left)
        likely = f"--floatX {next(iter(printed_floats(shaped.graph)), 'float32')}"
        types = [dtypes.options] if dtypes is not None else [likely] if untyped else []
        device = [] if target.total_bytes is None else [f"--gpu {shlex.quote(option_of(target))}"]
        yield Skipped(EXACT_FIGURES, " ".join(["theanodiag graph", argument(source), *command, *types, *device]))


def _patterns(shaped: Shaped) -> dict[str, str]:
    """For each input a pattern for --shape: its known lengths, N for unknown ones."""
    rows: dict[str, str] = {}
    names = shape_names(shaped.graph)
    for v in shaped.graph.variables:
        if v.id in names:
            shape = shaped.table.shape(v.id)
            static = (None, None) if v.type.text in ("", "?") else v.type.shape  # without a printed type, show the pattern of a matrix
            dims: Shape | tuple[int | None, ...] = static if isinstance(shape, Unknown) else shape
            rows[names[v.id]] = ",".join(str(d) if isinstance(d, int) else "N" for d in dims)
    return rows


def _left_out(text: DebugPrint, result: PrintedOutcome) -> Iterator[Skipped]:
    """Yields the parts that the printed text leaves out."""
    main, graph = text.main, text.graph
    if len(text.prints) > 1:
        yield Skipped(f"{len(text.prints) - 1} other printed graphs", "the report is on the largest one")
    if main.inside:
        yield Skipped(f"what is around {main.inside}", "the text has only the inner graph: the figures are those of one run of it")
    if main.cut:
        yield Skipped(f"{len(main.cut)} nodes", "their inputs are not printed (a depth limit or a cut text)")
    figures = [f"{what}: {result.range}" for what in result.open]
    yield from (Skipped(f"the size of {row.variable}", row.reason) for row in result.unsure if row.reason not in figures)
    yield from (Skipped("one figure", reason) for reason in figures)
    if result.shaped.unread:
        n = len(result.shaped.unread)
        yield Skipped(f"{n} shared variable{'s' * (n > 1)}", "not printed, since no node reads them; counted as large as their new values")
    cut = [v for v in graph.variables if isinstance(v, Constant) and not v.name and not is_exact(result.shaped.table.shape(v.id))]
    if cut:
        yield Skipped(f"{len(cut)} constants", "their values are printed shortened, so their shapes are unknown")
