"""Errors of no known form: a cause is stated only where the exception's class, its words and whose code ran leave one."""

from __future__ import annotations

import pytest

from theanodiag.logs import Cause, explain_log

NUMPY = 'Traceback (most recent call last):\n  File "/x/site-packages/numpy/core/foo.py", line 3, in f\n    g()\n'
GPU = NUMPY.replace("numpy/core", "pygpu")
LINK = NUMPY.replace("numpy/core", "pytensor/link/jax/dispatch")
MINE = 'Traceback (most recent call last):\n  File "train.py", line 3, in f\n    g()\n'
FRAME = '  File "/x/site-packages/{}", line 694, in {}\n    use()\n'


def said(text: str) -> tuple[Cause | None, int | None]:
    """The cause, and the bytes of the request."""
    found = explain_log(text)
    return (None, None) if found is None else (found.cause, found.request.bytes)


def check_explanation(text: str, cause: Cause, advised: str) -> None:
    """Asserts the cause of a log, and words of the advice."""
    found = explain_log(text)
    assert found is not None
    assert found.cause is cause
    assert advised in "\n".join(found.advice)


@pytest.mark.parametrize(
    ("text", "cause", "size"),
    [
        # memory: by the words, else by the library whose code ran last
        ("FooError: could not reserve a block of size 123456 on the GPU", Cause.CAPACITY, 123456),
        ("lib: alloc on GPU 0 failed, 10513462067 > 1369702144", Cause.CAPACITY, 10513462067),
        ("x.cc:3] malloc of a buffer of size 939524096 failed", Cause.NOT_RECOGNISED, 939524096),
        (NUMPY + "FooError: failed to allocate 5000 bytes", Cause.HOST_MEMORY, 5000),
        (GPU + "FooError: failed to allocate 5000 bytes", Cause.CAPACITY, 5000),
        (MINE + "FooError: failed to allocate 5000 bytes", Cause.NOT_RECOGNISED, 5000),
        (MINE + "FooError: failed to allocate a port", Cause.NOT_RECOGNISED, None),
        (MINE + "FooError: of 7 GB allocated memory on the GPU 3 GB are odd", Cause.NOT_RECOGNISED, None),
        ("terminate called after throwing an instance of 'Foo'\n  what():  /x/cuda_alloc.hpp(42): out of memory",
         Cause.DEVICE_UNKNOWN_SIZE, None),
        ("RuntimeError: Resource exhausted: Failed to allocate request for 74.50GiB", Cause.CAPACITY, 74 * (1 << 30) + (1 << 29)),
        ("RuntimeError: CUDA out of memory: cudaMalloc of a buffer of size 4096 failed", Cause.CAPACITY, 4096),
        ("terminating due to uncaught exception of type foo: [METAL] Insufficient Memory", Cause.DEVICE_UNKNOWN_SIZE, None),
        ("F01 x.cpp:71] Check failed: error == cudaSuccess (2 vs. 0)  out of memory\nAborted (core dumped)",
         Cause.DEVICE_UNKNOWN_SIZE, None),
        ("F01 x.cpp:71] Check failed: size == 3\nAborted (core dumped)", Cause.PROCESS_LOST, None),
        # a statement of several lines: the traceback shows the one with the message
        (NUMPY.replace("g()", '"Found several arrays {}, name cannot be None".format(x)').replace("numpy/core", "arviz/stats")
         + "TypeError: Found several arrays ['a'], name cannot be None", Cause.REFUSED, None),
        (NUMPY.replace("g()", 'x["a key"]').replace("numpy/core", "arviz/stats") + "KeyError: 'a key'", Cause.LIBRARY_FAULT, None),
        (NUMPY.replace("g()", '" dimension.", data.shape, self.broadcastable)').replace("numpy/core", "theano/tensor")
         + "TypeError: ('Non-unit value on shape on a broadcastable dimension.', (1L, 2L), (True, False))", Cause.SHAPES, None),
        ("ValueError: Elemwise{sub,no_inplace}.grad returned object of shape (70,) as gradient term on input 0 of shape (100,)",
         Cause.SHAPES, None),
        ("AttributeError: 'DisconnectedType' object has no attribute 'dtype'", Cause.DISCONNECTED, None),
        ("AssertionError: Your version of theano is too old to support __props__", Cause.LIBRARIES, None),
        # a check that fails while the library is imported: nobody gave it anything
        ('  File "m.py", line 1, in <module>\n    import theano\n  File "/x/site-packages/theano/__init__.py", line 110, in <module>\n'
         "    from theano.compile import (\n" + FRAME.format("theano/misc/ordered_set.py", "check").replace(
             "use()", '"Get an not ordered iterable when one was expected")')
         + "AssertionError: Get an not ordered iterable when one was expected", Cause.LIBRARIES, None),
        # without a frame the exception's class tells, and the form of its message
        ("ImportError: /lib64/libc.so.6: version 'GLIBC_2.14' not found", Cause.LIBRARIES, None),
        ("AttributeError: 'StepAdaptation' object has no attribute '_mu'", Cause.LIBRARIES, None),
        ("ValueError: TensorType shape must be a boolean, integer or None, got <class 'numpy.int64'> 1", Cause.REFUSED, None),
        # an object of the library that this one is built on
        (MINE + FRAME.format("nutpie/compile_pymc.py", "f") + "AttributeError: 'Scratchpad' object has no attribute 'observations'",
         Cause.LIBRARIES, None),
        # compiled code, or frames that JAX hides, refuse with words that Python does not have
        (MINE + FRAME.format("pymc/sampling/jax.py", "f") + "ValueError: compiling this requires 5 logical devices, but only 2 are there",
         Cause.REFUSED, None),
        # what a library does not have while it is imported
        (MINE.replace("g()", "import jax") + FRAME.format("jax/__init__.py", "<module>").replace("use()", "from jax import nn")
         + FRAME.format("jax/nn.py", "<module>").replace("use()", "f()") + FRAME.format("jax/numpy.py", "f").replace("use()", "raise E(x)")
         + "NotImplementedError: Numpy function <function __getattr__> not yet implemented", Cause.LIBRARIES, None),
        # a module's own lines run only while it is imported
        ('  File "<stdin>", line 1, in <module>\n' + FRAME.format("theano/__init__.py", "<module>").replace("use()", "raise Error(x)")
         + "RuntimeError: You have the theano directory in your Python path.", Cause.LIBRARIES, None),
        # a name that the script wrote is not there; one that the library wrote is its own affair
        (MINE.replace("g()", 'mcmc.trace("stds")') + FRAME.format("pymc/database/base.py", "trace").replace("use()", "x = self._t[n]")
         + "KeyError: 'stds'", Cause.REFUSED, None),
        (MINE + FRAME.format("pymc/database/base.py", "trace").replace("use()", "x = self._traces[name]") + "KeyError: 'stds'",
         Cause.LIBRARY_FAULT, None),
        # a call that a library wrote itself; one that passes on the script's arguments
        (MINE + FRAME.format("aesara/link/jax/dispatch.py", "scan").replace("use()", "a = ScanArgs(inputs, op.info)")
         + "TypeError: __init__() missing 1 required positional argument: 'as_while'", Cause.LIBRARIES, None),
        (MINE + FRAME.format("pymc/distributions/discrete.py", "__new__").replace("use()", "return cls.dist(*args, **kwargs)")
         + "TypeError: dist() missing 1 required positional argument: 'mu'", Cause.OLD_INTERFACE, None),
        # classes that say it all
        ("NotImplementedError: ValuedVar should not be present in the final graph!", Cause.NO_IMPLEMENTATION, None),
        ("AttributeError: 'numpy.float32' object has no attribute 'owner'", Cause.SYMBOLIC, None),
        # Python's own library got what it refuses from the line that called it
        (MINE + '  File "/usr/lib/python3.8/json/decoder.py", line 3, in f\n    raise JSONDecodeError(x)\n'
         + "json.decoder.JSONDecodeError: Expecting value: line 1", Cause.OWN_CODE, None),
        # a class and a frame are enough
        (NUMPY + "LookupError: extra", Cause.LIBRARY_FAULT, None),
        # tabs before each line
        ("\tTraceback (most recent call last):\n\t" + FRAME.format("theano/compile/debugmode.py", "f").replace("use()", "\tassert r in x")
         + "\tAssertionError\n", Cause.LIBRARY_FAULT, None),
        # an assert raises an AssertionError; the attribute is looked for before
        (NUMPY.replace("g()", "assert self._c_code").replace("numpy/core", "theano/scalar")
         + "AttributeError: 'BNComposite' object has no attribute '_c_code'", Cause.LIBRARY_FAULT, None),
        # what no known program says of a file counts only in the last line that states a failure
        ("error: cannot open a.txt: No such file or directory", Cause.FILE_ACCESS, None),
        ("error: cannot open a.txt: No such file or directory\nerror: the flux capacitor failed", Cause.NOT_RECOGNISED, None),
        # a library calls another one of another time, or hides that it does not import
        (NUMPY.replace("numpy/core", "oryx/core") + '  File "/x/site-packages/jax/_src/foo.py", line 3, in f\n    h()\n'
         "TypeError: f() missing 1 required keyword-only argument: 'debug_info'", Cause.LIBRARIES, None),
        (NUMPY.replace("numpy/core", "nutpie").replace("g()", "raise ValueError(x)")
         + "ValueError: Missing dependencies for pymc models. Install pymc.", Cause.LIBRARIES, None),
        (MINE.replace("train", "/usr/lib/python3.8/multiprocessing/process") + "AssertionError: daemonic processes are not allowed to have "
         "children", Cause.REFUSED, None),
        # code in an egg is a library's, and Python 2 counts arguments in other words
        (MINE.replace("train.py", "build/bdist.linux-x86_64/egg/kerlym/dqn.py")
         + "AttributeError: 'module' object has no attribute 'set_x'", Cause.LIBRARIES, None),
        (MINE.replace("g()", "l = lasagne.layers.Pool(x, ds=2)") + "TypeError: __init__() takes at least 3 arguments (2 given)",
         Cause.REFUSED, None),
        # a module that fails while it is imported does not fit; a function of it that fails later may have been given anything
        (MINE.replace("g()", "import theano") + FRAME.format("theano/gpu.py", "<module>") + "TypeError: f takes nothing", Cause.LIBRARIES,
         None),
        (MINE.replace("g()", "theano.f()") + FRAME.format("theano/gpu.py", "f") + "TypeError: f takes nothing", Cause.LIBRARY_FAULT, None),
        (MINE + FRAME.format("pymc/sampling.py", "h").replace("use()", "import nutpie") + FRAME.format("nutpie/a.py", "f")
         + "TypeError: '<' not supported between instances of 'int' and 'NoneType'", Cause.LIBRARY_FAULT, None),
        # what shells, schedulers and installers say of a job that never began
        ("/bin/sh: 1: python: not found", Cause.FILE_ACCESS, None),
        ("run.sh: line 12: conda: command not found", Cause.FILE_ACCESS, None),
        ("the best model was: not found", None, None),
        ("run.sh: line 3: g++: command not found", Cause.COMPILER, None),
        ("run.sh: line 2: module: command not found\nrun.sh: line 3: python: command not found", Cause.FILE_ACCESS, None),
        ("run.sh: line 3: python: command not found\nthe end\nmake: *** [all] Error 127", Cause.FILE_ACCESS, None),
        # what follows a program that is not there runs
        ("run.sh: line 3: module: command not found\n" + MINE + "ValueError: dimension mismatch in args to gemm (2,3)x(4,5)->(2,5)",
         Cause.SHAPES, None),
        ("run.sh: line 3: module: command not found\n" + MINE + "ImportError: cannot import name foo", Cause.OWN_CODE, None),
        ("/bin/sh: nvidia-smi: command not found\n" + MINE + "ValueError: mine", Cause.NOT_RECOGNISED, None),
        ("run.sh: line 3: module: command not found\nKilled", Cause.KILLED, None),
        ("run.sh: line 3: module: command not found\nEpoch 1 ...\nfinished, accuracy 0.98", None, None),
        # a framework looks for its compilers so
        ("sh: 1: x86_64-conda-linux-gnu-c++: not found", None, None),
        ("sh: 1: /opt/bin/gcc-9: not found", None, None),
        ("CondaError: Run 'conda init' before 'conda activate'", Cause.LIBRARIES, None),
        ("E: Unable to locate package g++-12", Cause.LIBRARIES, None),
        ("ERROR: THESE PACKAGES DO NOT MATCH THE HASHES FROM THE REQUIREMENTS FILE.", Cause.LIBRARIES, None),
        ("srun: error: Unable to allocate resources: Invalid account or account/partition combination specified", Cause.REFUSED, None),
        ("pip._vendor.urllib3.exceptions.ReadTimeoutError: HTTPSConnectionPool(host='x.org', port=443): Read timed out.", Cause.FILE_ACCESS,
         None),
        # installers, which raise nothing
        ("Directory '.' is not installable. File 'setup.py' not found.", Cause.FILE_ACCESS, None),
        ("  × No solution found when resolving dependencies:", Cause.LIBRARIES, None),
        ("Could not solve for environment specs", Cause.LIBRARIES, None),
        ("ERROR: Package 'x' requires a different Python: 3.12.1 not in '<3.11'", Cause.PYTHON_TOO_NEW, None),
        ("pyopencl._cl.MemoryError: create_buffer failed: MEM_OBJECT_ALLOCATION_FAILURE", Cause.DEVICE_UNKNOWN_SIZE, None),
        ("MemoryError: std::bad_alloc: out_of_memory: CUDA error at: x.hpp:69", Cause.DEVICE_UNKNOWN_SIZE, None),
        ("foo allocator out of memory!", Cause.NOT_RECOGNISED, None),
        ("bash: fork: Nicht genügend Hauptspeicher verfügbar", Cause.HOST_MEMORY, None),
        ("Speicherzugriffsfehler", Cause.PROCESS_LOST, None),
        ("triton.runtime.errors.OutOfFoo: 3\n", Cause.NOT_RECOGNISED, None),
        ("triton.runtime.trainer.Foo: 3\n", None, None),
        ("requests.exceptions.ReadTimeout: no answer", Cause.NOT_RECOGNISED, None),
        # codes of CUDA's, HIP's and their libraries
        ("FooError: ROCBLAS_STATUS_MEMORY_ERROR", Cause.LIBRARY_MEMORY, None),
        ("FooError: hipErrorOutOfMemory", Cause.DEVICE_UNKNOWN_SIZE, None),
        ("FooError: hipErrorNoBinaryForGpu", Cause.GPU_NOT_STARTED, None),
        ("RuntimeError: cuSolver has not been initialized", Cause.LIBRARY_MEMORY, None),
        ("FooError: NCCL_ERROR_REMOTE", Cause.GPU_FAULT, None),
        ("RuntimeError: HIP error: the operation cannot be performed in the present state", Cause.GPU_FAULT, None),
        # lengths that JAX must know
        ("TypeError: Unexpected type of axis argument: <class 'jax.interpreters.partial_eval.DynamicJaxprTracer'>",
         Cause.STATIC_SHAPE, None),
        ("Exception: f was called on the\nJAX Tracer object\nTraced<ShapedArray(int32[])>.", Cause.SYMBOLIC, None),
        # forms that a back-end lacks
        ("TypeError: Numba does not support NumPy `Generator`s", Cause.NO_IMPLEMENTATION, None),
        ("NotImplementedError: MLIR translation rule for primitive 'eigh' not found for platform METAL", Cause.NO_IMPLEMENTATION, None),
        (MINE + "NotImplementedError: subclasses do this", Cause.NOT_RECOGNISED, None),
        (LINK + "NotImplementedError: mode 'x' is not supported", Cause.NO_IMPLEMENTATION, None),
        (LINK + "NotImplementedError: the gradient is not supported", Cause.NO_IMPLEMENTATION, None),
        (MINE + "NotImplementedError: mode 'x' is not supported", Cause.NOT_RECOGNISED, None),
        ("theano.gof.utils.MethodNotDefined: no c_code for float16", Cause.NO_IMPLEMENTATION, None),
        ("theano.gof.utils.MethodNotDefined: ('grad', 'x')", Cause.NO_IMPLEMENTATION, None),
        ("TypeError: JAX arrays are immutable and do not support in-place item assignment.", Cause.REFUSED, None),
        # an unhashable static argument is no length that JAX must know
        ("ValueError: Non-hashable static arguments are used in a jit function: static_argnums=0", Cause.REFUSED, None),
        # GPUs and libraries that are not there
        ("RuntimeError: CUSOLVER is not available and the Op cannot be constructed", Cause.GPU_NOT_STARTED, None),
        ("RuntimeError: torch.Stream requires CUDA support", Cause.GPU_NOT_STARTED, None),
        ("RuntimeError: GPU kernels are not available in the cache", Cause.NOT_RECOGNISED, None),
        ("RuntimeError: the polyagamma package is not installed!", Cause.LIBRARIES, None),
        ("RuntimeError: the shutters are not yet in their place", Cause.NOT_RECOGNISED, None),
        (MINE + "TypeError: 'numpy.float64' object cannot be interpreted as an integer", Cause.DTYPES, None),
        (GPU + "TypeError: 'numpy.float64' object cannot be interpreted as an integer", Cause.NUMPY_TOO_NEW, None),
        ("ImportError: this platform is not supported: ('failed to acquire X connection')", Cause.NOT_RECOGNISED, None),
        # arrays of more elements than are counted
        ("x.py:4: RuntimeWarning: overflow encountered in scalar multiply\nValueError: negative dimensions are not allowed",
         Cause.SIZE_OVERFLOW, None),
        ("ValueError: negative dimensions are not allowed", Cause.SHAPES, None),
        ("RuntimeError: nonzero is not supported for tensors with more than INT_MAX elements", Cause.SIZE_OVERFLOW, None),
        ("OverflowError: Python int too large to convert to C int", Cause.NOT_RECOGNISED, None),
        # compilers
        ("C:/gcc/bin/ld.exe: cannot open output file C:\\x\\m.pyd: Permission denied", Cause.COMPILER, None),
        ("make[2]: *** [all] Error 1", Cause.COMPILER, None),
        # shapes and dtypes
        ("ValueError: shape mismatch: objects cannot be broadcast to a single shape", Cause.SHAPES, None),
        ("ValueError: Found input variables with inconsistent numbers of samples: [100, 90]", Cause.SHAPES, None),
        ("ValueError: conflicting sizes for dimension 'x': length 30 on the data but length 15 on the coordinate", Cause.SHAPES, None),
        ("RuntimeError: shape '[5, 5]' is invalid for input of size 12", Cause.SHAPES, None),
        ("FooError: the sizes of both menus are different", Cause.NOT_RECOGNISED, None),
        ("TypeError: Input 1 (1-indexed) must have ndim of 1 or 2, 3 given.", Cause.SHAPES, None),
        ("ValueError: Cannot reshape input of shape (3, 4) to shape (5,)", Cause.SHAPES, None),
        ("ValueError: Got a gradient of shape (3,) on an output of shape (4,)", Cause.SHAPES, None),
        ("RuntimeError: The size 3 doesn't match the size 4", Cause.SHAPES, None),
        ("LinAlgError: Last 2 dimensions of the array must be square", Cause.SHAPES, None),
        ("ValueError: input 0 (Shape.0) has no test value", Cause.REFUSED, None),
        ("ValueError: Need k+1 <= n-k-1 <= m. Got m = 1, n = 2 and k = 3.", Cause.REFUSED, None),
        ("TypeError: body_fun output and input must have identical types, got x", Cause.DTYPES, None),
        ("TypeError: expected type_num 12 (NPY_FLOAT64) got 11", Cause.DTYPES, None),
        ("RuntimeError: expected scalar type Double but found Float", Cause.DTYPES, None),
        ("ValueError: the state x has dtype float32, while the result has dtype float64", Cause.DTYPES, None),
        ("x._FooCastingError: Cannot cast ufunc 'add' output from dtype('float64') to dtype('int64')", Cause.DTYPES, None),
        ("RuntimeError: linalg.inv: Low precision dtypes not supported. Got Half", Cause.DTYPES, None),
        ("ValueError: dtype float32 is what x has, as y has float32", Cause.REFUSED, None),
        ("TypeError: ('Gemv requires matching dtypes', ['float32', 'float64', 'float32'])", Cause.DTYPES, None),
        ("TypeError: Shape must be integers; got float32", Cause.DTYPES, None),
        ("TypeError: x must be a list; got tuple", Cause.REFUSED, None),
        # libraries that call each other as they no longer are
        (GPU + '  File "/x/site-packages/pygpu/b.py", line 3, in g\n    h()\nAttributeError: \'float\' object has no attribute \'type\'',
         Cause.LIBRARY_FAULT, None),
        (NUMPY + '  File "/x/site-packages/pygpu/b.py", line 3, in g\n    h()\nAttributeError: \'float\' object has no attribute \'type\'',
         Cause.LIBRARY_FAULT, None),
        (NUMPY + "TypeError: f() got an unexpected keyword argument 'thinning'", Cause.LIBRARY_FAULT, None),
        (MINE[:35] + '  File "/x/site-packages/a/b.py", line 3, in f\n    g()\n' + NUMPY[35:]
         + "TypeError: f() got an unexpected keyword argument 'thinning'", Cause.LIBRARIES, None),
        ("RuntimeError: foo was compiled with version 3 but version 2 is installed", Cause.LIBRARIES, None),
        # processes
        ("job 3 killed by the master due to excessive memory use (RSS=2250 MB)", Cause.KILLED, None),
        ("nanny - WARNING - Worker exceeded 95% memory budget.  Restarting", Cause.KILLED, None),
        ("worker 3 was killed as the user asked, no error", None, None),
        ("Process finished with exit code -11", Cause.PROCESS_LOST, None),
        ("Kernel restarting", Cause.PROCESS_LOST, None),
        ("the step exited with exit code: 143", Cause.STOPPED, None),
        # an error of another number is still an error
        ("onnx runtime error 2: not enough space: expected 3, got 2", Cause.NOT_RECOGNISED, None),
    ],
)  # fmt: skip
def test_words_of_a_class(text: str, cause: Cause | None, size: int | None) -> None:
    """One of each rule, and beside it what has its words and not its meaning."""
    assert said(f"epoch 1\n{text}\n") == (cause, size)


