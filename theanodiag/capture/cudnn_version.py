"""The cuDNN version that the user gives for a device, as cudnnGetVersion encodes it: 7605 is 7.6.5."""

from __future__ import annotations

import re

from ..errors import UsageError
from ..findings import Skipped
from .model import Capture

NUMBER = re.compile(r"\d{4,5}")
DOTTED = re.compile(r"(\d)\.(\d)(?:\.(\d{1,2}))?")
HELP = "give it as 7605 or 7.6.5"


def cudnn_version(given: str | int | None) -> int | None:
    """Parses `--cudnn`, 7605 or 7.6.5, to the number that cudnnGetVersion returns (cuDNN 4 to 8: 1000 x major + 100 x minor + patch).

    None for None; raises UsageError for anything else.
    """
    if given is None:
        return None
    text = str(given).strip()
    dotted = DOTTED.fullmatch(text)
    if dotted:
        return int(dotted[1]) * 1000 + int(dotted[2]) * 100 + int(dotted[3] or 0)
    if NUMBER.fullmatch(text):
        return int(text)
    raise UsageError(f"{text!r} is no version of cuDNN", help=HELP)


def not_used(capture: Capture, version: int | None) -> tuple[Skipped, ...]:
    """A note with the reason if the user gave a cuDNN version and no graph of this capture depends on it; else empty."""
    framework = capture.framework
    if version is None or framework is None or (framework.stand_in and framework.stand_in.cudnn):
        return ()
    what = f"cuDNN {version}"
    if framework.stand_in:
        return (Skipped(what, "the script's flags say dnn.enabled=False"),)
    return (Skipped(what, f"no graph is for a device on which {framework.name} {framework.version} reaches cuDNN"),)
