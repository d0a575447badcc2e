"""The formats for viewers, read by the viewers' own parsers: torch's for memory snapshots, speedscope's for flame graphs and traces.

Perfetto's trace_processor is no package of a registry: its test runs where the program is on PATH.
"""

from __future__ import annotations

import base64
import gzip
import json
import os
import pickle
import pickletools
import shutil
import subprocess
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.golden.recordings import read, scripts
from tests.golden.replay import CARD, VIRTUAL, captured
from tests.interpreters import find
from tests.report.conftest import make
from tests.report.html.browser import Browser
from tests.report.html.npm import package
from theanodiag.devices import DeviceProfile
from theanodiag.report.model import Report
from theanodiag.rules.examples import device, dot_script
from theanodiag.workflows import compose

MEMORY_VIZ = "THEANODIAG_MEMORYVIZ"
"""Names a copy of torch/utils/viz/MemoryViz.js, which no package of a registry has."""
OPCODES = {
    "PROTO", "FRAME", "STOP", "MEMOIZE", "BINGET", "LONG_BINGET", "MARK", "EMPTY_DICT", "EMPTY_LIST", "EMPTY_TUPLE", "SHORT_BINUNICODE",
    "BINUNICODE", "BININT", "BININT1", "BININT2", "LONG1", "BINFLOAT", "APPEND", "APPENDS", "SETITEM", "SETITEMS", "NONE", "NEWTRUE",
    "NEWFALSE", "TUPLE", "TUPLE1", "TUPLE2", "TUPLE3",
}  # fmt: skip
"""What the viewer's own unpickler knows of protocol 4."""
TORCH = """
import importlib.util, pickle, sys
from pathlib import Path
spec = importlib.util.find_spec("torch")
viz = importlib.util.spec_from_file_location("viz", Path(spec.submodule_search_locations[0]) / "cuda" / "_memory_viz.py")
module = importlib.util.module_from_spec(viz)
viz.loader.exec_module(module)
for path in sys.argv[1:]:
    with open(path, "rb") as file:
        data = pickle.load(file)
    print(module.segsum(data).split("segments: ")[1].split("Legend")[0])
    print(module.trace(data))
    used = lambda lines: sum(int(l.rpartition(" ")[2]) for l in lines.splitlines() if ";active_" in l)
    print("flame", module.memory(data, format_flamegraph=used))
"""


def recorded(name: str, on: DeviceProfile) -> Report:
    """The report on a recorded script."""
    return compose.report(captured(read(next(s.file for s in scripts() if s.name == name))), on)


REPORTS = {
    "too large": lambda: make(dot_script(100, 2000), device(8_000_000)),
    "host": lambda: make(dot_script(100, 2000)),
    "vgg16": lambda: recorded("truth-vgg16", VIRTUAL),
    "xla": lambda: recorded("example-grown_w-pytensor_new", CARD),
}


@pytest.fixture(params=REPORTS, scope="module")
def report(request: pytest.FixtureRequest) -> Report:
    """Reports that differ in allocator: Theano's pool (full, and with many blocks), malloc, XLA's pool."""
    return REPORTS[request.param]()


def snapshot(report: Report) -> bytes:
    """The snapshot of a report."""
    made = report.to("memory-viz")
    assert isinstance(made, bytes)
    return made


def test_a_snapshot_is_plain_and_adds_up(report: Report) -> None:
    """What the viewer's unpickler knows, addresses that a double holds, segments that their blocks fill, and the report's totals."""
    data = snapshot(report)
    assert {op.name for op, _, _ in pickletools.genops(data)} <= OPCODES
    found = pickle.loads(data)
    events, live, most = found["device_traces"][0], 0, 0
    for event in events:
        assert 0 <= event["addr"] < 1 << 53
        live += {"alloc": event["size"], "free_completed": -event["size"]}.get(event["action"], 0)
        most = max(most, live)
    assert (most, live) == (report.process.live_peak_bytes, report.process.persistent_bytes)
    for segment in found["segments"]:
        assert sum(b["size"] for b in segment["blocks"]) == segment["total_size"]
    assert sum(s["allocated_size"] for s in found["segments"]) == live
    assert "unknown" in {e["category"] for e in events if "category" in e}


