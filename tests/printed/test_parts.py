"""Labels, types, constants and Ops on their own."""

from __future__ import annotations

import pytest

from theanodiag.ir import TypeKind, Unknown
from theanodiag.ops.parameters import groups, literal, split_top
from theanodiag.printed.assemble import derive_maps
from theanodiag.printed.constants import index_map, read_constant
from theanodiag.printed.nodes import parse_label, read_type, split_output, type_of_name
from theanodiag.printed.op_names import looks_like_op, parse_op


def test_all_fields_of_a_label() -> None:
    """Each field behind the id is found."""
    label = parse_label("f.1 [id A] <TensorType(float64, (?, 3))> 'h' d={0: [0]} v={1: [2]} 12 (inner_in_seqs-0)")
    assert label[:5] == ("f.1", "A", "TensorType(float64, (?, 3))", "", "h")
    assert label[5:] == ("{0: [0]}", "{1: [2]}", "12", "", "inner_in_seqs-0")


def test_fields_without_an_id() -> None:
    """The fields are found from the end where no id is printed."""
    label = parse_label("Elemwise{Composite{(i0 < i1)}}  <TensorType(bool, matrix)> ''   7")
    assert (label.text, label.type, label.order, label.name) == ("Elemwise{Composite{(i0 < i1)}}", "TensorType(bool, matrix)", "7", "")


def test_arrow_and_clients() -> None:
    """The first id is the node's own, whatever follows."""
    assert parse_label("A_copy [id CL] -> [id P]").outer == "P"
    assert parse_label("f [id A] ''   0 clients:[('[id B]', 1), ('output', '')]").order == "0"


def test_split_output() -> None:
    """The number of an output is split off; a number with a point is none."""
    assert split_output("Scan{f}.12") == ("Scan{f}", 12)
    assert split_output("x") == ("x", None)


@pytest.mark.parametrize(
    ("text", "kind", "dtype", "shape"),
    [
        ("TensorType(float32, matrix)", TypeKind.TENSOR, "float32", (None, None)),
        ("TensorType(float64, (True, False))", TypeKind.TENSOR, "float64", (1, None)),
        ("TensorType(float64, 4D)", TypeKind.TENSOR, "float64", (None,) * 4),
        ("TensorType(int8, (?, 3))", TypeKind.TENSOR, "int8", (None, 3)),
        ("TensorType(float64, (None,))", TypeKind.TENSOR, "float64", (None,)),
        ("Tensor3(float64, shape=(2, ?, 1))", TypeKind.TENSOR, "float64", (2, None, 1)),
        ("TensorType(float32, shape=(1, 1))", TypeKind.TENSOR, "float32", (1, 1)),
        ("GpuArrayType<dev0>(float16, col)", TypeKind.GPUARRAY, "float16", (None, 1)),
        ("CudaNdarrayType(float32, vector)", TypeKind.CUDANDARRAY, "float32", (None,)),
        ("int64", TypeKind.SCALAR, "int64", ()),
        ("Sparse[float32, csr]", TypeKind.SPARSE, "float32", (None, None)),
        ("SparseTensorType{dtype='float32', format='csr', shape=(None, 5)}", TypeKind.SPARSE, "float32", (None, 5)),
        ("RandomGeneratorType", TypeKind.RANDOM, None, ()),
        ("Wonder(1)", TypeKind.OTHER, None, ()),
    ],
)
def test_types(text: str, kind: TypeKind, dtype: str | None, shape: tuple[int | None, ...]) -> None:
    """Types of every generation are understood, others stay text."""
    found = read_type(text)
    assert (found.kind, found.dtype, found.shape, found.text) == (kind, dtype, shape, text)


def test_nameless_variables() -> None:
    """A nameless Variable is printed as its type."""
    assert type_of_name("*12-<Vector(int64, shape=(1,))>") == "Vector(int64, shape=(1,))"
    assert type_of_name("<__main__.Op object at 0x7f>") is None


