"""TD103: what has to be moved by hand

What it finds
    A use of a name for which there is no counterpart, or a construct of which the text alone does not tell what it means; a call with
    arguments that the new function refuses; an import of a library that computes with Theano itself (PyMC3, Keras, Lasagne ...); and a
    source of Python 2, where `--python2to3` was not asked for.

Why it matters
    The moved source stops there, or computes something else.

Example
    `theano.sandbox.cuda.basic_ops.host_from_gpu(x)`: there is no CUDA back-end.

What to do
    What the finding says to write; then leave out the import.

Limits
    None.
"""

from __future__ import annotations

from collections.abc import Iterator

from ...findings import Finding
from ...porting.model import FileReport, Safety
from ..base import Rule
from . import example, findings


def check(s: FileReport) -> Iterator[Finding]:
    """One finding for each place that must be changed by hand."""
    return findings(s, Safety.BY_HAND)


RULE = Rule("TD103", "by-hand", check, __doc__, fires=lambda: example(Safety.BY_HAND), silent=lambda: FileReport("model.py", "", ""))
