"""Remedies for models and graphs: start values, gradients, non-finite values, inputs, shapes, dtypes, back-ends."""

from __future__ import annotations

from .model import Cause
from .remedy import remedy

MODELS = (
    remedy(
        Cause.START_VALUES,
        r"^(?P<name>\w{1,60})[ \t]+(?:NaN|nan|-?inf)\b|'(?P<quoted>\w{1,60})': (?:np\.float64\()?(?:array\()?-?(?:nan|inf)",
        "{name}{quoted} has no finite log-probability there: look for NaN in its data, data outside of the distribution's range, and "
        "parameters that are not positive",
    ),
    remedy(
        Cause.START_VALUES,
        r"(?P<rule>[\w ]{1,40}(?:>=?|<=?) ?[\w.]+[^\n]{0,40})\n?",
        "a parameter broke this condition: {rule}; give it a prior within its range (HalfNormal, Exponential), or a transform such as exp",
        r"ParameterValueError",
    ),
    remedy(
        Cause.START_VALUES,
        r"",
        "model.debug() (PyMC3: model.check_test_point()) shows the log-probability of each variable at the start; "
        "then other start values: initval= of the variable (PyMC3: testval=), or sample(init='adapt_diag'), which adds no jitter; "
        "standardise the data",
    ),
    remedy(
        Cause.ZERO_GRADIENT,
        r"derivative of RV `?(?P<name>[^`\s]{1,60})`?",
        "{name} has no effect on the log-probability where sampling begins, or it underflows: check that the model uses it, rescale the "
        "data, tighten its prior, and compute in float64",
    ),
    remedy(Cause.ZERO_GRADIENT, r"", "another start: sample(init='adapt_diag' or 'advi+adapt_diag'), other start values, no jitter"),
    remedy(
        Cause.NOT_FINITE,
        r"NanGuardMode|NaN detected|Inf detected|Big value",
        "the node that is named made the first NaN or inf: lower the learning rate, clip gradients, guard log, sqrt and divisions "
        "(T.log(x + eps)), and look for NaN in the data; a false alarm of NanGuardMode on the GPU's uninitialised memory "
        "(AllocEmpty) is known: then check without it",
    ),
    remedy(
        Cause.NOT_FINITE,
        r"is_finite\(\)",
        "the sampler met a gradient that is not finite: other start values, priors that are not so wide, standardised data; and the newest "
        "nutpie",
    ),
    remedy(
        Cause.NOT_FINITE,
        r"NaN occurred in optimization|variational|ADVI|advi",
        "a smaller step: fit(obj_optimizer=pm.adagrad_window(learning_rate=1e-3)) or pm.adam; standardise the data; "
        "the variables listed are where it began",
    ),
    remedy(
        Cause.NOT_FINITE,
        r"(?i)positive[- ]definite|singular|leading minor|cholesky|LinAlgError|factori[sz]e",
        "add a small number to the diagonal (cov + 1e-6 * I), take float64, and parametrise by LKJCholeskyCov; duplicate rows of data "
        "make a covariance singular",
    ),
    remedy(
        Cause.NOT_FINITE,
        r"(?i)contains? (?:NaN|inf)|infs? or NaNs?|NaN to integer",
        "remove or fill NaN and infinite values of the data: numpy.isfinite(x).all() has to be True",
    ),
    remedy(
        Cause.MISSING_INPUT,
        r"[Ii]nput \d+ \((?P<variable>[^()\n]{1,60})\) of the graph|"
        r"[Ii]nput \d+ of the graph \(indices start from 0\), used to compute (?P<node>[^\n]{1,80}?), was not provided|"
        r"chain of variables leading from this input to an output is \[(?P<chain><[^<>\n]{1,80}>|[^,\]\n]{1,80})|"
        r"[Uu]ndeclared input[^\n]{0,20}?(?P<name>\b\w+\b)|, used to compute (?P<used>[^\n]{1,80}?), was not provided",
        "a symbolic variable is left open ({variable}{node}{chain}{name}{used}): add it to the function's inputs, or give it a value by "
        "givens= or as a shared variable",
    ),
    remedy(
        Cause.MISSING_INPUT,
        r"Missing required input: (?P<name>[^\n]{1,60})",
        "the function was called without a value for {name}: give it one; where a library calls (ArviZ, PyMC3), the trace or point lacks "
        "that variable: sample without trace=, and update the library",
    ),
    remedy(
        Cause.MISSING_INPUT,
        r"",
        "functions over variables of a model: eval({{var: value}}), or pytensor.function(model.value_vars, ...); the same object has to be "
        "input and in the graph, not a second variable of its name",
    ),
    remedy(Cause.UNUSED_INPUT, r"", "take that input away, or on_unused_input='ignore' (or 'warn'): the outputs do not depend on it"),
    remedy(
        Cause.DISCONNECTED,
        r"",
        "the cost does not depend on that variable: take the gradient of the variable that the graph was built from (not a copy, "
        "get_value() or a cast of it), or disconnected_inputs='ignore'",
    ),
    remedy(
        Cause.RECURSION,
        r"pickl|deepcopy|MaybeEncoding",
        "import sys; sys.setrecursionlimit(50000) before; a long chain of nodes cannot be pickled or copied otherwise: sample with cores=1",
    ),
    remedy(
        Cause.RECURSION,
        r"",
        "import sys; sys.setrecursionlimit(50000) at the top, with a larger stack (ulimit -s unlimited); better a loop that makes no "
        "chain: scan, or a sum of a stacked array",
    ),
    remedy(
        Cause.CONFIGURATION,
        r"could not convert string to float: ?'?(?P<value>[^\s'\n]{1,40})",
        "a flag that takes a number has {value}: lib.cnmem and gpuarray.preallocate take a part of the card such as 0.8 (or MB), not "
        "True; correct it in .theanorc or THEANO_FLAGS",
    ),
    remedy(
        Cause.CONFIGURATION,
        r"[Ii]nvalid value \(?['\"]?(?P<value>[^'\")\n]{0,60})['\"]?\)? for configuration (?:variable|key) ['\"](?P<name>[\w.]+)",
        "{name} does not take {value}: correct it in the rc file or in the flags variable",
    ),
    remedy(
        Cause.CONFIGURATION,
        r"Configuration not set and no default provided: (?P<name>\w+)",
        "Fuel or Blocks wants {name}: a line '{name}: value' (floatX: float32) in ~/.fuelrc (~/.blocksrc)",
    ),
    remedy(
        Cause.CONFIGURATION,
        r"",
        "theanodiag config check names the file, line and column of each setting that is refused, and what is accepted",
    ),
    remedy(
        (Cause.SYMBOLIC, Cause.DTYPES),
        r"<class 'tensorflow\.|convert object of type <class 'theano|tensorflow[\\/][\s\S]{0,900}TensorVariable",
        "variables of two back-ends are mixed (TensorFlow's and Theano's): Keras' back-end has to be the script's, "
        "KERAS_BACKEND=tensorflow (or =theano, or backend in ~/.keras/keras.json)",
    ),
    remedy(
        Cause.SYMBOLIC,
        r"theano_backend\.py[\s\S]{0,900}does not support iteration",
        "updates are pairs for one Keras and variables for another: take the Keras of the script's time (its requirements, or README)",
    ),
    remedy(
        Cause.SYMBOLIC,
        r"NotImplementedError: Cannot convert (?P<name>\w+) to a tensor variable",
        "{name} is a variable of another library: theano.shared and theano.tensor take none of PyMC 4 and later; import pytensor and "
        "pytensor.tensor for them",
    ),
    remedy(
        Cause.SYMBOLIC,
        r"Variable' object has no attribute '(?P<name>(?:in|out)put_(?:shape|layers?)|_keras_\w+|get_output\w*)'",
        "a layer takes a layer, not an expression (which has no {name}): InputLayer(shape, input_var=x) makes a layer of one (Keras: "
        "Input(tensor=x)), and ReshapeLayer, ExpressionLayer or Lambda changes what a layer gives",
    ),
    remedy(
        Cause.SYMBOLIC,
        r"UnexpectedTracer|escaped through|leaked",
        "a value that JAX traces outlived its function: return it, and keep none in a global, an attribute or a list; where a library "
        "keeps it, take its newest release",
    ),
    remedy(
        Cause.SYMBOLIC,
        r"TracerArrayConversion|numpy\.ndarray conversion|__array__",
        "code that JAX traces calls NumPy: use jax.numpy there",
    ),
    remedy(
        Cause.SYMBOLIC,
        r"TracerBool|`bool` function|[Tt]racer|[Tt]raced",
        "JAX traces this code, and a traced value has no truth: jnp.where or lax.cond instead of if, and, not; an argument that chooses is "
        "static (static_argnums); checks of values off (validate_args=False); where {caller} does it, its release does not fit this jax: "
        "pip install -U it",
    ),
    remedy(
        Cause.SYMBOLIC,
        r"does not support item assignment",
        "a symbolic array is not changed in place: y = tensor.set_subtensor(x[i], value) (or inc_subtensor) is a new one; in a loop, scan",
    ),
    remedy(
        Cause.SYMBOLIC,
        r"boolean|truth|'bool'|\bif\b",
        "a symbolic variable has no value yet: use switch (tensor.switch, ifelse) instead of if, and eq, lt, and_ instead of ==, <, and",
    ),
    remedy(
        Cause.SYMBOLIC,
        r"no len\(\)|iter|shape|range\(",
        "a symbolic variable has no length yet: x.shape[0] is one too; loop by scan, or give the length as a Python number",
    ),
    remedy(
        Cause.SYMBOLIC,
        r"ufunc|numpy|np\.|math\.|float\(\)|Python (?:float|int|complex)|array-like",
        "use the library's functions on symbolic variables (tensor.log, not numpy.log or math.log); a value: x.eval() or, of a shared "
        "variable, x.get_value()",
    ),
    remedy(
        Cause.SYMBOLIC,
        r"",
        "give the graph variables and arrays only: tensor.as_tensor_variable, tensor.stack for lists; lists of None or of strings cannot "
        "be converted",
    ),
    remedy(
        Cause.PICKLING,
        r"CudaNdarray|GpuArray_unpickler|ContextNotDefined|sandbox[./]cuda|gpuarray",
        "the file was pickled on a GPU: load it where Theano has one (device=cuda0, set before), and save arrays there (numpy.savez "
        "of each get_value()); experimental.unpickle_gpu_on_cpu=True reads arrays, but no functions, without one",
    ),
    remedy(
        Cause.PICKLING,
        r"(?:has no attribute|No module named|cannot import name|KeyError:) ['\"]?(?P<name>[\w.]+)|\.loads?\(|find_class|"
        r"load_(?:global|reduce|build)",
        "the file does not fit the libraries that read it ({name}): load it with the release of the library that wrote it; a class of the "
        "script has to be importable under the module's name that it had. Save arrays (numpy.savez of each get_value()), not functions or "
        "layers",
        r"\.loads?\(|find_class|load_(?:global|reduce|build)",
    ),
    remedy(
        Cause.PICKLING,
        r"UnpicklingError|invalid load key|unpickl",
        "the file is no whole pickle (a download that was cut, a pointer of Git LFS), or another program's: get it again",
    ),
    remedy(
        Cause.PICKLING,
        r"",
        "sample(cores=1) sends nothing to another process; else define functions and Ops at the top of a module, not in a function, a "
        "lambda or the notebook, and keep locks, files and generators out of the model",
        alone=True,
    ),
    remedy(
        Cause.FILE_ACCESS,
        r"HTTPError|URLError|ConnectionError|SSLError|gaierror|Timeout|urlopen",
        "a download failed, not the model: the address moved or needs a certificate or a proxy; get the file by hand and put it where the "
        "script looks",
    ),
    remedy(
        Cause.FILE_ACCESS,
        r"(?P<name>[\w./+-]{1,100}): (?:command )?not found$(?![\s\S]*?^[\w.]{0,80}(?:Error|Exception): )",
        "the shell finds no {name}: a batch job or container reads no ~/.bashrc, so load the module or activate the environment in the "
        "script itself, or write the whole path of {name}",
    ),
    remedy(
        Cause.FILE_ACCESS,
        r"No rule to make target ['`\u2018\"]?(?P<name>[^'\"\n\u2019]{1,100})",
        "make finds neither {name} nor a rule for it: run it in the folder of that Makefile; a source that lacks files may want git "
        "submodule update --init, or configure or cmake first",
    ),
    remedy(
        Cause.FILE_ACCESS,
        r"not a git repository",
        "git was called outside of a clone, mostly by a build that asks for its version: git clone the source, where an archive of it was "
        "unpacked or copied without .git, and run it in there",
    ),
    remedy(
        Cause.FILE_ACCESS,
        r"slurmstepd: error: (?:execve|couldn't chdir|[Cc]reate Batch Script)|slurm_script: No such file",
        "the node could not use the job's own files, whatever they contain: try another node (sbatch --exclude=NODE), and tell the "
        "administrators which one it was",
    ),
    remedy(
        Cause.FILE_ACCESS,
        r"\.theano|compiledir|\.pytensor|\.aesara",
        "the folder of the cache cannot be used: base_compiledir=/a/folder/of/yours (THEANO_FLAGS, PYTENSOR_FLAGS)",
    ),
    remedy(
        Cause.FILE_ACCESS,
        r"cannot cache function",
        "numba may not write beside the package: set NUMBA_CACHE_DIR to a folder of yours, such as /tmp/numba",
    ),
    remedy(
        Cause.FILE_ACCESS,
        r"[Tt]oo many open files",
        "the process has as many files and pipes open as it may: ulimit -n 4096 before it is started; close what is no longer needed, and "
        "run fewer processes (cores=1)",
    ),
    remedy(
        Cause.FILE_ACCESS,
        r"Errno 30|[Rr]ead-only file system",
        "the folder cannot be written, as in an image or a shared installation: bind one of yours over it (singularity --bind, docker -v), "
        "or install the package in a folder of your own",
    ),
    remedy(
        Cause.FILE_ACCESS,
        r"",
        "the path is looked for from the folder where the job was started: give it whole, and check its spelling and permissions",
    ),
    remedy(
        Cause.REWRITE_FAILED,
        r"failure due to:? ?(?:\w*Group\([\s\S]{0,2400}, in (?P<inner>local_\w{1,80})|(?P<name>\w{1,80})(?!\w*\())",
        "the job goes on without {name}{inner}: optimizer_excluding={name}{inner} silences it; a newer release mostly has it mended",
    ),
    remedy(
        Cause.REWRITE_FAILED,
        r"",
        "a fault of a rewrite, not of your model: take a newer release, or compile with fewer (optimizer=fast_compile, or "
        "optimizer_excluding= the one that is named)",
        alone=True,
    ),
)
"""Remedies for faults in a model, graph or script."""