def test_the_request_that_does_not_fit_is_an_event() -> None:
    """One, of the block that the driver has not, with what is free then."""
    found = pickle.loads(snapshot(REPORTS["too large"]()))
    (oom,) = [e for e in found["device_traces"][0] if e["action"] == "oom"]
    assert (oom["size"], oom["device_free"]) == (16_000_000, 8_000_000 - (4 << 20))


def test_torch_reads_the_snapshot(report: Report, tmp_path: Path) -> None:
    """torch's own reader, whose sums it checks itself: reserved and live bytes at the end."""
    file = tmp_path / "snapshot.pickle"
    file.write_bytes(snapshot(report))
    done = subprocess.run([find("torch"), "-c", TORCH, str(file)], capture_output=True, text=True, timeout=300, check=True)
    assert f"flame {report.process.persistent_bytes}" in done.stdout
    assert " entries" in done.stdout
    assert ("raise OutOfMemoryError" in done.stdout) == (report.process.fits is False)


NODE = """
const fs = require("fs");
const code = fs.readFileSync(process.argv[1], "utf8"), until = code.indexOf("const kinds");
const own = code.slice(0, until).replace(/^import .*$/gm, "");
const {unpickle, annotate_snapshot, process_alloc_data} = new Function(
  own + "; return {unpickle, annotate_snapshot, process_alloc_data}")();
const file = fs.readFileSync(process.argv[2]);
const data = unpickle(file.buffer.slice(file.byteOffset, file.byteOffset + file.length));
annotate_snapshot(data);
const plot = process_alloc_data(data, 0, false, 15000);
console.log(JSON.stringify({most: plot.max_size, categories: data.categories}));
"""


def test_the_viewer_itself_reads_the_snapshot(report: Report, tmp_path: Path) -> None:
    """MemoryViz.js under node: its unpickler, its annotations, and the height of its plot."""
    viewer, node = os.environ.get(MEMORY_VIZ), shutil.which("node")
    if viewer is None or node is None:
        pytest.skip(f"needs node, and a copy of PyTorch's MemoryViz.js that {MEMORY_VIZ} names: no registry's package has it")
    file = tmp_path / "snapshot.pickle"
    file.write_bytes(snapshot(report))
    done = subprocess.run([node, "-e", NODE, viewer, str(file)], capture_output=True, text=True, timeout=120, check=True)
    found = json.loads(done.stdout)
    assert found["most"] == report.process.live_peak_bytes
    assert "unknown" in found["categories"]


def test_collapsed_stacks_add_up(report: Report) -> None:
    """Each line a stack and whole bytes; all together the live peak."""
    text = report.to("collapsed")
    assert isinstance(text, str)
    rows = [line.rpartition(" ") for line in text.splitlines()]
    assert sum(int(size) for _, _, size in rows) == report.process.live_peak_bytes
    assert all(stack.startswith("model.py;") for stack, _, _ in rows)


def fields(message: bytes) -> Iterator[tuple[int, int | bytes]]:
    """Field numbers and values of a protobuf message, as protobuf.dev describes the encoding: numbers, and what has a length."""
    at = 0

    def number() -> int:
        nonlocal at
        value, shift = 0, 0
        while True:
            byte = message[at]
            at, value, shift = at + 1, value | (byte & 0x7F) << shift, shift + 7
            if byte < 0x80:
                return value

    while at < len(message):
        key = number()
        value: int | bytes = number()
        if key & 7 == 2:
            assert isinstance(value, int)
            at, value = at + value, message[at : at + value]
        yield key >> 3, value


def test_pprof_has_the_stacks_of_the_peak(report: Report) -> None:
    """Its samples are the collapsed stacks, innermost first, with bytes and numbers of allocations; all together the live peak."""
    packed = report.to("pprof")
    assert isinstance(packed, bytes)
    parts: dict[int, list[bytes]] = {}
    for field, value in fields(gzip.decompress(packed)):
        assert isinstance(value, bytes)
        parts.setdefault(field, []).append(value)
    strings = [text.decode() for text in parts[6]]
    assert strings[0] == ""
    assert [tuple(strings[int(v)] for _, v in fields(kind)) for kind in parts[1]] == [("allocations", "count"), ("space", "bytes")]
    functions = {int(f[1]): strings[int(f[2])] for f in (dict(fields(m)) for m in parts[5])}
    places = {int(p[1]): functions[int(dict(fields(bytes(p[4])))[1])] for p in (dict(fields(m)) for m in parts[4])}
    stacks: Counter[str] = Counter()
    for sample in map(dict, map(fields, parts[2])):
        at, values = (list(numbers(bytes(sample[k]))) for k in (1, 2))
        stacks[";".join(places[k].replace(";", ",") for k in reversed(at))] += values[1]
    text = report.to("collapsed")
    assert isinstance(text, str)
    assert stacks == Counter({line.rpartition(" ")[0]: int(line.rpartition(" ")[2]) for line in text.splitlines()})
    assert sum(stacks.values()) == report.process.live_peak_bytes


