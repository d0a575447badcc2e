"""`theanodiag export`: writes one function of a script that has run, with its weights, in one of the formats of export_formats.py, and
checks the file.

A new process with only numpy and what runs the file loads it; for random inputs its results must equal those of the script's function to
within 1e-6 of the largest value of each output, or of 1 if that is smaller.
"""

import json
import os
import subprocess
import sys
import tempfile
from typing import Any, Dict, Iterator, List, NamedTuple, Optional, Sequence, Tuple

from ..framework import call_listeners
from .export_formats import FORMATS, CannotExport, Input, NotConverted, Written

TOLERANCE = 1e-6
BATCH = "batch"
"""Name of the variable length."""


class Argument(NamedTuple):
    """One input, as the script passed it in the last call."""

    shape: Tuple[int, ...]
    least: int
    """Smallest of its values, if they are integers."""
    most: int
    """Largest of its values, if they are integers."""


_seen: Dict[int, Tuple[Any, Dict[int, Argument]]] = {}
"""id of a function -> (the function, position of an input -> its last argument)."""


def record_calls() -> None:
    """Records the arguments of all calls of functions from now on."""
    call_listeners.append(_called)


def _called(function: Any, args: Any, kwargs: Any) -> None:
    import numpy

    names = [given.variable.name for given in explicit(function)]
    arguments = dict(enumerate(args))
    arguments.update({names.index(name): value for name, value in kwargs.items() if name in names})
    described = {}
    for place, value in arguments.items():
        array = numpy.asarray(value)
        whole = array.dtype.kind in "iu" and array.size > 0
        described[place] = Argument(array.shape, int(array.min()) if whole else 0, int(array.max()) if whole else 1)
    _seen[id(function)] = (function, described)


def explicit(function: Any) -> List[Any]:
    """Returns the inputs that a caller of `function` passes: all but shared variables."""
    return [given for given in function.maker.inputs if not getattr(given, "shared", False)]


def chosen(space: Dict[str, Any], name: str) -> Any:
    """Returns the compiled function called `name`: a variable of the script, possibly dotted, or the name given to theano.function."""
    value: Any = space.get(name.partition(".")[0])
    for part in name.split(".")[1:]:
        value = getattr(value, part, None)
    if hasattr(value, "maker"):
        return value
    by_name = [function for function, _ in _seen.values() if function.name == name]
    if len(by_name) == 1:
        return by_name[0]
    known = sorted({n for n, v in space.items() if hasattr(v, "maker")} | {str(f.name) for f, _ in _seen.values() if f.name})
    raise CannotExport(
        "the script has no compiled function {}".format(name), "name one with --function: {}".format(", ".join(known) or "there is none")
    )


def _checked_inputs(function: Any) -> List[Any]:
    """The inputs of `function`. Raises CannotExport if it changes state or takes an input that is not an array."""
    changed = [str(i.variable.name or i.variable) for i in function.maker.inputs if getattr(i, "update", None) is not None]
    if changed:
        raise CannotExport(
            "the function changes {}, and a file cannot".format(", ".join(changed[:3])),
            "export one without updates, with dropout and other random numbers off",
        )
    inputs = explicit(function)
    for variable in [i.variable for i in function.maker.inputs] + [o.variable for o in function.maker.outputs]:
        if not hasattr(variable.type, "dtype") or not hasattr(variable.type, "ndim") or "sparse" in type(variable.type).__name__.lower():
            raise CannotExport("{} is a {}".format(variable, variable.type), "export a function of arrays")
    return inputs


def _shapes(function: Any, inputs: List[Any], given: Dict[str, List[str]]) -> List[List[str]]:
    """The lengths of each input as text, numbers or names: from `given`, else from the last call, with the length of
    the batch named BATCH."""
    described = _seen.get(id(function), (function, {}))[1]
    batch: Optional[int] = None
    shapes = []
    for place, i in enumerate(inputs):
        name, ndim = i.variable.name or str(place), i.variable.type.ndim
        fixed = [None if n is None else str(n) for n in getattr(i.variable.type, "shape", (None,) * ndim)]
        if name in given or str(place) in given:
            shape = given.get(name) or given[str(place)]
        elif place in described:
            lengths = described[place].shape
            if batch is None and lengths and fixed[0] is None:
                batch = lengths[0]
            shape = [BATCH if k == 0 and n == batch and fixed[0] is None else str(n) for k, n in enumerate(lengths)]
        elif None not in fixed:
            shape = [str(n) for n in fixed]
        else:
            raise CannotExport(
                "the script never calls the function, so that the lengths of {} are not known".format(name),
                "say them: --shape {}={}".format(name, ",".join([BATCH] + ["N"] * (ndim - 1))),
            )
        if len(shape) != ndim:
            raise CannotExport("{} has {} axes, and --shape gives {} lengths".format(name, ndim, len(shape)), "give one for each axis")
        shapes.append(shape)
    return shapes


