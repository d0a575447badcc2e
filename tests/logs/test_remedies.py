"""Advice names what the log names, and is never only a look at another machine."""

from __future__ import annotations

import string

import pytest

from theanodiag.logs import Cause, explain_log
from theanodiag.logs.remedies import BY_CAUSE, TABLE
from theanodiag.logs.remedies_refused import REFUSALS

WINDOWS = "C:\\Users\\me\\Anaconda3\\lib\\site-packages\\theano\\gof\\cmodule.py in compile_str\n"
MAC = "/Users/me/miniconda/lib/python3.10/site-packages/pytensor/link/c/cmodule.py in compile_str\n"
FAILED = "CompileError: Compilation failed (return status=1):\n"


def raised(file: str) -> str:
    """A frame of PyMC's that raises the error which is named next."""
    return f'  File "/e/lib/python3.11/site-packages/pymc/{file}", line 9, in f\n    raise error\n'


@pytest.mark.parametrize("row", [*TABLE, *REFUSALS], ids=lambda row: row.words[:40])
def test_a_row_fills_in_what_its_pattern_finds(row: object) -> None:
    """A brace without a group would be an error of ours."""
    named = {name for _, name, _, _ in string.Formatter().parse(row.words) if name}  # type: ignore[attr-defined]
    filled = {"asks", "caller", "function", "library"} | ({"became"} if row.became is not None else set())  # type: ignore[attr-defined]
    assert named <= set(row.said.groupindex) | filled  # type: ignore[attr-defined]


