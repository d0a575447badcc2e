"""The rows of the API table: names with another name, another meaning or no counterpart (used by `names`)."""

from typing import NamedTuple, Tuple


class Row(NamedTuple):
    """One legacy name in one target framework."""

    old: str
    """The legacy name, dotted, without the root."""
    target: str
    """`aesara`, `pytensor`, or `*` for both."""
    new: str
    """Name in the target, dotted, without the root. `=name`: the function `name` of compat/adapters serves it; `+`: a file of compat/api
    serves it; empty: the target has nothing for it."""
    help: str = ""
    """What to write instead, where it is not just `new`; `{}` stands for the name of the target.

    Empty beside `=name` and `+`: the name is written as before in its usual form.
    """
    versions: str = ""
    """Versions of the target for which the row holds, such as `>=3.1`; empty for all."""
    origin: str = ""
    """Root that the script must import for the row to hold; empty for any."""


def _rows(target: str, *pairs: Tuple[str, str]) -> Tuple[Row, ...]:
    """Rows for (old name, new name) pairs with the same meaning."""
    return tuple(Row(old, target, new) for old, new in pairs)


def _gone(target: str, help: str, names: str, prefix: str = "") -> Tuple[Row, ...]:
    """Rows for removed names, separated by spaces, that share the advice `help`."""
    return tuple(Row(prefix + name, target, "", help) for name in names.split())


def _served(*pairs: Tuple[str, str], versions: str = "", origin: str = "") -> Tuple[Row, ...]:
    """Rows for (old name, what to write) pairs served by the function of compat/adapters with the same last name."""
    return tuple(Row(old, "*", "=" + old.rpartition(".")[2], help, versions, origin) for old, help in pairs)


def _ours(*pairs: Tuple[str, str], versions: str = "", origin: str = "") -> Tuple[Row, ...]:
    """Rows for (old name, what to write) pairs served by a file of compat/api on top of PyTensor."""
    return tuple(Row(old, "pytensor", "+", help, versions, origin) for old, help in pairs)


_SAME_MEANING = _rows(
    "*",
    ("tensor.inv", "tensor.reciprocal"),
    ("tensor.sqr", "tensor.square"),
    ("tensor.abs_", "tensor.abs"),
    ("tensor.isnan_", "tensor.isnan"),
    ("tensor.isinf_", "tensor.isinf"),
    ("tensor.addbroadcast", "tensor.shape.specify_broadcastable"),
    ("tensor._shared", "shared"),
    ("tensor.consider_constant", "gradient.zero_grad"),
    ("gradient.consider_constant", "gradient.zero_grad"),
    ("tensor.nlinalg.diag", "tensor.basic.diag"),
    ("tensor.nlinalg.extract_diag", "tensor.basic.diagonal"),
    ("tensor.nlinalg.alloc_diag", "tensor.basic.diag"),
    ("tensor.extra_ops.RepeatOp", "tensor.extra_ops.Repeat"),
    ("dot", "tensor.dot"),
    ("tensor.shared", "shared"),
    ("compile.function_module.Function", "compile.Function"),
    ("gof.local_optimizer", "graph.rewriting.basic.node_rewriter"),
    ("gof.Optimizer", "graph.rewriting.basic.GraphRewriter"),
    ("gof.LocalOptimizer", "graph.rewriting.basic.NodeRewriter"),
    ("gof.PatternSub", "graph.rewriting.basic.PatternNodeRewriter"),
    ("gof.Query", "graph.rewriting.db.RewriteDatabaseQuery"),
    ("gof.COp", "link.c.op.ExternalCOp"),
    ("gof.MethodNotDefined", "graph.utils.MethodNotDefined"),
) + _rows(
    "aesara",
    ("tensor.int_div", "tensor.floor_divide"),
    ("tensor.floor_div", "tensor.floor_divide"),
    ("tensor.true_div", "tensor.true_divide"),
    ("tensor.unbroadcast", "tensor.shape.unbroadcast"),
    ("sandbox.rng_mrg.MRG_RandomStreams", "sandbox.rng_mrg.MRG_RandomStream"),
) + _rows(
    "pytensor",
    ("tensor.nnet.sigmoid", "tensor.sigmoid"),
    ("tensor.nnet.softplus", "tensor.softplus"),
    ("as_symbolic", "basic.as_symbolic"),
    ("tensor.Diagonal", "tensor.basic.ExtractDiag"),
    ("tensor.true_divide", "tensor.true_div"),
    ("tensor.floor_divide", "tensor.int_div"),
    ("scalar.Inv", "scalar.basic.Reciprocal"),
    ("scalar.inv", "scalar.basic.reciprocal"),
    ("scalar.abs_", "scalar.basic.abs"),
    ("scalar.sgn", "scalar.basic.sign"),
    ("scalar.Sgn", "scalar.basic.Sign"),
    ("scalar.square", "scalar.basic.sqr"),
    ("scalar.true_divide", "scalar.basic.true_div"),
    ("scalar.TrueDivide", "scalar.basic.TrueDiv"),
    ("scalar.floor_divide", "scalar.basic.int_div"),
    ("scalar.FloorDivide", "scalar.basic.IntDiv"),
    ("gof.PureType", "graph.type.Type"),
    ("gof.CLinkerObject", "link.c.interface.CLinkerObject"),
    ("gof.optdb.DB", "graph.rewriting.db.RewriteDatabase"),
    ("gof.optdb.Query", "graph.rewriting.db.RewriteDatabaseQuery"),
    ("tensor.opt.Canonizer", "tensor.rewriting.math.AlgebraicCanonizer"),
)  # fmt: skip