@pytest.mark.parametrize(
    ("text", "shape", "value"),
    [
        ("TensorConstant{2}", (), 2), ("Constant{-1}", (), -1), ("TensorConstant{0.5}", (), 0.5), ("True", (), True),
        ("TensorConstant{(2, 1) of 1.0}", (2, 1), ((1.0,), (1.0,))), ("[[1. 2.]]", (1, 2), ((1.0, 2.0),)), ("[0 3]", (2,), (0, 3)),
        ("GpuArrayConstant{[[ 0.5]]}", (1, 1), ((0.5,),)), ("NoneConst{None}", (), None), ("[]", (0,), ()), ("scale{1.5}", (), 1.5),
        ("TensorConstant{(10, 5) of 0.0}", (10, 5), ((0.0,) * 5,) * 10), ("-inf", (), None),
    ],
)  # fmt: skip
def test_constants(text: str, shape: tuple[int, ...], value: object) -> None:
    """Values and shapes of constants are taken from their text."""
    found = read_constant(text)
    assert found is not None
    assert (found.shape, found.value) == (shape, value)


def test_shortened_constants_are_unknown() -> None:
    """A shortened value is not guessed; its number of dimensions is known."""
    found = read_constant("TensorConstant{[    0    ..998 19999]}")
    assert found is not None
    assert found.value is None
    assert len(found.shape) == 1
    assert isinstance(found.shape[0], Unknown)


def test_names_are_no_constants() -> None:
    """A user's name stays a name."""
    assert read_constant("x") is None
    assert read_constant("W1") is None


@pytest.mark.parametrize(
    ("text", "name", "params"),
    [
        ("Elemwise{add,no_inplace}", "Elemwise", {"scalar_op": "Add", "inplace_pattern": {}}),
        ("Elemwise{sub,inplace}", "Elemwise", {"scalar_op": "Sub", "inplace_pattern": {"0": 0}}),
        ("GpuElemwise{Composite{((i0 + i1) * i0)}}[(0, 1)]<gpuarray>", "GpuElemwise",
         {"scalar_op": "Composite", "inplace_pattern": {"0": 1}}),
        ("True_div", "Elemwise", {"scalar_op": "TrueDiv"}),
        ("InplaceDimShuffle{x,0}", "DimShuffle", {"new_order": ["x", 0], "inplace": True}),
        ("ExpandDims{axis=0}", "DimShuffle", {"axis": 0, "inplace": True}),
        ("Sum{axis=[0], acc_dtype=float64}", "Sum", {"axis": [0], "acc_dtype": "float64"}),
        ("Sum{axes=None}", "Sum", {"axis": None}),
        ("Max{axis=1}", "Max", {"axis": [1]}),
        ("Reduce{maximum}{0, 1}", "CAReduce", {"scalar_op": "Maximum", "axis": [0, 1]}),
        ("GpuCAReduceCuda{pre=sqr,red=add}{1}", "GpuCAReduceCuda", {"scalar_op": "Add", "pre": "sqr", "axis": [1]}),
        ("Subtensor{int64:int32:, ::int64, int8}", "Subtensor",
         {"idx_list": [{"slice": ["i", "i", None]}, {"slice": [None, None, "i"]}, "i"]}),
        ("GpuIncSubtensor{InplaceSet;:int64:}", "GpuIncSubtensor",
         {"idx_list": [{"slice": [None, "i", None]}], "inplace": True, "set_instead_of_inc": True}),
        ("SetSubtensor{start:stop}", "IncSubtensor", {"idx_list": [{"slice": ["i", "i", None]}], "set_instead_of_inc": True}),
        ("AdvancedIncSubtensor1{no_inplace,set}", "AdvancedIncSubtensor1", {"inplace": False, "set_instead_of_inc": True}),
        ("forall_inplace,gpu,grad_of_scan_fn}", "Scan",
         {"name": "grad_of_scan_fn", "gpu": True, "as_while": False, "inplace_outputs": "all"}),
        ("do_while{cpu,f}", "Scan", {"name": "f", "gpu": False, "as_while": True, "inplace_outputs": "none"}),
        ("Scan{f, while_loop=True, inplace=all}", "Scan", {"name": "f", "as_while": True, "inplace_outputs": "all"}),
        ("GpuDnnConv{algo='small', inplace=True, num_groups=1}", "GpuDnnConv", {"algo": "small", "inplace": True, "num_groups": 1}),
        ("Reshape{2}", "Reshape", {"ndim": 2}), ("Shape_i{1}", "Shape_i", {"i": 1}), ("Split{3}", "Split", {"len_splits": 3}),
        ("Rebroadcast{?,1,0}", "Rebroadcast", {"axis": {"1": True, "2": False}}),
        ("mrg_uniform{TensorType(float64, matrix),inplace}", "mrg_uniform",
         {"output_type": "TensorType(float64, matrix)", "inplace": True}),
        ("normal_rv{0, (0, 0), floatX, True}", "NormalRV", {"ndim_supp": 0, "inplace": True}),
        ('uniform_rv{"(),()->()"}', "UniformRV", {"signature": "(),()->()"}),
        ("<__main__.GpuRowSwitch object at 0x7f8335f9b810>", "GpuRowSwitch", {}),
        ("Images2Neibs{valid}", "Images2Neibs", {"mode": "valid"}), ("softsign", "ScalarSoftsign", {}),
        ("CumOp{0, add}", "CumOp", {"axis": 0, "mode": "add"}), ("Cumsum{axis=0}", "CumOp", {"axis": 0, "mode": "add"}),
        ("CorrMM{valid, (1, 1), (1, 1), 1 False}", "CorrMM",
         {"border_mode": "valid", "subsample": [1, 1], "num_groups": 1, "unshared": False}),
        ("GpuFromHost<dev0>", "GpuFromHost", {"context_name": "dev0"}), ("dot", "Dot", {}),
    ],
)  # fmt: skip
def test_ops(text: str, name: str, params: dict[str, object]) -> None:
    """Class and parameters come from the text of an Op."""
    found = parse_op(text)
    assert found.name == name
    assert {k: found.params.get(k) for k in params} == params


