"""Causes by the class of an exception and the file that raised it, whatever words it has."""

from __future__ import annotations

import pytest

from theanodiag.logs import Cause, explain_log

FRAME = (
    'Traceback (most recent call last):\n  File "m.py", line 3, in <module>\n    f()\n  File "/x/site-packages/{}", line 7, in g\n    h()\n'
)


@pytest.mark.parametrize(
    ("file", "error", "expected"),
    [
        ("theano/configparser.py", "ValueError: could not convert string to float: True", Cause.CONFIGURATION),
        ("mine/reader.py", "ValueError: could not convert string to float: True", Cause.LIBRARY_FAULT),
        ("theano/gof/fg.py", "theano.gof.fg.MissingInputError: Input 0 of the graph, used to compute dot(x, y), was not provided",
         Cause.MISSING_INPUT),
        ("pytensor/compile/function/types.py", "pytensor.compile.function.types.UnusedInputError: unused", Cause.UNUSED_INPUT),
        ("theano/gradient.py", "theano.gradient.DisconnectedInputError: grad method was asked", Cause.DISCONNECTED),
        ("theano/tensor/opt.py", "RuntimeError: maximum recursion depth exceeded", Cause.RECURSION),
        ("pymc3/util.py", "pymc3.exceptions.SamplingError: Initial evaluation of model at starting point failed!", Cause.START_VALUES),
        ("numpyro/infer/util.py", "RuntimeError: Cannot find valid initial parameters.", Cause.START_VALUES),
        ("nutpie/sample.py", "RuntimeError: All initialization points failed", Cause.START_VALUES),
        ("pymc/logprob/abstract.py", "NotImplementedError: Logprob method not implemented for Elemwise{pow}", Cause.NO_IMPLEMENTATION),
        ("pymc/model/fgraph.py", "NotImplementedError: Cannot convert models with initial values", Cause.NO_IMPLEMENTATION),
        ("multiprocessing/connection.py", "OSError: [Errno 24] Too many open files", Cause.FILE_ACCESS),
        ("graphviz/backend/execute.py", "graphviz.backend.execute.ExecutableNotFound: failed to execute 'dot'", Cause.LIBRARIES),
        ("pymc3/step_methods/hmc/quadpotential.py", "ValueError: anything is zero", Cause.ZERO_GRADIENT),
        ("mine/physics.py", "ValueError: anything is zero", Cause.LIBRARY_FAULT),
        ("theano/compile/nanguardmode.py", "AssertionError: NaN detected", Cause.NOT_FINITE),
        ("numpy/linalg/linalg.py", "numpy.linalg.LinAlgError: Singular matrix", Cause.NOT_FINITE),
        ("theano/tensor/var.py", "TypeError: Variables do not support boolean operations.", Cause.SYMBOLIC),
        ("pymc/distributions/distribution.py", "TypeError: Normal.dist() got an unexpected keyword argument 'sd'", Cause.OLD_INTERFACE),
        ("multiprocessing/reduction.py", "AttributeError: Can't pickle local object 'f.<locals>.g'", Cause.PICKLING),
        ("pandas/io/common.py", "FileNotFoundError: [Errno 2] No such file or directory: 'data.csv'", Cause.FILE_ACCESS),
        ("theano/tensor/var.py", "ValueError: length not known: x [id A]", Cause.SYMBOLIC),
        ("pymc/model/core.py", "KeyError: \"Dimensions {'city'} are unknown to the model\"", Cause.SHAPES),
        ("mine/menu.py", "KeyError: \"Dimensions {'city'} are unknown to the model\"", Cause.LIBRARY_FAULT),
        ("pymc3/sampling.py", "ValueError: Unused step method arguments: {'njobs'}", Cause.OLD_INTERFACE),
        ("numpy/linalg/linalg.py", "numpy.linalg.LinAlgError: Matrix is singular to machine precision.", Cause.NOT_FINITE),
        ("multiprocessing/pool.py", "multiprocessing.pool.MaybeEncodingError: x. Reason: 'PicklingError(\"Can't pickle f\")'",
         Cause.PICKLING),
        ("theano/gof/compiledir.py", "ValueError: Unable to create the compiledir directory '/root/.theano'. Check it.", Cause.FILE_ACCESS),
        ("theano/sandbox/cuda/dnn.py", "Exception: Can not compile with cuDNN.", Cause.CUDNN_UNAVAILABLE),
        ("celerite/ops.py", "celerite.LinAlgError: failed to factorize or solve matrix", Cause.NOT_FINITE),
        ("numpy/linalg.py", "numpy.linalg.LinAlgError: Last 2 dimensions of the array must be square", Cause.SHAPES),
        ("numpy/lib/format.py", "UnicodeError: Unpickling a python object failed: x", Cause.PICKLING),
        ("scipy/stats/_multivariate.py", "ValueError: The input matrix must be symmetric positive semidefinite.", Cause.NOT_FINITE),
        ("theano/scan_module/scan_op.py", "ValueError: x has 4 dimension(s), while y has 2 dimension(s)", Cause.SHAPES),
        ("theano/tensor/basic.py", "NotImplementedError", Cause.NO_IMPLEMENTATION),
        ("mine/layers.py", "NotImplementedError", Cause.NO_IMPLEMENTATION),
        ("theano/tensor/elemwise.py", "TypeError: The broadcastable pattern of the input is incorrect for this op. Expected (True, False),"
         " got (False, False).", Cause.SHAPES),
        ("theano/gradient.py", "AttributeError: 'FromFunctionOp' object has no attribute 'grad'", Cause.NO_IMPLEMENTATION),
        ("theano/tensor/type.py", "ValueError: ('object of too small depth for desired array', 'Container name \"W\"')", Cause.SHAPES),
        ("jax/_src/core.py", "Exception: Leaked trace MainTrace(1,DynamicJaxprTrace). Leaked tracer(s): Traced<x>.", Cause.SYMBOLIC),
        ("packaging/version.py", "packaging.version.InvalidVersion: Invalid version: 'N/A'", Cause.LIBRARIES),
        ("mine/gpu.py", "AttributeError: module 'theano.sandbox' has no attribute 'cuda'", Cause.OLD_GPU),
        ("mine/gpu.py", "AttributeError: module 'mine.sandbox' has no attribute 'cuda'", Cause.LIBRARIES),
    ],
)  # fmt: skip
def test_classes(file: str, error: str, expected: Cause) -> None:
    """One of each class, and beside it an exception of the same words from other code."""
    found = explain_log(f"{FRAME.format(file)}{error}\n")
    assert found is not None
    assert (found.cause, found.message) == (expected, error)


