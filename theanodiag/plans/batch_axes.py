"""Finds the batch axes: axes of a function's arguments that have the same length and can be shortened together.

An axis over which weights are summed (features), along which kernels move (height and width of pictures), or along which a recurrence runs
(time) is no batch axis. The search tries an axis of an argument, together with the axes that must change with it so that all shapes still
fit, and those of other arguments that may. An axis may also be a multiple of the batch: targets flattened to steps x rows, or three
pictures for each row of a triplet loss. The batch is the set that covers most arguments. Of equal sets, one along which no Scan runs comes
first, then one that needs no shared variable to change, then one with leading axes.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace

from ..errors import UsageError
from ..ir import Apply, FunctionGraph, Role, ShapeTable, TypeKind, Unknown
from ..ir.scan import ScanInfo
from ..memory.script import Script
from ..ops import op_info
from .chunking.clients import CutKind, reads
from .graphs.long_scans import recurrences, scans, sequences
from .resize import ArgumentAxis, Axis, SharedAxis, WhatIf, argument_name, length
from .shape_replay import reshaped_lengths

MOVES = re.compile(r"Conv|Corr[3M]|Pool|Downsample")
"""Names of Ops that move a kernel or a window over images; arrays of them are (batch, channels, height, width)."""
KERNELS_GRADIENT = re.compile(r"[gG]radW")
"""Those that sum over the first axis of images and of gradients of feature maps."""
MOST_AXES = 24
"""Number of axes of one function that are tried as the seed of a set."""
MOST_NODES = 300_000
"""A search ends, with its results so far, after inferring the shapes of this many nodes (some seconds). A usual script needs a tenth."""


def find(what_if: WhatIf, function: int) -> tuple[Axis, ...]:
    """Finds the batch axes of function number `function`, and axes of equal length of other functions' batches. Empty if there is
    no batch.
    """
    if function not in what_if.batches:
        what_if.batches[function] = _found(what_if, function)
    return what_if.batches[function]


def _found(what_if: WhatIf, function: int) -> tuple[Axis, ...]:
    """The uncached result of `find`."""
    axes = list(_candidates(what_if.script, function))
    batches: list[tuple[Axis, ...]] = []
    tried: set[Axis] = set()
    end = what_if.inferred + MOST_NODES
    for seed in axes[:MOST_AXES]:
        if not isinstance(seed, ArgumentAxis) or seed in tried:
            continue
        group = _group(what_if, seed, axes, end)
        tried |= {seed, *group}
        if _is_batch(what_if, group):
            batches.append(group)
            if _is_best(what_if, group, [a for a in axes if a not in tried]):
                break
    best = max(batches, key=lambda g: _rank(what_if, g), default=None) or _cut_out(what_if, function) or _several_rows(what_if, axes, end)
    if not best:
        return ()
    return (*best, *_states(what_if, function, best), *_alike(what_if, best))


def _is_batch(what_if: WhatIf, group: tuple[Axis, ...]) -> bool:
    """Whether axes that can change together are rows: not features, not channels, height or width of pictures, and not time."""
    if not group or is_feature(what_if.script, group) or is_picture(what_if, group):
        return False
    return not is_recurrence(what_if, group)


def _several_rows(what_if: WhatIf, axes: Sequence[Axis], end: int) -> tuple[Axis, ...]:
    """The first axis of an argument that can change by several rows at once, as many as one length of a reshape, with those that change
    with it: triplets, `x.reshape((-1, 3, n))`.
    """
    for seed in (a for a in axes[:MOST_AXES] if isinstance(a, ArgumentAxis) and a.axis == 0):
        n, graph = length(what_if.script, seed) or 0, what_if.script.functions[seed.function].graph
        for times in sorted(k for k in reshaped_lengths(graph) if 1 < k < n and n % k == 0):
            group = _group(what_if, replace(seed, multiple=times), axes, end)
            if _is_batch(what_if, group):
                return group
    return ()


def _states(what_if: WhatIf, function: int, batch: tuple[Axis, ...]) -> tuple[Axis, ...]:
    """The axes of shared variables that hold one row for each row of the batch and that a function replaces, such as the chains of a
    sampler.
    """
    n, group = length(what_if.script, batch[0]) or 0, batch
    for other in _as_long(what_if, batch[0], list(_candidates(what_if.script, function))):
        if isinstance(other, SharedAxis) and _is_state(what_if.script, function, other) and _is_new(other, group):
            group = (*group, other) if _may_change(what_if, (*group, other), n) else group
    return group[len(batch) :]


def time_axes(what_if: WhatIf, function: int) -> tuple[Axis, ...]:
    """Finds the time axes of arguments, over which the Scans of a function iterate; those with the most arguments come first. Empty if
    there are none.
    """
    axes = list(_candidates(what_if.script, function)) if scans(what_if.script.functions[function].graph) else []
    end = what_if.inferred + MOST_NODES
    groups: list[tuple[Axis, ...]] = []
    for seed in axes[:MOST_AXES]:
        if isinstance(seed, ArgumentAxis) and not any(seed in g for g in groups):
            groups.append(_group(what_if, seed, axes, end))
    return max((g for g in groups if g and _is_time(what_if, g)), key=len, default=())


def _cut_out(what_if: WhatIf, function: int) -> tuple[Axis, ...]:
    """The axes of the rows that a function slices out of shared data, if they have equal lengths that may change; empty otherwise."""
    axes = list(dict.fromkeys(_rows(what_if.script, function)))
    n = max((m for a in axes if (m := length(what_if.script, a)) is not None), default=0)
    group = tuple(a for a in axes if length(what_if.script, a) == n)
    return group if n > 1 and _may_change(what_if, group, n) and not is_recurrence(what_if, group) else ()


def _rows(script: Script, function: int) -> Iterator[Axis]:
    """Yields the axes of the rows that a function slices out of shared variables."""
    for entry in script.functions[function].graph.inputs:
        row_reads = reads(script, entry.shared, 0) if entry.shared is not None else ()
        for read in () if isinstance(row_reads, Unknown) else row_reads:
            if read.way is CutKind.ROWS and read.function == function and read.axis is not None:
                yield ArgumentAxis(function, read.variable, read.axis)


def _rank(what_if: WhatIf, group: tuple[Axis, ...]) -> tuple[int, bool, int, int]:
    arguments = {a.variable for a in group if isinstance(a, ArgumentAxis)}
    (function,) = {a.function for a in group if isinstance(a, ArgumentAxis)}
    tables = sum(isinstance(a, SharedAxis) and not _is_state(what_if.script, function, a) for a in group)
    return len(arguments), not _is_time(what_if, group), -tables, -sum(a.axis for a in group)


def _is_best(what_if: WhatIf, group: tuple[Axis, ...], left: Sequence[Axis]) -> bool:
    """Whether no group that contains an axis in `left` can have a higher rank: this group has the first axis of each argument."""
    first = {a.variable: a.axis for a in group if isinstance(a, ArgumentAxis)}
    if any(isinstance(a, SharedAxis) for a in group) or _is_time(what_if, group):
        return False
    return all(isinstance(a, SharedAxis) or (a.variable in first and a.axis > first[a.variable]) for a in left)


def is_feature(script: Script, group: tuple[Axis, ...]) -> bool:
    """Returns whether these axes belong to weights, not to rows.

    They do if a product sums over an axis of a shared variable that it reads unchanged. They also do if none is a first axis and one
    belongs to a shared variable that no function updates (`theano.map` over rows that are compared with the rows of a table).
    """
    shared = {a.shared for a in group if isinstance(a, SharedAxis)}
    if (
        shared
        and all(a.axis for a in group)
        and not any(i.shared in shared and i.update is not None for f in script.functions for i in f.graph.inputs)
    ):
        return True
    axes = {(a.shared, a.axis) for a in group if isinstance(a, SharedAxis)}
    for f in script.functions if axes else ():
        for entry in f.graph.inputs:
            for number, position in f.graph.clients[entry.variable] if entry.shared is not None else ():
                factors = op_info(f.graph.applies[number].op.name).factors
                if factors and position in factors:
                    ndim = f.graph.variables[entry.variable].type.ndim
                    if (entry.shared, ndim - 1 if position == factors[0] else max(0, ndim - 2)) in axes:
                        return True
    return False


def is_picture(what_if: WhatIf, group: tuple[Axis, ...]) -> bool:
    """Returns whether shortening these axes would change the number of channels, the height or the width of images for a convolution or
    pooling.
    """
    functions = {a.function for a in group if isinstance(a, ArgumentAxis)}
    nodes = {i: [n for n in what_if.script.functions[i].graph.applies if MOVES.search(n.op.name)] for i in functions}
    changed = what_if.with_lengths(dict.fromkeys(group, (length(what_if.script, group[0]) or 1) - 1)) if any(nodes.values()) else None
    if not isinstance(changed, Script):
        return False
    weights = any(isinstance(a, SharedAxis) for a in group)
    return any(
        _other_picture(n, before.shapes, after.shapes, weights)
        for i in functions
        for before, after in zip(what_if.script.calls(i), changed.calls(i))
        for n in nodes[i]
    )


def _other_picture(node: Apply, before: ShapeTable, after: ShapeTable, weights: bool) -> bool:
    """Whether a convolution or pooling gets images of another height, width or number of channels.

    Theano computes a convolution of many images as the gradient of its kernels, on transposed operands (1.0.5, gpuarray/opt.py,
    `local_abstractconv_gemm`). The second axis is then the batch, and the first axis of both operands the channels, which do not change if
    no weights do.
    """
    shapes = [(_image(before, v), _image(after, v)) for v in node.inputs]
    if weights or not KERNELS_GRADIENT.search(node.op.name):
        return any(old[1:] != new[1:] for old, new in shapes)
    images, maps = (old[:1] != new[:1] for old, new in shapes[:2])
    return images != maps or any(old[2:] != new[2:] for old, new in shapes)


def _image(table: ShapeTable, variable: int) -> tuple[object, ...]:
    """The lengths of a Variable with 4 or more axes (batch, channels, height, width, depth); () for others."""
    shape = table.shape(variable)
    return shape if isinstance(shape, tuple) and len(shape) >= 4 else ()


def _is_time(what_if: WhatIf, group: tuple[Axis, ...]) -> bool:
    """Whether a Scan makes fewer steps if these axes are shorter."""
    return _shortens(what_if, group, scans)


def is_recurrence(what_if: WhatIf, group: tuple[Axis, ...]) -> bool:
    """Returns whether these axes are time, not rows: if they are shorter, a Scan whose steps depend on earlier ones makes fewer steps, so
    parts have other results than the whole. The steps of `theano.map` are rows.
    """
    return _shortens(what_if, group, recurrences)


Loops = Callable[[FunctionGraph], "list[tuple[Apply, ScanInfo]]"]


def _shortens(what_if: WhatIf, group: tuple[Axis, ...], loops: Loops) -> bool:
    """Whether any of these loops makes fewer steps if the axes are shorter."""
    functions = {a.function for a in group if isinstance(a, ArgumentAxis)}
    if not any(loops(what_if.script.functions[i].graph) for i in functions):
        return False
    changed = what_if.with_lengths(dict.fromkeys(group, (length(what_if.script, group[0]) or 1) - 1))
    return isinstance(changed, Script) and any(_steps(changed, i, loops) != _steps(what_if.script, i, loops) for i in functions)


def _steps(script: Script, function: int, of: Loops) -> list[object]:
    """For each of these loops of a function, its number of steps by its input and the lengths of its sequences."""
    loops = of(script.functions[function].graph)
    tables = [e.shapes for e in script.calls(function)]
    return [(t.values.get(n.inputs[0]), [_leading(t, v) for v in sequences(n, info)]) for t in tables for n, info in loops]


def _leading(table: ShapeTable, variable: int) -> object:
    shape = table.shape(variable)
    return shape[0] if isinstance(shape, tuple) and shape else None


def _candidates(script: Script, function: int) -> Iterator[Axis]:
    """The axes longer than 1 of a function's arguments and shared variables."""
    graph = script.functions[function].graph
    call = next(iter(script.calls(function)), None)
    for entry in graph.inputs if call else ():
        shape = call.shapes.shape(entry.variable) if call else Unknown("")
        if graph.variables[entry.variable].type.kind is TypeKind.RANDOM or isinstance(shape, Unknown):
            continue
        for k, n in enumerate(shape):
            if isinstance(n, int) and n > 1:
                shared = entry.role is Role.SHARED and entry.shared is not None
                yield SharedAxis(int(entry.shared or 0), k) if shared else ArgumentAxis(function, entry.variable, k)


