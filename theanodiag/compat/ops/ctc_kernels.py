"""The forward-backward algorithm of connectionist temporal classification (Graves et al. 2006), computed in logarithms."""

from typing import Any

import numpy as np


def _log_softmax(scores: Any) -> Any:
    shifted = scores - scores.max(axis=-1, keepdims=True)
    return shifted - np.log(np.exp(shifted).sum(axis=-1, keepdims=True))


def _ahead(previous: Any, skip: Any) -> Any:
    """Log probability of reaching each state one step later: by staying, from the preceding state, or by skipping a blank if `skip` allows
    it."""
    one = np.concatenate([[-np.inf], previous[:-1]])
    two = np.where(skip, np.concatenate([[-np.inf, -np.inf], previous[:-2]])[: len(previous)], -np.inf)
    return np.logaddexp(np.logaddexp(previous, one), two)


def cost_and_gradient(scores: Any, labels: Any) -> tuple[float, Any]:
    """Returns (-log of the probability of `labels`, its gradient with respect to `scores`) for one sequence; `scores` is (steps, symbols),
    and symbol 0 is the blank.

    If no path of that length yields the labels, the cost is infinite and the gradient is zero.
    """
    log_p = _log_softmax(np.asarray(scores, "float64"))
    steps = len(log_p)
    states: Any = np.zeros(2 * len(labels) + 1, "int64")
    states[1::2] = labels
    emitted = log_p[:, states]
    skip: Any = np.zeros(len(states), bool)
    skip[2:] = (states[2:] != 0) & (states[2:] != states[:-2])
    forward = np.full((steps, len(states)), -np.inf)
    backward = np.full((steps, len(states)), -np.inf)
    if steps == 0 or len(labels) > steps:
        return (0.0 if steps == 0 else np.inf), np.zeros_like(log_p)
    forward[0, :2] = emitted[0, :2]
    backward[-1, -2:] = emitted[-1, -2:]
    for t in range(1, steps):
        forward[t] = _ahead(forward[t - 1], skip) + emitted[t]
    back_skip: Any = np.zeros(len(states), bool)
    back_skip[: max(0, len(states) - 2)] = skip[2:]
    for t in range(steps - 2, -1, -1):
        backward[t] = _ahead(backward[t + 1][::-1], back_skip[::-1])[::-1] + emitted[t]
    total = np.logaddexp.reduce(forward[-1, -2:])
    if not np.isfinite(total):
        return np.inf, np.zeros_like(log_p)
    occupied = np.exp(forward + backward - emitted - total)  # probability of each state at each step
    expected = np.zeros_like(log_p)
    for state, symbol in enumerate(states):
        expected[:, symbol] += occupied[:, state]
    return float(-total), np.exp(log_p) - expected
