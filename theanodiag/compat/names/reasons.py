"""Why a name of Theano or Aesara has no counterpart in PyTensor, and what to write: by module, by kind of name, or for single names.

Used for names that this layer does not serve; the first matching rule applies.
"""

import re
from typing import Dict, NamedTuple, Optional, Tuple


class Reason(NamedTuple):
    """Why a name has no counterpart."""

    why: str
    """The reason, as a clause that begins with "it" or another subject."""
    advice: str
    """What to write instead."""


class NamePattern(NamedTuple):
    """A regular expression, and the reason why the names that match it have no counterpart."""

    pattern: str
    """Regular expression that the whole name, dotted and without the root, must match."""
    why: str
    """The reason, as in Reason."""
    advice: str
    """What to write instead."""


_WRITE_REWRITE = (
    "pytensor.graph.rewriting.basic (node_rewriter, GraphRewriter) for one of your own; optimizer_excluding names one to leave out"
)
_C = "an Op with perform(), which each back-end can call, or one derived from pytensor.link.c.op.COp"
_PROFILE = "theano.config.profile = True, or theano.function(..., profile=True)"
_MODULES = "theano.function, one for each method, and shared variables for what they keep"
_GPU = "mode='JAX', which reaches a GPU; arrays are numpy's"
_TESTS = "numpy.testing, and theano.gradient.verify_grad for gradients"

ONLY_IN_PICKLES: Tuple[str, ...] = (
    "compile.function_module._constructor_Function",
    "compile.function_module._constructor_FunctionMaker",
    "misc.ordered_set.Link",
)
"""Names that only pickles ask for: of a compiled function, and of a loop, whose updates are in an ordered set."""

