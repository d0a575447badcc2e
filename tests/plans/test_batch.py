"""The largest batch, beside trying all of them; the micro-batch; the axes that are the batch."""

from __future__ import annotations

import dataclasses
import functools
from collections.abc import Callable

import pytest

from tests.rules.scripts import only
from theanodiag.devices import HOST
from theanodiag.errors import UsageError
from theanodiag.ir import Op, Unknown
from theanodiag.ir.builder import GraphBuilder, on_device, tensor
from theanodiag.ir.graph import TypeKind
from theanodiag.ir.scan import scan_counts
from theanodiag.memory.script import Call, CallInput, Compile, CompiledFunction, Create, Script, SharedVariable
from theanodiag.memory.settings import AllocatorKind, MemorySettings
from theanodiag.memory.simulate import simulate
from theanodiag.plans import advice
from theanodiag.plans.advice import advise
from theanodiag.plans.batch import BatchPlan, plan, with_micro
from theanodiag.plans.batch_axes import find, is_feature, is_recurrence, named, time_axes
from theanodiag.plans.resize import ArgumentAxis, SharedAxis, WhatIf, label, length
from theanodiag.rules.examples import data_script, dot_script, picture_script, subject, trained_script
from theanodiag.shapes import infer

X = ArgumentAxis(0, 0, 0)


def planned(script: Script, available: int) -> BatchPlan:
    """The plan for a device of that size without a cache, so that every byte counts."""
    settings = MemorySettings(preallocate=-1.0, free_bytes=available)
    what_if = WhatIf(script)
    found = plan(what_if, settings, simulate(script, settings))
    assert isinstance(found, BatchPlan)
    return with_micro(what_if, settings, found)


def tried(script: Script, batch: int, available: int) -> bool:
    """Whether a batch fits."""
    changed = WhatIf(script).with_lengths({X: batch})
    assert not isinstance(changed, Unknown)
    return simulate(changed, MemorySettings(preallocate=-1.0, free_bytes=available)).fits is True


@pytest.mark.parametrize("available", [30_000, 100_000, 345_678, 500_000])
def test_it_is_the_largest_of_all(available: int) -> None:
    """Each batch from 1 to that of the script, tried."""
    script = trained_script(300, 50)
    fitting = [b for b in range(1, 301) if tried(script, b, available)]
    found = planned(script, available)
    assert found.largest == (max(fitting) if max(fitting) < 300 else found.largest)
    assert found.monotone
    assert found.largest is not None
    assert tried(script, found.largest, available)
    assert not tried(script, found.largest + 1, available)


def test_where_not_even_one_row_fits_there_is_none() -> None:
    """The weights alone are too large."""
    found = planned(trained_script(300, 50), 9_000)
    assert (found.largest, found.after, found.micro) == (None, None, None)


def test_the_table_has_the_batch_of_the_script_the_largest_and_the_next() -> None:
    """Ascending, with figures that are those of a simulation."""
    script = trained_script(300, 50)
    found = planned(script, 100_000)
    batches = [r.batch for r in found.rows]
    assert found.largest is not None
    assert {300, found.largest, found.largest + 1} <= set(batches)
    assert batches == sorted(batches)
    assert [r.fits for r in found.rows] == [r.batch <= found.largest for r in found.rows]
    whole = simulate(script, MemorySettings(preallocate=-1.0))
    assert next((r.live, r.reserved) for r in found.rows if r.batch == 300) == (whole.live_peak_bytes, whole.reserved_peak_bytes)


def test_micro_batches_divide_the_batch_and_fit_with_their_accumulators() -> None:
    """Parts of equal size; 50 x 50 float32 for the gradient of W, which is 10048 bytes on the device."""
    found = planned(trained_script(300, 50), 100_000)
    assert found.micro is not None
    assert found.largest is not None
    assert 300 % found.micro.batch == 0
    assert found.micro.batch <= found.largest
    assert found.micro.extra == 10_000
    assert found.micro.reserved <= 100_000
    larger = [d for d in range(found.micro.batch + 1, 301) if 300 % d == 0]
    assert not any(tried(trained_script(300, 50), d, 100_000 - 10_048) for d in larger[:1])


