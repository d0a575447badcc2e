"""What compilers and libraries add to a process of several calls: each is counted once, there or here."""

from __future__ import annotations

from dataclasses import replace

from theanodiag.ir import FunctionGraph, Op
from theanodiag.ir.builder import GraphBuilder, tensor
from theanodiag.memory.script import CompiledFunction, Script
from theanodiag.samplers.compiling import (
    EARLY,
    FLOAT,
    FUSED,
    INTEGER,
    LAPACK,
    LESS,
    NODE,
    NORMAL_VECTOR,
    OTHER,
    SIZES,
    SORTING,
    STRIDED_DOT,
    TEXT,
    first_compiled,
    reused,
)
from theanodiag.samplers.model import OWN_CODE, DrawArray, OwnCode, SamplingCall
from theanodiag.samplers.post_sampling import kept, read_as_numpy
from theanodiag.samplers.process_memory import (
    AGAIN,
    ARVIZ,
    C_MODULES,
    FIRST,
    FURTHER,
    INITIAL,
    JAX,
    MORE_MODULES,
    NUMBA_CODE,
    NUMBA_ITSELF,
    NUTPIE,
    NUTPIE_CODE,
    NUTPIE_FUNCTIONS,
    SINGLE,
    VECTORIZED,
    XLA,
    wholes,
)  # fmt: skip
from theanodiag.samplers.pymc_chains import SMALL
from theanodiag.samplers.simulate import profiles
from theanodiag.units import MIB
from theanodiag.workflows.compose import _first_compiled

CALL = SamplingCall(
    0, "sample", "pymc", "6.4.0", 1000, 500, 4, variables=(DrawArray("a", "free", "float64", ()),),
    imported_bytes=120 * MIB, resident_bytes=130 * MIB,
)  # fmt: skip


def compiled(*calls: SamplingCall) -> list[int]:
    """Bytes of compilers and of what is loaded for them, at each call."""
    found = []
    for whole in wholes(profiles(calls, [{}] * len(calls)), [0] * len(calls)):
        assert whole is not None
        (own,) = (part for part in whole.parts if part.what.startswith("compiled functions"))
        found.append(own.bytes)
    return found


def test_what_was_loaded_meanwhile_is_in_what_the_process_holds() -> None:
    """The run that computes nothing loads numba for its own reasons between two calls: then it is no more of what compilers add."""
    later = replace(CALL, number=1)
    first = NUMBA_ITSELF + NUMBA_CODE
    assert compiled(CALL, later) == [first, first]
    assert compiled(CALL, replace(later, present=("numba",))) == [first, NUMBA_CODE]
    jax = replace(CALL, sampler="numpyro")
    assert compiled(jax, replace(jax, number=1), replace(CALL, number=2, present=("jax", "numpyro"))) == [
        JAX + XLA, JAX + XLA, NUMBA_CODE + NUMBA_ITSELF,
    ]  # fmt: skip
    assert compiled(replace(jax, present=("jax",))) == [XLA]


def test_what_xla_takes_is_measured_where_it_compiled_the_same_programs() -> None:
    """Libraries among it; a later call finds it in what the process holds."""
    call = replace(CALL, sampler="blackjax", compiled_bytes=CALL.resident_bytes and CALL.resident_bytes + 530 * MIB)
    assert compiled(call) == [530 * MIB]
    later = replace(call, number=1, present=("jax",), resident_bytes=660 * MIB, compiled_bytes=690 * MIB)
    assert compiled(call, later) == [530 * MIB, 30 * MIB]
    # What it does not compile: the operations of the log-density at the initial points, one by one, and those of vectorized chains.
    eager = replace(call, single_operations=40)
    assert compiled(eager, replace(later, single_operations=40)) == [530 * MIB + 40 * SINGLE, 30 * MIB + 40 * SINGLE]
    assert compiled(replace(eager, chain_method="vectorized")) == [530 * MIB + 40 * SINGLE + VECTORIZED]


