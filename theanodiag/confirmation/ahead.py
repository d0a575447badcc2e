"""XLA's figures ahead of any run: what is asked of it in the script's interpreter, and what it said, beside the calls."""

from __future__ import annotations

import dataclasses
import os
from collections.abc import Iterator, Mapping
from pathlib import Path

from ..capture.model import Capture, InstrumentAsked
from ..devices import DeviceProfile
from ..devices.xla_target import target_of
from ..engines import Engine
from ..findings import Skipped
from ..ir.cursor import Cursor
from ..memory.script import Call, Event, Script, XlaFigures
from .homes import cache
from .reading import PLACE

PROGRAM = Path(__file__).parent / "inside" / "jax_ahead.py"
FOLDER = "jax-cuda"
NO_JAX = ("ModuleNotFoundError", "ImportError")


def plugin_folder(env: Mapping[str, str]) -> Path:
    """Where `doctor --xla` puts JAX's CUDA plugin, a folder for each release of JAX."""
    return cache(env) / FOLDER


def mode(engine: Engine | None, on_gpu: bool) -> str | None:
    """The mode that functions without one of their own are compiled in: that of the engine, or of a GPU's where none was named."""
    if engine is not None:
        return engine.mode
    return "JAX" if on_gpu else None


def asked(device: DeviceProfile | None, mode: str | None, env: Mapping[str, str] = os.environ) -> InstrumentAsked:
    """What is loaded in the script's interpreter: for a GPU its description, if XLA can compile for it.

    `mode`: the mode of functions without one of their own; None leaves the framework's.
    """
    options: dict[str, object] = {"mode": mode, "plugins": str(plugin_folder(env))}
    if device is not None and not device.is_host:
        found = target_of(device)
        if isinstance(found, str):
            options["without_gpu"] = found
        else:
            options.update(target=found.text, card=found.card)
    return InstrumentAsked(PROGRAM, options)


def attached(capture: Capture) -> Capture:
    """The capture with XLA's figures at the calls of which it told, and what it could not tell as skipped."""
    rows = [Cursor(dict(e), step=PLACE) for e in capture.measured if e.get("what") == "xla"]
    if not rows:
        return capture
    figures: dict[tuple[int, int], XlaFigures] = {}
    for row in rows:
        found = _figures(row) if row.maybe_integer("function") is not None else None
        for call in row.integers("calls") if found is not None else ():
            if found is not None:
                figures[row.key("function").integer(), call] = found
    events = tuple(_with(capture.script, figures))
    names = {f.index: f.name for f in capture.script.functions}
    skipped = tuple(dict.fromkeys(_untold(rows, names)))
    return dataclasses.replace(
        capture, script=dataclasses.replace(capture.script, events=events), skipped=(*capture.skipped, *skipped), measured=()
    )


def _with(script: Script, figures: Mapping[tuple[int, int], XlaFigures]) -> Iterator[Event]:
    made: dict[int, int] = {}
    for event in script.events:
        if isinstance(event, Call):
            number = made.get(event.function, 0)
            made[event.function] = number + 1
            found = figures.get((event.function, number))
            of = script.functions[event.function].graph, event.shapes
            yield event if found is None else dataclasses.replace(event, xla=dataclasses.replace(found, of=of))
        else:
            yield event


def _figures(row: Cursor) -> XlaFigures | None:
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
        row.maybe_text("refused"),
    )


def _untold(rows: list[Cursor], names: Mapping[int, str]) -> Iterator[Skipped]:
    """What the compiler was asked for and did not give, each reason once."""
    for row in rows:
        error, instead = row.maybe_text("error"), row.maybe_text("without_gpu")
        if error is not None and row.table().get("everything") is True:
            yield Skipped("XLA's own figures", f"{_advised(error)}; the figures are an upper bound")
        elif row.maybe_integer("function") is None:
            continue
        elif error is not None:
            name = names.get(row.key("function").integer(), "a function")
            yield Skipped(f"XLA's figures of {name}", f"{error}; its figures are an upper bound")
        elif instead is not None:
            told = "those of this host's CPU are told, and the verdict is by an upper bound"
            yield Skipped("XLA's figures for the GPU", f"{instead}; {told}")


def _advised(error: str) -> str:
    if error.startswith(NO_JAX) and "jax" in error:
        return f"the script's interpreter has no JAX ({error})"
    return error
