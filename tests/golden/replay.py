"""What a recording gives today: for each function, the process and the findings a row of fields that can be compared one by one.

Figures stand in a row as they are; each further part of the JSON report as four digits of a digest, so that a difference has a name.
"""

from __future__ import annotations

import dataclasses
import hashlib
import json
from collections import Counter
from collections.abc import Callable, Container, Iterator, Mapping
from functools import partial
from typing import Any

from tests.memory.stand.predict import settings_of
from tests.printed import estimated
from theanodiag.capture.model import Capture, ScriptEnd
from theanodiag.capture.protocol import read_stream
from theanodiag.confirmation.simulated_cuda import VirtualDevice
from theanodiag.devices import HOST, Context, DeviceProfile
from theanodiag.memory.profile import MemoryProfile
from theanodiag.memory.script import Script
from theanodiag.memory.settings import MemorySettings
from theanodiag.memory.simulate import simulate
from theanodiag.report.model import Report
from theanodiag.units import GIB
from theanodiag.workflows import compose

Fields = dict[str, str]
Rows = dict[str, Fields]
"""Fields by what they are of: `WAY FUNCTION`."""
CARD = DeviceProfile("card", 12 * GIB, Context(0, "derived"))
Adapt = Callable[[MemorySettings], MemorySettings]
WAYS: Mapping[str, Adapt] = {
    "default": lambda s: s,
    "no-gc": partial(dataclasses.replace, allow_gc=False),
}
"""Settings under which a script that runs on a device is reported on."""
TRUTH = ("", "gpuarray.preallocate=-1", "gpuarray.preallocate=0.25", "gpuarray.preallocate=64")
"""Flags of docs/accuracy/truth.md under which the same graphs run."""


def of_stream(text: bytes, on: VirtualDevice | None) -> Rows:
    """A script: as docs/accuracy/truth.md has it for its device, or else on the host and on a card for which its graphs are lowered."""
    seen = captured(text)
    rows: Rows = {}
    for flags in TRUTH if on is not None else ():
        rows.update(_truth(seen.script, flags, on or VirtualDevice()))
    for way, adapt in WAYS.items() if on is not None else ():
        rows.update(_report(way, compose.report(seen, VIRTUAL, adapt=adapt)))
    for way, device in () if on is not None else (("host", HOST), ("card", CARD)):
        rows.update(_report(way, compose.report(seen, device)))
    return rows


VIRTUAL = DeviceProfile("virtual device", 4 * GIB, Context(0, "derived"))


def captured(text: bytes) -> Capture:
    """The capture that a stream of events is of."""
    found = read_stream(text)
    assert found is not None
    end = found.end or ScriptEnd("exited", 0)
    return Capture("model.py", "python", found.python, found.script, end, found.framework, found.skipped, 0.0, found.measured)


def _truth(script: Script, flags: str, device: VirtualDevice) -> Iterator[tuple[str, Fields]]:
    """Live and reserved bytes of each function as `tools.truth` predicts them, and the requests to the driver."""
    name, _, value = flags.partition("=")
    script = dataclasses.replace(script, flags={**script.flags, **({name: float(value)} if name else {})})
    process, names = simulate(script, settings_of(script, device)), {f.index: f.name for f in script.functions}
    for index, profile in process.functions.items():
        figures = {"live": str(profile.figures.live_peak_bytes), "reserved": str(profile.figures.reserved_bytes)}
        yield truth_key(flags, index, names[index]), figures
    yield f"truth {flags or 'default'} process", {"requests": str(process.driver_requests), "reserved": str(process.reserved_peak_bytes)}


def truth_key(flags: str, function: int, name: str) -> str:
    """What a row of docs/accuracy/truth.md is called."""
    return f"truth {flags or 'default'} {function}:{name.rpartition('/')[2]}"


def of_texts(text: bytes, names: Container[str] | None = None) -> Rows:
    """Compiled functions (None: all): by their live graphs, and by their printed texts in each form."""
    rows: Rows = {}
    for name, row in json.loads(text).items():
        if "missing" in row or (names is not None and name not in names):
            continue
        rows[f"live {name}"] = _profile(estimated.live(row))
        rows.update((f"{form} {name}", _profile(estimated.printed(row, form))) for form in row["texts"])
    return rows


def _profile(found: MemoryProfile) -> Fields:
    unknown = [[u.variable, u.op, u.reason] for u in found.unknown]
    items = [[i.kind.value, i.bytes, i.origin.value] for i in found.items]
    figures = {name: str(value) for name, value in dataclasses.asdict(found.figures).items()}
    return {**figures, "origin": found.origin.value, "items": _digest(items), "unknown": _digest(unknown), "order": _digest(found.order)}


def _report(way: str, report: Report) -> Iterator[tuple[str, Fields]]:
    document: Any = json.loads(report.to_json())
    for f in document["functions"]:
        fields: Fields = {"nodes": str(f["nodes"]), "fits": str(f["fits"])}
        for part, value in (*(f["profile"] or {}).items(), ("order", f["order"]), ("calls", f["calls"])):
            fields[part] = _digest(value) if isinstance(value, list) else str(value)
        yield f"{way} {f['index']}:{f['name']}", fields
    process = {key: str(value) if not isinstance(value, str) else _digest(value) for key, value in document["process"].items()}
    rest = {key: _digest(document[key]) for key in ("script", "skipped", "recommendation", "ignored")}
    yield f"{way} process", {**process, **rest}
    seen: Counter[str] = Counter()
    findings: Fields = {}
    for found in document["findings"]:
        seen[found["code"]] += 1
        findings[f"{found['code']}#{seen[found['code']]}"] = _digest(found)
    yield f"{way} findings", findings


def _digest(value: object) -> str:
    return hashlib.sha256(json.dumps(value, sort_keys=True).encode()).hexdigest()[:4]
