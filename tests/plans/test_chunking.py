"""Which shared variables can be cut, decided from their clients; the largest chunk, beside trying all of them."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from tests.interpreters import find
from theanodiag.capture.model import visible_gpu
from theanodiag.capture.runner import run_script
from theanodiag.devices import by_name
from theanodiag.ir import FunctionGraph, Op, Site, TypeKind, Unknown
from theanodiag.ir.builder import GraphBuilder, on_device, tensor
from theanodiag.memory.script import Call, CallInput, Compile, CompiledFunction, Create, Script, SharedVariable
from theanodiag.memory.settings import MemorySettings
from theanodiag.memory.simulate import simulate
from theanodiag.plans.advice import advise
from theanodiag.plans.cells import in_cells, joined
from theanodiag.plans.chunking import reallocation
from theanodiag.plans.chunking.clients import CutKind, reads
from theanodiag.plans.chunking.code import Argument, arguments_of, code
from theanodiag.plans.chunking.plan import ChunkPlan, Chunks, Cuttable, plan
from theanodiag.plans.resize import SharedAxis, WhatIf
from theanodiag.rules.examples import data_script, larger_value_script, trained_script
from theanodiag.shapes import infer

MATRIX = on_device(None, None)
HOST = tensor(None, None)
INDEX = tensor(dtype="int64", kind=TypeKind.SCALAR)
SLICE = {"idx_list": [{"slice": ["i", "i", None]}]}
DOT, TO_HOST = Op("GpuDot22", "GpuDot22"), Op("HostFromGpu", "HostFromGpu")
TANH = Op("GpuElemwise", "GpuElemwise{tanh}", params={"scalar_op": "Tanh"})
CAST = Op("GpuElemwise", "GpuElemwise{Cast{float32}}", params={"scalar_op": "Cast"})

Uses = Callable[[GraphBuilder, int], int]


def sliced(b: GraphBuilder, v: int, **idx: object) -> int:
    """`v[start:stop]`."""
    ends = [b.argument(n, INDEX) for n in ("start", "stop")]
    return b.apply(Op("GpuSubtensor", "GpuSubtensor", params=idx or SLICE), [v, *ends], MATRIX)


def fixed(b: GraphBuilder, v: int) -> int:
    """`v[0:100]`."""
    ends = [b.constant(INDEX, n) for n in (0, 100)]
    return b.apply(Op("GpuSubtensor", "GpuSubtensor", params=SLICE), [v, *ends], MATRIX)


def one_row(b: GraphBuilder, v: int) -> int:
    """`v[i]`."""
    return b.apply(Op("GpuSubtensor", "GpuSubtensor", params={"idx_list": ["i"]}), [v, b.argument("i", INDEX)], on_device(None))


def by_number(b: GraphBuilder, v: int) -> int:
    """`v[numbers]`."""
    return b.apply(Op("GpuAdvancedSubtensor1", "GpuAdvancedSubtensor1"), [v, b.argument("numbers", tensor(None, dtype="int64"))], MATRIX)


def turned(b: GraphBuilder, v: int) -> int:
    """`v.T[:, start:stop]`: rows of v."""
    t = b.apply(Op("GpuDimShuffle", "GpuDimShuffle{1,0}", params={"new_order": [1, 0]}), [v], MATRIX)
    return sliced(b, t, idx_list=[{"slice": [None, None, None]}, {"slice": ["i", "i", None]}])


def columns(b: GraphBuilder, v: int) -> int:
    """`v[:, start:stop]`: all rows."""
    return sliced(b, v, idx_list=[{"slice": [None, None, None]}, {"slice": ["i", "i", None]}])


def factor(b: GraphBuilder, v: int) -> int:
    """`dot(x, v)`."""
    return b.apply(DOT, [b.argument("x", MATRIX), v], MATRIX)


def summed(b: GraphBuilder, v: int) -> int:
    """`v.sum(axis=0)`."""
    return b.apply(Op("GpuCAReduceCuda", "sum", params={"axis": [0]}), [v], on_device(None))


def graph_of(use: Uses) -> FunctionGraph:
    """A function that uses shared variable 7 in one way."""
    b = GraphBuilder("f")
    v = b.shared("v", MATRIX, 7)
    out = use(b, v)
    return b.build(b.apply(TO_HOST, [out], tensor(*b.variables[out].type.shape)))


def script_of(graph: FunctionGraph) -> Script:
    """A script with that function."""
    return Script({7: SharedVariable(7, "v", MATRIX)}, (CompiledFunction(0, "f", graph),), ())


@pytest.mark.parametrize(
    ("use", "axis", "way"),
    [
        (sliced, 0, CutKind.ROWS),
        (one_row, 0, CutKind.ROWS),
        (by_number, 0, CutKind.ROWS),
        (turned, 0, CutKind.ROWS),
        (columns, 1, CutKind.ROWS),
        (lambda b, v: sliced(b, b.apply(CAST, [v], MATRIX)), 0, CutKind.ROWS),
        (factor, 1, CutKind.OUTPUT),
        (factor, 0, CutKind.INNER),
        (lambda b, v: b.apply(TANH, [factor(b, v)], MATRIX), 1, CutKind.OUTPUT),
    ],
)
def test_reads_that_leave_it_cuttable(use: Uses, axis: int, way: CutKind) -> None:
    """Slices, single rows, rows by number, through casts and transposes; factors of products along both axes."""
    found = reads(script_of(graph_of(use)), 7, axis)
    assert not isinstance(found, Unknown), found.reason
    assert [r.way for r in found] == [way]


@pytest.mark.parametrize(
    ("use", "axis", "why"),
    [
        (fixed, 0, "same rows"),
        (summed, 0, "as a whole"),
        (columns, 0, "returns it"),
        (lambda b, v: v, 0, "returns it"),
        (lambda b, v: b.apply(TANH, [v], MATRIX), 0, "as a whole"),
        (by_number, 1, "as a whole"),
        (lambda b, v: b.apply(TANH, [factor(b, v)], MATRIX), 0, "before their parts"),
        (lambda b, v: b.apply(Op("GpuSoftmax", "GpuSoftmax"), [factor(b, v)], MATRIX), 1, "mixes"),
    ],
)
def test_reads_that_stand_against_it(use: Uses, axis: int, why: str) -> None:
    """What reads all of it, or mixes the parts of a product."""
    found = reads(script_of(graph_of(use)), 7, axis)
    assert isinstance(found, Unknown)
    assert why in found.reason


def test_what_is_updated_as_a_whole_is_not_cut() -> None:
    """A parameter, though a function reads its rows."""
    b = GraphBuilder("f")
    v = b.shared("v", MATRIX, 7)
    out = sliced(b, v)
    b.update(v, b.apply(TANH, [v], MATRIX))
    found = reads(script_of(b.build(b.apply(TO_HOST, [out], HOST))), 7, 0)
    assert isinstance(found, Unknown)
    assert "updates" in found.reason


@pytest.mark.parametrize("available", [1_100_000, 3_000_000, 15_000_000])
def test_the_chunk_is_the_largest_multiple_of_the_batch(available: int) -> None:
    """One batch more does not fit; what is said of it adds up."""
    script, settings = data_script(50_000, 500), MemorySettings(preallocate=-1.0, free_bytes=available)
    found = plan(WhatIf(script), settings)
    assert isinstance(found, ChunkPlan)
    (chunks,) = found.chunks
    assert chunks.chunk % 500 == 0
    for length, fits in ((chunks.chunk, True), (chunks.chunk + 500, False)):
        changed = WhatIf(script).with_lengths({SharedAxis(chunks.cut.shared[0], 0): length})
        assert not isinstance(changed, Unknown)
        assert simulate(changed, settings).fits is fits
    assert found.after.reserved_peak_bytes <= available
    assert chunks.chunk_bytes == chunks.chunk * 400
    assert (chunks.loads - 1) * chunks.chunk < 50_000 <= chunks.loads * chunks.chunk


def test_the_code_has_the_chunk_the_batch_and_the_last_chunk_s_place() -> None:
    """In a loop."""
    script, settings = data_script(50_000, 500), MemorySettings(preallocate=-1.0, free_bytes=3_000_000)
    found = plan(WhatIf(script), settings)
    assert isinstance(found, ChunkPlan)
    text, chunk = code(script, found, "aesara"), found.chunks[0].chunk
    assert f"range(0, 50000, {chunk})" in text
    assert f"min(start, {50_000 - chunk})" in text
    assert f"range((start - first) // 500, {chunk // 500})" in text


SHARED = "theano.shared(self.host_data[:{}], borrow=True)"
MADE = """import numpy as np
class Set:
    def __init__(self, rows):
        self.data = theano.shared(np.asarray(rows, 'float32'), borrow=True)
        def more():
            data = theano.shared(rows)
            return data