def test_each_cause_has_advice() -> None:
    """In general, or where the log says nothing particular; where only frames are known, they are named."""
    always = {cause for row in (*TABLE, *REFUSALS) if row.said.pattern == "" and row.where is None for cause in row.causes}
    assert set(Cause) - set(BY_CAUSE) - always == {Cause.NOT_RECOGNISED, Cause.OWN_CODE, Cause.LIBRARY_FAULT}


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ('  File "/x/site-packages/lasagne/pool.py", line 2, in f\n    mode=mode)\n'
         "TypeError: max_pool_2d() got an unexpected keyword argument 'mode'\n", "lasagne calls max_pool_2d with mode"),
        (raised("a.py").replace("pymc", "keras") + raised("pool.py").replace("pymc", "lasagne")
         + "TypeError: max_pool_2d() got an unexpected keyword argument 'mode'\n", "lasagne calls max_pool_2d with mode"),
        ("Collecting pymc3\n  Downloading pymc3-3.11.5-py3-none-any.whl\nCollecting theano\n  Preparing metadata (setup.py): finished with "
         "status 'done'\nCollecting arviz\nCollecting numpy<1.22.2\n  error: subprocess-exited-with-error\n"
         "  AttributeError: module 'pkgutil' has no attribute 'ImpImporter'\n", "numpy has no wheel"),
        ("Collecting pymc3\nCollecting wheel\nBuilding wheels for collected packages: theano, numpy\n  Building wheel for theano "
         "(setup.py): started\n  Building wheel for theano (setup.py): finished with status 'done'\n"
         "  Building wheel for numpy (pyproject.toml): started\n  error: subprocess-exited-with-error\n"
         "  AttributeError: module 'pkgutil' has no attribute 'ImpImporter'\n", "numpy has no wheel"),
        ("error: Failed to prepare distributions\n  Caused by: Failed to fetch wheel: numpy==1.24.4\n  Caused by: Build backend failed to "
         "determine extra requires with `build_wheel()`\nModuleNotFoundError: No module named 'distutils'\n", "numpy==1.24.4 has no wheel"),
        ("ModuleNotFoundError: No module named 'distutils'\n", "setuptools<70"),
        ("Using TensorFlow backend.\nAttributeError: module 'keras.backend' has no attribute 'theano'\n", "KERAS_BACKEND=theano"),
        ("ERROR (theano.sandbox.cuda): Failed to compile cuda_ndarray.cu: ('nvcc return status', 1, 'for cmd', 'nvcc')\n",
         "nvcc.compiler_bindir"),
        ('  File "/x/site-packages/nutpie/a.py", line 2, in f\nnumba.core.errors.TypingError: Failed in nopython mode pipeline\n',
         "backend='jax'"),
        ('  File "/x/site-packages/foo/build.py", line 2, in f\n    self.config["level"]\nKeyError: \'level\'\n', "foo looks for level"),
        ('  File "m.py", line 2, in f\n    mmm.fit(x)\n  File "/x/site-packages/pymc_marketing/m.py", line 2, in f\n    as_x(y)\n'
         '  File "/x/site-packages/pytensor/x.py", line 2, in as_x\n    raise TypeError("y must be a Z")\nTypeError: y must be a Z\n',
         "pymc_marketing called pytensor"),
        ("The following specifications were found to be in conflict:\n  - theano ==0.7.0 -> python 2.6*|2.7*\n", "theano for Python 2.6"),
        ('  File "pandas/src/hashtable_class_helper.pxi", line 4, in pandas.hashtable.Int64HashTable.get_item (x.c:8)\nKeyError: 0\n',
         "reset_index"),
        ('  File "/x/site-packages/theano/gpu.py", line 4, in <module>\n    import pygpu.version\nImportError: No module named version\n',
         "pygpu that is installed has no version"),
        ('  File "/x/site-packages/tensorflow/util.py", line 4, in f\n    raise TypeError(x)\n'
         "TypeError: Failed to convert object of type <class 'theano.tensor.var.TensorVariable'> to Tensor.\n", "KERAS_BACKEND"),
        ("RESOURCE_EXHAUSTED: Failed to load in-memory CUBIN (compiled for a different GPU?).: CUDA_ERROR_OUT_OF_MEMORY: out of memory\n",
         "XLA_PYTHON_CLIENT_PREALLOCATE=false"),
        ('  File "/x/site-packages/pymc3/ppc.py", line 4, in f\n    assert a == b\nAssertionError: \n', "a message failed in pymc3"),
        ('  File "m.py", line 1, in <module>\n    import hssm\n  File "/x/site-packages/hssm/a.py", line 9, in <module>\n    x = y.z\n'
         "AttributeError: 'Foo' object has no attribute 'z'\n", "hssm uses z of a Foo"),
        ("Exception: Compilation failed (return status=1): C:/x/mod.cpp:1: sorry, unimplemented: 64-bit mode not compiled in",
         "must be 64-bit"),
        ("TypeError: The two branches should have identical types, but they are TensorType(float32, vector) and TensorType(float32, "
         "(True,)) respectively.", "T.unbroadcast"),
        ('GpuArrayException: Could not load "nvrtc64_70.dll": The specified module could not be found.', "nvrtc of CUDA 7.0"),
        ("GpuArrayException: Unknown device error: -1", "device=cuda0"),
        (f"{MAC}{FAILED}ld: library not found for -ld64", "xcode-select --install"),
        (f"{MAC}{FAILED}fatal error: 'cmath' file not found", "SDK's cmath"),
        (f"{WINDOWS}ImportError: Version check of the existing lazylinker compiled file.", "m2w64-toolchain"),
        ("/usr/include/x.h:60:1: fatal error: cuda_runtime.h: No such file or directory", "cuda.root"),
        ("AttributeError: module 'theano' has no attribute '__version__'", "theano-pymc==1.1.2"),
        ("TypeError: Cannot convert Type TensorType(float64, vector) (of Variable x) into Type TensorType(float32, vector).", "floatX"),
        ("ValueError: CorrMM images and kernel must have the same stack size", "channels_first"),
        ("TypeError: ('Bad input', 'Wrong number of dimensions: expected 2, got 1 with shape (2,).')", "(shape (2,)) where 2"),
        ("ImportError: cannot import name 'downsample' from 'theano.tensor.signal'", "upgrade Lasagne"),
        ("ModuleNotFoundError: No module named 'theano'", "theanodiag run SCRIPT"),
        ("MissingInputError: Input 0 of the graph (indices start from 0), used to compute dot(x, W), was not provided", "(dot(x, W))"),
        ("ValueError: Mass matrix contains zeros on the diagonal. \nThe derivative of RV `tau`.ravel()[0] is zero.", "tau has no effect"),
        ("SamplingError: Initial evaluation of model at starting point failed!\nStarting values:\nInitial evaluation results:\n"
         "a     -0.92\ny_left   NaN\n", "y_left has no finite"),
        ("AttributeError: module 'pymc' has no attribute 'sample_ppc'", "it is sample_posterior_predictive"),
        ("AttributeError: 'TensorVariable' object has no attribute 'random'\nwith pm.Model():", "it is pm.draw"),
        ("AttributeError: module 'pymc' has no attribute 'MCMC'", "MCMC is PyMC 2's"),
        ("AttributeError: module 'arviz' has no attribute 'from_pymc3'", "what sample() of PyMC 4"),
        ("TypeError: summary() got an unexpected keyword argument 'credible_interval'", "it is ci_prob"),
        ("ValueError: Keyword arguments ['figsize'] have been passed as **kwargs but have no active aesthetic mapped to them.",
         "figure_kwargs={'figsize': ...}"),
        ("AttributeError: 'DataTree' object has no attribute 'get_sampler_stats'", "idata.sample_stats"),
        ("print(ppc['y'])\nKeyError: 'Could not find node at y'", "ppc.posterior_predictive['y']"),
        ("print(trace['y'])\nKeyError: 'Could not find node at y'", "trace.posterior['x']"),
        ("TypeError: log likelihood not found in inference data object", "pm.compute_log_likelihood(idata)"),
        (raised("model/core.py") + "ValueError: Variable name alpha already exists.", "a variable alpha"),
        (raised("s.py") + "NotImplementedError: Cannot sample from flat variable", "a proper prior"),
        (raised("s.py") + "SamplingError: Cannot sample from the model, since the model does not contain "
         "any free variables.", "sample_prior_predictive"),
        (raised("logprob/abstract.py") + "NotImplementedError: Logprob method not implemented for "
         "Elemwise{pow}", "through Elemwise"),
        (raised("model/core.py") + "NotImplementedError: Masking is only supported for univariate "
         "RandomVariables", "missing values"),
        ("OSError: [Errno 24] Too many open files", "ulimit -n"),
        ("RuntimeError: cannot cache function 'f': no locator available for file 'x.py'", "NUMBA_CACHE_DIR"),
        ("docker: Error response from daemon: could not select device driver with capabilities: [[gpu]].", "--gpus all"),
        ("RuntimeError: Unable to initialize backend 'rocm': INTERNAL: hipErrorNoBinaryForGpu: Unable to find code object", "rocminfo"),
        ("##[error]The job running on runner GitHub Actions 4 has exceeded the maximum execution time of 360 minutes.", "more time"),
        ('  File "/e/lib/python3.10/site-packages/pandas/core/indexes/base.py", line 3798, in get_loc\n    raise KeyError(key) from err\n'
         "KeyError: 'grp'", "no column or label grp"),
        ("ImportError: Numba needs NumPy 2.1 or less. Got NumPy 2.2.", "install NumPy 2.1 or less"),
        ("ImportError: dlopen(m.so): (mach-o file, but is an incompatible architecture (have 'x86_64', need 'arm64'))", "runs as arm64"),
        ("TypeError: 'TensorVariable' object does not support item assignment", "set_subtensor"),
        ("TypeError: Cannot convert Type Matrix(float64, shape=(?, ?)) (of Variable Sub.0) into Type Vector(float64, shape=(?,)).",
         "a Matrix was passed where a Vector is declared"),
        ("NullTypeGradError: This variable is Null because the grad method for input 0 (x) of the MultinomialFromUniform op is "
         "mathematically undefined.", "passes through MultinomialFromUniform"),
        ("error: subprocess-exited-with-error\n  error in Theano setup command: use_2to3 is invalid.\nerror: metadata-generation-failed",
         "setuptools<58"),
        ("ValueError: found matches in xarray's IO backends: ['netcdf4', 'h5netcdf']. But their dependencies may not be installed",
         "pip install netcdf4"),
        ("ExecutableNotFound: failed to execute PosixPath('dot'), make sure the Graphviz executables are on PATH", "apt install"),
        ("ModuleNotFoundError: No module named 'pymc.theanof'", "it is pymc.pytensorf"),
        ("ModuleNotFoundError: No module named 'scipy.misc'", "has no misc: its release does not match"),
        ("L = pm.expand_packed_triangular(2, p)\nAttributeError: 'tuple' object has no attribute 'ndim'", "chol, corr, stds"),
        ("\n  d = pm.Minibatch(x, 5)\nTypeError: Minibatch() missing 1 required keyword-only argument: 'batch_size'", "batch_size=100"),
        ("TypeError: RandomVariable.make_node() got an unexpected keyword argument 'sd'", "it is sigma"),
        ("CUDA backend failed to initialize: Found cuDNN version 8600, but JAX was built against version 8906, which is newer.",
         "cuDNN 8600 is loaded where JAX was built for 8906"),
        ("g++.exe: error: c:\\users\\swap: No such file or directory", "cut at the space"),
        ("pkg_resources.DistributionNotFound: The 'Lasagne' distribution was not found and is required by the application",
         "pip install 'Lasagne'"),
        ("importlib.metadata.PackageNotFoundError: No package metadata was found for foo-bar", "pip install 'foo-bar'"),
        ("NUTS: [beta, alpha]\nslurmstepd: error: Detected 1 oom_kill event in StepId=33.batch.", "no Deterministic of a long array"),
        ("ContextualVersionConflict: (arviz 0.12.1 (/usr/lib), Requirement.parse('arviz>=0.13.0'), {'pymc'})", "pymc requires another"),
        ("c:\\x\\theano\\sandbox\\cuda\\cnmem.cpp(238): error: argument of type x", "C code of the library itself"),
        ("Exception: Layer weight shape (3, 3, 64, 4) not compatible with provided weight shape (64, 3, 3, 3)", "(64, 3, 3, 3)"),
        ("ValueError: conflicting sizes for dimension 'chain': length 1 on the data but length 4 on coordinate 'chain'", "keep_size=True"),
        ("ValueError: conflicting sizes for dimension 'w': length 1 on the data but length 18 on coordinate 'w'", "1 in the data and 18"),
        ("ValueError: dimensions ('city',) must have the same length as the number of data dimensions, ndim=0", "not a tuple"),
        ("ValueError: Random variables detected in the logp graph: [N].\nThis can happen when", "uses [N]. from outside"),
        ("OSError: [Errno 30] Read-only file system: '/opt/conda/x'", "singularity --bind"),
        ("Exception: ('Compilation failed (return status=1): x.h:5:10: fatal error: Eigen/Core: No such file", "find Eigen/Core"),
        ("fuel.exceptions.ConfigurationError: Configuration not set and no default provided: floatX.", "~/.fuelrc"),
        ("The installed Theano(-PyMC) version (1.0.5) does not match the PyMC3 requirements.", "pymc3==3.11.5"),
        ("ERROR (theano.gof.opt): Optimization failure due to: local_abs", "optimizer_excluding=local_abs"),
        ("W asm_compiler.cc:235] ptxas does not support CC 8.9\nE x: failed to get PTX kernel \"c\": CUDA_ERROR_NOT_FOUND: symbol not "
         "found\nRuntimeError: Internal: Could not find the corresponding function", "built for other cards"),
        ("TracerBoolConversionError: Attempted boolean conversion of traced array with shape bool[1]", "jnp.where or lax.cond"),
        ("AttributeError: 'Model' object has no attribute 'initial_values'\nwith pm.Model():", "it is model.initial_point()"),
        ("AttributeError: module 'pymc' has no attribute 'distributions'", "only a part of pymc is installed"),
        ("AttributeError: module 'theano.tensor' has no attribute 'shared'", "theano.shared"),
        ("NotImplementedError: Cannot convert bA to a tensor variable.", "bA is a variable of another library"),
        ("XlaRuntimeError: INTERNAL: Unable to serialize MPS module", "pip uninstall jax-metal"),
        ("ERROR: Could not find a version that satisfies the requirement pygpu (from versions: )", "conda install -c conda-forge pygpu"),
        ("ImportError: libpython3.7m.so.1.0: cannot open shared object file: No such file or directory", "$CONDA_PREFIX/lib"),
        ("python.app: line 3: 99222 Illegal instruction: 4", "for a newer processor"),
        ("thread '<unnamed>' panicked at 'assertion failed: val.is_finite()', nuts-rs-0.3.0/src/adapt_strategy.rs:259:25", "newest nutpie"),
        ("AttributeError: Can't get attribute 'CAR' on <module '__main__' (built-in)>", "at the top of a module"),
        ("~/site-packages/pymc3/model.py in __getitem__(self, key)\nKeyError: x_new ~ MvNormal", "var_names=['x_new']"),
        ("W platform_util.cc:198] unable to create StreamExecutor for CUDA:0: failed call to cuDevicePrimaryCtxRetain: CUDA_ERROR_UNKNOWN: "
         "unknown error\nUnable to initialize backend 'cuda': INTERNAL: no supported devices found for platform CUDA", "or sleep"),
        ("MOAB_INFO:  job exceeded wallclock limit", "request more time"),
        # an old script, a formula, a child of a notebook
        ("AttributeError: module 'pymc3.stats' has no attribute 'autocorr'", "arviz.autocorr"),
        ('  File "m.py", line 9, in f\n    idata = arviz.from_pymc3(t, **k)\n'
         "TypeError: from_pymc3() got an unexpected keyword argument 'w'",
         "pip install -U arviz"),
        ('File "/x/site-packages/pymc3/plots/__init__.py", line 5, in f\n    g()\nFile "/x/site-packages/pandas/core/indexes/base.py", '
         "line 2658, in get_loc\n    h()\nKeyError: 'pwaic'", "do not match"),
        ("----> 3 from theano.tensor.nlinalg import det\n\nImportError: No module named nlinalg",
         "the theano that is installed has no nlinalg"),
        ("patsy.PatsyError: Error evaluating factor: TypeError: 'int' object is not callable", "hides the function of that name"),
        ('Traceback (most recent call last):\n  File "C:\\lib\\multiprocessing\\spawn.py", line 115, in _main\n'
         "AttributeError: Can't get attribute 'CAR' on <module '__main__' (built-in)>\n\n"
         "  File \"C:\\lib\\multiprocessing\\reduction.py\", line 60, in dump\nBrokenPipeError: [Errno 32] Broken pipe", "top of a module"),
        ("Note: is likely not a problem with poetry but with numpy (1.19.5) not supporting PEP 517 builds.", "numpy (1.19.5) has no wheel"),
        ("thread 'worker' (2134) panicked at /root/.cargo/registry/src/i-6f17/nuts-rs-0.17.0/src/a.rs:259:25:\nboom", "RUST_BACKTRACE"),
        # where the pattern finds no name, there is no gap in its place
        ("ValueError: Dimension 0 in both shapes must be equal, but are 3 and 64 for 'Assign' (op: 'Assign')", "this network's: axes"),
        ("XlaRuntimeError: INTERNAL: Unable to serialize MPS module", "lacks an operation: compute on the CPU"),
        ("theano.gof.cmodule.MissingGXX: g++ not available! We can't compile c code.", "C++ compiler; install one: apt-get"),
        ("pandas 2.0.3 requires numpy>=1.20.3,!=1.21.4,!=1.21.5,<2; python_version, but you have numpy 2.1.0 which is incompatible.",
         "pip install 'numpy>=1.20.3,!=1.21.4,!=1.21.5,<2' pandas 2.0.3 requires numpy>=1.20.3,!=1.21.4,!=1.21.5,<2, and another"),
        ("pymc3 3.11.5 requires numpy<1.22.2,>=1.15.0, but you have numpy 1.23.0 which is incompatible.",
         "pip install 'numpy<1.22.2,>=1.15.0' pymc3 3.11.5 requires numpy<1.22.2,>=1.15.0, and another"),
        # installers
        ("UnsatisfiableError: The following specifications were found to be in conflict:\n  - python 3.6*\n  - theano -> python 2.7*",
         "theano for Python 2.7* only"),
        ("LibMambaUnsatisfiableError: Encountered problems while solving:\n  - nothing provides requested click ==8.1.3 pypi_0",
         "--no-builds"),
        ("Because no versions match\n and numba (0.58.0) depends on numpy (>=1.21,<1.26), version solving failed.",
         "numba (0.58.0) requires numpy (>=1.21,<1.26)"),
        ("ERROR: No matching distribution found for pandas==0.24.2", "pip finds no pandas==0.24.2"),
        ("  × Failed to build `llvmlite==0.36.0`\n      RuntimeError: Cannot install on Python version 3.13.1; only "
         "versions\n      >=3.6,<3.10 are "
         "supported.", "is for Python >=3.6,<3.10, not 3.13.1"),
        ("error: extension 'x.flib' has Fortran sources but no Fortran compiler found\nERROR: Failed building wheel for x", "gfortran"),
        ("error: subprocess-exited-with-error\n"
         "      AttributeError: module 'configparser' has no attribute 'SafeConfigParser'", "use an older Python"),
        # libraries that call each other
        ("AttributeError: module 'google.protobuf.descriptor' has no attribute '_internal_create_key'", "protobuf's release does"),
        ('File "/x/site-packages/pymc3/theanof.py", line 24, in <module>\n    from theano.gof.toolbox import is_same_graph\n'
         "ImportError: cannot import name 'is_same_graph' from 'theano.gof.toolbox'", "needs Theano-PyMC"),
        ('File "/x/site-packages/numpyro/util.py", line 118, in cond\n    if pred:\n'
         'File "/x/site-packages/jax/_src/core.py", line 1, in error\n'
         "    raise TracerBoolConversionError(arg)\nTracerBoolConversionError: Attempted boolean conversion of traced array\n"
         "See https://docs.jax.dev/errors.html#jax.errors.TracerBoolConversionError", "if numpyro does it"),
        ("ValueError: Negative dimension size caused by subtracting 2 from 1 for 'MaxPool' with input shapes: [?,1,128,64].",
         "image_data_format"),
        ('File "/x/site-packages/pytensor/link/c/cmodule.py", line 2711, in default_blas_ldflags\n'
         "AttributeError: module 'numpy.__config__' has no attribute 'get_info'", "older than its NumPy"),
        ("RuntimeError: GpuDnnConvGradW: error getting worksize: CUDNN_STATUS_BAD_PARAM", "dnn.conv.algo_fwd=small"),
        ("numba.core.errors.TypingError: Failed in nopython mode pipeline", "linker=cvm"),
    ],
)  # fmt: skip
def test_advice_names_what_the_log_names(text: str, expected: str) -> None:
    """One of each kind."""
    found = explain_log(f"{text}\n")
    assert found is not None
    assert expected in " ".join(found.advice)


