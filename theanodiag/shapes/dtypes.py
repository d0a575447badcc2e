"""Dtypes of Ops' outputs, for texts that print no types, from the dtypes of the inputs and the Op's parameters.

Sources: `make_node` of the Ops in Theano 1.0.5, Aesara 2.9.4, PyTensor 3.0.7 and 3.3.7.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import reduce

from ..ir.dtype import is_dtype, itemsize, upcast
from ..ops import op_info
from .composite import Expression, InputRef, ScalarCall, program

Dtypes = Sequence["str | None"]
"""Dtypes, None for a literal, which takes the dtype of what it is computed with."""
TRUTH = "bool"
"""Dtype of comparisons; Theano before 1.0 has int8, which is as large."""
_TRUTHS = frozenset({"lt", "gt", "le", "ge", "eq", "neq", "isnan", "isinf", "inrange", "not", "lessthan", "greaterthan"})
_SAME = frozenset(
    {
        "add", "sub", "mul", "neg", "abs", "sqr", "square", "sgn", "sign", "maximum", "minimum", "intdiv", "floordivide", "mod", "pow",
        "identity", "clip", "conj", "and", "or", "xor", "invert", "bitwiseand", "bitwiseor", "bitwisexor", "mean", "roundhalftoeven",
        "roundhalfawayfromzero", "ceil", "floor", "trunc", "composite",
    }
)  # fmt: skip
"""Scalar Ops with integer results for integer arguments; all others make floats."""
_PARTS = frozenset({"abs", "real", "imag", "angle"})
"""Scalar Ops with a real result for a complex argument."""


def scalar_dtype(name: str, dtypes: Dtypes, floatX: str, cast: str | None = None) -> str | None:
    """The dtype of what scalar Op `name` computes; `cast` is the dtype that it is told to make, where one is printed."""
    if is_dtype(cast):
        return cast
    word = _word(name)
    if word in _TRUTHS:
        return TRUTH
    if word.startswith("convertto") and is_dtype(word[9:]):
        return word[9:]
    if word == "second":
        return dtypes[-1] if dtypes else None
    if word == "switch":
        return widest(dtypes[1:])
    found = widest(dtypes)
    if word == "abs" or found is None:
        return _part(found)
    if word in ("truediv", "truedivide") and not _is_real(found):
        return floatX
    return _part(found) if word in _PARTS else found if word in _SAME or _is_real(found) else as_float(found)


def is_truth(name: str) -> bool:
    """Whether a scalar Op has a Boolean result."""
    return _word(name) in _TRUTHS


def _word(name: str) -> str:
    return name.partition("{")[0].replace("_", "").lower().removeprefix("scalar")


def widest(dtypes: Dtypes) -> str | None:
    """The dtype to which all upcast; None where none is known."""
    known = [d for d in dtypes if d is not None]
    return reduce(upcast, known) if known else None


def as_float(dtype: str) -> str:
    """The float dtype of a result for arguments of `dtype`. Source: Theano 1.0.5 scalar/basic.py `upgrade_to_float`."""
    return dtype if _is_real(dtype) else "float32" if itemsize(dtype) <= 2 else "float64"


def _is_real(dtype: str) -> bool:
    return "float" in dtype or "complex" in dtype


def _part(dtype: str | None) -> str | None:
    return {"complex64": "float32", "complex128": "float64"}.get(dtype or "", dtype)


def expression_dtype(expression: Expression, dtypes: Dtypes, floatX: str) -> str | None:
    """The dtype of an expression over inputs of these dtypes; None for a literal."""
    if isinstance(expression, InputRef):
        return dtypes[expression.position] if expression.position < len(dtypes) else None
    if not isinstance(expression, ScalarCall):
        return None
    inside = [expression_dtype(a, dtypes, floatX) for a in expression.arguments]
    if isinstance(expression.function, tuple):
        return expression_dtype(expression.function[0], inside, floatX)
    return scalar_dtype(expression.function, inside, floatX, expression.dtype)


INDEX = "int64"
"""Dtype of shapes and positions, and of values that become one."""
_WORD = re.compile(r"\w+")


@dataclass(frozen=True)
class TypeQuery:
    """A node as a dtype rule sees it."""

    name: str
    """Class name of the Op."""
    params: Mapping[str, object]
    """Parameters of the Op."""
    inputs: Dtypes
    """Dtypes of the inputs."""
    n_outputs: int
    floatX: str
    """The flag floatX."""
    scalar: bool = False
    """Whether it is a scalar Op, whatever its class."""

    def at(self, position: int) -> str | None:
        """Dtype of input number `position`; floatX where there is no such input."""
        return self.inputs[position] if -len(self.inputs) <= position < len(self.inputs) else self.floatX

    def param(self, name: str = "dtype") -> str | None:
        """The dtype that parameter `name` says; None where it says none."""
        value = self.params.get(name)
        return self.floatX if value == "floatX" else value if isinstance(value, str) and is_dtype(value) else None


Rule = Callable[[TypeQuery], Dtypes]
"""Computes the dtypes of the outputs; the last one holds for all further outputs."""


def dtypes_of(asked: TypeQuery) -> list[str | None]:
    """The dtype of each output. An Op without a rule has the dtype that its parameters print, else the widest float of its inputs."""
    rule = _elementwise if asked.scalar else _RULES.get(asked.name.removeprefix("Gpu"))
    if rule is None and asked.name.endswith("RV"):
        rule = _drawn
    found = [*(rule or _other)(asked)] or [None]
    return (found + found[-1:] * asked.n_outputs)[: asked.n_outputs]


def of_whole(dtype: str | None) -> str | None:
    """The dtype of a position or length: int64 instead of int8 and int16, which only literals have."""
    return INDEX if dtype in ("int8", "int16") else dtype


def _other(asked: TypeQuery) -> Dtypes:
    said = asked.param()
    if said is not None:
        return [said]
    if asked.params.get("scalar_op") or not any(asked.inputs):
        return _elementwise(asked)
    floats = [d for d in asked.inputs if d and ("float" in d or "complex" in d)]
    return [widest(floats or asked.inputs)]


def _like(*positions: int) -> Rule:
    """For each output the dtype of an input."""
    return lambda asked: [asked.at(p) for p in positions]


def _always(*dtypes: str) -> Rule:
    return lambda asked: list(dtypes)


def _all(asked: TypeQuery) -> Dtypes:
    return [widest(asked.inputs)]


def _elementwise(asked: TypeQuery) -> Dtypes:
    """The scalar Op, or each result of a Composite that is printed in one line."""
    text = str(asked.params.get("scalar_text") or asked.params.get("scalar_op") or asked.name)
    results = program(text, any_op=True) if text.startswith("Composite{") else None
    if results is not None:
        return [expression_dtype(e, asked.inputs, asked.floatX) for e in results]
    word = _WORD.match(text)
    cast = text.partition("{")[2].rstrip("}")
    return [scalar_dtype(word[0] if word else text, asked.inputs, asked.floatX, cast)]


def _summed(asked: TypeQuery) -> Dtypes:
    """Source: Theano 1.0.5 tensor/elemwise.py `CAReduceDtype._output_dtype`."""
    said, dtype = asked.param(), asked.at(0)
    if said or dtype is None:
        return [said]
    if str(asked.params.get("scalar_op", "Add")) in ("Maximum", "Minimum", "ScalarMaximum", "ScalarMinimum", "AND", "OR", "XOR"):
        return [dtype]
    return ["uint64" if dtype.startswith("uint") else INDEX if dtype.startswith(("int", "bool")) else dtype]


def _drawn(asked: TypeQuery) -> Dtypes:
    """RandomVariable: (generator, numbers). Whole numbers where the distribution has no others."""
    said = asked.param()
    if said is None and asked.name == "PermutationRV":
        said = asked.at(-1)
    return [None, said or (INDEX if op_info(asked.name).draws_integers else asked.floatX)]


_WHOLE_FUNCTIONS = ("binomial", "randint", "random_integers", "permutation", "multinomial", "poisson", "shuffle", "choice")


def _random_function(asked: TypeQuery) -> Dtypes:
    """RandomFunction{normal}: the text does not say the dtype. Source: Theano 1.0.5 tensor/raw_random.py."""
    args = asked.params.get("args")
    word = str(args[0]) if isinstance(args, list) and args else ""
    return [None, INDEX if any(word.startswith(w) for w in _WHOLE_FUNCTIONS) else asked.floatX]


def _wrapped_draw(asked: TypeQuery) -> Dtypes:
    """`[normal_rv{...}]`: behind the shape of one draw the same."""
    name = "".join(p.capitalize() for p in str(asked.params.get("core_op", "")).partition("_rv")[0].split("_"))
    return _drawn(TypeQuery(f"{name}RV", asked.params, asked.inputs[1:], asked.n_outputs, asked.floatX))


def _mrg(asked: TypeQuery) -> Dtypes:
    """`mrg_uniform{TensorType(float32, matrix),inplace}`: (state, numbers)."""
    said = re.search(r"\((\w+)", str(asked.params.get("output_type", "")))
    return ["int32", said[1] if said and is_dtype(said[1]) else asked.floatX]


def _ranged(asked: TypeQuery) -> Dtypes:
    return [asked.param() or INDEX]


def _branches(asked: TypeQuery) -> Dtypes:
    return [asked.at(1 + k) for k in range(asked.n_outputs)]


def _joined(asked: TypeQuery) -> Dtypes:
    """Behind the axis, where that is an input."""
    return [widest(asked.inputs if "axis" in asked.params else asked.inputs[1:])]


def _decomposed(asked: TypeQuery) -> Dtypes:
    """Parts of a matrix, or what solves it."""
    found = widest(asked.inputs)
    return [found and as_float(found)]


def _hot(asked: TypeQuery) -> Dtypes:
    """CrossentropySoftmaxArgmax1HotWithBias of (x, bias, classes)."""
    return [asked.at(0), asked.at(0), asked.at(2)]


def _filled(asked: TypeQuery) -> Dtypes:
    """Alloc of (value, lengths): whole numbers that are written alone may be of any size."""
    dtype = asked.at(0)
    return [INDEX if dtype in ("int8", "int16", "int32") else dtype]


def _unique(asked: TypeQuery) -> Dtypes:
    return [asked.at(0), INDEX]


_AS_FIRST = (
    "DimShuffle", "Reshape", "Flatten", "Subtensor", "ScalarSubtensor", "AdvancedSubtensor", "AdvancedSubtensor1",
    "AdvancedBooleanSubtensor", "DiagonalSubtensor", "HostFromGpu", "FromHost", "ToGpu", "Contiguous", "CpuContiguous",
    "CopyOnNegativeStrides", "Rebroadcast", "Unbroadcast", "ViewOp", "DeepCopyOp", "CheckAndRaise", "Assert", "OutputGuard", "Print",
    "TransferOp", "GradClip", "GradScale", "ConsiderConstant", "ZeroGrad", "DisconnectedGrad", "SpecifyShape", "BroadcastTo",
    "TensorFromScalar", "ScalarFromTensor", "ExtractDiag", "AllocDiag", "AllocDiag2", "Split", "Max", "Min", "Tile", "Repeat", "RepeatOp",
    "SortOp", "CumOp", "CumsumOp", "CumprodOp", "Cumsum", "DiffOp", "FillDiagonal", "FillDiagonalOffset", "Choose", "PermuteRowElements",
    "JoinDims", "SplitDims", "Images2Neibs", "NonZeroDimsCAReduce", "Softmax", "LogSoftmax", "Pool", "DownsampleFactorMax",
    "SparseFromDense", "DenseFromSparse", "Transpose", "Pad", "GetItem2d", "EnsureSortedIndices", "Default", "Gemm", "Gemv", "CGemv", "Ger",
    "CGer", "ScipyGer", "GemmBatch", "IncSubtensor", "AdvancedIncSubtensor", "AdvancedIncSubtensor1", "AdvancedIncSubtensor1_dev20",
    "AdvancedBooleanIncSubtensor", "IncDiagonalSubtensor", "TensorFromXTensor", "XTensorFromTensor", "Rename",
)  # fmt: skip
_RULES: dict[str, Rule] = {
    **dict.fromkeys(_AS_FIRST, _like(0)),
    **dict.fromkeys(("Shape", "Shape_i", "Size", "Nonzero", "Argmax", "ArgSortOp", "SearchsortedOp", "RavelMultiIndex", "UnravelIndex",
                     "PivotToPermutations", "Length", "Count", "Index", "JAXShapeTuple", "Bincount"), _always(INDEX)),
    **dict.fromkeys(("Sum", "Prod", "ProdWithoutZeros", "CAReduce", "CAReduceDtype", "CAReduceCuda", "CAReduceCPY"), _summed),
    **dict.fromkeys(("All", "Any"), _always(TRUTH)),
    **dict.fromkeys(("ARange", "MakeVector"), _ranged),
    **dict.fromkeys(("mrg_uniform", "mrg_uniform_base", "GPUA_mrg_uniform", "GPU_mrg_uniform"), _mrg),
    **dict.fromkeys(("Dot", "Dot22", "Dot22Scalar", "BatchedDot", "MatMul", "Kron", "KroneckerProduct"), _all),
    **dict.fromkeys(("Cholesky", "CholeskyGrad", "MatrixInverse", "MatrixPinv", "Solve", "SolveTriangular", "CholeskySolve", "Det", "SVD",
                     "QRFull", "QRIncomplete", "QR", "Eig", "Eigh", "Eigvalsh", "SLogDet", "Expm"), _decomposed),
    "Elemwise": _elementwise, "Alloc": _filled,
    "MaxAndArgmax": lambda asked: [asked.at(0), INDEX], "TopKOp": _unique, "Unique": _unique, "IfElse": _branches,
    "LazyIfElse": _branches, "Join": _joined, "CrossentropySoftmaxArgmax1HotWithBias": _hot, "RandomFunction": _random_function,
    "RandomVariableWithCoreShape": _wrapped_draw, "CrossentropySoftmax1HotWithBiasDx": _like(1), "CrossentropyCategorical1Hot": _like(0),
    "LUFactor": lambda asked: [asked.at(0), "int32"], "CSMProperties": lambda asked: [asked.at(0), "int32"], "CSM": _like(0),
}  # fmt: skip
"""Dtype rule by class name, without `Gpu`."""