@pytest.mark.parametrize(
    "joint", ["During handling of the above exception, another exception occurred", "The above exception was the direct cause of x"]
)
def test_the_cause_of_an_error_that_says_nothing(joint: str) -> None:
    """Is the error while whose handling it was raised; one that only stands before it is not."""
    text = "ValueError: shapes do not match\n{}\nTraceback (most recent call last):\nRuntimeError: Chain 2 failed.\n"
    assert said(text.format(joint))[0] is Cause.SHAPES
    assert said(text.format("went on"))[0] is Cause.NOT_RECOGNISED


@pytest.mark.parametrize(
    ("name", "cause"),
    [("KeyError", Cause.OWN_CODE), ("jax.errors.KeyedFault", Cause.NOT_RECOGNISED), ("queue.Empty", Cause.NOT_RECOGNISED)],
)
def test_an_exception_of_any_name(name: str, cause: Cause) -> None:
    """Is what stands after the frames of a traceback."""
    found = explain_log(f"{MINE}{name}: 3\n")
    assert found is not None
    assert (found.cause, found.message, found.line) == (cause, f"{name}: 3", 4)


@pytest.mark.parametrize("before", ["[rank2]: ", "2026-05-08 11:47:02.257 [Error] (pid=2651) ", "worker-3 | FAILED t.py::test_x - "])
def test_an_exception_inside_a_line(before: str) -> None:
    """After a time or a logger's name; code that raises one is none."""
    found = explain_log(f"hello\n{before}RuntimeError: mine\n")
    assert found is not None
    assert (found.line, found.message) == (2, "RuntimeError: mine")
    assert explain_log('12:00 raise RuntimeError("mine")\n') is None


