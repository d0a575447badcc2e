"""The log-density of a model of PyMC 4, 5 or 6, term by term, and its transforms. Source: PyMC 5.28.5 and 6.4.0, pymc/model/core.py."""

import contextlib
import sys

from .density_model import ModelDensity, discrete
from .density_points import has_many_digits, in_numpy, in_single_precision

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from .. import Live


def framework() -> "Live":
    """Returns the framework as a module: the imported package `pytensor`, or `aesara` for PyMC 4."""
    return sys.modules.get("pytensor") or sys.modules["aesara"]


@contextlib.contextmanager
def prepared() -> "Iterator[None]":
    """Context manager that does nothing. For PyMC3, the function of this name switches test values off."""
    yield


def ancestors(outputs: "list[Live]") -> "Iterable[Live]":
    """Returns all variables that `outputs` depend on, and `outputs` themselves."""
    graph = framework().graph
    variables = (graph.traversal if hasattr(graph, "traversal") else graph.basic).ancestors(outputs)  # type: Iterable[Live]
    return variables


def has_random_rows(outputs: "list[Live]") -> bool:
    """Returns whether `outputs` depend on rows that `pm.Minibatch` picks at random."""
    return any(v.owner is not None and type(v.owner.op).__name__.startswith("Minibatch") for v in ancestors(outputs))


def has_folded(output: "Live") -> bool:
    """Returns whether the graph of `output` contains a float32 constant with more digits than scripts write, which was probably computed in
    single precision.
    """
    return any(
        v.owner is None and str(getattr(v, "dtype", "")) == "float32" and has_many_digits(getattr(v, "data", None))
        for v in ancestors([output])
    )


def in_double_precision(outputs: "list[Live]") -> "list[Live]":
    """Rewrites the graph of `outputs` with float64 in place of float32 constants and of integers inside elementwise functions.

    PyTensor types the constant 5.0 as float32, and PyMC 6.4 therefore computes log(5.0) in single precision.
    """
    tensor, changed = framework().tensor, {}
    for variable in ancestors(outputs):
        node, dtype = variable.owner, str(getattr(variable, "dtype", ""))
        if node is None and dtype in ("float16", "float32") and hasattr(variable, "data"):
            changed[variable] = tensor.constant(variable.data.astype("float64"))
        elif node is not None and dtype in ("float16", "float32") and hasattr(node.op, "scalar_op"):
            if all(discrete(i) for i in node.inputs):
                changed[variable] = node.op(*[tensor.cast(i, "float64") for i in node.inputs])
    clones = framework().graph.replace.clone_replace(outputs, changed, rebuild_strict=False)  # type: list[Live]
    return clones


class Density(ModelDensity):
    """The log-density of a model of PyMC 4, 5 or 6."""

    def __init__(self, model: "Live") -> None:
        self.model = model
        tensor = framework().tensor
        self.free = [(str(v.name), v, model.rvs_to_values[v]) for v in model.free_RVs]
        self.variables = dict((name, self._row(v)) for name, v, _ in self.free)
        factors = list(model.basic_RVs) + list(model.potentials)
        self.terms = [str(v.name) for v in factors]
        self.minibatches = [str(v.name) for v in factors if has_random_rows([v, model.rvs_to_values.get(v, v)])]
        self.deterministics = [v for v in model.deterministics if str(v.name) not in self.variables]
        base = sys.modules["pymc"].Model
        folded = list(base.logp(model, vars=factors, jacobian=True, sum=False))
        bare = list(base.logp(model, vars=factors, jacobian=False, sum=False))
        # Summed afterwards: a Sum that was made of float32 stays one.
        both = [tensor.sum(t) for t in in_double_precision(folded + bare)]
        whole, bare = both[: len(folded)], both[len(folded) :]
        self.single = [
            name for name, term, density in zip(self.terms, folded, whole) if in_single_precision(density) or has_folded(term)
        ]  # constants that PyTensor has folded keep the digits of single precision
        gradients = self.gradients(framework().grad, sum(whole))
        self.inputs = [value for _, _, value in self.free]
        narrow = dict((name, tensor.sum(term)) for name, term in zip(self.terms, folded) if has_folded(term) or in_single_precision(term))
        self.as_sampled = sorted(narrow)
        self._as_sampled = self._function(self.inputs, [narrow[name] for name in self.as_sampled]) if narrow else None
        known = dict((str(v.name), v) for v in model.unobserved_value_vars)
        self._constrained = self._function(self.inputs, [known[name] for name, _, _ in self.free], None)
        self._total = self._function(self.inputs, [sum(bare)])
        self._all = self._function(self.inputs, whole + bare + gradients + [known[str(v.name)] for v in self.deterministics])
        started = model.initial_point()
        self.start = dict((name, started[value.name]) for name, _, value in self.free)

    @staticmethod
    def _function(inputs: "Live", outputs: "Live", rewrites: "str | None" = "fast_run") -> "Live":
        mode = in_numpy(framework().compile.mode.Mode, rewrites)
        return framework().function(inputs, outputs, mode=mode, on_unused_input="ignore", allow_input_downcast=True)

    def _row(self, variable: "Live") -> "dict[str, Live]":
        transform = self.transform_of(variable)
        return {
            "distribution": self.kind_of(variable),
            "bounded": False,
            "transform": None if transform is None else str(getattr(transform, "name", type(transform).__name__)),
            "discrete": discrete(variable),
            "scalar": getattr(variable.owner.op, "ndim_supp", 0) == 0,
        }

    def kind_of(self, variable: "Live") -> str:
        """Returns the name of a variable's distribution: the class name of its Op without `RV`."""
        name = type(variable.owner.op).__name__
        return name[:-2] if name.endswith("RV") else name

    def transform_of(self, variable: "Live") -> "Live":
        """Returns the transform that the model stores for a variable; None if there is none."""
        return self.model.rvs_to_transforms.get(variable)

    def forward(self, name: str, variable: "Live", transform: "Live") -> "Live":
        """Compiles a transform's method `forward`, whose parameters may depend on other variables of the model."""
        natural = variable.type("natural")
        moved = self.model.replace_rvs_by_values([transform.forward(natural, *variable.owner.inputs)])
        return self._function([natural] + self.inputs, moved, None)

    def observed(self, variable: "Live") -> "Live":
        """Returns the observed data of a variable: a shared variable or an array; None if the data are computed."""
        value = self.model.rvs_to_values[variable]
        return value if hasattr(value, "get_value") else getattr(value, "data", None)