def frame(file: str, source: str = "raise error", function: str = "f") -> str:
    """A frame of an installed package."""
    return f'  File "/e/lib/python3.9/site-packages/{file}", line 9, in {function}\n    {source}\n'


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        # compilers: gcc, ld, nvcc and CUDA's headers; Theano's cmodule.py
        ("nvcc fatal   : Unsupported gpu architecture 'compute_20'\nCompileError: nvcc return status 1", "does not compile for this card"),
        ("/usr/local/cuda/include/host_config.h:119:2: error: #error -- unsupported GNU version! gcc versions later than 5 are not "
         "supported!", "accepts only older compilers"),
        (frame("theano/gof/cmodule.py", "rval = __import__(module_name)")
         + "ImportError: dynamic module does not define init function (initcuda_ndarray)", "in the cache is broken"),
        ("/usr/bin/ld: /usr/local/lib/libpython2.7.a(abstract.o): relocation R_X86_64_32 against `.rodata.str1.8' can not be used when "
         "making a shared object; recompile with -fPIC\ncollect2: error: ld returned 1 exit status", "as a shared library"),
        ('cc1plus: error: unrecognized command line option "-march=skylake-avx512"\nException: Compilation failed (return status=1)',
         "does not know -march"),
        (frame("theano/gof/cmodule.py", "assert key not in self.keys", "add_key") + "AssertionError", "compile into the same cache"),
        ("ERROR (theano.sandbox.cuda): nvcc compiler not found on $PATH. Check your nvcc installation and try again.",
         "put CUDA's bin folder, with nvcc"),
        ("nvcc fatal   : Don't know what to do with 'Studio'\nCompileError", "nvcc was given Studio"),
        (frame("theano/gof/cmodule.py", "% new_path)")
         + "Exception: The environment variable 'DYLD_FALLBACK_LIBRARY_PATH' does not contain the '/Users/me/conda/lib' path in its value. "
         "This will make Theano unable to compile c code.", "export DYLD_FALLBACK_LIBRARY_PATH=/Users/me/conda/lib:$DYLD"),
        # XLA and its plugins, CUDA's driver
        ("jaxlib.xla_extension.XlaRuntimeError: INTERNAL: libdevice not found at ./libdevice.10.bc", "find CUDA's libdevice"),
        ("jaxlib.xla_extension.XlaRuntimeError: INTERNAL: ptxas exited with non-zero error code 65280, output: ptxas fatal   : x",
         "put the ptxas"),
        (frame("theano/gpuarray/__init__.py", "init_dev(device)") + "GpuArrayException: cuModuleLoadDataEx: "
         "CUDA_ERROR_NO_BINARY_FOR_GPU: no kernel image is available for execution on the device", "built for other cards"),
        ("RuntimeError: Unable to initialize backend 'cuda': INVALID_ARGUMENT: Mismatched PJRT plugin PJRT API version (0.54) and "
         "framework PJRT API version 0.51).", "the plugin must be the same release"),
        ("Using gpu device 0: GeForce GTX TITAN\nError allocating 40000 bytes of device memory (all CUDA-capable devices are busy or "
         "unavailable). Driver report 0 bytes free and 0 bytes total", "holds the card exclusively"),
        ("Your cuDNN version is more recent than Theano. If you encounter problems, try updating Theano or downgrading cuDNN to version "
         "5.1.\nSegmentation fault (core dumped)", "cuDNN 5.1, or Theano"),
        ("Epoch 1/1\nSegmentation fault (core dumped)", "-X faulthandler"),
        ("jaxlib.xla_extension.XlaRuntimeError: RESOURCE_EXHAUSTED: Out of memory while trying to allocate 6291456 bytes.",
         "lists which programs use the card"),
        ("TypeError: Shapes must be 1D sequences of concrete values of integer type, got (Traced<ShapedArray(int64[])>,).",
         "make the length a Python number"),
        # pip, wheels, and libraries of other releases
        (frame("arviz/plots/plot_utils.py", "from scipy.signal import gaussian")
         + "ImportError: cannot import name 'gaussian' from 'scipy.signal' (/e/scipy/signal/__init__.py)", "scipy.signal.windows"),
        ("ERROR: pip's dependency resolver does not currently take into account all the packages that are installed.\n"
         "pymc3 3.11.5 requires numpy<1.22.2,>=1.15.0, but you have numpy 1.26.4 which is incompatible.", "numpy 1.26.4 is installed"),
        ("ERROR: Could not find a version that satisfies the requirement theano-pymc (from versions: none)\n"
         "ERROR: No matching distribution found for theano-pymc", "no release of theano-pymc"),
        ("ImportError: /lib/libstdc++.so.6: version `GLIBCXX_3.4.30' not found (required by /e/_ckdtree.so)", "libstdcxx-ng"),
        ("ValueError: numpy.dtype size changed, may indicate binary incompatibility. Expected 96 from C header, got 88 from PyObject",
         "built for another NumPy"),
        ('  File "pandas/_libs/interval.pyx", line 1, in init pandas._libs.interval\n  File "__init__.pxd", line 242, in init pandas\n'
         "ValueError: numpy.ndarray size changed, may indicate binary incompatibility. Expected 88 from C header, got 80 from PyObject",
         "pip install -U numpy"),
        ("RuntimeError: module compiled against API version 0x10 but this version of numpy is 0xe", "pip install -U numpy"),
        ("ImportError: Keras requires TensorFlow 2.2 or higher. Install TensorFlow via `pip install tensorflow`", "KERAS_BACKEND=theano"),
        ("LLVM ERROR: Symbol not found: __svml_cosf8_ha", "icc_rt"),
        (frame("theano/scan_module/scan_op.py", "from six import iteritems, raise_from", "<module>")
         + "ImportError: cannot import name raise_from\n", "in the library that it calls (six)"),
        ("AttributeError: 'DenseLayer' object has no attribute 'get_output_shape'", "upgrade nolearn"),
        # PyMC, ArviZ, Keras, Theano, to a script
        ("pymc.logprob.utils.ParameterValueError: sigma > 0\nApply node that caused the error: Check{sigma > 0}(x)", "this condition"),
        (frame("pymc3/variational/inference.py", "raise FloatingPointError(m)") + "FloatingPointError: NaN occurred in optimization. \n"
         "The current approximation of RV `x`.ravel()[0] is NaN.", "a smaller step"),
        ("ValueError: array must not contain infs or NaNs", "remove or replace NaN"),
        ("RecursionError: maximum recursion depth exceeded while pickling an object", "sample with cores=1"),
        ('ValueError: Invalid value ("gpu0x") for configuration variable "device". Valid options are (cpu, cuda)', "not take gpu0x"),
        (frame("keras/backend/theano_backend.py", "for u in updates")
         + "TypeError: TensorType does not support iteration. Maybe you are using builtin.sum?", "expect updates as pairs"),
        ("TypeError: loop of ufunc does not support argument 0 of type TensorVariable which has no callable log method",
         "use the library's functions"),
        (frame("lasagne/layers/base.py", "self.input_shape = incoming.output_shape")
         + "AttributeError: 'TensorVariable' object has no attribute 'output_shape'", "InputLayer(shape, input_var=x)"),
        ("_pickle.UnpicklingError: invalid load key, 'v'.", "not a complete pickle"),
        ('  File "m.py", line 3, in <module>\n    f = load(name)\n' + frame("blocks/pickle.py", "value = func(*args)", "load_reduce")
         + frame("theano/compile/function_module.py", "(container.data == x)", "_constructor_Function") + "AssertionError",
         "the release of the library that wrote it"),
        (frame("keras/backend/theano_backend.py", "raise ValueError(msg)", "function")
         + 'ValueError: Invalid argument "sample_weight_mode" passed to K.function with Theano backend', "sample_weight_mode is not known"),
        (frame("arviz/data/converters.py", "raise ValueError(", "convert_to_inference_data")
         + "ValueError: Can only convert xarray dataset, dict, netcdf filename to InferenceData, not MultiTrace", "read a MultiTrace"),
        (frame("arviz/plots/ppcplot.py", "raise TypeError(", "plot_ppc")
         + 'TypeError: `data` argument must have the group "posterior_predictive" for ppcplot', "no group posterior_predictive"),
        (frame("pymc/distributions/continuous.py", "raise ValueError(") + "ValueError: Incompatible parameterization. Either use alpha "
         "and beta, or mu and sigma to specify distribution.", "sd is PyMC3's"),
        (frame("pymc/sampling/mcmc.py", "raise ValueError(") + "ValueError: Please use `var_names` argument for partial traces.",
         "sample(var_names"),
        (frame("pymc/distributions/discrete.py", "return cls.dist(*args, **kwargs)", "__new__")
         + "TypeError: ZeroInflatedPoisson.dist() missing 1 required positional argument: 'mu'", "expects 'mu'"),
        (frame("pymc/distributions/distribution.py", "raise TypeError(") + "TypeError: The DensityDist API has changed and you are using "
         "the old API where logp was the first positional argument.", "CustomDist"),
        (frame("pymc/smc/sampling.py", "smc = kernel(") + "TypeError: 'str' object is not callable", "pm.smc.IMH"),
        ("AttributeError: 'Scratchpad' object has no attribute 'test_value'", "carry no test_value"),
        (frame("theano/compile/function_module.py", "self.fn()", "__call__") + "ValueError: y_i value out of bounds\n"
         "Apply node that caused the error: CrossentropySoftmaxArgmax1HotWithBias(Dot22.0, b, y)", "a label is not a class"),
        (frame("theano/scan_module/scan_op.py", "raise ValueError(err_msg2") + "ValueError: When compiling the inner function of scan the "
         "following error has been encountered: The initial state (`outputs_info` in scan nomenclature) of variable x (argument number 0) "
         "has 2 dimension(s), while the corresponding output of the inner function has 1 dimension(s).", "without the axis of steps"),
        ('  File "m.py", line 3, in <module>\n    model.load_weights("w.h5")\n' + frame("tensorflow/python/shapes.py")
         + "ValueError: Dimension 0 in both shapes must be equal, but are 3 and 64 for 'Assign'", "weights of other shapes"),
        ('  File "m.py", line 3, in <module>\n    model.load_weights("w.h5")\n' + frame("keras/engine/saving.py", "raise ValueError('You")
         + "ValueError: You are trying to load a weight file containing 16 layers into a model with 0 layers.", "with which it was saved"),
        ("----> 1 height_pred_hpd = az.hpd(height_pred[\"height\"])\n\nKeyError: 'height'".replace("----", '  File "m.py", line 1\n----'),
         "has no height"),
        # shapes: NumPy, Theano, Keras over TensorFlow
        (frame("numpy/core/_methods.py", "ret = umr_sum(arr, axis, dtype, out, keepdims)", "_mean")
         + "ValueError: operands could not be broadcast together with shapes (5,) (2,) ", "in one expression ((5,) (2,))"),
        ("ValueError: GpuReshape: -1 axis found at index 0 in new shape but the total size of the array (6400000) is not divisible by the "
         "given shapes (43264).", "does not match that shape"),
        ("IndexError: index 0 is out of bounds for axis 0 with size 0", "the array is empty"),
        ("ValueError: Dimension 2 in both shapes must be equal, but are 320 and 64. Shapes are [7,7,320,64] and [7,7,64,3]. for 'Assign' "
         "(op: 'Assign') with input shapes: [7,7,320,64], [7,7,64,3].", "image_dim_ordering th"),
        ("ValueError: Dimension 3 in Rebroadcast's input was supposed to be 1 (got 3 instead)", "T.unbroadcast"),
        ("TypeError: ('Bad input argument to theano function', 'Wrong number of dimensions: \nexpected 2, got 3 with shape (9, 1, 7).')",
         "an argument has 3 dimensions"),
        # processes, files, drivers
        ("multiprocessing.pool.MaybeEncodingError: Error sending result: 'x'. Reason: 'RuntimeError('maximum recursion depth exceeded',)'",
         "sample with cores=1"),
        ("thread 'nutpie-worker-1' panicked at /x/index.crates.io-1949/nuts-rs-0.15.0/src/sampler.rs:635:18:\nCould not send sampling "
         "results to main thread.: SendError { .. }", "nutpie for nuts-rs"),
        (frame("pymc3/backends/ndarray.py", "dtype=self.var_dtypes[varname])", "setup") + "MemoryError", "keeps the draws of all"),
        ("/e/bin/python: symbol lookup error: /e/lib/libmkl_intel_thread.so: undefined symbol: omp_get_num_procs", "MKL_THREADING_LAYER"),
        ("W platform_util.cc:200] unable to create StreamExecutor for CUDA:0: INTERNAL: failed call to cuDevicePrimaryCtxRetain: "
         "CUDA_ERROR_OUT_OF_MEMORY: out of memory; total memory reported: 34089730048", "nvidia-smi lists other programs"),
        ('  File "pygpu/gpuarray.pyx", line 614, in pygpu.gpuarray.init (pygpu/gpuarray.c:9419)\nGpuArrayException: Error '
         'loading library: 0', "a library of CUDA was not found"),
        ("ImportError: No module named nolearn.lasagne", "python -m pip install nolearn"),
        ("----> 3 from .._compat import basestring\n      4 import x\n\nImportError: cannot import name basestring".replace(
            "---->", "/e/lib/python2.7/dist-packages/nolearn/lasagne/base.py in <module>()\n      2 \n---->", 1),
         "nolearn lacks basestring, which is a part of it"),
        ("/e/lib/python3.4/dist-packages/nolearn/lasagne.py in _print(self, layers)\n    378     a,\n    379     b,\n--> 380     "
         "reduce(c, d),\n    381     ))\n    382 \n\nNameError: name 'reduce' is not defined", "in nolearn's own code"),
        ("ImportError: No module named 'logistic_sgd'", "must be in the script's folder"),
        ("python(55810) malloc: *** error for object 0x10d070000: pointer being freed was not allocated", "-X faulthandler"),
        # other programs
        ("make: *** No rule to make target 'src/a.c', needed by 'a.o'.  Stop.", "make finds neither src/a.c"),
        ("fatal: not a git repository (or any of the parent directories): .git", "git clone the source"),
        ("slurmstepd: error: execve(): /tmp/slurmd/job00089/slurm_script: No such file or directory", "--exclude=NODE"),
    ],
)  # fmt: skip
def test_wordings_of_compilers_and_libraries_reach_their_rows(text: str, expected: str) -> None:
    """Each is a line that the named program prints, by its source or in a public thread."""
    found = explain_log(text)
    assert found is not None
    assert expected in "\n".join(found.advice)


