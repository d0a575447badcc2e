"""The log-density of a model of PyMC 4, 5 or 6 in parts, and its transforms. (PyMC 5.28.5 and 6.4.0, pymc/model/core.py.)"""

import contextlib
import sys

from .density_points import fingerprint, has_many_digits, in_single_precision, inside, without_density

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


def framework() -> "Live":
    """PyTensor, or Aesara for PyMC 4."""
    return sys.modules.get("pytensor") or sys.modules["aesara"]


@contextlib.contextmanager
def prepared() -> "Iterator[None]":
    """Nothing needs to be prepared."""
    yield


def kind_of(op: "Live") -> str:
    """The name of a distribution by its Op."""
    name = type(op).__name__
    return name[:-2] if name.endswith("RV") else name


def has_folded(output: "Live") -> bool:
    """Whether a constant of float32 in an expression has more digits than one that a script writes."""
    modules = framework().graph
    ancestors = modules.traversal.ancestors if hasattr(modules, "traversal") else modules.basic.ancestors
    return any(
        v.owner is None and str(getattr(v, "dtype", "")) == "float32" and has_many_digits(getattr(v, "data", None))
        for v in ancestors([output])
    )


def in_double_precision(outputs: "list[Live]") -> "list[Live]":
    """The same expressions where constants of float32, as which PyTensor takes 5.0, and integers of which it takes a logarithm are
    float64: PyMC 6.4 computes log(5.0) in single precision."""
    tensor, changed = framework().tensor, {}
    for variable in (
        framework().graph.basic.ancestors(outputs)
        if not hasattr(framework().graph, "traversal")
        else (framework().graph.traversal.ancestors(outputs))
    ):
        node, dtype = variable.owner, str(getattr(variable, "dtype", ""))
        if node is None and dtype in ("float16", "float32") and hasattr(variable, "data"):
            changed[variable] = tensor.constant(variable.data.astype("float64"))
        elif node is not None and dtype in ("float16", "float32") and hasattr(node.op, "scalar_op"):
            if all(str(i.dtype).startswith(("int", "uint", "bool")) for i in node.inputs):
                changed[variable] = node.op(*[tensor.cast(i, "float64") for i in node.inputs])
    found = framework().graph.replace.clone_replace(outputs, changed, rebuild_strict=False)  # type: list[Live]
    return found


