"""Compares arrays in files: a program that reads a task as JSON from standard input and writes JSON.

Its argument is the question: `matches` of two runs, `differences` of pairs of files, or `scales` of files. It runs in an interpreter
that has numpy, which theanodiag itself does not require.
"""

import json
import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from .. import Live


def fingerprint(array: "Live") -> "tuple[float, float, float]":
    """Returns three numbers of an array, over its finite elements: absolute value of the mean, mean magnitude and largest magnitude; zeros
    for an empty array.
    """
    import numpy

    flat = array.ravel()
    finite = numpy.where(numpy.isfinite(flat), flat, 0)
    if not finite.size:
        return 0.0, 0.0, 0.0
    sizes = numpy.abs(finite)
    return float(abs(finite.mean())), float(sizes.mean()), float(sizes.max())


def agree(a: "Live", b: "Live", relative: float, absolute: float) -> bool:
    """Returns whether every element differs by at most max(absolute, relative * largest magnitude of `a`); inf and nan must be at the same
    places.
    """
    import numpy

    finite = numpy.isfinite(a)
    if not numpy.array_equal(finite, numpy.isfinite(b)):
        return False
    if not finite.all() and not numpy.array_equal(a[~finite].astype(str), b[~finite].astype(str)):
        return False
    if not finite.any():
        return True
    off = numpy.abs(a[finite] - b[finite]).max()
    return bool(off <= max(absolute, relative * numpy.abs(a[finite]).max()))


def groups(rows: "Live", dtypes: bool) -> "dict[Live, list[Live]]":
    """Groups arrays by shape (and by item size of floats if `dtypes`): key -> [(number, file), ...]; `rows` are (number, file)."""
    import numpy

    by_shape = {}  # type: dict[Live, list[Live]]
    for number, path in rows:
        array = numpy.load(path, mmap_mode="r", allow_pickle=False)
        precision = array.dtype.itemsize if dtypes and array.dtype.kind in "fc" else 0
        by_shape.setdefault((array.shape, precision), []).append((number, path))
    return by_shape


def is_uninformative(array: "Live") -> bool:
    """Returns whether equality with this array proves little, because it is empty or all its elements are equal. (A single number proves
    little only if it is a whole number.)
    """
    import numpy

    if not array.size:
        return True
    first = array.ravel()[0]
    return bool((array == first).all()) and (array.size > 1 or bool(numpy.isfinite(first)) and first == round(first.real))


def matches(task: "Live") -> "dict[str, object]":
    """Returns the pairs of arrays of two runs that agree within a tolerance, and for each run its uninformative arrays, by number.

    `task` is {"old": [[number, file], ...], "new": [[number, file], ...], "relative": tolerance, "absolute": tolerance, "dtypes": whether
    floats must have equal precision}.
    """
    import numpy

    relative, absolute = float(task["relative"]), float(task["absolute"])
    sides = [groups(task[name], task["dtypes"]) for name in ("old", "new")]
    pairs, weak = [], ([], [])  # type: list[list[int]], tuple[list[int], list[int]]
    for key in set(sides[0]) & set(sides[1]):
        loaded = [[(n, numpy.asarray(numpy.load(path)).astype("complex128")) for n, path in side[key]] for side in sides]
        prints = [[fingerprint(array) for _, array in side] for side in loaded]
        for side, names in zip(loaded, weak):
            names.extend(n for n, array in side if is_uninformative(array))
        for (n, a), p in zip(loaded[0], prints[0]):
            slack = 2 * max(absolute, relative * p[2]) + 1e-14 * p[2]
            for (m, b), q in zip(loaded[1], prints[1]):
                if all(abs(x - y) <= slack for x, y in zip(p, q)) and agree(a, b, relative, absolute):
                    pairs.append([n, m])
    return {"pairs": pairs, "weak": weak}


def difference(one: str, other: str) -> "dict[str, object]":
    """Compares two arrays in files: the largest absolute difference, the largest magnitude of the first array ("scale"), and the index of
    the largest difference ("at").
    """
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


def scale(path: str) -> "list[float]":
    """Returns the magnitudes of the array in a file: [largest, smallest, number of elements]. The first two are those of finite elements, 0
    if there are none.
    """
    import numpy

    sizes = numpy.abs(numpy.load(path, allow_pickle=False).astype("complex128"))
    finite = sizes[numpy.isfinite(sizes)]
    if not finite.size:
        return [0.0, 0.0, float(sizes.size)]
    return [float(finite.max()), float(finite.min()), float(sizes.size)]


def answer(question: str, task: "Live") -> object:
    """Computes the answer to the question `matches`, `differences` or `scales`; `task` has its arguments."""
    if question == "matches":
        return matches(task)
    return [difference(one, other) for one, other in task] if question == "differences" else [scale(path) for path in task]


if __name__ == "__main__":
    json.dump(answer(sys.argv[1], json.load(sys.stdin)), sys.stdout)