def test_torch_with_a_cap() -> None:
    """Free memory beyond the cap is not given out: this is no fragmentation; CUDA's own allocator prints a table."""
    text = "torch.OutOfMemoryError: HIP out of memory. Tried to allocate 2.00 MiB. GPU 0 has a total capacity of 23.41 GiB of which "
    assert (
        said(f"{text}21.22 GiB is free. 1.05 GiB allowed; Of the allocated memory 1017.01 MiB is allocated by PyTorch, and")[0]
        is Cause.CAPACITY
    )
    table = "torch.cuda.OutOfMemoryError: Allocation on device 5 would exceed allowed memory. (out of memory)\n"
    table += "Currently allocated     : 54.14 GiB\nRequested               : 686.00 MiB\nDevice limit            : 79.35 GiB\n"
    found = explain_log(f"{table}Free (according to CUDA): 27.00 MiB\n")
    assert found is not None
    assert (found.cause, found.request.bytes, found.memory.free) == (Cause.CAPACITY, 686 << 20, 27 << 20)


def test_lines_of_source_are_no_message() -> None:
    """IPython names an exception above its frames; what the message says stands below them."""
    above = "TypeError                                 Traceback (most recent call last)\nCell In[5], line 2\n"
    frames = '----> 2 pm.Normal("x", dims="steps", observed=y)\n\nFile ~/e/site-packages/pymc/model.py:68, in f(x)\n---> 68 y = g(x)\n\n'
    found = explain_log(above + frames + "TypeError: '<' not supported between instances of 'int' and 'NoneType'\n")
    assert found is not None
    assert found.cause is Cause.LIBRARY_FAULT