def test_chains_of_numpyro_that_are_not_mapped_over_devices_are_compiled_one_by_one() -> None:
    """Each its own program, and the first point of each operation by operation; blackjax has one program."""
    call = replace(CALL, sampler="numpyro", compiled_bytes=CALL.resident_bytes and CALL.resident_bytes + 400 * MIB, single_operations=8)
    base = 400 * MIB + 8 * SINGLE
    assert compiled(call) == [base]
    assert compiled(replace(call, chains=1)) == [base + INITIAL]
    assert compiled(replace(call, chains=2, sequential=True)) == [base + INITIAL + AGAIN]
    assert compiled(replace(call, chain_method="sequential")) == [base + INITIAL + AGAIN + 2 * FURTHER]
    assert compiled(replace(call, sampler="blackjax", chain_method="sequential")) == [base]


def test_a_log_likelihood_on_several_devices_is_copied_when_it_is_read() -> None:
    """JAX keeps the copy; a script that does nothing with its draws reads none."""
    call = replace(
        CALL,
        sampler="blackjax",
        devices=2,
        log_likelihood=(DrawArray("y", "observed", "float64", (90,)),),
        own_code=(OwnCode(100, MIB, 0),),
    )
    size = 4 * 1000 * 90 * 8
    assert kept(call) == read_as_numpy(call) == size
    assert kept(replace(call, own_code=())) == read_as_numpy(replace(call, devices=1)) == read_as_numpy(replace(call, sampler="pymc")) == 0
    (profile,) = profiles([call], [{}])
    (own,) = (stage for stage in profile.stages if stage.name == OWN_CODE)
    assert {item.what: item.bytes for item in own.amounts}["result: log-likelihood of several devices as numpy's"] == size


def test_llvm_takes_what_was_measured() -> None:
    """How much of its library becomes resident is not the same on each machine, nor of each copy."""
    assert compiled(replace(CALL, llvm_bytes=36 * MIB)) == [(36 + 40) * MIB + NUMBA_CODE]


def test_later_calls_compile_less_c() -> None:
    """What compiling C loads is there then; PyMC 5 compiles by numba for nutpie only."""
    call = replace(CALL, version="5.28.5")
    assert compiled(call, replace(call, number=1), replace(call, number=2)) == [
        C_MODULES, C_MODULES + MORE_MODULES, C_MODULES + 2 * MORE_MODULES,
    ]  # fmt: skip


def test_nutpie_loads_arviz_unless_it_is_there() -> None:
    """Most of what `import nutpie` takes is ArviZ, matplotlib and numba."""
    call = replace(CALL, sampler="nutpie")
    numba = NUMBA_CODE + NUMBA_ITSELF
    assert compiled(call) == [numba + NUTPIE + ARVIZ]
    assert compiled(replace(call, present=("arviz",))) == [numba + NUTPIE]
    assert compiled(replace(call, present=("arviz", "nutpie", "numba"))) == [NUMBA_CODE]
    assert compiled(CALL, replace(call, number=1, present=("arviz",))) == [numba, numba + NUTPIE]


def chain(*ops: Op) -> FunctionGraph:
    """One node after the other."""
    b = GraphBuilder("f")
    v = b.argument("x", tensor(3))
    for op in ops:
        v = b.apply(op, [v], tensor(3))
    return b.build(v)


def test_long_functions_of_nutpie_reuse_memory() -> None:
    """Each function for itself: two of 30 nodes are not one of 60."""
    op = Op("Elemwise", "Elemwise{exp}")
    long, short = chain(*[op] * (EARLY + 20)), chain(*[op] * 30)
    assert reused([long, short, short]) == 20 * LESS
    assert first_compiled([long], set()) - reused([long]) == (EARLY + 20) * NODE - 20 * LESS + SIZES["Elemwise"]


