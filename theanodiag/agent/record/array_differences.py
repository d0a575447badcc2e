"""Measures the differences of pairs of arrays: a program that reads a JSON list of pairs of files from standard input and writes JSON.

It runs in an interpreter that has numpy, which theanodiag itself does not require.
"""

import json
import sys


def compare(one: str, other: str) -> "dict[str, object]":
    """The largest absolute difference, the largest magnitude of the first array ("scale"), and the index of the largest difference
    ("at")."""
    import numpy

    a, b = (numpy.load(path, allow_pickle=False).astype("complex128") for path in (one, other))
    if not a.size:
        return {"absolute": 0.0, "scale": 0.0, "at": None}
    apart = (a != b) & ~(numpy.isnan(a) & numpy.isnan(b))
    finite = numpy.isfinite(a) & numpy.isfinite(b)
    difference = numpy.where(finite, numpy.abs(numpy.where(finite, a - b, 0)), numpy.where(apart, numpy.inf, 0.0))
    worst = int(numpy.argmax(difference))
    scale = float(numpy.max(numpy.abs(numpy.where(numpy.isfinite(a), a, 0))))
    at = [int(n) for n in numpy.unravel_index(worst, a.shape)] if a.shape else []
    largest = float(difference.ravel()[worst])
    return {"absolute": largest if largest != float("inf") else None, "scale": scale, "at": at}


if __name__ == "__main__":
    json.dump([compare(one, other) for one, other in json.load(sys.stdin)], sys.stdout)