RULES: Tuple[NamePattern, ...] = (
    NamePattern(
        "|".join(re.escape(name) for name in ONLY_IN_PICKLES), "the pickle holds a function that Theano compiled, or a loop of theano.scan",
        "in the environment with Theano, save the values of the shared variables (get_value()), and build the graph and the function here",
    ),
    # Whole parts of the library, in whatever module their names are.
    NamePattern(
        r"(sandbox\.)?(gpuarray|cuda)(\..*)?|misc\.(pycuda|cudamat|gnumpy)\w*(\..*)?|misc\.(burn_gpu|check_multi_gpu|latence_gpu_transfert)(\..*)?"
        r"|(.*\.)?\w*([gG][pP][uU]|[cC][uU][dD][aA]|pygpu)\w*|(.*\.)?(default_|SUPPORTED_|safe_no_)?(DNN|dnn|cuda)_\w+"
        r"|(.*\.)?(GpuKernelBase|Kernel|DeviceParam|ContextsParam|infer_context_name|register_opt2|register_opt)",
        "it belongs to the old GPU back-end", _GPU,
    ),
    NamePattern(r"(.*\.)?(MPI\w+|mpi_\w+|send|recv|isend|irecv|comm)", "it spreads a graph over machines with MPI", "leave it out: code runs on one machine"),
    NamePattern(
        r"(compile\.module|tensor\.deprecated\.rmodule|sandbox\.(symbolic_module|theano_object))(\..*)?|(.*\.)?(deprecated|rmodule|RModule|KitComponent)"
        r"|(.*\.)?(Component\w*|Composite(Instance)?|External|FancyModule\w*|Member|Method|Module(Instance)?|Curry|RandomStreamsInstance|RandomKit|module)"
        r"|compile\.(default_initialize|deprecation_warning|dict_wrap|func_to_mod|name_join|name_split|register_wrapper|wrap|wrapper)"
        r"|tensor\.randomstreams\.\w+|(.*\.)?(SymbolicInputKit|rk)",
        "it belongs to theano.compile.module, the classes of methods of Theano 0.6, removed in 0.7", _MODULES,
    ),
    NamePattern(r"link\.(jax|numba)(\..*)?", "it is internal to Aesara's back-ends",
         "pytensor.link.jax.dispatch.jax_funcify or pytensor.link.numba.dispatch.numba_funcify to teach a back-end an Op"),
    NamePattern(
        r"bin(\..*)?|misc\.(nose_pr|check_duplicate_key|check_blas|elemwise_openmp_speedup|elemwise_time_test|buildbot_filter|gh_api|doubleop"
        r"|strutil|latence_gpu_transfert)(\..*)?|sandbox\.(minimal|debug|neighbourhoods)(\..*)?|(.*\.)?strutil|d3viz\.d3viz\.escape_quotes",
        "it is a program or an example of Theano's developers", "the few lines that you need of it, in your script",
    ),
    NamePattern(r"(.*\.)?(test|tests|utt|test_\w+|mode_not_debug)|tests\..*", "it belongs to Theano's own tests", _TESTS),
    NamePattern(r"(compile\.profilemode)(\..*)?|(.*\.)?(ProfileMode|Profile_Maker|ScanProfileStats|profile_printer|atexit_print_default_profile_mode)"
         r"|compile\.profiling\.\w+", "profiles are collected by PyTensor's own profiler", _PROFILE),
    NamePattern(r"(.*\.)?(Lambd|Lambda)Extract", "graphs are no longer copied through it", "theano.clone(output, replace)"),
    # The generation of C code.
    NamePattern(
        r"gof\.(cc|cmodule|compiledir|compilelock|cutils|lazylinker_c|callcache)(\..*)?|(scan|scan_module)\.scan_perform_ext(\..*)?"
        r"|(scalar\.)?basic_sympy(\..*)?|scalar\.basic_sympy(\..*)?|link\.c\.\w+\.\w+|(.*\.)?(blas_scipy|inc_code|lazylinker_c|callcache|compiledir"
        r"|cutils|scan_perform_ext)(\.\w+)?|tensor\.(blas_headers|elemwise_cgen|blas_c)(\.\w+)?|tensor\.nnet\.corr(3d)?\.\w+"
        r"|(.*\.)?(register_\w+_c_code|SymPyCCode|CLinkerObject|hash_from_\w+|\w*_ldflags|blas_header_\w+|MissingGXX|gcc_version|CallCache)"
        r"|(.*\.)?(make_c_ge\w+|use_c_ge\w+|check_force_gemv_init|check_init_y|check_mkl_openmp|fblas|have_fblas|make_loop_careduce)"
        r"|(.*\.)?(cmodule|get_lock|release_lock|refresh_lock|lock|call_subprocess_Popen|output_subprocess_Popen|openmp|run_cthunk"
        r"|get_persistent_module_cache|compute_broadcast_dimensions|\w+openmp\w*)",
        "it belongs to the generation of C code", _C,
    ),
    # The optimizer.
    NamePattern(
        r"(.*\.)?(opt|\w+_opt|rewriting|graph\.sched|graph\.kanren|graph\.unify|gof\.unify|gof\.sched|opt_uncanonicalize)(\.\w+)*"
        r"|gof\.(optdb|destroyhandler)\.\w+|(.*\.)?(local_\w+|\w*[oO]pt(imizer)?\w*|\w+Rewriter\w*|register_\w+|\w*_canon\w*|log1\w+_to_\w+|logsigm\w+)"
        r"|(.*\.)?(softmax_simplifier|make_out_pattern|encompasses_broadcastable|broadcast_like|res_is_a|check_chain|inherit_stack_trace)"
        r"|(.*\.)?(CheckStrackTraceFeature|LocalMeta\w+|Updater|GetCheckpoint|NodeFinder|find_up|compress_outs|scan_can_remove_outs|inline_ofg_expansion)"
        r"|(.*\.)?(remove_hint_nodes|Hint\w*|hints|is_hint_node|is_positive|is_psd|is_symmetric|psd|MATRIX_STRUCTURES|inv_as_solve|is_inverse_pair)"
        r"|(.*\.)?(no_transpose_symmetric|psd_solve_with_chol|tag_solve_triangular|transinv_to_invtrans|spectral_radius_bound|A_Xinv_b)"
        r"|(scan|scan_module)\.(scan_utils|utils)\.(expand|add_nitsot_outputs)|(.*\.)?(apply_meth|simple_meth|nodes_constructed)",
        "it is internal to the optimiser, which PyTensor has replaced", _WRITE_REWRITE,
    ),
    NamePattern(
        r"(sched|.*\.sched|gof\.utils)(\.\w+)?|(.*\.)?unify(\.\w+)?|(.*\.)?(memodict|make_dependence_cmp|make_depends|posort|reverse_dict|key_to_cmp"
        r"|sort_apply_nodes|sort_schedule_fn|list_of_nodes|check_deterministic|Link|toposort)",
        "it is a helper of the optimiser", "pytensor.graph.traversal (toposort, ancestors, walk)",
    ),
    # What else is in one module.
    NamePattern(r"configdefaults\.\w+|(.*\.)?(filter_vm_lazy|default_base_compiledir|compiledir_format_\w+|get_home_dir|good_seed_param|warn_default|rc|var)",
         "PyTensor computes the defaults of its flags itself", "theano.config: a flag is read and set by its name"),
    NamePattern(r"configparser\.\w+", "PyTensor reads its flags itself", "theano.config: a flag is read and set by its name"),
    NamePattern(r"compile\.(debugmode|nanguardmode)\.\w+|compile\.(function_module|mode|io)\.\w+|compile(\.\w+)*"
         r"|(.*\.)?(exclude|check_equal|NODEFAULT|instantiated_default_mode|instanciated_default_mode|OutputGuard)",
         "it is internal to theano.function", "theano.function, theano.compile.Mode and the attributes of a compiled function (f.maker, f.vm)"),
    NamePattern(r"gof\.(vm|link|op|type|graph|toolbox|fg|opt|null_type)\.\w+|gof\.\w+|graph\.\w+\.\w+|graph\.\w+",
         "it is internal to the graph classes", "pytensor.graph (basic, fg, features, op, type, traversal)"),
    NamePattern(r"(sandbox\.)?scan(_module)?(\.\w+)*", "it is internal to theano.scan", "theano.scan, or pytensor.scan.op for the Op itself"),
    NamePattern(r"misc\.windows(\.\w+)?", "it starts compilers on Windows", "subprocess"),
    NamePattern(r"misc\.pkl_utils\.\w+|misc\.frozendict\.\w+|misc\.\w+", "it belongs to a helper module that PyTensor dropped", "the standard library: pickle, types.MappingProxyType"),
    NamePattern(r"sandbox\.fourier(\.\w+)?", "it is an experiment that was never finished", "theano.tensor.fft.rfft and irfft"),
    NamePattern(r"sandbox\.solve(\.\w+)?", "it is an experiment that was never finished", "theano.tensor.slinalg.solve"),
    NamePattern(r"sandbox\.(linalg(\.ops|\.kron)?|rng_mrg|multinomial|downsample|\w+)(\.\w+)*", "it is an experiment that was never finished",
         "theano.tensor.nlinalg and slinalg, theano.scan, or pytensor.tensor"),
    NamePattern(r"sparse\.sandbox(\.\w+)*", "it is an experiment with sparse matrices that was never finished", "theano.sparse.dot, or x.toarray() and dense Ops"),
    NamePattern(r"sparse(\.\w+)*", "PyTensor's sparse module has nothing like it", "theano.sparse (csr_matrix, dot, structured_dot, dense_from_sparse)"),
    NamePattern(r"printing\.(pydotprint_variables|MemberPrinter)", "PyTensor only draws whole graphs", "theano.printing.pydotprint(variables)"),
    NamePattern(r"typed_list(\.\w+)*", "it is internal to typed lists", "theano.typed_list (TypedListType, append, length)"),
    NamePattern(r"d3viz(\.\w+)*", "graphs are drawn by PyTensor's own d3viz", "theano.d3viz.d3viz(f, 'graph.html')"),
    # Single names.
    NamePattern(r"compat\.six\.\w+", "it is internal to six", "the package six, or Python 3's own names"),
    NamePattern(r"tensor\.(basic\.)?(constant_or_value|get_scalar_constant_value_elemwises)", "it is internal to theano.tensor.constant",
         "theano.tensor.constant or as_tensor_variable"),
    NamePattern(r"tensor\.(basic\.)?Diag", "the Op is gone since Theano 0.10", "theano.tensor.diag(x)"),
    NamePattern(r"tensor\.(math\.)?convolve|tensor\.math\.Convolve", "PyTensor has it in pytensor.tensor.signal", "pytensor.tensor.signal.convolve1d(a, v, mode)"),
    NamePattern(r"tensor\.(math\.)?hyp2f1_der", "PyTensor computes this gradient otherwise", "pytensor.gradient.grad of hyp2f1"),
    NamePattern(r"printing\.(hex_digest|position_independent_str|var_descriptor)", "PyTensor removed it", "theano.printing.debugprint(x, file='str')"),
    NamePattern(r"(.*\.)?(DEPRECATED_NAMES|\w+_DEPRECATED_NAMES|BASIC_DEPRECATIONS|deprecated_names|UNSET_AXIS|\w+_logger|logger|imported_\w+|scipy_ver)",
         "it is a private constant of its module", "nothing: leave it out"),
    NamePattern(r"(.*\.)?(autocast_\w+|NumpyAutocaster)", "PyTensor casts constants by one fixed rule", "theano.config.cast_policy and floatX"),
    NamePattern(r"(.*\.)?(advanced_boolean_\w+|AdvancedBoolean\w+|check_advanced_indexing_dimensions)", "PyTensor has one Op for masks and integer indices",
         "theano.tensor.set_subtensor(x[mask], y), inc_subtensor or x[mask]"),
    NamePattern(r"tensor\.random(\.basic|\.op|\.type|\.var|\.utils)?\.\w+", "PyTensor has no such distribution or type of generator",
         "pytensor.tensor.random: integers for randint, uniform for random, and transforms of the others"),
    NamePattern(r"(.*\.)?(inplace_increment|constant_cache|setdefault|sparse_module_ref|maxsize|get_unique_value|invalid_\w+_types|scal_types|tensor_types"
         r"|index_vars_to_types|is_basic_idx|range_len|as_nontensor_scalar|equal_slices|old_shape|as_cuda_or_tensor_variable|CAReduceDtype"
         r"|BinCountOp|ExpmGrad|Inv|EmptyConstantError)",
         "it is internal to theano.tensor", "the function of theano.tensor that used it"),
    NamePattern(r"(.*\.)?(get_test_values?|compute_test_value|TestValueError|missing_test_message)", "PyTensor keeps no test values",
         "theano.config.compute_test_value, which works for `import theano`; or variable.eval({x: value})"),
    NamePattern(r"(.*\.)?(InRange|in(closed|open)range)", "PyTensor has no such Op", "theano.tensor.and_(x >= low, x <= high)"),
    NamePattern(r"scalar(\.\w+)*", "it is internal to the scalar Ops", "pytensor.scalar, whose Ops are those of theano.tensor on one number"),
    NamePattern(r"tensor\.nnet(\.\w+)*", "PyTensor has no theano.tensor.nnet, and only its own functions used this", "the function of theano.tensor.nnet that used it"),
    NamePattern(r"tensor\.(blas|io|slinalg|nlinalg|special|shape|math|inplace|elemwise|utils)\.\w+|tensor\.\w+\.\w+", "it is internal to a module of theano.tensor",
         "the function of theano.tensor that used it"),
    NamePattern(r"utils\.\w+|updates\.\w+|version\.\w+|ifelse\.\w+|has_handlers|pathparse(\.\w+)?|rpath|gradient\.\w+", "it is a helper of Theano's own modules",
         "the standard library"),
)  # fmt: skip
"""All rules, in the order in which they are tried."""


