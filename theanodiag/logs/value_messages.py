"""Messages about incompatible shapes, full disks and stopped jobs, which concern neither memory nor an installation."""

from __future__ import annotations

from .model import Cause, Weight, template

MESSAGES = (
    *(
        template(anchor, pattern, Cause.SHAPES, source, weight=Weight.NOTE)
        for anchor, pattern, source in (
            ("nput dimension mis", "", "Theano, Aesara and PyTensor, tensor/elemwise.py"),
            ("has an incompatible shape in axis", "", "PyTensor, link/numba"),
            ("ncompatible Elemwise input shapes", "", "PyTensor, tensor/elemwise.py"),
            ("Incompatible shapes for broadcasting", "", "JAX"),
            ("incompatible shapes for broadcasting", "", "JAX, _src/lax/lax.py"),
            ("dot_general requires contracting dimensions", "", "JAX, _src/lax/lax.py"),
            ("could not be broadcast together", "", "NumPy"),
            ("not aligned: ", r"shapes \(.{0,80}not aligned", "NumPy"),
            ("incompatible array sizes for np.dot", "", "numba"),
            ("has a mismatch in its core dimension", "", "NumPy, core/src/umath"),
            ("could not broadcast input array from shape", "", "NumPy"),
            ("cannot reshape array of size", "", "NumPy"),
            ("shapes cannot be multiplied", "", "PyTorch"),
            ("must match the size of tensor", "", "PyTorch"),
            ("dimension mismatch in", "", "Theano, Aesara and PyTensor, tensor/blas.py"),
            ("Shape mismatch: ", "", "Theano, Aesara and PyTensor, tensor/blas.py"),
            ("Join: Wrong inputs for input ", "", "Theano 0.6 to 1.0.5, sandbox/cuda/basic_ops.py and gpuarray"),
            ("Negative dimension size caused by", "", "TensorFlow, core/framework/common_shape_fns.cc"),
            ("images and kernel must have the same stack size", "", "Theano 0.6 to 1.0.5, dnn.py and gpuarray/c_code"),
            ("Data cardinality is ambiguous", "", "Keras, engine/data_adapter.py"),
            ("values to set ", r"mismatch: got \d+ values to set \d+ parameters", "Lasagne, layers/helper.py"),
            ("ost must be a scalar", "", "Theano, Aesara and PyTensor, gradient.py"),
            ("Gradient only defined for scalar-output functions", "", "JAX, _src/api.py"),
            ("Too many indices: array is", "", "JAX, _src/numpy/indexing.py"),
            ("channels, but got", r"expected input\[[\d, ]+\] to have \d+ channels", "PyTorch, ATen/native/Convolution.cpp"),
        )
    ),
    template(
        "NaN detected",
        r"^\W{0,8}NaN detected\W{0,8}(?:in (?:the )?(?:cost|loss))?\W{0,8}$",
        Cause.NOT_FINITE,
        "scripts that check their cost",
    ),
    template(
        "You can call `model.debug()` for more details", "", Cause.START_VALUES, "PyMC 5 and 6, model/core.py: the end of the message"
    ),
    *(
        template(anchor, rf"\b{anchor}(?![\w.])", Cause.NOT_FINITE, "scripts and libraries that print their progress", weight=Weight.NOTE)
        for anchor in (
            "loss: nan",
            "loss = nan",
            "loss=nan",
            "loss nan",
            "Loss: nan",
            "Loss = nan",
            "cost: nan",
            "cost = nan",
            "cost nan",
            "ELBO = nan",
            "Average Loss = nan",
            "elbo: nan",
        )
    ),
    template("panicked at", r"is_finite\(\)", Cause.NOT_FINITE, "nutpie, nuts-rs"),
    *(
        template(anchor, "", Cause.DISK_FULL, "the system", weight=Weight.NOTE)
        for anchor in (
            "No space left on device",
            "Errno 28]",
            "Disk quota exceeded",
            "There is not enough space on the disk",
            "Errno 122]",
            "low on resource: ephemeral-storage",
            "ephemeral local storage usage exceeds",
        )
    ),
    template("KeyboardInterrupt", r"^[\s>|]{0,20}KeyboardInterrupt\b", Cause.STOPPED, "CPython", weight=Weight.NOTE),
    template("Not enough samples to build a trace", "", Cause.STOPPED, "PyMC3 and PyMC: interrupted while it tuned", weight=Weight.NOTE),
    *(
        template(anchor, "", Cause.STOPPED, source)
        for anchor, source in (
            ("DUE TO TIME LIMIT", "Slurm"),
            ("PBS: job killed: walltime", "PBS"),
            ("PBS: job killed: cput", "PBS"),
            ("TERM_RUNLIMIT", "LSF"),
            ("TERM_CPULIMIT", "LSF"),
            ("exceeded hard wallclock time", "Grid Engine, execd"),
            ("exceeded soft wallclock time", "Grid Engine, execd"),
            ("exceeded wallclock limit", "Moab"),
            ("exceeded its walltime limit", "PBS"),
            ("was active longer than specified deadline", "Kubernetes"),
            ("exceeded the max allowed execution duration", "Kaggle"),
        )
    ),
    template("error: ***", r"CANCELLED AT \S+ (?:\*\*\*|DUE TO)", Cause.STOPPED, "Slurm", weight=Weight.NOTE),
)
"""From the named sources, and from errors of the real libraries."""
