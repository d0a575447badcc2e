"""Searches small random graphs, at magnitudes from the smallest denormal number to the largest one, for places where JAX and C part.

    PYTENSOR_FLAGS=cxx= python tests/compat/small_graphs.py SEED COUNT [--show]      in an interpreter with PyTensor and JAX

Without `cxx=` C code is compiled for nearly every graph, which takes a hundred times as long; the Python linker computes the same.
Prints a JSON object: how many outputs were compared, how many of them no rounding decides, and those in which the two differ by more than
1e-4 of the value. An output is left out where C itself moves by as much if inputs, and results of functions that are no basic arithmetic,
move in their last digits.
"""

from __future__ import annotations

import argparse
import importlib.util
import json
import sys
import warnings
from pathlib import Path
from typing import Any

warnings.simplefilter("ignore")
COMPAT = Path(__file__).resolve().parents[2] / "theanodiag" / "compat"
BATCH = 20
"""Outputs of one compiled function."""
RANGES = {"float32": (-45, 38), "float64": (-323, 308)}
"""Powers of ten of the smallest and the largest number."""


def install() -> None:
    """Serves `theano`, by path: the interpreter need not have theanodiag."""
    spec = importlib.util.spec_from_file_location("compat_by_path", COMPAT / "__init__.py")
    assert spec
    assert spec.loader
    compat = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(compat)
    compat.install()


def numbers(rng: Any, dtype: str, shape: tuple[int, ...]) -> Any:
    """Random numbers: half of them between 0.01 and 100, the others of any magnitude; a fifth of all are negative."""
    import numpy as np

    low, high = RANGES[dtype]
    powers = np.where(rng.random_sample(shape) < 0.5, rng.uniform(-2, 2, shape), rng.uniform(low, high, shape))
    return (np.where(rng.random_sample(shape) < 0.2, -1, 1) * 10.0**powers).astype(dtype)


def graph(rng: Any, T: Any, x: Any, y: Any, dtype: str) -> Any:
    """A random graph of 2 to 6 Ops over the matrices `x` and `y`."""
    pool = [x, y]

    def constant() -> Any:
        return T.constant(numbers(rng, dtype, (1,))[0].astype(dtype))

    unary = [
        T.exp, T.log, T.exp, T.log, T.sqrt, T.sqr, T.nnet.sigmoid, T.tanh, T.nnet.softplus, T.log1p, T.expm1, abs, lambda a: -a, T.inv,
        T.nnet.softmax, T.nnet.softmax, lambda a: T.log(T.nnet.softmax(a)), lambda a: a.sum(axis=1, keepdims=True), lambda a: a.max(axis=0),
        lambda a: T.mean(a, axis=0, keepdims=True), lambda a: a / a.sum(axis=1, keepdims=True), lambda a: T.prod(a, axis=1, keepdims=True),
        lambda a: T.exp(-a), lambda a: a ** np_like(dtype, rng.choice([0.5, 2, 3, -1, 1.5, -0.5])), lambda a: constant() * a,
        lambda a: a / constant(), lambda a: constant() / a, lambda a: a + constant(), lambda a: T.clip(a, 1e-7, 1),
    ]  # fmt: skip
    binary = [T.add, T.sub, T.mul, T.true_div, T.mul, T.true_div, lambda a, b: T.exp(a) * T.exp(b), lambda a, b: abs(a) ** b, T.maximum]
    made = x
    for _ in range(rng.randint(2, 7)):
        first = pool[-1] if rng.random_sample() < 0.7 else pool[rng.randint(len(pool))]
        if rng.random_sample() < 0.6:
            made = unary[rng.randint(len(unary))](first)
        else:
            made = binary[rng.randint(len(binary))](first, pool[rng.randint(len(pool))])
        if made.ndim == 1:
            made = made.dimshuffle("x", 0)
        pool.append(made)
    return made


def np_like(dtype: str, number: float) -> Any:
    """`number` as a scalar of `dtype`."""
    import numpy as np

    return np.dtype(dtype).type(number)


def different(c: Any, moved: list[Any], jax: Any, dtype: str) -> tuple[Any, Any]:
    """(where the two differ, where rounding decides) for an output of C, that of C for moved inputs, and that of JAX."""
    import numpy as np

    limits = np.finfo(dtype)
    with np.errstate(all="ignore"):
        decided = np.zeros(np.shape(c), bool)
        spread = np.zeros(np.shape(c))
        for other in moved:
            decided |= (np.isfinite(other) != np.isfinite(c)) | (np.isnan(other) != np.isnan(c)) | (np.sign(other) != np.sign(c))
            spread = np.fmax(spread, np.where(np.isfinite(c), np.abs(np.float64(other) - np.float64(c)), 0))
        allowed = 1e-4 * np.abs(np.float64(c)) + 16 * float(limits.smallest_subnormal)
        decided |= 8 * spread > allowed
        same = (c == jax) | (np.isnan(c) & np.isnan(jax)) | (np.abs(np.float64(c) - np.float64(jax)) <= allowed)
    return ~same & ~decided, decided


