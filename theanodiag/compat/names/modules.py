"""The modules of Aesara and PyTensor in which the names of each module of Theano and Aesara are searched (used by `names`)."""

from typing import Dict, NamedTuple, Tuple


class Module(NamedTuple):
    """One legacy module, and the modules in which its names are searched."""

    old: str
    """The legacy module, dotted, without the root."""
    places: Dict[str, Tuple[str, ...]]
    """Target -> its modules in which the names are looked up, in order; () where nothing is left of the module."""
    names: str = ""
    """The module under which this one's names are listed in the rows, where that is another one."""
    help: str = ""
    """What to write instead where the target has nothing left of the module; `{}` stands for the name of the target."""
    served: bool = False
    """Whether compat/api has a file for the module though PyTensor has nothing left of it."""
    hidden: bool = False
    """Whether the name is a function as an attribute of its parent: `theano.tensor.var` is the variance."""


def _both(*places: str) -> Dict[str, Tuple[str, ...]]:
    """`places` for both targets."""
    return {"aesara": places, "pytensor": places}


def _split(aesara: Tuple[str, ...], pytensor: Tuple[str, ...]) -> Dict[str, Tuple[str, ...]]:
    """Different places for each target."""
    return {"aesara": aesara, "pytensor": pytensor}


_TENSOR = (
    "tensor", "tensor.basic", "tensor.math", "tensor.shape", "tensor.subtensor", "tensor.elemwise", "tensor.type", "tensor.type_other",
    "tensor.extra_ops", "tensor.sharedvar", "tensor.sort", "tensor.exceptions", "gradient",
)  # fmt: skip
_REWRITES = (
    "tensor.rewriting.basic", "tensor.rewriting.math", "tensor.rewriting.shape", "tensor.rewriting.elemwise", "tensor.rewriting.subtensor",
    "tensor.rewriting.subtensor_lift", "tensor.rewriting.extra_ops", "tensor.rewriting.uncanonicalize", "graph.rewriting.basic",
)  # fmt: skip
_NNET = ("tensor.nnet", "tensor.nnet.basic", "tensor.special", "tensor.math")
_GRAPH = (
    "graph", "graph.basic", "graph.op", "graph.type", "graph.fg", "graph.features", "graph.utils", "graph.null_type", "graph.destroyhandler",
    "graph.traversal", "graph.rewriting.basic", "graph.rewriting.db", "graph.rewriting.utils", "link.basic", "link.c.op", "link.c.type",
    "link.c.params_type", "link.vm",
)  # fmt: skip
_COMPILE = (
    "compile", "compile.mode", "compile.io", "compile.ops", "compile.builders", "compile.sharedvalue", "compile.function", "compile.function.types",
    "compile.function.pfunc", "compile.executor", "compile.maker", "compile.profiling", "compile.debug.profiling", "compile.debugmode",
    "compile.debug.debugmode", "tensor.shape",
)  # fmt: skip
_GPU = "run the graph on a GPU through mode='JAX', or stay with Theano 1.0.5 and pygpu"
_CONV = "the layer with jax.lax.conv through pytensor.wrap_jax"
_POOL = "x.reshape((n, c, h // k, k, w // k, k)).max(axis=(3, 5))"
_PROGRAM = "the few lines that you need of it, in your script: it is a program, which runs when it is imported"