def test_a_program_that_is_not_there() -> None:
    """It is the compiler where the library that compiles asked for it; elsewhere a file is missing."""
    frames = (
        FRAME.format("theano/gof/cmodule.py") + '  File "/usr/lib/python3.8/subprocess.py", line 1704, in _execute_child\n    raise x\n'
    )
    error = "FileNotFoundError: [Errno 2] No such file or directory: '/usr/bin/g++-9'\n"
    found, other = explain_log(frames + error), explain_log(frames.replace("theano/gof/cmodule", "mine/tool") + error)
    assert found is not None
    assert other is not None
    assert (found.cause, other.cause) == (Cause.COMPILER, Cause.FILE_ACCESS)
    assert any("no C++ compiler (/usr/bin/g++-9); install" in line for line in found.advice)


def test_an_exception_that_another_one_reports() -> None:
    """Is what failed; one that is only named is not."""
    reported = explain_log("pydoc.ErrorDuringImport: problem in a.b - <class 'MemoryError'>: Unable to allocate 8.00 GiB\n")
    named = explain_log("AssertionError: <class 'MemoryError'> not raised by f\n")
    assert reported is not None
    assert named is not None
    assert (reported.cause, named.cause) == (Cause.HOST_MEMORY, Cause.NOT_RECOGNISED)


