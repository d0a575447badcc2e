"""Measures the magnitudes of arrays: a program that reads a JSON list of files from standard input and writes JSON.

It runs in an interpreter that has numpy, which theanodiag itself does not require.
"""

import json
import sys


def scale(path: str) -> "list[float]":
    """[largest magnitude, smallest magnitude, number of elements]; the magnitudes are those of the finite elements, 0 if there are none."""
    import numpy

    sizes = numpy.abs(numpy.load(path, allow_pickle=False).astype("complex128"))
    finite = sizes[numpy.isfinite(sizes)]
    if not finite.size:
        return [0.0, 0.0, float(sizes.size)]
    return [float(finite.max()), float(finite.min()), float(sizes.size)]


if __name__ == "__main__":
    json.dump([scale(path) for path in json.load(sys.stdin)], sys.stdout)
