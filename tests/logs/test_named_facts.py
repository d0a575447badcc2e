"""Cause, sentence and advice take up what the log names: versions, names, lengths, the library and the frame that raised."""

from __future__ import annotations

import pytest

from tests.logs.pasted import SCRIPT, diagnosed, frame
from theanodiag.logs import Cause, explain_log


def node(op: str, types: str, shapes: str) -> str:
    """What Theano prints below an error."""
    return f"Apply node that caused the error: {op}\nToposort index: 1\nInputs types: [{types}]\nInputs shapes: [{shapes}]\n"


@pytest.mark.parametrize(
    ("raising", "cause", "told"),
    [
        (frame("/e/site-packages/lasagne/layers/dnn.py", "super(Conv2D, self).__init__(incoming, **kwargs)", "__init__")
         + "TypeError: __init__() got an unexpected keyword argument 'border_mode'\n", Cause.OLD_INTERFACE, "installed lasagne"),
        (frame("/home/me/nntools/lasagne/layers/recurrent.py", "strict=True)[0]")
         + "TypeError: scan() got an unexpected keyword argument 'strict'\n", Cause.LIBRARIES, "lasagne calls scan with strict"),
        (frame("/e/site-packages/keras/layers/convolutional.py", "filter_shape=self.W_shape)", "get_output")
         + "TypeError: dnn_conv() got an unexpected keyword argument 'image_shape'\n", Cause.LIBRARIES, "keras calls dnn_conv"),
        (frame("/home/me/keras/run.py", "fit(strict=True)")
         + "TypeError: fit() got an unexpected keyword argument 'strict'\n", Cause.REFUSED, "fit has no argument strict"),
    ],
)  # fmt: skip
def test_who_wrote_an_argument_that_is_not_taken(raising: str, cause: Cause, told: str) -> None:
    """A class that hands it on was given it by the script; a library's checkout counts as the library, a script beside it does not."""
    diagnosis = diagnosed(SCRIPT + raising)
    assert diagnosis.cause is cause
    assert told in "\n".join(diagnosis.advice)


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("AttributeError: Can't pickle local object 'outer.<locals>.fn'", "cloudpickle.dumps(model)"),
        (
            "_pickle.PicklingError: Can't pickle <function outer.<locals>.fn at 0x7f>: it's not found as m.outer.<locals>.fn",
            "outer.<locals>.fn",
        ),
    ],
)
def test_what_a_script_itself_pickles(text: str, told: str) -> None:
    """Where the script writes a file, there is no other process."""
    advice = "\n".join(diagnosed(f"{SCRIPT}{frame('train.py', 'pickle.dump(model, f)')}{text}\n").advice)
    assert told in advice
    assert "cores=1" not in advice
    assert "cores=1" in "\n".join(diagnosed(f"{SCRIPT}{text}\n").advice)


def test_an_error_that_a_compiled_function_passes_up() -> None:
    """The frames of the first of two equal errors say whose code raised it; the library of the last one only raised it again."""
    words = "TypeError: unsupported operand type(s) for %: 'NoneType' and 'int'\n"
    inner = frame("/e/site-packages/hssm/dist.py", "elif size % n != 0:", "rng_fn")
    outer = frame("/e/site-packages/pytensor/link/utils.py", "raise exc_value.with_traceback(exc_trace)", "raise_with_op")
    joint = "\nDuring handling of the above exception, another exception occurred:\n\n"
    diagnosis = diagnosed(f"{SCRIPT}{inner}{words}{joint}{SCRIPT}{outer}{words}Apply node that caused the error: x\n")
    assert diagnosis.cause is Cause.LIBRARY_FAULT
    assert "hssm" in diagnosis.why


