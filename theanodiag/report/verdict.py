"""The verdict of a report in one line: whether the script fits, and why not."""

from __future__ import annotations

from ..devices import DeviceProfile
from ..devices.profile import condition, context_note
from ..devices.xla_target import too_old
from ..ir import Unknown
from ..memory.profile import AT_MOST, ESTIMATED, MemoryProfile, Origin
from ..units import GIB, format_bytes
from .model import Report


def fits(profile: MemoryProfile | None, device: DeviceProfile, process_fits: bool | Unknown) -> bool | None:
    """Returns whether one function fits: compares its reserved bytes with the device's memory for arrays. None if that cannot be
    decided.
    """
    available = device.available_bytes
    if profile is None or available is None:
        return None
    if profile.figures.reserved_bytes > available:
        is_bound = profile.origin is Origin.BOUNDED and process_fits is not False
        return None if is_bound or isinstance(process_fits, Unknown) else False
    open_ = profile.unknown or profile.origin is Origin.ESTIMATE or isinstance(process_fits, Unknown)
    return None if open_ else True


def needed(report: Report) -> int:
    """Returns the bytes that the script needs at its peak: live on the host, reserved on a device."""
    return report.process.deciding_bytes(report.target.device.is_host)


def conclusion(report: Report) -> tuple[str, str]:
    """Returns the verdict on whether the script fits, in one line, with its style for the terminal."""
    words, style = _fit(report)
    if not report.functions:
        return words, style
    refused = too_old(report.target.device) if report.engine is not None and report.engine.name == "xla" else None
    if refused and style == "bold green":
        words, style = words.replace("fits ", "would fit ", 1), "bold yellow"
    return "; ".join(filter(None, (words, refused, _other_back_end(report)))), style


def _other_back_end(report: Report) -> str | None:
    """A remark if a script that imports Theano was run over PyTensor for a GPU, since Theano's own GPU code needs other memory; else
    None.
    """
    framework, engine = report.target.framework, report.engine
    if report.target.device.is_host or framework is None or framework.alias_of != "theano" or engine is None:
        return None
    compiler = {"xla": " (JAX)", "torch": " (PyTorch)"}.get(engine.name, "")
    return f"this is about {framework.name}{compiler}, not about Theano's own GPU code: name an interpreter that has Theano with --python"


def _fit(report: Report) -> tuple[str, str]:
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
    shattered = "not in one piece: " * (not process.refused)
    pieces = f"{shattered}{process.failure}" if need <= there_is else None
    if process.fits is False:
        if process.bounded and process.certain_bytes > there_is:
            needs = f"{format_bytes(process.certain_bytes)} to {needs}"
        elif process.refused and process.bounded:
            needs = f"at most {needs}"
        words = "".join(f"; {why}" for why in (ESTIMATED if estimate else None, pieces, context_note(device, need)) if why)
        return f"DOES NOT FIT {device.place}: needs {needs}{words}", "bold red"
    if isinstance(process.fits, Unknown):
        if need > there_is or process.fits.reason == AT_MOST:
            words = "; ".join(filter(None, (pieces, process.fits.reason)))
            return f"may not fit {device.place}: needs at most {needs}; {words}", "bold yellow"
        least = "at least about" if estimate and report.incomplete else "about" if estimate else "at least"
        return f"may fit {device.place}: needs {least} {needs}; {process.fits.reason}", "bold yellow"
    most = "at most " if process.bounded else ""
    beside = _beside(report, there_is - need)
    words = "".join(f"; {only}" for only in (_reservation(report), condition(device, need), beside) if only)
    return f"fits {device.place}: needs {most}{needs}{words}", "bold yellow" if beside else "bold green"


def _reservation(report: Report) -> str | None:
    """A remark for the verdict on a device if most of what the script takes is a preallocated block; else None."""
    from ..memory.simulated_device import preallocated_bytes
    from ..memory.timeline import Simulated  # only for a report with figures

    simulated, peak = report.process.simulated, report.process.live_peak_bytes
    block = preallocated_bytes(simulated.settings) if isinstance(simulated, Simulated) and report.process.driver_requests else 0
    if isinstance(block, Unknown) or block <= peak or 2 * block < needed(report):
        return None
    return f"gpuarray.preallocate reserves {format_bytes(block)} of this, and at most {format_bytes(peak)} are in use"


def _beside(report: Report, left: int) -> str | None:
    """A condition for the verdict on a host: what else must find room in the `left` bytes of its memory. None if `left` is ample, or the
    figures already include the whole process.
    """
    if not report.target.device.is_host or report.sampling or left >= GIB:
        return None
    return f"if Python, its libraries and the script's own arrays take at most the other {format_bytes(left)}"