def test_nutpie_compiles_by_numba_for_pymc_5_too() -> None:
    """PyMC 5 itself compiles C; a hierarchical model took 101 MiB more than that."""
    call = replace(CALL, sampler="nutpie", version="5.28.5", present=("numba", "arviz"))
    (whole,) = wholes(profiles([call], [{}]), [0])
    (plain,) = wholes(profiles([replace(call, sampler="pymc")], [{}]), [0])
    assert whole is not None
    assert plain is not None
    parts = {part.what: part.bytes for part in whole.parts}
    assert parts["functions compiled for the first time"] == NUTPIE_CODE
    recorded = replace(call, functions={NUTPIE_FUNCTIONS: (3, 4)})
    (whole,) = wholes(profiles([recorded], [{}]), [70 * MIB])
    assert whole is not None
    assert {part.what: part.bytes for part in whole.parts}["functions compiled for the first time"] == 70 * MIB
    assert "functions compiled for the first time" not in {part.what for part in plain.parts}
    assert compiled(replace(call, present=())) == [C_MODULES + NUMBA_CODE + NUMBA_ITSELF + NUTPIE + ARVIZ]


def test_functions_for_other_lengths_are_shared() -> None:
    """Unless a length is one: it is repeated along that axis."""

    def compiled_for(length: int) -> FunctionGraph:
        return chain(Op("FusedElemwise", "FusedElemwise{}", params={"input_types": [f"Matrix(float64, shape=({length}, 10))", "float64"]}))

    done: set[object] = set()
    assert first_compiled([compiled_for(2)], done) > 2 * NODE
    assert first_compiled([compiled_for(3)], done) == NODE
    assert first_compiled([compiled_for(1)], done) > NODE


def test_constants_are_written_into_the_code() -> None:
    """Each number of an array of at most a million bytes; a larger array is read where it is."""

    def product(length: int, dtype: str = "float64") -> int:
        b = GraphBuilder("f")
        v = b.apply(Op("Mul", "Mul"), [b.argument("x", tensor(length)), b.constant(tensor(length, dtype=dtype))], tensor(length))
        return first_compiled([b.build(v)], set()) - NODE - OTHER

    assert product(90_000) == 90_000 * FLOAT
    assert product(90_000, "int64") == 90_000 * INTEGER
    assert product(150_000) == 0


def test_a_draw_of_a_normal_vector_decomposes_its_covariance() -> None:
    """37.7 MiB; a normal number 5."""
    text = "[MvNormalRV{name='multivariate_normal', signature='(n),(n,n)->(n)'}]"
    assert first_compiled([chain(Op("RandomVariableWithCoreShape", text))], set()) == NORMAL_VECTOR + NODE
    assert first_compiled([chain(Op("RandomVariableWithCoreShape", '[normal_rv{"(),()->()"}]'))], set()) == 5 * MIB + NODE


def test_the_first_run_compiles_by_the_graphs() -> None:
    """A Scan has the nodes of its loop beside it; copies are not compiled, and what is alike, in this function or an earlier one, once."""
    fused, other = Op("FusedElemwise", "FusedElemwise{}"), Op("Subtensor", "Subtensor{0}")
    loop = chain(Op("Elemwise", "Elemwise{exp}"), other)
    graph = chain(fused, fused, other, Op("DeepCopyOp", "DeepCopyOp"), Op("Scan", "Scan{}", inner=loop))
    size = SIZES["FusedElemwise"] + FUSED + SIZES["Subtensor"] + SIZES["Scan"] + SIZES["Elemwise"]
    done: set[object] = set()
    assert first_compiled([graph], done) == size + 6 * NODE
    assert first_compiled([graph, chain(Op("Sigmoid", "sigmoid"))], done) == 7 * NODE + OTHER


def test_what_orders_axes_and_what_writes_numbers_into_texts_is_compiled_once() -> None:
    """A sum over rows sorts strides; an Alloc of a number has a text with lengths in it (34.1 MiB measured, and 42.9 of a sum after it)."""
    b = GraphBuilder("f")
    number, matrix = b.argument("a", tensor()), b.argument("x", tensor(3, 3))
    filled = b.apply(Op("Alloc", "Alloc"), [number], tensor(3))
    rows = b.apply(Op("Sum", "Sum{axis=1}"), [matrix], tensor(3))
    columns = b.apply(Op("Sum", "Sum{axis=0}"), [matrix], tensor(3))
    graph = b.build(filled, rows, columns)
    parts = SIZES["SpecifyShape"] + TEXT + SORTING + 2 * 5 * MIB
    assert first_compiled([graph], set()) == parts + 3 * NODE