@pytest.mark.parametrize(
    ("name", "told"),
    [
        ("bool", "'numpy<1.24' still has it, and theanodiag run --fix-numpy"),
        ("alltrue", "'numpy<2' still has it, and theanodiag run --fix-numpy"),
        ("asscalar", "'numpy<1.23'"),
        ("obj2sctype", "'numpy<2' still has it"),
        ("_get_ndarray_c_version", "'numpy<1.16'"),
        ("never_was_there", "'numpy<1.22' for Theano 1.0.5"),
    ],
)
def test_the_numpy_that_has_a_name(name: str, told: str) -> None:
    """The release that took the name away is known; that it can be given back is said where it can."""
    advice = "\n".join(diagnosed(f"{SCRIPT}AttributeError: module 'numpy' has no attribute '{name}'\n").advice)
    assert told in advice
    assert ("--fix-numpy" in advice) == ("--fix-numpy" in told or name == "asscalar")


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("RuntimeError: Mixed dnn version. The header is version 5005 while the library is version 5110.", "libcudnn of 5110"),
        ("NotImplementedError: No JAX conversion for the given `Op`: LogDet", "JAX has no LogDet here"),
        ("IndexError: index 8 is out of bounds for axis 1 with size 6\n" + node("AdvancedIncSubtensor(x, y)", "x, y", "(10, 6), (3,)"),
         "the output has 6 classes"),
        (frame("/e/site-packages/keras/utils/generic_utils.py", "code = marshal.loads(raw_code)", "func_load")
         + "ValueError: bad marshal data (unknown type code)", "that version of Python"),
        (frame("/e/site-packages/numpy/lib/polynomial.py", "import numpy.core.numeric as NX")
         + "AttributeError: 'module' object has no attribute 'core'", "does not find its own part core"),
        ("m.h(243) : fatal error C1083: Cannot open include file: 'basetsd.h': No such file or directory", "install the Windows SDK"),
        ("Exception: (\"Compilation failed (return status=1): C:/TDM-GCC-64/bin/../x86_64-w64-mingw32/bin/ld.exe: cannot open output file",
         "a compiler of the system (TDM-GCC-64)"),
        ('GpuArrayException: Could not load "libcuda.so": /usr/lib/libcuda.so: file too short', "--gpus all"),
        ("OSError: [Errno 12] Cannot allocate memory", "cores=1"),
        ("ImportError: ('The following error happened while compiling the node', Dot22(x, W), '\\n', '/h/.theano/compiledir_x/m.so: "
         "undefined symbol: _gfortran_transfer_integer_write', '[Dot22(x, W)]')", "add -lgfortran to blas.ldflags"),
        (frame("/e/egg/recurrentshop/engine.py", "").replace("\n    \n", "\n") + "ImportError: cannot import name Layer",
         "recurrentshop imports Layer"),
        (frame("train.py", "dictionary: corpora.Dictionary,") + "   ^\nSyntaxError: invalid syntax", "script with python3"),
        (frame("tools.py", "caption = [words[i]]") + "KeyError: 20001", "has no 20001"),
        (frame("m.py", "draw()") + '  File "_common.pyx", line 401, in numpy.random._common._check\nValueError: p < 0, p > 1 or NaNs',
         "outside of its range"),
        ("ImportError: /e/site-packages/x.so: undefined symbol: PyUnicodeUCS2_Decode", "another version of Python"),
        (frame("/e/site-packages/numpy/lib/npyio.py", '"Failed to interpret file %s as a pickle" % repr(file))')
         + "IOError: Failed to interpret file 'a.npz' as a pickle", "Git LFS"),
        (frame("/e/lib/python3.9/signal.py", "handler = _signal.signal(x, y)") + "ValueError: signal only works in main thread",
         "a process of its own"),
        (frame("train.py", "a, b = load()") + "ValueError: too many values to unpack (expected 2)", "another number of values"),
        (frame("train.py", "x = image.shape") + "AttributeError: 'NoneType' object has no attribute 'shape'", "line uses None"),
        (frame("train.py", "n = sys.argv[1]") + "IndexError: list index out of range", "sys.argv"),
        (frame("train.py", "m = 1 / n") + "ZeroDivisionError: division by zero", "divides by 0"),
        (frame("/e/site-packages/pymc3/a.py", "f(next(x))") + "TypeError: list object is not an iterator", "a list is not an iterator"),
        ("ValueError: Input dimension mis-match. (input[0].shape[1] = 10, input[2].shape[1] = 4)", "inputs 0 and 2 of the node"),
        ("IndexError: index 12 is out of bounds for size 10\n" + node("AdvancedSubtensor1(W, y)", "x, y", "(10, 5), (3,)"), "0 to 10 - 1"),
        ("IndexError: One of the index value is out of bound. Error code: 65535.\\n\n"
         + node("GpuAdvancedSubtensor1(W, Elemwise{Cast{int64}}.0)", "x, y", "(30, 50), (960,)"), "the table that it indexes has 30 rows"),
        ("theano.gradient.DisconnectedInputError: grad method was asked to compute the gradient with respect to a variable that is "
         "not part of the computational graph of the cost, or is used only by a non-differentiable operator: Conv1_p0",
         "not depend on Conv1_p0"),
        ("theano.compile.function_module.UnusedInputError: theano.function was asked to create a function computing outputs given "
         "certain inputs, but the provided input variable at index 1 is not part of the computational graph needed to compute the "
         "outputs: step.", "do not depend on step:"),
        (frame("/e/site-packages/theano/tensor/blas.py", "% (t, ldflags_str))", "_ldflags")
         + "ValueError: invalid token \"['-lblas',\" in ldflags_str: \"['-lblas', '-lgfortran']\"", "(blas__ldflags) has ['-lblas'"),
        (frame("train.py", "from theano.sandbox.cuda import filter") + "ImportError: cannot import name filter", "after it has started"),
        (frame("train.py", "y = scipy.signal.windows.hann(3)") + "AttributeError: module 'scipy.signal' has no attribute 'windows'",
         "import scipy.signal.windows"),
        ("AttributeError: module 'pymc' has no attribute 'sampling_jax'", "import pymc.sampling_jax"),
        ("Exception: Compilation failed (return status=1): C:/w/mingw32/lib/libstdc++.a(basic_file.o): undefined reference to `write'",
         "the compiler's own libstdc++"),
        (frame("/e/site-packages/pymc/sampling/parallel.py", "draw = ProcessAdapter.recv_draw(self._active)", "__iter__") + "EOFError\n",
         "a sampling process ended"),
        (frame("/e/lib/python3.6/site-packages/keras/engine/topology.py", "weights[0] = conv_utils.convert_kernel(weights[0])",
               "preprocess_weights_for_loading")
         + frame("/e/lib/python3.6/site-packages/h5py/_hl/selections.py", 'raise TypeError("Indexing elements must be")')
         + "TypeError: Indexing elements must be in increasing order", "the weights file and this Keras do not match"),
        (frame("/e/site-packages/pymc3/sampling.py", "sampler_fn = compile_rv_inplace(") +
         frame("/e/site-packages/aesara/compile/function/pfunc.py", 'raise TypeError("Constants not allowed in param list", param)')
         + "TypeError: ('Constants not allowed in param list', TensorConstant{[]})", "PyMC made this call, and aesara rejects it"),
        ("AsTensorError: ('Variable type field must be a TensorType.', <Generic>, <theano.gof.type.Generic object at 0x10>)",
         "could not convert the value (Generic)"),
        (frame("/e/site-packages/theano/gradient.py", "raise TypeError(msg)", "access_term_cache")
         + "TypeError: Elemwise{mul,no_inplace}.grad illegally  returned an integer-valued variable. (Input index 1, dtype bool)",
         "comparisons in Elemwise{mul,no_inplace}: cast"),
        (frame("train.py", "z = T.maximum(1 - y, 0)")
         + frame("/e/site-packages/tensorflow/python/framework/ops.py", 'raise TypeError("Using a `tf.Tensor` as', "__bool__")
         + "TypeError: Using a `tf.Tensor` as a Python `bool` is not allowed. Use `if t is not None:`", "variables of two back-ends"),
        (frame("/e/lib/python3.3/site-packages/pymc/__init__.py", "from distributions import *", "<module>")
         + "ImportError: No module named 'distributions'", "as Python 2 does: install a pymc for Python 3"),
        (frame("/e/site-packages/pymc/pytensorf.py", "raise NotConstantValueError", "constant_fold")
         + "pytensor.tensor.exceptions.NotConstantValueError", "coords without missing values"),
        ("AttributeError: `np.obj2sctype` was removed in the NumPy 2.0 release. Use `np.dtype(obj).type` instead.", "'numpy<2'"),
        (frame("/e/site-packages/pymc3/sampling.py", "idata = arviz.from_pymc3(trace, save_warmup=True)", "sample")
         + "TypeError: from_pymc3() got an unexpected keyword argument 'save_warmup'", "pip install -U arviz"),
        (frame("/e/site-packages/pymc3/gp/gp.py", "L = cholesky(stabilize(cov))")
         + frame("/e/site-packages/numpy/lib/function_base.py", '"array must not contain infs or NaNs")', "asarray_chkfinite")
         + "ValueError: array must not contain infs or NaNs", "its length scale, period and amplitude"),
        (frame("/e/site-packages/blackjax/adaptation/staged_adaptation.py", "new_state, info = mcmc_kernel(", "one_step")
         + "TypeError: build_kernel.<locals>.kernel() got an unexpected keyword argument 'progress_bar'", "pip install 'blackjax<1.6'"),
        ("RuntimeError: error doing operation: CUDNN_STATUS_INTERNAL_ERROR\n" + node("GpuDnnConv{algo='small'}(x, y)", "x", "(2, 3)"),
         "cuDNN itself failed"),
        ("AsTensorError: ('Variable type field must be a TensorType.', SparseConstant{csr,float32,shape=(3, 9),nnz=8}, Sparse[float32])",
         "x.toarray()"),
        (frame("/e/site-packages/starry/ops.py", 'raise NotImplementedError("Only C op is implemented")', "perform")
         + "NotImplementedError: Only C op is implemented", "needs a C++ compiler"),
        ("src/wfpt.cpp:629:10: fatal error: 'algorithm' file not found", "the SDK's algorithm"),
        ("ValueError: all the input array dimensions except for the concatenation axis must match exactly\n"
         + node("Join(x)", "x", "(), (17, 80), (1, 8)"), "other than the joined one: (17, 80), (1, 8);"),
        ("  File \"/e/site-packages/theano/gof/cutils.py\", line 322, in <module>\n    from cutils_ext.cutils_ext import *\n"
         "ImportError: libpython3.7m.so.1.0: cannot open shared object file", "LD_LIBRARY_PATH=$CONDA_PREFIX/lib"),
        ("TypeError: ('Non-unit size in broadcastable dimension 0', 'Container name \"None\"')", "an axis (0) of an input is declared"),
        (frame("/e/site-packages/pymc/sampling/forward.py", "values = sampler_fn(**param)", "sample_posterior_predictive")
         + "ValueError: shape mismatch: objects cannot be broadcast to a single shape.  Mismatch is between arg 0 with shape (80,)",
         "shape=mu.shape"),
        (frame("/e/site-packages/pymc/pytensorf.py", "ret = np.asarray(data)") + "ValueError: setting an array element with a sequence. "
         "The requested array has an inhomogeneous shape after 1 dimensions.", "numpy.shape(row)"),
        (frame("/e/site-packages/pymc3/plots/trace.py", "get_names(trace.varnames)") + "AttributeError: 'tuple' object has no attribute "
         "'varnames'", "trace is a tuple"),
        (frame("/e/site-packages/pymc3/plots/trace.py", "") + "AttributeError: 'tuple' object has no attribute 'varnames'",
         "a tuple where pymc3 takes an object that has varnames"),
        ("    net = lasagne.layers.DenseLayer(net, nonlinearity=lasagne.layers.nonlinearities.rectify)\n\nAttributeError: 'module' object "
         "has no attribute 'nonlinearities'", "lasagne.layers has no nonlinearities"),
        ("KeyError: \"'day' is not a valid dimension or coordinate for Dataset with dimensions Frozen({'chain': 1, 'f_dim_0': 38})\"",
         "no dimension day, but 'chain': 1, 'f_dim_0': 38"),
        (SCRIPT + "AttributeError: 'Logistic' object has no attribute 'norm'", "objects of Logistic have no norm"),
        (SCRIPT + "AttributeError: 'list' object has no attribute 'shape'", "numpy.asarray(x)"),
        ("ShapeError: Resizing dimension 'city' is impossible, because a `TensorConstant` stores its length.", "add_coord('city', values"),
        ("AssertionError: Can't store in size_t for the bytes requested 50 * 4\nApply node that caused the error: GpuAllocEmpty(a.0)\n"
         "Inputs values: [array(100), array(-42)]", "is negative (-42)"),
        (frame("/e/site-packages/pytensor/tensor/einsum.py", "for a, b, c, _, _ in found:", "einsum")
         + "ValueError: not enough values to unpack (expected 5, got 3)", "numpy<2.4"),
        ("Signal: Segmentation fault (11)\n[host] [ 0] /lib/x86_64-linux-gnu/libpthread.so.0(+0x1) [0x7f]\n"
         "[host] [ 1] /home/me/lib/libgpuarray.so.2(gpukernel_release+0) [0x7f]", "belongs to libgpuarray:"),
        ("Program received signal SIGSEGV, Segmentation fault.\n#0  0x00007fff in mkl_dgemm () from /opt/lib/libmkl_rt.so",
         "belongs to libmkl_rt:"),
        ("OMP: Error #15: Initializing libomp.dylib, but found libiomp5.dylib already initialized.", "KMP_DUPLICATE_LIB_OK"),
        ("Error compiling Cython file:\n    chosen = src.ga.dimensions[0] / gpucount\n                 ^\npygpu/collectives.pyx:394:55: "
         "Cannot assign type 'double' to 'size_t'", "'Cython<3'"),
        ("theano.gradient.NullTypeGradError: tensor.grad encountered a NaN. This variable is Null because the grad method for input 0 "
         "(Reshape{4}.0) of the DownsampleFactorMax{(3, 3),(2, 2),True} op is not implemented.", "DownsampleFactorMax has no gradient"),
        (frame("/e/site-packages/theano/tensor/nnet/conv.py", "raise NotImplementedError(m)")
         + "NotImplementedError: ERROR: We disable ConvOp.grad now when dx or dy are different from 1 and 2", "ConvOp has no gradient"),
        ("ValueError: (\"convolution algo %s can't be used for 3d convolutions\", ('deterministic',))\n\nERROR (theano.gof.opt): "
         "Optimization failure due to: local_abstractconv_check\nAssertionError: AbstractConv3d_gradWeights Theano optimization failed: "
         "there is no implementation available supporting the requested options.", "is deterministic, which cuDNN"),
        ("XlaRuntimeError: INTERNAL: cuSolver internal error", "jaxlib that does not match the CUDA"),
        ("RuntimeError: Failed to generate a new initial position\n\nCaused by:\n    0: Failed to initialize point\n"
         "    1: AttributeError: 'NoneType' object has no attribute 'shape'", "newest nutpie"),
        (frame("/e/site-packages/causalimpact-0.1-py2.7.egg/causalimpact/a.py", "std=identity):", "<module>")
         + "NameError: name 'identity' is not defined", "in causalimpact's own code"),
        (frame("/e/site-packages/pymc/gp/util.py", "from pymc.model import x", "<module>")
         + "ModuleNotFoundError: No module named 'pymc.model'", "pymc lacks model, which is a part of it"),
        (frame("train.py", "o = lasagne.objectives.Objective(y,") + "AttributeError: 'module' object has no attribute 'Objective'",
         "lasagne.objectives has no Objective in the installed lasagne"),
        ("Exception: Compilation failed (return status=1): In file included from /e/include/python3.6m/Python.h:25:. In file included from "
         "/Library/Developer/CommandLineTools/usr/bin/../include/c++/v1/cmath:314: error: no member named 'signbit' in the global "
         "namespace", "headers and the SDK are from different releases"),
        (frame("/e/site-packages/keras/models.py", "raise ValueError('No model found in config file.')", "load_model")
         + "ValueError: No model found in config file.", "then model.load_weights(path)"),
        (frame("/e/site-packages/theano/compile/function_module.py", "self.fn() if output_subset is None else", "__call__")
         + "ValueError: expected an ndarray\n" + node("Elemwise{add}(FromFunctionOp{f}.0)", "TensorType(float64, scalar)", "()"),
         "return numpy.asarray(value, dtype)"),
        (frame("/e/site-packages/theano/scan_module/scan_utils.py", "raise ValueError(error_msg)") + "ValueError: Scan cannot parse the "
         "return value of your lambda expression, which is: [[x, y], z]", "a flat list or tuple"),
        (frame("train.py", "y = tt.exp(x)") + "NameError: name 'tt' is not defined", "import theano.tensor as tt"),
        (frame("train.py", "y = rate(x)") + "NameError: name 'rate' is not defined", "rate has no value there"),
        ("RuntimeError: CorrMM failed to allocate working memory of 1 x 576 x 2849600\n"
         + node("CorrMM{half, (1, 1)}(x, y)", "x", "(1, 64, 1560, 1824), (32, 64, 3, 3)"), "has 1560 x 1824 pixels"),
        ("RuntimeError: could not set tensor4d descriptor: CUDNN_STATUS_BAD_PARAMshapes=0 2 1 1 strides=2 1 1 1", "is empty"),
    ],
)  # fmt: skip
def test_what_the_log_names_is_in_the_advice(text: str, told: str) -> None:
    """Each form as the named library prints it."""
    assert told in "\n".join(diagnosed(f"{SCRIPT}{text}\n").advice)


