"""Chooses points at which two models are compared, and evaluates a model's log-density there.

The first run draws the points around the start in the sampler's space and stores them as values of the model's variables (`sigma`, not
`sigma_log__`), because the second run may use other transforms. Each variable with a scalar support is also set, alone, to a row of probe
values, most of which lie outside the support of common priors: this reveals a lost bound. The elements of each vector are also turned
round, which reveals a lost order.
"""

import re
import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from .. import Live

REALS = (0.0137, 0.173, 0.83, 1.37, 2.6, 4.3, 7.7, 19.0, 57.0, 233.0, 1717.0)
"""Values to which a continuous variable is set to test its support; each is used with both signs."""
INTEGERS = tuple(range(-3, 16)) + (19, 23, 31, 47, 61, 99, 101, 499, 1001)
"""Values to which a discrete variable is set to test its support."""
SECONDS = 90.0
"""Time limit in seconds for testing the supports of the variables of one model."""


def figures_of(
    density: "Live",
    partner: "Callable[[dict[str, Live]], dict[str, Live] | None] | None",
    options: "dict[str, Live]",
    clock: "Callable[[], float]",
) -> "dict[str, Live]":
    """Records one model: its description, and its log-density at the points.

    `density` is a `ModelDensity`, `clock` returns seconds. In the second run, `partner` takes the description of a model and returns the
    first run's record of it, whose points are used, or None if the first run has no such model. In the first run `partner` is None.
    """
    began = clock()
    out = density.described()  # type: dict[str, Live]
    start = density.constrained(density.start)
    out.update(start=plain(start), shapes=dict((name, list(sys.modules["numpy"].shape(value))) for name, value in start.items()))
    first = None if partner is None else partner(out)
    if partner is None:
        points = draw_points(density, int(options["count"]), int(options["seed"]))
        values = [plain(density.constrained(p)) for p in points]
        out["points"] = [dict(density.at(p), values=v, outside=[]) for p, v in zip(points, values)]
    elif first is None or first.get("points") is None:
        return out
    else:
        values = [rename_missing(p["values"], density.variables) for p in first["points"]]
        shapes = dict((name, list(sys.modules["numpy"].shape(value))) for name, value in values[0].items())
        if shapes != out["shapes"]:
            return out
        out["points"] = []
        for value in values:
            sampled, outside = density.sampled(value)
            out["points"].append(dict({} if outside else density.at(sampled), values=value, outside=outside))
    out["alone"] = {}
    for name in sorted(density.variables):
        if density.variables[name]["scalar"] and clock() - began < SECONDS:
            out["alone"][name] = probe_density(density, values[0], name)
    out["turned"] = {}
    for name in sorted(density.variables):
        if len(values) > 1 and not density.variables[name]["discrete"] and sys.modules["numpy"].size(values[1][name]) > 1:
            turned = sys.modules["numpy"].asarray(values[1][name])[..., ::-1]
            out["turned"][name] = [turned.tolist(), density_of(density, dict(values[1], **{name: turned}))]
    return out


def draw_points(density: "Live", count: int, seed: int) -> "list[dict[str, Live]]":
    """Returns the start and `count` random points around it, in the sampler's space, at which the log-density is finite."""
    numpy = sys.modules["numpy"]
    rng = numpy.random.RandomState(seed)
    points = [density.start]
    for number in range(count):
        for scale in (0.4, 1.0)[number % 2], 0.1, 0.01:
            point = {}
            for name in sorted(density.start):
                value = numpy.asarray(density.start[name])
                if not density.variables[name]["discrete"]:
                    value = value + scale * rng.standard_normal(value.shape).reshape(value.shape)
                point[name] = value
            if numpy.isfinite(density.total(point)):
                break
        for name in sorted(density.start):
            if density.variables[name]["discrete"]:
                value = numpy.asarray(density.start[name])
                for _ in range(8):
                    moved = value + rng.randint(-2, 3) * (rng.random_sample(value.shape) < 0.5).astype(value.dtype)
                    tried = dict(point, **{name: moved.astype(value.dtype)})
                    if numpy.isfinite(density.total(tried)):
                        point = tried
                        break
        points.append(point)
    return points


def probe_density(density: "Live", start: "dict[str, Live]", name: str) -> "list[list[float]]":
    """Sets all elements of the variable `name` to each probe value in turn, with everything else as at the start. Returns [value,
    log-density] for each; -inf outside the support.
    """
    numpy = sys.modules["numpy"]
    is_discrete = density.variables[name]["discrete"]
    probes = INTEGERS if is_discrete else [sign * value for sign in (-1, 1) for value in REALS]
    pairs = []
    for probe in probes:
        value = numpy.full(numpy.shape(start[name]), probe, dtype="int64" if is_discrete else "float64")
        pairs.append([float(probe), density_of(density, dict(start, **{name: value}))])
    return pairs