_NNET_ELEMWISE = _ours(
    ("tensor.nnet.relu", "0.5 * (x + abs(x))"),
    ("tensor.nnet.elu", "pytensor.tensor.switch(x > 0, x, alpha * pytensor.tensor.expm1(x))"),
    ("tensor.nnet.selu", "1.0507009873554805 * pytensor.tensor.switch(x > 0, x, 1.6732632423543772 * pytensor.tensor.expm1(x))"),
    ("tensor.nnet.hard_sigmoid", "pytensor.tensor.clip(0.2 * x + 0.5, 0, 1)"),
    ("tensor.nnet.softsign", "x / (1 + abs(x))"),
    ("tensor.nnet.binary_crossentropy", "-(t * pytensor.tensor.log(p) + (1 - t) * pytensor.tensor.log(1 - p))"),
    ("tensor.nnet.sigmoid_binary_crossentropy", "pytensor.tensor.softplus(pytensor.tensor.switch(x > 0, -x, x)) + x * ((x > 0) - t)"),
    (
        "tensor.nnet.categorical_crossentropy",
        "-pytensor.tensor.log(p[pytensor.tensor.arange(y.shape[0]), y]), or -(y * log(p)).sum(axis=-1)",
    ),
    ("tensor.nnet.crossentropy_categorical_1hot", "-pytensor.tensor.log(p[pytensor.tensor.arange(y.shape[0]), y])"),
    ("tensor.nnet.crossentropy_softmax_1hot", "-pytensor.tensor.special.log_softmax(x, axis=-1)[pytensor.tensor.arange(y.shape[0]), y]"),
    ("tensor.nnet.batch_normalization", "(x - mean) * (gamma / std) + beta"),
    ("tensor.nnet.confusion_matrix", "one-hot encodings and a dot"),
)

_SOFTMAX = (
    _served(
        ("tensor.nnet.softmax", "{}.tensor.special.softmax(x, axis=-1)"),
        ("tensor.nnet.logsoftmax", "{}.tensor.special.log_softmax(x, axis=-1)"),
        ("tensor.nnet.softmax_graph", "{}.tensor.special.softmax(x, axis=-1)"),
        ("tensor.nnet.ultra_fast_sigmoid", "{}.tensor.sigmoid(x)"),
        origin="theano",
    )
    + _ours(("tensor.nnet.ultra_fast_sigmoid", "pytensor.tensor.sigmoid(x)"))
    + (
        Row("tensor.nnet.softmax", "pytensor", "=softmax_last", "pytensor.tensor.special.softmax(x, axis=-1)", origin="aesara"),
        Row("tensor.nnet.logsoftmax", "pytensor", "=logsoftmax_last", "pytensor.tensor.special.log_softmax(x, axis=-1)", origin="aesara"),
    )
)  # fmt: skip

_TYPES = _ours(
    ("tensor.tensor", "pytensor.tensor.tensor(name, dtype=dtype, shape=(None, 1))"),
    *(("tensor." + name, "") for name in ("scalar", "vector", "row", "col", "matrix", "tensor3", "tensor4", "tensor5")),
)