def test_an_environment_named_after_a_library_is_none() -> None:
    """Conda's folder `numpyro` is not what raised it."""
    text = '  File "/home/me/miniconda3/envs/numpyro/lib/python3.7/site-packages/pymc3/model.py", line 9, in f\n    raise KeyError(k)\n'
    found = explain_log(f"{text}KeyError: 'x ~ Normal'\n")
    assert found is not None
    assert found.advice == ("x itself was passed where its name is needed: var_names=['x']",)


def test_a_missing_header_has_one_line_of_help() -> None:
    """Not also the advice on any header, nor that for a compiler that refuses the code."""
    failed = "Exception: Compilation failed (return status=1): mod.cpp:1:10: fatal error: Python.h: No such file or directory."
    found = explain_log(f"mod.cpp:1:10: fatal error: Python.h: No such file or directory\n{raised('theano/gof/cmodule.py')}{failed}\n")
    assert found is not None
    (line,) = found.advice
    assert "python3-dev" in line
    assert "conda install --force-reinstall python" in line


@pytest.mark.parametrize(
    ("shown", "advised"),
    [
        ("/usr/bin/g++ -shared -I/usr/include/python2.7 -o /home/me/.theano/compiledir_Linux-4-2.7.12-64/tmp/m.so", "install python-dev"),
        ("/usr/bin/g++ -shared -I/usr/include/python3.8 -o /home/me/.theano/compiledir_Linux-4-3.8.10-64/tmp/m.so", "install python3-dev"),
        ("/home/me/anaconda2/bin/g++ -shared -I/home/me/anaconda2/include/python2.7", "conda install --force-reinstall python;"),
        (r"C:\\Users\\me\\g++.exe -shared -IC:\\Python27\\include", "conda install libpython"),
        ("clang++ -shared -I/Users/me/include/python3.9", "Homebrew"),
    ],
)
def test_headers_of_python_are_named_for_the_python_that_ran(shown: str, advised: str) -> None:
    """The package's name depends on the release, the system and the distribution."""
    found = explain_log(f"{shown}\nmod.cpp:1:20: fatal error: Python.h: No such file or directory\n")
    assert found is not None
    assert advised in found.advice[0]
    assert sum("headers or the library" in line for line in found.advice) == 1


