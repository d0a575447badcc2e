"""Combines several changes, for a script that no single change makes fit: applied in order of what they save, simulated together.

Changes without a size to choose (float32, garbage collection, dropping models and idle variables) come first, since they cost least; then,
on what is left, chunks or a smaller batch, or both. It stops at the first combination that fits.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from ..ir import Unknown
from ..memory.profile import ProcessProfile
from ..memory.script import Script
from ..memory.settings import MemorySettings
from ..memory.simulate import simulate_figures
from . import batch
from .axes import Axis
from .batch import BatchPlan, need
from .batch_axes import MOST_NODES
from .chunking import plan as chunking
from .chunking.plan import ChunkPlan
from .collection import is_off
from .duplicate_models import alike, merged, remade, unlike
from .graphs.row_gradients import by_rows, find_row_gradients, in_all
from .resize import WhatIf
from .single_precision import narrowed
from .unused_state import dropping, relieved, searches, unused, without


@dataclass(frozen=True)
class CombinedStep:
    """One change of a combination, applied after those before it."""

    words: str
    """Description of the change; empty where `plan` describes it."""
    after: ProcessProfile
    """The simulation with this change and all before it."""
    flags: str = ""
    """Flags to set: `allow_gc=True` for instance."""
    code: str = ""
    """Python to paste."""
    plan: BatchPlan | ChunkPlan | None = None
    """The batch or chunk plan that this step is; None for other changes."""


@dataclass(frozen=True)
class _State:
    """A script with the changes made so far."""

    script: Script
    settings: MemorySettings
    steps: tuple[CombinedStep, ...]

    def need(self) -> int:
        """The peak in bytes that decides whether it fits."""
        return need(self.settings, self.steps[-1].after)


def combine(script: Script, settings: MemorySettings, process: ProcessProfile, finished: bool = True) -> tuple[CombinedStep, ...]:
    """The steps of a combination that fits; empty where a single one of these changes is enough, or all together are not."""
    start, before = _State(script, settings, ()), need(settings, process)
    left = sorted((s for s in _fixed(start, finished) if s.need() < before), key=_State.need)
    if any(s.steps[-1].after.fits is True for s in left):
        return ()
    names = [s.steps[-1].words for s in left]
    now = start
    while True:
        found = _sized(now) if now.steps else _each_batch(now) or _both(now)
        if found is not None:
            return found
        if not names:
            return _each_batch(now) or () if not now.steps else _both(now) or _each_batch(now) or ()
        now = next((s for s in _fixed(now, finished) if s.steps[-1].words == names[0]), now)
        del names[0]
        if now.steps and now.steps[-1].after.fits is True:
            return now.steps


def _fixed(now: _State, finished: bool) -> Iterator[_State]:
    """Yields the state after each change that has no size to choose."""
    script = now.script
    wide = any(v.type.dtype in ("float64", "complex128") for f in script.functions for v in f.graph.variables)
    if wide:
        yield _with(now, "float32 in place of float64", narrowed(script), flags="floatX=float32")
    if is_off(script, now.settings):
        functions = tuple(replace(f, allow_gc=None) for f in script.functions)
        collected = replace(now.settings, allow_gc=True)
        yield _with(now, "intermediates given back", replace(script, functions=functions), collected, flags="allow_gc=True")
    for models in searches(script):
        gone = without(script, dropping(models))
        code = "del train, params\ngc.collect()  # before the next model"
        yield _with(now, f"{len(models)} models let go after their use", gone, code=code)
    for models in alike(script):
        yield _with(now, f"one model for {len(models)} that are alike", merged(script, models), code="p.set_value(value)  # in turn")
    for models in unlike(script):
        again = "del train, params\ngc.collect()  # make the model again when its turn comes"
        yield _with(now, f"{len(models)} models made when their turn comes", remade(script, models), code=again)
    yield from _by_rows(now)
    idle = unused(script) if finished else {}
    if idle:
        names = ", ".join(script.shared[i].name or f"shared_{i}" for i in sorted(idle)[:5])
        yield _with(now, f"{names} let go after its last use", relieved(script, idle), code=f"del {names}\ngc.collect()")


def _by_rows(now: _State) -> Iterator[_State]:
    """Yields the state in which gradients of tables are those of the rows that are read."""
    for f in now.script.functions:
        calls = now.script.calls(f.index)
        found = list(find_row_gradients(now.script, f.index, calls[0].shapes)) if calls else []
        if found and all(not g.states for g in found):
            names = [now.script.shared[g.shared].name or f"shared_{g.shared}" for g in found]
            code = "\n".join(f"# the gradient of {n}[ids] alone, and inc_subtensor: see TD326" for n in names)
            yield _with(
                now, f"the gradient of the rows of {' and '.join(names)} that are read", in_all(now.script, found, by_rows), code=code
            )


def _with(now: _State, words: str, script: Script, settings: MemorySettings | None = None, flags: str = "", code: str = "") -> _State:
    settings = settings or now.settings
    step = CombinedStep(words, simulate_figures(script, settings), flags, code)
    return _State(script, settings, (*now.steps, step))


def _sized(now: _State) -> tuple[CombinedStep, ...] | None:
    """The steps, followed by chunks or by a smaller batch that makes it fit; None where neither does."""
    chunks = chunking.plan(WhatIf(now.script), now.settings)
    if isinstance(chunks, ChunkPlan):
        return (*now.steps, CombinedStep("", chunks.after, plan=chunks))
    found = batch.plan(now.script, now.settings, now.steps[-1].after)
    if isinstance(found, BatchPlan) and found.largest is not None and found.after is not None:
        return (*now.steps, CombinedStep("", found.after, plan=found))
    return None


MOST_FUNCTIONS = 6
"""Functions whose batches are made smaller one after the other."""


def _each_batch(now: _State) -> tuple[CombinedStep, ...] | None:
    """The steps, followed by a smaller batch of each function that does not fit: training, then validation. None if one never does.

    A function's batch is the largest with which nothing fails before another function does.
    """
    steps, script = now.steps, now.script
    process = steps[-1].after if steps else simulate_figures(script, now.settings)
    for _ in range(MOST_FUNCTIONS):
        asked = WhatIf(script)
        axes, failed = batch.axes_of(asked, process), process.failed_function
        size = batch.longest(script, axes)
        if failed is None or size is None:
            return None
        found = _largest_of(asked, now.settings, axes, size, failed)
        if found is None:
            return None
        largest, script, process = found
        steps = (*steps, CombinedStep("", process, plan=BatchPlan(axes, size, largest, (), process, True)))
        if process.fits is True:
            return steps
    return None


def _largest_of(
    asked: WhatIf, settings: MemorySettings, axes: tuple[Axis, ...], size: int, function: int
) -> tuple[int, Script, ProcessProfile] | None:
    """The largest batch with which the first request that fails is not of `function`, with its script and simulation."""
    low, high, best = 0, size, None
    while high - low > 1:
        middle = (low + high) // 2
        script = asked.with_lengths(dict.fromkeys(axes, middle))
        if isinstance(script, Unknown):
            return None
        after = simulate_figures(script, settings)
        if after.fits is True or (after.fits is False and after.failed_function not in (function, None)):
            low, best = middle, (middle, script, after)
        else:
            high = middle
    return best


def _both(now: _State) -> tuple[CombinedStep, ...] | None:
    """The steps, followed by a batch halved until chunks of the data fit beside it; None where that never happens."""
    asked = WhatIf(now.script)
    process = now.steps[-1].after if now.steps else simulate_figures(now.script, now.settings)
    axes = batch.axes_of(asked, process)
    size = whole = batch.longest(now.script, axes) or 0
    end = asked.inferred + MOST_NODES
    while size > 1:
        size //= 2
        lengths = dict.fromkeys(axes, size)
        script, chunks = asked.with_lengths(lengths), chunking.plan(asked, now.settings, lengths, end)
        if isinstance(chunks, ChunkPlan) and isinstance(script, Script):
            after = simulate_figures(script, now.settings)
            smaller = BatchPlan(axes, whole, size, (), after, True)
            return (*now.steps, CombinedStep("", after, plan=smaller), CombinedStep("", chunks.after, plan=chunks))
    return None
