"""TD1: changes that `port` makes in a source, and changes it leaves to be made by hand."""

from __future__ import annotations

from collections.abc import Iterator

from ..errors import Span
from ..findings import Confidence, Finding, Fix, Location, Severity
from ..porting.model import CODES, Change, FileReport, Safety
from .base import rule

_SEVERITY = {Safety.SAFE: Severity.INFO, Safety.UNSAFE: Severity.WARNING, Safety.BY_HAND: Severity.ERROR}


def findings(report: FileReport, safety: Safety) -> Iterator[Finding]:
    """Yields one finding for each change with this safety level."""
    for change in report.changes:
        if change.safety is safety:
            message = f"{change.name}: {change.reason}"
            place = Location.of(change.span)
            fix = Fix(change.advice) if change.advice else None
            yield Finding(change.code, _SEVERITY[safety], Confidence.DERIVED, message, place, fix)


def example(safety: Safety) -> FileReport:
    """Returns a report with one change of that safety."""
    text = "import theano\n"
    span = Span("model.py", text, 7, 13)
    return FileReport("model.py", text, text, (Change(span, "theano", safety, "an example", "import pytensor", CODES[safety]),))


@rule(
    "TD101",
    "safe-change",
    fires=lambda: example(Safety.SAFE),
    silent=lambda: FileReport("model.py", "", ""),
)
def safe_change(s: FileReport) -> Iterator[Finding]:
    """TD101: a name of an older framework that can be ported safely

    What it finds
        Finds a name of Theano or Aesara, used or imported, that has a counterpart which computes the same.

    Why it matters
        Theano and Aesara do not run on current versions of Python.

    Example
        `T.inv(x)` becomes `T.reciprocal(x)`.

    What to do
        Run `theanodiag port FILE --write` to write the new name. To keep the line as it is, add `# theanodiag: ignore[TD101] reason`.

    Limits
        The rule does not check names in strings, in comments and behind `getattr`.
    """
    return findings(s, Safety.SAFE)


@rule(
    "TD102",
    "unsafe-change",
    fires=lambda: example(Safety.UNSAFE),
    silent=lambda: FileReport("model.py", "", ""),
)
def unsafe_change(s: FileReport) -> Iterator[Finding]:
    """TD102: a change that may alter results

    What it finds
        Finds a name whose replacement computes the same in most scripts, but not in all. The finding describes the difference.

    Why it matters
        A ported script that runs but computes something else is worse than one that stops.

    Example
        `T.nnet.softmax(x)` becomes `T.special.softmax(x, axis=-1)`. For a vector Theano's softmax returned a matrix of one row; the
        replacement returns a vector.

    What to do
        Check the line. If the change is right, apply it with `theanodiag port FILE --write --unsafe`. Without `--unsafe`, the ported script
        calls a function of `theanodiag.legacy` instead, which computes what Theano did.

    Limits
        The rule does not determine whether the difference affects this script.
    """
    return findings(s, Safety.UNSAFE)


@rule(
    "TD103",
    "by-hand",
    fires=lambda: example(Safety.BY_HAND),
    silent=lambda: FileReport("model.py", "", ""),
)
def by_hand(s: FileReport) -> Iterator[Finding]:
    """TD103: code that must be ported by hand

    What it finds
        Finds code that theanodiag cannot port: a name without a counterpart, a construct whose meaning only a run would show, a call with
        arguments that the new function rejects, an import of a library that itself uses Theano (PyMC3, Keras, Lasagne ...), and, without
        `--python2to3`, Python 2 source.

    Why it matters
        Ported as it is, this code would fail, or compute something else.

    Example
        `theano.sandbox.cuda.basic_ops.host_from_gpu(x)` cannot be ported, because PyTensor has no CUDA back-end.

    What to do
        Write the code that the finding recommends, then remove the import of the old name.

    Limits
        None.
    """
    return findings(s, Safety.BY_HAND)