_TENSOR = _served(
    ("tensor.stack", "{}.tensor.stack([a, b], axis=0)"),
    ("tensor.flatten", "x.flatten(ndim)"),
    ("tensor.patternbroadcast", "{}.tensor.shape.specify_broadcastable(x, *axes)"),
    ("tensor.default", "the default value itself"),
    ("tensor.extract_constant", "{}.tensor.basic.get_underlying_scalar_constant_value(x)"),
    origin="theano",
) + _ours(
    ("tensor.tile", "pytensor.tensor.tile(x, reps)"),
    ("tensor.unbroadcast", "x itself: PyTensor's static shapes need no unbroadcast"),
) + _ours(
    ("tensor.topk", "pytensor.tensor.sort(x, axis)[..., -k:]"),
    ("tensor.argtopk", "pytensor.tensor.argsort(x, axis)[..., -k:]"),
    ("tensor.topk_and_argtopk", "argsort and sort, cut to the last k"),
    versions=">=2.21",
) + _ours(
    ("tensor.batched_dot", "pytensor.tensor.matmul(a, b)"),
    ("tensor.batched_tensordot", "pytensor.tensor.tensordot inside pytensor.tensor.vectorize"),
    versions=">=3.2",
)  # fmt: skip

_RANDOM = (
    Row("tensor.shared_randomstreams.RandomStreams", "*", "=RandomStreams", "{}.tensor.random.utils.RandomStream(seed)"),
    *_ours(
        ("sandbox.rng_mrg.MRG_RandomStreams", "pytensor.tensor.random.utils.RandomStream(seed)"),
        ("sandbox.rng_mrg.MRG_RandomStream", "pytensor.tensor.random.utils.RandomStream(seed)"),
    ),
)

_OTHER_ARGUMENTS = _ours(
    ("tensor.nlinalg.eig", "pytensor.tensor.linalg.eig(a), which gives complex numbers"),
    ("tensor.nlinalg.Eig", "pytensor.tensor.linalg.Eig(), which gives complex numbers"),
    ("tensor.nlinalg.eigh", "pytensor.tensor.linalg.eigh(a, lower=True)"),
    ("tensor.nlinalg.Eigh", "pytensor.tensor.linalg.Eigh(lower=True)"),
    ("tensor.nlinalg.lstsq", "pytensor.tensor.linalg.lstsq(x, y, rcond), which is no class"),
    ("tensor.nlinalg.norm", "pytensor.tensor.linalg.norm(x, ord), with numpy.inf for 'inf'"),
    ("tensor.slinalg.Solve", "pytensor.tensor.linalg.Solve(b_ndim=...)"),
    ("tensor.slinalg.Cholesky", "pytensor.tensor.linalg.Cholesky(lower=...), which gives nan where Theano raised"),
    ("tensor.slinalg.Eigvalsh", "pytensor.tensor.linalg.eigvalsh(a, b)"),
    ("tensor.extra_ops.CumOp", "pytensor.tensor.cumsum(x, axis) or cumprod"),
    ("tensor.extra_ops.Unique", "pytensor.tensor.unique(x, axis=...), of no negative axis"),
    ("tensor.sort.SortOp", "pytensor.tensor.sort(x, axis)"),
    ("tensor.sort.ArgSortOp", "pytensor.tensor.argsort(x, axis)"),
    ("tensor.nnet.Softmax", "pytensor.tensor.special.Softmax(axis=-1)"),
    ("tensor.nnet.LogSoftmax", "pytensor.tensor.special.LogSoftmax(axis=-1)"),
    *(
        ("tensor.raw_random." + name, "rng = pytensor.tensor.random.shared_rng(seed); next_rng, x = rng." + name + "(...)")
        for name in ("binomial", "choice", "multinomial", "normal", "permutation", "poisson", "uniform")
    ),
    origin="theano",
)
"""Names that PyTensor has too, with other arguments: a call as it stands would fail there, or compute something else."""

