"""PyMC3's approximations of variational inference, based on PyMC's."""

import functools
from typing import Any, Dict

import numpy as np
from pymc.variational.approximations import EmpiricalGroup
from pymc.variational.opvi import Approximation, Group

from .trace import MultiTrace, Values, apart


class Bijection:
    """PyMC3's `approx.bij`: between a point of the sampled values and the vector that is approximated (3.11.5, blocking.py)."""

    def __init__(self, group: Any) -> None:
        self.ordering = group.ordering

    def map(self, point: Dict[str, Any]) -> np.ndarray:
        """Returns the vector of a point, which may have other values, too."""
        return np.concatenate([np.ravel(point[name]) for name, _, _, _ in self.ordering.values()])

    def rmap(self, vector: Any) -> Values:
        """Returns the point of a vector: name of a sampled value, such as `sigma_log__` -> its value."""
        flat = np.asarray(vector)
        return Values({name: flat[part].reshape(shape).astype(dtype) for name, part, shape, dtype in self.ordering.values()})


class _Sampled:
    """A trace whose points have only the values that a group approximates, in their order."""

    def __init__(self, trace: Any, group: Any) -> None:
        self.trace = trace
        self.names = [name for name, _, _, _ in group.ordering.values()]
        self.chains = trace.chains

    def __len__(self) -> int:
        return len(self.trace)

    def point(self, idx: int, chain: int) -> Dict[str, np.ndarray]:
        """Returns a mapping: Variable -> value at a draw."""
        values = self.trace.point(idx, chain)
        return {name: values[name] for name in self.names}


def _of_sampled_values(plain: Any) -> Any:
    @functools.wraps(plain)
    def created(self: Any, trace: Any = None, **kwargs: Any) -> Any:
        return plain(self, trace=None if trace is None else _Sampled(trace, self), **kwargs)

    return created


def follow() -> None:
    """Adds `bij` to approximations, and makes them accept PyMC3's traces. Their `sample` returns such a trace, unless the result type is
    specified, as in PyMC's own calls.
    """
    plain = Approximation.sample
    if getattr(plain, "returns_trace", False):
        return

    def sampled(self: Any, draws: int = 500, include_transformed: bool = True, *, random_seed: Any = None, **kwargs: Any) -> Any:
        """Draws from the approximation: a `MultiTrace` of one chain."""
        if "return_inferencedata" in kwargs:
            return plain(self, draws, random_seed=random_seed, **kwargs)
        if kwargs:
            raise TypeError("Approximation.sample() has no argument {}".format(", ".join(sorted(kwargs))))
        drawn = plain(self, draws, random_seed=random_seed, include_transformed=include_transformed)
        return MultiTrace(apart(drawn), model=self.model)

    sampled.returns_trace = True  # type: ignore[attr-defined]
    Approximation.sample = sampled
    Group.bij = property(Bijection)
    EmpiricalGroup.create_shared_params = _of_sampled_values(EmpiricalGroup.create_shared_params)