def epoch():
    for k in range(100):
        train(k * 500, k * 500 + 500)
s = Set(load())
epoch()
"""


@pytest.mark.parametrize(
    ("line", "created", "made"),
    [
        (
            4,
            "self.data",
            ["self.host_data = np.asarray(rows, 'float32')", f"self.data = {SHARED}  # line 4"],
        ),
        (6, "data", ["# by hand: host_data: all of data, as a numpy array;", "#   data itself begins as its first part"]),
    ],
)
def test_the_values_on_the_host_are_those_that_the_script_gives(line: int, created: str, made: list[str]) -> None:
    """Before the variable is created of the first chunk; not where the function that does so keeps them to itself."""
    script, settings = data_script(50_000, 500), MemorySettings(preallocate=-1.0, free_bytes=3_000_000)
    found = plan(WhatIf(script), settings)
    assert isinstance(found, ChunkPlan)
    (number,), chunk = found.chunks[0].cut.shared, found.chunks[0].chunk
    variable = replace(script.shared[number], site=Site("m.py", line), assigned=created)
    events = tuple(replace(e, site=Site("m.py", 10)) if isinstance(e, Call) else e for e in script.events)
    lines = code(replace(script, shared={**script.shared, number: variable}, events=events), found, "theano", MADE).splitlines()
    assert lines[: len(made)] == [text.format(chunk) for text in made]
    assert lines[len(made)].startswith("# in place of the loop in line 9 that calls train;")
    host = "s.host_data" if line == 4 else "host_data"
    assert any(row.endswith(f".set_value({host}[first:first + {chunk}], borrow=True)") for row in lines)


def test_in_a_notebook_the_code_is_that_of_the_cells() -> None:
    """Lines of sites and lines in advice are counted within a cell."""
    script, settings = data_script(50_000, 500), MemorySettings(preallocate=-1.0, free_bytes=3_000_000)
    found = plan(WhatIf(script), settings)
    assert isinstance(found, ChunkPlan)
    (number,), chunk = found.chunks[0].cut.shared, found.chunks[0].chunk
    made, called = "data = theano.shared(rows)", "    train(k * 500, k * 500 + 500)"
    text = joined([(2, "import theano\nrows = load()"), (3, made), (5, f"for k in range(100):\n{called}")])
    variable = replace(script.shared[number], site=Site("m.ipynb, cell 3", 1, code=made), assigned="data")
    at = Site("m.ipynb, cell 5", 2, code=called.strip())
    events = tuple(replace(e, site=at) if isinstance(e, Call) else e for e in script.events)
    lines = in_cells(text, code(replace(script, shared={**script.shared, number: variable}, events=events), found, "theano", text))
    assert lines.splitlines()[:2] == ["host_data = rows", f"data = theano.shared(host_data[:{chunk}])  # line 1 of cell 3"]
    assert "# in place of the loop in line 1 of cell 5 that calls train;" in lines


@pytest.mark.parametrize(
    ("line", "where", "kept"),
    [
        ("losses = [train(k * 500, k * 500 + 500) for k in range(100)]", "list in line 11", "losses"),
        ("print(sum(train(k * 500, k * 500 + 500) for k in range(100)))", "list in line 11", "results"),
        ("train(0, 500)", "loop in line 10", None),
    ],
)
def test_a_list_of_results_stays_one(line: str, where: str, kept: str | None) -> None:
    """What is replaced is the list, and not the loop over epochs around it."""
    script, settings = data_script(50_000, 500), MemorySettings(preallocate=-1.0, free_bytes=3_000_000)
    found = plan(WhatIf(script), settings)
    assert isinstance(found, ChunkPlan)
    text = "import theano\n" * 9 + f"for epoch in range(3):\n    {line}\n"
    events = tuple(replace(e, site=Site("m.py", 11)) if isinstance(e, Call) else e for e in script.events)
    lines = code(replace(script, events=events), found, "theano", text).splitlines()
    assert any(row.startswith(f"# in place of the {where} that calls train; ") for row in lines), lines
    assert (f"{kept} = []" in lines) == bool(kept)
    call = "train(index * 500, (index + 1) * 500)"
    assert lines[-1].strip() == (f"{kept}.append({call})" if kept else call)


def test_parameters_are_refused_with_the_reason() -> None:
    """W of 2000 x 2000 is trained."""
    script = trained_script(10, 2000)
    asked = WhatIf(script)
    assert plan(asked, MemorySettings(free_bytes=1_000_000)) == (("W", "train updates it as a whole"),)
    assert asked.inferred == 0  # nothing can come of a search for what would have to be cut with it


def test_the_search_for_what_can_be_cut_is_bounded() -> None:
    """Nothing is asked after the end, whatever script of a smaller batch is looked at; the limit is that of all of them together."""
    script = whole(lambda b, v: b.apply(TANH, [v], MATRIX), 30_000)
    settings, asked = MemorySettings(preallocate=-1.0, free_bytes=10_000_000), WhatIf(script)
    assert isinstance(plan(asked, settings), ChunkPlan)
    spent = asked.inferred
    assert spent > 0
    assert not isinstance(plan(asked, settings, end=spent), ChunkPlan)
    assert asked.inferred == spent


def test_a_variable_that_grows_fits_where_the_old_value_goes_first() -> None:
    """Without a cache: 16 MB and 25 MB are at once 41, one after the other 25."""
    script = larger_value_script(2000, 2500)
    settings = MemorySettings(preallocate=-1.0, free_bytes=26_000_000)
    assert simulate(script, settings).fits is False
    found = reallocation.plan(script, settings)
    assert found is not None
    sizes = [(g.old, g.new) for g in found.steps]
    assert (found.way, found.after.fits, sizes) == (reallocation.GrowthKind.FREE_FIRST, True, [(16_000_000, 25_000_000)])


@pytest.mark.parametrize("hypothetical", [False, True])
def test_a_flag_of_theano_is_advised_to_theano_alone(hypothetical: bool) -> None:
    """Without libgpuarray there is no gpuarray.preallocate to switch its cache off with."""
    script = larger_value_script(2000, 2400)
    settings = MemorySettings(total_bytes=40_000_000, free_bytes=40_000_000, hypothetical=hypothetical)
    found = advise(script, settings, simulate(script, settings))
    assert (found.uncached is None) == hypothetical
    assert not (hypothetical and found.growth is not None and found.growth.no_cache)


def test_nothing_grows_where_sizes_stay() -> None:
    """No plan."""
    assert reallocation.plan(data_script(1000, 10), MemorySettings(free_bytes=100)) is None


def whole(use: Uses, rows: int) -> Script:
    """A script that calls a function of `rows` rows of shared data once."""
    graph = graph_of(use)
    shapes = {i.variable: (rows, 100) if i.shared else (100, 100) for i in graph.inputs}
    table = infer(graph, shapes)
    inputs = tuple(CallInput(i.variable, "x", "float32", table.shape(i.variable)) for i in graph.inputs if i.shared is None)
    return replace(script_of(graph), events=(Create(7, (rows, 100)), Compile(0), Call(0, inputs, table)))


@pytest.mark.parametrize(("length", "cut"), [(30_000, False), (1, True)])
def test_data_beside_an_array_of_as_many_rows_is_not_cut(length: int, cut: bool) -> None:
    """`(v * alloc(row, 30000, 100)).sum()` with the number in the text: a part of v would not fit to it."""

    def beside(b: GraphBuilder, v: int) -> int:
        one, n, m = b.constant(on_device(), 1.0), b.constant(tensor(dtype="int64"), length), b.constant(tensor(dtype="int64"), 100)
        filled = b.apply(Op("GpuAlloc", "GpuAlloc<None>"), [one, n, m], MATRIX)
        product = b.apply(Op("GpuElemwise", "GpuElemwise{Mul}", params={"scalar_op": "Mul"}), [filled, v], MATRIX)
        return b.apply(Op("GpuCAReduceCuda", "sum", params={"scalar_op": "Add", "axis": [0, 1]}), [product], on_device())

    found = plan(WhatIf(whole(beside, 30_000)), MemorySettings(preallocate=-1.0, free_bytes=16_000_000))
    assert isinstance(found, ChunkPlan) == cut
    assert cut or found == (("v", "f creates arrays of 30000 rows, written there as a number"),)


def test_data_that_is_read_whole_is_cut_into_equal_parts() -> None:
    """`tanh(v)` returned, 30000 rows of 400 bytes: not 12500 rows, as would fit, but 10000."""
    script = whole(lambda b, v: b.apply(TANH, [v], MATRIX), 30_000)
    found = plan(WhatIf(script), MemorySettings(preallocate=-1.0, free_bytes=10_000_000))
    assert isinstance(found, ChunkPlan)
    (chunks,) = found.chunks
    assert (chunks.cut.way, chunks.chunk, chunks.loads) == (CutKind.PARTS, 10_000, 3)
    assert "min(" not in code(script, found, "theano")
    assert found.after.reserved_peak_bytes == 8_000_000


@pytest.mark.parametrize("use", [sliced, turned, by_number])
def test_the_function_that_reads_all_rows_is_called_for_each_part(use: Uses) -> None:
    """Not the one that reads batches by their number, whose loop is the user's; it comes first in the script."""
    script = whole(lambda b, v: b.apply(TANH, [v], MATRIX), 30_000)
    batches, encode = CompiledFunction(0, "train", graph_of(use)), CompiledFunction(1, "encode", script.functions[0].graph)
    both = replace(
        script, functions=(batches, encode), events=(script.events[0], Compile(0), Compile(1), replace(script.events[2], function=1))
    )
    cut = Cuttable((7,), CutKind.PARTS, (SharedAxis(7, 0),), 30_000, 1, 12_000_000)
    lines = code(both, ChunkPlan((Chunks(cut, 10_000),), simulate(script, MemorySettings()), ()), "theano").splitlines()
    assert lines[-2].startswith("    # by hand: call train here for the batches in these 10000 rows")
    assert lines[-1] == "    results.append(encode())"


