"""Messages about incompatible shapes, full disks and stopped jobs, which concern neither memory nor an installation."""

from __future__ import annotations

from .model import Cause, Weight, template

_NAN = r"\b(?:[Ll]oss|[Cc]ost|ELBO|elbo)(?:: | ?= ?| )nan(?![\w.])|^\s*\d{1,9} +\|? +nan +\|"
"""A loss, named or in the first column of nolearn's table."""

MESSAGES = (
    template(
        "images and kernel must have the same stack size",
        "",
        Cause.SHAPES,
        "Theano 0.6 to 1.0.5, dnn.py and gpuarray/c_code",
        weight=Weight.NOTE,
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
        template(anchor, _NAN, Cause.NOT_FINITE, "scripts and libraries that print their progress", weight=Weight.NOTE)
        for anchor in (" nan  |", *(f"{of}{sign}nan" for of in ("oss", "ost", "ELBO", "elbo") for sign in (": ", " = ", "=", " ")))
    ),
    template("panicked at", r"is_finite\(\)", Cause.NOT_FINITE, "nutpie, nuts-rs"),
    *(
        template(anchor, "", Cause.NOT_CONVERGED, "PyMC3 and PyMC, step_methods/hmc and stats/convergence.py", weight=Weight.NOTE)
        for anchor in (
            "chain contains only diverging samples",
            "divergences after tuning",
            "divergence after tuning",
            "reached the maximum tree depth",
            "rhat statistic is larger than",
            "gelman-rubin statistic is larger than",
            "effective sample size per chain is smaller than",
            "number of effective samples is smaller than",
        )
    ),
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