def test_a_driver_that_cannot_tell_reports_no_memory() -> None:
    """0 bytes of 0 bytes are no size of a device."""
    asked = "MemoryError: Error allocating 26214400 bytes of device memory (out of memory). Driver report 0 bytes free and 0 bytes total\n"
    found = explain_log(asked)
    assert found is not None
    assert (found.cause, found.request.bytes, found.memory.free, found.memory.total) == (Cause.CAPACITY, 26214400, None, None)
    assert "0 B" not in found.why
    assert "could not tell" in found.advice[0]


def test_memory_that_was_free_is_not_what_is_short() -> None:
    """A handle that fails with room to spare gets no advice about memory."""
    text = "cuda_dnn.cc:535] Could not create cudnn handle: CUDNN_STATUS_INTERNAL_ERROR\n"
    text += "cuda_dnn.cc:539] Memory usage: 11372396544 bytes free, 11539054592 bytes total.\n"
    found = explain_log(text)
    assert found is not None
    assert found.advice[0] == "memory had not run out: 10.6 GiB of 10.7 GiB were free"
    assert not any("PREALLOCATE" in line for line in found.advice)


def test_no_advice_is_only_a_look_at_this_machine() -> None:
    """The log's machine may be another one."""
    assert all(any("theanodiag doctor" not in line or ";" in line for line in lines) for lines in BY_CAUSE.values())