def test_a_pickle_of_python_2() -> None:
    """The unpickler is C code: the line of source that called it tells."""
    text = 'Traceback (most recent call last):\n  File "x.py", line 3, in <module>\n    print({}(open("x.pkl", "rb")))\n'
    error = "UnicodeDecodeError: 'ascii' codec can't decode byte 0xe9 in position 3: ordinal not in range(128)\n"
    found, other = explain_log(text.format("pickle.load") + error), explain_log(text.format("read").replace(".pkl", "") + error)
    assert found is not None
    assert other is not None
    assert (found.cause, other.cause) == (Cause.PICKLING, Cause.ENCODING)


def test_a_cause_that_is_named() -> None:
    """It goes before what was raised from it; what was raised while another exception was handled is the failure."""
    text = "numpy.linalg.LinAlgError: Singular matrix\n\n{}\n\nTraceback (most recent call last):\n"
    text += '  File "/x/site-packages/pymc/sampling/mcmc.py", line 3, in f\n    g()\npymc.exceptions.SamplingError: Bad initial energy\n'
    cause = explain_log(text.format("The above exception was the direct cause of the following exception:"))
    other = explain_log(text.format("During handling of the above exception, another exception occurred:"))
    assert cause is not None
    assert other is not None
    assert (cause.cause, other.cause) == (Cause.NOT_FINITE, Cause.START_VALUES)


def test_what_a_library_refuses() -> None:
    """A library that raises the error itself refused an argument, also another library's; an accident in its code is none. Where no source
    is shown, the message tells: Python has none of these words."""
    user = 'Traceback (most recent call last):\n  File "m.py", line 3, in <module>\n    f()\n'
    raising = (
        '  File "/x/site-packages/pymc/model/core.py", line 7, in g\n    raise ValueError(x)\nValueError: Variable name x already exists.\n'
    )
    between = '  File "/x/site-packages/other/b.py", line 2, in h\n    f()\n'
    bare = user + '  File "/x/egg/keras/backend.py", line 1231, in function\nValueError: {}\n'
    texts = (
        (user + raising, Cause.REFUSED),
        (user + between + raising, Cause.REFUSED),
        (
            user + raising.replace("raise ValueError(x)", "y = x[0]").replace("Variable name x already exists", "math domain error"),
            Cause.LIBRARY_FAULT,
        ),
        (bare.format('Invalid argument "add_optimizer" passed to K.function'), Cause.REFUSED),
        (
            f'{user}  File "_common.pyx", line 401, in numpy.random._common._check\nValueError: p < 0, p > 1 or p contains NaNs\n',
            Cause.REFUSED,
        ),
        (bare.format("not enough values to unpack (expected 2, got 1)"), Cause.LIBRARY_FAULT),
    )
    for text, cause in texts:
        found = explain_log(text)
        assert found is not None
        assert found.cause is cause


def test_a_name_that_a_library_itself_does_not_have() -> None:
    """Is a fault of its release; in the user's code it is the script's."""
    own = 'Traceback (most recent call last):\n  File "m.py", line 3, in <module>\n    f()\n'
    error = "NameError: name 'i' is not defined\n"
    found, other = explain_log(FRAME.format("pymc/MCMC.py") + error), explain_log(own + error)
    assert found is not None
    assert other is not None
    assert (found.cause, other.cause) == (Cause.LIBRARIES, Cause.OWN_CODE)
    assert found.advice[0].startswith("the error is in pymc's own code")


def test_an_error_of_no_known_cause_says_whose_code_raised_it() -> None:
    """It may be a fault of the library, or of the script."""
    library, own = (
        FRAME.format("theano/tensor/blas.py"),
        'Traceback (most recent call last):\n  File "m.py", line 3, in <module>\n    f()\n',
    )
    error = "LookupError: extra\n"
    found, other = explain_log(library + error), explain_log(own + error)
    assert found is not None
    assert other is not None
    assert (found.cause, other.cause) == (Cause.LIBRARY_FAULT, Cause.NOT_RECOGNISED)
    assert found.advice[0].startswith("it was raised inside of theano")
    assert other.advice[0].startswith('look at your own code, where it came from: File "m.py", line 3')


