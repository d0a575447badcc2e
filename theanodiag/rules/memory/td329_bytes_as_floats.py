"""TD329: data of bytes is kept as floats

What it finds
    A data set in a shared variable of floats whose values are bytes: whole numbers from 0 to 255 (pixels), or those divided by 255 or
    256; and what the script needs if it is kept as uint8, and floats are made of the rows that a call reads.

Why it matters
    A float32 takes four bytes for a value that has one: a data set of pictures is four times as large as its files, on the device and in
    each copy to it.

Example
    `data_x holds bytes as float32: 89.7 MiB as uint8 instead of 209.4 MiB`.

What to do
    Keep the array as uint8, and cast what is read of it in the graph, before the division.

Limits
    Of large arrays 65536 elements are looked at, evenly spaced. Silent where a function reads all rows at once, which would make floats
    of all. The cast is taken as an array of its own, which it is not where an elementwise Op follows: the figure is then an upper bound.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from ...findings import Confidence, Cost, Finding, Fix, Results, identifier
from ...memory.profile import ProcessProfile
from ...plans.graphs.byte_data import ByteData, as_bytes, find_byte_data
from ..base import Rule
from ..examples import data_script, device, subject
from ..impact import after_all, can_pay, change, confidence, figures, saving, severity
from ..subject import ScriptSubject


def check(s: ScriptSubject) -> Iterator[Finding]:
    """One finding for all such data, which belongs together."""
    found = list(find_byte_data(s.script)) if can_pay(s) else []
    after = after_all(s, found, as_bytes)
    if after is not None:
        yield _finding(s, found, after)


def _finding(s: ScriptSubject, found: list[ByteData], after: ProcessProfile) -> Finding:
    names = " and ".join(s.script.shared[d.shared].name or f"shared variable {d.shared}" for d in found)
    first = s.script.shared[found[0].shared]
    message = f"{names} holds bytes as {first.type.dtype}; as uint8, with a cast of the rows that are read: at most {change(s, after)}"
    fix = Fix("keep bytes, and cast the rows that are read", code="\n".join(line for d in found for line in _code(s, d)))
    same = all(d.levels == 1 for d in found)
    cost = Cost(Results.SAME if same else Results.ROUNDED, work="a cast of each batch")
    sure = min(confidence(s, False), Confidence.BOUNDED)
    return Finding("TD329", severity(s), sure, message, s.place(first.site, first.name), fix, figures(after), saving(s, after), cost=cost)


def _code(s: ScriptSubject, d: ByteData) -> Iterator[str]:
    """Lines to paste, with the name of the variable."""
    name, dtype = identifier(s.script.shared[d.shared].name, "data"), s.script.shared[d.shared].type.dtype
    times, divided = ("", "") if d.levels == 1 else (f" * {d.levels}", f" / numpy.{dtype}({d.levels})")
    rounded = f"(host_{name}{times}).round()" if times else f"host_{name}"
    yield f'{name} = {s.library}.shared({rounded}.astype("uint8"), name="{name}", borrow=True)  # host_{name}: all of it'
    yield f'{s.library}.tensor.cast({name}[rows], "{dtype}"){divided}  # where {name}[rows] was read'


def _pictures(levels: int | None) -> ScriptSubject:
    """A function that reads slices of 500 000 rows, whose values are bytes or not."""
    script = data_script(500_000, 500)
    shared = {k: replace(v, levels=levels if v.name == "data" else None) for k, v in script.shared.items()}
    return subject(replace(script, shared=shared), device(80_000_000))


RULE = Rule("TD329", "bytes-as-floats", check, __doc__, fires=lambda: _pictures(255), silent=lambda: _pictures(None))
