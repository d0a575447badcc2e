"""TD240: device and contexts start the same GPU

What it finds
    A device in `contexts` that `device` names too.

Why it matters
    The GPU is started twice, and twice the reserve is taken from it (libgpuarray issue 255).

Example
    `device=cuda0,contexts=dev0->cuda0;dev1->cuda1`.

What to do
    Leave `device=cpu` and put all GPUs in `contexts`, or take the shared one out of `contexts`.

Limits
    `device=cuda` may turn out to be any GPU and is not reported.
"""

from __future__ import annotations

from collections.abc import Iterator

from ...findings import Finding, Severity
from ...flags.diagnose import ConfigSubject, about, fix
from ..base import Rule
from .examples import config


def check(s: ConfigSubject) -> Iterator[Finding]:
    """At most one finding."""
    device, contexts = s.text("device"), s.text("contexts") or ""
    named = [part.partition("->")[2].strip() for part in contexts.strip("'\"").split(";")]
    if device in named and device != "cpu":
        message = f"{device} is in device and in contexts: it is started twice, with two reserves"
        yield about("TD240", Severity.WARNING, s, "contexts", message, fix("write device=cpu", code="device=cpu"))


RULE = Rule(
    "TD240",
    "device-and-contexts",
    check,
    __doc__,
    fires=lambda: config(flags="device=cuda0,contexts=dev0->cuda0;dev1->cuda1"),
    silent=lambda: config(flags="device=cpu,contexts=dev0->cuda0;dev1->cuda1"),
)