def test_frames_inside_of_a_message() -> None:
    """Theano says what is wrong with an input below the lines that made it."""
    text = (
        FRAME.format("theano/tensor/type.py", "filter")
        + 'TypeError: Bad input argument to theano function with name "m.py:6" at index 1 (0-based).  \n'
    )
    text += 'Backtrace when that variable is created:\n\n  File "m.py", line 4, in <module>\n    p = f()\n{}\n'
    short, other = (
        explain_log(text.format(words)) for words in ("Wrong number of dimensions: expected 1, got 0 with shape ().", "It is odd.")
    )
    assert short is not None
    assert other is not None
    assert (short.cause, other.cause) == (Cause.SHAPES, Cause.REFUSED)
    assert any("has 0 dimensions" in line for line in short.advice)


def test_a_name_that_a_package_wants_of_itself() -> None:
    """Files of two releases lie in its folder; a script that wants the name is of another time."""
    error = "ImportError: cannot import name 'foo' from 'arviz.plots.utils' (/x/site-packages/arviz/plots/utils.py)\n"
    line = "    from .utils import (\n"
    own = explain_log(MINE + FRAME.format("arviz/plots/density.py", "<module>").replace("    use()\n", line) + error)
    script = explain_log(MINE.replace("    g()\n", "    from arviz.plots.utils import foo\n") + error)
    assert own is not None
    assert script is not None
    assert (own.cause, script.cause) == (Cause.LIBRARIES, Cause.OLD_INTERFACE)
    assert any("arviz lacks foo, which is a part of it" in line for line in own.advice)


