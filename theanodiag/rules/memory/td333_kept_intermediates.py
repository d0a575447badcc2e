"""TD333: functions keep their intermediates between calls

What it finds
    Functions compiled with `allow_gc=False` (by the flag, or by their linker), where a script that fits keeps much of its peak by that.

Why it matters
    Each function keeps the last value of each of its intermediates until it goes, and no other function can have that memory.

Example
    `intermediates of 3 functions stay on the device: 1.4 GiB instead of 3.1 GiB with allow_gc=True`.

What to do
    `allow_gc=True`. On a device the allocation cache makes giving back cheap.

Limits
    TD311 speaks where the script does not fit. What a call that raised leaves behind (Theano keeps the intermediates of a failed call until
    the next one) is not seen: calls are not computed. Only where a tenth of the peak, and 16 MiB, would be saved.
    Source: Theano 1.0.5, gof/vm.py, gof/link.py (`raise_with_op` keeps the frames of the failed thunk).
"""

from __future__ import annotations

from collections.abc import Iterator

from ...findings import Finding, Fix, FlagChange
from ...plans.collection import is_off, with_collection
from ..base import Rule
from ..examples import device, kept_script, subject
from ..impact import change, confidence, figures, is_significant, saving, severity
from ..subject import ScriptSubject
from .td311_collection import COST


def check(s: ScriptSubject) -> Iterator[Finding]:
    """One finding for all functions that keep intermediates."""
    if s.process.fits is False or not is_off(s.script, s.settings):
        return
    after = with_collection(s.script, s.settings, True)
    if not is_significant(s, after):
        return
    keeping = [f for f in s.script.functions if not (s.settings.allow_gc if f.allow_gc is None else f.allow_gc)]
    message = f"{', '.join(f.name for f in keeping[:5])} keep their intermediates between calls: {change(s, after)} with allow_gc=True"
    fix = Fix("garbage collection", code=f"{s.library.upper()}_FLAGS=allow_gc=True", changes=(FlagChange("allow_gc", "True"),))
    place = s.place(keeping[0].site, keeping[0].name)
    yield Finding("TD333", severity(s), confidence(s), message, place, fix, figures(after), saving(s, after), cost=COST)


RULE = Rule(
    "TD333",
    "kept-intermediates",
    check,
    __doc__,
    fires=lambda: subject(kept_script(3000, 1000), device(1_000_000_000)),
    silent=lambda: subject(kept_script(10, 1000), device(1_000_000_000)),
)
