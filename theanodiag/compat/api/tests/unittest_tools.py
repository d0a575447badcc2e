"""Serves `theano.tests.unittest_tools`: the part that tests of libraries built on Theano use."""

from typing import Any, Optional
from unittest import SkipTest

import numpy as np
from pytensor.gradient import GradientError

from ...behaviour.config import config
from ..gradient import verify_grad as _verify_grad
from ..tensor.basic import _allclose


class WrongValue(Exception):
    """Raised for two values that should be close and are not."""

    def __init__(self, expected_val: Any, val: Any, rtol: Any, atol: Any) -> None:
        super().__init__("expected {}, got {} (rtol {}, atol {})".format(expected_val, val, rtol, atol))
        self.expected_val, self.val, self.rtol, self.atol = expected_val, val, rtol, atol


def fetch_seed(pseed: Any = None) -> Optional[int]:
    """`pseed`, else the flag unittests.rseed, as an int; None for "random"."""
    seed = pseed or config.unittests.rseed
    return None if seed == "random" or not seed else int(seed)


def seed_rng(pseed: Any = None) -> Optional[int]:
    """Seeds numpy's global generator with fetch_seed(pseed), which is returned."""
    seed = fetch_seed(pseed)
    np.random.seed(seed)
    return seed


def verify_grad(op: Any, pt: Any, n_tests: int = 2, rng: Any = None, *args: Any, **kwargs: Any) -> None:
    """`theano.gradient.verify_grad`, with numpy's freshly seeded global generator where `rng` is None."""
    if rng is None:
        seed_rng()
        rng = np.random
    _verify_grad(op, pt, n_tests, rng, *args, **kwargs)


verify_grad.E_grad = GradientError  # type: ignore[attr-defined]


def assert_allclose(expected: Any, value: Any, rtol: Any = None, atol: Any = None) -> None:
    """Raises WrongValue unless `value` is close to `expected`; tolerances default to those of theano.tensor.basic."""
    if not _allclose(expected, value, rtol, atol):
        raise WrongValue(expected, value, rtol, atol)