def test_an_error_without_its_traceback() -> None:
    """Is no ground for a cause: what is missing is asked for."""
    diagnosis = explain_log("Running on PyMC3 v5.13.1\nKeyError: 'dist'\n")
    assert diagnosis is not None
    assert diagnosis.cause is Cause.NOT_RECOGNISED
    assert "a traceback names the line" in diagnosis.advice[0]


def test_advice_names_the_line_that_called_pythons_library() -> None:
    """An error of unknown cause that Python's own library raised came from the reader's line."""
    library = '  File "/usr/lib/python3.9/json/decoder.py", line 355, in raw_decode\n    raise JSONDecodeError("x", s, 0) from None\n'
    found = explain_log(f"{MINE}{library}json.decoder.JSONDecodeError: Expecting value: line 1 column 1 (char 0)\n")
    assert found is not None
    assert any('File "train.py", line 3' in line for line in found.advice)


@pytest.mark.parametrize(
    ("between", "said"),
    [
        ("", "it came from: "),
        (
            '  File "/e/lib/python3.8/site-packages/requests/models.py", line 3, in json\n    loads(x)\n',
            "it came from, by way of requests: ",
        ),
    ],
)
def test_a_line_that_only_called_a_library_raised_nothing(between: str, said: str) -> None:
    """The error came from there, through the package that is named."""
    last = '  File "/e/lib/python3.8/json/decoder.py", line 3, in decode\n    raise JSONDecodeError("x", s, 1)\n'
    found = explain_log(f"{MINE}{between}{last}json.decoder.JSONDecodeError: Expecting value: line 1 column 1 (char 0)\n")
    assert found is not None
    assert found.advice[0].startswith(f'look at your own code, where {said}File "train.py", line 3')


