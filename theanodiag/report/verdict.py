"""What a report means, in one line: whether the script fits on the device asked about."""

from __future__ import annotations

from ..devices.profile import taken_off
from ..ir import Unknown
from ..memory.profile import ESTIMATED
from ..units import format_bytes
from .model import Report


def needed(report: Report) -> int:
    """Bytes that the script takes at its peak: live on the host, reserved on a device."""
    return report.process.live_peak_bytes if report.target.device.is_host else report.process.reserved_peak_bytes


def conclusion(report: Report) -> tuple[str, str]:
    """The verdict in one line, and its style."""
    device, process = report.target.device, report.process
    if not report.functions:
        return "no compiled function was found", "bold red"
    if device.available_bytes is None:
        who, least = "script" if report.target.interpreter else "function", "at least " if report.incomplete else ""
        if not device.is_host:
            return f"the {who} takes {least}{format_bytes(process.reserved_peak_bytes)} from the driver of the GPU", "bold"
        return f"the {who} needs {least}{format_bytes(process.live_peak_bytes)} of host memory at its peak", "bold"
    need, there_is = needed(report), device.available_bytes
    needs = f"{format_bytes(need)} of {format_bytes(there_is)}"
    estimate = process.estimated
    if process.fits is False:
        if process.bounded and process.certain_bytes > there_is:
            needs = f"{format_bytes(process.certain_bytes)} to {needs}"
        pieces = f"{process.failure}, in one piece" if need <= there_is else None
        words = "".join(f"; {why}" for why in (ESTIMATED if estimate else None, pieces, taken_off(device, need)) if why)
        return f"DOES NOT FIT {device.place}: needs {needs}{words}", "bold red"
    if isinstance(process.fits, Unknown):
        if need > there_is:
            return f"may not fit {device.place}: needs at most {needs}; {process.fits.reason}", "bold yellow"
        least = "at least about" if estimate and report.incomplete else "about" if estimate else "at least"
        return f"may fit {device.place}: needs {least} {needs}; {process.fits.reason}", "bold yellow"
    most = "at most " if process.bounded else ""
    return f"fits {device.place}: needs {most}{needs}", "bold green"