def test_a_module_that_lacks_its_own_part_is_not_told_of_another_one() -> None:
    """Nor is an environment that is called after a library taken for it."""
    text = "Cell In[1], line 1\n----> 1 import pytensor\n\nFile ~/envs/pymc/lib/python3.14/site-packages/pytensor/tensor/__init__.py:125\n"
    text += "--> 125 from pytensor.tensor.blas import batched_dot\n\nImportError: cannot import name 'batched_dot' from 'pytensor'\n"
    advice = "\n".join(diagnosed(text).advice)
    assert "pytensor lacks batched_dot, which is a part of it" in advice
    assert "pymc" not in advice


def test_a_rule_is_not_taken_for_a_list_of_choices() -> None:
    """`must be in increasing order` names no values to choose from."""
    log = SCRIPT + frame("/e/site-packages/h5py/a.py", "raise TypeError(") + "TypeError: Indexing elements must be in increasing order\n"
    assert "takes one of these" not in "\n".join(diagnosed(log).advice)


def test_the_host_memory_of_a_node() -> None:
    """Rows and dtype of the node's inputs say what to make smaller; of an output that is not the first no size is known."""
    inputs = node("Elemwise{sqr,no_inplace}(x)", "TensorType(float64, 4D)", "(128, 128, 64, 128)")
    batch = diagnosed(f"{SCRIPT}MemoryError: \n{inputs}")
    assert batch.request.bytes == 128 * 128 * 64 * 128 * 8
    assert "has 128 rows: if they are the batch" in batch.advice[0]
    assert "floatX=float32" in batch.advice[1]
    softmax = node("CrossentropySoftmaxArgmax1HotWithBias(x, b, y)", "TensorType(float64, matrix), TensorType(float64, vector), "
                   "TensorType(int32, vector)", "(5888, 100410), (100410,), (5888,)")  # fmt: skip
    second = diagnosed(f"{SCRIPT}MemoryError: failed to alloc sm output\n{softmax}")
    assert second.cause is Cause.HOST_MEMORY
    assert second.request.bytes is None
    first = diagnosed(f"{SCRIPT}MemoryError: failed to alloc nll output\n{softmax}")
    assert first.request.bytes == 5888 * 8


