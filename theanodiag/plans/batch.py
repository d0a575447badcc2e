"""Finds the largest batch that fits, by simulation, and the micro-batch that keeps the effective batch by accumulating gradients."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import gcd, prod

from ..ir import Role, Unknown, itemsize
from ..memory.profile import ProcessProfile
from ..memory.script import Call, Create, Script, SharedVariable
from ..memory.settings import AllocatorKind, MemorySettings
from ..memory.simulate import simulate_figures
from .batch_axes import find, is_recurrence
from .graphs.joined_results import MIXED, Dependence, of_cost
from .graphs.optimizer_state import find_state
from .pin_to_device import same
from .resize import ArgumentAxis, Axis, SharedAxis, WhatIf, boundary, length, need
from .shape_replay import is_written_inside
from .source_changes import parameter_of, setting

LARGEST = 1 << 20
"""Largest batch that is tried."""


@dataclass(frozen=True)
class BatchRow:
    """Peaks of the script with one batch size, in bytes."""

    batch: int
    """The batch size."""
    live: int
    """Peak of live bytes."""
    reserved: int
    """Peak of reserved bytes."""
    fits: bool
    """Whether the script certainly fits with it."""
    extra: int = 0
    """Bytes of gradient accumulators in these peaks."""


@dataclass(frozen=True)
class BatchPlan:
    """The largest batch that fits, and the figures of batches around it."""

    axes: tuple[Axis, ...]
    """The axes whose length is the batch size."""
    batch: int
    """The present batch size of the script."""
    largest: int | None
    """The largest batch that fits; None where not even 1 does, or no limit is given."""
    rows: tuple[BatchRow, ...]
    """Figures by batch, ascending."""
    after: ProcessProfile | None
    """The simulation with the largest batch."""
    monotone: bool
    """Whether, among the simulated batches, a larger one never needs less, and every batch that fits is smaller than those that do not."""
    micro: BatchRow | None = None
    """The largest divisor of the batch that fits together with gradient accumulators; None where there is none, or nothing is trained."""
    micro_after: ProcessProfile | None = None
    """The simulation with the micro-batch."""
    trained: int | None = None
    """Index of the function that updates parameters, which the micro-batch is for."""
    cost: Dependence | None = None
    """How the cost of that function depends on the rows: a sum or a mean over them; None if not known."""

    @property
    def capped(self) -> bool:
        """Whether the search stopped at `LARGEST`, so that larger batches fit too."""
        return self.largest is not None and any(r.batch == self.largest + 1 and r.fits for r in self.rows)


def plan(what_if: WhatIf, settings: MemorySettings, process: ProcessProfile, axes: Sequence[Axis] = ()) -> BatchPlan | Unknown | None:
    """Makes the batch plan for `axes` (empty: the batch of the function that needs most).

    Returns None if there is no batch, Unknown if other lengths cannot be simulated.
    """
    chosen = tuple(axes) or axes_of(what_if, process)
    now = longest(what_if.script, chosen)
    if now is None:
        return _in_a_loop(what_if, process)
    return _Search(what_if, settings, chosen, now, process).plan()


def axes_of(what_if: WhatIf, process: ProcessProfile) -> tuple[Axis, ...]:
    """Returns the batch axes of the function that fails, or else of the function with the highest live peak; empty if it has none."""
    target = _target(process)
    return () if target is None else find(what_if, target)


def _target(process: ProcessProfile) -> int | None:
    """The function that fails, else the one with the highest live peak; None if none was called."""
    if process.failed_function is not None or not process.functions:
        return process.failed_function
    return max(process.functions, key=lambda f: process.functions[f].figures.live_peak_bytes)


def _in_a_loop(what_if: WhatIf, process: ProcessProfile) -> Unknown | None:
    """Why a function whose batch is a constant in the step of a loop has no batch axes; None if it has no such batch."""
    target = _target(process)
    if target is None:
        return None
    graph = what_if.script.functions[target].graph
    for entry in (e for e in graph.inputs if e.role is Role.ARGUMENT):
        rows = length(what_if.script, ArgumentAxis(target, entry.variable, 0))
        if rows is not None and rows > 1 and is_written_inside(graph, rows):
            return Unknown(f"{rows} is written in the step of a loop too")
    return None


def longest(script: Script, axes: Sequence[Axis]) -> int | None:
    """Returns the present batch size of the script: the largest length of these axes; None if unknown."""
    return max((n for a in axes if (n := length(script, a)) is not None), default=None)


class _Search:
    """Simulates batches, each once."""

    def __init__(self, what_if: WhatIf, settings: MemorySettings, axes: tuple[Axis, ...], now: int, process: ProcessProfile) -> None:
        self.asked, self.settings, self.axes, self.now = what_if, settings, axes, now
        self.done = {now: process}
        self.needs = {now: need(settings, process)}
        self.unknown: Unknown | None = None

    def profile(self, batch: int) -> ProcessProfile | None:
        """Returns the simulation with this batch. None if its shapes cannot be inferred; the reason is then in `unknown`."""
        if batch not in self.done:
            script = self.asked.with_lengths(dict.fromkeys(self.axes, batch))
            if isinstance(script, Unknown):
                self.unknown = script
                return None
            self.done[batch] = simulate_figures(script, self.settings)
            self.needs[batch] = need(self.settings, self.done[batch])
        return self.done[batch]

    def fits(self, batch: int) -> bool:
        """Returns whether this batch fits for certain."""
        profile = self.profile(batch)
        return profile is not None and profile.fits is True

    def plan(self) -> BatchPlan | Unknown:
        """Returns the batch plan; Unknown if the shapes for another batch cannot be inferred."""
        largest = None if self.settings.limit_bytes is None else self._largest()
        if self.unknown:
            return self.unknown
        untold = (1,) if self.settings.limit_bytes is not None else (1, self.now // 2, 2 * self.now)
        around = [self.now, *((largest // 2, largest, largest + 1) if largest else untold)]
        rows = tuple(self._row(b) for b in sorted(set(around)) if b > 0 and self.profile(b))
        monotone = self._is_monotone()
        return BatchPlan(self.axes, self.now, largest, rows, self.profile(largest) if largest else None, monotone)

    def _largest(self) -> int | None:
        """The largest batch that fits: doubled until one does not fit, then searched between by `boundary`. None if not even 1 fits."""
        low, high = (self.now, 2 * self.now) if self.fits(self.now) else (0, self.now)
        while low and high < LARGEST and self.fits(high):
            low, high = high, 2 * high
        self.needs[0] = self.done[self.now].persistent_bytes
        return boundary(low, high, lambda batch: self.unknown is None and self.fits(batch), self.needs, self.settings.limit_bytes) or None

    def _row(self, batch: int) -> BatchRow:
        p = self.done[batch]
        return BatchRow(batch, p.live_peak_bytes, p.reserved_peak_bytes, p.fits is True)

    def _is_monotone(self) -> bool:
        rows = [self._row(b) for b in sorted(self.done)]
        return all(a.live <= b.live and a.reserved <= b.reserved and a.fits >= b.fits for a, b in zip(rows, rows[1:]))


def rows_of_data(script: Script, plan: BatchPlan) -> int | None:
    """Returns the number of rows from which the batches are taken (of several numbers, their greatest common divisor). None if none is
    known, or if the present batch does not divide it.
    """
    axes = {(a.function, a.variable): a for a in plan.axes if isinstance(a, ArgumentAxis) and a.multiple == 1}
    functions = {function for function, _ in axes} or {f.index for f in script.functions}
    found: set[int] = set()
    for call in (e for e in script.events if isinstance(e, Call) and e.function in functions):
        for given in call.inputs:
            axis, whole = axes.get((call.function, given.variable)), given.part_of
            if axis is not None and whole is not None and isinstance(whole.shape, tuple):
                found.update(n for n in whole.shape[axis.axis : axis.axis + 1] if isinstance(n, int))
    graphs = [script.functions[f].graph for f in functions]
    read = {i.shared for g in graphs for i in g.inputs if i.shared is not None and i.update is None}
    shapes = [e.shape for e in script.events if isinstance(e, Create) and e.shared in read]
    lengths = [n for shape in shapes if isinstance(shape, tuple) for n in shape[:1]]
    found.update(n for n in lengths if isinstance(n, int) and n % plan.batch == 0)
    rows = gcd(*(n for n in found if n > plan.batch))
    return rows if rows and rows % plan.batch == 0 else None


BATCH = r"batch|\b(?:b|bs|mb)\b"
"""Matches names that scripts give to their batch size."""


def remaining_rows(script: Script, source: str, plan: BatchPlan) -> int | None:
    """Returns the number of rows of the data, if the script, whose text is `source`, leaves out the rows that remain when it divides that
    number by the batch size, and the largest batch leaves some; None otherwise, or if it is not known.
    """
    functions = functions_of(plan)
    whole = len(functions) == 1 and gets_all(script, plan, functions[0])
    if plan.largest is None or plan.largest >= plan.batch or whole:
        return None
    own = setting(source, plan.batch, plan.largest, BATCH) or ""
    called = re.match(r"""[-"'\w.]*?(\w+)["']?[ :]""", own)
    name = called[1] if called else parameter_of(source, plan.batch)
    parts = [] if name is None else re.findall(rf"^.*(?://?|-)\s*(?:\w+\.)*{name}\b.*$", source, re.MULTILINE)
    rows = rows_of_data(script, plan) if not all(re.search("cost|loss|grad|err", line) for line in parts) else None
    return rows if rows and rows % plan.largest else None


def functions_of(plan: BatchPlan) -> list[int]:
    """Returns the functions whose arguments have the batch axes; empty if an axis is that of a shared variable."""
    arguments = [a.function for a in plan.axes if isinstance(a, ArgumentAxis)]
    return list(dict.fromkeys(arguments)) if len(arguments) == len(plan.axes) else []


def gets_all(script: Script, plan: BatchPlan, function: int) -> bool:
    """Returns whether a function updates nothing (validation, prediction) and its only call, or each of its calls with the same data, gets
    all rows as arguments: then their number is that of the data, and not one that the script has for a batch.
    """
    graph, calls = script.functions[function].graph, script.calls(function)
    variables = {a.variable for a in plan.axes if isinstance(a, ArgumentAxis) and a.function == function}
    if not calls or not variables <= set(graph.roles) or any(i.update is not None for i in graph.inputs):
        return False
    passed = [{given.variable: given for given in call.inputs} for call in calls]
    return all(v in a and v in b and same(a[v], b[v]) for a, b in zip(passed, passed[1:]) for v in variables)


def divisor(largest: int, rows: int | None) -> int:
    """Returns the largest number up to `largest`, and at least half of it, that divides `rows`; `largest` if there is none or `rows` is
    None.
    """
    if not rows:
        return largest
    return next((d for d in range(largest, (largest - 1) // 2, -1) if rows % d == 0), largest)


def dividing(what_if: WhatIf, settings: MemorySettings, plan: BatchPlan, rows: int) -> BatchPlan | None:
    """Returns the plan with the largest batch that fits and divides `rows`; None if it is less than half of the largest that fits."""
    largest = plan.largest or 0
    divisors = (d for d in range(largest, (largest - 1) // 2, -1) if rows % d == 0)
    for batch in divisors:
        changed = what_if.with_lengths(dict.fromkeys(plan.axes, batch))
        after = None if isinstance(changed, Unknown) else simulate_figures(changed, settings)
        if after is not None and after.fits is True:
            row = BatchRow(batch, after.live_peak_bytes, after.reserved_peak_bytes, True)
            rows_by_batch = {r.batch: r for r in (*plan.rows, row)}
            return replace(plan, largest=batch, after=after, rows=tuple(rows_by_batch[b] for b in sorted(rows_by_batch)))
    return None


def with_micro(what_if: WhatIf, settings: MemorySettings, plan: BatchPlan) -> BatchPlan:
    """Returns the plan with a micro-batch added, if the whole batch does not fit and a function that trains gets its rows only as
    arguments; otherwise returns the plan unchanged. Gradients of parts of a sequence do not add up to the gradient of the whole, and
    neither do gradients of a cost that compares rows with each other (all pairs, batch normalisation).
    """
    script = what_if.script
    if plan.largest is None or plan.largest >= plan.batch or any(isinstance(a, SharedAxis) for a in plan.axes):
        return plan
    trained = next((f for f in _functions(script, plan.axes) if _trains(script, f)), None)
    if trained is None or is_recurrence(what_if, plan.axes):
        return plan
    cost = of_cost(what_if, plan.axes, trained)
    if cost == MIXED:
        return plan
    extra = _accumulators(script, trained)
    total, limit = sum(e.nbytes for e in extra), settings.limit_bytes
    if limit is not None and 2 * total > limit:  # each is beside a shared variable of its size, whatever the batch
        return plan
    parts = [d for d in range(1, plan.largest + 1) if plan.batch % d == 0]
    fitting: dict[int, ProcessProfile] = {}

    def fits(number: int) -> bool:
        smaller = what_if.with_lengths(dict.fromkeys(plan.axes, parts[number - 1]))
        after = None if isinstance(smaller, Unknown) else simulate_figures(_with_shared(smaller, extra), settings)
        if after is not None and after.fits is True:
            fitting[number] = after
        return number in fitting

    number = sum(_expected(plan, settings, part) + total <= limit for part in parts) if limit is not None else len(parts)
    number = max(1, number)
    if fits(number):
        number = next((k for k in range(number, len(parts)) if not fits(k + 1)), len(parts))
    else:
        number = boundary(0, number, fits, {}, None)
    if not number:
        return plan
    after = fitting[number]
    row = BatchRow(parts[number - 1], after.live_peak_bytes, after.reserved_peak_bytes, True, total)
    return replace(plan, micro=row, micro_after=after, trained=trained, cost=cost)


def _expected(plan: BatchPlan, settings: MemorySettings, batch: int) -> int:
    """Bytes expected for a batch, extrapolated linearly from the largest batch that fits and half of it."""
    direct = settings.allocator is AllocatorKind.DIRECT
    needs = {r.batch: r.live if direct else r.reserved for r in plan.rows}
    largest = plan.largest or 0
    half = largest // 2
    if largest not in needs or half not in needs:
        return 0
    return needs[largest] - (needs[largest] - needs[half]) * (largest - batch) // (largest - half)


def _functions(script: Script, axes: Sequence[Axis]) -> list[int]:
    """Functions that take the batch as an argument."""
    graphs = [f.graph for f in script.functions]
    return list(dict.fromkeys(a.function for a in axes if isinstance(a, ArgumentAxis) and a.variable in graphs[a.function].roles))


@dataclass(frozen=True)
class _Accumulator:
    """A shared variable with the shape of the parameter `like`, to sum up its gradients."""

    like: int
    shape: tuple[int, ...]
    nbytes: int


def _trains(script: Script, function: int) -> bool:
    return any(i.shared is not None and i.update is not None for i in script.functions[function].graph.inputs)


def _accumulators(script: Script, function: int) -> list[_Accumulator]:
    """One accumulator for each floating-point parameter that the function updates; none for the state of its optimizer."""
    shapes = {e.shared: e.shape for e in script.events if isinstance(e, Create)}
    graph, table = script.functions[function].graph, next((c.shapes for c in script.calls(function)), None)
    state = None if table is None else find_state(graph, table, function)
    states = set() if state is None else {one.shared for one in state.states}
    accumulators = []
    for entry in graph.inputs:
        if entry.shared is None or entry.update is None or entry.shared in states:
            continue
        kind, shape = script.shared[entry.shared].type, shapes.get(entry.shared)
        if (kind.dtype or "").startswith("float") and isinstance(shape, tuple) and all(isinstance(n, int) for n in shape):
            dims = tuple(n for n in shape if isinstance(n, int))
            accumulators.append(_Accumulator(entry.shared, dims, prod(dims) * itemsize(kind.dtype or "float32")))
    return accumulators


def _with_shared(script: Script, more: list[_Accumulator]) -> Script:
    """The script with accumulators created right after their parameters."""
    first = max(script.shared, default=0) + 1
    numbers = {a.like: first + k for k, a in enumerate(more)}
    shared = {n: SharedVariable(n, f"sum of {script.shared[i].name or i}", script.shared[i].type) for i, n in numbers.items()}
    shapes = {a.like: a.shape for a in more}
    events = []
    for event in script.events:
        events.append(event)
        if isinstance(event, Create) and event.shared in numbers:
            events.append(Create(numbers[event.shared], shapes[event.shared]))
    return replace(script, shared={**script.shared, **shared}, events=tuple(events))