def test_general_advice_only_where_no_other_holds() -> None:
    """What a name became says already that it is gone."""
    known = explain_log("AttributeError: module 'pymc' has no attribute 'sample_ppc'\n")
    other = explain_log("AttributeError: module 'pymc' has no attribute 'sample_xyz'\n")
    assert known is not None
    assert other is not None
    assert not any("is not in this release" in line for line in known.advice)
    assert other.advice[0].startswith("sample_xyz is not in this release")


def test_a_missing_program_explains_no_file_that_python_does_not_find() -> None:
    """Advice about the program is for the log in which it is the failure."""
    lost = "run.sh: line 3: module: command not found\n"
    alone, file = explain_log(lost), explain_log(f"{lost}FileNotFoundError: [Errno 2] No such file or directory: 'a.csv'\n")
    assert alone is not None
    assert file is not None
    assert (alone.cause, file.cause) == (Cause.FILE_ACCESS, Cause.FILE_ACCESS)
    assert "the shell finds no module" in alone.advice[0]
    assert not any("the shell" in line for line in file.advice)


CLANG = "Exception: ('Compilation failed (return status=1): {}', 'x')\n"


@pytest.mark.parametrize(
    ("log", "words"),
    [
        (CLANG.format("clang: error: unsupported argument '-q' to option 'Wa,'."), "does not know -q"),
        (CLANG.format("ld: in '/Library/x.tbd', unsupported tapi file type '!tapi-tbd' in YAML file"), "cxx=/usr/bin/clang++"),
        ("library gcc: is not found.\nlibrary x86_64/bin/ld: is not found.\n" + CLANG.format(""), "conda install -c conda-forge gxx"),
        ("CUDA runtime error: initialization error (3)\nRuntimeError: CUDA error: initialization error\n", "forked after the card"),
        ("forrtl: error (200): program aborting due to control-C event\n", "FOR_DISABLE_CONSOLE_CTRL_HANDLER=1"),
        (
            'ValueError: Invalid value ("cpu") for configuration variable "gpu". Valid options start with one of "device", "cuda"\n',
            "the flag is device=gpu",
        ),
        (
            '  File "/e/lib/python3.8/site-packages/tqdm/_tqdm.py", line 191, in fp_write\n    fp.write(_unicode(s))\n'
            "AttributeError: 'NoneType' object has no attribute 'write'\n",
            "progressbar=False",
        ),
        (
            '  File "/e/lib/python3.8/site-packages/arviz/data/inference_data.py", line 1205, in InferenceData\n'
            "    unify_chunks = _extend_xr_method(xr.Dataset.unify_chunks)\n"
            "AttributeError: type object 'Dataset' has no attribute 'unify_chunks'\n",
            "pip install -U arviz xarray",
        ),
        ("RuntimeError: Incorrect output dtype for return value #0: Expected: int64, Actual: int32\n", "returned int32, but int64 is"),
        (
            '  File "/e/lib/python3.8/site-packages/numpyro/infer/mcmc.py", line 565, in run\n    f(x)\n'
            '  File "/e/lib/python3.8/site-packages/jax/api.py", line 2058, in _check_arg\n    raise TypeError(f"Argument {arg}")\n'
            "TypeError: Argument 'None' of type '<class 'NoneType'>' is not a valid JAX type\n",
            "pip install -U jax jaxlib numpyro",
        ),
        ("UnicodeDecodeError: 'ascii' codec can't decode byte 0xb7 in position 0: ordinal not in range(128)\n", "encoding='latin1'"),
        ("UnicodeDecodeError: 'gbk' codec can't decode byte 0xb7 in position 0: illegal multibyte sequence\n", "Windows reads and writes"),
        ("UnicodeDecodeError: 'utf-8' codec can't decode byte 0x80 in position 0: invalid start byte\n", "with 'rb'"),
        ("UnicodeEncodeError: 'ascii' codec can't encode character '\\u2192' in position 1\n", "PYTHONIOENCODING=utf-8"),
        ("RuntimeError: Resource exhausted: Out of memory while trying to allocate 24 bytes.\n", "nvidia-smi"),
        ("RuntimeError: Chain 0 failed.\n", "sample(cores=1) shows it"),
        (
            '  File "/e/lib/python3.10/site-packages/pymc/sampling/mcmc.py", line 733, in sample\n    rngs = g.spawn(chains)\n'
            "AttributeError: 'numpy.random._generator.Generator' object has no attribute 'spawn'\n",
            "pip install -U numpy if",
        ),
        (
            '  File "/e/lib/python3.10/site-packages/blackjax/types.py", line 14, in <module>\n    from jax.core import Shape\n'
            '  File "/e/lib/python3.10/site-packages/jax/_src/deprecations.py", line 54, in getattr\n    raise AttributeError(message)\n'
            "AttributeError: jax.core.Shape is deprecated. Use Shape = Sequence[int | Any].\n",
            "pip install -U jax jaxlib",
        ),
        ("_pickle.UnpicklingError: the STRING opcode argument must be quoted\n", "`*.pkl binary` in .gitattributes"),
        (
            '  File "x.py", line 3, in <module>\n    pickle.load(f)\n'
            "UnicodeDecodeError: 'ascii' codec can't decode byte 0xe9 in position 3: ordinal not in range(128)\n",
            "pickle.load(open(path, 'rb'), encoding='latin1')",
        ),
        ("ValueError: negative dimensions are not allowed\n", "a length became negative"),
        (
            '~/jax/jax/random.py in _random_bits(key)\n--> 311     raise TypeError("_random_bits got invalid prng key.")\n\n'
            "TypeError: _random_bits got invalid prng key.\n",
            "the function of jax checks its arguments",
        ),
        ("undefined reference to `__imp_PyBool_Type'\ncollect2.exe: error: ld returned 1 exit status\n", "libpython"),
        ("TypeError: unsupported operand type(s) for -: 'TensorVariable' and 'TensorVariable'\n", "T.sub"),
        (
            'ValueError: Invalid value ("cpu  # no GPU") for configuration variable "device". Valid options are cpu\n',
            "write `device = cpu` alone on its line",
        ),
    ],
)
def test_advice_that_can_be_pasted(log: str, words: str) -> None:
    """A command, a setting or a piece of code for what the log names."""
    found = explain_log(log)
    assert found is not None
    assert words in "\n".join(found.advice)


