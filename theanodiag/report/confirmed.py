"""A real run compared with the prediction, and the section of the terminal report that shows it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from ..confirmation.model import Bytes, DeviceSpec, FunctionConfirmation, OutOfMemory, Tight, Timing, Verdict
from ..escaping import visible
from ..ir import Unknown
from ..result_display import Shown, html_table
from ..units import format_bytes

Line = tuple[str, str]
"""One line of output: text and style."""
NAMES = {
    "live_before_bytes": "live before",
    "live_peak_bytes": "live peak",
    "live_after_bytes": "live after",
    "reserved_bytes": "from the driver",
    "reserved_peak_bytes": "from the driver",
    "host_to_device_bytes": "host to device",
    "resident_peak_bytes": "resident memory",
    "context_bytes": "CUDA context",
    "driver_bytes": "kernels, cuBLAS",
    "resident_risen_bytes": "process grew by",
    "arguments_bytes": "arguments",
    "outputs_bytes": "results",
    "temporaries_bytes": "temporaries",
    "xla_arguments_bytes": "arguments (XLA)",
    "xla_outputs_bytes": "results (XLA)",
    "pool_limit_bytes": "pool",
}
LARGEST = 6
"""Number of tensors shown if the device ran out of memory."""


@dataclass(frozen=True, repr=False)
class Confirmation(Shown):
    """The figures of a real run of the script, compared with the predicted ones."""

    device: DeviceSpec
    functions: tuple[FunctionConfirmation, ...]
    process: tuple[Verdict, ...] = ()
    """Predicted and measured figures of the whole process."""
    out_of_memory: OutOfMemory | None = None
    tight: Tight | Unknown | None = None
    """The result of `--tight`; None if it was not requested."""
    notes: tuple[str, ...] = ()
    """Remarks about the run: how it ended, and how it differed from the predicted script."""
    failure: str | None = None
    """How the measured run ended too early (the exit code is then not 0); None if it finished normally."""
    estimate_bytes: int | None = None
    """The highest peak that XLA estimated before the run, on the device used; None if no compiler estimated one."""
    on_target: bool = True
    """Whether the script ran on the device that the report is about."""

    @property
    def fits(self) -> bool | None:
        """Whether the script fitted in the memory of the device that ran it; None if the run failed for another reason."""
        return False if self.out_of_memory is not None else None if self.failure is not None else True

    def __repr__(self) -> str:
        ended = "out of memory" if self.out_of_memory is not None else self.failure or f"functions measured {len(self.functions)}"
        return f"<Confirmation on {self.device.kind}: {ended}>"

    def __str__(self) -> str:
        return "".join(f"{visible(line)}\n" for line, _ in lines(self))

    def to_dict(self) -> dict[str, object]:
        """Returns the value of the key `confirmation` in the JSON report; sizes in bytes, times in seconds."""
        from .v1 import common, confirmation  # JSON is seldom asked for

        return common.builtins(confirmation.ConfirmationV1.of(self))

    def _repr_html_(self) -> str:
        """Predicted beside measured as a table, for notebooks."""
        calls = [(f"{f.name}, call {k + 1}", v) for f in self.functions for k, row in enumerate(f.calls) for v in row]
        calls += [("the script", v) for v in self.process]
        rows = [(of, v.name, *map(_shown, (v.predicted, v.measured, v.error_bytes))) for of, v in calls]
        head = ("call", "figure", "predicted", "measured", "error")
        return html_table(f"confirmed on {self.device.kind}: {self.device.line}", head, rows, "; ".join(self.notes))


def _shown(value: Bytes | None) -> object:
    return f"? ({value.reason})" if isinstance(value, Unknown) else "?" if value is None else value


def lines(c: Confirmation, verdict_place: str | None = None) -> Iterator[Line]:
    """Yields the lines (text, style) of the section, at most 80 columns except for names and reasons. `verdict_place` says where the report
    has its verdict. If the run was on another device, a remark refers to that place; without `verdict_place` there is no remark.
    """
    yield from _device(c.device)
    if verdict_place is not None and not c.on_target:
        yield f"the verdict above is for another device: whether it fits {verdict_place}", "yellow"
    for function in c.functions:
        yield "", ""
        yield from _function(function)
    if c.process:
        yield "", ""
        yield "the script as a whole", "bold"
        yield from _table(c.process)
    for note in c.notes:
        yield note, "yellow"
    if c.out_of_memory is not None:
        yield "", ""
        yield from _out_of_memory(c, c.out_of_memory)
    if c.tight is not None:
        yield "", ""
        yield _tight(c.tight)


def _device(d: DeviceSpec) -> Iterator[Line]:
    for kind, reason in d.instead_of:
        yield f"not confirmed on {kind}: {reason}", "yellow"
    yield f"confirmed on {d.kind}: {d.line}", "bold"
    if not d.computes:
        yield "numbers are not computed on this device", "yellow"


def _function(f: FunctionConfirmation) -> Iterator[Line]:
    yield f"{f.name}, {_calls(len(f.calls))} measured", "bold"
    shown: tuple[Verdict, ...] | None = None
    for k, row in enumerate(f.calls):
        if row == shown:
            yield f"  call {k}: the same", ""
            continue
        shown = row
        yield from _table(row, f"call {k}")
    yield f"  nodes: {_nodes(f)}", ""
    yield f"  time: {_time(f.timing)}", ""


def _table(rows: tuple[Verdict, ...], head: str = "") -> Iterator[Line]:
    yield f"  {head:<16} {'predicted':>14} {'measured':>14} {'error':>18}", ""
    for v in rows:
        style = "bold red" if v.under and v.name != "host_to_device_bytes" else ""
        yield f"  {NAMES.get(v.name, v.name):<16} {_bytes(v.predicted):>14} {_bytes(v.measured):>14} {_error(v):>18}", style
    for reason in dict.fromkeys(value.reason for v in rows for value in (v.predicted, v.measured) if isinstance(value, Unknown)):
        yield f"  ?: {reason}", ""


def _bytes(value: Bytes) -> str:
    return "?" if isinstance(value, Unknown) else str(value)


def _error(v: Verdict) -> str:
    if v.error_bytes is None:
        return ""
    if not v.error_bytes:
        return "exact"
    return f"{v.error_bytes:+d}" + ("" if v.error_percent is None else f" ({v.error_percent:+.2f} %)")


def _nodes(f: FunctionConfirmation) -> str:
    n = f.nodes
    if isinstance(n, Unknown):
        return f"not compared: {n.reason}"
    if n.first is None:
        return f"live bytes are exact at all {n.compared}"
    first = f"the first difference: step {n.first.step}, node {n.first.node}, {n.first.op}"
    return f"live bytes are exact at {n.equal} of {n.compared}; {first}: {n.first.predicted} predicted, {n.first.measured} measured"


def _calls(count: int) -> str:
    return "1 call" if count == 1 else f"{count} calls"


def _time(t: Timing | Unknown) -> str:
    if isinstance(t, Unknown):
        return t.reason
    note = "; the nodes were observed, which takes time (--repeat 2 also runs without that)" if t.marked else ""
    return f"median {t.median:.6f} s, {t.least:.6f} to {t.most:.6f} s in {_calls(t.calls)}{note}"


def _out_of_memory(c: Confirmation, o: OutOfMemory) -> Iterator[Line]:
    names = {f.index: f.name for f in c.functions}
    request = "a request" if o.asked_bytes is None else f"a request of {o.asked_bytes} bytes ({format_bytes(o.asked_bytes)})"
    where = "outside of any call" if o.function is None else f"in call {o.call} of {names.get(o.function, f'function {o.function}')}"
    node = "" if o.node is None else f", node {o.node} ({o.op})"
    yield f"OUT OF MEMORY {where}{node}: {request} was refused", "bold red"
    yield f"  live then: {o.live_bytes} bytes ({format_bytes(o.live_bytes)})", ""
    for name, size in o.tensors[:LARGEST]:
        yield f"  {size:>14}  {name}", ""
    if o.message:
        yield f"  {o.message}", ""


def _tight(t: Tight | Unknown) -> Line:
    if isinstance(t, Unknown):
        return f"tight: not tried: {t.reason}", "yellow"
    if isinstance(t.runs_at_bytes, Unknown):
        return f"tight: fails with the {t.predicted_bytes} bytes that were predicted: {t.runs_at_bytes.reason}", "bold red"
    fails = f"fails with {t.fails_at_bytes}" if isinstance(t.fails_at_bytes, int) else t.fails_at_bytes.reason
    return f"tight: predicted {t.predicted_bytes} bytes; runs with {t.runs_at_bytes}, {fails}; margin {t.margin_bytes} bytes", "bold"