def test_factors_are_cut_along_the_result_s_own_axis() -> None:
    """`dot(v, x)` with v of 30000 x 100: along the axis that is the result's own, not along the one that is summed over."""
    script = whole(lambda b, v: b.apply(DOT, [v, b.argument("x", MATRIX)], MATRIX), 30_000)
    found = plan(WhatIf(script), MemorySettings(preallocate=-1.0, free_bytes=10_000_000))
    assert isinstance(found, ChunkPlan)
    assert [(c.cut.way, c.chunk) for c in found.chunks] == [(CutKind.OUTPUT, 10_000)]


@pytest.mark.parametrize(("rows", "parts"), [(2000, 1000), (999, None)])
def test_a_small_set_is_cut_if_it_has_many_rows(rows: int, parts: int | None) -> None:
    """800 kB that are read whole; few rows are those of weights."""
    script = whole(lambda b, v: b.apply(TANH, [v], MATRIX), rows)
    found = plan(WhatIf(script), MemorySettings(preallocate=-1.0, free_bytes=600 * rows))
    assert (found.chunks[0].chunk if isinstance(found, ChunkPlan) else None) == parts


def test_nothing_is_cut_that_no_function_reads() -> None:
    """A script that ended before it compiled anything."""
    script = data_script(50_000, 500)
    script = replace(script, functions=(), events=tuple(e for e in script.events if isinstance(e, Create)))
    assert not isinstance(plan(WhatIf(script), MemorySettings(free_bytes=8_000_000, total_bytes=8_000_000)), ChunkPlan)