def test_a_reduction_to_one_number_orders_axes_too() -> None:
    """`ScalarAll` of a matrix (46.5 MiB measured); of a vector there is nothing to order."""

    def compiled_bytes(rank: int) -> int:
        b = GraphBuilder("f")
        return first_compiled(
            [b.build(b.apply(Op("ScalarAll", "ScalarAll{axes=None}"), [b.argument("x", tensor(*[3] * rank))], tensor()))], set()
        )

    assert (compiled_bytes(1), compiled_bytes(2)) == (NODE + OTHER, NODE + SORTING + 5 * MIB)


def test_paths_compile_in_their_workers() -> None:
    """A call of `fit_pathfinder` in worker processes compiles nothing here, unless there are deterministic variables to compute again."""
    call = replace(
        CALL, kind="fit_pathfinder", sampler="pathfinder", parallel=True, cores=2, held=(DrawArray("d", "paths", "float64", (4, 5, 6)),)
    )
    assert compiled(call) == [NUMBA_ITSELF]
    assert (
        compiled(replace(call, functions={"deterministics": (0,)}))
        == compiled(replace(call, parallel=False))
        == [NUMBA_ITSELF + NUMBA_CODE]
    )


def test_a_product_is_compiled_for_each_layout() -> None:
    """The parts that Split returns have any strides, and a product with one takes more (16.2 and 34.2 MiB measured)."""
    b = GraphBuilder("f")
    left, vector, sizes = b.argument("X", tensor(3, 3)), b.argument("v", tensor(3)), b.argument("n", tensor(1))
    expand = Op("DimShuffle", "ExpandDims{axis=1}")
    part = b.apply(Op("Split", "Split{1, axis=0}"), [vector, sizes], tensor(3))
    products = [b.apply(Op("Dot", "dot"), [left, b.apply(expand, [v], tensor(3, 1))], tensor(3, 1)) for v in (vector, part)]
    expected = SIZES["Split"] + TEXT + 2 * SIZES["DimShuffle"] + SIZES["Dot"] + STRIDED_DOT
    assert first_compiled([b.build(*products)], set()) == expected + 5 * NODE


def test_factors_of_matrices_and_functions_within_are_compiled() -> None:
    """The node of a Gaussian process: Cholesky calls LAPACK, by itself and of each matrix; `AllocDiag` has a function within."""
    cholesky, batches = Op("Cholesky", "Cholesky{lower=True}"), Op("Blockwise", "Blockwise{Cholesky{lower=True}, (m,m)->(m,m)}")
    within = chain(Op("AdvancedIncSubtensor", "AdvancedIncSubtensor"))
    graph = chain(cholesky, batches, Op("AllocDiag", "AllocDiag{offset=0}", inner=within))
    size = 2 * LAPACK + SIZES["Blockwise"] + OTHER + SIZES["AdvancedIncSubtensor"]
    assert first_compiled([graph], set()) == size + 4 * NODE


def test_what_reads_a_transpose_is_compiled_for_it() -> None:
    """The type in numba has the layout: x and its transpose are two, and the transpose of that is x again."""
    b = GraphBuilder("f")
    x, transpose = b.argument("x", tensor(3, 3)), Op("DimShuffle", "Transpose{axes=[1, 0]}")
    turned = b.apply(transpose, [x], tensor(3, 3))
    again = b.apply(transpose, [turned], tensor(3, 3))
    products = [b.apply(Op("Dot", "Dot"), [x, v], tensor(3, 3)) for v in (x, turned, again)]
    assert first_compiled([b.build(*products)], set()) == 2 * SIZES["Dot"] + 2 * SIZES["DimShuffle"] + 5 * NODE


