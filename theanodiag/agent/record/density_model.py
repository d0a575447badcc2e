"""The log-density of a model, term by term: what the classes for PyMC3 and for PyMC 4, 5 and 6 share."""

import sys

from .density_points import fingerprint, inside, refuses_values

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from .. import Live


def is_root(model: "Live") -> bool:
    """Returns whether the model has no parent model."""
    return getattr(model, "parent", None) is None


def parts(model: "Live") -> "tuple[tuple[str, ...], ...]":
    """Returns the names of the variables that make up the density, in three sorted tuples: free variables, observed variables,
    potentials.
    """
    lists = model.free_RVs, model.observed_RVs, model.potentials
    return tuple(tuple(sorted(str(v.name) for v in variables)) for variables in lists)


def discrete(variable: "Live") -> bool:
    """Returns whether a variable has an integer or boolean dtype."""
    return str(variable.dtype).startswith(("int", "uint", "bool"))


class ModelDensity(object):
    """A model whose log-density is evaluated term by term.

    "Sampled values" are in the unconstrained space in which a sampler moves, "values" are those of the model's variables. A subclass sets
    these attributes: `model`; `free` (name, variable and sampled variable of each free variable); `variables` (a description of each free
    variable); `start` (sampled values); `terms` (names); `single` (names of terms computed in single precision); `minibatches` (names of
    terms of random rows); `deterministics` (variables). It also sets compiled functions: `_all`, from sampled values to each term, each
    term without its Jacobian, the gradients, and the values of the deterministic variables; `_constrained`, to the values of the variables;
    `_total`, to the sum of the terms without Jacobians; and `_as_sampled`, to the terms `as_sampled` as the library itself computes them,
    if it does so in single precision and `_all` does not.
    """

    model = None  # type: Live
    free = []  # type: list[tuple[str, Live, Live]]
    variables = {}  # type: dict[str, dict[str, Live]]
    start = {}  # type: dict[str, Live]
    terms = []  # type: list[str]
    single = []  # type: list[str]
    minibatches = []  # type: list[str]
    deterministics = []  # type: list[Live]
    as_sampled = []  # type: list[str]
    gradient_failed = None  # type: str | None
    _all = None  # type: Live
    _constrained = None  # type: Live
    _total = None  # type: Live
    _as_sampled = None  # type: Live

    def constrained(self, sampled: "dict[str, Live]") -> "dict[str, Live]":
        """Converts sampled values to values of the model's variables: name -> array."""
        return dict(zip([name for name, _, _ in self.free], self._constrained(*self.point(sampled))))

    def total(self, sampled: "dict[str, Live]") -> float:
        """Returns the log-density at a point, without Jacobian terms; -inf if the model has no density there."""
        try:
            return float(self._total(*self.point(sampled))[0])
        except Exception as error:
            if not self._without_density(error):
                raise
            return float("-inf")

    def _without_density(self, error: Exception) -> bool:
        """Whether an error of the density means that the model has none at a point: PyMC's ParameterValueError (invalid parameters of a
        distribution, where PyMC3 returns -inf), or another error of values in a model that has a density at its start, or in which a
        discrete variable is an index."""
        if type(error).__name__ == "ParameterValueError":
            return True
        if isinstance(error, IndexError) and any(row["discrete"] for row in self.variables.values()):
            return True
        return refuses_values(error) and self._starts()

    def _starts(self) -> bool:
        """Whether the log-density can be computed at the model's initial point."""
        try:
            self._total(*self.point(self.start))
        except Exception:
            return False
        return True

    def transform_of(self, variable: "Live") -> "Live":
        """Returns the transform of a free variable; None if it is sampled untransformed."""
        raise NotImplementedError

    def forward(self, name: str, variable: "Live", transform: "Live") -> "Live":
        """Compiles a function (value, *sampled values) -> transformed value."""
        raise NotImplementedError

    def kind_of(self, variable: "Live") -> str:
        """Returns the name of a variable's distribution."""
        raise NotImplementedError

    def observed(self, variable: "Live") -> "Live":
        """Returns the data of an observed variable; None if they are computed from other variables or consist of several arrays."""
        raise NotImplementedError

    def figures(self, sampled: "dict[str, Live]") -> "Live":
        """Returns the outputs of `_all` at a point; None if it raises an error, since the model has no density there."""
        try:
            return self._all(*self.point(sampled))
        except Exception as error:
            if not self._without_density(error):
                raise
            return None

    def in_own_precision(self, sampled: "dict[str, Live]") -> "dict[str, float]":
        """Returns the terms `as_sampled` at a point, as the library computes them when it samples; empty if that raises an error."""
        try:
            figures = self._as_sampled(*self.point(sampled)) if self.as_sampled else []
        except Exception as error:
            if not self._without_density(error):
                raise
            return {}
        return dict((name, float(value)) for name, value in zip(self.as_sampled, figures))

    @property
    def moving(self) -> "list[tuple[str, Live]]":
        """Returns name and sampled variable of each continuous free variable. Only continuous variables have gradients."""
        return [(name, value) for name, _, value in self.free if not self.variables[name]["discrete"]]

    def gradients(self, grad: "Callable[..., Live]", total: "Live") -> "list[Live]":
        """Returns the symbolic gradients of `total` with respect to the variables that `moving` returns. If the framework raises, the list
        is empty, and `gradient_failed` has the reason.
        """
        try:
            return list(grad(total, [v for _, v in self.moving], disconnected_inputs="ignore")) if self.moving else []
        except Exception as error:
            self.gradient_failed = "%s: %s" % (type(error).__name__, str(error).split("\n")[0])
            return []

    def point(self, sampled: "dict[str, Live]") -> "list[Live]":
        """Returns the sampled values of a point in the order in which compiled functions take them."""
        return [sampled[name] for name, _, _ in self.free]

    def sampled(self, values: "dict[str, Live]") -> "tuple[dict[str, Live], list[str]]":
        """Converts values of the model's variables to sampled values. Also returns the names of the variables whose value lies outside the
        range of their transform.
        """
        numpy = sys.modules["numpy"]
        point = {}  # type: dict[str, Live]
        for name, variable, value in self.free:
            given, transform = numpy.asarray(values[name], dtype=str(variable.dtype)), self.transform_of(variable)
            if transform is not None:
                moved = self._forward(name, variable, transform)(given, *self.point(dict(self.start, **point)))[0]
                given = numpy.asarray(moved, dtype=str(value.dtype))
            point[name] = given
        outside = sorted(name for name in point if not numpy.all(numpy.isfinite(point[name])))
        if outside:
            return point, outside
        back = self.constrained(point)
        return point, sorted(name for name in point if not inside(values[name], point[name], back[name]))

    def _forward(self, name: str, variable: "Live", transform: "Live") -> "Live":
        held = self.__dict__.setdefault("_forwards", {})
        if name not in held:
            held[name] = self.forward(name, variable, transform)
        return held[name]

    def at(self, sampled: "dict[str, Live]") -> "dict[str, Live]":
        """Returns the results at a point: each term with and without its Jacobian, gradients, and fingerprints of the deterministic
        variables. `raised` is true if there is no density, and -inf stands for all terms.
        """
        numpy = sys.modules["numpy"]
        figures, n, names = self.figures(sampled), len(self.terms), [] if self.gradient_failed else [name for name, _ in self.moving]
        end, raised = 2 * n + len(names), figures is None
        if raised:
            figures = [float("-inf")] * (2 * n)
        return {
            "raised": raised,
            "sampled": dict((name, numpy.asarray(value).tolist()) for name, value in sampled.items()),
            "terms": dict((name, float(numpy.sum(v))) for name, v in zip(self.terms, figures[:n])),
            "bare": dict((name, float(numpy.sum(v))) for name, v in zip(self.terms, figures[n : 2 * n])),
            "in_own_precision": {} if raised else self.in_own_precision(sampled),
            "gradient": dict((name, numpy.asarray(v).tolist()) for name, v in zip(names, figures[2 * n : end])),
            "computed": dict((str(v.name), fingerprint(x)) for v, x in zip(self.deterministics, figures[end:])),
        }

    def described(self) -> "dict[str, Live]":
        """Returns the model's name, variables and terms, and the fingerprints of its data, as JSON values."""
        return {
            "name": str(self.model.name or ""),
            "variables": self.variables,
            "terms": self.terms,
            "observed": dict((str(v.name), digest(self.observed(v))) for v in self.model.observed_RVs),
            "gradient_failed": self.gradient_failed,
            "single": self.single,
            "minibatches": self.minibatches,
            "observed_kinds": dict((str(v.name), self.kind_of(v)) for v in self.model.observed_RVs),
        }


def digest(data: "Live") -> "Live":
    """Returns the fingerprint of an array or shared variable; None if there are no data, or they are not numeric."""
    try:
        return None if data is None else fingerprint(data.get_value() if hasattr(data, "get_value") else data)
    except Exception:
        return None