@pytest.mark.parametrize(
    ("line", "error", "cause"),
    [
        ("raise FooError(x)", "FooError: x", Cause.OWN_CODE),
        ("a, b = f()", "ValueError: too many values to unpack", Cause.OWN_CODE),
        ("y = tt.exp(x)", "NameError: name 'tt' is not defined", Cause.OWN_CODE),
        ("return self.table", "AttributeError: 'Net' object has no attribute 'table'", Cause.OWN_CODE),
        ("y = net.table", "AttributeError: 'Net' object has no attribute 'table'", Cause.LIBRARIES),
        ("y = f(net)", "AttributeError: 'Tensor' object has no attribute 'table'", Cause.NOT_RECOGNISED),
        ("assert table", "AssertionError", Cause.OWN_CODE),
        ("trace = pm.sample()", "ValueError: there is something odd in it", Cause.NOT_RECOGNISED),
    ],
)
def test_what_a_line_of_the_script_raises_itself(line: str, error: str, cause: Cause) -> None:
    """Is its own error; what it called, or the class of an object, may be a library's, and then class and frame are all that is known."""
    found = explain_log(f'Traceback (most recent call last):\n  File "train.py", line 3, in f\n    {line}\n{error}\n')
    assert found is not None
    assert found.cause is cause
    assert (
        cause is not Cause.NOT_RECOGNISED
        or found.why == f'{error.partition(":")[0]} in File "train.py", line 3, in f: its message is all that is known of the cause'
    )


