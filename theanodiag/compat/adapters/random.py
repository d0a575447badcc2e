"""Adapter for the random streams of theano.tensor.shared_randomstreams and theano.sandbox.rng_mrg.

The distributions are the same, the numbers drawn are not: they come from the framework's own generator.
"""

from typing import Optional

from ..framework import current

__all__ = ["RandomStreams"]


class RandomStreams:
    """The framework's RandomStream, with the methods and arguments of Theano's RandomStreams."""

    def __init__(self, seed: Optional[int] = None, use_cuda: Optional[bool] = None) -> None:
        self._stream = current.module("tensor.random.utils").RandomStream(seed=seed)

    def __getattr__(self, name: str) -> object:
        return getattr(self._stream, name)

    def _draw(self, kind: str, *parameters: object, size: object = None, dtype: Optional[str] = None, **rest: object) -> object:
        """A draw with the parameters of the installed framework, as `dtype`."""
        drawn = getattr(self._stream, kind)(*parameters, size=size)
        return drawn if dtype is None or drawn.dtype == dtype else current.tensor.cast(drawn, dtype)

    def uniform(
        self,
        size: object = None,
        low: object = 0.0,
        high: object = 1.0,
        ndim: object = None,
        dtype: Optional[str] = None,
        nstreams: object = None,
    ) -> object:
        """Uniform numbers between `low` and `high`."""
        return self._draw("uniform", low, high, size=size, dtype=dtype)

    def normal(
        self,
        size: object = None,
        avg: object = 0.0,
        std: object = 1.0,
        ndim: object = None,
        dtype: Optional[str] = None,
        nstreams: object = None,
    ) -> object:
        """Gaussian numbers with mean `avg` and standard deviation `std`."""
        return self._draw("normal", avg, std, size=size, dtype=dtype)

    def binomial(
        self,
        size: object = None,
        n: object = 1,
        p: object = 0.5,
        ndim: object = None,
        dtype: str = "int64",
        prob: object = None,
        nstreams: object = None,
    ) -> object:
        """Numbers of successes in `n` trials of probability `p`; `prob` is the older name of `p`."""
        return self._draw("binomial", n, p if prob is None else prob, size=size, dtype=dtype)

    def multinomial(
        self,
        size: object = None,
        n: object = 1,
        pvals: object = (0.5, 0.5),
        ndim: object = None,
        dtype: str = "int64",
        nstreams: object = None,
    ) -> object:
        """Counts of each class in `n` draws, one row for each row of probabilities in `pvals`."""
        return self._draw("multinomial", n, pvals, size=size, dtype=dtype)

    def choice(
        self, size: object = None, a: object = 2, replace: bool = True, p: object = None, ndim: object = None, dtype: str = "int64"
    ) -> object:
        """Elements of range(a), with probabilities `p`."""
        drawn = self._stream.choice(a, size=size, replace=replace, p=p)
        return current.tensor.cast(drawn, dtype)

    def random_integers(self, size: object = None, low: object = 0, high: object = 1, ndim: object = None, dtype: str = "int64") -> object:
        """Integers from `low` to `high`, both included."""
        return self._draw("integers", low, current.tensor.as_tensor_variable(high) + 1, size=size, dtype=dtype)

    def permutation(self, size: object = None, n: object = 1, ndim: object = None, dtype: str = "int64") -> object:
        """Permutations of range(n)."""
        return self._draw("permutation", n, size=size, dtype=dtype)

    def poisson(self, size: object = None, lam: object = 1.0, ndim: object = None, dtype: str = "int64") -> object:
        """Poisson counts with mean `lam`."""
        return self._draw("poisson", lam, size=size, dtype=dtype)
