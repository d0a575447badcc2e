"""Says how large arrays are: reads a list of files as JSON from standard input, writes for each the largest and the smallest magnitude.

Run by an interpreter that has numpy, which theanodiag itself need not have.
"""

import json
import sys


def scale(path: str) -> "list[float]":
    """The largest and the smallest magnitude of the finite elements, and how many elements there are."""
    import numpy

    sizes = numpy.abs(numpy.load(path, allow_pickle=False).astype("complex128"))
    finite = sizes[numpy.isfinite(sizes)]
    if not finite.size:
        return [0.0, 0.0, float(sizes.size)]
    return [float(finite.max()), float(finite.min()), float(sizes.size)]


if __name__ == "__main__":
    json.dump([scale(path) for path in json.load(sys.stdin)], sys.stdout)
