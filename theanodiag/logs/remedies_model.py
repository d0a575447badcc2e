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
        "the variables listed are where it began: look at the bounds of their priors (lower below upper) and at start values",
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
    remedy(
        Cause.UNUSED_INPUT,
        r"to compute the outputs: (?P<name>[^\n]{1,60}?)\.?\s*$",
        "the outputs do not depend on {name}: take it out of the inputs, or give theano.function on_unused_input='ignore' (or 'warn')",
    ),
    remedy(
        Cause.UNUSED_INPUT,
        r"",
        "take that input away, or on_unused_input='ignore' (or 'warn'): the outputs do not depend on it",
        alone=True,
    ),
    remedy(
        Cause.DISCONNECTED,
        r"non-differentiable operator: (?P<name>(?!<)[^\n]{1,60}?)\s*$",
        "the cost does not depend on {name}: leave it, or the layer that has it, out of what is trained, connect it to the output, or give "
        "grad disconnected_inputs='ignore'; a copy, get_value() or a cast in between cuts it off",
    ),
    remedy(
        Cause.DISCONNECTED,
        r"",
        "the cost does not depend on that variable: take the gradient of the variable that the graph was built from (not a copy, "
        "get_value() or a cast of it), or disconnected_inputs='ignore'",
        alone=True,
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
        r"in ldflags_str: ['\"](?P<value>[^\n]{1,200}?)['\"]\W{0,3}$",
        "blas.ldflags (blas__ldflags) has {value}: it takes what a linker does, apart by blanks, without brackets, quotes and commas "
        "(-L/folder/of/lib -lopenblas); empty uses NumPy's BLAS",
    ),
    remedy(
        Cause.CONFIGURATION,
        r"could not convert string to float: ?'?(?P<value>[^\s'\n]{1,40})",
        "a flag that takes a number has {value}: lib.cnmem and gpuarray.preallocate take a part of the card such as 0.8 (or MB), not "
        "True; correct it in .theanorc or THEANO_FLAGS",
    ),
    remedy(
        Cause.CONFIGURATION,
        r'Invalid value \("cpu"\) for configuration variable "(?P<value>gpu\w*)"',
        "the flag is device={value}, of the back-end that Theano removed (the message names the wrong words): write device=cuda (the first "
        "card: cuda0; it needs pygpu) or device=cpu in .theanorc or THEANO_FLAGS",
    ),
    remedy(
        Cause.CONFIGURATION,
        r"[Ii]nvalid value \(?['\"]?(?P<value>[^'\"#;\n]{0,60}?) +[#;][^\n]{0,300}for configuration variable ['\"](?P<name>[\w.]+)",
        "a comment behind a value is read as a part of it: write `{name} = {value}` alone on its line of the rc file, and the comment on "
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
        "Fuel or Blocks wants {name}: a line '{name}: value' (floatX: float32) in ~/.fuelrc (~/.blocksrc)",
    ),
    remedy(
        Cause.CONFIGURATION,
        r"",
        "theanodiag config check names the file, line and column of each setting that is refused, and what is accepted",
    ),
    remedy(
        (Cause.SYMBOLIC, Cause.DTYPES),
        r"<class 'tensorflow\.|convert object of type <class 'theano|tensorflow[\\/][\s\S]{0,900}TensorVariable|"
        r"(?:\bT\.\w+\(|theano)[\s\S]{0,900}`tf\.Tensor` as",
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
        r"type field must be a TensorType[^\n]{0,200}(?P<type>Generic)",
        "theano.shared made no array of the value ({type}): numpy.asarray(value, dtype='float32' or 'int8') first; it knows no objects, "
        "strings or lists, and numpy.bool_ from Theano 0.9 on",
    ),
    remedy(
        Cause.SYMBOLIC,
        r"UnexpectedTracer|escaped through|[Ll]eaked",
        "a value that JAX traces outlived its function: return it, and keep none in a global, an attribute or a list; where a library "
        "keeps it, take its newest release",
    ),
    remedy(
        Cause.SYMBOLIC,
        r"\A[^\n]*Tracer'?(?: object)? has no attribute '?(?P<name>\w+)",
        "an array that JAX traces has no {name}: x.at[i].set(value) and add are the old x.set, index_update; item, tolist and fill "
        "need a value and belong outside of the compiled function; where {library} does it, its newest release: pip install -U {library}",
    ),
    remedy(
        Cause.SYMBOLIC,
        r"TracerArrayConversion|numpy\.ndarray conversion|__array__",
        "code that JAX traces calls NumPy: use jax.numpy there",
    ),
    remedy(
        Cause.SYMBOLIC,
        r"TracerBool|`bool` function|[Tt]racer|[Tt]raced",
        "JAX traces this code, and a traced value has no number and no truth: jnp.where or lax.cond instead of if, and, not, "
        "jax.numpy instead of NumPy and math; an argument that chooses is static (static_argnums); checks of values off "
        "(validate_args=False); where {caller} does it, its release does not fit this jax: pip install -U it",
    ),
    remedy(
        Cause.SYMBOLIC,
        r"does not support item assignment",
        "a symbolic array is not changed in place: y = tensor.set_subtensor(x[i], value) (or inc_subtensor) is a new one; in a loop, scan",
    ),
    remedy(
        Cause.SYMBOLIC,
        r"\A[^\n]*(?:\b[Bb]oolean|truth|(?:Python|to|as a) `?bool\b|'bool')",
        "a symbolic variable has no value yet: use switch (tensor.switch, ifelse) instead of if, and eq, lt, and_ instead of ==, <, and",
    ),
    remedy(
        Cause.SYMBOLIC,
        r"\A[^\n]*(?:no len\(\)|\biter|\blength\b|unpack|as an integer)",
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
        "the file was copied or checked out as text, which changes its line ends: get it again in binary (in git: `*.pkl binary` in "
        ".gitattributes), and write and read it as 'wb' and 'rb'",
    ),
    remedy(
        Cause.PICKLING,
        r"UnpicklingError|invalid load key|unpickl|Failed to interpret file",
        "the file is no whole pickle (a download that was cut, a pointer of Git LFS), or another program's: get it again",
        alone=True,
    ),
    remedy(
        Cause.PICKLING,
        r"(?:has no attribute|No module named|cannot import name|KeyError:) ['\"]?(?P<name>[\w.]+)|\.loads?\(|find_class|"
        r"load_(?:global|reduce|build)",
        "the file does not fit the libraries that read it ({name}): load it with the release of the library that wrote it; a class of the "
        "script has to be importable under the module's name that it had. Save arrays (numpy.savez of each get_value()), not functions or "
        "layers",
        r"\.loads?\(|find_class|load_(?:global|reduce|build)",
        alone=True,
    ),
    remedy(
        Cause.PICKLING,
        r"(?:pickle|joblib|dill)\.dumps?\([\s\S]{0,900}?(?:local object '(?P<name>[^'\n]{1,99})'|function (?P<function>[\w.<>]{1,99}) at)|"
        r"(?:pickle|joblib|dill)\.dumps?\(",
        "a function made inside of another ({name}{function}) has no place that a pickle could name: cloudpickle.dumps(model) writes such "
        "functions too; save draws by idata.to_netcdf(path), parameters as arrays, and a library's model by its own save",
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
        r"\A[^\n]{0,12}(?:SyntaxError|IndentationError|TabError)\b(?!: Missing parentheses)",
        "Python does not read the line that it shows: look there, and at the end of the line above, for a bracket, quotation mark, comma "
        "or colon, for a word (if, def, import) that was lost when it was copied, and for tabs among spaces",
        alone=True,
    ),
    remedy(
        Cause.OWN_CODE,
        r"[Aa]ttempted relative import (?:with no known parent|beyond top-level|in non-package)",
        "the file is a part of a package and was started by its path: python -m PACKAGE.MODULE from the folder that has the package, or "
        "imports without the leading dot",
    ),
    remedy(
        Cause.LIBRARY_FAULT,
        r"\A[^\n]{0,300}(?:copy\(\)|\b[Ll]ist\b|\btuple\b|ndarray|NoneType)",
        "Deterministic and Potential take one variable of the graph: tensor.stack(list) or as_tensor_variable(array) makes one of lists "
        "and arrays; if on a variable is tensor.switch",
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