def test_advice_for_macos_in_general_gives_way() -> None:
    """Where the compiler's message says what is wrong, the command line tools are not reinstalled."""
    found = explain_log("  File /Users/a/x.py\n" + CLANG.format("clang: error: unsupported argument '-q' to option 'Wa,'."))
    assert found is not None
    assert not any("xcode-select" in line for line in found.advice)


def test_an_object_of_compiled_code_stays_in_its_process() -> None:
    """What multiprocessing pickles is no model that was saved."""
    sent = '  File "/e/lib/python3.9/multiprocessing/reduction.py", line 60, in dump\n'
    sent += "    '''Replacement for pickle.dump() using ForkingPickler.'''\n    ForkingPickler(file, protocol).dump(obj)\n"
    found = explain_log(f"{sent}TypeError: cannot pickle 'fortran' object\n")
    assert found is not None
    assert "cores=1" in found.advice[0]


@pytest.mark.parametrize(
    ("said", "advised"),
    [
        ("ImportError: cannot import name inplace_increment", "purge"),
        ("pygpu/gpuarray.c:9298:43: error: ‘GA_CTX_SCHED_SINGLE’ undeclared (first use in this function)", "headers of libgpuarray"),
        ("pygpu/gpuarray_api.h:23:90: error: 'gpucontext_props' has not been declared.", "headers of libgpuarray"),
    ],
)
def test_parts_of_two_releases_are_compiled_again(said: str, advised: str) -> None:
    """A module in Theano's cache, and headers that a compiler finds first."""
    found = explain_log(f"{said}\n")
    assert found is not None
    assert found.cause is Cause.COMPILER
    assert advised in found.advice[0]
