"""TD3: large matrices that algebra makes unnecessary."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from ...findings import Confidence, Cost, Finding, Fix, Results
from ...ir import Op
from ...ir.builder import GraphBuilder, on_device
from ...memory.profile import ProcessProfile
from ...memory.simulate import simulate_figures
from ...plans.graphs.identities import NeedlessMatrix, without_matrices
from ...plans.graphs.identity_nodes import Equality
from ...plans.identity_code import lines_without
from ...units import format_bytes
from ..base import rule
from ..examples import built, device, subject
from ..impact import SHARE, can_pay, change, confidence, deciding_peak, figures, is_significant, saving, severity
from ..subject import ScriptSubject


@rule(
    "TD335",
    "needless-matrix",
    fires=lambda: _weighted(),
    silent=lambda: _weighted(kept=True),
)
def needless_matrix(s: ScriptSubject) -> Iterator[Finding]:
    """TD335: a large matrix is made only to multiply, sum or read it

    What it finds
        Finds a large matrix that is a product of thin matrices, a Kronecker product, a diagonal matrix, a one-hot matrix or a Jacobian, if
        everything computed from it can be computed without it. The finding gives the memory that the script needs without the matrix.

    Why it matters
        `T.diag(w)` of 20 000 weights takes 1.5 GiB in float32, but only 78 KiB of it are not zero. Theano does not simplify an expression
        such as `T.dot(T.diag(w), X)`: it creates the whole matrix.

    Example
        Write `w[:, None] * X` in place of `T.dot(T.diag(w), X)`.

    What to do
        Replace the expression in the script by the one in the finding. The rule uses these identities: `diag(w)·X = w[:, None] * X`;
        `(A·B)·x = A·(B·x)`; `kron(A, B)·x` is `A·X·B.T` in one row, if x has the rows of X; the trace of A·B is `(A * B.T).sum()`, its
        diagonal is `(A * B.T).sum(1)`, the sum of its entries is `A.sum(0)·B.sum(1)`, the sum of their squares is the sum of `(A.T·A) *
        (B·B.T)`, and its entries at i, j are `(A[i] * B.T[j]).sum(1)`; a one-hot matrix times W is `W[ids]`; a Hessian times v is the
        gradient of `(gradient * v).sum()`.

        For a Jacobian times v, the finding uses two calls of `Lop`, because Theano's `Rop` creates an array of zeros for each input by
        which it does not differentiate, such as the data.

    Limits
        The results are the same except for rounding. In one-hot arrays that the script passes or stores, theanodiag checks about 64 rows.
        The figure is the memory of the function with the arrays of the new expression in place of the matrix. Theano may fuse some of these
        arrays, so the figure is an upper bound; for derivatives it is an estimate. If the source of the script does not show the
        expression, the finding states the identity with general names. Sources: Theano 1.0.5, tensor/basic.py (`Dot`, `ExtractDiag`,
        `AllocDiag`), gradient.py (`Rop`, `hessian`).
    """
    without, found = s.script, list[NeedlessMatrix]()
    for function, profile in s.profiled() if can_pay(s) else []:
        changed, own = without_matrices(without, function.index, profile.call)
        if max((i.nbytes for i in own), default=0) >= SHARE * deciding_peak(s, s.process):
            without, found = changed, [*found, *own]  # in all functions: one of them alone may not lower the peak
    after = simulate_figures(without, s.settings) if found else s.process
    if found and is_significant(s, after):
        yield _needless_matrix_finding(s, found, after)


def _needless_matrix_finding(s: ScriptSubject, found: Sequence[NeedlessMatrix], after: ProcessProfile) -> Finding:
    largest = max(found, key=lambda i: i.nbytes)
    function = s.script.functions[largest.function]
    others = dict.fromkeys(s.script.functions[i.function].name for i in found if i.function != largest.function)
    sizes = " x ".join(map(str, largest.shape))
    more = f" and {len(found) - 1} more" if len(found) > 1 else ""
    more += f" (also in {', '.join(others)})" if others else ""
    derived = any(i.form is Equality.DERIVATIVE for i in found)
    verb = "makes" if largest.given is None else "takes"
    message = f"{function.name} {verb} a matrix of {sizes} ({format_bytes(largest.nbytes)}){more} without need: {largest.form.value}"
    message += f"; without it {'about' if derived else 'at most'} {change(s, after)}"
    site = largest.sites[0] if largest.sites else function.site
    fix = Fix("without the matrix", code="\n".join(lines_without(s.source, found, s.library)))
    sure = min(confidence(s), Confidence.GUESSED if derived else Confidence.BOUNDED)
    place, done, cost = s.place(site, function.name), figures(after, function.index), Cost(Results.ROUNDED)
    return Finding("TD335", severity(s), sure, message, place, fix, done, saving(s, after), cost=cost)


def _weighted(*, kept: bool = False) -> ScriptSubject:
    """The rows of X times weights, by a diagonal matrix; `kept` where that is returned."""
    b, rows = GraphBuilder("weighted"), 20_000
    w, x = b.argument("w", on_device(rows)), b.shared("X", on_device(rows, 50))
    matrix = b.apply(Op("GpuAllocDiag", "GpuAllocDiag"), [w], on_device(rows, rows))
    out = b.apply(Op("GpuDot22", "GpuDot22"), [matrix, x], on_device(rows, 50))
    return subject(built(b, out, *([matrix] if kept else [])), device(4_000_000_000))
