"""`check MODEL --log FILE`: shows the diagnosis of the log, then the arrays of the script that match the failed request, then the
report."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import TYPE_CHECKING

from ..errors import UsageError
from ..escaping import visible
from ..units import format_bytes
from . import output
from .explain_log import diagnose
from .parameters import Arguments, Option

if TYPE_CHECKING:
    from ..logs import Diagnosis
    from ..report.explained import CandidateArray
    from ..report.model import Report

SHOWN = 5
"""Maximum number of matching arrays shown."""


def parameters() -> tuple[Option, ...]:
    """Returns the option `--log`."""
    return (
        Option("--log", metavar="FILE",
            help="explain this log of a failed job of the script, and name the array that did not fit (without --gpu "
            "the device is the one in the log)"),
    )  # fmt: skip


def read(args: Arguments) -> Diagnosis | None:
    """Returns the diagnosis of the log, if one is given; without --gpu the device is read from the log. Raises `UnreadableError` as
    explain-log does, and `UsageError` if the log names a card of unknown size.
    """
    if args.log is None:
        return None
    from ..devices import by_name, card_of
    from ..logs import Cause

    diagnosis = replace(diagnose(args.log), command=None)
    if args.gpu is None and diagnosis.cause in (Cause.HOST_MEMORY, Cause.KILLED):
        args.gpu = "none"
    elif args.gpu is None and diagnosis.memory.device and (card := card_of(diagnosis.memory.device, diagnosis.memory.total)) is not None:
        args.gpu = replace(card, total_bytes=diagnosis.memory.total or card.total_bytes)
    elif args.gpu is None and diagnosis.memory.total is not None:
        name = diagnosis.memory.device or f"{format_bytes(diagnosis.memory.total)} of the log"
        args.gpu = replace(by_name(f"{diagnosis.memory.total}B"), name=name)
    elif args.gpu is None and diagnosis.memory.device:
        raise UsageError(
            f"the log's card is not in the table of cards: {diagnosis.memory.device!r}",
            help="give its memory as nvidia-smi prints it, such as --gpu 4096MiB",
        )
    return diagnosis


def show(diagnosis: Diagnosis, report: Report, args: Arguments) -> None:
    """Prints what precedes the report; to stderr if the report is not text."""
    from ..report import explained
    from ..report.explained import candidates

    lines = [*_same_size(diagnosis, report, candidates(report, diagnosis.request)), *_contradiction(diagnosis, report), *_plans(report), ""]
    text = explained.text(diagnosis, args.log, output.width()) + "".join(f"{visible(line)}\n" for line in lines)
    (output.show if args.format == "text" else output.complain)(text)


def document(diagnosis: Diagnosis, report: Report, args: Arguments) -> str:
    """Returns the report as JSON, with the log under the key `log`."""
    from ..report.explained import candidates
    from ..report.v1 import common, explain_log
    from ..report.v1.report import ReportV1

    reproduced = [common.from_attributes(explain_log.ReproducedV1, m) for m in candidates(report, diagnosis.request)]
    return common.text(ReportV1.of(report, explain_log.LogV1.of(diagnosis, args.log, reproduced=reproduced)))


def _same_size(diagnosis: Diagnosis, report: Report, candidates: tuple[CandidateArray, ...]) -> Iterator[str]:
    """Which arrays of the script the request may have been."""
    wanted = diagnosis.request.bytes
    if wanted is None or not diagnosis.cause.is_memory:
        yield "  in script   the log gives no size, so no array can be named"
        return
    if not any(function.calls for function in report.functions):
        yield "  in script   the script called no compiled function, so no array can be named"
        return
    if not candidates:
        yield f"  in script   no array of the captured calls has {wanted} bytes: other arguments, another script, or a library's own buffer"
        return
    chosen = [m for m in candidates if m.sure] or list(candidates)
    for k, m in enumerate(chosen[:SHOWN]):
        dims = ", ".join(map(str, m.shape)) + ("," if len(m.shape) == 1 else "")
        where = f"  {m.site}" if m.site else ""
        yield f"  {'in script' if k == 0 else '':<10}  {m.function}: {m.variable[:60]}  {m.dtype} ({dims})  {m.bytes} bytes{where}"
    if len(chosen) > SHOWN:
        yield f"              and {len(chosen) - SHOWN} more of that size"


def _contradiction(diagnosis: Diagnosis, report: Report) -> Iterator[str]:
    """Yields a remark if the job of the log ran out of memory and the script fits here: then both are not about the same run."""
    framework = report.target.framework
    if diagnosis.cause.is_memory and report.process.fits is True and framework is not None:
        log = f"; the log is of {diagnosis.source}" if diagnosis.source else ""
        yield f"  but         here the script fits, with {framework.name} {framework.version} and these arguments{log}"
        yield "              repeat the check with the arguments, the flags and the interpreter of that job"


def _plans(report: Report) -> Iterator[str]:
    """Yields a line for each simulated change that saves memory: its finding and the peak that it leaves."""
    from ..report.next_step import after_bytes
    from ..report.verdict import needed

    now = format_bytes(needed(report))
    for f in report.findings:
        if f.after is not None and f.saves is not None and f.saves.bytes > 0:
            yield f"  plan        {f.code} ({f.location}): {format_bytes(after_bytes(report, f))} instead of {now}{', fits' * f.cures}"