def test_variables_that_a_loop_creates_have_one_name() -> None:
    """Data of each of two trials: the code is that of one."""
    script, settings = data_script(50_000, 500), MemorySettings(preallocate=-1.0, free_bytes=3_000_000)
    found = plan(WhatIf(script), settings)
    assert isinstance(found, ChunkPlan)
    (c,) = found.chunks
    (number,) = c.cut.shared
    again = SharedVariable(99, script.shared[number].name, script.shared[number].type)
    two = replace(c, cut=replace(c.cut, shared=(number, 99), nbytes=2 * c.cut.nbytes))
    twice = code(replace(script, shared={**script.shared, 99: again}), replace(found, chunks=(two,)), "theano")
    assert twice == code(script, found, "theano")


READ_ROWS = Path(__file__).parent / "scripts" / "read_rows.py"
ARGUMENTS = {
    "numbered": [("i", Argument.INDEX)],
    "bounded": [("a", Argument.START), ("b", Argument.STOP), ("rate", Argument.OTHER)],
    "sized": [("i", Argument.INDEX), ("n", Argument.OTHER)],
    "started": [("short", Argument.START), ("y", Argument.VALUES)],
    "chosen": [("ids", Argument.NUMBERS)],
    "given": [("rate", Argument.OTHER), ("ints", Argument.NUMBERS), ("y", Argument.VALUES)],
    "single": [("i", Argument.INDEX)],
}
CALLS = {
    "numbered": "(index)",
    "bounded": "(index * 50, (index + 1) * 50, rate)",
    "started": "(index * 50, host_y[first + index * 50:first + (index + 1) * 50])",
    "chosen": '(numpy.arange(index * 50, (index + 1) * 50, dtype="int64"))',
}


@pytest.mark.parametrize("gpu", [False, True], ids=["host", "device"])
def test_the_code_calls_functions_with_the_rows_in_their_own_way(gpu: bool) -> None:
    """The number of the batch, its first and last row, the numbers of its rows, values for each of them; other arguments as they are."""
    wanted = visible_gpu(by_name("6 GiB")) if gpu else None
    script = run_script(READ_ROWS, find("theano"), gpu=wanted, stdout=os.open(os.devnull, os.O_WRONLY)).script
    whole = simulate(script, MemorySettings())
    for f in script.functions:
        shared = next(v.id for v in script.shared.values() if v.name == f.name)
        chunks = Chunks(Cuttable((shared,), CutKind.ROWS, (SharedAxis(shared, 0),), 6000, 50, 1_200_000), 600)
        assert [(name, kind) for name, _, kind in arguments_of(script, chunks, f)] == ARGUMENTS[f.name]
        lines = code(script, ChunkPlan((chunks,), whole, ()), "theano").splitlines()
        (call,) = (line.strip() for line in lines if line.strip().startswith(f"{f.name}("))
        assert call == f.name + CALLS.get(f.name, call[len(f.name) :])
    assert {f.name for f in script.functions} == set(ARGUMENTS)