@pytest.mark.parametrize(
    ("script", "cause"),
    [
        ('File "<ipython-input-3-ab>", line 1, in <module>', Cause.LIBRARY_FAULT),
        ('File "/home/me/nets/train.py", line 1, in <module>', Cause.LIBRARY_FAULT),
        ('File "/home/me/third/kabuki/train.py", line 1, in <module>', Cause.OWN_CODE),
        ('File "train.py", line 1, in <module>', Cause.OWN_CODE),
    ],
)
def test_a_package_in_a_folder_with_its_name(script: str, cause: Cause) -> None:
    """Is a library used from its repository, unless the script runs from there, or may do so."""
    frame = '  File "/home/me/third/kabuki/kabuki/utils.py", line 7, in f\n    x = table[key]\n'
    found = explain_log(f"Traceback (most recent call last):\n  {script}\n    f()\n{frame}KeyError: 7\n")
    assert found is not None
    assert found.cause is cause


@pytest.mark.parametrize(
    ("text", "cause"),
    [
        ("ValueError: cannot reshape array of size 240000 into shape (4000,5)", Cause.SHAPES),
        ("fail to convert it: could not broadcast input array from shape (900,1) into shape (900,)", Cause.SHAPES),
        ("TypeError: Outputs must be theano Variable or Out instances. Received [Subtensor{int64::}.0] of type <class 'list'>",
         Cause.SYMBOLIC),
        ("TypeError: float() argument must be a string or a real number, not 'ShapedArray'", Cause.SYMBOLIC),
        ("ValueError: must use protocol 4 or greater to copy this object", Cause.PICKLING),
        ('  File "/x/site-packages/jax_plugins/xla_cuda12/__init__.py", line 2, in f\n    g()\nRuntimeError: cuBlas internal error',
         Cause.GPU_NOT_STARTED),
    ],
)  # fmt: skip
def test_words_that_are_no_request_or_need_no_class(text: str, cause: Cause) -> None:
    """A size in elements is no request for bytes; NumPy's words on shapes need no exception's name."""
    found = explain_log(text)
    assert found is not None
    assert (found.cause, found.request.bytes) == (cause, None)


@pytest.mark.parametrize(
    ("text", "cause", "advised"),
    [
        ("Problem: nothing provides theano-pymc 1.0.11 needed by pymc3-3.10.0-pyhd8ed1ab_0", Cause.LIBRARIES, "theano-pymc 1.0.11"),
        ("ImportError: cannot import name '_moment' from 'pymc.distributions.distribution' (/x/pymc/distributions/distribution.py)",
         Cause.LIBRARIES, "pin pymc"),
        ("pyabc.sampler.ProcessError: At least one worker is dead.", Cause.PROCESS_LOST, "cores=1"),
        ('  File "/x/site-packages/xarray/core/datatree.py", line 2, in f\n    raise TypeError(\nTypeError: cannot directly convert a '
         "DataTree into a numpy array. Instead, create one first, either with indexing on the DataTree or by invoking to_array().",
         Cause.OLD_INTERFACE, "to_dataset"),
        ('  File "/x/site-packages/sknn/mlp.py", line 171, in f\n    net = lasagne.layers.batch_norm(net)\n'
         "AttributeError: 'module' object has no attribute 'batch_norm'", Cause.LIBRARIES, "of another library (lasagne)"),
    ],
)  # fmt: skip
def test_what_says_little(text: str, cause: Cause, advised: str) -> None:
    """A name that only libraries ask for, the sentence of a solver, or of a pool whose process is gone."""
    check_explanation(text, cause, advised)


@pytest.mark.parametrize(
    ("text", "cause", "advised"),
    [
        ("AttributeError: 'Pmf' object has no attribute 'add_dist'", Cause.LIBRARIES, "objects of Pmf have no add_dist"),
        ("AttributeError: 'CudaNdarray' object has no attribute 'data'\nApply node that caused the error: GpuSubtensor(x)",
         Cause.LIBRARY_FAULT, ""),
        ("Using TensorFlow backend.\n" + MINE + "AttributeError: 'Tensor' object has no attribute 'T'", Cause.SYMBOLIC,
         "KERAS_BACKEND=theano"),
        ("sbatch: error: Batch job submission failed: Requested node configuration is not available", Cause.REFUSED, "sinfo"),
        ("srun: error: *** STEP 5.0 ON n8 CANCELLED AT 2026-04-29T23:36:37 DUE TO TASK FAILURE ***", Cause.STOPPED, "sacct -j"),
        ("ImportError: you should not try to import numpy from\nits source directory; please exit the source tree", Cause.LIBRARIES,
         "another folder"),
        ("TypeError: f() takes 1 positional argument but 2 were given", Cause.NOT_RECOGNISED, "a traceback names the line"),
        ('  File "/x/site-packages/nolearn/base.py", line 2, in f\n    layer = factory(**kw)\n'
         "TypeError: __init__() takes at least 3 arguments (2 given)", Cause.REFUSED, ""),
    ],
)  # fmt: skip
def test_objects_jobs_and_calls(text: str, cause: Cause, advised: str) -> None:
    """An attribute that a class lacks is one of versions; a scheduler refuses a job; a call that passes arguments on was given them."""
    check_explanation(text, cause, advised)


