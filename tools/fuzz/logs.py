"""`theanodiag explain-log -`: logs of crashed jobs, damaged."""

from __future__ import annotations

import random
from typing import Any

from .target import command, damaged

SAMPLES = (
    """Error allocating 93454336 bytes of device memory (out of memory). Driver report 1048576 bytes free and 2147483648 bytes total
Traceback (most recent call last):
  File "/home/me/train.py", line 41, in <module>
    cost = train(x)
MemoryError: Error allocating 93454336 bytes of device memory (out of memory).
Apply node that caused the error: GpuDot22(GpuElemwise{mul,no_inplace}.0, GpuDimShuffle{1,0}.0)
Toposort index: 122
Inputs types: [CudaNdarrayType(float32, matrix), CudaNdarrayType(float32, matrix)]
Inputs shapes: [(256, 128), (128, 91264)]
Inputs strides: [(128, 1), (1, 128)]
Inputs values: ['not shown', 'not shown']

Backtrace when the node is created:
  File "/home/me/model.py", line 7, in build
    return T.dot(h, W)

Debugprint of the apply node:
GpuDot22 [id A] <CudaNdarrayType(float32, matrix)> ''
 |GpuElemwise{mul,no_inplace} [id B] <CudaNdarrayType(float32, matrix)> ''
 |GpuDimShuffle{1,0} [id C] <CudaNdarrayType(float32, matrix)> ''

Storage map footprint:
 - W, Shared Input, Shape: (101, 50), ElemSize: 4 Byte(s), TotalSize: 20200 Byte(s)
 - x, Input, Shape: (128, 100, 1), ElemSize: 4 Byte(s), TotalSize: 51200.0 Byte(s)
""",
    """MemoryError: alloc failed
Apply node that caused the error: Alloc(Sum{acc_dtype=float64}.0, Elemwise{mul,no_inplace}.0, TensorConstant{1000000})
Inputs types: [TensorType(float32, scalar), TensorType(int32, scalar), TensorType(int32, scalar)]
Inputs shapes: [(), (), ()]
Inputs values: [array(60., dtype=float32), array(300, dtype=int32), array(1000000, dtype=int32)]
""",
    """THEANO_FLAGS='device=cuda0,floatX=float32' python m.py
Preallocating 3276/4096 Mb (0.800000) on cuda0
Mapped name None to device cuda0: GeForce GTX 1050 (0000:01:00.0)
pygpu.gpuarray.GpuArrayException: b'cuMemAlloc: CUDA_ERROR_OUT_OF_MEMORY: out of memory'
""",
    """jaxlib.xla_extension.XlaRuntimeError: RESOURCE_EXHAUSTED: Out of memory while trying to allocate 6291456 bytes.
BufferAssignment OOM Debugging.
BufferAssignment stats:
             parameter allocation:    6.00MiB
     preallocated temp allocation:         0B
W tsl/bfc_allocator.cc:479] Allocator (GPU_0_bfc) ran out of memory trying to allocate 2.25GiB (rounded to 2415919104) requested by op
numpy.core._exceptions.MemoryError: Unable to allocate 7.45 GiB for an array with shape (1000, 1000000) and data type float64
CUDA out of memory. Tried to allocate 48.01 GiB (GPU 0; 15.78 GiB total capacity; 4.00 GiB already allocated; 10.75 GiB free)
Out of memory: Killed process 4711 (python) total-vm:99kB, anon-rss:2048kB, file-rss:0kB
""",
    """2024-03-01 10:22:30,171 [ERROR] w-1: Traceback (most recent call last):
2024-03-01 10:22:30,172 [ERROR] w-2:   File &quot;train.py&quot;, line 41, in &lt;module&gt;
2024-03-01 10:22:31,173 [ERROR] w-3: \x1b[0;31mFooError\x1b[0m: failed to allocate 1,024 bytes of GPU memory
{"log":"Traceback (most recent call last):\\n","stream":"stderr"}
{"log":"  File \\"x.py\\", line 3\\n","stream":"stderr"}
{"log":"ValueError: Input dimension mis-match. (input[0].shape[0] = 3, input[1].shape[0] = 5)\\n","stream":"stderr"}
slurmstepd: error: execve(): script: No such file or directory
""",
    """{"level": "ERROR", "exc_info": "Traceback (most recent call last):\\n  File \\"train.py\\", line 41\\nFooError: oom\\n", "a": 1}
worker failed: 'Traceback (most recent call last):\\n  File "train.py", line 4\\nTypeError: must have ndim of 1 or 2\\n'
{"msg": "it failed", "error": {"stack": "Traceback (most recent call last):\\n  File \\"x.py\\"\\nFooError: no CUDA device"}}
W tensorflow/core/bfc_allocator.cc:239] ran out of memory trying to allocate 2.3GiB. The caller indicates that this is not a failure
theano.gof.utils.MethodNotDefined: no c_code for float16
INFO (theano.gof.compilelock): Waiting for existing lock by process '39541' (I am process '39616')
""",
    """CUDA out of memory. Tried to allocate 1.70 GiB. GPU 0 has a total capacty of 6.00 GiB of which 0 bytes is free.
Including non-PyTorch memory, this process has 3.44 GiB memory in use.
Of the allocated memory 2.93 GiB is allocated by PyTorch, and 2.30 GiB is reserved by PyTorch but unallocated.
cupy.cuda.memory.OutOfMemoryError: Out of memory allocating 25,600,000 bytes (allocated so far: 3,635,267,072 bytes).
BrokenPipeError                           Traceback (most recent call last)
  File "/usr/lib/python3.9/multiprocessing/connection.py", line 383, in _recv
    raise EOFError
EOFError
mod.cpp:12617:21: error: no member named 'exc_type' in '_ts'.     *type = tstate->exc_type;.
ImportError: cannot import name 'CType' from 'aesara.graph.type' (/x/type.py)
TypeError: Cannot convert Type TensorType(float64, matrix) (of Variable x) into Type TensorType(float32, matrix).
TypingError: Failed in nopython mode pipeline (step: nopython frontend)
""",
)
FORMATS = ("terminal", "json", "html")


def case(chance: random.Random) -> object:
    """A log, and the form of the answer."""
    return {"log": damaged(chance, chance.choice(SAMPLES), SAMPLES), "format": chance.choice(FORMATS)}


def run(case: Any) -> None:
    """Explains it."""
    command(["explain-log", "-", "--format", case["format"]], case["log"].encode("utf-8", "surrogatepass"))
