"""Makes XLA give the same numbers as C at both ends of the floating-point range.

A function traced by JAX is rewritten, operation by operation, before XLA compiles it:

* the first operation on each input adds a `token` (denormals.py), so that nothing is computed before denormal numbers are kept; the token
is -0.0, which changes no sum;

* exp and log, for which XLA uses approximations valid for normal numbers, are scaled if the result or the argument is denormal;

* if XLA's simplifier would merge two operations into one that overflows elsewhere (`(a / b) / c` into `a / (b * c)`, `exp(a) * exp(b)` into
`exp(a + b)`; xla/hlo/transforms/simplifiers/algebraic_simplifier.cc), or into one that rounds only once (`a * b - c`), the token is added
between them.
"""

import functools
from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax
from jax.extend.core import ClosedJaxpr, Literal, jaxpr_as_fun

from .denormals import on_cpu, token

_INLINED = ("jit", "pjit", "closed_call", "core_call", "custom_jvp_call", "custom_vjp_call", "remat", "checkpoint")
"""Primitives that only call another function."""
_MOVES = (
    "reshape", "broadcast_in_dim", "transpose", "squeeze", "expand_dims", "copy", "convert_element_type", "stop_gradient", "neg", "slice",
    "max", "min", "select_n", "abs", "clamp", "add_any", "rev", "concatenate", "dynamic_slice", "gather", "pad",
)  # fmt: skip
"""Primitives through which XLA's simplifier may look."""
_PRODUCTS = ("mul", "div", "integer_pow", "square")
"""Primitives that XLA may contract with a sum: `a * b - c` is then not 0 where c is `a * b`, rounded."""
_APART = {
    "add": _PRODUCTS,
    "sub": _PRODUCTS,
    "div": ("div", "exp", "exp2", "pow", "integer_pow", "sqrt", "rsqrt"),
    "mul": ("exp", "exp2", "div", "mul"),
    "log": ("exp", "exp2", "pow", "sqrt"),
    "pow": ("exp", "exp2", "pow", "sqrt"),
    "integer_pow": ("exp", "exp2", "div", "pow", "sqrt", "rsqrt", "square", "integer_pow"),
    "square": ("exp", "exp2", "div", "pow", "sqrt", "rsqrt", "square", "integer_pow"),
    "sqrt": ("mul", "pow", "square", "integer_pow"),
    "rsqrt": ("div", "mul", "pow", "square", "integer_pow"),
}
"""Primitive -> primitives with whose results XLA must not merge it."""
_SCALE = 64
"""Power of two by which arguments and results are scaled."""


def _floats(value: Any) -> bool:
    return jnp.issubdtype(value.dtype, np.floating)


def _limits(x: Any) -> tuple[Any, Any, Any]:
    """(smallest normal number, 2**_SCALE, its logarithm) as the dtype of `x`."""
    kind = x.dtype.type
    return kind(jnp.finfo(x.dtype).tiny), kind(2.0**_SCALE), kind(_SCALE * np.log(2.0))


def _exp(x: Any, **params: Any) -> Any:
    """exp(x), including denormal results."""
    tiny, scale, shift = _limits(x)
    small = x < np.log(tiny).astype(x.dtype)
    result = lax.exp_p.bind(lax.select(small, x + shift, x), **params)
    return lax.select(small, result / scale, result)


def _log(x: Any, **params: Any) -> Any:
    """log(x), including denormal arguments."""
    tiny, scale, shift = _limits(x)
    small = x < tiny
    result = lax.log_p.bind(lax.select(small, x * scale, x), **params)
    return lax.select(small, result - shift, result)