def _converted(function: Any, inputs: List[Any]) -> Any:
    """A function of the `inputs` that JAX can trace, with the values of shared variables as constants."""
    import numpy
    import pytensor
    from pytensor.link.jax.dispatch import jax_funcify

    variables = [i.variable for i in inputs]
    outputs = function.maker.before_rewrites[1]
    again = pytensor.function(variables, outputs, mode="JAX", on_unused_input="ignore")
    graph = again.maker.fgraph
    places = {id(variable): place for place, variable in enumerate(variables)}
    feeds: List[Any] = []
    for wanted, inner in zip(again.maker.inputs, graph.inputs):
        if id(wanted.variable) in places and not getattr(wanted, "shared", False):
            feeds.append(places[id(wanted.variable)])
        else:
            feeds.append(numpy.asarray(wanted.variable.get_value(borrow=True)))
    run = jax_funcify(graph)

    def traced(*values: Any) -> Any:
        outputs = run(*[values[feed] if isinstance(feed, int) else feed for feed in feeds])
        return tuple(outputs) if isinstance(outputs, (tuple, list)) else (outputs,)

    return traced


def _drawn(inputs: List[Any], shapes: List[List[str]], batch: int, described: Dict[int, Argument], seed: int) -> List[Any]:
    """Random values for the inputs: normally distributed floats, or integers in the range of those that the script passed."""
    import numpy

    generator = numpy.random.RandomState(seed)
    values = []
    for place, (i, shape) in enumerate(zip(inputs, shapes)):
        lengths = [int(n) if n.isdigit() else batch for n in shape]
        dtype = i.variable.type.dtype
        if dtype.startswith(("float", "complex")):
            value = generator.normal(size=lengths)
        elif dtype == "bool":
            value = generator.randint(0, 2, lengths)
        else:
            seen = described.get(place, Argument((), 0, 1))
            value = generator.randint(seen.least, seen.most + 1, lengths)
        values.append(numpy.asarray(value, dtype=dtype))
    return values


def _in_second_runtime(program: str, path: str, draws: List[List[Any]], outputs: int) -> List[List[Any]]:
    """The results of the file at `path` for each of the calls, computed by a process that runs `program`. Raises CannotExport if that
    fails."""
    import numpy

    with tempfile.TemporaryDirectory() as folder:
        given, results = os.path.join(folder, "in.npz"), os.path.join(folder, "out.npz")
        numpy.savez(given, **{"%04d_%04d" % (n, k): value for n, values in enumerate(draws) for k, value in enumerate(values)})
        env = {name: value for name, value in os.environ.items() if name not in ("THEANODIAG_RUN", "PYTHONPATH")}
        env.update(JAX_ENABLE_X64="1", JAX_PLATFORMS="cpu")
        done = subprocess.run(
            [sys.executable, "-c", program, path, given, results], env=env, stderr=subprocess.PIPE, universal_newlines=True
        )
        if done.returncode:
            raise CannotExport("the file does not run by itself: {}".format((done.stderr.strip().splitlines() or ["no message"])[-1][:300]))
        with numpy.load(results) as arrays:
            return [[arrays["%04d_%04d" % (n, k)] for k in range(outputs)] for n in range(len(draws))]


def _difference(ours: Sequence[Any], theirs: Sequence[Any]) -> float:
    """The largest difference relative to the largest value of its output (at least 1); infinite if shapes, dtypes or non-finite values
    differ."""
    import numpy

    if len(ours) != len(theirs):
        return float("inf")
    worst = 0.0
    for a, b in zip(map(numpy.asarray, ours), theirs):
        if a.shape != b.shape or a.dtype != b.dtype:
            return float("inf")
        if a.dtype.kind in "fc":
            finite = numpy.isfinite(a) & numpy.isfinite(b)
            if not numpy.array_equal(a[~finite], b[~finite], equal_nan=True):
                return float("inf")
            if finite.any():
                a, b = a[finite].astype("complex128"), b[finite]
                worst = max(worst, float(abs(a - b).max()) / max(1.0, float(abs(a).max())))
        elif (a != b).any():
            worst = max(worst, 1.0)
    return worst