def density_of(density: "Live", values: "dict[str, Live]") -> float:
    """Returns the log-density, without Jacobian terms, for these values of the variables; -inf outside the support."""
    sampled, outside = density.sampled(values)
    total = float("-inf") if outside else float(density.total(sampled))
    return total if sys.modules["numpy"].isfinite(total) else float("-inf")


def rename_missing(values: "dict[str, Live]", variables: "dict[str, Live]") -> "dict[str, Live]":
    """Renames values to this library's names: imputed variables end in `_missing` in PyMC3 and in `_unobserved` in PyMC."""
    renamed = {}
    for name, value in values.items():
        other = name[: -len("_missing")] + "_unobserved" if name.endswith("_missing") else name
        renamed[name if name in variables else other] = value
    return renamed


def names_of(record: "dict[str, Live]") -> "frozenset[str]":
    """Returns the names of the variables and data of a recorded model, without the suffixes that the libraries give to the parts of a
    variable with missing values. Empty for a model whose density could not be computed.
    """
    names = list(record.get("variables", ())) + list(record.get("observed", ()))
    return frozenset(re.sub("_(missing|unobserved|observed)$", "", name) for name in names)


def plain(values: "dict[str, Live]") -> "dict[str, Live]":
    """Converts arrays to nested lists."""
    numpy = sys.modules["numpy"]
    return dict((name, numpy.asarray(value).tolist()) for name, value in values.items())


def fingerprint(value: "Live") -> "list[Live]":
    """Returns the fingerprint of an array: [shape, weighted sum of the elements]; masked elements and nan count as 0."""
    numpy = sys.modules["numpy"]
    array = numpy.ma.filled(numpy.ma.asarray(value).astype("float64"), 0.0)
    weights = 0.5 + numpy.random.RandomState(0).random_sample(array.size)
    return [list(array.shape), float(numpy.dot(numpy.nan_to_num(array).ravel(), weights))]


def in_numpy(mode_class: "Live", rewrites: "str | None") -> "Live":
    """Returns the mode in which densities are computed, an instance of the framework's class Mode: in Python and without fusion. Without
    fusion each elementwise Op is one NumPy function; a fused Op would be computed in Python element by element.
    """
    mode = mode_class(linker="py", optimizer=rewrites)
    return mode if rewrites is None else mode.excluding("composite_elemwise_fusion", "local_careduce_fusion", "inplace")


def has_many_digits(data: "Live") -> bool:
    """Returns whether a number in `data` has more binary digits than short ones such as 2.5, and so may be the result of a computation in
    single precision.
    """
    numpy = sys.modules["numpy"]
    if data is None:
        return False
    finite = numpy.asarray(data, dtype="float64")
    finite = finite[numpy.isfinite(finite)]
    return bool(numpy.any(finite * 65536 % 1 != 0))


VALUE_ERRORS = (IndexError, ValueError, ArithmeticError, AssertionError)
"""Errors that an Op raises for values that it cannot handle: an index outside its array, PyMC's ParameterValueError, infinities in a
matrix, the script's own Assert. NumPy 1's LinAlgError, of a matrix that is not positive definite, has none of them as a base.
"""


def refuses_values(error: Exception) -> bool:
    """Returns whether the values that a density got may have caused an error, and not the way in which the density was called."""
    return isinstance(error, VALUE_ERRORS) or type(error).__name__ == "LinAlgError"


def inside(value: "Live", sampled: "Live", back: "Live") -> bool:
    """Returns whether a value lies in the range of its transform: the transformed value is finite, and transforming it back gives the
    value.
    """
    numpy = sys.modules["numpy"]
    if numpy.shape(value) != numpy.shape(back) or not numpy.all(numpy.isfinite(sampled)):
        return False
    return bool(numpy.allclose(value, back, rtol=1e-6, atol=1e-9))


EXACT = frozenset((
    "Cast", "Identity", "Second", "Neg", "Abs", "Add", "Sub", "Mul", "Sqr", "Switch", "Maximum", "Minimum", "Sgn", "Sign",
))  # fmt: skip
"""Elementwise Ops whose results are exact for the short numbers that scripts write, also in float32."""


def in_single_precision(output: "Live") -> bool:
    """Returns whether a float below double precision is computed in this graph and may be inexact; PyTensor computes log(5) in float32 for
    the integer 5.
    """
    waiting, seen = [output], set()  # type: list[Live], set[int]
    while waiting:
        variable = waiting.pop()
        if id(variable) in seen:
            continue
        seen.add(id(variable))
        if variable.owner is None:
            if str(getattr(variable, "dtype", "")) == "float32" and has_many_digits(getattr(variable, "data", None)):
                return True
            continue
        scalar = getattr(variable.owner.op, "scalar_op", None)
        if str(getattr(variable, "dtype", "")) in ("float16", "float32") and scalar is not None and type(scalar).__name__ not in EXACT:
            return True
        waiting.extend(variable.owner.inputs)
    return False
