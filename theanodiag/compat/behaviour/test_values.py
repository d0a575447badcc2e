"""Test values (`config.compute_test_value`): each Op runs on the `tag.test_value` of its inputs while the graph is built."""

import sys
import warnings
from functools import wraps
from typing import Any, Dict, List

import pytensor
from pytensor.compile.builders import OpFromGraph
from pytensor.compile.sharedvalue import SharedVariable
from pytensor.graph.basic import Constant, NominalVariable, Variable
from pytensor.graph.op import HasInnerGraph, Op
from pytensor.graph.utils import get_variable_trace_string
from pytensor.scalar.basic import ScalarType
from pytensor.tensor.blockwise import Blockwise


def _of(v: Any) -> Any:
    """The test value of the Variable `v`. Raises AttributeError if it has none."""
    if isinstance(v, Constant):
        return v.data
    if isinstance(v, SharedVariable):
        return v.get_value(borrow=True, return_internal_type=True)
    if isinstance(v, Variable) and hasattr(v.tag, "test_value"):
        try:
            return v.type.filter(v.tag.test_value)
        except Exception as e:
            message = (
                "For compute_test_value, one input test value does not have the requested type.\n"
                + get_variable_trace_string(v)
                + "\nThe error when converting the test value to that variable type:"
            )
            e.args = ("\n".join((message, *(str(arg) for arg in e.args))),)
            raise
    raise AttributeError("{} has no test value {}".format(v, get_variable_trace_string(v)))


def get_test_value(v: Any) -> Any:
    """Returns the test value of a Variable, or of an object that can become a constant. Raises AttributeError if it has none."""
    return _of(v if isinstance(v, Variable) else pytensor.tensor.as_tensor_variable(v))


def missing_test_message(msg: str) -> None:
    """Reports a missing test value according to the flag compute_test_value: raises AttributeError, warns or does nothing."""
    action = pytensor.config.compute_test_value
    if action == "raise":
        raise AttributeError(msg)
    if action == "warn":
        warnings.warn(msg, stacklevel=2)
    else:
        assert action in ("ignore", "off")


def debug_error_message(msg: str) -> None:
    """Reports an error found with test values: raises ValueError for "raise" and "ignore", warns for "warn"."""
    action = pytensor.config.compute_test_value
    assert action != "off"
    if action in ("raise", "ignore"):
        raise ValueError(msg)
    assert action == "warn"
    warnings.warn(msg, stacklevel=2)


def debug_assert(condition: Any, msg: Any = None) -> None:
    """Checks a condition on test values: raises AssertionError for "raise" and "ignore", warns for "warn"."""
    if not condition:
        action = pytensor.config.compute_test_value
        if action in ("raise", "ignore"):
            raise AssertionError(msg or "debug_assert failed")
        assert action == "warn"
        warnings.warn(msg or "debug_assert failed", stacklevel=2)


def get_debug_values(*args: Any) -> List[Any]:
    """Returns [test values of `args`], as one tuple or one value; [] if the flag is "off" or a value is missing."""
    if pytensor.config.compute_test_value == "off":
        return []
    values = []
    for i, arg in enumerate(args):
        try:
            values.append(get_test_value(arg))
        except AttributeError:
            named = "('%s')" % arg.name if getattr(arg, "name", None) is not None else ""
            missing_test_message("Argument %d%s has no test value" % (i, named))
            return []
    return values if len(values) == 1 else [tuple(values)]


def _missing(i: int, ins: Any, node: Any) -> None:
    """Handles input `i` of `node` without a test value according to the flag: warns, raises ValueError or starts the debugger."""
    action = pytensor.config.compute_test_value
    text = "Cannot compute test value: input {} ({}) of Op {} missing default value".format(i, ins, node)
    if action == "warn":
        warnings.warn("Warning, " + text, stacklevel=4)
    elif action == "raise":
        raise ValueError(text + ". " + get_variable_trace_string(ins))
    elif action == "pdb":
        import pdb

        pdb.post_mortem(sys.exc_info()[2])