def _compared(function: Any, inputs: List[Any], shapes: List[List[str]], program: str, path: str) -> Tuple[float, List[int]]:
    """(largest difference between the file and the script's function, tested batch lengths)."""
    described = _seen.get(id(function), (function, {}))[1]
    named = any(not n.isdigit() for shape in shapes for n in shape)
    batches = [5, 1, 2] if named else [1]
    drawn = [_drawn(inputs, shapes, batch, described, seed) for seed, batch in enumerate(batches)]
    own = [function(*[value.copy() for value in values]) for values in drawn]
    listed = [list(output) if isinstance(output, (list, tuple)) else [output] for output in own]
    theirs = _in_second_runtime(program, path, drawn, len(listed[0]))
    return max(_difference(a, b) for a, b in zip(listed, theirs)), batches if named else []


def _signature(names: Sequence[str], shapes: Sequence[Any], dtypes: Sequence[str]) -> List[str]:
    return ["{}: {}[{}]".format(n, d, ", ".join(map(str, s))) for n, s, d in zip(names, shapes, dtypes)]


def _written(function: Any, request: Dict[str, Any]) -> Dict[str, Any]:
    """Writes the file of `function` to `request["output"]`. Returns the report."""
    inputs = _checked_inputs(function)
    shapes = _shapes(function, inputs, request["shapes"])
    traced = _converted(function, inputs)
    form = FORMATS[request["format"]]
    names = [i.variable.name or "input %d" % place for place, i in enumerate(inputs)]
    dtypes = [i.variable.type.dtype for i in inputs]

    other = "" if form is FORMATS["stablehlo"] else "StableHLO holds all that JAX computes: -o x.stablehlo"
    if other and "float64" in dtypes:  # no Conv, for example
        other = "ONNX Runtime lacks operations for float64: set floatX=float32 for the script; or " + other

    def files(lengths: List[List[str]]) -> Iterator[Written]:
        try:
            yield from form.write(traced, [Input(*one) for one in zip(names, lengths, dtypes)])
        except Exception as error:
            raise NotConverted(form.converter, _line(error), other) from None

    def compared(lengths: List[List[str]]) -> Tuple[Written, float, List[int]]:
        """Returns the first file that computes the same as the script's function."""
        reason: Optional[CannotExport] = None
        for written in files(lengths):
            with open(request["output"], "wb") as file:
                file.write(written.data)
            try:
                worst, batches = _compared(function, inputs, lengths, form.program, request["output"])
            except CannotExport as error:
                reason = reason or CannotExport(error.what, error.advice or other)
                continue
            if worst <= TOLERANCE:
                return written, worst, batches
            differs = "the file differs from the script's function by {:.1e} of the largest value, more than {:g}: it is not written"
            reason = reason or CannotExport(differs.format(worst, TOLERANCE), other)
        assert reason is not None
        raise reason

    note = ""
    try:
        written, worst, batches = compared(shapes)
    except NotConverted as error:
        fixed = [[str(n) for n in _seen[id(function)][1][place].shape] if place in _seen.get(id(function), (0, {}))[1] else shape
                 for place, shape in enumerate(shapes)]  # fmt: skip
        if request["shapes"] or fixed == shapes:
            raise
        note = "the batch is fixed: it cannot be left open ({})".format(error.reason)
        shapes = fixed
        written, worst, batches = compared(shapes)
    outputs = ["output %d" % k for k in range(len(written.outputs))]
    return {
        "inputs": _signature(names, shapes, dtypes),
        "outputs": _signature(outputs, [shape for shape, _ in written.outputs], [dtype for _, dtype in written.outputs]),
        "form": written.form, "runtime": form.runtime, "difference": worst, "batches": batches, "note": note, "bytes": len(written.data),
    }  # fmt: skip


def _line(error: BaseException) -> str:
    return (str(error).strip().splitlines() or [type(error).__name__])[0][:200]


def export(space: Dict[str, Any], request: Dict[str, Any]) -> int:
    """Exports a function from the script's globals `space` and writes the report to `request["report"]`. Returns the exit status."""
    try:
        report = _written(chosen(space, request["function"]), request)
    except CannotExport as error:
        report = {"error": error.what, "advice": error.advice}
    with open(request["report"], "w") as file:
        json.dump(report, file)
    return 0
