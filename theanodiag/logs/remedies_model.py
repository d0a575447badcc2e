"""Remedies for models and graphs: start values, gradients, non-finite values, inputs, back-ends."""

from __future__ import annotations

from .command_messages import ELSEWHERE
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
        "model.debug() (PyMC3: model.check_test_point()) shows the log-probability of each variable at the start; then use other start "
        "values: initval= of the variable (PyMC3: testval=), or sample(init='adapt_diag'), which adds no jitter; standardise the data",
    ),
    remedy(
        Cause.REFUSED,
        r"\A[^\n]*ValueError: \w+ ?[<>]=? ?\d[^\n]*|\A[^\n]*\bcontains? NaNs?",
        "a parameter of a random draw is NaN or outside of its range, as the message says: give what it is computed from priors within "
        "that range (HalfNormal, Beta, Dirichlet) or a transform (exp, invlogit), and look for NaN in the data and the draws",
        r"numpy[./\\]random|_rv\{",
    ),
    remedy(
        Cause.SHAPES,
        r"Resizing dimension '(?P<name>[^'\n]{1,60})' is impossible",
        "the length of {name} is fixed where it was made from coords: model.add_coord('{name}', values, mutable=True), or data with that "
        "dim (pm.MutableData), lets it change; in newer releases all coords can change: pip install -U pymc",
    ),
    remedy(
        Cause.SHAPES,
        r"\nInputs values: \[[^\n]*?\barray\((?P<value>-\d+)\)",
        "a length that this node got is negative ({value}): the graph computes it from an image or a sequence that is shorter than the "
        "filter, the pooling or the crop, or takes -1 (any length) as a number; print the shapes, and upgrade the library of layers",
        r"\bGpu?Alloc|\bAlloc|size_t",
    ),
    remedy(
        Cause.ZERO_GRADIENT,
        r"derivative of RV `?(?P<name>[^`\s]{1,60})`?",
        "{name} has no effect on the log-probability where sampling starts, or it underflows: check that the model uses it, rescale the "
        "data, tighten its prior, and compute in float64",
    ),
    remedy(Cause.ZERO_GRADIENT, r"", "start elsewhere: sample(init='adapt_diag' or 'advi+adapt_diag'), other start values, no jitter"),
    remedy(
        Cause.NOT_FINITE,
        r"NanGuardMode|NaN detected|Inf detected|Big value",
        "the named node computed the first NaN or inf: lower the learning rate, clip gradients, guard log, sqrt and divisions (T.log(x + "
        "eps)), and look for NaN in the data; on the GPU, NanGuardMode is known to report uninitialised memory (AllocEmpty): in that "
        "case check without it",
    ),
    remedy(
        Cause.NOT_FINITE,
        r"is_finite\(\)",
        "the sampler found a gradient that is not finite: use other start values, narrower priors, standardised data, and the newest "
        "nutpie",
    ),
    remedy(
        Cause.NOT_FINITE,
        r"NaN occurred in optimization|variational|ADVI|advi",
        "use a smaller step: fit(obj_optimizer=pm.adagrad_window(learning_rate=1e-3)) or pm.adam; standardise the data; the listed "
        "variables were the first to become NaN: check the bounds of their priors (lower below upper) and their start values",
    ),
    remedy(
        Cause.NOT_FINITE,
        r"(?i)infs? or NaNs?|contains? NaN",
        "the covariance has NaN or inf: its length scale, period and amplitude have to be positive (HalfNormal, InverseGamma, Gamma as "
        "priors, not Normal), and the inputs X finite",
        r"[\\/]gp[\\/]|\bgp\.",
    ),
    remedy(
        Cause.NOT_FINITE,
        r"(?i)positive[- ]definite|singular|leading minor|cholesky|LinAlgError|factori[sz]e",
        "add a small number to the diagonal (cov + 1e-6 * I), use float64, and parametrise with LKJCholeskyCov; duplicate rows of data "
        "make a covariance singular",
    ),
    remedy(
        Cause.NOT_FINITE,
        r"(?i)contains? (?:NaN|inf)|infs? or NaNs?|NaN to integer",
        "remove or replace NaN and infinite values in the data: numpy.isfinite(x).all() must be True",
    ),
    remedy(
        Cause.MISSING_INPUT,
        r"[Ii]nput \d+ \((?P<variable>[^()\n]{1,60})\) of the graph|"
        r"[Ii]nput \d+ of the graph \(indices start from 0\), used to compute (?P<node>[^\n]{1,80}?), was not provided|"
        r"chain of variables leading from this input to an output is \[(?P<chain><[^<>\n]{1,80}>|[^,\]\n]{1,80})|"
        r"[Uu]ndeclared input[^\n]{0,20}?(?P<name>\b\w+\b)|, used to compute (?P<used>[^\n]{1,80}?), was not provided",
        "a symbolic variable has no value ({variable}{node}{chain}{name}{used}): add it to the function's inputs, or give it a value "
        "with givens= or as a shared variable",
    ),
    remedy(
        Cause.MISSING_INPUT,
        r"Missing required input: (?P<name>[^\n]{1,60})",
        "the function was called without a value for {name}: pass one; if a library calls it (ArviZ, PyMC3), the trace or point lacks "
        "that variable: sample without trace=, and update the library",
    ),
    remedy(
        Cause.MISSING_INPUT,
        r"\bscan\(",
        "a function of scan with strict=True uses only what it is given: name each variable from outside in non_sequences, and make it an "
        "argument",
        alone=True,
    ),
    remedy(
        Cause.MISSING_INPUT,
        r"",
        "for functions of a model's variables use eval({{var: value}}), or pytensor.function(model.value_vars, ...); the input must be "
        "the same object as in the graph, not a second variable with the same name",
    ),
    remedy(
        Cause.UNUSED_INPUT,
        r"to compute the outputs: (?P<name>[^\n]{1,60}?)\.?\s*$",
        "the outputs do not depend on {name}: remove it from the inputs, or pass on_unused_input='ignore' (or 'warn') to theano.function",
    ),
    remedy(
        Cause.UNUSED_INPUT,
        r"",
        "remove that input, or pass on_unused_input='ignore' (or 'warn'): the outputs do not depend on it",
        alone=True,
    ),
    remedy(
        Cause.DISCONNECTED,
        r"non-differentiable operator: (?P<name>(?!<)[^\n]{1,60}?)\s*$",
        "the cost does not depend on {name}: leave it, or the layer that has it, out of the trained parameters, connect it to the "
        "output, or pass disconnected_inputs='ignore' to grad; a copy, get_value() or a cast in between disconnects it",
    ),
    remedy(
        Cause.DISCONNECTED,
        r"",
        "the cost does not depend on that variable: compute the gradient with respect to the variable from which the graph was built "
        "(not a copy, get_value() or a cast of it), or pass disconnected_inputs='ignore'",
        alone=True,
    ),
    remedy(
        Cause.NO_IMPLEMENTATION,
        r"of the (?P<name>\w+)(?:\{[^\n]*\})? op is mathematically undefined",
        "the gradient passes through {name}, which has none: use theano.gradient.consider_constant(x) of its result if no gradient is "
        "meant, or a function that has one (max for argmax, probabilities for draws)",
    ),
    remedy(
        Cause.NO_IMPLEMENTATION,
        r"of the (?P<name>\w+)(?:\{[^\n]*\})? op is not implemented|(?P<of>ConvOp)\.grad now when dx or dy",
        "in this release {name}{of} has no gradient with these options (strides, padding, borders): install a newer release (Theano 1.0.5: "
        "conv2d, pool_2d), strides of 1 or 2, or run it on the GPU with cuDNN",
    ),
    remedy(
        Cause.NO_IMPLEMENTATION,
        r"can't be used for 3d convolutions\"?, \('(?P<name>\w+)'",
        "dnn.conv.algo_fwd, algo_bwd_filter or algo_bwd_data is {name}, which cuDNN does not have for 3D: use none (or small, for "
        "algo_fwd)",
    ),
    remedy(
        Cause.NO_IMPLEMENTATION,
        r"no implementation available supporting the requested options",
        "neither cuDNN nor BLAS computes this convolution with its options: on the CPU, link a BLAS (blas.ldflags) and avoid float16; on "
        "the GPU, install cuDNN; do not exclude conv_gemm or conv_dnn (optimizer_excluding)",
    ),
    remedy(
        Cause.RECURSION,
        r"pickl|deepcopy|MaybeEncoding",
        "run import sys; sys.setrecursionlimit(50000) first; without it a long chain of nodes cannot be pickled or copied: sample with "
        "cores=1",
    ),
    remedy(
        Cause.RECURSION,
        r"",
        "write import sys; sys.setrecursionlimit(50000) at the top, and use a larger stack (ulimit -s unlimited); it is better to avoid "
        "the long chain: use scan, or the sum of a stacked array",
    ),
    remedy(
        Cause.CONFIGURATION,
        r"in ldflags_str: ['\"](?P<value>[^\n]{1,200}?)['\"]\W{0,3}$",
        "blas.ldflags (blas__ldflags) has {value}: it takes linker options separated by spaces, without brackets, quotes and commas "
        "(-L/folder/of/lib -lopenblas); empty uses NumPy's BLAS",
    ),
    remedy(
        Cause.CONFIGURATION,
        r"could not convert string to float: ?'?(?P<value>[^\s'\n]{1,40})",
        "a flag that takes a number has {value}: lib.cnmem and gpuarray.preallocate take a fraction of the card such as 0.8 (or MB), not "
        "True; correct it in .theanorc or THEANO_FLAGS",
    ),
    remedy(
        Cause.CONFIGURATION,
        r'Invalid value \("cpu"\) for configuration variable "(?P<value>gpu\w*)"',
        "the flag is device={value}, a name of the back-end that Theano removed (the message is misleading): write device=cuda (the "
        "first card: cuda0; it needs pygpu) or device=cpu in .theanorc or THEANO_FLAGS",
    ),
    remedy(
        Cause.CONFIGURATION,
        r"[Ii]nvalid value \(?['\"]?(?P<value>[^'\"#;\n]{0,60}?) +[#;][^\n]{0,300}for configuration variable ['\"](?P<name>[\w.]+)",
        "a comment after a value is read as part of it: write `{name} = {value}` alone on its line of the rc file, and the comment on "
        "another",
    ),
    remedy(
        Cause.CONFIGURATION,
        r"[Ii]nvalid value \(?['\"]?(?P<value>[^'\")\n]{0,60})['\"]?\)? for configuration (?:variable|key) ['\"](?P<name>[\w.]+)",
        "{name} does not take {value}: correct it in the rc file or in the flags variable",
    ),
    remedy(
        Cause.CONFIGURATION,
        r"Configuration not set and no default provided: (?P<name>\w+)",
        "Fuel or Blocks needs {name}: write a line '{name}: value' (floatX: float32) in ~/.fuelrc (~/.blocksrc)",
    ),
    remedy(
        Cause.CONFIGURATION,
        r"",
        "theanodiag config check names the file, line and column of each setting that is rejected, and what is accepted",
    ),
    remedy(
        (Cause.SYMBOLIC, Cause.DTYPES),
        r"'SharedVariable'",
        "theano.shared got something that is not an array of numbers, such as a data frame or a list, and made a variable without a "
        "dtype: theano.shared(numpy.asarray(x, dtype='float64'))",
    ),
    remedy(
        Cause.LIBRARIES,
        r"Outputs must be theano Variable",
        "both classes are Theano's, of two releases whose files are mixed: pip uninstall theano theano-pymc until none is left, remove the "
        "folder theano that remains, and install the one that is needed",
    ),
    remedy(
        Cause.REFUSED,
        r"Masked arrays or arrays with `nan`",
        "Data accepts no NaN: pass such an array to observed= itself, whose missing values are then estimated, or remove or replace them: "
        "numpy.isfinite(x).all() must be True",
    ),
    remedy(
        Cause.REFUSED,
        r"Cannot use a shared variable \((?P<name>[^\n]{1,80}?)\) as explicit input",
        "leave {name} out of the function's inputs: a shared variable has its value already (set_value changes it); for another value in "
        "one function, givens={{{name}: x}} with a symbolic x among the inputs",
    ),
    remedy(
        (Cause.SYMBOLIC, Cause.DTYPES),
        r"<class 'tensorflow\.|convert object of type <class 'theano|tensorflow[\\/][\s\S]{0,900}TensorVariable|"
        r"(?:\bT\.\w+\(|theano)[\s\S]{0,900}`tf\.Tensor` as",
        "variables of two back-ends are mixed (TensorFlow's and Theano's): Keras must use the script's back-end: "
        "KERAS_BACKEND=tensorflow (or =theano, or backend in ~/.keras/keras.json)",
    ),
    remedy(
        Cause.SYMBOLIC,
        r"theano_backend\.py[\s\S]{0,900}does not support iteration",
        "some releases of Keras expect updates as pairs, others as variables: install the Keras for which the script was written (see "
        "its requirements or README)",
    ),
    remedy(
        Cause.SYMBOLIC,
        r"NotImplementedError: Cannot convert (?P<name>\w+) to a tensor variable",
        "{name} is a variable of another library: theano.shared and theano.tensor do not accept variables of PyMC 4 and later; import "
        "pytensor and pytensor.tensor for them",
    ),
    remedy(
        Cause.SYMBOLIC,
        r"Variable' object has no attribute '(?P<name>(?:in|out)put_(?:shape|layers?)|_keras_\w+|get_output\w*)'",
        "a layer takes a layer, not an expression (which has no {name}): InputLayer(shape, input_var=x) turns an expression into a layer "
        "(Keras: Input(tensor=x)), and ReshapeLayer, ExpressionLayer or Lambda transforms a layer's output",
    ),
    remedy(
        Cause.SYMBOLIC,
        r"type field must be a TensorType[^\n]{0,200}(?P<type>Generic)",
        "theano.shared could not convert the value ({type}) to an array: call numpy.asarray(value, dtype='float32' or 'int8') first; it "
        "does not accept objects, strings or lists, and accepts numpy.bool_ only from Theano 0.9 on",
    ),
    remedy(
        Cause.SYMBOLIC,
        r"UnexpectedTracer|escaped through|[Ll]eaked",
        "a value that JAX traces was used after its function had ended: return such values, and do not store them in a global, an "
        "attribute or a list; if a library stores it, install its newest release",
    ),
    remedy(
        Cause.SYMBOLIC,
        r"\A[^\n]*Tracer'?(?: object)? has no attribute '?(?P<name>\w+)",
        "an array that JAX traces has no {name}: x.at[i].set(value) and x.at[i].add(value) replace x.set and index_update; item, tolist "
        "and fill need a value and belong outside of the compiled function; if {library} does it, install its newest release: pip "
        "install -U {library}",
    ),
    remedy(
        Cause.SYMBOLIC,
        r"TracerArrayConversion|numpy\.ndarray conversion|__array__",
        "code that JAX traces calls NumPy: use jax.numpy there",
    ),
    remedy(
        Cause.SYMBOLIC,
        r"TracerBool|`bool` function|[Tt]racer|[Tt]raced",
        "JAX traces this code, and a traced value has no number and no truth value: use jnp.where or lax.cond instead of if, and, not, "
        "and jax.numpy instead of NumPy and math; declare an argument that decides a branch as static (static_argnums), and turn checks "
        "of values off (validate_args=False); if {caller} does it, its release does not match this jax: pip install -U it",
    ),
    remedy(
        Cause.SYMBOLIC,
        r"does not support item assignment",
        "a symbolic array cannot be changed in place: y = tensor.set_subtensor(x[i], value) (or inc_subtensor) creates a new one; in a "
        "loop, use scan",
    ),
    remedy(
        Cause.SYMBOLIC,
        r"\A[^\n]*(?:\b[Bb]oolean|truth|(?:Python|to|as a) `?bool\b|'bool')",
        "a symbolic variable has no value yet: use switch (tensor.switch, ifelse) instead of if, and eq, lt, and_ instead of ==, <, and",
    ),
    remedy(
        Cause.SYMBOLIC,
        r"\A[^\n]*(?:no len\(\)|\biter|\blength\b|unpack|as an integer)",
        "a symbolic variable has no length yet, and x.shape[0] is symbolic too; loop with scan, or give the length as a Python number",
    ),
    remedy(
        Cause.SYMBOLIC,
        r"ufunc|numpy|np\.|math\.|float\(\)|Python (?:float|int|complex)|array-like",
        "use the library's functions on symbolic variables (tensor.log, not numpy.log or math.log); for its value call x.eval() or, for "
        "a shared variable, x.get_value()",
    ),
    remedy(
        Cause.SYMBOLIC,
        r"",
        "pass only variables and arrays to the graph: tensor.as_tensor_variable, or tensor.stack for lists; lists of None or of strings "
        "cannot be converted",
    ),
    remedy(
        Cause.PICKLING,
        r"CudaNdarray|GpuArray_unpickler|ContextNotDefined|sandbox[./]cuda|gpuarray",
        "the file was pickled on a GPU: load it on a machine where Theano has a GPU (set device=cuda0 before), and save arrays there "
        "(numpy.savez of each get_value()); without a GPU, experimental.unpickle_gpu_on_cpu=True reads arrays, but no functions",
    ),
    remedy(
        Cause.PICKLING,
        r"UnicodeDecodeError|UnicodeError",
        "pickle.load(open(path, 'rb'), encoding='latin1'), or numpy.load(path, allow_pickle=True, encoding='latin1')",
    ),
    remedy(
        Cause.PICKLING,
        r"marshal data|unknown opcode",
        "the file has compiled code (a Lambda layer, a function), which only the Python that wrote it reads: load it with that version of "
        "Python, or build the network in code there and take the arrays alone (load_weights)",
    ),
    remedy(
        Cause.PICKLING,
        r"STRING opcode argument must be quoted",
        "the file was copied or checked out as text, which changes its line endings: get it again in binary (in git: `*.pkl binary` in "
        ".gitattributes), and write and read it as 'wb' and 'rb'",
    ),
    remedy(
        Cause.PICKLING,
        r"UnpicklingError|invalid load key|unpickl|Failed to interpret file",
        "the file is not a complete pickle (a download that was cut off, a pointer of Git LFS), or belongs to another program: get it "
        "again",
        alone=True,
    ),
    remedy(
        Cause.PICKLING,
        r"(?:has no attribute|No module named|cannot import name|KeyError:) ['\"]?(?P<name>[\w.]+)|\.loads?\(|find_class|"
        r"load_(?:global|reduce|build)",
        "the file does not match the libraries that read it ({name}): load it with the release of the library that wrote it; a class of "
        "the script must be importable from a module of the same name as before. Save arrays (numpy.savez of each get_value()), not "
        "functions or layers",
        r"\.loads?\(|find_class|load_(?:global|reduce|build)",
        alone=True,
    ),
    remedy(
        Cause.PICKLING,
        r"(?:pickle|joblib|dill)\.dumps?\((?!\))"
        r"[\s\S]{0,900}?(?:local object '(?P<name>[^'\n]{1,99})'|function (?P<function>[\w.<>]{1,99}) at)|"
        r"(?:pickle|joblib|dill)\.dumps?\((?!\))",
        "a function defined inside another ({name}{function}) cannot be pickled: cloudpickle.dumps(model) writes such functions too; "
        "save draws with idata.to_netcdf(path), parameters as arrays, and a library's model with the library's own save",
        alone=True,
    ),
    remedy(
        Cause.PICKLING,
        r"",
        "sample(cores=1) sends nothing to another process; else define functions and Ops at the top of a module, not in a function, a "
        "lambda or the notebook, and keep locks, files and generators out of the model",
        alone=True,
    ),
    remedy(
        Cause.OWN_CODE,
        r"[Aa]ttempted relative import (?:with no known parent|beyond top-level|in non-package)",
        "the file is part of a package and was started by its path: run python -m PACKAGE.MODULE in the folder that contains the "
        "package, or write imports without the leading dot",
    ),
    remedy(
        Cause.LIBRARY_FAULT,
        r"\A[^\n]{0,300}(?:copy\(\)|\b[Ll]ist\b|\btuple\b|ndarray|NoneType)",
        "Deterministic and Potential take one variable of the graph: tensor.stack(list) or as_tensor_variable(array) converts lists and "
        "arrays; write tensor.switch instead of if",
        r"\bin (?:Deterministic|Potential)\b",
    ),
    remedy(
        Cause.FILE_ACCESS,
        r"Long Path support|enable-long-paths",
        "Windows refuses paths of more than 260 characters: LongPathsEnabled=1 in the registry (gpedit: Enable Win32 long paths), or an "
        "environment in a short folder such as C:\\env",
    ),
    remedy(
        Cause.FILE_ACCESS,
        r"NewConnectionError[\s\S]{0,400}(?:/simple/|conda)",
        ELSEWHERE,
        alone=True,
    ),
    remedy(
        Cause.FILE_ACCESS,
        r"HTTPError|URLError|ConnectionError|SSLError|gaierror|Timeout|^(?![^\n]*(?:def |File |_urlopener))[^\n]*urlopen",
        "a download failed, not the model: the address has changed, or needs a certificate or a proxy; get the file by hand and put it "
        "where the script looks for it",
    ),
    remedy(
        Cause.FILE_ACCESS,
        r"(?P<name>[\w./+-]{1,100}): (?:command )?not found$(?![\s\S]*?^[\w.]{0,80}(?:Error|Exception): )",
        "the shell finds no {name}: a batch job or container does not read ~/.bashrc, so load the module or activate the environment in "
        "the script itself, or write the whole path of {name}",
    ),
    remedy(
        Cause.FILE_ACCESS,
        r"No rule to make target ['`\u2018\"]?(?P<name>[^'\"\n\u2019]{1,100})",
        "make finds neither {name} nor a rule for it: run it in the folder of that Makefile; if the source lacks files, run git "
        "submodule update --init, or configure or cmake first",
    ),
    remedy(
        Cause.FILE_ACCESS,
        r"not a git repository",
        "git was called outside of a clone, usually by a build that asks for its version: git clone the source instead of unpacking or "
        "copying it without .git, and build there",
    ),
    remedy(
        Cause.FILE_ACCESS,
        r"slurmstepd: error: (?:execve|couldn't chdir|[Cc]reate Batch Script)|slurm_script: No such file",
        "the node could not use the job's own files, and their contents do not matter: try another node (sbatch --exclude=NODE), and "
        "tell the administrators which one it was",
    ),
    remedy(
        Cause.FILE_ACCESS,
        r"\.theano|compiledir|\.pytensor|\.aesara",
        "the folder of the cache cannot be used: base_compiledir=/a/folder/of/yours (THEANO_FLAGS, PYTENSOR_FLAGS)",
    ),
    remedy(
        Cause.FILE_ACCESS,
        r"cannot cache function",
        "numba cannot write to the folder of the package: set NUMBA_CACHE_DIR to a folder of yours, such as /tmp/numba",
    ),
    remedy(
        Cause.FILE_ACCESS,
        r"[Tt]oo many open files",
        "the process has reached its limit of open files and pipes: run ulimit -n 4096 before you start it; close files that are no "
        "longer needed, and run fewer processes (cores=1)",
    ),
    remedy(
        Cause.FILE_ACCESS,
        r"Errno 30|[Rr]ead-only file system",
        "the folder is read-only, as in an image or a shared installation: mount a folder of yours over it (singularity --bind, docker "
        "-v), or install the package in a folder of your own",
    ),
    remedy(
        Cause.FILE_ACCESS,
        r"[Uu]nable to lock file",
        "the folder's file system has no locks, or another program has the file open: HDF5_USE_FILE_LOCKING=FALSE before Python starts, or "
        "copy the file to a local disk",
    ),
    remedy(
        Cause.FILE_ACCESS,
        r"(?i:file signature)|[Tt]runcated file",
        "the file is no HDF5 file, or only a part of one: its size, and its first bytes (head -c 100), often show a web page or a pointer "
        "of Git LFS; download it again, whole, or save it again if the job was stopped while it was written",
    ),
    remedy(
        Cause.FILE_ACCESS,
        r"[Uu]nable to open file:? \(?[^\n]{0,40}name = '+(?P<file>[^'\n]{1,200})'|"
        r"\A[^\n]{0,60}Error: \[Errno 2\] No such file or directory: '(?P<path>(?![/~]|[A-Za-z]:)[^'\n]{1,200}/[^'\n]{1,100})'",
        "there is no {file}{path}, or no folder for it: a relative path starts in the folder where the job was started; cd to the script's "
        "folder, write the full path, or make the folder and download the file first",
    ),
    remedy(
        Cause.FILE_ACCESS,
        r"",
        "a relative path starts in the folder where the job was started: write the full path, and check its spelling and permissions",
        alone=True,
    ),
    remedy(
        Cause.REWRITE_FAILED,
        r"failure due to:? ?(?:\w*Group\([\s\S]{0,2400}, in (?P<inner>local_\w{1,80})|(?P<name>\w{1,80})(?!\w*\())",
        "the job continues without {name}{inner}: optimizer_excluding={name}{inner} silences the message; a newer release has usually "
        "fixed it",
    ),
    remedy(
        Cause.REWRITE_FAILED,
        r"",
        "a bug in a rewrite, not in your model: install a newer release, or compile with fewer rewrites (optimizer=fast_compile, or "
        "optimizer_excluding= with the named one)",
        alone=True,
    ),
)
"""Remedies for faults in a model, graph or script."""