VALUES = (
    remedy(
        Cause.DTYPES,
        r"float64[\s\S]{0,400}float32|float32[\s\S]{0,400}float64",
        "float64 meets float32: floatX=float32 (THEANO_FLAGS, .theanorc) and arrays by astype(theano.config.floatX); NumPy makes float64, "
        "and an int32 or int64 factor gives float64 too",
    ),
    remedy(
        Cause.DTYPES,
        r"Expected an integer|must be (?:an )?integers?\b|object cannot be interpreted as an (?:integer|index)",
        "an index or a length has to be an integer: in Python 3 / gives a float where // does not; else int(x), or x.astype('int64') of a "
        "symbolic one",
    ),
    remedy(
        Cause.DTYPES,
        r"\bobject\b(?! has no| at 0x)|dtype\('O'\)|Unsupported dtype|ufunc '\w+' not supported for the input types",
        "the data has Python objects: make it numbers, x.astype(float) or of a data frame x.values.astype('float64'), and look for "
        "strings, None and rows of different lengths",
    ),
    remedy(
        Cause.DTYPES,
        r"\bu?int\d+[\s\S]{0,200}\bfloat\d+|\bfloat\d+[\s\S]{0,200}\bu?int\d+|\bint(?:8|16|32)\b[\s\S]{0,200}\bint64|"
        r"\bint64\b[\s\S]{0,200}\bint(?:8|16|32)\b|"
        r"type_num|NPY_INT",
        "make both of one dtype: x.astype('int32') for indices and labels, cast(x, floatX) for values",
    ),
    remedy(
        Cause.DTYPES,
        r"update|same type as the original|shared",
        "an update has to have the shared variable's dtype: set floatX=float32 where it is float32, cast the update, and make constants "
        "floatX (numpy.float32(0.1))",
    ),
    remedy(
        Cause.SHAPES,
        r"cost must be a scalar|[Gg]rad only implemented for scalar|scalar-output",
        "a gradient is of one number: cost.mean() or cost.sum(); where a library makes the cost (nolearn, Lasagne): releases of one time",
    ),
    remedy(
        Cause.SHAPES,
        r"y_i value out of bounds",
        "a label is no class: labels are whole numbers from 0 to n_classes - 1 (print y.min(), y.max()), and the last layer has n_classes "
        "units",
    ),
    remedy(
        Cause.SHAPES,
        r"outputs_info|inner function of scan",
        "an initial state of scan (outputs_info) has to have the dimensions of one step's result, without the axis of steps, or one more "
        "where it has taps; T.unbroadcast it where a length is 1",
    ),
    remedy(
        Cause.SHAPES,
        r"Type (?P<has>Scalar|Vector|Row|Col|Matrix|Tensor\d)\([^\n]{0,200} into Type (?P<wants>(?!(?P=has))[A-Z]\w{2,7})\(",
        "a {has} is given where a {wants} is declared: their numbers of dimensions have to be the same; x.flatten(), x[:, 0], "
        "x.sum(axis=0) and x.dimshuffle(0, 'x') change it",
    ),
    remedy(
        Cause.SHAPES,
        r"same type as the original|same recurrent state|identical types|into Type|broadcast pattern|unbroadcast|on a "
        r"broadcastable dimension|supposed to be 1\b",
        "both are of one dtype and differ in which axes broadcast: give the state, outputs_info or shared variable the other pattern "
        "(T.unbroadcast(x, axis), T.addbroadcast, shared(..., broadcastable=...)); a layer of a library: take its release of that time "
        "(Lasagne: the newest)",
    ),
    remedy(
        Cause.SHAPES,
        r"hardcoded shape[^\n]{0,80}\((?P<declared>\d+)\)[^\n]{0,40}\((?P<given>\d+)\)",
        "the length that was declared when the graph was built ({declared}) is not that of the data ({given}): correct the input shape "
        "(input_shape, image_shape, batch size), or leave it None",
    ),
    remedy(
        Cause.SHAPES,
        r"same stack size|image_data_format|image_dim_ordering|Negative dimension size|dimension with value <= 0|"
        r"(?:Conv|conv|Corr)\w*[^\n]{0,200}(?:channel|stack|filter)",
        "the order of axes of images and filters: image_data_format (Keras 1: image_dim_ordering) of ~/.keras/keras.json has to be the one "
        "that the code was written for, channels_first (th) for Theano, channels_last (tf) for TensorFlow; or transpose the images",
    ),
    remedy(
        Cause.SHAPES,
        r"weight shape (?P<wants>\([\d, ]*\)) not compatible with provided weight shape (?P<has>\([\d, ]*\))|"
        r"shapes must be equal[^\n]{0,200}'Assign'|"
        r"load_(?:weights|model|params)\w*\([\s\S]{0,3000}(?:shapes must be equal|shape mismatch|not compatible|mismatch between shapes)",
        "the file has weights of other shapes than this network's ({has}, {wants}): axes in another order (image_data_format "
        "channels_first, in Keras 1 image_dim_ordering th, in ~/.keras/keras.json, and the back-end with which they were saved), other "
        "layers, or another release",
    ),
    remedy(
        Cause.SHAPES,
        r"pattern of the input is incorrect for this op\. Expected (?P<wants>\([\w, ]{1,70}\)), got (?P<has>\([\w, ]{1,80}\))",
        "a rewrite took an axis of length 1 for one that is broadcast, and the other way round ({has} for {wants}): make that axis by "
        "dimshuffle or reshape from a variable without it, or by tensor.addbroadcast",
    ),
    remedy(
        Cause.SHAPES,
        r"conflicting sizes for dimension '(?:chain|draw|sample)'",
        "these draws have lost their axes of chains and draws: keep them (PyMC3: keep_size=True), or give arrays (chain, draw, ...)",
    ),
    remedy(
        Cause.SHAPES,
        r"conflicting sizes for dimension '(?P<name>\w+)': length (?P<has>\d+) on the data but length (?P<wants>\d+) on coord",
        "{name} has {has} in the data and {wants} labels in coords: give coords as many; of predictions for new data, "
        "set_data(..., coords=...) and sample_posterior_predictive(..., predictions=True)",
    ),
    remedy(
        Cause.SHAPES,
        r"must have the same length as the number of data dimensions, ndim=0",
        "the labels of a dimension are a list or an array, not a tuple: coords={{'city': list(labels)}}",
    ),
    remedy(
        Cause.SHAPES,
        r"failed for \d\w\w (?:keyword|argument)",
        "BLAS or LAPACK was called with arrays of other lengths than the graph says: compare the static shapes, and take another release "
        "of PyTensor or SciPy",
    ),
    remedy(
        Cause.SHAPES,
        r"got (?P<has>\d+) values to set (?P<wants>\d+) parameters",
        "the file has {has} arrays, and this network {wants}: build the network with the layers and settings of the one that was saved, by "
        "the same release of the library",
    ),
    remedy(
        Cause.SHAPES,
        r"Wrong number of dimensions:\s+expected (?P<wanted>\d+), got (?P<given>\d+) with shape (?P<shape>\([\d, L]*\))",
        "an argument has {given} dimensions (shape {shape}) where {wanted} are declared: reshape it (a column: x.reshape(-1, 1), x[:, "
        "None]; one row of a matrix: x[None]), or declare the variable otherwise",
    ),
    remedy(
        Cause.SHAPES,
        r"operands could not be broadcast together(?: with shapes (?P<shapes>[^\n]{1,80}?))?\s*$",
        "arrays of NumPy of other lengths meet in one expression ({shapes}): rows of different lengths in a list, a column where a row is "
        "meant, or data that was cut: print the shapes of both",
    ),
    remedy(
        Cause.SHAPES,
        r"(?i)(?:cannot|can't) reshape|reshape[^\n]{0,300}not divisible|total size of (?:new|the) array",
        "this many elements do not fill that shape: print x.shape before the reshape; a batch or picture size written into the model has "
        "to be the data's, and the number of samples a multiple of the batch",
    ),
    remedy(
        Cause.SHAPES,
        r"\bwith size 0\b|zero-size array|empty sequence",
        "the array is empty: a path, a filter or a column's name left no data; print its length where it is made",
    ),
    remedy(
        Cause.SHAPES,
        r"Input dimension mis-?match|ncompatible Elemwise input shapes|broadcast",
        "two arrays of one expression differ in an axis that neither broadcasts: a length of 1 is broadcast only where the type says so "
        "(dimshuffle with 'x', or static shapes), a missing axis comes first: compare the shapes of the inputs that are listed, "
        "and the last, smaller batch",
    ),
    remedy(
        Cause.SHAPES,
        r"(?:Shape mismatch|not aligned|core dimension|dimension mismatch|cannot be multiplied)",
        "in a product the columns of the first have to be the rows of the second: compare both with the shapes listed, a weight matrix "
        "(or initial state of a recurrent layer) may be transposed or made for other data or another release of the library",
    ),
    remedy(
        Cause.SHAPES,
        r"\b(?:dims?|coords?)\b|posterior|xarray",
        "lengths in coords, dims and observed data have to agree; data that changes its length goes through Data and set_data with coords",
    ),
    remedy(
        Cause.NO_IMPLEMENTATION,
        r"Nonzero|[Bb]oolean|data-dependent",
        "the length of its result depends on values, which JAX cannot compile: where (or switch) with three arguments keeps the length, "
        "else mode=FAST_RUN (C) or NUMBA for this function",
    ),
    remedy(
        Cause.NO_IMPLEMENTATION,
        r"(?:failed to legalize operation |error: )'(?P<operation>[\w.]{1,60})'|UNIMPLEMENTED: (?P<what>[^\n]{1,80})|"
        r"serialize MPS module",
        "JAX's compiler for this device lacks an operation ({operation}{what}): compute on the CPU (JAX_PLATFORMS=cpu; on macOS pip "
        "uninstall jax-metal), or take a release of jax and of the plugin that belong together",
    ),
    remedy(
        Cause.NO_IMPLEMENTATION,
        r"nanguardmode|NanGuardMode",
        "NanGuardMode does not know a type in this graph (a random state, a GPU array): update the library, or check for NaN without it",
    ),
    remedy(
        (Cause.NO_IMPLEMENTATION, Cause.LIBRARY_FAULT),
        r"link[\\/]numba|numba\.core|nopython",
        "nutpie runs what numba compiles: the newest pytensor, nutpie and numba know more Ops; else compile_pymc_model(model, "
        "backend='jax'), or pm.sample without nuts_sampler",
        r"nutpie",
    ),
    remedy(
        Cause.NO_IMPLEMENTATION,
        r"(?i)numba[\\/.]|numba\.|nopython|\bTypingError|LoweringError",
        "numba cannot compile this: mode=FAST_RUN with the C linker (PyTensor: linker=cvm, mode='CVM') or JAX for this function, and a "
        "numba and llvmlite of the release that the library names; code of your own by what numba has, on arrays of one dtype",
    ),
    remedy(
        Cause.NO_IMPLEMENTATION,
        r"(?i)\bjax\b",
        "use mode=FAST_RUN (C) or NUMBA for this function, or another sampler than JAX's (nuts_sampler='pymc'); newer releases of PyTensor "
        "know more Ops",
        r"pytensor|aesara|theano|pymc",
    ),
    remedy(
        Cause.NO_IMPLEMENTATION,
        r"of the (?P<name>\w+)(?:\{[^}\n]*\})? op is mathematically undefined",
        "the gradient passes through {name}, which has none: take theano.gradient.consider_constant(x) of its result where no gradient is "
        "meant, or a function that has one (max for argmax, probabilities for draws)",
    ),
    remedy(
        Cause.NO_IMPLEMENTATION,
        r"grad|pullback|L_op",
        "the Op has no gradient: leave it out of the cost, define grad (L_op) for it, or sample by a step without gradients (Metropolis, "
        "Slice, DEMetropolisZ)",
    ),
    remedy(
        Cause.NO_IMPLEMENTATION,
        r"[/\\]pymc3?[/\\][^\n]*\n(?:[^\n]*\n){0,3}\s*NotImplementedError",
        "PyMC itself does not have this: another distribution, CustomDist(..., logp=..., random=...) or Potential, or a newer release",
        alone=True,
    ),
)
"""Remedies if values, shapes, dtypes or a back-end are incompatible."""