def _rsqrt(x: Any, **params: Any) -> Any:
    """1 / sqrt(x), including denormal arguments."""
    tiny, scale, _ = _limits(x)
    small = x < tiny
    result = lax.rsqrt_p.bind(lax.select(small, x * scale, x), **params)
    return lax.select(small, result * x.dtype.type(2.0 ** (_SCALE // 2)), result)


_EXACT: dict[str, Callable[..., Any]] = {"exp": _exp, "log": _log, "rsqrt": _rsqrt}


class _Value:
    """A value in a traced function: whether it depends on the token, which primitives computed it, and whether it is constant."""

    def __init__(self, value: Any, after: bool = False, made_by: frozenset[str] = frozenset(), constant: bool = False) -> None:
        self.value, self.after, self.made_by, self.constant = value, after, made_by, constant


class Exact:
    """Evaluates a traced function with some operations replaced by exact ones. Inside loops there is no token (see `token`)."""

    def __init__(self, token: Any, after: bool) -> None:
        self.token, self.after = token, after

    def _behind(self, value: Any, constant: bool) -> Any:
        """`value` combined with the token. A constant is multiplied, because XLA simplifies `0.0 + a` to `a`, which may be -0.0."""
        if constant and jnp.issubdtype(value.dtype, np.floating):
            return value * (self.token + 1).astype(value.dtype)
        if jnp.issubdtype(value.dtype, np.floating) or jnp.issubdtype(value.dtype, np.complexfloating):
            return value + self.token.astype(value.dtype)
        if jnp.issubdtype(value.dtype, np.integer):
            return value + lax.convert_element_type(self.token, value.dtype)
        if value.dtype == np.bool_:
            return value ^ (self.token != 0)
        return value  # a random key

    def evaluate(self, jaxpr: Any, constants: Any, values: list[_Value]) -> list[_Value]:
        """Returns the results of the function `jaxpr` for `values`."""
        known: dict[Any, _Value] = dict(zip(jaxpr.constvars, (_Value(jnp.asarray(c), constant=True) for c in constants)))
        known.update(zip(jaxpr.invars, values))

        def read(variable: Any) -> _Value:
            if isinstance(variable, Literal):
                return _Value(np.asarray(variable.val, variable.aval.dtype), constant=True)
            return known[variable]

        for equation in jaxpr.eqns:
            known.update(zip(equation.outvars, self._equation(equation, [read(v) for v in equation.invars])))
        return [read(v) for v in jaxpr.outvars]

    def _equation(self, equation: Any, operands: list[_Value]) -> list[_Value]:
        name, params = equation.primitive.name, equation.params
        inner = params.get("jaxpr", params.get("call_jaxpr", params.get("fun_jaxpr")))
        if name in _INLINED and inner is not None:
            closed = isinstance(inner, ClosedJaxpr)
            return self.evaluate(inner.jaxpr if closed else inner, inner.consts if closed else (), operands)
        values = [operand.value for operand in operands]
        apart = frozenset(_APART.get(name, ()))
        for place, operand in enumerate(operands):
            if operand.made_by & apart or (place == 1 and operand.constant and _simplified(name, operand.value)):
                values[place] = self._behind(values[place], operand.constant)
        after = self.after or any(operand.after for operand in operands)
        if not after and values:
            sizes = [(np.size(v) if hasattr(v, "dtype") else np.inf, place) for place, v in enumerate(values)]
            place = min(sizes)[1]
            values[place] = self._behind(values[place], operands[place].constant)
            after = True
        if name in _EXACT and _floats(equation.outvars[0].aval):
            results = [_EXACT[name](*values, **params)]
        else:
            bound = equation.primitive.get_bind_params({key: _rewritten(p) for key, p in params.items()})
            subfunctions, bound = bound if isinstance(bound, tuple) else ((), bound)  # a pair before JAX 0.8
            returned = equation.primitive.bind(*subfunctions, *values, **bound)
            results = returned if equation.primitive.multiple_results else [returned]
        made_by = frozenset[str]().union(*(operand.made_by for operand in operands)) if name in _MOVES else frozenset((name,))
        return [_Value(result, after, made_by) for result in results]


def _simplified(name: str, constant: Any) -> bool:
    """Whether XLA replaces the operation `name` with the constant second operand by one that differs for extreme numbers.

    It replaces a division by a multiplication with the inverse, which may not be a normal number, and the power -0.5 by rsqrt.
    """
    if isinstance(constant, jax.core.Tracer) or not _floats(constant):
        return False
    if name == "pow":
        return bool(np.any(np.asarray(constant) == -0.5))
    limits = jnp.finfo(constant.dtype)
    sizes = np.abs(np.asarray(constant))
    return name == "div" and bool(np.any((sizes < 2 / limits.max) | (sizes > 0.5 / limits.tiny)))


def _rewritten(parameter: Any) -> Any:
    """A parameter of an operation, with the functions inside it rewritten."""
    if isinstance(parameter, ClosedJaxpr):
        return _inner(parameter)
    if isinstance(parameter, tuple) and parameter and all(isinstance(p, ClosedJaxpr) for p in parameter):
        return tuple(map(_inner, parameter))
    return parameter


def _inner(closed: Any) -> Any:
    """A rewritten function that runs inside an operation."""

    def run(*values: Any) -> Any:
        within = Exact(lax.optimization_barrier(jnp.float32(-0.0)), after=True)
        return [result.value for result in within.evaluate(closed.jaxpr, closed.consts, [_Value(v) for v in values])]

    return jax.make_jaxpr(run)(*closed.in_avals)


def exact(function: Callable[..., Any]) -> Callable[..., Any]:
    """Returns `function`, rewritten while JAX traces it; unchanged if JAX is not tracing."""
    on_cpu()  # now: while JAX traces, nothing can be computed

    def run(*values: Any) -> Any:
        leaves, structure = jax.tree_util.tree_flatten(values)
        places = [place for place, leaf in enumerate(leaves) if isinstance(leaf, jax.core.Tracer)]
        if not places:
            return function(*values)

        def of_traced(*given: Any) -> Any:
            filled = list(leaves)
            for place, value in zip(places, given):
                filled[place] = value
            return function(*jax.tree_util.tree_unflatten(structure, filled))

        given = [leaves[place] for place in places]
        closed, shapes = jax.make_jaxpr(of_traced, return_shape=True)(*given)
        results = Exact(token(), after=False).evaluate(closed.jaxpr, closed.consts, [_Value(v) for v in given])
        return jax.tree_util.tree_unflatten(jax.tree_util.tree_structure(shapes), [result.value for result in results])

    return run


@functools.lru_cache(maxsize=None)
def works() -> bool:
    """Returns whether denormal numbers are really kept on this machine. This is tested, because it may depend on the processor, on jaxlib
    and on the version of XLA.
    """
    small, tiny = np.float32([1e-40, 3e-42, 2e-38]), np.float64([1e-310, 3e-320, 3e-308])
    for x in (small, tiny):
        half = x.dtype.type(0.5)
        computed = jax.jit(exact(lambda x: (x * half, jnp.log(x), jnp.exp(jnp.log(x)), x / x, x > 0)))(x)
        wanted = (x * half, np.log(x), np.exp(np.log(x)), x / x, x > 0)
        if not all(np.allclose(a, b, rtol=0.05, atol=0) for a, b in zip(computed, wanted)):
            return False
    return True
