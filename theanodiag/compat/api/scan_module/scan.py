"""`scan` with Theano's arguments, which returns (outputs, updates) and collects default updates, and functions based on it.

Serves `theano.scan_module.scan`, and map, reduce, foldl, foldr and scan_checkpoints (a scan that stores every N-th step and recomputes the
others for the gradient) of the neighbouring modules.
"""

from __future__ import annotations

import functools
import math
import warnings
from typing import Any

import numpy
import pytensor
import pytensor.tensor as pt
from pytensor.compile.sharedvalue import SharedVariable
from pytensor.graph.basic import Constant, Variable
from pytensor.scan.basic import get_updates_and_outputs
from pytensor.scan.basic import scan as pytensor_scan
from pytensor.scan.utils import until
from pytensor.tensor.type import TensorType

from ...behaviour.test_values import compute_all, get_test_value
from ...pytensor_versions import graph_inputs
from ..tensor.basic import unbroadcast
from ..updates import OrderedUpdates


def default_updates(variables: Any, known: Any, blockers: Any = ()) -> dict[Any, Any]:
    """Returns `known`, plus the default updates of all other shared variables on which `variables` and these updates depend.

    The graph behind `blockers` is not searched.
    """
    updates = dict(known)
    pending = [*variables, *updates.values()]
    seen = set(updates)
    while pending:
        variable = pending.pop()
        for shared in graph_inputs([variable] if isinstance(variable, Variable) else [], blockers):
            if isinstance(shared, SharedVariable) and shared not in seen:
                seen.add(shared)
                if shared.default_update is not None:
                    updates[shared] = shared.default_update
                    pending.append(shared.default_update)
    return updates


class _Step:
    """The user's step function; its updates also include the default updates of the shared variables on which it depends."""

    def __init__(self, fn: Any, runs_once: bool, slices: Any, test_values: str) -> None:
        self.fn = fn
        self.runs_once = runs_once
        self.slices = slices
        self.test_values = test_values
        self.defaults: dict[Any, Any] = {}
        functools.update_wrapper(self, fn, updated=()) if hasattr(fn, "__name__") else None

    def __call__(self, *args: Any) -> Any:
        if self.test_values != "off":
            _give_test_values(args, self.slices)
        with pytensor.config.change_flags(compute_test_value=self.test_values):
            condition, outputs, updates = get_updates_and_outputs(self.fn(*args))
        if self.runs_once:  # no Scan is made: the step is part of the outer graph
            if condition is not None:
                warnings.warn(f"When the number of steps is fixed and equal to 1, the provided stopping condition, {condition} is ignored")
            return outputs, updates
        both = default_updates([*outputs, *([] if condition is None else [condition])], updates, args)
        self.defaults = {shared: update for shared, update in both.items() if shared not in updates}
        return (outputs, both) if condition is None else (outputs, both, until(condition))


def _number_of_steps(n_steps: Any) -> tuple[Any, bool]:
    """(`n_steps`, or None if it is None or not finite; whether it is known to be 1). Raises ValueError for a float Variable."""
    if n_steps is None:
        return None, False
    if isinstance(n_steps, (float, numpy.floating)) and not math.isfinite(n_steps):
        return None, False
    if isinstance(n_steps, (int, float, numpy.number)):
        known: Any = int(n_steps)
    else:
        if hasattr(n_steps, "dtype") and not numpy.issubdtype(numpy.dtype(n_steps.dtype), numpy.integer):
            raise ValueError(f" n_steps must be an int. dtype provided is {n_steps.dtype}")
        known = pt.get_underlying_scalar_constant_value(n_steps, raise_not_constant=False)
        if isinstance(known, Variable):
            return n_steps, False
    if int(known) in (1, -1):
        return 1, True
    return n_steps if isinstance(n_steps, Variable) else known, False


