"""One small function, `tanh(x . W + b).sum()`, as each generation prints it."""

OLD = """Sum [@A] ''   3
 |Elemwise{Composite{tanh((i0 + i1))}}[(0, 0)] [@B] ''   2
   |Dot22 [@C] ''   1
   | |x [@D]
   | |W [@E]
   |DimShuffle{x,0} [@F] ''   0
     |b [@G]
"""
THEANO = """Sum{acc_dtype=float64} [id A] <TensorType(float32, scalar)> ''   3
 |Elemwise{Composite{tanh((i0 + i1))}}[(0, 0)] [id B] <TensorType(float32, matrix)> 'h'   2
   |Dot22 [id C] <TensorType(float32, matrix)> ''   1
   | |x [id D] <TensorType(float32, matrix)>
   | |W [id E] <TensorType(float32, matrix)>
   |InplaceDimShuffle{x,0} [id F] <TensorType(float32, row)> ''   0
     |b [id G] <TensorType(float32, vector)>
"""
GPU = """HostFromGpu(gpuarray) [id A] <TensorType(float32, matrix)> ''   2
 |GpuGemm{inplace=True} [id B] <GpuArrayType<None>(float32, matrix)> ''   1
   |GpuAllocEmpty{dtype='float32', context_name=None} [id C] <GpuArrayType<None>(float32, matrix)> ''   0
   | |TensorConstant{3} [id D] <TensorType(int64, scalar)>
   | |TensorConstant{4} [id E] <TensorType(int64, scalar)>
   |TensorConstant{1.0} [id F] <TensorType(float32, scalar)>
   |x [id G] <GpuArrayType<None>(float32, matrix)>
   |W [id H] <GpuArrayType<None>(float32, matrix)>
   |TensorConstant{0.0} [id I] <TensorType(float32, scalar)>
"""
AESARA = """Sum{acc_dtype=float64} [id A] <TensorType(float64, ())> 3
 |Elemwise{Composite{tanh((i0 + i1))}}[(0, 0)] [id B] <TensorType(float64, (?, 4))> 'h' d={0: [0]} 2
   |Dot22 [id C] <TensorType(float64, (?, 4))> 1
   | |x [id D] <TensorType(float64, (?, ?))>
   | |W [id E] <TensorType(float64, (?, 4))>
   |InplaceDimShuffle{x,0} [id F] <TensorType(float64, (1, ?))> v={0: [0]} 0
     |b [id G] <TensorType(float64, (?,))>
"""
PYTENSOR = """Sum{axes=None} [id A] <Scalar(float64, shape=())> 3
 └─ Composite{tanh((i0 + i1))} [id B] <Matrix(float64, shape=(?, 4))> 'h' 2
    ├─ Dot22 [id C] <Matrix(float64, shape=(?, 4))> 1
    │  ├─ x [id D] <Matrix(float64, shape=(?, ?))>
    │  └─ W [id E] <Matrix(float64, shape=(?, 4))>
    └─ ExpandDims{axis=0} [id F] <Matrix(float64, shape=(1, ?))> 0
       └─ b [id G] <Vector(float64, shape=(?,))>

Inner graphs:

Composite{tanh((i0 + i1))} [id B]
 ← tanh [id H] <float64> 'o0'
    └─ add [id I] <float64>
       ├─ i0 [id J] <float64>
       └─ i1 [id K] <float64>
"""
SCAN = """Subtensor{int64} [id A] ''
 |for{cpu,scan_fn}.1 [id B] ''
 | |k [id C]
 | |IncSubtensor{InplaceSet;:int64:} [id D] ''
 | | |AllocEmpty{dtype='float64'} [id E] ''
 | | | |k [id C]
 | | |A [id F]
 | | |Constant{1} [id G]
 | |A [id F]
 |Constant{-1} [id H]

Inner graphs of the scan ops:

for{cpu,scan_fn}.1 [id B] ''
 >Elemwise{mul,no_inplace} [id I] ''
 > |<TensorType(float64, vector)> [id J] -> [id D]
 > |A_copy [id K] -> [id F]
"""
MATRIX, VECTOR = "<Matrix(float32, shape=(?, ?))>", "<Vector(float32, shape=(?,))>"
NUMBER, COUNT = "<Scalar(float32, shape=())>", "<Scalar(int64, shape=())>"


def mapped(kind: str, step: str) -> str:
    """A Scan over the rows of `x`, as PyTensor prints it, whose result is of that type: `step` is its inner graph."""
    return f"""Scan{{scan_fn, while_loop=False, inplace=none}} [id A] {kind} 1
 ├─ Shape_i{{0}} [id B] {COUNT} 0
 │  └─ x [id C] {MATRIX}
 ├─ x [id C] {MATRIX}
 └─ Shape_i{{0}} [id B] {COUNT} 0
    └─ ···

Inner graphs:

Scan{{scan_fn, while_loop=False, inplace=none}} [id A]
{step}"""


ALL = {"old": OLD, "theano": THEANO, "aesara": AESARA, "pytensor": PYTENSOR}
"""The same function in four forms."""
