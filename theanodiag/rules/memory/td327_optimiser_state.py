"""TD327: the optimiser keeps state as large as the parameters

What it finds
    Shared variables that follow a parameter: the velocities of momentum, the sums of squares of Adagrad and RMSprop, both of Adam. Which
    parameter each follows is read from the updates; with it the line that made it, the sum, and what the script needs with less state.

Why it matters
    They have no names, as a rule, and no batch makes them smaller: with Adam a model of 400 MiB holds 1.2 GiB before the first array of a
    batch is made.

Example
    `train keeps 800.0 MiB of state (Adam: 2 arrays for each parameter) beside 400.0 MiB of parameters`.

What to do
    Take an optimiser with less: plain gradient descent keeps none, momentum, Adagrad and RMSprop one array as large as each parameter, Adam
    and Adadelta two. Training changes: choose its rate anew. State can also be kept at half the width, or on the host, at the price of a
    copy in each call.

Limits
    The update with less state is taken as one elementwise step in place, or as a product that is added in place (GpuGemm); Theano may do
    with less. Silent below a tenth of the peak.
"""

from __future__ import annotations

from collections.abc import Iterator

from ...findings import Confidence, Cost, Finding, Fix, Results, Saving, Severity
from ...ir import Op
from ...ir.builder import GraphBuilder, on_device
from ...memory.profile import ProcessProfile
from ...memory.simulate import simulate
from ...plans.graphs.optimiser_state import OptimiserState, find_state, with_states
from ...units import format_bytes
from ..base import Rule
from ..examples import built, device, subject
from ..impact import SHARE, change, confidence, deciding, figures, is_significant, saving, severity
from ..subject import ScriptSubject

NAMED = 4
"""Number of states that are listed."""


def check(s: ScriptSubject) -> Iterator[Finding]:
    """One finding for the function with most state."""
    found = [f for f in (find_state(f.graph, s.shapes_at_peak(f, p), f.index) for f, p in s.profiled()) if f is not None]
    most = max(found, key=lambda o: o.bytes, default=None)
    if most is None or most.bytes < SHARE * deciding(s, s.process):
        return
    less = {keep: simulate(with_states(s.script, most, keep), s.settings) for keep in range(most.each)} if _alone(s, most) else {}
    after = _chosen(s, less)
    if after is not None and not is_significant(s, after):
        return
    name = s.script.functions[most.function].name
    kind = (
        f"{most.name}: {most.each} array{'s' * (most.each > 1)} for each parameter"
        if most.name
        else f"up to {most.each} for each parameter"
    )
    message = (
        f"{name} keeps {format_bytes(most.bytes)} of optimiser state ({kind}) beside {format_bytes(most.parameter_bytes)} of parameters"
    )
    fix = None
    if after is not None:
        keep = next(k for k, p in less.items() if p is after)
        message += f"; with {_OTHERS[keep]}: {change(s, after)}"
        fix = Fix(f"{_OTHERS[keep]}", code=_CODE[keep])
    notes = (*_notes(s, most, less), *_others(s, most, found))
    largest = max(most.states, key=lambda state: state.nbytes)
    place = s.place(s.script.shared[largest.shared].site, name)
    level = severity(s) if after is not None and after.fits is True else Severity.INFO
    sure = min(confidence(s), Confidence.BOUNDED)
    done, cost = (None, None) if after is None else (figures(after), Cost(Results.TRAINED_OTHERWISE))
    yield Finding("TD327", level, sure, message, place, fix, done, _saves(s, after), notes, cost=cost)


_OTHERS = {0: "plain gradient descent, which keeps none", 1: "a velocity for each parameter (momentum)"}
_CODE = {
    0: "updates = [(p, p - lr * g) for p, g in zip(params, grads)]",
    1: "updates = [u for p, g, v in zip(params, grads, velocities) for u in ((v, mu * v - lr * g), (p, p + (mu * v - lr * g)))]",
}


def _saves(s: ScriptSubject, after: ProcessProfile | None) -> Saving | None:
    return None if after is None else saving(s, after)