MODULES = (
    Module(
        "",
        _both(
            "",
            "compile",
            "compile.io",
            "compile.builders",
            "compile.mode",
            "graph",
            "graph.basic",
            "graph.op",
            "graph.type",
            "scan",
            "gradient",
            "printing",
        ),
    ),
    Module("tensor", _both(*_TENSOR)),
    Module("tensor.basic", _both(*_TENSOR), "tensor"),
    Module("tensor.math", _both("tensor.math", *_TENSOR), "tensor"),
    Module("tensor.shape", _both("tensor.shape", *_TENSOR), "tensor"),
    Module("tensor.subtensor", _both("tensor.subtensor", *_TENSOR), "tensor"),
    Module("tensor.var", _both("tensor.var", "tensor.variable", "tensor.sharedvar"), hidden=True),
    Module("tensor.sort", _both("tensor.sort"), "tensor", hidden=True),
    Module("tensor.opt", _both(*_REWRITES)),
    Module("tensor.basic_opt", _both(*_REWRITES)),
    Module("tensor.math_opt", _both("tensor.rewriting.math", *_REWRITES)),
    Module("tensor.subtensor_opt", _both("tensor.rewriting.subtensor", "tensor.rewriting.subtensor_lift")),
    Module("tensor.opt_uncanonicalize", _both("tensor.rewriting.uncanonicalize")),
    Module("tensor.rewriting.math", _both("tensor.rewriting.math", *_REWRITES)),
    Module("tensor.rewriting.basic", _both(*_REWRITES)),
    Module("tensor.rewriting.subtensor", _both("tensor.rewriting.subtensor", "tensor.rewriting.subtensor_lift")),
    Module("tensor.random.opt", _both("tensor.random.rewriting", "tensor.random.rewriting.basic")),
    Module("tensor.random.var", _both("tensor.random.var", "tensor.random.variable", "tensor.random.type")),
    Module("tensor.randomstreams", _both("tensor.random.utils"), "tensor.shared_randomstreams"),
    Module("tensor.elemwise", _both("tensor.elemwise", "tensor.math", "graph.op")),
    Module("tensor.blas", _both("tensor.blas")),
    Module("tensor.nlinalg", _both("tensor.nlinalg", "tensor.linalg", "tensor.basic")),
    Module("tensor.slinalg", _both("tensor.slinalg", "tensor.linalg")),
    Module("tensor.nnet", _both(*_NNET)),
    Module("tensor.nnet.nnet", _both(*_NNET), "tensor.nnet"),
    Module("tensor.nnet.basic", _both(*_NNET), "tensor.nnet"),
    Module("tensor.nnet.sigm", _split(("tensor.nnet.sigm", *_NNET), _NNET), "tensor.nnet"),
    Module("tensor.nnet.bn", _split(("tensor.nnet.batchnorm",), ("tensor.special",)), "tensor.nnet"),
    Module("tensor.nnet.batchnorm", _split(("tensor.nnet.batchnorm",), ("tensor.special",)), "tensor.nnet"),
    Module("tensor.nnet.conv", _split(("tensor.nnet.conv",), ()), help=_CONV, served=True),
    Module("tensor.nnet.abstract_conv", _split(("tensor.nnet.abstract_conv",), ()), help=_CONV, served=True),
    Module("tensor.nnet.neighbours", _split(("tensor.nnet.neighbours",), ()), help=_CONV, served=True),
    Module("tensor.nnet.blocksparse", _split(("tensor.nnet.blocksparse",), ()), help=_CONV, served=True),
    Module("tensor.signal", _both("tensor.signal")),
    Module("tensor.signal.conv", _both("tensor.signal.conv")),
    Module("tensor.signal.pool", _split(("tensor.signal.pool",), ()), help=_POOL, served=True),
    Module("tensor.signal.downsample", _split(("tensor.signal.pool",), ()), help=_POOL, served=True),
    Module("tensor.shared_randomstreams", _both("tensor.random.utils")),
    Module("tensor.raw_random", _both("tensor.random.basic", "tensor.random")),
    Module("sandbox", _both("tensor")),
    Module("sandbox.rng_mrg", _split(("sandbox.rng_mrg",), ("tensor.random.utils",))),
    Module("sandbox.linalg", _both("tensor.nlinalg", "tensor.slinalg", "tensor.linalg"), "tensor.nlinalg"),
    Module("sandbox.linalg.ops", _both("tensor.nlinalg", "tensor.slinalg", "tensor.linalg"), "tensor.nlinalg"),
    Module("sandbox.linalg.kron", _both("tensor.slinalg", "tensor.linalg"), "tensor.slinalg"),
    Module("sandbox.blocksparse", _split(("tensor.nnet.blocksparse",), ()), "tensor.nnet.blocksparse", help=_CONV, served=True),
    Module("sandbox.downsample", _split(("tensor.signal.pool",), ()), "tensor.signal.downsample", help=_POOL, served=True),
    Module("sandbox.scan", _both("scan.basic", "scan"), "scan_module"),
    Module("sandbox.softsign", _both(*_NNET), "tensor.nnet"),
    Module("sandbox.conv", _split(("tensor.nnet.conv",), ()), "tensor.nnet.conv", help=_CONV, served=True),
    Module("sandbox.neighbours", _split(("tensor.nnet.neighbours",), ()), "tensor.nnet.neighbours", help=_CONV, served=True),
    Module("sandbox.cuda", _both(), help=_GPU),
    Module("sandbox.gpuarray", _both(), "gpuarray", help=_GPU),
    *(Module("sandbox.gpuarray." + name, _both(), "gpuarray." + name, help=_GPU) for name in ("basic_ops", "blas", "dnn", "pool", "type")),
    Module("gpuarray", _both(), help=_GPU),
    Module("scalar", _both("scalar", "scalar.basic", "scalar.math")),
    Module("scalar.basic", _both("scalar", "scalar.basic", "scalar.math"), "scalar"),
    Module("scalar.math", _both("scalar.math", "scalar"), "scalar"),
    Module("scalar.basic_scipy", _both("scalar.math", "scalar"), "scalar"),
    Module("graph.opt", _both("graph.rewriting.basic", "graph.rewriting.utils", "graph.utils")),
    Module("graph.opt_utils", _both("graph.rewriting.utils", "graph.rewriting.basic", "graph.basic", "graph.traversal")),
    Module("graph.optdb", _both("graph.rewriting.db", "graph.rewriting")),
    Module("graph.unify", _both("graph.rewriting.unify")),
    Module("graph.basic", _both("graph.basic", "graph.traversal", "graph.replace")),
    Module("graph.utils", _both("graph.utils")),
    Module("assert_op", _both("raise_op")),
    Module("gof", _both(*_GRAPH)),
    Module("gof.graph", _both(*_GRAPH), "gof"),
    Module("gof.op", _both(*_GRAPH), "gof"),
    Module("gof.opt", _both(*_GRAPH), "gof"),
    Module("gof.type", _both(*_GRAPH), "gof"),
    Module("gof.fg", _both(*_GRAPH), "gof"),
    Module("gof.utils", _both(*_GRAPH), "gof"),
    Module("gof.toolbox", _both(*_GRAPH), "gof"),
    Module("gof.link", _both(*_GRAPH), "gof"),
    Module("gof.vm", _both("link.vm")),
    Module("gof.cc", _both("link.c.basic")),
    Module("gof.cmodule", _both("link.c.cmodule")),
    Module("gof.compilelock", _both("compile.compilelock")),
    Module("gof.destroyhandler", _both("graph.destroyhandler")),
    Module("gof.params_type", _both("link.c.params_type")),
    Module("gof.optdb", _both("graph.rewriting.db")),
    Module("gof.unify", _both("graph.rewriting.unify")),
    Module("gof.null_type", _both("graph.null_type")),
    Module("compile", _both(*_COMPILE)),
    Module("compile.ops", _both("compile.ops", "tensor.shape"), "compile"),
    Module("compile.mode", _both("compile.mode")),
    Module("compile.function", _both(*_COMPILE), "compile", hidden=True),
    Module("compile.pfunc", _both(*_COMPILE), "compile", hidden=True),
    Module("compile.function_module", _both(*_COMPILE), "compile"),
    Module("compile.sharedvalue", _both("compile.sharedvalue", "tensor.sharedvar")),
    Module("compile.nanguardmode", _both("compile.nanguardmode", "compile.debug.nanguardmode")),
    Module("compile.monitormode", _both("compile.monitormode", "compile.debug.monitormode")),
    Module("compile.debugmode", _both("compile.debugmode", "compile.debug.debugmode")),
    Module("compile.profiling", _both("compile.profiling", "compile.debug.profiling")),
    Module("compile.function.types", _both(*_COMPILE), "compile.function_module"),
    Module("compile.function.pfunc", _both(*_COMPILE), "compile.pfunc"),
    Module("sparse", _both("sparse", "sparse.basic", "sparse.variable", "sparse.math", "sparse.type", "sparse.sharedvar")),
    Module("sparse.basic", _both("sparse.basic", "sparse", "sparse.variable", "sparse.math", "sparse.type")),
    Module("ifelse", _split(("ifelse",), ("ifelse", "conditional"))),
    Module("scan_module", _both("scan", "scan.basic", "scan.views", "scan.utils", "scan.op")),
    Module("scan_module.scan", _both("scan.basic", "scan"), hidden=True),
    Module("scan_module.scan_checkpoints", _both("scan.checkpoints"), hidden=True),
    Module("scan_module.scan_opt", _both("scan.rewriting", "scan.opt")),
    Module("scan.opt", _both("scan.rewriting")),
    Module("scan_module.scan_utils", _both("scan.utils")),
    Module("scan_module.scan_op", _both("scan.op")),
    Module("scan_module.scan_views", _both("scan.views")),
    Module("updates", _both("updates", "graph.basic")),
    Module("compat", _both("")),
    Module("compat.python2x", _both(""), "compat"),
    Module("gof.python25", _both(""), "compat"),
    Module("configparser", _both("configparser")),
    Module("misc.safe_asarray", _both("misc.safe_asarray", "misc"), "misc.safe_asarray"),
    Module("misc.windows", _both("utils")),
    Module("misc.check_duplicate_key", _both(), help=_PROGRAM),
    Module("misc.elemwise_openmp_speedup", _both(), help=_PROGRAM),
    Module("misc.elemwise_time_test", _both(), help=_PROGRAM),
    Module("version", _both("version", "_version")),
)
"""A row for each legacy module."""