@pytest.mark.parametrize(
    ("text", "cause", "said"),
    [
        ("RuntimeError: Cuda error: GpuElemwise: an illegal memory access was encountered.", Cause.GPU_FAULT, "outside of its arrays"),
        ("RuntimeError: Cuda error: kernel_reduce: the launch timed out and was terminated.", Cause.GPU_FAULT, "longer than the system"),
        ("RuntimeError: Error in the elemwise call", Cause.GPU_FAULT, "an element-wise kernel failed"),
        (frame("/e/site-packages/keras/a.py", "x.y") + "AttributeError: 'NoneType' object has no attribute 'y'", Cause.LIBRARY_FAULT,
         "got None where it expects an object (keras)"),
        (frame("/e/site-packages/blocks/a.py", "raise ValueError(") + "ValueError: x must be a list", Cause.REFUSED,
         "violates the condition in the message (blocks)"),
    ],
)  # fmt: skip
def test_the_sentence_says_what_the_line_says(text: str, cause: Cause, said: str) -> None:
    """Not only that a kernel, a library or an argument failed."""
    diagnosis = diagnosed(f"{SCRIPT}{text}\n")
    assert diagnosis.cause is cause
    assert said in diagnosis.why


def test_a_line_is_printed_by_the_program_that_has_it() -> None:
    """This one is Theano's, not of CUDA's runtime."""
    assert "gpuarray/elemwise.py" in diagnosed(f"{SCRIPT}RuntimeError: Error in the elemwise call\n").source


