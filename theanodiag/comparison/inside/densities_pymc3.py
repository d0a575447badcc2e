"""The log-density of a model of PyMC3 3.3 to 3.11 in parts, and of PyMC's transforms. (PyMC3 3.11.5, pymc3/model.py.)"""

import contextlib
import sys

from .density_points import fingerprint, in_single_precision, inside

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from . import Live


def is_root(model: "Live") -> bool:
    """Whether it is no part of another model."""
    return getattr(model, "parent", None) is None


def parts(model: "Live") -> "tuple[str, ...]":
    """Names of what makes its density."""
    return tuple(str(v.name) for v in list(model.free_RVs) + list(model.observed_RVs) + list(model.potentials))


@contextlib.contextmanager
def prepared() -> "Iterator[None]":
    """Keeps Theano from computing each expression with examples while it is written, as PyMC3 has it do."""
    config = sys.modules["theano"].config
    own, config.compute_test_value = config.compute_test_value, "off"
    try:
        yield
    finally:
        config.compute_test_value = own


class Density(object):
    """A model whose log-density is computed, part by part."""

    def __init__(self, model: "Live") -> None:
        self.model = model
        tensor, grad = sys.modules["theano.tensor"], sys.modules["theano"].grad
        self.free = [(self._name(v), v) for v in model.free_RVs]
        self.variables = dict((name, self._row(v)) for name, v in self.free)
        self.start = dict((name, model.test_point[v.name]) for name, v in self.free)
        terms = self.free + [(str(v.name), v) for v in list(model.observed_RVs) + list(model.potentials)]
        self.terms = [name for name, _ in terms]
        factors = [v for _, v in terms]
        known = set(str(v.name) for v in model.free_RVs)
        self.made = [v for v in model.deterministics if str(v.name) not in self.variables and str(v.name) not in known]
        whole = [self._density(v, True) for v in factors]
        bare = [self._density(v, False) for v in factors]
        self.single = [name for name, density in zip(self.terms, whole) if in_single_precision(density)]
        total, plain = tensor.sum([tensor.sum(t) for t in whole]), tensor.sum([tensor.sum(t) for t in bare])
        self.moving = [(name, v) for name, v in self.free if not self.variables[name]["discrete"]]
        self.gradient_failed = None  # type: str | None
        gradients = []  # type: Live
        try:
            gradients = grad(total, [v for _, v in self.moving], disconnected_inputs="ignore") if self.moving else []
        except Exception as error:
            self.gradient_failed, gradients = "%s: %s" % (type(error).__name__, str(error).split("\n")[0]), []
        inputs = [v for _, v in self.free]
        self._all = self._function(inputs, whole + bare + gradients + [tensor.as_tensor_variable(v) for v in self.made])
        self._values = self._function(inputs, [model.named_vars[name] for name, _ in self.free] + [plain])

    @staticmethod
    def _function(inputs: "Live", outputs: "Live", rewrites: "str | None" = "fast_run") -> "Live":
        theano = sys.modules["theano"]
        mode = sys.modules["theano.compile.mode"].Mode(linker="py", optimizer=rewrites)
        return theano.function(inputs, outputs, mode=mode, on_unused_input="ignore", allow_input_downcast=True)

    @staticmethod
    def _name(variable: "Live") -> str:
        """The name that the script gave a free variable, which may be sampled under another."""
        name = str(variable.name)
        if hasattr(variable.distribution, "transform_used"):
            return sys.modules["pymc3.util"].get_untransformed_name(name) if name.endswith("__") else name
        return name

    @staticmethod
    def _row(variable: "Live") -> "dict[str, Live]":
        chosen = variable.distribution
        transform = getattr(chosen, "transform_used", None)
        if transform is not None:
            chosen = chosen.dist
        bases = [c.__name__ for c in type(chosen).__mro__]
        transformed = getattr(transform, "name", None)
        many = bool({"stickbreaking", "ordered", "cholesky-cov-packed", "sum_to_1", "t_stick_breaking"} & {transformed})
        known = "_Bounded" in bases or any(b in bases for b in ("Continuous", "Discrete"))
        several = getattr(type(chosen), "__module__", "").endswith(("multivariate", "timeseries"))
        return {
            "distribution": type(chosen).__name__,
            "bounded": "_Bounded" in bases,
            "transform": transformed,
            "discrete": str(variable.dtype).startswith(("int", "uint", "bool")),
            "scalar": known and not many and not several,
        }

    def _density(self, factor: "Live", jacobian: bool) -> "Live":
        """The log-density of a variable, or the term itself; 0 of what has none."""
        tensor = sys.modules["theano.tensor"]
        if not hasattr(factor, "logpt"):
            return tensor.as_tensor_variable(factor)
        density = factor.logpt if jacobian or not hasattr(factor, "logp_nojact") else factor.logp_nojact
        return tensor.as_tensor_variable(density)

    def _point(self, sampled: "dict[str, Live]") -> "list[Live]":
        return [sampled[name] for name, _ in self.free]

    def constrained(self, sampled: "dict[str, Live]") -> "dict[str, Live]":
        """Values as the model has them."""
        return dict(zip([name for name, _ in self.free], self._values(*self._point(sampled))))

    def total(self, sampled: "dict[str, Live]") -> float:
        """Log-density without Jacobians."""
        return float(self._values(*self._point(sampled))[-1])

    def sampled(self, values: "dict[str, Live]") -> "tuple[dict[str, Live], list[str]]":
        """Values as they are sampled, and the names of those that lie outside of what their transforms map to."""
        theano, numpy = sys.modules["theano"], sys.modules["numpy"]
        found = {}  # type: dict[str, Live]
        for name, variable in self.free:
            transform = getattr(variable.distribution, "transform_used", None)
            value = numpy.asarray(values[name], dtype=str(variable.dtype))
            if transform is not None:
                forward = self._forward(name, transform, theano)
                moved = forward(value, *self._point(dict(self.start, **found)))[0]
                found[name] = numpy.asarray(moved, dtype=str(variable.dtype))
            else:
                found[name] = value
        outside = sorted(name for name in found if not numpy.all(numpy.isfinite(found[name])))
        if outside:
            return found, outside
        back = self.constrained(found)
        return found, sorted(name for name in found if not inside(values[name], found[name], back[name]))

    def _forward(self, name: str, transform: "Live", theano: "Live") -> "Live":
        held = self.__dict__.setdefault("_forwards", {})
        if name not in held:
            natural = theano.tensor.TensorType("float64", self.model.named_vars[name].broadcastable)("natural")
            held[name] = self._function([natural] + [v for _, v in self.free], [transform.forward(natural)], None)
        return held[name]

    def at(self, sampled: "dict[str, Live]") -> "dict[str, Live]":
        """Figures at a point: each term with and without the Jacobian of its transform, gradients, digests of what is computed."""
        numpy = sys.modules["numpy"]
        found, n, m = self._all(*self._point(sampled)), len(self.terms), 0 if self.gradient_failed else len(self.moving)
        names = [name for name, _ in self.moving]
        return {
            "sampled": dict((name, numpy.asarray(value).tolist()) for name, value in sampled.items()),
            "terms": dict((name, float(numpy.sum(v))) for name, v in zip(self.terms, found[:n])),
            "bare": dict((name, float(numpy.sum(v))) for name, v in zip(self.terms, found[n : 2 * n])),
            "gradient": dict((name, numpy.asarray(v).tolist()) for name, v in zip(names, found[2 * n : 2 * n + m])),
            "computed": dict((str(v.name), fingerprint(x)) for v, x in zip(self.made, found[2 * n + m :])),
        }

    def described(self) -> "dict[str, Live]":
        """The parts by name, and the data."""
        return {
            "name": str(self.model.name or ""),
            "variables": self.variables,
            "terms": self.terms,
            "observed": dict((str(v.name), data_of(v)) for v in self.model.observed_RVs),
            "gradient_failed": self.gradient_failed,
            "single": self.single,
            "observed_kinds": dict((str(v.name), type(v.distribution).__name__) for v in self.model.observed_RVs),
        }


def data_of(variable: "Live") -> "Live":
    """The digest of what was observed; None where it is several arrays or follows from others."""
    observations = getattr(variable, "observations", None)
    data = getattr(observations, "data", observations)  # type: Live
    data = data.get_value() if hasattr(data, "get_value") else data
    try:
        return fingerprint(data)
    except Exception:
        return None
