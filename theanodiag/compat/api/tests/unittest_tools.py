"""theano.tests.unittest_tools: what the tests of libraries on Theano use of it."""

from typing import Any, Optional
from unittest import SkipTest

import numpy as np
from pytensor.gradient import GradientError

from ...behaviour.config import config
from ..gradient import verify_grad as _verify_grad
from ..tensor.basic import _allclose


class WrongValue(Exception):
    """Two values that should be close are not."""

    def __init__(self, expected_val: Any, val: Any, rtol: Any, atol: Any) -> None:
        super().__init__("expected {}, got {} (rtol {}, atol {})".format(expected_val, val, rtol, atol))
        self.expected_val, self.val, self.rtol, self.atol = expected_val, val, rtol, atol


def fetch_seed(pseed: Any = None) -> Optional[int]:
    """The seed of the flag unittests.rseed, or the one given; None where it is `random`."""
    seed = pseed or config.unittests.rseed
    return None if seed == "random" or not seed else int(seed)


def seed_rng(pseed: Any = None) -> Optional[int]:
    """Seeds numpy's generator; gives the seed."""
    seed = fetch_seed(pseed)
    np.random.seed(seed)
    return seed


def verify_grad(op: Any, pt: Any, n_tests: int = 2, rng: Any = None, *args: Any, **kwargs: Any) -> None:
    """theano.gradient.verify_grad, with numpy's generator where none is given."""
    if rng is None:
        seed_rng()
        rng = np.random
    _verify_grad(op, pt, n_tests, rng, *args, **kwargs)


verify_grad.E_grad = GradientError  # type: ignore[attr-defined]


def assert_allclose(expected: Any, value: Any, rtol: Any = None, atol: Any = None) -> None:
    """Raises WrongValue where the two are not close."""
    if not _allclose(expected, value, rtol, atol):
        raise WrongValue(expected, value, rtol, atol)