def test_a_part_of_its_own_is_imported_from_the_package_itself() -> None:
    """A name of another library that the last frame asks for is none."""
    log = (
        SCRIPT + frame("/e/site-packages/lasagne/__init__.py", "from .pool import *", "<module>")
        + frame("/e/site-packages/lasagne/layers/pool.py", "from theano.tensor.signal import downsample", "<module>")
        + "ImportError: cannot import name downsample\n"
    )  # fmt: skip
    assert "which is a part of it" not in "\n".join(diagnosed(log).advice)


def test_a_library_that_runs_from_its_own_folder() -> None:
    """A path that begins with the library's name is the library's, not the script's."""
    frames = frame("theano/__init__.py", "import theano.sandbox.cuda", "<module>") + frame("theano/sandbox/opt.py", "x.optdb", "<module>")
    log = f"{SCRIPT}{frames}AttributeError: 'list' object has no attribute 'optdb'\n"
    assert diagnosed(log).cause is not Cause.OWN_CODE
    assert diagnosed(log.replace("theano/sandbox/opt.py", "nets/opt.py")).cause is Cause.OWN_CODE


def test_a_folder_with_a_library_s_name_is_the_user_s_where_the_script_is_in_it() -> None:
    """The library's own checkout has no script of the user in it."""
    log = (
        frame("/home/me/theano/lstm/train.py", "model = build(10)", "<module>")
        + frame("/home/me/theano/lstm/net.py", "return Dense(n, foo=foo)", "build")
        + "TypeError: __init__() got an unexpected keyword argument 'foo'\n"
    )
    assert diagnosed(log).cause is Cause.REFUSED
    assert "(theano)" not in diagnosed(log).why
    assert diagnosed(log.replace("theano/lstm/train.py", "run/train.py")).cause is Cause.LIBRARIES