_ROOT = _served(
    ("config", ""),
    ("clone", "{}.clone_replace(output, replace)"),
    ("change_flags", "{}.config.change_flags(...)"),
    ("configparser.change_flags", "{}.config.change_flags(...)"),
    ("gof.inputs", "{}.graph.basic.graph_inputs(outputs)"),
    ("gof.graph.inputs", "{}.graph.basic.graph_inputs(outputs)"),
    ("misc.safe_asarray._asarray", "numpy.asarray(x, dtype=dtype)"),
    ("_asarray", "numpy.asarray(x, dtype=dtype)"),
    ("updates.OrderedUpdates", "a list of pairs or a dict"),
    ("compat.OrderedDict", "collections.OrderedDict"),
    ("compat.izip", "zip"),
    ("compat.imap", "map"),
    ("compat.ifilter", "filter"),
    ("compat.reduce", "functools.reduce"),
) + (
    *_ours(("OrderedUpdates", "a list of pairs or a dict"), ("Param", "pytensor.In(variable, value=...)"), ("compile.Param", "pytensor.In(variable, value=...)")),
    Row("tensor.signal.downsample.max_pool_2d", "aesara", "=max_pool_2d", "aesara.tensor.signal.pool.pool_2d(x, ws, ignore_border, stride)"),
)  # fmt: skip

_CONV = "the layer with jax.lax.conv through pytensor.wrap_jax"
_LOST = tuple(
    Row(prefix + name, "pytensor", "+", help, versions)
    for prefix, versions, help, names in (
        ("tensor.nnet.", ">=2.9", _CONV, "conv2d conv3d abstract_conv2d conv2d_transpose conv2d_grad_wrt_inputs separable_conv2d ConvOp"),
        ("tensor.nnet.", ">=2.9", "a two-level softmax written with pytensor.tensor.special.softmax", "h_softmax"),
        ("tensor.nnet.", ">=2.9", "pytensor.tensor.concatenate([column, x], axis=1)",
         "prepend_scalar_to_each_row prepend_0_to_each_row prepend_1_to_each_row"),
        ("tensor.nnet.", ">=2.9", "pytensor.tensor.special.softmax(x + b, axis=-1)",
         "softmax_with_bias crossentropy_softmax_1hot_with_bias crossentropy_softmax_argmax_1hot_with_bias "
         "crossentropy_softmax_max_and_argmax_1hot_with_bias crossentropy_softmax_max_and_argmax_1hot"),
        ("tensor.slinalg.", ">=2.36", "pytensor.tensor.linalg.solve_triangular(a, b, lower=...), or pytensor.tensor.linalg.solve(a, b, "
         "assume_a='sym')", "solve_lower_triangular solve_upper_triangular solve_symmetric"),
        ("tensor.", ">=2.36", "numpy.load outside of the graph", "load LoadFromDisk"),
        ("tensor.", "", "pytensor.tensor.set_subtensor(x[i], y) or inc_subtensor, which take boolean masks as well",
         "advanced_boolean_set_subtensor advanced_boolean_inc_subtensor advanced_boolean_subtensor"),
        ("tensor.", "", "numpy.dtype(...).kind", "check_and_reject_bool"),
        ("", "", "leave it out: pytensor reaches a GPU through mode='JAX'", "sandbox.cuda.use gpuarray.use"),
    )
    for name in names.split()
)  # fmt: skip
"""Names that PyTensor lost and a file of compat/api serves."""
_REMOVED = (
    _gone("pytensor", "leave it out: code runs on one machine", "send recv isend irecv mpi_send_wait_key mpi_tag_key MPISend MPIRecv", "tensor.")
    + _gone("aesara", "{}.tensor.set_subtensor(x[i], y) or inc_subtensor, which take boolean masks as well", "advanced_boolean_set_subtensor "
            "advanced_boolean_inc_subtensor advanced_boolean_subtensor", "tensor.")
    + _gone("aesara", "numpy.dtype(...).kind", "hashtype check_and_reject_bool", "tensor.")
    + _gone("aesara", "leave it out: {} reaches a GPU through mode='JAX'", "sandbox.cuda.use gpuarray.use")
    + _gone("*", "{} runs its tests with pytest", "test")
    + _gone("aesara", "{} runs its tests with pytest", "tests")
    + _gone("aesara", "{}.In(variable, value=...)", "Param compile.Param")
)  # fmt: skip

ROWS: Tuple[Row, ...] = _SAME_MEANING + _NNET_ELEMWISE + _SOFTMAX + _TYPES + _TENSOR + _RANDOM + _OTHER_ARGUMENTS + _ROOT + _LOST + _REMOVED
"""All rows of names; the first that matches target, version and origin holds."""