def _alone(s: ScriptSubject, found: OptimiserState) -> bool:
    """Whether no other function uses the states."""
    ids = {state.shared for state in found.states}
    return all(f.index == found.function or ids.isdisjoint(i.shared for i in f.graph.inputs) for f in s.script.functions)


def _chosen(s: ScriptSubject, less: dict[int, ProcessProfile]) -> ProcessProfile | None:
    """The simulation with most state that fits; where none does, or the script fits as it is, that with none."""
    fitting = [k for k, p in less.items() if p.fits is True and s.process.fits is False]
    return less[max(fitting, default=0)] if less else None


def _notes(s: ScriptSubject, found: OptimiserState, less: dict[int, ProcessProfile]) -> Iterator[str]:
    """Which state follows which parameter, and what others would take."""
    rows = sorted(found.by_parameter.items(), key=lambda row: -row[1][0].nbytes)
    for parameter, states in rows[:NAMED]:
        names = " and ".join(f"{called(s, x.shared)} ({'squares' if x.squares else 'velocity or mean'})" for x in states)
        size = format_bytes(sum(x.nbytes for x in states))
        yield f"{names} follow{'s' * (len(states) == 1)} {called(s, parameter)}: {size}{_line(s, states[0].shared)}"
    rest = rows[NAMED:]
    if rest:
        yield f"and {sum(len(x) for _, x in rest)} more, of {format_bytes(sum(x.nbytes for _, states in rest for x in states))} together"
    for keep, process in sorted(less.items(), reverse=True):
        yield f"with {_OTHERS[keep]}, the script needs at most {format_bytes(deciding(s, process))}"


def _others(s: ScriptSubject, most: OptimiserState, found: list[OptimiserState]) -> Iterator[str]:
    """What other functions keep beside it."""
    known = {x.shared for x in most.states}
    for other in found:
        own = [x for x in other.states if x.shared not in known]
        known |= {x.shared for x in own}
        if own:
            kind = f" ({other.name})" if other.name else ""
            yield f"{s.script.functions[other.function].name} keeps {format_bytes(sum(x.nbytes for x in own))} more{kind}"


def called(s: ScriptSubject, shared: int) -> str:
    """The name of a shared variable, else its number."""
    return s.script.shared[shared].name or f"shared variable {shared}"


def _line(s: ScriptSubject, shared: int) -> str:
    site = s.script.shared[shared].site
    return f", made at {site.path}:{site.line}" if site else ""


def _momentum(rows: int, read: bool = True) -> ScriptSubject:
    """`v' = mu * v - g; W' = W + v'` with W of `rows` x 100; `read`: whether W is a parameter, of which something is computed."""
    b = GraphBuilder("train")
    x, w, v = b.argument("x", on_device(10, rows)), b.shared("W", on_device(rows, 100)), b.shared("v", on_device(rows, 100))
    h = b.apply(Op("GpuDot22", "GpuDot22"), [x, w], on_device(10, 100)) if read else b.argument("h", on_device(10, 100))
    turned = b.apply(Op("GpuDimShuffle", "GpuDimShuffle{1,0}", view_map={0: (0,)}), [x], on_device(rows, 10))
    grad = b.apply(Op("GpuDot22", "GpuDot22"), [turned, h], on_device(rows, 100))
    step = Op("GpuElemwise", "GpuElemwise{Composite{((i0 * i1) - i2)}}[(0, 1)]", destroy_map={0: (1,)})
    mu = b.constant(on_device(1, 1), ((0.9,),))
    new = b.apply(step, [mu, v, grad], on_device(rows, 100))
    b.update(v, new)
    b.update(
        w, b.apply(Op("GpuElemwise", "GpuElemwise{add}[(0, 0)]", destroy_map={0: (0,)}), [w, new if read else grad], on_device(rows, 100))
    )
    cost = b.apply(Op("GpuCAReduceCuda", "GpuCAReduceCuda{add}"), [h], on_device())
    return subject(built(b, cost), device(80_000_000_000))


RULE = Rule(
    "TD327",
    "optimiser-state",
    check,
    __doc__,
    fires=lambda: _momentum(500_000),
    silent=lambda: _momentum(500_000, read=False),
)