def test_a_function_of_the_script_is_not_keras_s() -> None:
    """Scripts have a load_model of their own; a file of weights is spoken of where Keras reads one."""
    refused = frame("/e/site-packages/pymc/model.py", "raise e", "__getitem__") + "KeyError: 'mu'\n"
    own = frame("main.py", "return model[name]", "load_model")
    keras = frame("/e/site-packages/keras/models.py", "return model[name]", "load_model")
    assert "this Keras" not in "\n".join(diagnosed(SCRIPT + own + refused).advice)
    assert "this Keras" in "\n".join(diagnosed(SCRIPT + keras + refused).advice)


@pytest.mark.parametrize("module", ["numpy.core._multiarray_umath", "numpy._core.multiarray"])
def test_what_a_newer_numpy_has_is_no_lost_name(module: str) -> None:
    """NumPy 2 still has `numpy.core`, and `numpy._core` too."""
    log = f"{SCRIPT}ModuleNotFoundError: No module named '{module}'\n"
    assert diagnosed(log).cause is Cause.LIBRARIES
    assert "numpy<2" not in "\n".join(diagnosed(log).advice)


def test_a_lost_module_of_numpy_is_not_to_be_imported() -> None:
    """Of a module that is not there, a release is named that has it."""
    advice = diagnosed(f"{SCRIPT}ModuleNotFoundError: No module named 'numpy.distutils'\n").advice[0]
    assert "'numpy<2' with Python up to 3.11 has it" in advice


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("OSError: Unable to open file (File signature not found)", "is no HDF5 file"),
        (
            "OSError: Unable to open file (unable to open file: name = 'w.h5', errno = 2, error message = 'No such file')",
            "there is no w.h5",
        ),
        ("OSError: Unable to open file (Unable to lock file, errno = 5)", "HDF5_USE_FILE_LOCKING=FALSE"),
        ("OSError: libwarpctc.so: cannot open shared object file: No such file or directory", "libwarpctc.so is not installed"),
        ("OSError: /e/libwarpctc.so: undefined symbol: cpu_ctc", "libwarpctc.so lacks cpu_ctc"),
        ("/usr/lib/libopenblas.so: undefined reference to `logf@GLIBC_2.27'", "newer C library (GLIBC_2.27)"),
    ],
)
def test_the_advice_names_the_file_or_the_symbol(line: str, said: str) -> None:
    """What the line names is advised about, and nothing general beside it."""
    (advice,) = diagnosed(f"{SCRIPT}{line}\n").advice
    assert said in advice