def reason(name: str) -> Optional[Reason]:
    """Returns why `name` (dotted, without the root) has no counterpart; None if no rule knows it.

    >>> reason("tensor.isend").advice
    'leave it out: code runs on one machine'
    """
    for rule in RULES:
        if re.match("(?:" + rule.pattern + r")\Z", name):
            return Reason(rule.why, rule.advice)
    return None


def of_compiled_code(name: str) -> bool:
    """Returns whether `name` (dotted, without the root) may come from the compiled code of Theano's first GPU back-end, such as
    `sandbox.cuda.active_device_number`. The tables of names do not contain these names, because they were made without CUDA.
    """
    return re.match(r"sandbox\.cuda\.(cuda_ndarray\.)*(CudaNdarray|[a-z_]+)\Z", name) is not None


_POOL = "theano.tensor.signal.pool: pool_2d(x, ws, ignore_border=True) stands for max_pool_2d(x, ds), Pool for DownsampleFactorMax"
_OLD_BACK_END = "theano.gpuarray (THEANO_FLAGS=device=cuda0); whether a GPU is there says theano.config.device"
_CONV3D = "theano.tensor.nnet.conv3d, whose axes are (batch, channel, time, row, column)"

GONE: Dict[str, str] = {
    "tensor.signal.downsample": _POOL,
    "sandbox.downsample": _POOL,
    "tensor.signal.pool.max_pool_2d": _POOL,
    "sandbox.cuda": _OLD_BACK_END,
    "sandbox.gpuarray": "theano.gpuarray",
    "compat.python2x": "the standard library: collections.OrderedDict and Counter, functools.partial",
    "gof.python25": "the standard library: collections.OrderedDict, functools.partial, all and any",
    "tensor.nnet.Conv3D": _CONV3D,
    "tensor.nnet.conv3D": _CONV3D,
    "tensor.nnet.ConvGrad3D": _CONV3D,
    "tensor.nnet.ConvTransp3D": _CONV3D,
    "sandbox.scan": "theano.scan",
    "lazycond": "theano.ifelse.ifelse",
    "tensor.shared": "theano.shared",
    "floatx": "theano.config.floatX",
    "sandbox.samples_MRG31k3p": "theano.sandbox.rng_mrg.MRG_RandomStreams",
    "compile.module": "theano.function, one for each method, and shared variables for what they keep",
    "module": "theano.function, one for each method, and shared variables for what they keep",
    "Module": "theano.function, one for each method, and shared variables for what they keep",
    "Method": "theano.function, one for each method, and shared variables for what they keep",
    "misc.gnumpy_utils": "numpy arrays: theano.shared(x.as_numpy_array())",
    "misc.cudamat_utils": "numpy arrays: theano.shared(x.asarray())",
}
"""Lost name, without the root -> what to write."""
_MISSING_NAME = (
    re.compile(r"cannot import name '?(?P<name>\w+)'?(?: from '(?P<parent>[\w.]+)')?"),
    re.compile(r"[Nn]o module named '?(?:(?P<parent>[\w.]+)\.)?(?P<name>\w+)'?"),
    re.compile(r"module '(?P<parent>[\w.]+)' has no attribute '(?P<name>\w+)'"),
    re.compile(r"'module' object has no attribute '(?P<name>\w+)'"),
)
"""Messages of CPython 2.7 and 3 for a missing name; the older ones leave its module out."""
_OLD_GPU = re.compile(r"theano[\\/]sandbox[\\/]cuda[\\/]__init__\.py")
"""Matches the file that raises in place of theano.sandbox.cuda; its exception is that of another missing module."""


def gone(exception: str, traceback: str = "") -> Optional[str]:
    """Returns a sentence about the missing Theano name that an exception message reports, with what to write instead; None for any other
    exception.

    >>> gone("ModuleNotFoundError: No module named 'theano.sandbox.scan'")
    'theano.sandbox.scan is no part of this Theano; write theano.scan'
    """
    if _OLD_GPU.search(traceback):
        return _gone_said("sandbox.cuda")
    if "theano" not in exception + traceback:
        return None
    for pattern in _MISSING_NAME:
        match = pattern.search(exception)
        if match:
            parent = (match.groupdict().get("parent") or "").split(".")
            full = ".".join([part for part in parent if part and part != "theano"] + [match.group("name")])
            reasons = [
                name
                for name in GONE
                if full == name or full.startswith(name + ".") or (parent[0] != "theano" and name.endswith("." + full))
            ]
            return _gone_said(max(reasons, key=len)) if reasons else None
    return None


def _gone_said(name: str) -> str:
    return "theano." + name + " is no part of this Theano; write " + GONE[name]