def _group(what_if: WhatIf, seed: ArgumentAxis, axes: Sequence[Axis], end: int) -> tuple[Axis, ...]:
    """`seed` with the axes that must change with it and those that may; empty where it cannot change, or `end` nodes were inferred."""
    n = length(what_if.script, seed)
    whole = _first_of_each(what_if, seed, axes)
    if what_if.inferred < end and whole[1:] and n is not None and _may_change(what_if, whole, n):
        return whole
    group = _closed(what_if, seed, axes, end)
    for other in _as_long(what_if, seed, axes) if group and n is not None else ():
        may = isinstance(other, ArgumentAxis) and what_if.inferred < end and _is_new(other, group)
        if may and _may_change(what_if, (*group, other), n or 0):
            group = (*group, other)
    return group


def _first_of_each(what_if: WhatIf, seed: ArgumentAxis, axes: Sequence[Axis]) -> tuple[Axis, ...]:
    """`seed` with the first axis of equal length of each other argument, which is usually the batch."""
    chosen: tuple[Axis, ...] = (seed,)
    for other in _as_long(what_if, seed, axes):
        chosen = (*chosen, other) if isinstance(other, ArgumentAxis) and _is_new(other, chosen) else chosen
    return chosen


def closure(what_if: WhatIf, seed: SharedAxis, end: int) -> tuple[Axis, ...]:
    """Returns `seed` with all axes whose length must change with it. Empty if they cannot change, or if the search has inferred `end`
    nodes.
    """
    functions = [f for f in what_if.script.functions if any(i.shared == seed.shared for i in f.graph.inputs)]
    axes = list(dict.fromkeys(a for f in functions for a in _candidates(what_if.script, f.index)))
    return _closed(what_if, seed, axes, end)