@pytest.mark.parametrize(
    ("text", "is_op"),
    [
        ("MakeVector{dtype='int64'}", True),
        ("Add", True),
        ("x", False),
        ("W", False),
        ("c{2.0}", True),
        ("SparseVariable{csr,float32}", False),
    ],
)
def test_what_looks_like_an_op(text: str, is_op: bool) -> None:
    """Braces and the names of Elemwise show an Op; constants are asked for before."""
    assert looks_like_op(text) is is_op


@pytest.mark.parametrize(
    ("text", "view", "destroy"),
    [
        ("Elemwise{Mul}[(0, 1)]", {}, {0: (1,)}), ("Gemm{inplace}", {}, {0: (0,)}), ("Gemm{no_inplace}", {}, {}),
        ("GpuGer{inplace=True}", {}, {0: (0,)}), ("ScipyGer{destructive}", {}, {0: (0,)}), ("Reshape{2}", {0: (0,)}, {}),
        ("InplaceDimShuffle{1,0}", {0: (0,)}, {}), ("DimShuffle{1,0}", {}, {}), ("GpuDnnConv{algo='small', inplace=True}", {}, {0: (2,)}),
        ("IncSubtensor{InplaceSet;:int64:}", {}, {0: (0,)}), ("IncSubtensor{Set;:int64:}", {}, {}), ("if{inplace}", {0: (1,)}, {}),
        ("Subtensor{int64}", {0: (0,)}, {}), ("Cholesky{lower=True, overwrite_a=True}", {}, {0: (0,)}), ("Rebroadcast{0}", {0: (0,)}, {}),
    ],
)  # fmt: skip
def test_derived_maps(text: str, view: object, destroy: object) -> None:
    """Views and overwritten inputs follow from the name and the parameters."""
    found = derive_maps(*parse_op(text), 3, 1)
    assert (found.view, found.destroy) == (view, destroy)


def test_maps_stay_within_the_node() -> None:
    """A map never names an input that the node does not have."""
    assert derive_maps("Elemwise", {"inplace_pattern": {"0": 7}}, 2, 1).destroy == {}


def test_literals() -> None:
    """Words, numbers, strings and lists become values, the rest stays text."""
    assert literal("(1, 'a', None, [2.5], True, x)") == [1, "a", None, [2.5], True, "x"]
    assert split_top("a, (b, c), 'd,e'") == ["a", "(b, c)", "'d,e'"]
    assert groups("{a{b}}[(0, 1)]<g>") == [("{", "a{b}"), ("[", "(0, 1)"), ("<", "g")]
    assert index_map("{0: [0], 1: (2, 3)}") == {0: (0,), 1: (2, 3)}
