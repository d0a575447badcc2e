"""MRG31k3p in numpy against the textbook recurrence, one draw at a time."""

from __future__ import annotations

import numpy
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests import interpreters
from theanodiag.compat.random import generator

from .suite.__main__ import wheel_of

WORD = st.integers(-(2**31), 2**31 - 1)
RESIDUE = st.integers(0, generator.M2 - 1)


def as_int32(number: int) -> int:
    """`number` as 32 bits hold it."""
    return (number + 2**31) % 2**32 - 2**31


def reduced(number: int, modulus: int) -> int:
    """What C's `if (y < 0 || y >= m) y -= m` leaves, in 32 bits."""
    number = as_int32(number)
    return as_int32(number - modulus) if number < 0 or number >= modulus else number


def one_by_one(states: list[list[int]], count: int) -> tuple[list[list[int]], list[int]]:
    """The reference: states and draws by the recurrence as C computes it."""
    states, drawn = [list(state) for state in states], []
    m1, m2 = generator.M1, generator.M2
    for i in range(count):
        x11, x12, x13, x21, x22, x23 = states[i % len(states)]
        first = reduced(((x12 & 511) << 22) + (x12 >> 9) + ((x13 & 16777215) << 7) + (x13 >> 24), m1)
        first = reduced(first + x13, m1)
        y = reduced(((x21 & 65535) << 15) + 21069 * (x21 >> 16), m2)
        z = reduced(((x23 & 65535) << 15) + 21069 * (x23 >> 16), m2)
        second = reduced(reduced(z + x23, m2) + y, m2)
        states[i % len(states)] = [first, x11, x12, second, x21, x22]
        drawn.append(as_int32(first - second + (m1 if first <= second else 0)))
    return states, drawn


@settings(max_examples=60, deadline=None)
@given(st.lists(st.lists(RESIDUE, min_size=6, max_size=6), min_size=1, max_size=5), st.integers(0, 400))
def test_draws(states: list[list[int]], count: int) -> None:
    """Draws and the states left are those of the recurrence, whatever the number of streams, also where a stream is cut in blocks."""
    after, drawn = generator.draw(numpy.array(states), count)
    expected, numbers = one_by_one(states, count)
    assert after.tolist() == expected
    assert drawn.tolist() == numbers


@settings(max_examples=40, deadline=None)
@given(st.lists(WORD, min_size=6, max_size=6), st.integers(0, 200))
def test_states_that_are_no_residues(state: list[int], count: int) -> None:
    """A seed out of range (negative, say) gives what 32-bit arithmetic gives."""
    after, drawn = generator.draw(numpy.array([state]), count)
    assert (after.tolist(), drawn.tolist()) == one_by_one([state], count)


@given(st.lists(RESIDUE, min_size=6, max_size=6), st.integers(0, 100))
def test_a_jump_is_that_many_draws(state: list[int], draws: int) -> None:
    """The power of the step's matrix and the steps themselves lead to the same state."""
    assert generator.jump(numpy.array(state), draws).tolist() == one_by_one([state], draws)[0][0]


@pytest.mark.parametrize("seed", [[12345] * 6, [-5] * 6, [3, -1, 7, 1, 1, 1]])
def test_substreams_lie_2_to_72_apart(seed: list[int]) -> None:
    """Each substream starts a jump of 2**72 draws after the one before, also from a seed that is no residue."""
    states = generator.substreams(numpy.array(seed), 9)
    for state, following in zip(states, states[1:]):
        assert generator.jump(state, 2**72).tolist() == following.tolist()


def test_the_published_samples() -> None:
    """The samples of L'Ecuyer's own program, which Theano ships: seed 12345, 12 streams of 7 substreams, 5 draws of each."""
    text = (wheel_of(interpreters.find("theano")) / "theano/sandbox/samples_MRG31k3p_12_7_5.txt").read_text()
    published = [float(line) for line in text.split()]
    seed, found = numpy.full(6, 12345, dtype="int32"), []
    for _ in range(12):
        state = seed
        for _ in range(7):
            found += [number * 2.0**-31 for number in one_by_one([state.tolist()], 5)[1]]
            state = generator.jump(state, 2**72)
        seed = generator.jump(seed, 2**134)
    assert found == published
