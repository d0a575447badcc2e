"""Combines several changes, for a script that no single change makes fit: applied in order of what they save, simulated together.

Changes without a size to choose (float32, garbage collection, dropping models and idle variables) come first, since they cost least; then,
on what is left, chunks or a smaller batch, or both. It stops at the first combination that fits.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from ..ir import Unknown
from ..memory.profile import ProcessProfile
from ..memory.script import Script, SharedVariable
from ..memory.settings import AllocatorKind, MemorySettings
from ..memory.simulate import simulate_figures
from . import batch
from .batch import BatchPlan
from .batch_axes import MOST_NODES
from .chunking import plan as chunking
from .chunking.plan import ChunkPlan
from .graphs.embedding_gradients import by_rows, find_row_gradients, in_all
from .graphs.precision import narrowed
from .memory_flags import is_off
from .resize import Axis, WhatIf, boundary, need
from .unused_state import alike, dropping, merged, relieved, remade, searches, unlike, unused, without


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
    freed: tuple[SharedVariable, ...] = ()
    """Shared variables to delete."""
    plan: BatchPlan | ChunkPlan | None = None
    """The batch or chunk plan that this step is; None for other changes."""


@dataclass(frozen=True)
class _State:
    """A script with the changes made so far, and its simulation."""

    asked: WhatIf
    settings: MemorySettings
    process: ProcessProfile
    steps: tuple[CombinedStep, ...] = ()
    source: str = ""
    """The text of the script."""

    @property
    def script(self) -> Script:
        """The script after this change."""
        return self.asked.script

    def need(self) -> int:
        """Returns the peak in bytes that decides whether the script fits."""
        return need(self.settings, self.process)


def combine(
    what_if: WhatIf, settings: MemorySettings, process: ProcessProfile, finished: bool = True, source: str = ""
) -> tuple[CombinedStep, ...]:
    """Returns the changes that together make the script fit, in order. Empty if one of them suffices, or if all together do not.

    `source`: the text of the script. If it leaves out rows that remain when it divides the data into batches, a batch that divides them is
    preferred, as in the plan for one batch.
    """
    start, before = _State(what_if, settings, process, source=source), need(settings, process)
    left = sorted((s for s in _fixed(start, finished) if s.need() < before), key=_State.need)
    if any(s.process.fits is True for s in left):
        return ()
    names = [s.steps[-1].words for s in left]
    now = start
    while True:
        steps = _sized(now) if now.steps else _each_batch(now) or _both(now)
        if steps is not None:
            return steps
        if not names:
            return (_both(now) or _each_batch(now) or ()) if now.steps else ()
        now = next((s for s in _fixed(now, finished) if s.steps[-1].words == names[0]), now)
        del names[0]
        if now.steps and now.process.fits is True:
            return now.steps


def _fixed(now: _State, finished: bool) -> Iterator[_State]:
    """Yields the state after each change that has no size to choose."""
    script = now.script
    wide = any(v.type.dtype in ("float64", "complex128") for f in script.functions for v in f.graph.variables)
    if wide:
        yield _with(now, "float32 instead of float64", narrowed(script), flags="floatX=float32")
    if is_off(script, now.settings):
        functions = tuple(replace(f, allow_gc=None) for f in script.functions)
        collected = replace(now.settings, allow_gc=True)
        yield _with(now, "intermediates given back", replace(script, functions=functions), collected, flags="allow_gc=True")
    for models in searches(script):
        gone = without(script, dropping(models))
        code = "del train, params\ngc.collect()  # before the next model"
        yield _with(now, f"{len(models)} models freed after use", gone, code=code)
    for models in alike(script):
        yield _with(now, f"one model instead of {len(models)} equal ones", merged(script, models), code="p.set_value(value)  # in turn")
    for models in unlike(script):
        again = "del train, params\ngc.collect()  # create the model again when it is needed"
        yield _with(now, f"{len(models)} models created when needed", remade(script, models), code=again)
    yield from _by_rows(now)
    idle = unused(script) if finished else {}
    if idle:
        freed = tuple(script.shared[i] for i in sorted(idle))
        names = ", ".join(v.label for v in freed[:5]) + f" and {len(freed) - 5} more" * (len(freed) > 5)
        yield _with(now, f"{names} freed after the last use", relieved(script, idle), freed=freed)


def _by_rows(now: _State) -> Iterator[_State]:
    """Yields the state in which the gradients of tables have only the rows that are read."""
    for f in now.script.functions:
        calls = now.script.calls(f.index)
        gradients = list(find_row_gradients(now.script, f.index, calls[0].shapes)) if calls else []
        if gradients and all(not g.states for g in gradients):
            names = [now.script.shared[g.shared].label for g in gradients]
            code = "\n".join(f"# the gradient of {n}[ids] alone, and inc_subtensor: see TD326" for n in names)
            yield _with(
                now, f"the gradient of the rows of {' and '.join(names)} that are read", in_all(now.script, gradients, by_rows), code=code
            )


def _with(
    now: _State,
    words: str,
    script: Script,
    settings: MemorySettings | None = None,
    flags: str = "",
    code: str = "",
    freed: tuple[SharedVariable, ...] = (),
) -> _State:
    settings = settings or now.settings
    step = CombinedStep(words, simulate_figures(script, settings), flags, code, freed)
    return _State(WhatIf(script, now.asked.effort), settings, step.after, (*now.steps, step), now.source)


def _sized(now: _State) -> tuple[CombinedStep, ...] | None:
    """The steps so far, followed by chunks or a smaller batch that makes the script fit; None if neither does."""
    chunks = chunking.plan(now.asked, now.settings)
    if isinstance(chunks, ChunkPlan):
        return (*now.steps, CombinedStep("", chunks.after, plan=chunks))
    plan = batch.plan(now.asked, now.settings, now.process)
    if isinstance(plan, BatchPlan) and plan.largest is not None and plan.after is not None:
        rows = batch.remaining_rows(now.script, now.source, plan)
        plan = (rows and batch.dividing(now.asked, now.settings, plan, rows)) or plan
        return (*now.steps, CombinedStep("", plan.after or now.process, plan=plan))
    return None


MOST_FUNCTIONS = 6
"""Functions whose batches are made smaller one after the other."""


def _each_batch(now: _State) -> tuple[CombinedStep, ...] | None:
    """The steps, followed by a smaller batch of each function that does not fit: training, then validation. None if one never does.

    A function's batch is the largest with which nothing fails before another function does.
    """
    steps, what_if, process = now.steps, now.asked, now.process
    for _ in range(MOST_FUNCTIONS):
        axes, failed = batch.axes_of(what_if, process), process.failed_function
        size = batch.longest(what_if.script, axes)
        if failed is None or size is None:
            return None
        best = _largest_of(what_if, now, axes, size, process)
        if best is None:
            return None
        largest, script, process = best
        what_if = WhatIf(script, what_if.effort)
        steps = (*steps, CombinedStep("", process, plan=BatchPlan(axes, size, largest, (), process, True)))
        if process.fits is True:
            return steps
    return None


def _largest_of(
    what_if: WhatIf, now: _State, axes: tuple[Axis, ...], size: int, process: ProcessProfile
) -> tuple[int, Script, ProcessProfile] | None:
    """The largest batch with which the first request that fails is not of the function that fails in `process`, the script as it is.

    With that batch the script and its simulation; None where even one row is too much for that function.
    """
    settings = now.settings
    function, runs = process.failed_function, dict[int, tuple[Script, ProcessProfile]]()
    needs = {0: process.persistent_bytes, size: _need_of(function, settings, process)}

    def passes(batch: int) -> bool:
        script = what_if.with_lengths(dict.fromkeys(axes, batch))
        if isinstance(script, Unknown):
            return False
        after = simulate_figures(script, settings)
        runs[batch], needs[batch] = (script, after), _need_of(function, settings, after)
        return after.fits is True or (after.fits is False and after.failed_function not in (function, None))

    largest = boundary(0, size, passes, needs, settings.limit_bytes)
    if not largest:
        return None
    plan = BatchPlan(axes, size, largest, (), None, True)
    dividing = batch.divisor(largest, batch.remaining_rows(what_if.script, now.source, plan))
    largest = dividing if passes(dividing) else largest
    return largest, *runs[largest]


def _need_of(function: int | None, settings: MemorySettings, process: ProcessProfile) -> int:
    """The peak in bytes of the first call of a function, live or reserved as the allocator requires; 0 if it was not called."""
    first = next(iter(process.calls.get(-1 if function is None else function, ())), None)
    return 0 if first is None else first.deciding_bytes(settings.allocator is AllocatorKind.DIRECT)


def _both(now: _State) -> tuple[CombinedStep, ...] | None:
    """The steps so far, followed by a batch halved until chunks of the data fit together with it; None if that never happens."""
    what_if, process = now.asked, now.process
    axes = batch.axes_of(what_if, process)
    size = whole = batch.longest(now.script, axes) or 0
    end = what_if.inferred + MOST_NODES
    while size > 1:
        size //= 2
        rows = batch.remaining_rows(now.script, now.source, BatchPlan(axes, whole, size, (), None, True))
        lengths = dict.fromkeys(axes, size := batch.divisor(size, rows))
        script, chunks = what_if.with_lengths(lengths), chunking.plan(what_if, now.settings, lengths, end)
        if isinstance(chunks, ChunkPlan) and isinstance(script, Script):
            after = simulate_figures(script, now.settings)
            smaller = BatchPlan(axes, whole, size, (), after, True)
            return (*now.steps, CombinedStep("", after, plan=smaller), CombinedStep("", chunks.after, plan=chunks))
    return None