def _states(outputs_info: Any) -> Any:
    """`outputs_info` as a list of states, with only known keys in its dicts. Raises ValueError for the removed key `return_steps`."""
    if outputs_info is None:
        return None
    states = list(outputs_info) if isinstance(outputs_info, (list, tuple)) else [outputs_info]
    for i, state in enumerate(states):
        if isinstance(state, dict):
            if state.get("return_steps") is not None:
                raise ValueError(
                    "Using `return_steps` has been deprecated. Simply select the entries you need using a subtensor. "
                    "Scan will optimize memory consumption, so do not worry about that."
                )
            states[i] = {key: value for key, value in state.items() if key in ("initial", "taps", "inplace")}
    return states


def _first_slices(sequences: Any, states: Any) -> list[Any]:
    """(whole Variable, index) of each argument of the step function at the first step; index None stands for the whole Variable."""
    slices: list[Any] = []
    for sequence in sequences if isinstance(sequences, (list, tuple)) else [] if sequences is None else [sequences]:
        described = sequence if isinstance(sequence, dict) else {"input": sequence}
        taps = described.get("taps")
        taps = [0] if taps is None else list(taps) if isinstance(taps, (list, tuple)) else [taps]
        slices += [(described["input"], tap - min([0, *taps])) for tap in taps]
    for state in states or []:
        described = state if isinstance(state, dict) else {"initial": state}
        if described.get("initial") is None:
            continue
        taps = list(described.get("taps") or [-1])
        slices += [(described["initial"], None)] if taps == [-1] else [(described["initial"], tap - min(taps)) for tap in taps]
    return slices


def _give_test_values(args: Any, slices: Any) -> None:
    """Sets test values of the step function's arguments to their values at the first step, if those are known."""
    for arg, (whole, index) in zip(args, slices):
        try:
            value = get_test_value(whole)
        except AttributeError:
            continue
        if not isinstance(arg, (Constant, SharedVariable)) and not hasattr(arg.tag, "test_value"):
            arg.tag.test_value = arg.type.filter(numpy.asarray(value if index is None else value[index]), allow_downcast=True)


def _grown(output: Any) -> Any:
    """The outputs of a single step with a leading dimension of length 1 that is not declared broadcastable."""
    if not isinstance(output.type, TensorType):
        return output
    return unbroadcast(output, 0)


def scan(
    fn: Any,
    sequences: Any = None,
    outputs_info: Any = None,
    non_sequences: Any = None,
    n_steps: Any = None,
    truncate_gradient: int = -1,
    go_backwards: bool = False,
    mode: Any = None,
    name: Any = None,
    profile: Any = False,
    allow_gc: Any = None,
    strict: bool = False,
    return_list: bool = False,
) -> Any:
    """Calls `fn` for each step, as `theano.scan`. Returns (outputs of all steps, updates of the shared variables that the steps change)."""
    steps, runs_once = _number_of_steps(n_steps)
    states, test_values = _states(outputs_info), pytensor.config.compute_test_value
    step = _Step(fn, runs_once, [] if test_values == "off" else _first_slices(sequences, states), test_values)
    with pytensor.config.change_flags(compute_test_value="off"), warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)
        warnings.filterwarnings("ignore", message="The `mode` argument", category=FutureWarning)
        outputs, updates = pytensor_scan(
            step,
            sequences=sequences,
            outputs_info=states,
            non_sequences=non_sequences,
            n_steps=steps,
            truncate_gradient=truncate_gradient,
            go_backwards=go_backwards,
            mode=mode,
            name=name,
            profile=profile,
            allow_gc=allow_gc,
            strict=strict,
            return_list=bool(return_list),
            return_updates=True,
        )
        for shared, update in step.defaults.items():  # PyTensor removes them; a script that ignores `updates` relies on them
            shared.default_update = update
    if runs_once:
        outputs = [_grown(output) for output in outputs] if isinstance(outputs, (list, tuple)) else _grown(outputs)
    if test_values != "off":
        compute_all([*(outputs if isinstance(outputs, (list, tuple)) else [outputs]), *updates.values()])
    return outputs, OrderedUpdates(updates)