@pytest.mark.parametrize(
    "root", ["/home/me/envs/pymc/lib/python3.12", "C:\\Users\\me\\envs\\pymc\\lib", "~/miniconda3/envs/theano/lib/python3.8"]
)
def test_an_environment_that_is_called_after_a_library(root: str) -> None:
    """The name of its folder says nothing of whose code failed; the folder below does."""
    slash = "\\" if "\\" in root else "/"
    frames = 'Traceback (most recent call last):\n  File "m.py", line 3, in <module>\n    f()\n  File "{}", line 7, in g\n    h()\n'
    path = f"{root}{slash}site-packages{slash}{{}}{slash}core.py"
    error = "LookupError: not done yet\n"
    other = explain_log(frames.format(path.format("polars")) + error)
    found = explain_log(frames.format(path.format("pytensor")) + error)
    assert other is not None
    assert found is not None
    assert (other.cause, found.cause) == (Cause.LIBRARY_FAULT, Cause.LIBRARY_FAULT)
    assert "inside of polars" in other.advice[0]
    assert "inside of pytensor" in found.advice[0]


@pytest.mark.parametrize(("call", "expected"), [("f(**kwargs)", Cause.OLD_INTERFACE), ("f(x, unwrap=True)", Cause.LIBRARIES)])
def test_who_wrote_an_argument_that_is_refused(call: str, expected: Cause) -> None:
    """What a library forwards is the script's; what it writes out itself another library no longer takes."""
    frames = FRAME.format("pymc/model.py").replace("h()", call)
    found = explain_log(f"{frames}TypeError: f() got an unexpected keyword argument 'unwrap'\n")
    assert found is not None
    assert found.cause is expected


@pytest.mark.parametrize(
    ("error", "expected", "told"),
    [
        ("ImportError: ('The following error happened while compiling the node', x, '/h/.theano/compiledir_L/a.so: undefined symbol: "
         "_ZdlPvm', '[x]')", Cause.COMPILER, "_ZdlPvm belongs to the C++ runtime"),
        ("ImportError: /h/lib/python3.8/site-packages/x.so: undefined symbol: _ZdlPvm", Cause.LIBRARIES, "another release of a library"),
        ("ERROR (theano.sandbox.cuda): Failed to compile cuda_ndarray.cu: DLL load failed: %1 is not a valid Win32 application.",
         Cause.COMPILER, "must be 64-bit"),
        ("ValueError: mismatch: got 47 values to set 49 parameters", Cause.SHAPES, "has 47 arrays, but this network has 49"),
        ("TypeError: Missing required input: p_logodds__", Cause.MISSING_INPUT, "a value for p_logodds__"),
        ("TypeError: Expected an integer", Cause.DTYPES, "// an integer"),
        ("XlaRuntimeError: UNKNOWN: error: failed to legalize operation 'mhlo.popcnt'", Cause.NO_IMPLEMENTATION, "(mhlo.popcnt)"),
    ],
)  # fmt: skip
def test_causes_with_what_they_name(error: str, expected: Cause, told: str) -> None:
    """The cause, and the advice that names what the message names."""
    found = explain_log(f"{error}\n")
    assert found is not None
    assert found.cause is expected
    assert told in found.advice[0]


PYMC = "/x/lib/python3.12/site-packages/pymc/"
OWN = '  File "m.py", line 3, in <module>\n    '


