"""`theano.tensor.shared_randomstreams`: RandomStreams, in which each draw has its own numpy RandomState in a shared variable."""

from __future__ import annotations

import copy
import warnings
from typing import Any

import numpy
import pytensor
from pytensor.compile.sharedvalue import SharedVariable, shared_constructor

from . import raw


class RandomStateSharedVariable(SharedVariable):
    """Shared variable whose value is a numpy.random.RandomState."""


@shared_constructor.register(numpy.random.RandomState)
def randomstate_constructor(
    value: Any, name: Any = None, strict: bool = False, allow_downcast: Any = None, borrow: bool = False, **kwargs: Any
) -> Any:
    """Returns a shared variable that holds a copy of `value`, or `value` itself if `borrow`. Raises TypeError unless it is a
    RandomState.
    """
    if not isinstance(value, numpy.random.RandomState):
        raise TypeError
    if not borrow:
        value = copy.deepcopy(value)
    return RandomStateSharedVariable(
        type=raw.random_state_type, value=value, name=name, strict=strict, allow_downcast=allow_downcast, **kwargs
    )


class RandomStreams(raw.RandomStreamsBase):
    """Draws symbolic random numbers; a generator with the seed `seed` produces the seed of each draw's state."""

    def __init__(self, seed: Any = None) -> None:
        self.state_updates: list[Any] = []
        self.default_instance_seed = seed
        self.gen_seedgen = numpy.random.RandomState(seed)

    def updates(self) -> list[Any]:
        """Returns a copy of the list of (state, new state) pairs."""
        return list(self.state_updates)

    def seed(self, seed: Any = None) -> None:
        """Resets the state of every draw to the one that `seed` gives."""
        seeds = numpy.random.RandomState(self.default_instance_seed if seed is None else seed)
        for old, _ in self.state_updates:
            old.set_value(numpy.random.RandomState(int(seeds.randint(2**30))), borrow=True)

    def __getitem__(self, item: Any) -> Any:
        """The RandomState that the shared variable `item` holds."""
        return item.get_value(borrow=True)

    def __setitem__(self, item: Any, val: Any) -> None:
        """Stores the RandomState `val` in the shared variable `item`."""
        item.set_value(val, borrow=True)

    def gen(self, op: Any, *args: Any, **kwargs: Any) -> Any:
        """Makes a draw by `op` with a new state. The state is stored as the attribute `rng` of the draw, and updated by default."""
        state = pytensor.shared(numpy.random.RandomState(int(self.gen_seedgen.randint(2**30))))
        state.tag.is_rng = True
        after, drawn = op(state, *args, **kwargs)
        drawn.rng = state
        drawn.update = (state, after)
        self.state_updates.append(drawn.update)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", DeprecationWarning)
            state.default_update = after
        return drawn
