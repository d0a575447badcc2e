"""The log-density of a model in parts: what is the same for a model of PyMC3 and for one of PyMC 4, 5 or 6."""

import sys

from .density_points import fingerprint, inside

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from .. import Live


def is_root(model: "Live") -> bool:
    """Whether it is no part of another model."""
    return getattr(model, "parent", None) is None


def parts(model: "Live") -> "tuple[str, ...]":
    """Names of what makes its density."""
    return tuple(str(v.name) for v in list(model.free_RVs) + list(model.observed_RVs) + list(model.potentials))


def discrete(variable: "Live") -> bool:
    """Whether a variable takes whole numbers alone."""
    return str(variable.dtype).startswith(("int", "uint", "bool"))


class ModelDensity(object):
    """A model whose log-density is computed, part by part.

    A subclass sets `model`, `free` (name, variable, and what it is sampled as, of each free variable), `variables` (a row for each of
    them), `start`, `terms` (names), `single` (names of terms that are computed in single precision) and `deterministics`
    (variables); and `_all`, a function of what is sampled that gives each term, each term without Jacobians, the gradients, and the
    values of the deterministic variables.
    """

    model = None  # type: Live
    free = []  # type: list[tuple[str, Live, Live]]
    variables = {}  # type: dict[str, dict[str, Live]]
    start = {}  # type: dict[str, Live]
    terms = []  # type: list[str]
    single = []  # type: list[str]
    deterministics = []  # type: list[Live]
    gradient_failed = None  # type: str | None
    _all = None  # type: Live

    def constrained(self, sampled: "dict[str, Live]") -> "dict[str, Live]":
        """Values as the model has them."""
        raise NotImplementedError

    def transform_of(self, variable: "Live") -> "Live":
        """The transform by which a free variable is sampled; None: as it is."""
        raise NotImplementedError

    def forward(self, name: str, variable: "Live", transform: "Live") -> "Live":
        """A function of a value and of what is sampled that applies a transform to the value."""
        raise NotImplementedError

    def kind_of(self, variable: "Live") -> str:
        """The name of an observed variable's distribution."""
        raise NotImplementedError

    def observed(self, variable: "Live") -> "Live":
        """The data of an observed variable; None where they follow from other variables, or are several arrays."""
        raise NotImplementedError

    def figures(self, sampled: "dict[str, Live]") -> "Live":
        """What `_all` gives at a point."""
        return self._all(*self.point(sampled))

    @property
    def moving(self) -> "list[tuple[str, Live]]":
        """The free variables that have gradients: name, and what is sampled."""
        return [(name, value) for name, _, value in self.free if not self.variables[name]["discrete"]]

    def gradients(self, grad: "Callable[..., Live]", total: "Live") -> "list[Live]":
        """The gradients of `total` for each of `moving`; none, and `gradient_failed`, where the framework has none."""
        try:
            return list(grad(total, [v for _, v in self.moving], disconnected_inputs="ignore")) if self.moving else []
        except Exception as error:
            self.gradient_failed = "%s: %s" % (type(error).__name__, str(error).split("\n")[0])
            return []

    def point(self, sampled: "dict[str, Live]") -> "list[Live]":
        """The arguments of the functions."""
        return [sampled[name] for name, _, _ in self.free]

    def sampled(self, values: "dict[str, Live]") -> "tuple[dict[str, Live], list[str]]":
        """Values as they are sampled, and the names of those that lie outside of what their transforms map to."""
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
        """Figures at a point: each term with and without the Jacobian of its transform, gradients, digests of what is computed."""
        numpy = sys.modules["numpy"]
        figures, n, names = self.figures(sampled), len(self.terms), [] if self.gradient_failed else [name for name, _ in self.moving]
        end = 2 * n + len(names)
        return {
            "sampled": dict((name, numpy.asarray(value).tolist()) for name, value in sampled.items()),
            "terms": dict((name, float(numpy.sum(v))) for name, v in zip(self.terms, figures[:n])),
            "bare": dict((name, float(numpy.sum(v))) for name, v in zip(self.terms, figures[n : 2 * n])),
            "gradient": dict((name, numpy.asarray(v).tolist()) for name, v in zip(names, figures[2 * n : end])),
            "computed": dict((str(v.name), fingerprint(x)) for v, x in zip(self.deterministics, figures[end:])),
        }

    def described(self) -> "dict[str, Live]":
        """The parts by name, and the data."""
        return {
            "name": str(self.model.name or ""),
            "variables": self.variables,
            "terms": self.terms,
            "observed": dict((str(v.name), digest(self.observed(v))) for v in self.model.observed_RVs),
            "gradient_failed": self.gradient_failed,
            "single": self.single,
            "observed_kinds": dict((str(v.name), self.kind_of(v)) for v in self.model.observed_RVs),
        }


def digest(data: "Live") -> "Live":
    """What stands for data; None where there are none, or no array."""
    try:
        return None if data is None else fingerprint(data.get_value() if hasattr(data, "get_value") else data)
    except Exception:
        return None