@pytest.mark.parametrize(
    ("frames", "error"),
    [
        (OWN + 'print(trace[5:])\n  File "/x/site-packages/xarray/core/datatree.py", line 1, in f\n    g()\n',
         "ValueError: Invalid format for key: slice(5, None, None)"),
        (OWN + 'az.hpd(x)\n  File "/x/site-packages/arviz/__init__.py", line 1, in __getattr__\n    g()\n',
         "AttributeError: module 'arviz' has no attribute 'hpd'"),
        (OWN + 'pm.Data("d", [1.], mutable=True)\n  File "/x/lib/python3.12/functools.py", line 9, in wrapper\n'
         "    return dispatch(args[0].__class__)(*args, **kw)\n",
         "TypeError: tensor_constructor() got an unexpected keyword argument 'mutable'"),
        (OWN + f'pm.sample(start=s)\n  File "{PYMC}sampling/mcmc.py", line 1, in f\n    start=start[i],\n',
         "KeyError: 0"),
        (OWN + f'm["s_log__"]\n  File "{PYMC}model/core.py", line 1, in f\n    raise e\n',
         "KeyError: 's_log__'"),
        (OWN + f'm.logp(p)\n  File "{PYMC}model/core.py", line 1, in logp\n    rv = x.get(var, var)\n',
         "TypeError: unhashable type: 'dict'"),
        (OWN + '@pm.deterministic\n', "TypeError: 'module' object is not callable"),
        (OWN + 'm.dict_to_array(x)\n', "AttributeError: 'Model' object has no attribute 'dict_to_array'"),
        (OWN + 'pm.diagnostics.gelman_rubin(t)\n',
         "AttributeError: module 'pymc3' has no attribute 'diagnostics'"),
    ],
)  # fmt: skip
def test_scripts_of_pymc3_on_a_newer_one(frames: str, error: str) -> None:
    """What PyMC 5.28 and 6.4 with ArviZ 0.23 and 1.3 raised for old scripts, by class and frame."""
    found = explain_log(f"Traceback (most recent call last):\n{frames}{error}\n")
    assert found is not None
    assert found.cause is Cause.OLD_INTERFACE


@pytest.mark.parametrize(
    ("frames", "error", "expected"),
    [
        ('  File "/x/site-packages/pymc3/stats/__init__.py", line 32, in <module>\n    geweke = f(az.geweke)\n',
         "AttributeError: module 'arviz' has no attribute 'geweke'", Cause.LIBRARIES),
        (OWN + 'pm.Model()\n', "AttributeError: module 'pymc3' has no attribute 'Model'", Cause.LIBRARIES),
        (f'  File "{PYMC}model/core.py", line 1, in f\n    return self.named_vars[key]\n', "KeyError: 'e'", Cause.REFUSED),
        (OWN + 'm.output_names\n', "AttributeError: 'Model' object has no attribute 'output_names'",
         Cause.LIBRARIES),
        ('  File "/x/site-packages/numpy/core.py", line 2, in f\n    g()\n', "numpy.exceptions.AxisError: axis 7 is out of bounds",
         Cause.SHAPES),
    ],
)  # fmt: skip
def test_what_is_no_old_script(frames: str, error: str, expected: Cause) -> None:
    """The same words from installed packages, of other classes, or for names that each release has."""
    found = explain_log(f"Traceback (most recent call last):\n{frames}{error}\n")
    assert found is not None
    assert found.cause is expected


