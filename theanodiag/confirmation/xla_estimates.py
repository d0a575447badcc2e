"""XLA's memory figures without a run: the instrument that asks XLA in the script's interpreter, and its answers attached to the recorded
calls.
"""

from __future__ import annotations

import dataclasses
import os
import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from ..capture.model import Capture, InstrumentRequest
from ..devices import DeviceProfile
from ..devices.xla_target import target_of
from ..engines import Engine
from ..files import user_cache
from ..findings import Skipped
from ..ir import FunctionGraph
from ..ir.serial import Cursor, site_from_json
from ..memory.script import Call, CompiledFunction, Event, Script, Uncovered, XlaFigures, XlaTemporaries, XlaTemporary
from ..processes import group
from ..processes.interpreter import AGENT
from .model import PLACE

PROGRAM = AGENT / "measure" / "ask_xla.py"
"""Path of the instrument that asks XLA for its memory figures."""
FOLDER = "jax-cuda"
"""Name of the folder in the user's cache for JAX's CUDA plugins."""
PLUGIN, ASSEMBLER = "jax_plugins/xla_cuda12", "nvidia-cuda-nvcc-cu12"
"""The folder of JAX's CUDA plugin in its wheel, and the wheel of NVIDIA's assembler, which code for cards below compute capability 7.5
needs.
"""
SIZE = 560 << 20
"""Bytes that plugin and assembler take on disk."""
RAISED = re.compile(r"\w*(Error|Exception)\b")
"""Matches the text of an exception: it begins with the exception's class."""
NAMED = 4
"""Maximum number of functions named in one error message."""
NO_JAX = ("ModuleNotFoundError", "ImportError")
"""Classes of exceptions that mean that JAX is not installed."""


def plugin_folder() -> Path:
    """Returns the folder in which `doctor --xla` puts JAX's CUDA plugin; it has a subfolder for each release of JAX."""
    return user_cache(os.environ) / FOLDER


def plugin_packages(release: str) -> tuple[str, ...]:
    """Returns the requirements with which pip installs the CUDA plugin for a release of JAX."""
    return f"jax-cuda12-plugin=={release}", f"jax-cuda12-pjrt=={release}", ASSEMBLER


def release_of_jax(python: str, env: Mapping[str, str]) -> str | None:
    """Returns the release of JAX in an interpreter, found without importing JAX; None if there is no JAX."""
    program = "from importlib.metadata import version; print(version('jax'))"
    try:
        done = group.query(group.command(python, program, env), env, 60)
    except OSError:
        return None
    release = done.stdout.decode("utf-8", "replace").strip()
    return release if done.returncode == 0 and re.fullmatch(r"[0-9][0-9a-z.]*", release) else None


def instrument_for(device: DeviceProfile | None, engine: Engine | None) -> InstrumentRequest:
    """Requests the instrument that gets XLA's memory figures of each function, compiled for `device` if XLA can, else for the host's CPU.

    `engine` is the engine that the user requested. Functions without a mode of their own are compiled in its mode, or in mode JAX if no
    engine was requested and `device` is a GPU.
    """
    mode = engine.mode if engine is not None else "JAX" if device is not None and not device.is_host else None
    options: dict[str, object] = {"mode": mode, "linker": (mode or "JAX").lower(), "plugins": str(plugin_folder())}
    if device is not None and not device.is_host:
        target = target_of(device)
        if isinstance(target, str):
            options["without_gpu"] = target
        else:
            options.update(target=target.text, card=target.card)
    return InstrumentRequest(PROGRAM, options)


def attached(capture: Capture) -> Capture:
    """Returns a copy of the capture in which calls have XLA's figures; figures that are missing are listed in `skipped`."""
    answers = [Cursor(dict(e), step=PLACE) for e in capture.measured if e.get("what") in ("xla", "coverage")]
    if not answers:
        return capture
    rows = [row for row in answers if row.key("what").text() == "xla"]
    figures: dict[tuple[int, int], XlaFigures | None] = {}  # later rows are about calls whose arguments have the dtypes of updates
    graphs = {f.index: f.graph for f in capture.script.functions}
    for row in rows:
        index = row.maybe_integer("function")
        of_row = _figures(row, graphs[index]) if index in graphs else None
        for call in row.integers("calls") if row.maybe("calls") is not None else ():
            if index is not None:
                figures[index, call] = of_row
    events = tuple(_with(capture.script, figures))
    functions = tuple(_timed(_covered(capture.script, answers), rows))
    names = {f.index: f.name for f in functions}
    skipped = tuple(dict.fromkeys((*_untold(rows, names), *_uncompared(answers))))
    script = dataclasses.replace(capture.script, functions=functions, events=events)
    return dataclasses.replace(capture, script=script, skipped=(*capture.skipped, *skipped), measured=())


def _covered(script: Script, rows: Sequence[Cursor]) -> tuple[CompiledFunction, ...]:
    """The script's functions, each with the nodes that its compiler has no code for or refuses."""
    uncovered: dict[int, dict[Uncovered, None]] = {}
    for row in rows:
        index = row.maybe_integer("function")
        if index is None:
            continue
        own = uncovered.setdefault(index, {})
        if row.key("what").text() == "coverage":
            for part in row.rows("missing"):
                variable, op, why = part.rows()
                number = variable.integer() if variable.value is not None else None
                own.setdefault(Uncovered(row.key("linker").text(), number, op.text(), why.text()))
        elif row.maybe_text("refused") is not None:
            own.setdefault(Uncovered("jax", row.maybe_integer("variable"), None, row.key("refused").text()))
    return tuple(dataclasses.replace(f, uncovered=tuple(uncovered.get(f.index, ()))) for f in script.functions)


