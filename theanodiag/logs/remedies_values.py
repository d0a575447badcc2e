"""Remedies if values, shapes, dtypes or a back-end are incompatible."""

from __future__ import annotations

from .model import Cause
from .remedy import remedy

VALUES = (
    remedy(
        Cause.SYMBOLIC,
        r"\A[^\n]*(?:Sparse(?:Constant|Variable|TensorType)|Sparse\[|\bcs[rc]_matrix|\b[Ss]parse matrix)",
        "a sparse matrix was passed where a dense one is needed: use x.toarray() (also in a DataFrame or AnnData), or sparse functions",
    ),
    remedy(
        Cause.SYMBOLIC,
        r"unsupported operand type\(s\) for (?P<operation>\S{1,9}): '(?P<type>\w*Variable)' and '\w*Variable'",
        "both are variables of the graph, and {operation} failed inside, usually because their shapes, dtypes or test values are "
        "incompatible: the function (T.add, T.sub, T.mul, T.true_div) instead of {operation} shows that error",
    ),
    remedy(
        Cause.DTYPES,
        r"[Ii]ncorrect output dtype for return value #\d+: Expected: (?P<wants>\w+), Actual: (?P<has>\w+)",
        "a Python function that JAX calls back returned {has}, but {wants} is declared: cast its result; NumPy before 2 converts "
        "Python's integers to int32 on Windows: pip install -U numpy pytensor pymc",
    ),
    remedy(
        Cause.DTYPES,
        r"float64[\s\S]{0,400}float32|float32[\s\S]{0,400}float64",
        "float64 is mixed with float32: set floatX=float32 (THEANO_FLAGS, .theanorc) and cast arrays with astype(theano.config.floatX); "
        "NumPy creates float64, and a factor of int32 or int64 gives float64 too",
    ),
    remedy(
        Cause.DTYPES,
        r"\A[^\n]*expected an ndarray",
        "a Python Op (as_op, perform) returned a number or a list where C code takes an array: return numpy.asarray(value, dtype) with "
        "the dtype and number of dimensions that otypes declares",
    ),
    remedy(
        Cause.DTYPES,
        r"Expected an integer|must be (?:an )?integers?\b|object cannot be interpreted as an (?:integer|index)",
        "an index or a length must be an integer: in Python 3 / gives a float, and // an integer; else use int(x), or x.astype('int64') "
        "for a symbolic one",
    ),
    remedy(
        Cause.DTYPES,
        r"\bobject\b(?! has no| at 0x)|dtype\('O'\)|Unsupported dtype|ufunc '\w+' not supported for the input types",
        "the data contains Python objects: convert it to numbers with x.astype(float), or for a data frame x.values.astype('float64'), "
        "and look for strings, None and rows of different lengths",
    ),
    remedy(
        Cause.DTYPES,
        r"\bu?int\d+[\s\S]{0,200}\bfloat\d+|\bfloat\d+[\s\S]{0,200}\bu?int\d+|\bint(?:8|16|32)\b[\s\S]{0,200}\bint64|"
        r"\bint64\b[\s\S]{0,200}\bint(?:8|16|32)\b|type_num|NPY_INT",
        "give both the same dtype: x.astype('int32') for indices and labels, cast(x, floatX) for values",
    ),
    remedy(
        Cause.DTYPES,
        r"update|same type as the original|shared",
        "an update must have the shared variable's dtype: set floatX=float32 if it is float32, cast the update, and write constants as "
        "floatX (numpy.float32(0.1))",
    ),
    remedy(
        (Cause.REFUSED, Cause.DTYPES),
        r"(?P<op>[\w{},]{1,60})\.grad illegally\s+returned an integer",
        "a cost is differentiated through integers or comparisons in {op}: cast them first (T.cast(x > 0, config.floatX)); if the "
        "message names bool, install the newest Theano: development versions before 0.9 have this bug",
    ),
    remedy(
        Cause.SHAPES,
        r"[Cc]ost must be a scalar|[Gg]rad only implemented for scalar|scalar-output",
        "a gradient needs a scalar cost: cost.mean() or cost.sum(); if a library creates the cost (nolearn, Lasagne), install compatible "
        "releases",
    ),
    remedy(
        Cause.SHAPES,
        r"y_i value out of bounds",
        "a label is not a class: labels are integers from 0 to n_classes - 1 (print y.min(), y.max()), and the last layer has n_classes "
        "units",
    ),
    remedy(
        Cause.SHAPES,
        r"\A[^\n]*\bindex (?P<index>-?\d+) is out of bounds for axis 1 with size (?P<size>\d+)[\s\S]{0,900}(?:crossentropy|IncSubtensor)|"
        r"(?:crossentropy|to_categorical)[\s\S]{0,900}\bindex (?P<at>-?\d+) is out of bounds for axis 1 with size (?P<of>\d+)",
        "a label is {index}{at}, and the output has {size}{of} classes: labels are whole numbers from 0 to classes - 1 (print y.max()); "
        "give the last layer as many units as there are classes, or renumber the labels",
    ),
    remedy(
        Cause.SHAPES,
        r"\bindex (?P<index>-?\d+) is out of bounds for (?:axis \d+ with )?size (?P<size>\d+)",
        "index {index} was used on an axis of length {size}, which has 0 to {size} - 1: a table (embedding, a row for each word or group) "
        "has as many rows as the data's largest number + 1; number words and groups from 0, with one vocabulary for training and test",
    ),
    remedy(
        Cause.SHAPES,
        r"(?:index|indices)[^\n]{0,40} out of bound[\s\S]{0,600}?AdvancedSubtensor1?\b[\s\S]{0,900}?\nInputs shapes: \[\((?P<size>\d+)L?,",
        "a number in the data is {size} or more, but the table that it indexes has {size} rows: its length (input_dim, max_features, "
        "n_words) must be the data's largest number + 1",
    ),
    remedy(
        Cause.SHAPES,
        r"(?:concatenation axis|all the input arrays? (?:must have same|dimensions))[\s\S]{0,1500}?"
        r"\nInputs shapes: \[(?:\(\), )?(?P<shapes>[^\n]{1,200})\]",
        "the joined arrays differ in an axis other than the joined one: {shapes}; change the one that differs (its batch or length), or "
        "join along that axis",
    ),
    remedy(
        Cause.SHAPES,
        r"concatenation axis|all the input arrays? must have same|Sizes of tensors must match except",
        "the joined arrays differ in an axis other than the joined one: print their shapes, and make that axis equal (the last, smaller "
        "batch; a row that lacks x[None])",
        alone=True,
    ),
    remedy(
        Cause.SHAPES,
        r"\A[^\n]*Non-unit (?:size|value on shape) (?:in|on)(?: a)? broadcastable dimension(?: (?P<axis>\d+))?",
        "an axis ({axis}) of an input is declared to have the length 1 (a row, a column, a state or shared value of that shape), but the "
        "value has more: declare it without that (matrix, tensor4, T.unbroadcast(x, axis)), or pass one row; or run the script with the "
        "Theano for which it was written",
    ),
    remedy(
        Cause.SHAPES,
        r"[/\\]random[/\\]op\.py[\s\S]*shape mismatch|forward\.py[\s\S]*shape mismatch",
        "an observed variable keeps the shape of its data unless another is given: Normal('y', mu, sigma, observed=y, shape=mu.shape), "
        "or dims with coords that set_data changes too, so that predictions follow the new data",
        r"sample_posterior_predictive",
    ),
    remedy(
        Cause.SHAPES,
        r"\A[^\n]*(?:inhomogeneous shape|setting an array element with a sequence)",
        "rows of different lengths, or arrays in a list, cannot form one array: print [numpy.shape(row) for row in x], and pass each "
        "array under its own name, as numbers of one dtype (x.to_numpy(float))",
    ),
    remedy(
        Cause.SHAPES,
        r"outputs_info|inner function of scan",
        "an initial state of scan (outputs_info) must have the dimensions of one step's result, without the axis of steps, or one more "
        "if it has taps; use T.unbroadcast if a length is 1",
    ),
    remedy(
        Cause.SHAPES,
        r"Type (?P<has>Scalar|Vector|Row|Col|Matrix|Tensor\d)\([^\n]{0,200} into Type (?P<wants>(?!(?P=has))[A-Z]\w{2,7})\(",
        "a {has} was passed where a {wants} is declared: their numbers of dimensions must be the same; x.flatten(), x[:, 0], "
        "x.sum(axis=0) and x.dimshuffle(0, 'x') change it",
    ),
    remedy(
        Cause.SHAPES,
        r"same type as the original|same recurrent state|identical types|into Type|broadcast pattern|unbroadcast|on a "
        r"broadcastable dimension|supposed to be 1\b",
        "both have the same dtype but differ in which axes broadcast: give the state, outputs_info or shared variable the other pattern "
        "(T.unbroadcast(x, axis), T.addbroadcast, shared(..., broadcastable=...)); for a library's layer, install a matching release of "
        "the library (Lasagne: the newest)",
    ),
    remedy(
        Cause.SHAPES,
        r"hardcoded shape[^\n]{0,80}\((?P<declared>\d+)\)[^\n]{0,40}\((?P<given>\d+)\)",
        "the length declared when the graph was built ({declared}) is not that of the data ({given}): correct the input shape "
        "(input_shape, image_shape, batch size), or leave it None",
    ),
    remedy(
        Cause.SHAPES,
        r"negative dimensions are not allowed",
        "a length became negative: print the numbers in the line that failed; more may be subtracted than there is (draws of the warm-up, "
        "a window, the kernels and pools of an image, whose axes may be in the other order: image_data_format)",
    ),
    remedy(
        Cause.SHAPES,
        r"same stack size|image_data_format|image_dim_ordering|impossible output shape|"
        r"MM: Failed to allocate output of|(?i:negative dimension)(?!s are)|dimension with value <= 0|Filter must not be larger|"
        r"(?:Conv|conv|Corr)\w*[^\n]{0,200}(?:channel|stack|filter)",
        "check the order of axes of images and filters: image_data_format (Keras 1: image_dim_ordering) of ~/.keras/keras.json must be "
        "the one for which the code was written, channels_first (th) for Theano, channels_last (tf) for TensorFlow; or transpose the "
        "images",
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
        Cause.REFUSED,
        r"\A[^\n]*No model found in config",
        "the file has weights but no architecture (it was saved by save_weights): build the network in code, then model.load_weights(path)",
    ),
    remedy(
        (Cause.SHAPES, Cause.REFUSED, Cause.LIBRARY_FAULT, Cause.LIBRARIES),
        r"[/\\]keras[/\\][^\n]*"
        r"\bin (?:load_weights\w*|load_model|preprocess_weights_for_loading|convert_kernel|load_attributes_from_hdf5_group)\b",
        "the weights file and this Keras do not match: load it with the release that wrote it (for a Keras 1 or 2 file the newest 1.x or "
        "2.x), with the same back-end, and a suitable h5py ('h5py<3' for Keras up to 2.3)",
    ),
    remedy(
        Cause.SHAPES,
        r"pattern of the input is incorrect for this op\. Expected (?P<wants>\([\w, ]{1,70}\)), got (?P<has>\([\w, ]{1,80}\))",
        "a rewrite confused an axis of length 1 with a broadcast axis ({has} for {wants}): create that axis with dimshuffle or reshape "
        "from a variable without it, or with tensor.addbroadcast",
    ),
    remedy(
        Cause.SHAPES,
        r"conflicting sizes for dimension '(?:chain|draw|sample)'",
        "these draws have lost their axes of chains and draws: keep them (PyMC3: keep_size=True), or give arrays (chain, draw, ...)",
    ),
    remedy(
        Cause.SHAPES,
        r"conflicting sizes for dimension '(?P<name>\w+)': length (?P<has>\d+) on the data but length (?P<wants>\d+) on coord",
        "{name} has length {has} in the data and {wants} labels in coords: give coords the same length; for predictions of new data use "
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
        "BLAS or LAPACK was called with arrays whose lengths differ from the graph: compare the static shapes, and try another release "
        "of PyTensor or SciPy",
    ),
    remedy(
        Cause.SHAPES,
        r"got (?P<has>\d+) values to set (?P<wants>\d+) parameters",
        "the file has {has} arrays, but this network has {wants}: build the network with the layers and settings of the saved one, with "
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
        "NumPy arrays of different lengths are combined in one expression ({shapes}): rows of different lengths in a list, a column "
        "instead of a row, or data that was cut: print the shapes of both",
    ),
    remedy(
        Cause.SHAPES,
        r"(?i)(?:cannot|can't) reshape|reshape[^\n]{0,300}not divisible|total size of (?:new|the) array",
        "the number of elements does not match that shape: print x.shape before the reshape; a batch or image size written into the "
        "model must be that of the data, and the number of samples a multiple of the batch",
    ),
    remedy(
        Cause.SHAPES,
        r"\bwith size 0\b|zero-size array|empty sequence",
        "the array is empty: a path, a filter or a column's name left no data; print its length where it is created",
    ),
    remedy(
        Cause.SHAPES,
        r"[/\\]keras[/\\](?:layers|engine)[/\\][^\n]*\n(?:[^\n]*\n){0,4}?[^\n]{0,12}ValueError: [^\n]*\([\w, ]+, \d+, \d+\)",
        "image layers have incompatible shapes, usually because of the order of axes: image_data_format (Keras 1: image_dim_ordering) of "
        "~/.keras/keras.json is channels_first (th) for code written for Theano, channels_last (tf) for TensorFlow; otherwise compare the "
        "strides and paddings of the two branches",
    ),
    remedy(
        Cause.SHAPES,
        r"\A[^\n]*input\[(?P<at>\d+)\]\.shape\[(?P<axis>\d+)\] = (?P<has>\d+), input\[(?P<other>\d+)\]\.shape\[\d+\] = (?P<wants>\d+)",
        "inputs {at} and {other} of the node that is listed have {has} and {wants} along axis {axis}: make them equal (rows and labels of "
        "one batch, the last and smaller batch, a missing axis x[:, None]); a length of 1 is repeated only where the type says so "
        "(dimshuffle with 'x', T.addbroadcast, static shapes)",
    ),
    remedy(
        Cause.SHAPES,
        r"Input dimension mis-?match|ncompatible Elemwise input shapes|broadcast",
        "two arrays of one expression differ in an axis that neither broadcasts: a length of 1 is broadcast only if the type says so "
        "(dimshuffle with 'x', or static shapes), and a missing axis counts as the first: compare the listed shapes of the inputs, and "
        "look for a last, smaller batch",
        alone=True,
    ),
    remedy(
        Cause.SHAPES,
        r"\bx has (?P<has>\d+) rows but \w+ has (?P<wants>\d+) rows",
        "one input has {has} rows and another {wants}: if one number is the batch, the other is a last, smaller batch, or a state that was "
        "created for another batch size: leave that batch out, or pad it",
    ),
    remedy(
        Cause.SHAPES,
        r"(?:Shape mismatch|not aligned|core dimension|dimension mismatch|cannot be multiplied)",
        "in a product the first matrix must have as many columns as the second has rows: compare both with the listed shapes; a weight "
        "matrix (or initial state of a recurrent layer) may be transposed, or created for other data or another release of the library",
    ),
    remedy(
        Cause.SHAPES,
        r"\b(?:dims?|coords?)\b|posterior|xarray",
        "lengths in coords, dims and observed data must agree; for data whose length changes use Data and set_data with coords",
    ),
    remedy(
        Cause.NO_IMPLEMENTATION,
        r"Nonzero|[Bb]oolean|data-dependent",
        "the length of its result depends on values, which JAX cannot compile: where (or switch) with three arguments keeps the length; "
        "else use mode=FAST_RUN (C) or NUMBA for this function",
    ),
    remedy(
        Cause.NO_IMPLEMENTATION,
        r"(?:failed to legalize operation |error: )'(?P<operation>[\w.]{1,60})'|UNIMPLEMENTED: (?P<what>[^\n]{1,80})|serialize MPS module",
        "JAX's compiler for this device lacks an operation ({operation}{what}): compute on the CPU (JAX_PLATFORMS=cpu; on macOS pip "
        "uninstall jax-metal), or install matching releases of jax and the plugin",
    ),
    remedy(
        Cause.NO_IMPLEMENTATION,
        r"nanguardmode|NanGuardMode",
        "NanGuardMode does not support a type in this graph (a random state, a GPU array): install {library}'s newest release, or check "
        "for NaN without it",
    ),
    remedy(
        (Cause.NO_IMPLEMENTATION, Cause.LIBRARY_FAULT),
        r"link[\\/]numba|numba\.core|nopython",
        "nutpie runs what numba compiles: the newest pytensor, nutpie and numba support more Ops; else use compile_pymc_model(model, "
        "backend='jax'), or pm.sample without nuts_sampler",
        r"nutpie",
    ),
    remedy(
        Cause.NO_IMPLEMENTATION,
        r"(?i)numba[\\/.]|numba\.|nopython|\bTypingError|LoweringError",
        "numba cannot compile this: use mode=FAST_RUN with the C linker (PyTensor: linker=cvm, mode='CVM') or JAX for this function, and "
        "the numba and llvmlite that the library requires; write your own code with functions that numba has, on arrays of one dtype",
    ),
    remedy(
        Cause.NO_IMPLEMENTATION,
        r"No (?P<engine>JAX|PyTorch|MLX) conversion for the given `?Op`?: (?P<op>[\w.]+)",
        "{engine} has no {op} here: write it with Ops that it has, or register a function for it (jax_funcify of link/jax/dispatch); "
        "else use mode=FAST_RUN (C) or NUMBA, another sampler (nuts_sampler='pymc'), or a newer release, which supports more Ops",
    ),
    remedy(
        Cause.NO_IMPLEMENTATION,
        r"(?i)\bjax(?:ify|_funcify\w*)?\b",
        "use mode=FAST_RUN (C) or NUMBA for this function, or another sampler than JAX's (nuts_sampler='pymc'); newer releases of "
        "PyTensor support more Ops",
        r"pytensor|aesara|theano|pymc",
    ),
    remedy(
        Cause.NO_IMPLEMENTATION,
        r"grad|pullback|L_op",
        "the Op has no gradient: leave it out of the cost, define grad (L_op) for it, or sample with a step without gradients "
        "(Metropolis, Slice, DEMetropolisZ)",
        alone=True,
    ),
    remedy(
        Cause.NO_IMPLEMENTATION,
        r"[/\\]pymc3?[/\\][^\n]*\n(?:[^\n]*\n){0,3}\s*NotImplementedError",
        "PyMC itself does not have this: use another distribution, CustomDist(..., logp=..., random=...) or Potential, or a newer release",
        alone=True,
    ),
)
"""Remedies if values, shapes, dtypes or a back-end are incompatible."""