class Density(object):
    """A model whose log-density is computed, part by part."""

    def __init__(self, model: "Live") -> None:
        self.model = model
        tensor = framework().tensor
        self.free = [(str(v.name), v, model.rvs_to_values[v]) for v in model.free_RVs]
        self.variables = dict((name, self._row(v)) for name, v, _ in self.free)
        factors = list(model.basic_RVs) + list(model.potentials)
        self.terms = [str(v.name) for v in factors]
        self.made = [v for v in model.deterministics if str(v.name) not in self.variables]
        base = sys.modules["pymc"].Model
        folded = list(base.logp(model, vars=factors, jacobian=True, sum=False))
        bare = list(base.logp(model, vars=factors, jacobian=False, sum=False))
        # Summed afterwards: a Sum that was made of float32 stays one.
        both = [tensor.sum(t) for t in in_double_precision(folded + bare)]
        whole, bare = both[: len(folded)], both[len(folded) :]
        self.single = [
            name for name, made, density in zip(self.terms, folded, whole) if in_single_precision(density) or has_folded(made)
        ]  # constants that PyTensor has folded keep the digits of single precision
        total, plain = sum(whole), sum(bare)
        self.moving = [(name, value) for name, _, value in self.free if not self.variables[name]["discrete"]]
        self.gradient_failed = None  # type: str | None
        gradients = []  # type: Live
        try:
            gradients = framework().grad(total, [v for _, v in self.moving], disconnected_inputs="ignore") if self.moving else []
        except Exception as error:
            self.gradient_failed, gradients = "%s: %s" % (type(error).__name__, str(error).split("\n")[0]), []
        self.inputs = [value for _, _, value in self.free]
        known = dict((str(v.name), v) for v in model.unobserved_value_vars)
        self._constrained = self._function(self.inputs, [known[name] for name, _, _ in self.free], None)
        self._total = self._function(self.inputs, [plain])
        self._all = self._function(self.inputs, whole + bare + gradients + [known[str(v.name)] for v in self.made])
        started = model.initial_point()
        self.start = dict((name, started[value.name]) for name, _, value in self.free)

    @staticmethod
    def _function(inputs: "Live", outputs: "Live", rewrites: "str | None" = "fast_run") -> "Live":
        mode = framework().compile.mode.Mode(linker="py", optimizer=rewrites)
        return framework().function(inputs, outputs, mode=mode, on_unused_input="ignore", allow_input_downcast=True)

    def _row(self, variable: "Live") -> "dict[str, Live]":
        op, transform = variable.owner.op, self.model.rvs_to_transforms.get(variable)
        return {
            "distribution": kind_of(op),
            "bounded": False,
            "transform": None if transform is None else str(getattr(transform, "name", type(transform).__name__)),
            "discrete": str(variable.dtype).startswith(("int", "uint", "bool")),
            "scalar": getattr(op, "ndim_supp", 0) == 0,
        }

    def _point(self, sampled: "dict[str, Live]") -> "list[Live]":
        return [sampled[name] for name, _, _ in self.free]

    def constrained(self, sampled: "dict[str, Live]") -> "dict[str, Live]":
        """Values as the model has them."""
        return dict(zip([name for name, _, _ in self.free], self._constrained(*self._point(sampled))))

    def total(self, sampled: "dict[str, Live]") -> float:
        """Log-density without Jacobians."""
        try:
            return float(self._total(*self._point(sampled))[0])
        except Exception as error:
            if not without_density(error):
                raise
            return float("-inf")

    def sampled(self, values: "dict[str, Live]") -> "tuple[dict[str, Live], list[str]]":
        """Values as they are sampled, and the names of those that lie outside of what their transforms map to."""
        numpy = sys.modules["numpy"]
        found = {}  # type: dict[str, Live]
        for name, variable, value in self.free:
            given = numpy.asarray(values[name], dtype=str(variable.dtype))
            transform = self.model.rvs_to_transforms.get(variable)
            if transform is not None:
                moved = self._forward(name, variable, transform)(given, *self._point(dict(self.start, **found)))[0]
                found[name] = numpy.asarray(moved, dtype=str(value.dtype))
            else:
                found[name] = given
        outside = sorted(name for name in found if not numpy.all(numpy.isfinite(found[name])))
        if outside:
            return found, outside
        back = self.constrained(found)
        return found, sorted(name for name in found if not inside(values[name], found[name], back[name]))

    def _forward(self, name: str, variable: "Live", transform: "Live") -> "Live":
        held = self.__dict__.setdefault("_forwards", {})
        if name not in held:
            natural = variable.type("natural")
            moved = self.model.replace_rvs_by_values([transform.forward(natural, *variable.owner.inputs)])
            held[name] = self._function([natural] + self.inputs, moved, None)
        return held[name]

    def at(self, sampled: "dict[str, Live]") -> "dict[str, Live]":
        """Figures at a point: each term with and without the Jacobian of its transform, gradients, digests of what is computed."""
        numpy = sys.modules["numpy"]
        n, m = len(self.terms), 0 if self.gradient_failed else len(self.moving)
        try:
            found = self._all(*self._point(sampled))
        except Exception as error:
            if not without_density(error):
                raise
            found = [float("-inf")] * (2 * n)
        names = [name for name, _ in self.moving]
        return {
            "sampled": dict((name, numpy.asarray(value).tolist()) for name, value in sampled.items()),
            "terms": dict((name, float(v)) for name, v in zip(self.terms, found[:n])),
            "bare": dict((name, float(v)) for name, v in zip(self.terms, found[n : 2 * n])),
            "gradient": dict((name, numpy.asarray(v).tolist()) for name, v in zip(names, found[2 * n : 2 * n + m])),
            "computed": dict((str(v.name), fingerprint(x)) for v, x in zip(self.made, found[2 * n + m :])),
        }

    def described(self) -> "dict[str, Live]":
        """The parts by name, and the data."""
        return {
            "name": str(self.model.name or ""),
            "variables": self.variables,
            "terms": self.terms,
            "observed": dict((str(v.name), data_of(self.model.rvs_to_values[v])) for v in self.model.observed_RVs),
            "gradient_failed": self.gradient_failed,
            "single": self.single,
            "observed_kinds": dict((str(v.name), kind_of(v.owner.op)) for v in self.model.observed_RVs),
        }


def data_of(value: "Live") -> "Live":
    """The digest of what was observed; None where it follows from other variables."""
    data = value.get_value() if hasattr(value, "get_value") else getattr(value, "data", None)
    try:
        return None if data is None else fingerprint(data)
    except Exception:
        return None