def test_a_setting_that_is_looked_up_is_no_failure() -> None:
    """Theano's settings are looked up by exceptions that it handles: what failed came after them."""
    looked = "NoSectionError: No section: 'blas'\n\nDuring handling of the above exception, another exception occurred:\n\n"
    log = f"{SCRIPT}{looked}{SCRIPT}FileNotFoundError: [Errno 2] No such file or directory: 'g.npz'\n"
    assert diagnosed(log).cause is Cause.FILE_ACCESS


def test_python_s_own_library_on_windows_is_not_the_script() -> None:
    """conda's folder of Python's library is the user's, and its files are not."""
    log = "KeyError  Traceback (most recent call last)\nFile ~\\{}\\configparser.py:9, in get()\n--> 9 raise E\nKeyError: 'a'\n"
    sites = [diagnosed(log.format(folder)).request for folder in ("anaconda3\\envs\\e\\lib", "mine\\lib")]
    assert [site.site if site else None for site in sites] == [None, ("~\\mine\\lib\\configparser.py", 9)]


@pytest.mark.parametrize(
    ("log", "found", "said"),
    [
        ("ValueError: Filter must not be larger than the input: Filter: (8, 8) Input: (4, 84)", Cause.SHAPES, "channels_first"),
        ("*GpuDnnConv images and kernel must have the same stack size*", Cause.SHAPES, "channels_first"),
        ("ERROR (theano.gof.opt): SeqOptimizer apply inplace_elemwise_optimizer\nERROR (theano.gof.opt): Traceback:\n"
         + frame("/h/Theano/theano/gof/opt.py", "ret = self.apply(fgraph)", "optimize")
         + frame("/h/Theano/theano/tensor/opt.py", "for i in xrange(n)", "apply") + "TypeError: transfer_type{0}", Cause.REWRITE_FAILED,
         "newer release"),
        ("TypeError: unsupported operand type(s) for *: 'FreeRV' and 'SharedVariable'", Cause.SYMBOLIC, "numpy.asarray(x"),
        ("NotImplementedError: Masked arrays or arrays with `nan` entries are not supported.", Cause.REFUSED, "observed="),
        ("TypeError: Outputs must be theano Variable or Out instances. Received x of type <class 'theano.tensor.var.TensorVariable'>",
         Cause.LIBRARIES, "of two releases"),
        ("UnboundLocalError: ('The following error happened while compiling the node', DnnVersion(), '\\n', \"local variable 'md5' "
         "referenced before assignment\")", Cause.LIBRARY_FAULT, "compiled DnnVersion"),
        (frame("/e/site-packages/theano/compile/nanguardmode.py", "return np.isnan(np.min(arr))") + "TypeError: ufunc 'isnan' not "
         "supported for the input types", Cause.NO_IMPLEMENTATION, "without it"),
        ("WARNING (aesara.configdefaults): g++ not detected!\nModuleNotFoundError: No module named 'cutils_ext'", Cause.COMPILER, "g++"),
        ("No module named 'numpy.distutils._msvccompiler' in numpy.distutils; trying from distutils\n"
         "error: extension 'pymc.flib' has Fortran sources but no Fortran compiler found", Cause.COMPILER, "Fortran"),
    ],
)  # fmt: skip
def test_what_a_message_alone_says(log: str, found: Cause, said: str) -> None:
    """The message is enough for the cause, and the advice fits it."""
    assert diagnosed(f"{log}\n").cause is found
    assert said in "\n".join(diagnosed(f"{log}\n").advice)


def test_a_shape_that_could_not_be_inferred_ends_no_job() -> None:
    """The library warns, and continues without the shape; what failed after that is the cause."""
    warning = "WARNING (aesara.tensor.basic_opt): Failed to infer_shape from Op x.\nInput shapes: []\nTraceback: Traceback (most recent "
    warning += (
        'call last):\n  File "/e/site-packages/aesara/tensor/basic_opt.py", line 867, in f\n    s()\nValueError: shapes (2,) and (3,)\n'
    )
    alone = explain_log(f"{warning}100%|####| 2000/2000\n")
    assert alone is None or alone.cause is Cause.NOT_RECOGNISED
    assert diagnosed(f"{warning}{SCRIPT}FileNotFoundError: [Errno 2] No such file or directory: 'a.csv'\n").cause is Cause.FILE_ACCESS
