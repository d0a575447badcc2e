"""MRG31k3p (L'Ecuyer and Touzin, 2000) in numpy: all streams advance together, in integer arithmetic.

A state is a row of six int32, three for each of two linear recurrences, modulo M1 and modulo M2. This module does not need PyTensor.
"""

from __future__ import annotations

import functools
from typing import Any

import numpy

M1 = 2147483647
"""Modulus of the first recurrence, 2**31 - 1."""
M2 = 2147462579
"""Modulus of the second recurrence, 2**31 - 21069."""
STEP1 = ((0, 4194304, 129), (1, 0, 0), (0, 1, 0))
"""One step of the first recurrence as a matrix."""
STEP2 = ((32768, 0, 32769), (1, 0, 0), (0, 1, 0))
"""One step of the second recurrence as a matrix."""
_LONG = 32  # draws from each stream, from which on cutting streams into blocks is faster
_WIDE = 8192  # streams and blocks that are advanced together

Array = Any
"""A numpy array."""
Matrix = Any
"""A 3 x 3 matrix of integers: nested tuples or an array."""


@functools.lru_cache(maxsize=64)
def power(step: Matrix, exponent: int, modulus: int) -> Array:
    """Returns `step` to the power `exponent`, modulo `modulus`: the matrix that advances one recurrence by `exponent` draws."""
    result: Any = numpy.eye(3, dtype=object)
    square: Any = numpy.array(step, dtype=object)
    while exponent:
        if exponent & 1:
            result = result.dot(square) % modulus
        square = square.dot(square) % modulus
        exponent >>= 1
    return result.astype("int64")


def advance(matrix: Array, states: Array, modulus: int) -> Array:
    """Multiplies `matrix` by each row of three numbers in `states`, modulo `modulus`, which advances the states. Signs follow C's
    remainder.
    """
    products = numpy.fmod(states.astype("int64")[..., None, :] * matrix, modulus)
    return numpy.fmod(products.sum(axis=-1), modulus).astype("int32")


def jump(states: Array, draws: int) -> Array:
    """`states` (one row of six, or several) advanced by `draws` draws."""
    first = advance(power(STEP1, draws, M1), states[..., :3], M1)
    second = advance(power(STEP2, draws, M2), states[..., 3:], M2)
    return numpy.concatenate([first, second], axis=-1)


def _regular(states: Array) -> bool:
    """Whether each number in `states` is a residue. A seed given by the user may contain other numbers, which last for
    the first few draws."""
    return bool((states >= 0).all() and (states[:, :3] < M1).all() and (states[:, 3:] < M2).all())


def substreams(state: Array, count: int) -> Array:
    """Returns `count` states, each 2**72 draws after the previous one; the first is `state`."""
    streams: Array = numpy.asarray(state, dtype="int32").reshape(1, 6)
    if not _regular(streams):
        rows = [streams[0]]
        while len(rows) < count:
            rows.append(jump(rows[-1], 2**72))
        return numpy.array(rows, dtype="int32")
    while len(streams) < count:
        streams = numpy.concatenate([streams, jump(streams[: count - len(streams)], len(streams) << 72)])
    return streams


def _step(columns: list[Array]) -> Array:
    """Advances six columns of uint32 by one draw, in place in the list. Returns the drawn integers as int32.

    `minimum(y, y - m)` is y modulo m for y < 2 m, since a negative difference wraps around to a large number.
    """
    x11, x12, x13, x21, x22, x23 = columns
    signed = "int32"  # the shifts are arithmetic
    y = ((x12 & 511) << 22) + (x12.view(signed) >> 9).view("uint32") + ((x13 & 16777215) << 7) + (x13.view(signed) >> 24).view("uint32")
    m1, m2 = numpy.uint32(M1), numpy.uint32(M2)
    y = numpy.minimum(y, y - m1)
    y += x13
    first = numpy.minimum(y, y - m1)
    y = ((x21 & 65535) << 15) + numpy.uint32(21069) * (x21.view(signed) >> 16).view("uint32")
    y = numpy.minimum(y, y - m2)
    z = ((x23 & 65535) << 15) + numpy.uint32(21069) * (x23.view(signed) >> 16).view("uint32")
    z = numpy.minimum(z, z - m2)
    z += x23
    z = numpy.minimum(z, z - m2)
    z += y
    second = numpy.minimum(z, z - m2)
    columns[:] = [first, x11, x12, second, x21, x22]
    drawn = first - second
    drawn += (first.view(signed) <= second.view(signed)) * m1
    return drawn.view(signed)


def _columns(states: Array) -> list[Array]:
    """The six columns of `states`, each contiguous, as uint32."""
    return [numpy.ascontiguousarray(states[:, i]).view("uint32") for i in range(6)]


def _rows(columns: list[Array]) -> Array:
    """The states as rows, from their six columns."""
    return numpy.stack(columns, axis=1).view("int32")


def _in_blocks(states: Array, rounds: int) -> Array:
    """`rounds` draws of each stream: each stream is divided into blocks, whose starts are found by jumping and which are computed in
    parallel."""
    streams = len(states)
    blocks = max(1, min(rounds // 8, _WIDE // streams))
    length = -(-rounds // blocks)
    starts = states[None]
    while len(starts) < blocks:  # doubles the starts: each is advanced by as many blocks as there are
        starts = numpy.concatenate([starts, jump(starts[: blocks - len(starts)], len(starts) * length)])
    columns = _columns(starts.reshape(-1, 6))
    out: Any = numpy.empty((blocks, length, streams), dtype="int32")
    for i in range(length):
        out[:, i] = _step(columns).reshape(blocks, streams)
    return out.reshape(-1)


def draw(states: Array, count: int) -> tuple[Array, Array]:
    """Returns (states after `count` draws, the drawn integers): the streams are used in turn; integers are int32 from 1 to M1."""
    states = numpy.asarray(states, dtype="int32")
    streams = len(states)
    rounds, rest = divmod(count, streams)
    if rounds >= _LONG and streams <= _WIDE // 2 and _regular(states):
        drawn = _in_blocks(states, rounds + (rest > 0))[:count]
        after = numpy.concatenate([jump(states[:rest], rounds + 1), jump(states[rest:], rounds)])
        return after, drawn
    drawn = numpy.empty(count, dtype="int32")
    columns = _columns(states)
    for i in range(rounds):
        drawn[i * streams : (i + 1) * streams] = _step(columns)
    after = _rows(columns)
    if rest:
        columns = [column[:rest] for column in columns]
        drawn[rounds * streams :] = _step(columns)
        after[:rest] = _rows(columns)
    return after, drawn


def to_uniform(drawn: Array, dtype: str) -> Array:
    """Scales the integers `drawn` to numbers between 0 and 1 of `dtype`, with the rounding of Theano 1.0.5."""
    if dtype == "float16":
        return (((drawn & 0x7FFF) + 1) * float(numpy.float16(3.0458e-05))).astype("float16")
    if dtype == "float32":
        return drawn.astype("float32") * numpy.float32(4.6566126e-10)
    return drawn * 4.656612873077392578125e-10
