"""The legacy modules without code of their own: where each of their names is defined (`compat.finder` creates the modules from this table).

A place is a module of PyTensor, or one of this layer, which begins with a dot. It is followed by the names taken from there, in order:
`name`, `name=other` if it is called `other` there, or `*` for all. A place without names is imported for its side effects. `builtins` has
the constants, as in `imported_scipy=True`. `AESARA` lists differences for scripts that import aesara, as in a file of `api/`.
"""

from typing import Dict

REEXPORTS: Dict[str, Dict[str, str]] = {
    "compat.python2x": {
        ".api.compat": "Counter DefaultOrderedDict OrderedDict all any combinations defaultdict deque maxsize partial product",
    },
    "compile": {
        "pytensor.compile.executor": "AliasedMemoryError Function",
        "pytensor.compile.maker": "FunctionMaker UnusedInputError",
        "pytensor.compile.mode": "FAST_RUN=CVM FAST_COMPILE",
        ".behaviour.functions": "Param convert_function_input function orig_function pfunc",
        ".api.compile.builders": "OpFromGraph as_op",
        ".api.gof.link": "MonitorMode",
        ".ops.arrays": "Rebroadcast",
    },
    "compile.function": {
        "pytensor.compile.debug.dump": "function_dump",
        ".behaviour.functions": "function orig_function pfunc",
    },
    "compile.function_module": {
        "pytensor.compile.aliasing": "Supervisor alias_root infer_reuse_pattern insert_deepcopy view_tree_set",
        "pytensor.compile.executor": "DUPLICATE AliasedMemoryError Function",
        "pytensor.compile.maker": "FunctionMaker UnusedInputError",
        ".behaviour.functions": "convert_function_input orig_function",
        ".api.compile.builders": "std_fgraph fgraph_updated_vars",
    },
    "compile.mode": {"pytensor.compile.mode": "FAST_RUN=CVM FAST_COMPILE"},
    "compile.monitormode": {".api.gof.link": "MonitorMode detect_nan"},
    "compile.ops": {
        "pytensor.compile.ops": "FromFunctionOp",
        ".api.compile.builders": "as_op",
        ".ops.arrays": "Rebroadcast",
    },
    "compile.pfunc": {
        "pytensor.compile.rebuild": "rebuild_collect_shared",
        ".behaviour.functions": "Param pfunc",
    },
    "gof": {
        "pytensor.graph.basic": "Apply Constant Variable",
        "pytensor.graph.op": "Op PureOp=Op",
        "pytensor.graph.rewriting.basic": (
            "CheckStackTraceOptimization=CheckStackTraceRewriter EquilibriumOptimizer=EquilibriumGraphRewriter "
            "Optimizer=GraphRewriter MergeOptimizer NavigatorOptimizer=NodeProcessingGraphRewriter PatternSub=PatternNodeRewriter "
            "SeqOptimizer=SequentialGraphRewriter LocalOptGroup=SequentialNodeRewriter OpSub=SubstitutionNodeRewriter "
            "TopoOptimizer=WalkingGraphRewriter optimizer=graph_rewriter"
        ),
        "pytensor.graph.rewriting.db": "DB=RewriteDatabase Query=RewriteDatabaseQuery SequenceDB EquilibriumDB ProxyDB LocalGroupDB",
        "pytensor.graph.utils": "object2=MetaObject MethodNotDefined MissingInputError",
        "pytensor.link.c.basic": "CLinker DualLinker OpWiseCLinker",
        "pytensor.link.c.op": "OpenMPOp",
        "pytensor.link.c.params_type": "Params ParamsType",
        "pytensor.link.c.type": "CDataType CEnumType EnumList EnumType Generic generic",
        ".behaviour.c_code": "HideC COp=LegacyExternalCOp",
        ".behaviour.rewrites": "LocalOptimizer local_optimizer",
        ".api.gof.graph": "inputs view_roots CachedConstantError",
        ".api.gof.link": "Container Linker LocalLinker PerformLinker WrapLinker WrapLinkerMany",
        ".api.gof.op": "ops_with_inner_function",
        ".api.gof.opt": "OpKeyOptimizer OpRemove inplace_optimizer NodeFinder PrintListener ReplacementDidntRemovedError",
        ".api.gof.utils": "hashtype",
        "pytensor.graph.fg": "FunctionGraph",
    },
    "gof.fg": {
        "pytensor.graph.fg": "FunctionGraph",
        "pytensor.graph.utils": "InconsistencyError MissingInputError",
        ".api.gof.graph": "CachedConstantError",
    },
    "gof.null_type": {"pytensor.graph.null_type": "NullType null_type"},
    "gof.toolbox": {
        "pytensor.graph.features": (
            "AlreadyThere BadOptimization Bookkeeper Feature History PreserveVariableAttributes ReplaceValidate Validator "
            "ReplacementDidntRemovedError=ReplacementDidNotRemoveError"
        ),
        ".api.gof.opt": "NoOutputFromInplace NodeFinder PrintListener PreserveNames",
    },
    "gof.vm": {"pytensor.link.vm": "VMLinker VM_Linker=VMLinker"},
    "gpuarray": {
        ".ops.no_gpu": (
            "as_gpuarray_variable gpu_contiguous host_from_gpu GpuArrayConstant GpuArraySharedVariable GpuArrayType GpuArrayVariable "
            "use=use_gpuarray"
        ),
        "builtins": "pygpu_activated=False cuda_available=False",
    },
    "gpuarray.basic_ops": {
        "pytensor.tensor.basic": "AllocEmpty as_tensor_variable",
        ".ops.no_gpu": "as_gpuarray_variable infer_context_name gpu_contiguous host_from_gpu HostFromGpu GpuFromHost GpuAllocEmpty",
    },
    "gpuarray.blas": {".ops.conv.corr": "GpuCorrMM=CorrMM GpuCorrMM_gradInputs=CorrMM_gradInputs GpuCorrMM_gradWeights=CorrMM_gradWeights"},
    "gpuarray.dnn": {
        ".ops.conv.cudnn": (
            "GpuDnnConv GpuDnnConvDesc GpuDnnConvGradI GpuDnnConvGradW dnn_batch_normalization_test dnn_batch_normalization_train "
            "dnn_conv dnn_conv3d dnn_gradinput dnn_gradweight dnn_pool dnn_gradinput3d=dnn_gradinput dnn_gradweight3d=dnn_gradweight "
            "dnn_available dnn_present version"
        ),
    },
    "gpuarray.pool": {".ops.pool": "GpuPool=Pool"},
    "gpuarray.subtensor": {
        ".ops.no_gpu": (
            "GpuSubtensor GpuIncSubtensor GpuAdvancedSubtensor1 GpuAdvancedSubtensor GpuAdvancedIncSubtensor1 GpuAdvancedIncSubtensor"
        ),
    },
    "gpuarray.type": {".ops.no_gpu": "GpuArrayType GpuArrayVariable GpuArrayConstant GpuArraySharedVariable ContextNotDefined"},
    "misc": {},
    "misc.cpucount": {".api.gof.utils": "cpuCount"},
    "misc.pycuda_init": {
        "builtins": "pycuda_available=False",
        ".ops.no_gpu": "set_gpu_context",
    },
    "raise_op": {".ops.extra_ops": "Raise"},
    "sandbox": {},
    "sandbox.cuda": {
        "pytensor.graph.op": "Op",
        ".ops.no_gpu": (
            "HostFromGpu as_cuda_ndarray_variable=as_gpuarray_variable gpu_contiguous gpu_from_host=as_gpuarray_variable "
            "host_from_gpu cuda_initialization_error_message GpuOp CudaNdarrayType CudaNdarrayVariable CudaNdarraySharedVariable "
            "use=use_cuda register_opt cuda_available_dnn"
        ),
        "builtins": "cuda_available=False cuda_enabled=False",
    },
    "sandbox.cuda.basic_ops": {
        "pytensor.tensor.basic": "AllocEmpty",
        ".ops.no_gpu": (
            "HostFromGpu as_cuda_ndarray_variable=as_gpuarray_variable gpu_contiguous host_from_gpu "
            "gpu_from_host=as_gpuarray_variable gpu_alloc_empty"
        ),
    },
    "sandbox.cuda.blas": {".ops.conv.cudnn": "GpuCorrMM=PaddedCorrMM"},
    "sandbox.cuda.dnn": {
        ".ops.conv.cudnn": (
            "GpuDnnConv GpuDnnConvDesc GpuDnnConvGradI GpuDnnConvGradW dnn_batch_normalization_test dnn_batch_normalization_train "
            "dnn_conv3d dnn_pool dnn_conv=cuda_dnn_conv dnn_available version"
        ),
    },
    "sandbox.cuda.type": {".ops.no_gpu": "CudaNdarrayType"},
    "sandbox.cuda.var": {".ops.no_gpu": "CudaNdarraySharedVariable CudaNdarrayVariable"},
    "sandbox.linalg": {".ops.linalg": "psd"},
    "sandbox.linalg.ops": {
        ".ops.linalg": "psd",
        "pytensor.tensor.basic": "as_tensor_variable",
    },
    "sandbox.multinomial": {".random.multinomial": "*"},
    "sandbox.rng_mrg": {".random.mrg": "* MRG_RandomStreams MRG_RandomStream=MRG_RandomStreams"},
    "scalar.basic": {".api.scalar": "* Scalar"},
    "scan_module": {
        ".api.scan_module.scan": "scan",
        ".api.scan_module.scan_checkpoints": "scan_checkpoints",
        ".api.scan_module.scan_utils": "clone until",
        ".api.scan_module.scan_views": "foldl foldr map reduce",
    },
    "scan_module.scan_checkpoints": {".api.scan_module.scan": "scan_checkpoints scan"},
    "scan_module.scan_op": {"pytensor.scan.op": "Scan"},
    "scan_module.scan_opt": {
        "pytensor.scan.rewriting.inplace": "ScanInplaceOptimizer",
        "pytensor.scan.rewriting.merge": "ScanMerge has_duplicates make_equiv scan_merge_inouts",
    },
    "scan_module.scan_views": {".api.scan_module.scan": "foldl foldr map reduce scan"},
    "sparse": {".api.sparse.basic": "* __getattr__"},
    "sparse.opt": {
        ".api.sparse.basic": "__getattr__=_rewrite",
        ".pytensor_versions": "sparse_names",
    },
    "sparse.sandbox": {},
    "sparse.sandbox.sp": {".api.sparse.basic": "* __getattr__"},
    "sparse.sandbox.sp2": {
        ".ops.sparse": "Binomial Multinomial Poisson poisson multinomial csr_fbinomial csc_fbinomial csr_dbinomial csc_dbinomial",
        ".api.sparse.basic": "* __getattr__",
    },
    "sparse.type": {"pytensor.sparse.type": "SparseType=SparseTensorType _is_sparse"},
    "tensor": {
        ".api.gradient": "Lop Rop consider_constant grad hessian verify_grad",
        ".api.tensor.basic": "* LAZY __getattr__ _allclose _dot _get_atol_rtol _pack",
        ".api.tensor.extra_ops": "diff repeat unravel_index",
        ".api.tensor.io": "LoadFromDisk load mpi_enabled",
        ".api.tensor.sort": "ArgSortOp SortOp TopKOp argsort argtopk topk topk_and_argtopk sort",
        ".api.tensor.subtensor": "*",
    },
    "tensor.blas": {".api.tensor.basic": "batched_dot"},
    "tensor.io": {
        ".ops.load": "LoadFromDisk load",
        "builtins": "mpi_enabled=False",
    },
    "tensor.nnet": {
        "pytensor.tensor.math": "sigmoid softplus",
        ".ops.activations": "hard_sigmoid ultra_fast_sigmoid",
        ".ops.bn": "batch_normalization",
        ".ops.conv.functions": (
            "abstract_conv2d conv2d conv2d_grad_wrt_inputs conv2d_transpose conv3D conv3d convGrad3D convTransp3D separable_conv2d"
        ),
        ".ops.conv.legacy": "ConvOp",
        ".api.tensor.nnet.nnet": "*",
        ".api.tensor.nnet.sigm": "scalar_sigmoid sigmoid_inplace",
        ".ops.softmax": "AESARA",
    },
    "tensor.nnet.Conv3D": {".ops.conv.functions": "conv3D"},
    "tensor.nnet.ConvGrad3D": {".ops.conv.functions": "conv3D convGrad3D"},
    "tensor.nnet.ConvTransp3D": {".ops.conv.functions": "conv3D convTransp3D"},
    "tensor.nnet.abstract_conv": {
        ".ops.conv.abstract": (
            "AbstractConv AbstractConv2d AbstractConv2d_gradInputs AbstractConv2d_gradWeights AbstractConv3d "
            "AbstractConv3d_gradInputs AbstractConv3d_gradWeights AbstractConv_gradInputs AbstractConv_gradWeights BaseAbstractConv "
            "assert_shape"
        ),
        ".ops.conv.functions": (
            "conv2d=abstract_conv2d bilinear_kernel_1D bilinear_kernel_2D bilinear_upsampling causal_conv1d conv2d_grad_wrt_inputs "
            "conv2d_grad_wrt_weights conv3d conv3d_grad_wrt_inputs conv3d_grad_wrt_weights frac_bilinear_upsampling separable_conv2d "
            "separable_conv3d"
        ),
        ".ops.conv.shapes": (
            "assert_conv_shape border_mode_to_pad check_conv_gradinputs_shape get_conv_gradinputs_shape "
            "get_conv_gradinputs_shape_1axis get_conv_gradweights_shape get_conv_gradweights_shape_1axis get_conv_output_shape "
            "get_conv_shape_1axis"
        ),
        "builtins": "imported_scipy_signal=True",
    },
    "tensor.nnet.blocksparse": {
        ".ops.blocksparse": (
            "SparseBlockGemv SparseBlockOuter sparse_block_dot sparse_block_gemv sparse_block_gemv_inplace sparse_block_outer "
            "sparse_block_outer_inplace"
        ),
    },
    "tensor.nnet.bn": {
        ".ops.bn": (
            "AbstractBatchNormInference AbstractBatchNormTrain AbstractBatchNormTrainGrad _prepare_batch_normalization_axes "
            "batch_normalization batch_normalization_test batch_normalization_train local_abstract_batch_norm_inference "
            "local_abstract_batch_norm_train local_abstract_batch_norm_train_grad"
        ),
    },
    "tensor.nnet.conv": {
        ".ops.conv.legacy": "ConvOp conv2d",
        ".ops.conv.shapes": "get_conv_output_shape get_conv_shape_1axis",
        "builtins": "imported_scipy_signal=True",
    },
    "tensor.nnet.conv3d2d": {
        ".ops.conv.conv3d2d": (
            "DiagonalSubtensor IncDiagonalSubtensor conv3d diagonal_subtensor get_diagonal_subtensor_view inc_diagonal_subtensor "
            "local_inplace_DiagonalSubtensor"
        ),
    },
    "tensor.nnet.corr": {".ops.conv.corr": "BaseCorrMM CorrMM CorrMM_gradInputs CorrMM_gradWeights"},
    "tensor.nnet.corr3d": {".ops.conv.corr": "BaseCorr3dMM Corr3dMM Corr3dMM_gradInputs Corr3dMM_gradWeights"},
    "tensor.nnet.ctc": {".ops.ctc": "ConnectionistTemporalClassification ctc ctc_available ctc_present local_ctc_no_grad"},
    "tensor.nnet.neighbours": {".ops.neighbours": "Images2Neibs images2neibs neibs2images"},
    "tensor.nnet.nnet": {
        "pytensor.tensor.math": "sigmoid softplus",
        ".ops.activations": "ScalarSoftsign binary_crossentropy elu relu scalar_softsign selu sigmoid_binary_crossentropy softsign",
        ".ops.blocksparse": "sparse_block_dot confusion_matrix h_softmax",
        ".ops.crossentropy": (
            "CrossentropyCategorical1Hot CrossentropyCategorical1HotGrad CrossentropySoftmax1HotWithBiasDx "
            "CrossentropySoftmaxArgmax1HotWithBias Prepend_scalar_constant_to_each_row Prepend_scalar_to_each_row "
            "categorical_crossentropy crossentropy_categorical_1hot crossentropy_categorical_1hot_grad crossentropy_softmax_1hot "
            "crossentropy_softmax_1hot_with_bias crossentropy_softmax_1hot_with_bias_dx crossentropy_softmax_argmax_1hot_with_bias "
            "crossentropy_softmax_max_and_argmax_1hot crossentropy_softmax_max_and_argmax_1hot_with_bias prepend_0_to_each_row "
            "prepend_1_to_each_row prepend_scalar_to_each_row"
        ),
        ".ops.softmax": (
            "LogSoftmax Softmax SoftmaxGrad SoftmaxWithBias logsoftmax logsoftmax_op softmax softmax_grad softmax_graph softmax_op "
            "softmax_with_bias AESARA"
        ),
        ".ops.softmax_rewrites": (
            "crossentropy_to_crossentropy_with_softmax crossentropy_to_crossentropy_with_softmax_with_bias "
            "graph_merge_softmax_with_crossentropy_softmax local_advanced_indexing_crossentropy_onehot "
            "local_advanced_indexing_crossentropy_onehot_grad local_argmax_pushdown local_logsoftmax local_logsoftmax_grad "
            "local_softmax_with_bias"
        ),
    },
    "tensor.nnet.sigm": {
        "pytensor.scalar.math": "ScalarSigmoid=Sigmoid ScalarSoftplus=Softplus scalar_sigmoid=sigmoid scalar_softplus=softplus",
        "pytensor.tensor.elemwise": "Elemwise",
        "pytensor.tensor.math": "sigmoid softplus",
        "pytensor.tensor.rewriting.math": (
            "compute_mul is_1pexp is_exp is_mul is_neg local_sigm_times_exp parse_mul_tree partition_num_or_denom "
            "perform_sigm_times_exp replace_leaf simplify_mul"
        ),
        ".ops.activations": (
            "UltraFastScalarSigmoid hard_sigmoid local_hard_sigmoid local_ultra_fast_sigmoid ultra_fast_scalar_sigmoid "
            "ultra_fast_sigmoid sigmoid_inplace ultra_fast_sigmoid_inplace"
        ),
        ".ops.scalars": "transfer_type",
        "builtins": "register_local_1msigmoid=False",
    },
    "tensor.opt": {
        "pytensor.graph.rewriting.basic": "local_optimizer=node_rewriter",
        "pytensor.raise_op": "Assert assert_op assert_=assert_op",
        "pytensor.tensor.basic": "MakeVector make_vector",
        "pytensor.tensor.rewriting.basic": (
            "register_canonicalize register_specialize register_stabilize register_uncanonicalize register_useless "
            "register_specialize_device=register_specialize"
        ),
        "pytensor.tensor.rewriting.elemwise": "FusionOptimizer InplaceElemwiseOptimizer",
        "pytensor.tensor.rewriting.shape": "ShapeFeature ShapeOptimizer UnShapeOptimizer",
        "pytensor.tensor.shape": "Shape Shape_i",
        ".ops.arrays": "local_useless_rebroadcast apply_rebroadcast_opt",
        ".ops.sorting": "TopKOp local_useless_topk",
    },
    "tensor.shared_randomstreams": {".random.streams": "RandomStateSharedVariable RandomStreams randomstate_constructor"},
    "tensor.signal.conv": {".ops.conv.legacy": "conv2d=signal_conv2d"},
    "tensor.signal.pool": {
        ".ops.pool": (
            "AveragePoolGrad DownsampleFactorMaxGradGrad MaxPoolGrad MaxPoolRop Pool PoolGrad max_pool_2d_same_size pool_2d pool_3d"
        ),
    },
    "tensor.slinalg": {
        "pytensor.tensor.linalg": "Expm",
        ".ops.linalg": (
            "MATRIX_STRUCTURES Cholesky CholeskyGrad Eigvalsh EigvalshGrad Solve eigvalsh kron cholesky expm solve "
            "solve_lower_triangular solve_upper_triangular solve_symmetric"
        ),
        "builtins": "imported_scipy=True",
    },
    "tensor.sort": {
        ".ops.sorting": "ArgSortOp SortOp argsort sort TopKOp argtopk topk topk_and_argtopk",
    },
    "tensor.xlogx": {
        "pytensor.tensor.elemwise": "Elemwise",
        ".ops.scalars": "XlogX XlogY0 scalar_xlogx scalar_xlogy0 xlogx xlogy0",
    },
    "tests": {},
    "tests.test_rop": {".api.tests.unittest_tools": "BreakRop break_op RopLop_checker"},
}
"""Module, without the root -> place -> names."""
