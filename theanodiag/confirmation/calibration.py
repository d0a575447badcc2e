"""Measures how much memory a device's driver reserves, and locates the file that stores the result."""

from __future__ import annotations

import datetime
from collections.abc import Mapping
from pathlib import Path

from .. import files
from ..devices import DeviceProfile, by_name
from ..devices.measured import Calibration, parse, with_measured
from ..errors import UnreadableError
from ..files import user_config
from ..probe.cuda import NoNvml, all_gpus
from ..probe.frameworks import Prober, write_probe
from ..processes.interpreter import AGENT
from .host_memory import this_host

PROGRAM = AGENT / "measure" / "overhead.py"


def path(env: Mapping[str, str]) -> Path:
    """Returns the path of the calibration file: `devices.toml` in the user's configuration folder (XDG)."""
    return user_config(env) / "devices.toml"


def stored(env: Mapping[str, str]) -> dict[str, Calibration]:
    """Returns the stored calibrations, by name of the device; empty if there is no file. Raises UnreadableError if the file cannot be
    parsed.
    """
    file = path(env)
    try:
        return parse(files.read_plain(str(file), files.CONFIGURATION).decode("utf-8"), str(file))
    except (FileNotFoundError, NotADirectoryError):
        return {}
    except (OSError, ValueError) as error:
        raise UnreadableError(f"the calibration file cannot be read: {error}", path=str(file)) from None


def named(text: str, env: Mapping[str, str]) -> DeviceProfile:
    """Returns the device for the text after `--gpu`, with its measured overhead if it was calibrated; for `none` this host, with its
    memory.
    """
    device = by_name(text)
    return this_host() if device.is_host else with_measured(device, stored(env))


def measured(python: str, device: str, env: Mapping[str, str], scratch: Path) -> Calibration:
    """Measures the overhead of `device`, such as `cuda0`, in a new process of the interpreter `python`. Raises UnreadableError if it cannot
    be opened.
    """
    answer = Prober(write_probe(scratch, PROGRAM), env).ask(python, device)
    if "error" in answer:
        help = "theanodiag doctor shows what is missing"
        raise UnreadableError(f"{device} was not measured: {answer['error']}", path=python, help=help)
    context, blas, cudnn = (answer.get(key) for key in ("context", "blas", "cudnn"))
    assert isinstance(context, int)
    assert isinstance(blas, int)
    note = f"{_driver()}{datetime.date.today().isoformat()}" + (
        ", the device was assumed to be empty before" if answer.get("empty") else ""
    )
    return Calibration(str(answer["name"]), context, blas, cudnn if isinstance(cudnn, int) else None, note)


def _driver() -> str:
    try:
        return f"driver {all_gpus()[0].version}, "
    except NoNvml:
        return ""