def _is_state(script: Script, function: int, axis: SharedAxis) -> bool:
    """Whether a function replaces a shared variable, of which it reads all rows, and this is its first axis, over which no product sums."""
    graph = script.functions[function].graph
    entry = next((i for i in graph.inputs if i.shared == axis.shared and i.update is not None), None)
    if entry is None or axis.axis != 0 or is_feature(script, (axis,)):
        return False
    return not any("Subtensor" in graph.applies[number].op.name for number, _ in graph.clients[entry.variable])


def _as_long(what_if: WhatIf, seed: Axis, axes: Sequence[Axis]) -> list[Axis]:
    """The other axes of equal length, those of arguments first."""
    n = length(what_if.script, seed)
    others = [a for a in axes if a != seed and length(what_if.script, a) == n]
    return sorted(others, key=lambda a: (isinstance(a, SharedAxis), a.axis))


def _closed(what_if: WhatIf, seed: Axis, axes: Sequence[Axis], end: int) -> tuple[Axis, ...]:
    """`seed` with the axes in `axes` that must change with it; empty if it cannot change, or if `end` nodes were inferred."""
    n = length(what_if.script, seed)
    if n is None or what_if.inferred >= end:
        return ()
    others, multiples = _as_long(what_if, seed, axes), _multiples(what_if, seed, axes)
    group: tuple[Axis, ...] = (seed,)
    while not _may_change(what_if, group, n):
        worst = what_if.conflicts(dict.fromkeys(group, n - 1))
        for choices in (others, multiples):
            free = [k for k, o in enumerate(choices) if _is_new(o, group)]
            tried = [(what_if.conflicts(dict.fromkeys((*group, choices[k]), n - 1)), k) for k in free if what_if.inferred < end]
            if tried and min(tried)[0] < worst:
                group = (*group, choices[min(tried)[1]])
                break
        else:
            return ()
    return group