@pytest.mark.parametrize(
    ("frames", "error", "expected", "advice"),
    [
        ('  File "a.py", line 3, in <module>\n    net = cPickle.load(f)\n', "AttributeError: 'module' object has no attribute 'Layer'",
         Cause.PICKLING, "(Layer)"),
        ('  File "a.py", line 3, in <module>\n    net = pickle.load(f)\n  File "/x/site-packages/theano/gpuarray/type.py", line 9, in u\n'
         "    raise ContextNotDefined(name)\n", "theano.gpuarray.type.ContextNotDefined: context name None not defined",
         Cause.PICKLING, "pickled on a GPU"),
        ('  File "a.py", line 3, in <module>\n    m.run()\n  File "/x/site-packages/nutpie/compile_pymc.py", line 7, in f\n    g()\n',
         "AttributeError: module 'pymc.model' has no attribute 'make_f'", Cause.LIBRARIES, "too old for nutpie: upgrade nutpie"),
        ('  File "a.py", line 3, in <module>\n    import bambi\n  File "/x/site-packages/bambi/a.py", line 7, in f\n    at.nnet\n'
         '  File "/x/site-packages/aesara/tensor/__init__.py", line 5, in __getattr__\n    raise AttributeError(x)\n',
         "AttributeError: module aesara.tensor has no attribute nnet", Cause.LIBRARIES, "upgrade bambi"),
        ('  File "a.py", line 3, in <module>\n    T.reshape(x, (a / 2, -1))\n  File "/x/site-packages/theano/tensor/b.py", line 7, in m\n'
         '    raise TypeError("Shape must be integers")\n', "TypeError: ('Shape must be integers', TensorConstant{2.0}, 'float64')",
         Cause.DTYPES, "//"),
        ('  File "a.py", line 3, in <module>\n    name="walk")\n', "TypeError: scan() got an unexpected keyword argument 'states'",
         Cause.OLD_INTERFACE, "outputs_info"),
        ('  File "a.py", line 3, in <module>\n    f()\n  File "/x/site-packages/keras/a.py", line 7, in f\n    k = kernel.eval()\n',
         "AttributeError: 'numpy.ndarray' object has no attribute 'eval'", Cause.LIBRARY_FAULT, "K.variable(x)"),
        ('  File "/x/site-packages/pymc3/model.py", line 179, in get_context\n    return cls.get_contexts()[-1]\n',
         "IndexError: list index out of range", Cause.LIBRARY_FAULT, "with pm.Model()"),
        ('  File "/x/site-packages/theano/sandbox/gpuarray/__init__.py", line 7, in <module>\n    raise RuntimeError(v)\n',
         "RuntimeError: ('Wrong version:', 2, 'Make sure Theano and pygpu are in sync.')", Cause.GPU_NOT_STARTED, "pygpu"),
        ('  File "a.py", line 3, in <module>\n    y = lasagne.layers.rectify(x)\n',
         "AttributeError: 'module' object has no attribute 'rectify'", Cause.LIBRARIES, "lasagne.layers has no rectify"),
        ('  File "/x/site-packages/pytensor/graph/rewriting/basic.py", line 7, in process_node\n    t()\n'
         '  File "/x/site-packages/pytensor/tensor/rewriting/basic.py", line 9, in constant_folding\n    dot(x, y)\n',
         "ValueError: shapes (8,4) and (8,1) not aligned: 4 (dim 1) != 8 (dim 0)", Cause.SHAPES, "product"),
    ],
)  # fmt: skip
def test_what_the_frames_tell(frames: str, error: str, expected: Cause, advice: str) -> None:
    """A file of objects that is read, a library that asks another one, constants that are folded, and whose code failed by accident."""
    found = explain_log(f"Traceback (most recent call last):\n{frames}{error}\n")
    assert found is not None
    assert found.cause is expected
    assert advice in found.advice[0]


@pytest.mark.parametrize(
    ("text", "expected", "advice"),
    [
        ("RuntimeError: Cuda error 'unknown error' while copying 4 data element to device memory. str ptr=0x1\nC:\\x\\a.dll\n",
         Cause.GPU_FAULT, "TdrDelay"),
        ("Error allocating 4096 bytes of device memory (x). Driver report 0 bytes free and 0 bytes total\n", Cause.GPU_FAULT, ""),
        ('Traceback (most recent call last):\n  File "n.py", line 3, in f\n    g()\n'
         '  File "cudaray/a.pyx", line 12, in cudaray.check (./c.cpp:763)\nValueError: out of memory\n', Cause.DEVICE_UNKNOWN_SIZE, ""),
        ('  File "/x/site-packages/mine/m.py", line 4, in __init__\n    super().__init__(\n\n'
         "TypeError: __init__() got an unexpected keyword argument 'parts'\n", Cause.LIBRARIES, ""),
        ("XlaRuntimeError: UNKNOWN: <unknown>:0: error: 'func.func' op some input/output data types are not supported.\n",
         Cause.NO_IMPLEMENTATION, "an operation (func.func)"),
        ('  File "/x/jax/random.py", line 4, in split\n    s()\nRuntimeError: CUDA operation failed: device kernel image is invalid\n',
         Cause.GPU_NOT_STARTED, "jax[cuda12]"),
        ('  File "/x/site-packages/theano/gof/lazylinker_c.py", line 4, in <module>\n    os.mkdir(loc)\n'
         "FileExistsError: [Errno 17] File exists: '/h/.theano/compiledir_Linux/lazylinker_ext'\n", Cause.COMPILE_LOCK, "start together"),
        (FRAME.format("theano/tensor/basic.py").replace("m.py", "/x/keras/m.py") +
         "AttributeError: 'Tensor' object has no attribute 'type'\n",
         Cause.SYMBOLIC, "KERAS_BACKEND=theano"),
        (FRAME.format("pytensor/xtensor/type.py") + "TypeError: x must be have an XTensorType\n", Cause.SYMBOLIC, ""),
        (FRAME.format("opt_einsum/c.py") + "ValueError: Einstein sum subscript c does not contain the correct number of indices.\n",
         Cause.SHAPES, ""),
        ('  File "/x/site-packages/keras/layers/merge.py", line 61, in _shape\n    str(a) + str(b))\n'
         "ValueError: Operands could not be broadcast together with shapes (32, 16, 44) (32, 16, 22)\n", Cause.SHAPES, "channels_first"),
    ],
)  # fmt: skip
def test_errors_that_others_hide(text: str, expected: Cause, advice: str) -> None:
    """A driver that answers no more is not full; what a package writes out in a call, and what a compiler has no form for, are told."""
    found = explain_log(text)
    assert found is not None
    assert found.cause is expected
    assert advice in "\n".join(found.advice)


