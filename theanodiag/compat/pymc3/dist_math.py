"""PyMC3's functions for user-defined densities (PyMC3 3.11.5, distributions/dist_math.py)."""

from typing import Any

import numpy as np
import pytensor.tensor as pt


def bound(logp: Any, *conditions: Any, broadcast_conditions: bool = True) -> Any:
    """The log-density if all conditions hold, else -inf: element by element, or as a whole without `broadcast_conditions`."""
    holds = alltrue_elemwise(conditions) if broadcast_conditions else alltrue_scalar(conditions)
    return pt.switch(holds, logp, -np.inf)


def alltrue_elemwise(vals: Any) -> Any:
    """Whether all conditions hold, element by element."""
    holds: Any = 1
    for value in vals:
        holds = holds * (1 * value)
    return holds


def alltrue_scalar(vals: Any) -> Any:
    """Whether all elements of all conditions hold."""
    return pt.all([pt.all(1 * value) for value in vals])


i0 = pt.i0
i1 = pt.i1
