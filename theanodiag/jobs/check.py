"""Predicts the memory that a script needs: runs it without computing anything, simulates its memory and, on request, measures a real
run."""

from __future__ import annotations

from ..confirmation import SAMPLING
from ..report.model import Report
from ..requests import CheckRequest
from .predict import predict


def check(request: CheckRequest, *, stdout: int | None = None, stderr: int | None = None) -> Report:
    """The report on the script of `request`; with `confirm` it also contains a measurement, which does not change the prediction.

    `stdout` and `stderr` are the descriptors to which the script prints; None: ours. Raises `UnreadableError` for a script or an
    interpreter that cannot be read, `UsageError` for a request that does not suit the script.
    """
    prediction = predict(request, stdout=stdout, stderr=stderr)
    if request.confirm is None:
        return prediction.report
    from . import confirm

    if request.confirm == SAMPLING:
        return confirm.confirm_sampling(request, prediction.report)
    return confirm.confirm(request, prediction, stderr=stderr)
