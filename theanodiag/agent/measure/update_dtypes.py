"""The dtypes of shared variables from call to call, where an update has another one than its graph says.

PyTensor's linker keeps what JAX returns: the mean of a float32 matrix is summed, and returned, in float64 (PyTensor 3.3.8,
link/jax/dispatch/elemwise.py), so a float32 shared variable of which it is the new value is float64 from then on. XLA is asked
about the later calls too, until the dtypes repeat.
"""

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from .. import Live


class CallSequence(object):
    """The calls of all functions, in the script's order."""

    def __init__(self) -> None:
        self.calls = []  # type: list[tuple[Live, Live, int, list[tuple[int, int, int]]]]

    def add(self, kept: "Live", key: "Live", number: int, cells: "list[tuple[int, int, int]]") -> None:
        """Notes a call of the kind `key`; `cells`: (position, id of its cell, how often the script has set it) of each shared variable."""
        self.calls.append((kept, key, number, cells))

    def moved(self, answers: "dict[Live, dict[str, Live]]") -> "Iterator[tuple[Live, Live, int]]":
        """(function, kind, number) of each call that is of another kind than the graph's dtypes say.

        `answers`: those of XLA so far, by (index of the function, kind); of each its `updates`, [position, dtype] of those inputs whose
        new value has another dtype than the value had. What follows from a call without an answer is not known yet.
        """
        now = {}  # type: dict[int, tuple[Live, int]]  # id of a cell -> (dtype that an update gave it, how often it was set before)
        for kept, key, number, cells in self.calls:
            dtypes = dict((i, now[cell][0]) for i, cell, times in cells if cell in now and now[cell][1] == times)
            actual = kept.with_dtypes(key, dtypes)
            if actual != key:
                yield kept, actual, number
            new = dict(answers.get((kept.index, actual), {}).get("updates") or ())
            now.update((cell, (new[i], times)) for i, cell, times in cells if i in new)
