"""Python 2's module `random`, which drew other numbers from a seed: it chose by `int(random() * n)`, Python 3 by bits.

Source: Lib/random.py of CPython 2.7.18. `random`, `uniform`, `gauss` and others draw the same in both.
"""

import math
import random
from typing import Any, Callable, Dict, Optional

_seed = random.Random.seed


def _whole(value: Any, name: str) -> int:
    if value != int(value):
        raise ValueError("non-integer {} for randrange()".format(name))
    return int(value)


class Random(random.Random):
    """`random.Random` as in Python 2."""

    def randrange(self, start: Any, stop: Any = None, step: Any = 1) -> int:
        """Returns an element of `range(start, stop, step)`."""
        first = _whole(start, "arg 1")
        if stop is None:
            first, stop = 0, first
        width, by = _whole(stop, "stop") - first, _whole(step, "step")
        if not by:
            raise ValueError("zero step for randrange()")
        count = width if by == 1 else (width + by + (-1 if by > 0 else 1)) // by
        if count <= 0:
            raise ValueError("empty range for randrange()")
        if count >= 1 << 53 and by == 1:
            return first + self._below(count)
        return first + by * int(self.random() * count)

    def _below(self, n: int) -> int:
        """A number below `n` of more than 53 bits."""
        bits = int(1.00001 + math.log(n - 1, 2.0))
        found = n
        while found >= n:
            found = self.getrandbits(bits)
        return found

    def randint(self, a: Any, b: Any) -> int:
        """Returns a whole number from `a` to `b`."""
        return self.randrange(a, b + 1)

    def choice(self, seq: Any) -> Any:
        """Returns an element of a sequence."""
        return seq[int(self.random() * len(seq))]

    def shuffle(self, x: Any, random: Optional[Callable[[], float]] = None) -> None:
        """Orders a list at random."""
        draw = self.random if random is None else random
        for i in reversed(range(1, len(x))):
            j = int(draw() * (i + 1))
            x[i], x[j] = x[j], x[i]

    def sample(self, population: Any, k: int) -> Any:  # type: ignore[override]
        """Returns `k` different elements."""
        n = len(population)
        if not 0 <= k <= n:
            raise ValueError("sample larger than population")
        size = 21 + (4 ** math.ceil(math.log(k * 3, 4)) if k > 5 else 0)
        if n <= size or hasattr(population, "keys"):
            pool = list(population)
            for i in range(k):
                j = int(self.random() * (n - i))
                pool[j], pool[n - i - 1] = pool[n - i - 1], pool[j]
            return pool[n - k :][::-1] if k else []
        if not hasattr(population, "__getitem__"):
            self.random()  # spent before the set turned out to have no indices
            return self.sample(tuple(population), k)
        chosen: Dict[int, Any] = {}
        while len(chosen) < k:
            j = int(self.random() * n)
            if j not in chosen:
                chosen[j] = population[j]
        return list(chosen.values())

    def seed(self, a: Any = None, version: int = 1) -> None:
        """Starts the draws; text counts by Python 2's hash."""
        if isinstance(a, (str, bytes)) or a is None or isinstance(a, int):
            _seed(self, a, 1)
        else:
            _seed(self, hash(a))


METHODS = ("randrange", "randint", "choice", "shuffle", "sample", "seed")


def install() -> None:
    """Makes the module `random`, and its class `Random`, draw as in Python 2."""
    for name in (*METHODS, "_below"):
        setattr(random.Random, name, vars(Random)[name])
    for name in METHODS:
        setattr(random, name, getattr(random._inst, name))