def test_what_is_compiled_for_the_first_time_stays() -> None:
    """A part of its own, which grows with the calls; XLA's programs are counted otherwise, and modules in C are."""

    def first(*calls: SamplingCall) -> list[int]:
        found = wholes(profiles(calls, [{}] * len(calls)), [MIB, 2 * MIB][: len(calls)])
        return [sum(part.bytes for part in whole.parts if part.what == FIRST) for whole in found if whole is not None]

    assert first(CALL, replace(CALL, number=1)) == [MIB, 3 * MIB]
    assert first(replace(CALL, version="5.28.5")) == first(replace(CALL, sampler="numpyro")) == [0]


def test_what_the_script_compiles_of_its_draws_is_a_stage() -> None:
    """It is the peak where the call itself holds less, and is there for the next call; numba compiles each node once."""
    call = replace(CALL, compiled_after_bytes=100 * MIB)
    found = profiles((call, replace(CALL, number=1)), [{}, {}])
    assert found[0].peak.name == OWN_CODE
    assert found[1].peak.name != OWN_CODE
    alone = profiles((CALL,), [{}])[0]
    first, second = wholes(found, [MIB, 2 * MIB])
    assert first is not None
    assert second is not None
    assert first.bytes - first.beside_bytes == alone.stages[-1].bytes + 100 * MIB
    assert [part.bytes for part in (*first.parts, *second.parts) if part.what == FIRST] == [MIB, 103 * MIB]


def test_functions_of_the_script_are_counted_where_it_compiles_them() -> None:
    """Those before a call within it, those behind it with what its own code takes."""
    graph = chain(Op("Sigmoid", "sigmoid"))
    functions = tuple(CompiledFunction(i, f"f{i}", graph, linker="numba") for i in range(4))
    calls = replace(CALL, functions={"trace": (1,)}), replace(CALL, number=1, functions={"trace": (3,)})
    nodes = len(graph.applies) * NODE
    assert _first_compiled(calls, Script({}, functions, ())) == ([2 * nodes + OTHER, 0], [nodes, 0])


def test_functions_of_later_calls_take_the_memory_of_those_that_are_gone() -> None:
    """What their nodes took; an Op's own function stays."""
    short, long = chain(Op("Sigmoid", "sigmoid")), chain(*[Op("Sigmoid", "sigmoid")] * 3, Op("Tanh", "tanh"))
    functions = tuple(CompiledFunction(i, f"f{i}", graph, linker="numba") for i, graph in enumerate((short, long, short)))
    calls = tuple(replace(CALL, number=i, functions={"trace": (i,)}) for i in range(3))
    assert _first_compiled(calls, Script({}, functions, ())) == ([NODE + OTHER, 3 * NODE + OTHER, 0], [0, 0, 0])


def test_an_approximation_around_the_optimum_has_what_finds_it_and_its_draws() -> None:
    """`fit_laplace` with 4 parameters: BFGS works in 6 n² + 96 n numbers; the result has n² too, and each draw on both scales."""
    moved = DrawArray("b", "free", "float64", (3,), sampled=True), DrawArray("s_log__", "transformed", "float64", (), sampled=True)
    held = DrawArray("x", "optimized", "float64", (4,)), DrawArray("H", "inverse Hessian", "float64", (4, 4))
    call = SamplingCall(
        0, "fit_laplace", "BFGS", "6.3.2", 1000, 0, 1, variables=(*moved, DrawArray("s", "free", "float64", ())), held=held,
        include_transformed=True, entry="pymc_extras.fit_laplace",
    )  # fmt: skip
    ((found,),) = (profiles((call,), [{"fit": 5000}]),)
    assert [(s.name, s.bytes) for s in found.stages] == [
        ("fitting", 8 * (6 * 16 + 96 * 4) + 128 + 5000 + SMALL),
        ("result", 1000 * (2 * 32 + 2 * 8) + 128),
    ]