def numbers(packed: bytes) -> Iterator[int]:
    """The numbers of a packed field."""
    value, shift = 0, 0
    for byte in packed:
        value, shift = value | (byte & 0x7F) << shift, shift + 7
        if byte < 0x80:
            yield value
            value, shift = 0, 0


def in_speedscope(browser: Browser, tmp_path: Path, name: str, text: str) -> list[list[str]]:
    """The rows of speedscope's table (total, self, name), of a profile that it is handed as its command line does it."""
    encoded = base64.b64encode(text.encode()).decode()
    (tmp_path / "profile.js").write_text(f'speedscope.loadFileFromBase64("{name}", "{encoded}")')
    page = package("speedscope") / "dist" / "release" / "index.html"
    browser.open(page, f"localProfilePath={tmp_path / 'profile.js'}&view=sandwich")
    rows = "return [...document.querySelectorAll('tr')].map(r => [...r.cells].map(c => c.innerText.trim())).filter(r => r.length == 3)"
    browser.wait(f"return (() => {{ {rows} }})().length > 1")
    found: list[list[str]] = browser.run(rows)
    assert not browser.errors()
    return found[1:]


def test_speedscope_reads_the_stacks(browser: Browser, tmp_path: Path) -> None:
    """Its own importer: what it counts of each frame itself adds up to the live peak."""
    report = REPORTS["too large"]()
    text = report.to("collapsed")
    assert isinstance(text, str)
    rows = in_speedscope(browser, tmp_path, "peak.txt", text)
    assert sum(int(row[1].split(" ")[0].replace(",", "")) for row in rows) == report.process.live_peak_bytes


def test_speedscope_reads_the_trace(browser: Browser, tmp_path: Path) -> None:
    """Its importer of Chrome's traces: the calls, by name."""
    text = REPORTS["vgg16"]().to("perfetto")
    assert isinstance(text, str)
    rows = in_speedscope(browser, tmp_path, "trace.json", text)
    assert {f"train, call {k}" for k in (1, 2, 3)} <= {row[2].partition(" {")[0] for row in rows}


def test_a_trace_has_every_call_and_its_counters_the_peaks(report: Report) -> None:
    """As the format's page describes it: complete slices that lie within one another, and counters whose highest are the report's."""
    text = report.to("perfetto")
    assert isinstance(text, str)
    events = json.loads(text)["traceEvents"]
    counters: Counter[str] = Counter()
    for e in events:
        if e["ph"] == "C":
            counters[e["name"]] = max(counters[e["name"]], e["args"]["bytes"])
    assert counters["live bytes"] == report.process.live_peak_bytes
    assert counters["reserved bytes"] == report.process.reserved_peak_bytes
    slices = [e for e in events if e["ph"] == "X"]
    calls = [e for e in slices if ", call " in e["name"]]
    assert len(calls) == sum(len(f.calls) for f in report.functions)
    nodes = [e for e in slices if e["tid"] != calls[0]["tid"]]
    assert all(any(c["ts"] <= n["ts"] and n["ts"] + n["dur"] <= c["ts"] + c["dur"] for c in calls) for n in nodes)


def test_perfetto_reads_the_trace(report: Report, tmp_path: Path) -> None:
    """Perfetto's trace_processor answers with the highest of the counter."""
    program = shutil.which("trace_processor_shell") or shutil.which("trace_processor")
    if program is None:
        pytest.skip("needs Perfetto's trace_processor on PATH: it is downloaded from its makers, and no registry has it")
    text = report.to("perfetto")
    assert isinstance(text, str)
    (tmp_path / "trace.json").write_text(text)
    query = "select cast(max(value) as int) from counter c join track t on c.track_id = t.id where t.name like 'live%'"
    (tmp_path / "query.sql").write_text(query)
    command = [program, "-q", str(tmp_path / "query.sql"), str(tmp_path / "trace.json")]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120, check=True)
    assert str(report.process.live_peak_bytes) in done.stdout