def test_a_message_that_is_cut_off() -> None:
    """Is none: what a library printed before it is the failure, or nothing is known."""
    head = "RuntimeError                Traceback (most recent call last)\nCell In[6], line 3\n----> 3 pm.sample()\n"
    panic = "thread 'nutpie-worker-1' panicked at /x/nuts-rs-0.15.0/src/sampler.rs:635:18:\nCould not send sampling results\n\n"
    found, other = explain_log(panic + head), explain_log(head)
    assert found is not None
    assert other is not None
    assert (found.cause, found.line) == (Cause.LIBRARY_FAULT, 1)
    assert (other.cause, other.why) == (Cause.NOT_RECOGNISED, "the log ends before the message of RuntimeError")


def test_a_log_that_ends_inside_a_traceback() -> None:
    """The frames are there, and what was raised is not: that is said, and asked for."""
    frames = '  File "/e/lib/python3.7/site-packages/theano/gof/cc.py", line 1217, in make_thunk\n    keep_lock=keep_lock)\n' * 3
    for end in ("", '  File "/e/lib/pyth', '  File "/e/a.py", line 4, in save\n'):
        found = explain_log(f"epoch 1\n{frames}{end}")
        assert found is not None
        assert found.cause is Cause.NOT_RECOGNISED
        assert "ends inside a traceback" in found.why
        assert "pass the whole log" in found.advice[0]
    assert explain_log(f"epoch 1\n{frames}epoch 2\n") is None
    cell = "~/e/lib/python3.6/site-packages/theano/gradient.py in f(x)\n   1018     g()\n-> 1019     h()\n\n"
    for text in (cell * 2, "File " + cell.replace(".py in", ".py:1019, in") * 2):
        found = explain_log(text)
        assert found is not None
        assert "ends inside a traceback" in found.why
    report = explain_log(" - Nonzero.0, Shape: (1, 0), ElemSize: 8 Byte(s), TotalSize: 0 Byte(s)\n TotalSize: 6414714.0 Byte(s) 0.006 GB\n")
    assert report is not None
    assert "without the exception above it" in report.why


def test_a_call_without_frames() -> None:
    """Of a method with a public name the user's line made it; a function may be a library's own."""
    for call, cause in (("ModelBuilder.fit()", Cause.REFUSED), ("raise_ok()", Cause.NOT_RECOGNISED)):
        found = explain_log(f"TypeError: {call} missing 1 required positional argument: 'X'\n")
        assert found is not None
        assert found.cause is cause


def test_r_shows_only_the_end_of_an_error() -> None:
    """reticulate prints Python's exception without its frames, and keeps them."""
    found = explain_log("Error in py_run_string_impl(code, local, convert) :\nTypeError: the first argument must be callable\n")
    assert found is not None
    assert any("py_last_error" in line for line in found.advice)


def test_a_log_goes_on_after_a_sampler_that_did_not_converge() -> None:
    """Its draws are wrong all the same; an error that follows is what ended the job."""
    warned = "ERROR [pymc3] The rhat statistic is larger than 1.4 for some parameters. The sampler did not converge.\n"
    found = explain_log(f"{warned}Epoch 1/2\nEpoch 2/2\n")
    assert found is not None
    assert (found.cause, found.line) == (Cause.NOT_CONVERGED, 1)
    after = explain_log(
        f"{warned}Traceback (most recent call last):\n  File \"m.py\", line 3, in <module>\n    x = {{}}['a']\nKeyError: 'a'\n"
    )
    assert after is not None
    assert after.cause is Cause.OWN_CODE


def test_the_message_is_cut_off_while_a_library_imports_another() -> None:
    """IPython names the exception above its frames: their releases differ, whatever it says; a script's own call remains unknown."""
    head = "TypeError                                 Traceback (most recent call last)\nCell In[1], line 1\n----> 1 import pymc as pm\n\n"
    imported = "File /lib/python3.11/site-packages/pymc/__init__.py:49\n---> 49 from pymc import gp\n\n"
    called = "File /lib/python3.11/site-packages/pymc/model.py:49, in f(x)\n---> 49 g(x)\n\n"
    for frames, cause in ((imported * 2, Cause.LIBRARIES), (called * 2, Cause.NOT_RECOGNISED)):
        found = explain_log(head + frames)
        assert found is not None
        assert found.cause is cause


def test_jax_refuses_what_a_node_gives_it() -> None:
    """The graph has it, not the script's call."""
    frame = '  File "/e/lib/python3.11/site-packages/jax/_src/api_util.py", line 554, in f\n    raise TypeError(\n'
    said = "TypeError: Cannot interpret value of type <class 'numpy.random.Generator'> as an abstract array\n"
    for node, cause in (("Apply node that caused the error: normal_rv{0}(x)\n", Cause.NO_IMPLEMENTATION), ("", Cause.REFUSED)):
        found = explain_log(f"{frame}{said}{node}")
        assert found is not None
        assert found.cause is cause