def test_a_folder_of_the_blas_flags_that_is_gone() -> None:
    """Where the library looks into the folders of its flags that is a setting; elsewhere a missing file."""
    error = "FileNotFoundError: [Errno 2] No such file or directory: '/opt/arm64-builds/lib'\n"
    frame = '  File "/v/lib/python3.8/site-packages/aesara/tensor/blas.py", line 473, in {}\n    for f in os.listdir(d):\n'
    flags, other = (explain_log(f"Traceback (most recent call last):\n{frame.format(name)}{error}") for name in ("_ldflags", "read"))
    assert flags is not None
    assert other is not None
    assert (flags.cause, other.cause) == (Cause.BLAS, Cause.FILE_ACCESS)
    assert any("/opt/arm64-builds/lib, a folder of blas.ldflags" in line for line in flags.advice)


def test_an_argument_that_the_failed_line_has() -> None:
    """The script wrote it, and nothing tells whose function that is; one that the line has not, it did not write."""
    frame = 'Traceback (most recent call last):\n  File "m.py", line 7, in <module>\n    {}\n'
    text = frame + "TypeError: __init__() got an unexpected keyword argument 'dot_axes'\n"
    wrote, other = (explain_log(text.format(line)) for line in ("dot_axes=[(2,), (2,)]))", "build()"))
    assert wrote is not None
    assert other is not None
    assert (wrote.cause, other.cause) == (Cause.REFUSED, Cause.OWN_CODE)
    assert any("__init__ has no argument dot_axes" in line for line in wrote.advice)


def test_nan_that_a_script_prints_comes_before_its_own_error() -> None:
    """What the script's own code raises afterwards follows from it; what a library raises is another failure."""
    frame = '  File "m.py", line 49, in main\n    print(cost.mean())\n'
    found = explain_log(f"NaN detected\nTraceback (most recent call last):\n{frame}AttributeError: no mean\n")
    assert found is not None
    assert found.cause is Cause.NOT_FINITE
    other = explain_log(f"NaN detected\n{FRAME.format('theano/gof/fg.py')}theano.gof.fg.MissingInputError: Input 0 of the graph\n")
    assert other is not None
    assert other.cause is Cause.MISSING_INPUT


def test_a_rewrite_that_computes_without_c_code() -> None:
    """A report of a rewrite that failed quotes what it raised; without the report nothing says that the job goes on."""
    raised = (
        'Traceback (most recent call last):\n  File "/e/site-packages/theano/gof/opt.py", line 17, in process_node\n    x = f(node)\n'
        '  File "/e/site-packages/theano/gof/op.py", line 769, in perform\n    "Did you"\n'
        "MethodNotDefined: ('perform', <class 'theano.tensor.elemwise.Elemwise'>, 'Elemwise')\n"
    )
    report = "ERROR (theano.gof.opt): Optimization failure due to: local_useless_inc_subtensor\nERROR (theano.gof.opt): TRACEBACK:\n"
    reported, alone = explain_log(report + raised), explain_log(raised)
    assert reported is not None
    assert alone is not None
    assert (reported.cause, alone.cause) == (Cause.REWRITE_FAILED, Cause.NO_IMPLEMENTATION)
    assert "optimizer_excluding=local_useless_inc_subtensor" in reported.advice[0]