def map(
    fn: Any,
    sequences: Any,
    non_sequences: Any = None,
    truncate_gradient: int = -1,
    go_backwards: bool = False,
    mode: Any = None,
    name: Any = None,
) -> Any:
    """Returns (outputs of `fn` for each element of the sequences, updates)."""
    return scan(fn, sequences, [], non_sequences, truncate_gradient=truncate_gradient, go_backwards=go_backwards, mode=mode, name=name)


def reduce(
    fn: Any, sequences: Any, outputs_info: Any, non_sequences: Any = None, go_backwards: bool = False, mode: Any = None, name: Any = None
) -> Any:
    """Returns (outputs of `fn` at the last step, updates)."""
    outputs, updates = scan(fn, sequences, outputs_info, non_sequences, go_backwards=go_backwards, mode=mode, name=name)
    return [output[-1] for output in outputs] if isinstance(outputs, (list, tuple)) else outputs[-1], updates


def foldl(fn: Any, sequences: Any, outputs_info: Any, non_sequences: Any = None, mode: Any = None, name: Any = None) -> Any:
    """`reduce` from the first element to the last."""
    return reduce(fn, sequences, outputs_info, non_sequences, go_backwards=False, mode=mode, name=name)


def foldr(fn: Any, sequences: Any, outputs_info: Any, non_sequences: Any = None, mode: Any = None, name: Any = None) -> Any:
    """`reduce` from the last element to the first."""
    return reduce(fn, sequences, outputs_info, non_sequences, go_backwards=True, mode=mode, name=name)


def _as_list(x: Any) -> list[Any]:
    return list(x) if isinstance(x, list) else [x]


def scan_checkpoints(
    fn: Any,
    sequences: Any = (),
    outputs_info: Any = None,
    non_sequences: Any = (),
    name: str = "checkpointscan_fn",
    n_steps: Any = None,
    save_every_N: int = 10,
    padding: bool = True,  # noqa: N803
) -> Any:
    """`scan` that returns the outputs of every `save_every_N`-th step.

    All sequences must have the same length; with `padding` they are extended with zeros to a multiple of save_every_N. Raises RuntimeError
    for taps.
    """
    sequences = [] if isinstance(sequences, tuple) else _as_list(sequences)
    non_sequences = [] if isinstance(non_sequences, tuple) else _as_list(non_sequences)
    outputs_info = _as_list(outputs_info)
    if any(isinstance(state, dict) and "taps" in state for state in outputs_info):
        raise RuntimeError("scan_checkpoints doesn't work with taps.")
    if n_steps is None:
        n_steps = sequences[0].shape[0]
    chunks = pt.cast(pt.ceil(n_steps / save_every_N), "int64")
    rest = n_steps % save_every_N
    lengths = pt.set_subtensor(pt.full((chunks,), save_every_N, dtype="int64")[-1], pt.switch(pt.eq(rest, 0), save_every_N, rest))
    if padding:
        missing = [(-s.shape[0]) % save_every_N for s in sequences]
        sequences = [
            pt.join(0, s, pt.zeros([n, *(s.shape[i] for i in range(1, s.ndim))], dtype=s.dtype)) for s, n in zip(sequences, missing)
        ]
    outer = [s.reshape([s.shape[0] // save_every_N, save_every_N, *(s.shape[i] for i in range(1, s.ndim))], s.ndim + 1) for s in sequences]
    without_state = [state for state in outputs_info if state is None]

    def chunk(*args: Any) -> Any:
        inner, states = args[: len(sequences)], args[len(sequences) + 1 : len(args) - len(non_sequences)]
        results, updates = scan(
            fn,
            list(inner),
            [*states, *without_state],
            list(args[len(args) - len(non_sequences) :]),
            name=name + "_inner",
            n_steps=args[len(sequences)],
            return_list=True,
        )
        return [result[-1] for result in results], updates

    return scan(chunk, [*outer, lengths], outputs_info, non_sequences, name=name + "_outer", n_steps=chunks, allow_gc=True)