def _placeholder(v: Any) -> bool:
    """Whether PyTensor created `v` as an input of an Op's inner graph."""
    return v.owner is None and (isinstance(v, NominalVariable) or isinstance(v.type, ScalarType)) and not isinstance(v, Constant)


def compute(node: Any) -> None:
    """Runs `node` on the test values of its inputs and stores the results as test values of its outputs."""
    if any((_placeholder(i) or hasattr(i.tag, "inside")) and not hasattr(i.tag, "test_value") for i in node.inputs):
        for out in node.outputs:
            out.tag.inside = True
        return
    storage: Dict[Any, List[Any]] = {}
    done: Dict[Any, List[bool]] = {}
    for i, ins in enumerate(node.inputs):
        try:
            storage[ins], done[ins] = [_of(ins)], [True]
        except AttributeError:
            _missing(i, ins, node)
            return
    for positions in (getattr(node.op, "destroy_map", None) or {}).values():
        for position in positions:
            storage[node.inputs[position]] = [storage[node.inputs[position]][0].copy()]
    for out in node.outputs:
        storage[out], done[out] = [None], [False]
    op = node.op.clone() if isinstance(node.op, HasInnerGraph) else node.op  # compiling an inner graph rewrites it
    with pytensor.config.change_flags(compute_test_value="off"):  # an inner graph has no test values, and may be compiled here
        thunk = op.make_thunk(node, storage, done, no_recycling=[])
    required = thunk()
    assert not required
    for out in node.outputs:
        out.tag.test_value = storage[out][0]


def compute_all(variables: Any) -> None:
    """Computes test values for `variables` and their ancestors that were created while the flag was "off"."""
    pending = [v for v in variables if isinstance(v, Variable)]
    while pending:  # without recursion: legacy graphs are deep
        node = pending[-1].owner
        if node is None or hasattr(pending[-1].tag, "test_value") or hasattr(pending[-1].tag, "inside"):
            pending.pop()
            continue
        waiting = [i for i in node.inputs if i.owner is not None and not hasattr(i.tag, "test_value") and not hasattr(i.tag, "inside")]
        if waiting:
            pending.extend(waiting)
        else:
            pending.pop()
            compute(node)
            if not hasattr(node.outputs[0].tag, "test_value"):  # "ignore" and "warn" leave a gap and continue
                for out in node.outputs:
                    out.tag.inside = True


def with_values_after(function: Any) -> Any:
    """Runs `function` with the flag compute_test_value off, then computes test values for its results; for functions that build an inner
    graph.
    """

    @wraps(function)
    def computed(*args: Any, **kwargs: Any) -> Any:
        if pytensor.config.compute_test_value == "off":
            return function(*args, **kwargs)
        outputs = without(function)(*args, **kwargs)
        compute_all(outputs)
        return outputs

    return computed


def without(function: Any) -> Any:
    """Runs `function` with the flag compute_test_value off; for functions that build an inner graph."""

    @wraps(function)
    def quiet(*args: Any, **kwargs: Any) -> Any:
        with pytensor.config.change_flags(compute_test_value="off"):
            return function(*args, **kwargs)

    return quiet


def apply(origin: str) -> None:
    """Makes `Op.__call__` compute test values, and turns the flag off while inner graphs are built."""
    for kind, names in ((OpFromGraph, ("__init__", "_build_and_cache_lop_op", "_build_and_cache_rop_op")), (Blockwise, ("_bgrad",))):
        for name in names:
            if name in vars(kind):
                setattr(kind, name, without(vars(kind)[name]))
    plain = Op.__call__

    def __call__(self: Any, *inputs: Any, **kwargs: Any) -> Any:
        outputs = plain(self, *inputs, **kwargs)
        if pytensor.config.compute_test_value != "off":
            first = outputs[0] if isinstance(outputs, (list, tuple)) and outputs else outputs
            node = getattr(first, "owner", None)
            if node is not None and type(node.op) is type(self):
                compute(node)
        return outputs

    Op.__call__ = __call__
    Op._get_test_value = staticmethod(_of)
