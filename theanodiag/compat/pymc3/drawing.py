"""Draws by a script's own distributions: PyMC3's `draw_values` and `generate_samples`, which their `random` methods call."""

from typing import Any, Callable, Dict, Iterable, List, Optional, Tuple

import numpy as np
import pymc
from pytensor.graph.traversal import ancestors

from .models import seed_of

_compiled: Dict[Any, Tuple[Any, Any]] = {}
"""(identities of expressions, names of known variables) -> the expressions, which keeps them alive, and their function."""


def draw_values(params: Iterable[Any], point: Any = None, size: Any = None) -> List[np.ndarray]:
    """Returns the value of each parameter. Random parameters are drawn jointly, as arrays of (*size, ...) if `size` is given.

    `point` fixes the values of variables by name. A value that depends only on these and on numbers has no axes of `size` (PyMC3 3.11.5,
    distributions/distribution.py).
    """
    given = list(params)
    symbolic = [p for p in given if hasattr(p, "owner")]
    fixed = {v: (point or {})[v.name] for v in ancestors(symbolic) if v.name is not None and v.name in (point or {})}
    drawn = iter(_drawn(symbolic, fixed, size) if symbolic else ())
    return [next(drawn) if hasattr(p, "owner") else np.asarray(p) for p in given]


def _drawn(outputs: List[Any], fixed: Dict[Any, Any], size: Any) -> List[np.ndarray]:
    key = tuple(map(id, outputs)), tuple(map(id, fixed))
    if key not in _compiled:
        compile_ = getattr(pymc, "compile", None) or pymc.pytensorf.compile_pymc
        function = compile_(list(fixed), outputs, random_seed=seed_of(None), on_unused_input="ignore", mode="FAST_COMPILE")
        _compiled[key] = ([*outputs, *fixed], function)
    function = _compiled[key][1]
    values = [v.type.filter(np.asarray(x), allow_downcast=True) for v, x in fixed.items()]
    shape = () if size is None else tuple(int(n) for n in np.atleast_1d(size))
    if not shape:
        return [np.asarray(value) for value in function(*values)]
    many = [function(*values) for _ in range(int(np.prod(shape)))]
    each = [np.stack([np.asarray(one[at]) for one in many]) for at in range(len(outputs))]
    random = [_is_random(output, fixed) for output in outputs]
    return [a.reshape((*shape, *a.shape[1:])) if has_size else a[0] for a, has_size in zip(each, random)]


def _is_random(output: Any, fixed: Dict[Any, Any]) -> bool:
    """Whether draws of an expression differ, with some of the variables that it follows from fixed."""
    return any(
        v.owner is not None and hasattr(v.owner.op, "ndim_supp") and v not in fixed for v in ancestors([output], blockers=list(fixed))
    )


class Size(Tuple[int, ...]):
    """A shape, which also counts as a number if it has one axis: a script's generator may say `range(size)`.

    PyMC3 before 3.4 passed a whole number to generators of scalars, PyMC3 since 3.4 a tuple (distributions/distribution.py).
    """

    def __index__(self) -> int:
        if len(self) != 1:
            raise TypeError("a shape of {} axes is not a number".format(len(self)))
        return self[0]


def generate_samples(
    generator: Callable[..., Any], *args: Any, dist_shape: Any = (), size: Any = None, broadcast_shape: Any = None,
    not_broadcast_kwargs: Any = None, **kwargs: Any,
) -> np.ndarray:  # fmt: skip
    """Returns draws of shape (*size, *dist_shape) by `generator(*args, size=...)`, with the parameters repeated to that shape.

    Parameters may have the axes of `size` themselves. Source: PyMC3 3.11.5, distributions/distribution.py.
    """
    outer = () if size is None else tuple(int(n) for n in np.atleast_1d(size))
    shape = tuple(int(n) for n in np.atleast_1d(dist_shape)) if np.size(dist_shape) else ()

    def repeated(value: Any) -> np.ndarray:
        array = np.asarray(value)
        if outer and array.shape[: len(outer)] == outer and array.ndim - len(outer) < len(shape):
            inner = array.shape[len(outer) :]
            array = array.reshape(outer + (1,) * (len(shape) - len(inner)) + inner)
        return array

    values, named = [repeated(a) for a in args], {k: repeated(v) for k, v in kwargs.items()}
    if broadcast_shape is None:
        broadcast_shape = np.broadcast_shapes(shape, *(a.shape for a in (*values, *named.values())))
    whole = tuple(broadcast_shape)
    if whole[: len(outer)] != outer or len(whole) < len(outer) + len(shape):
        whole = outer + whole
    drawn: np.ndarray = np.asarray(generator(*values, size=Size(whole), **named, **(not_broadcast_kwargs or {})))
    return drawn


def own_predictions(model: Any, names: Optional[List[str]], posterior: Any) -> Dict[str, np.ndarray]:
    """Returns predictions of data whose distribution the script defines with a method `random`: name -> array of (1, draws, ...).

    Args:
        model: The model.
        names: The variables asked for; None for all.
        posterior: A Dataset of one chain with the values of the free variables.
    """
    ways: Dict[str, Any] = vars(model).get("drawn_by", {})
    out = {}
    for name in ways if names is None else [n for n in names if n in ways]:
        points = ({str(v): posterior[v].values[0, at] for v in posterior.data_vars} for at in range(posterior.sizes["draw"]))
        out[name] = np.stack([np.asarray(ways[name](point=point)) for point in points])[None]
    return out
