"""Follows the dtypes of shared variables from call to call if an update returns another dtype than its graph declares.

PyTensor's linker keeps what JAX returns. The mean of a float32 matrix is summed, and returned, in float64 (PyTensor 3.3.8,
link/jax/dispatch/elemwise.py), so a float32 shared variable updated with it is float64 from then on. XLA also compiles these later calls,
until the dtypes repeat.
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
        """Records a call of the kind `key`; `cells` has (position, id of its cell, how often the script set it) of each shared variable."""
        self.calls.append((kept, key, number, cells))

    def moved(self, answers: "dict[Live, dict[str, Live]]") -> "Iterator[tuple[Live, Live, int]]":
        """Yields (function, kind, number) of each call whose dtypes differ from those its graph declares.

        `answers` maps (index of the function, kind) to XLA's answer, whose `updates` list [position, dtype] of the inputs whose new value
        has another dtype. Calls after one without an answer are not yet decided.
        """
        now = {}  # type: dict[int, tuple[Live, int]]  # id of a cell -> (dtype that an update gave it, how often it was set before)
        for kept, key, number, cells in self.calls:
            dtypes = dict((i, now[cell][0]) for i, cell, times in cells if cell in now and now[cell][1] == times)
            actual = kept.with_dtypes(key, dtypes)
            if actual != key:
                yield kept, actual, number
            new = dict(answers.get((kept.index, actual), {}).get("updates") or ())
            now.update((cell, (new[i], times)) for i, cell, times in cells if i in new)