def _timed(functions: Sequence[CompiledFunction], rows: Sequence[Cursor]) -> Iterator[CompiledFunction]:
    """Yields the functions, each with the durations in seconds of its finished compilations."""
    for f in functions:
        own = (row for row in rows if row.maybe_integer("function") == f.index and row.maybe("analysis") is not None)
        seconds = (row.key("seconds").number() for row in own if row.maybe("seconds") is not None)
        yield dataclasses.replace(f, compile_seconds=tuple(s for s in seconds if s is not None))


def _with(script: Script, figures: Mapping[tuple[int, int], XlaFigures | None]) -> Iterator[Event]:
    counts: dict[int, int] = {}
    for event in script.events:
        if isinstance(event, Call):
            number = counts.get(event.function, 0)
            counts[event.function] = number + 1
            xla = figures.get((event.function, number))
            of = script.functions[event.function].graph, event.shapes
            yield event if xla is None else dataclasses.replace(event, xla=dataclasses.replace(xla, of=of))
        else:
            yield event


def _figures(row: Cursor, graph: FunctionGraph) -> XlaFigures | None:
    if row.maybe("analysis") is None:
        return None
    table = row.key("analysis")
    pairs = [[part.integer() for part in pair.rows()] for pair in row.rows("arguments")]
    return XlaFigures(
        table.key("argument").integer(),
        table.key("output").integer(),
        table.key("temp").integer(),
        row.key("backend").text(),
        row.maybe_text("card"),
        tuple((p[0], p[1]) for p in pairs),
        row.integers("results"),
        tuple(part.text() if part.value is not None else None for part in row.rows("dtypes")) if row.maybe("dtypes") is not None else (),
        row.maybe_text("refused"),
        _temporaries(row.maybe("temporaries"), graph),
    )


def _temporaries(at: Cursor | None, graph: FunctionGraph) -> XlaTemporaries | None:
    if at is None:
        return None
    rows = tuple(_temporary(row, graph) for row in at.rows("rows"))
    return XlaTemporaries(at.maybe_text("step"), rows, at.key("rest").integer())


def _temporary(row: Cursor, graph: FunctionGraph) -> XlaTemporary:
    """Reads an XlaTemporary from a row. If the row refers to a Variable of the function's graph, the name, Op and source line are the
    Variable's.
    """
    dtype, _, shape = row.key("shape").text().rstrip("]").partition("[")
    number = row.maybe_integer("variable")
    name, op, site = row.maybe_text("name"), row.maybe_text("op"), site_from_json(row.table().get("site"))
    if number is not None and 0 <= number < len(graph.variables):
        variable = graph.variables[number]
        owner = None if variable.owner is None else graph.applies[variable.owner].op.text
        name, op, site = variable.name, owner, variable.site or site
    return XlaTemporary(
        row.key("bytes").integer(),
        row.key("hlo").text(),
        row.key("opcode").text(),
        dtype,
        tuple(int(n) for n in shape.split(",") if n.isdigit()),
        row.maybe_text("kind"),
        number,
        name,
        op,
        site,
        tuple(text.text() for text in row.rows("fused")),
    )


def _untold(rows: list[Cursor], names: Mapping[int, str]) -> Iterator[Skipped]:
    """Yields a note for each reason why XLA gave no figures of a function, or none for the GPU."""
    failed: dict[str, dict[str, None]] = {}
    for row in rows:
        error, instead = row.maybe_text("error"), row.maybe_text("without_gpu")
        if error is not None and row.table().get("everything") is True:
            yield Skipped("XLA's own figures", f"{_advised(error)}; the figures are an upper bound")
        elif row.maybe_integer("function") is None:
            continue
        elif error is not None:
            failed.setdefault(error, {})[names.get(row.key("function").integer(), "a function")] = None
        elif row.maybe_text("untold") is not None:
            name = names.get(row.key("function").integer(), "a function")
            yield Skipped(f"XLA's temporaries of {name}", f"XLA's dump files are not read: {row.maybe_text('untold')}")
        elif instead is not None:
            clause = "the figures are for this host's CPU, and the verdict uses an upper bound"
            advice = "; theanodiag doctor --xla installs JAX's compiler for GPUs" if "cuda" in instead.lower() else ""
            yield Skipped("XLA's figures for the GPU", f"{instead}; {clause}{advice}")
    for error, named in failed.items():
        shown, left = list(named)[:NAMED], len(named) - NAMED
        whose = "its" if len(named) == 1 else "their"
        of = ", ".join(shown) + (f" and {left} more" if left > 0 else "")
        yield Skipped(f"XLA's figures of {of}", f"{error}; {whose} figures are an upper bound")


def _uncompared(rows: list[Cursor]) -> Iterator[Skipped]:
    """Yields a note for each compiler that could not report which Ops it supports. JAX is left out: the notes on XLA's figures cover it."""
    for row in rows:
        error = row.maybe_text("error") if row.key("what").text() == "coverage" else None
        linker = row.key("linker").text() if error is not None else "jax"
        if linker != "jax":
            name = "torch" if linker == "pytorch" else linker
            yield Skipped(f"Ops that {name} has no code for", f"{name} cannot be asked in the script's interpreter: {error}")


def _advised(error: str) -> str:
    if error.startswith(NO_JAX) and "jax" in error:
        return f"the script's interpreter has no JAX ({error})"
    return f"the JAX in the script's interpreter cannot be asked ({error})" if RAISED.match(error) else error