def _multiples(what_if: WhatIf, seed: Axis, axes: Sequence[Axis]) -> list[Axis]:
    """The axes of arguments that are several times as long: targets flattened to steps x rows."""
    n = length(what_if.script, seed) or 0
    arguments = (a for a in axes if isinstance(a, ArgumentAxis) and isinstance(seed, ArgumentAxis) and n > 1)
    longer = ((a, length(what_if.script, a) or 0) for a in arguments)
    return [replace(a, multiple=m // n) for a, m in longer if m > n and m % n == 0]


def _is_new(axis: Axis, group: tuple[Axis, ...]) -> bool:
    """Whether no axis of the same argument or shared variable is in the group."""
    return _owner(axis) not in {_owner(a) for a in group}


def _owner(axis: Axis) -> tuple[bool, int]:
    return (True, axis.shared) if isinstance(axis, SharedAxis) else (False, axis.variable)


def _may_change(what_if: WhatIf, group: tuple[Axis, ...], n: int) -> bool:
    return not isinstance(what_if.with_lengths(dict.fromkeys(group, n - 1)), Unknown)


def _alike(what_if: WhatIf, group: tuple[Axis, ...]) -> Iterator[Axis]:
    """Yields the batch axes of the other functions that have the same length, because the script probably uses one constant for them."""
    own = {a.function for a in group if isinstance(a, ArgumentAxis)}
    n, end = length(what_if.script, group[0]), what_if.inferred + MOST_NODES
    for f in what_if.script.functions:
        if f.index in own:
            continue
        axes = list(_candidates(what_if.script, f.index))
        groups = [_group(what_if, a, axes, end) for a in axes[:MOST_AXES] if isinstance(a, ArgumentAxis) and length(what_if.script, a) == n]
        batches = [g for g in groups if _is_batch(what_if, g)]
        best = max(batches, key=lambda g: _rank(what_if, g), default=())
        yield from (a for a in best if a not in group)


def named(script: Script, texts: Sequence[str]) -> tuple[Axis, ...]:
    """Returns the axes that texts such as `x:0` or `train:x:0` name: axes of arguments, in every function that has them, and of shared
    variables.

    If functions read rows of a shared variable, its axis is the axis of these rows. For each function the shortest of the arguments' axes
    is the batch; an axis that is a multiple of it has several rows for each example.

    Raises UsageError for an unknown name.
    """
    axes = [axis for text in texts for axis in _named(script, text)]
    arguments = [a for a in axes if isinstance(a, ArgumentAxis)]
    return tuple(_in_batches(script, a, arguments) if isinstance(a, ArgumentAxis) else a for a in axes)


def _in_batches(script: Script, axis: ArgumentAxis, others: Sequence[ArgumentAxis]) -> ArgumentAxis:
    """The axis as a multiple of the shortest one of the same function, where it is one."""
    batch = min(length(script, a) or 1 for a in others if a.function == axis.function)
    times, rest = divmod(length(script, axis) or 1, batch)
    return axis if rest or batch == 1 else replace(axis, multiple=times)


def parts(text: str) -> tuple[str | None, str, int]:
    """Returns the function (or None), name and axis of `train:x:0` or `x:0`. Raises UsageError for any other form."""
    *function, name, number = text.strip().split(":") if text.count(":") in (1, 2) else ("", "", "")
    if not name or not number.isdecimal() or len(number) > 4:
        raise UsageError(f"not an axis: {text!r}", help="write NAME:AXIS, such as --batch-dim x:0,y:0")
    return (function[0] if function else None), name, int(number)


def _of_shared(script: Script, shared: int, number: int, function: str | None) -> list[Axis]:
    """The axes of the rows that functions slice out of a shared variable along axis `number`; that axis itself if none does."""
    wanted = [f for f in script.functions if function is None or function in (f.name, str(f.index))]
    rows = reads(script, shared, number)
    cut = () if isinstance(rows, Unknown) else [r for r in rows if r.way is CutKind.ROWS and r.axis is not None]
    if cut:
        return [ArgumentAxis(r.function, r.variable, r.axis or 0) for r in cut if any(f.index == r.function for f in wanted)]
    return [SharedAxis(shared, number)] if function is None else []


def _named(script: Script, text: str) -> list[Axis]:
    function, name, number = parts(text)
    axes: list[Axis] = []
    for f in script.functions:
        if function is None or function in (f.name, str(f.index)):
            ids = [i.variable for i in f.graph.inputs if i.role is not Role.SHARED]
            axes += [ArgumentAxis(f.index, v, number) for v in ids if argument_name(script, f.index, v) == name]
    axes += [axis for s in script.shared.values() if name in (s.name, s.label) for axis in _of_shared(script, s.id, number, function)]
    axes = [a for a in axes if length(script, a) is not None]
    if not axes:
        given = [(f.index, i.variable) for f in script.functions for i in f.graph.inputs if i.role is not Role.SHARED]
        known = sorted({argument_name(script, f, v) for f, v in given})
        message, help = f"no function is called with an axis {text.strip()!r}", f"its arguments are: {', '.join(known) or 'none'}"
        raise UsageError(message, help=help, option="batch_dim")
    return axes
