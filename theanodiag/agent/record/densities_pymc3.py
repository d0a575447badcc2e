"""The log-density of a model of PyMC3 3.3 to 3.11, term by term, and its transforms. Source: PyMC3 3.11.5, pymc3/model.py."""

import contextlib
import sys

from .density_model import ModelDensity, discrete
from .density_points import in_numpy, in_single_precision

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from .. import Live


@contextlib.contextmanager
def prepared() -> "Iterator[None]":
    """Context manager that switches off Theano's test values, which PyMC3 switches on: no expression is evaluated while the graph is
    built.
    """
    config = sys.modules["theano"].config
    own, config.compute_test_value = config.compute_test_value, "off"
    try:
        yield
    finally:
        config.compute_test_value = own


class Density(ModelDensity):
    """The log-density of a PyMC3 model. Its free variables are themselves the values that are sampled."""

    def __init__(self, model: "Live") -> None:
        self.model = model
        tensor = sys.modules["theano.tensor"]
        self.free = [(self._name(v), v, v) for v in model.free_RVs]
        self.variables = dict((name, self._row(v)) for name, v, _ in self.free)
        self.start = dict((name, model.test_point[v.name]) for name, v, _ in self.free)
        terms = [(name, v) for name, v, _ in self.free] + [(str(v.name), v) for v in list(model.observed_RVs) + list(model.potentials)]
        self.terms = [name for name, _ in terms]
        known = set(str(v.name) for v in model.free_RVs)
        self.deterministics = [v for v in model.deterministics if str(v.name) not in self.variables and str(v.name) not in known]
        whole = [self._density(v, True) for _, v in terms]
        bare = [self._density(v, False) for _, v in terms]
        self.single = [name for name, density in zip(self.terms, whole) if in_single_precision(density)]
        total, plain = tensor.sum([tensor.sum(t) for t in whole]), tensor.sum([tensor.sum(t) for t in bare])
        gradients = self.gradients(sys.modules["theano"].grad, total)
        self.inputs = [v for _, v, _ in self.free]
        self._all = self._function(self.inputs, whole + bare + gradients + [tensor.as_tensor_variable(v) for v in self.deterministics])
        self._constrained = self._function(self.inputs, [model.named_vars[name] for name, _, _ in self.free], None)
        self._total = self._function(self.inputs, [plain])

    @staticmethod
    def _function(inputs: "Live", outputs: "Live", rewrites: "str | None" = "fast_run") -> "Live":
        theano = sys.modules["theano"]
        mode = in_numpy(sys.modules["theano.compile.mode"].Mode, rewrites)
        return theano.function(inputs, outputs, mode=mode, on_unused_input="ignore", allow_input_downcast=True)

    @staticmethod
    def _name(variable: "Live") -> str:
        """The name of a free variable in the script, which PyMC3 may sample under a transformed name such as `sigma_log__`."""
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
            "discrete": discrete(variable),
            "scalar": known and not many and not several,
        }

    def _density(self, factor: "Live", jacobian: bool) -> "Live":
        """The log-density of a variable, with or without the Jacobian term; a potential is returned as it is."""
        tensor = sys.modules["theano.tensor"]
        if not hasattr(factor, "logpt"):
            return tensor.as_tensor_variable(factor)
        density = factor.logpt if jacobian or not hasattr(factor, "logp_nojact") else factor.logp_nojact
        return tensor.as_tensor_variable(density)

    def kind_of(self, variable: "Live") -> str:
        """Returns the name of a variable's distribution: its class name."""
        return type(variable.distribution).__name__

    def transform_of(self, variable: "Live") -> "Live":
        """Returns the transform that a variable's distribution stores; None if there is none."""
        return getattr(variable.distribution, "transform_used", None)

    def forward(self, name: str, variable: "Live", transform: "Live") -> "Live":
        """Compiles a transform's method `forward`; the transforms of PyMC3 hold their own parameters."""
        natural = sys.modules["theano"].tensor.TensorType("float64", self.model.named_vars[name].broadcastable)("natural")
        return self._function([natural] + self.inputs, [transform.forward(natural)], None)

    def observed(self, variable: "Live") -> "Live":
        """Returns the observed data of a variable, as an array if PyMC3 stores one; None if it has no observations. Counts are cut to
        integers, as in PyMC3's density.
        """
        observations = getattr(variable, "observations", None)
        if isinstance(observations, sys.modules["numpy"].ndarray):
            return observations.astype(variable.dtype)
        return getattr(observations, "data", observations)