@pytest.mark.parametrize("available", range(25_000, 200_000, 12_345))
def test_the_micro_batch_is_the_largest_divisor_of_all(available: int) -> None:
    """Each divisor of 300, tried on a card that has so much less as the gradient of W takes."""
    fitting = [d for d in range(1, 301) if 300 % d == 0 and tried(trained_script(300, 50), d, available - 10_048)]
    found = planned(trained_script(300, 50), available)
    if found.largest is not None and found.largest < 300:
        assert (found.micro.batch if found.micro else 0) == max(fitting, default=0)


def test_a_function_without_parameters_has_no_micro_batches() -> None:
    """There is no gradient to add up."""
    assert planned(dot_script(300, 50), 60_000).micro is None


def test_rows_that_a_function_cuts_out_itself_are_the_batch_where_no_argument_is() -> None:
    """`data[start:stop]`, of 400 bytes a row, with an output of 40 bytes a row."""
    script, settings = data_script(1000, 100), MemorySettings(preallocate=-1.0, free_bytes=406_000)
    (axis,) = find(WhatIf(script), 0)
    assert (label(script, axis), length(script, axis)) == ("rows of data:0", 100)
    found = plan(WhatIf(script), settings, simulate(script, settings))
    assert isinstance(found, BatchPlan)
    assert (found.batch, found.largest) == (100, (406_000 - 404_000) // 40)


def test_numbers_alone_are_no_batch() -> None:
    """A function of nothing that is long."""
    script = dot_script(1, 1)
    assert find(WhatIf(script), 0) == ()


@pytest.mark.parametrize("text", ["x:0", "predict:x:0", "0:x:0", " x:0 "])
def test_axes_by_name(text: str) -> None:
    """Of every function, or of one."""
    assert named(dot_script(10, 20), [text]) == (X,)


@pytest.mark.parametrize("text", ["y:0", "x:2", "x", "train:x:0", "x:-1", ":0", "a:b:c:0"])
def test_axes_that_are_not_there(text: str) -> None:
    """Told with what there is."""
    with pytest.raises(UsageError):
        named(dot_script(10, 20), [text])


@functools.cache
def unlimited() -> BatchPlan | Unknown | None:
    """A plan for the host."""
    script, settings = dot_script(100, 20), MemorySettings(preallocate=-1.0)
    return plan(WhatIf(script), settings, simulate(script, settings), (X,))


def test_without_a_device_there_is_a_table_and_no_largest() -> None:
    """Everything fits."""
    found = unlimited()
    assert isinstance(found, BatchPlan)
    assert found.largest is None
    assert [r.batch for r in found.rows] == [1, 50, 100, 200]


def test_the_features_of_one_row_are_no_batch() -> None:
    """`dot(x, W)` of one row: 300 columns could be fewer, with fewer rows of the weights."""
    assert find(WhatIf(dot_script(1, 300)), 0) == ()


@pytest.mark.parametrize(("pictures", "found"), [(8, "x:0"), (1, "")])
def test_height_and_width_are_no_batch(pictures: int, found: str) -> None:
    """Pictures of 16 x 16 with kernels of 3 x 3, padded."""
    b = GraphBuilder("features")
    kind = tensor(None, None, None, None)
    x, w = b.argument("x", kind), b.constant(tensor(4, 1, 3, 3))
    conv = Op(
        "CorrMM", "CorrMM{half, (1, 1), (1, 1), 1 False}", params={"border_mode": "half", "subsample": [1, 1], "filter_dilation": [1, 1]}
    )
    graph = b.build(b.apply(conv, [x, w], kind))
    table = infer(graph, {x: (pictures, 1, 16, 16)})
    call = Call(0, (CallInput(x, "x", "float32", table.shape(x)),), table)
    script = Script({}, (CompiledFunction(0, "features", graph),), (Compile(0), call))
    assert ",".join(label(script, a) for a in find(WhatIf(script), 0)) == found


@pytest.mark.parametrize("pictures", [1, 8])
def test_channels_are_no_batch(pictures: int) -> None:
    """Of pictures with three channels, which the kernels have too, as a shared variable that could be cut."""
    script = picture_script(16, pictures)
    assert [label(script, a) for a in find(WhatIf(script), 0)] == ["x:0"] * (pictures > 1)


def transposed_script(pictures: int) -> Script:
    """`conv2d(x, W)` as Theano computes it for many pictures: as the gradient of kernels, of both operands transposed."""
    b, images = GraphBuilder("features"), on_device(None, None, None, None)
    x, w = b.argument("x", images), b.shared("W", images)
    turned = Op("GpuDimShuffle", "GpuDimShuffle{1,0,2,3}", params={"new_order": [1, 0, 2, 3]}, view_map={0: (0,)})
    params = {"border_mode": "valid", "subsample": [1, 1], "filter_dilation": [1, 1]}
    parts = [b.apply(turned, [v], images) for v in (x, w)]
    h = b.apply(Op("GpuCorrMM_gradWeights", "GpuCorrMM_gradWeights", params=params), parts, images)
    out = b.apply(Op("GpuCAReduceCuda", "GpuCAReduceCuda{add}", params={"axis": [0, 1, 2, 3]}), [h], on_device())
    graph = b.build(out)
    table = infer(graph, {x: (pictures, 3, 16, 16), w: (4, 3, 3, 3)})
    (shared,) = (i.shared for i in graph.inputs if i.shared is not None)
    events = (Create(shared, (4, 3, 3, 3)), Compile(0), Call(0, (CallInput(x, "x", "float32", table.shape(x)),), table))
    return Script({shared: SharedVariable(shared, "W", images)}, (CompiledFunction(0, "features", graph),), events)


@pytest.mark.parametrize("pictures", [1, 8])
def test_the_batch_of_a_transposed_convolution_is_found(pictures: int) -> None:
    """Its second axis is the batch; the channels of one picture are none, in this form either."""
    script = transposed_script(pictures)
    assert [label(script, a) for a in find(WhatIf(script), 0)] == ["x:0"] * (pictures > 1)


def chained_script(rows: int, table: bool) -> Script:
    """`function([x], x.sum(), updates=[(chain, tanh(chain))])`; `table`: it is read at some rows, not whole."""
    b, matrix = GraphBuilder("train"), tensor(None, None)
    x, chain = b.argument("x", matrix), b.shared("chain", matrix)
    out = b.apply(Op("Sum", "Sum", params={"axis": None}), [x], tensor())
    if table:
        ids = b.constant(tensor(3, dtype="int64"), (0, 1, 2))
        b.apply(Op("AdvancedSubtensor1", "AdvancedSubtensor1"), [chain, ids], tensor(3, None))
    b.update(chain, b.apply(Op("Elemwise", "Elemwise{tanh}", params={"scalar_op": "Tanh"}), [chain], matrix))
    graph = b.build(out)
    table_of_shapes = infer(graph, {x: (rows, 5), chain: (rows, 7)})
    call = Call(0, (CallInput(x, "x", "float32", (rows, 5)),), table_of_shapes)
    (shared,) = (i.shared for i in graph.inputs if i.shared is not None)
    events = (Create(shared, (rows, 7)), Compile(0), call)
    return Script({shared: SharedVariable(shared, "chain", matrix)}, (CompiledFunction(0, "train", graph),), events)


@pytest.mark.parametrize(("table", "axes"), [(False, ["x:0", "chain:0"]), (True, ["x:0"])])
def test_a_chain_with_as_many_rows_belongs_to_the_batch(table: bool, axes: list[str]) -> None:
    """What a sampler leaves to its next call has a row for each row of data; a table of words has as many by chance. No micro-batch."""
    script = chained_script(300, table)
    assert [label(script, a) for a in find(WhatIf(script), 0)] == axes
    settings = MemorySettings(preallocate=-1.0, free_bytes=10_000)
    what_if = WhatIf(script)
    found = plan(what_if, settings, simulate(script, settings))
    assert table or (isinstance(found, BatchPlan) and found.largest is not None and with_micro(what_if, settings, found).micro is None)


@pytest.mark.parametrize("available", [200_000, 500_000])
def test_the_largest_picture_is_the_largest_of_all(available: int) -> None:
    """Each side from 32 to 128, tried."""
    script, settings = picture_script(128), MemorySettings(preallocate=-1.0, free_bytes=available)
    sides = [ArgumentAxis(0, 0, 2), ArgumentAxis(0, 0, 3)]
    changed = {n: WhatIf(script).with_lengths(dict.fromkeys(sides, n)) for n in range(32, 129)}
    fitting = [n for n, s in changed.items() if isinstance(s, Script) and simulate(s, settings).fits is True]
    found = advice.plan(WhatIf(script), settings, simulate(script, settings))
    assert found is not None
    assert (found.kind, list(found.plan.axes), found.plan.largest) == ("pictures", sides, max(fitting))


def test_smaller_pictures_are_told_beside_a_flag() -> None:
    """Of pictures that grow from call to call the cache keeps a block each; a flag helps, and so do smaller pictures."""
    calls = [next(e for e in picture_script(side).events if isinstance(e, Call)) for side in (500, 800, 900)]
    script = picture_script(500)
    script = dataclasses.replace(script, events=(*(e for e in script.events if not isinstance(e, Call)), *calls))
    settings = MemorySettings(free_bytes=90_000_000)
    found = advise(script, settings, simulate(script, settings))
    assert found.uncached is not None
    assert found.shorter is not None
    assert found.shorter.plan.largest == 800


def test_a_search_that_ends_early_does_not_call_it_the_largest() -> None:
    """Batches above a million are not tried: the row after the last that was tried tells."""
    found = planned(dot_script(10, 1), 1 << 40)
    assert found.capped
    assert not planned(trained_script(300, 50), 100_000).capped


def sliced_script(batch: int, reshape: bool) -> Script:
    """`dot(data[i * batch:(i + 1) * batch], W)`, reshaped to (`batch`, 10) on the way if asked."""
    b = GraphBuilder("train")
    number = tensor(dtype="int64")
    i, data = b.argument("i", number), b.shared("data", tensor(None, None))
    size, one = b.constant(number, batch), b.constant(number, 1)
    times = Op("Elemwise", "Elemwise{mul}", params={"scalar_op": "Mul"})
    start = b.apply(times, [i, size], number)
    end = b.apply(times, [b.apply(Op("Elemwise", "Elemwise{add}", params={"scalar_op": "Add"}), [i, one], number), size], number)
    ends = [b.apply(Op("ScalarFromTensor", "ScalarFromTensor"), [v], tensor(dtype="int64", kind=TypeKind.SCALAR)) for v in (start, end)]
    cut = Op("Subtensor", "Subtensor{int64:int64:}", params={"idx_list": [{"slice": ["i", "i", None]}]}, view_map={0: (0,)})
    rows = b.apply(cut, [data, *ends], tensor(None, None))
    if reshape:
        shape = b.constant(tensor(2, dtype="int64"), (batch, 10))
        rows = b.apply(Op("Reshape", "Reshape{2}", params={"ndim": 2}), [rows, shape], tensor(None, None))
    out = b.apply(Op("Dot22", "Dot22"), [rows, b.constant(tensor(10, 5))], tensor(None, 5))
    graph = b.build(out)
    table = infer(graph, {i: (), data: (1000, 10)}, {i: 2})
    call = Call(0, (CallInput(i, "i", "int64", (), 2),), table)
    shared = {data: SharedVariable(data, "data", graph.variables[data].type)}
    return Script(shared, (CompiledFunction(0, "train", graph),), (Create(data, (1000, 10)), Compile(0), call))


@pytest.mark.parametrize(("batch", "reshape"), [(100, False), (100, True), (10, True)])
def test_a_batch_that_is_written_into_the_graph(batch: int, reshape: bool) -> None:
    """The constants of slices and reshapes change with the batch: so do all sizes that are computed from them. Ten features do not."""
    script = sliced_script(batch, reshape)
    axes = find(WhatIf(script), 0)
    assert [(label(script, a), length(script, a)) for a in axes] == [("rows of data:0", batch)]
    changed = WhatIf(script).with_lengths({axes[0]: 4})
    assert isinstance(changed, Script)
    assert changed.calls(0)[0].shapes.shape(script.functions[0].graph.outputs[0]) == (4, 5)
    assert changed.events[0] == script.events[0]


def test_the_batch_of_a_chunk_is_not_the_chunk() -> None:
    """Who names the chunk is given the rows that the function cuts out of it."""
    script = sliced_script(100, False)
    (axis,) = named(script, ["data:0"])
    assert (label(script, axis), length(script, axis)) == ("rows of data:0", 100)


@pytest.mark.parametrize(("script", "weights"), [(sliced_script, True), (chained_script, False)])
def test_the_columns_of_a_table_are_no_batch(script: Callable[[int, bool], Script], weights: bool) -> None:
    """Not where nothing updates it: a state that is replaced may have the batch second."""
    made = script(100, False)
    (shared,) = made.shared
    assert is_feature(made, (ArgumentAxis(0, 0, 1), SharedAxis(shared, 1))) is weights
    assert not is_feature(made, (ArgumentAxis(0, 0, 0), SharedAxis(shared, 0)))


def several_rows_script(way: str, batch: int) -> Script:
    """Words of sequences `x` (batch, 20, 10) that are scored beside flattened classes `y`; or three rows of `x` for each of the batch."""
    b, matrix, words = GraphBuilder("train"), tensor(None, None), way == "flattened"
    x, weights = b.argument("x", tensor(*[None] * (2 + words))), b.constant(tensor(10, 5))
    lengths = (-1, 10) if words else (-1, 3, 5)
    shape, kind = b.constant(tensor(len(lengths), dtype="int64"), lengths), tensor(*[None] * len(lengths))
    reshape, dot = Op("Reshape", f"Reshape{{{len(lengths)}}}"), Op("Dot22", "Dot22")
    if words:
        y, name = b.argument("y", tensor(None, dtype="int32")), "CrossentropySoftmaxArgmax1HotWithBias"
        scores = b.apply(dot, [b.apply(reshape, [x, shape], kind), weights], matrix)
        kinds = [tensor(None), matrix, tensor(None, dtype="int32")]
        out = b.apply_many(Op(name, name), [scores, b.constant(tensor(5)), y], kinds)[0]
        inputs = {x: (batch, 20, 10), y: (20 * batch,)}
    else:
        rows = b.apply(reshape, [b.apply(dot, [x, weights], matrix), shape], kind)
        out = b.apply(Op("Sum", "Sum{axis=[1]}", params={"axis": [1]}), [rows], matrix)
        inputs = {x: (3 * batch, 10)}
    graph = b.build(out)
    table = infer(graph, inputs)
    call = Call(0, tuple(CallInput(v, None, graph.variables[v].type.dtype or "", s) for v, s in inputs.items()), table)
    return Script({}, (CompiledFunction(0, "train", graph),), (Compile(0), call))


@pytest.mark.parametrize(
    ("way", "axes_as_text", "texts"),
    [("flattened", "x:0, y:0 (20 rows for each)", ["x:0", "y:0"]), ("triplets", "x:0 (3 rows for each)", [])],
)
def test_several_rows_for_each_of_the_batch(way: str, axes_as_text: str, texts: list[str]) -> None:
    """Targets flattened to steps x rows, and triplets that a reshape makes, change by so many rows at once."""
    script = several_rows_script(way, 8)
    axes = find(WhatIf(script), 0)
    assert (", ".join(label(script, a) for a in axes), {length(script, a) for a in axes}) == (axes_as_text, {8})
    assert not texts or named(script, texts) == axes
    changed = WhatIf(script).with_lengths(dict.fromkeys(axes, 5))
    assert isinstance(changed, Script)
    out = script.functions[0].graph.outputs[0]
    assert changed.calls(0)[0].shapes.shape(out) == several_rows_script(way, 5).calls(0)[0].shapes.shape(out)


def test_a_state_of_the_batch_is_no_reason_for_another_batch() -> None:
    """A recommender: rows `x` beside a state that is replaced, and items `y` that are free to have any number."""
    b, matrix, dot = GraphBuilder("train"), tensor(None, None), Op("Dot22", "Dot22")
    x, y, state = b.argument("x", matrix), b.argument("y", matrix), b.shared("H", matrix)
    add = Op("Elemwise", "Elemwise{add}", params={"scalar_op": "Add"})
    total = Op("Sum", "Sum", params={"axis": None})
    rows, old = (b.apply(dot, [v, b.constant(tensor(n, 4))], matrix) for v, n in ((x, 3), (state, 4)))
    new = b.apply(add, [rows, old], matrix)
    items = b.apply(dot, [y, b.constant(tensor(5, 2))], matrix)
    b.update(state, new)
    graph = b.build(b.apply(total, [new], tensor()), b.apply(total, [items], tensor()))
    lengths = {x: (256, 3), y: (1280, 5)}
    call = Call(0, tuple(CallInput(v, None, "float32", s) for v, s in lengths.items()), infer(graph, {**lengths, state: (256, 4)}))
    events = (Create(state, (256, 4)), Compile(0), call)
    script = Script({state: SharedVariable(state, "H", matrix)}, (CompiledFunction(0, "train", graph),), events)
    assert [label(script, a) for a in find(WhatIf(script), 0)] == ["x:0", "H:0"]
    found = only("TD303", subject(script, dataclasses.replace(HOST, free_bytes=45_000)))
    assert "(x:0, H:0 of train), now 256, with y:0 (1280) as now: " in found.message


@pytest.mark.parametrize(("rows", "columns", "largest"), [(300, 20, 187), (299, 20, 187), (300, 300, None)])
def test_a_batch_that_is_written_in_the_step_of_a_loop(rows: int, columns: int, largest: int | None) -> None:
    """A new array in each step, with as many rows as the batch has, changes with it; unknown if another axis has that length too."""
    step, number, matrix = GraphBuilder("step"), tensor(dtype="int64"), tensor(None, None)
    inner = step.build(step.apply(Op("AllocEmpty", "AllocEmpty"), [step.constant(number, rows), step.constant(number, 7)], matrix))
    b = GraphBuilder("train")
    x = b.argument("x", matrix)
    b.apply(Op("Scan", "scan", inner=inner), [b.constant(number, 5)], tensor(None, None, None))
    graph = b.build(b.apply(Op("Elemwise", "Elemwise{tanh}", params={"scalar_op": "Tanh"}), [x], matrix))
    call = Call(0, (CallInput(x, "x", "float32", (300, columns)),), infer(graph, {x: (300, columns)}))
    script = Script({}, (CompiledFunction(0, "train", graph),), (Compile(0), call))
    settings = MemorySettings(AllocatorKind.DIRECT, free_bytes=30_000)
    found = plan(WhatIf(script), settings, simulate(script, settings))
    assert isinstance(found, BatchPlan) or found == Unknown("300 is written in the step of a loop too")
    assert (found.largest if isinstance(found, BatchPlan) else None) == largest


@pytest.mark.parametrize("columns", [20, 21])
def test_a_call_that_fails_anyway_is_no_reason_for_other_incompatible_lengths(columns: int) -> None:
    """x and y are added: one of them alone cannot be shorter, whether or not another product of the call is impossible."""
    b, matrix = GraphBuilder("train"), tensor(None, None)
    x, y, w = b.argument("x", matrix), b.argument("y", matrix), b.argument("w", matrix)
    both = b.apply(Op("Elemwise", "Elemwise{add}", params={"scalar_op": "Add"}), [x, y], matrix)
    graph = b.build(both, b.apply(Op("Dot22", "Dot22"), [x, w], matrix))
    shapes = {x: (300, 20), y: (300, 20), w: (columns, 5)}
    inputs = tuple(CallInput(v, "xyw"[k], "float32", s) for k, (v, s) in enumerate(shapes.items()))
    call = Call(0, inputs, infer(graph, shapes))
    script = Script({}, (CompiledFunction(0, "train", graph),), (Compile(0), call))
    assert isinstance(WhatIf(script).with_lengths({X: 299}), Unknown)
    assert not isinstance(WhatIf(script).with_lengths({X: 299, ArgumentAxis(0, y, 0): 299}), Unknown)


def loop_script(recurrent: bool) -> Script:
    """A Scan over the 100 rows of `x`, which adds each to the sum of those before it, or takes tanh of each (`theano.map`)."""
    matrix, vector, number = tensor(None, None), tensor(None), tensor(dtype="int64")
    add, tanh = (Op("Elemwise", f"Elemwise{{{n.lower()}}}", params={"scalar_op": n}) for n in ("Add", "Tanh"))
    step, b = GraphBuilder("step"), GraphBuilder("f")
    row, x = step.argument(None, vector), b.argument("x", matrix)
    steps = b.apply(Op("Shape_i", "Shape_i{0}", params={"i": 0}), [x], number)
    if recurrent:
        out, info = step.apply(add, [row, step.argument(None, vector)], vector), scan_counts(n_seqs=1, sit_sot_in_slices=[[-1]])
        states = b.apply(add, [steps, b.constant(number, 1)], number)
        inputs = [steps, x, b.apply(Op("AllocEmpty", "AllocEmpty"), [states, b.constant(number, 4)], matrix)]
    else:
        out, info, inputs = step.apply(tanh, [row], vector), scan_counts(n_seqs=1, n_nit_sot=1), [steps, x, steps]
    graph = b.build(b.apply(Op("Scan", "for{cpu,scan_fn}", inner=step.build(out, info=info)), inputs, matrix))
    call = Call(0, (CallInput(x, "x", "float32", (100, 4)),), infer(graph, {x: (100, 4)}))
    return Script({}, (CompiledFunction(0, "f", graph),), (Compile(0), call))


@pytest.mark.parametrize("recurrent", [True, False])
def test_the_time_of_a_recurrence_is_no_batch(recurrent: bool) -> None:
    """Parts of a sequence have other states than the whole; the steps of a map are rows, each for itself."""
    what_if = WhatIf(loop_script(recurrent))
    assert is_recurrence(what_if, (X,)) is recurrent
    assert time_axes(what_if, 0) == (X,)
    assert X not in find(what_if, 0)


def test_pictures_that_a_net_halves_are_made_smaller_by_two_pixels() -> None:
    """The sum of the even and of the odd rows and columns exists for even sides alone."""
    b, images, number = GraphBuilder("features"), on_device(None, None, None, None), tensor(dtype="int64", kind=TypeKind.SCALAR)
    x, whole = b.argument("x", images), {"slice": [None, None, None]}
    one, two = b.constant(number, 1), b.constant(number, 2)
    every_second, from_one = {"slice": [None, None, "i"]}, {"slice": ["i", None, "i"]}
    even = b.apply(Op("GpuSubtensor", "even", params={"idx_list": [whole, whole, *[every_second] * 2]}), [x, two, two], images)
    odd = b.apply(Op("GpuSubtensor", "odd", params={"idx_list": [whole, whole, *[from_one] * 2]}), [x, one, two, one, two], images)
    both = b.apply(Op("GpuElemwise", "GpuElemwise{add}", params={"scalar_op": "Add"}), [even, odd], images)
    w = b.constant(on_device(16, 3, 1, 1))
    conv = Op("GpuCorrMM", "GpuCorrMM", params={"border_mode": "valid", "subsample": [1, 1], "filter_dilation": [1, 1]})
    graph = b.build(b.apply(conv, [both, w], images))
    shape = (1, 3, 128, 128)
    call = Call(0, (CallInput(x, "x", "float32", shape),), infer(graph, {x: shape}))
    script = Script({}, (CompiledFunction(0, "features", graph),), (Compile(0), call))
    settings = MemorySettings(preallocate=-1.0, free_bytes=300_000)
    found = advice.plan(WhatIf(script), settings, simulate(script, settings))
    assert found is not None
    assert [length(script, a) for a in found.plan.axes] == [64, 64]
    sides = [dataclasses.replace(a, multiple=1) for a in found.plan.axes if isinstance(a, ArgumentAxis)]
    smaller = {n: WhatIf(script).with_lengths(dict.fromkeys(sides, n)) for n in range(32, 129)}
    fitting = [n for n, s in smaller.items() if isinstance(s, Script) and simulate(s, settings).fits is True]
    assert 2 * (found.plan.largest or 0) == max(fitting) < 126
