"""TD211: a flag in the wrong section

What it finds
    An option whose name is a flag's, in a section where that flag is not. The name of a flag splits at its last dot.

Why it matters
    It is ignored in silence. 17 % of the public `.theanorc` files have such an option.

Example
    `[dnn]` with `conv.algo_fwd = small`: only `[dnn.conv]` with `algo_fwd = small` works.

What to do
    Move it to the section named in the message.

Limits
    Where several sections have an option of that name, all are named.
"""

from __future__ import annotations

from collections.abc import Iterator

from ...findings import Finding, Severity
from ...flags.decide import was_live
from ...flags.diagnose import ConfigSubject, finding, fix
from ...flags.environment import is_variable
from ...flags.names import elsewhere, same_words_elsewhere
from ..base import Rule
from .examples import config


def check(s: ConfigSubject) -> Iterator[Finding]:
    """One finding an entry."""
    for w in s.unknown():
        if not w.section or w.section == "DEFAULT" or was_live(w.name, w.section, w.key) or is_variable(w.key):
            continue
        same = same_words_elsewhere(s.table, w.name)
        homes = [same] if same else [f for f in elsewhere(s.table, w.key) if f.option.lower() == w.key.lower()]
        if homes:
            places = " or ".join(f"[{f.section}] {f.option}" for f in homes[:3])
            code = f"[{homes[0].section}]\n{homes[0].option} = {w.value}" if len(homes) == 1 else None
            message = f"{w.shown} is ignored: {s.library} reads {places}"
            yield finding("TD211", Severity.WARNING, w, message, fix(f"move it to {places}", code=code))


RULE = Rule(
    "TD211",
    "wrong-section",
    check,
    __doc__,
    fires=lambda: config("[dnn]\nconv.algo_fwd = small\n"),
    silent=lambda: config("[dnn.conv]\nalgo_fwd = small\n"),
)