ROUNDED = (
    "exp", "log", "log1p", "expm1", "tanh", "sigmoid", "softplus", "pow", "sqrt", "softmax", "logsoftmax", "softmaxgrad", "sum", "careduce",
    "prod", "true_div",
)  # fmt: skip
"""Ops whose last digits differ between libraries, or where XLA multiplies with an inverse."""


class Noise:
    """Moves the results of the Ops in `ROUNDED` by a few units in the last place while `on`."""

    def __init__(self, rng: Any) -> None:
        self.rng, self.on = rng, False

    def __call__(self, fgraph: Any, number: int, node: Any, thunk: Any) -> None:
        """Called after each node."""
        import numpy as np

        if not self.on or str(getattr(node.op, "scalar_op", type(node.op).__name__)).lower() not in ROUNDED:
            return
        for cell in thunk.outputs:
            value = cell[0]
            limits = np.finfo(value.dtype)
            unit = 4 * limits.eps * self.rng.uniform(-1, 1, value.shape)
            moved = value * (1 + unit).astype(value.dtype)
            if type(node.op).__name__ == "LogSoftmax":  # the logarithm of a sum that is 1 or more
                moved = moved + unit.astype(value.dtype)
                moved = np.where((abs(value) < 4 * limits.eps) & (self.rng.random_sample(value.shape) < 0.5), 0, moved)  # of exactly 1
            elif type(node.op).__name__ == "SoftmaxGrad":  # a difference
                first, second = (cell[0] for cell in thunk.inputs)
                moved = moved + (unit * first * second).astype(value.dtype)
            denormal = (value != 0) & (abs(value) < limits.tiny)
            steps = limits.smallest_subnormal * self.rng.randint(-1, 2, value.shape)
            cell[0] = np.where(denormal, moved + steps, moved).astype(value.dtype)


def search(seed: int, count: int, show: bool = False) -> dict[str, Any]:
    """Compares `count` outputs; see the module."""
    import numpy as np
    import theano
    import theano.tensor as T
    from pytensor.compile.debug.monitormode import MonitorMode

    rng = np.random.RandomState(seed)
    noise = Noise(np.random.RandomState(seed))
    c_mode = MonitorMode(post_func=noise, optimizer="fast_run").excluding("fusion", "inplace")
    found: dict[str, Any] = {"compared": 0, "undecided": 0, "different": []}
    while found["compared"] < count:
        dtype = "float32" if rng.random_sample() < 0.8 else "float64"
        x, y = T.TensorType(dtype, (False, False))("x"), T.TensorType(dtype, (False, False))("y")
        outputs = []
        while len(outputs) < min(BATCH, count):
            made = graph(rng, T, x, y, dtype)
            if rng.random_sample() < 0.3:
                made = T.grad(made.sum(), x, disconnected_inputs="ignore")
            outputs.append(made)
        functions = [theano.function([x, y], outputs, mode=mode, on_unused_input="ignore") for mode in (c_mode, "JAX")]
        given = [numbers(rng, dtype, (4, 6)) for _ in range(2)]
        step = 4 * np.finfo(dtype).eps
        moves = [[a * (1 + step * rng.uniform(-1, 1, a.shape)).astype(dtype) for a in given] for _ in range(3)]
        c, jax = (f(*given) for f in functions)
        noise.on = True
        moved = [functions[0](*m) for m in moves]
        noise.on = False
        for place, output in enumerate(outputs):
            wrong, decided = different(c[place], [m[place] for m in moved], jax[place], dtype)
            found["compared"] += 1
            found["undecided"] += bool(np.all(decided))
            if np.any(wrong):
                where = tuple(np.argwhere(wrong)[0])
                text = f"{dtype} {theano.pp(output)}: C {float(c[place][where])!r}, JAX {float(jax[place][where])!r}"
                found["different"].append(text)
                if show:
                    print(found["compared"], text, "x", given[0][where[0]].tolist(), "y", given[1][where[0]].tolist(), flush=True)
    return found


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("seed", type=int)
    parser.add_argument("count", type=int)
    parser.add_argument("--show", action="store_true")
    options = parser.parse_args()
    install()
    json.dump(search(options.seed, options.count, options.show), sys.stdout)
