"""Reads the stream of events that the hook writes while the script runs, into a Script.

The stream is JSON lines, which come through a pipe event by event (`runner.py`), so that whatever ends the script leaves a valid prefix.
`"schema": "theanodiag/capture/v1"`; keys may be added, not changed; every line has "event":

    header     {"schema", "python": "3.8.18", "executable", "pid", "argv": [..]}
    framework  {"name": "theano" | "theano-pymc" | "aesara" | "pytensor", "version", "path",
                "alias_of": null | "theano" (legacy name in use), "flags": {"floatX": "float32", "device": "cpu", ...},
                "environment": {"XLA_FLAGS": "...", ...} (those that allocators read), "set_by_script": [their names],
                "flags_text": "floatX=float32" (THEANO_FLAGS or the like at its import), "flags_by_script": whether the script set it,
                "python": [3, 12], "numpy": "2.4.6" | null,
                "device": {"name", "total_bytes", "free_bytes"} (where its context is open),
                "assumed": null | {"flags": {name: what the user had set | null}, "cudnn": version | null} (a device was stood in for)}
    shared     {"id", "name", "type": type, "shape": [..], "digest", "levels", "one_hot", "site"}  it got its first value
    set_value  {"id", "shape", "borrow", "buffer": "0x7f..", "digest", "levels", "one_hot", "site", "on_device",
                "result" (of a device array it holds)}
    get_value  {"id", "borrow", "internal", "result" (of a copy on the device), "site"}
    result     {"function", "outputs": [[position, result], ..]}                         device arrays that the last call handed out
    release    {"result", "collected"}                                                   the script holds a device array no more
    delete     {"shared": id} | {"function": index} | {"constant": number of its device memory},
                "collected": true (by chance)                                            the last reference went away
    function   {"index", "name", "linker", "allow_gc": bool | null, "mode", "site", "graph": graph, "seconds": rewriting time,
                "borrowed": [positions of outputs], "expressions": {"shared id": "net.W" (how the script refers to it), ..}}
    shapes     {"function", "signature": k, "table": shape table}                        once per set of input shapes (and small values)
    call       {"function", "signature": k, "site",
                "inputs": [{"variable", "name", "dtype", "shape", "value" (small integers), "buffer", "on_device", "result", "digest",
                            "one_hot", "part_of": null | {"buffer", "shape", "bytes"} (the larger array of which it is a view)}],
                "dropped": true (the script throws the results away at once),
                "assumed": true (only where the script did not make the call)}
    refused    {"request": [function | null, variable], "reason"}                        shapes given by the user that do not fit
    fork       {"pid", "parent", "after"}                        a forked child's events follow; it forked after `after` events
    stop       {}                                                                        a forked child saw enough
    skipped    {"what", "reason"}
    step       {"of": "trial" (a child's) | "own code" | "call", "draws"}                what may take long from now on
    sampling   {"number", "kind": "sample", "sampler": "pymc" | ..., "version": PyMC's, "site", "draws", "tune", "chains", "cores",
                "parallel", "start_method", "storage": class | null, "storage_chunk": draws that it writes at once,
                "storage_in_memory", "storage_transformed", "checks", "discard_tuned", "converted", "include_transformed",
                "var_names", "imported", "resident": bytes of the process after the import of PyMC and when the call began,
                "llvm": resident bytes of LLVM's library once it is loaded | null,
                "compiled": the same once XLA had compiled its programs, "present": libraries that were there when it began,
                "variables": [array], "log_likelihood": [array], "made": [array], "statistics": [{"name", "dtype", "bytes"}],
                "loads": [libraries that it would load],
                "functions": {what for: [indices]}, "failed": exception,
                "start": densities that are not finite at the initial point | null}      a call of a sampler, which is not run;
                "chain_method", "vectorize", "xla": {"vmap" | "scan": {"argument", "output", "temporary", "alias"}}, "xla_error",
                "post_device", "post_constants", "programs": [{"argument", ...}], "programs_error", "devices",
                "local_devices", "sequential", "single", "constants", "uncounted_parts": ["loops", "trees"],
                array: {"name", "kind", "dtype", "shape" of one draw, "sampled": whether the sampler moves it}
    sampling_end {"number"}                                      the script dropped the result of that call
    own_code   {"number", "draws", "peak", "kept", "untraced"}   memory of the script after that call, with `draws` draws of each chain
    measured   an event of the instrument, with "what"; "function" is the index of a function
    end        {"status": "finished" | "exited" | "raised" | "stopped" | "syntax" | "failed" (we),
                "message", "line", "column" (status syntax), "exit_code": int | null,
                "exception": "ValueError: ...", "missing": module that was not found, "traceback": "..." (without theanodiag's frames),
                "reason": why it was stopped, "within": the place in our own files at which the exception came up, if no `raise` is there,
                "after": number of the call of a sampler with whose result the script was at work | null}

graph, type, site and shape table are those of `readers.py`.
"""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from ..findings import Skipped
from ..ir import ShapeTable, Unknown
from ..ir.graph import Site, verify_table
from ..ir.serial import Cursor, site_from_json, table_from_json, type_from_json, value_from_json
from ..ir.shape import Dim, Shape, is_dtype
from ..memory.script import (
    BaseArray,
    Call,
    CallInput,
    Compile,
    CompiledFunction,
    Create,
    Delete,
    DropConstant,
    Event,
    GetValue,
    Release,
    Script,
    SetValue,
    SharedVariable,
)
from ..readers import graph_from_document
from ..samplers.model import DrawArray, DrawStatistic, OwnCode, ProgramFigures, SamplingCall
from .model import DeviceSeen, FrameworkInfo, ScriptEnd, StandIn


class Reader:
    """Builds a Script from the events of one process.

    A function whose graph could not be read is left out, and the functions after it are renumbered.
    """

    def __init__(self) -> None:
        self.shared: dict[int, SharedVariable] = {}
        """Id in the stream -> shared variable."""
        self.functions: list[CompiledFunction] = []
        self.numbers: dict[int, int] = {}
        """Index of a function in the stream -> its number in the Script."""
        self.tables: dict[tuple[int, int], ShapeTable] = {}
        """(index of the function, signature) -> shape table."""
        self.events: list[Event] = []
        self.handlers: Mapping[str, Callable[[Cursor], None]] = {
            "shared": self._shared,
            "set_value": self._set_value,
            "get_value": self._get_value,
            "delete": self._delete,
            "function": self._function,
            "shapes": self._shapes,
            "call": self._call,
            "result": self._result,
            "release": self._release,
        }
        """Kind of event -> what reads it."""

    def read(self, at: Cursor) -> None:
        """Processes one event. Events that do not describe the Script are ignored."""
        handler = self.handlers.get(at.key("event").text())
        if handler is not None:
            handler(at)

    def script(self, flags: Mapping[str, object], framework: str = "", environment: Mapping[str, str] | None = None) -> Script:
        """Makes the Script from all events so far. The arguments are the framework's flags, its name, and the environment variables that
        allocators read.
        """
        return Script(dict(self.shared), tuple(self.functions), tuple(self.events), flags, framework, environment or {})

    def _known(self, at: Cursor) -> int:
        """The id at `at`, which must be that of a shared variable already announced by an event `shared`, else the cursor's error."""
        number = at.integer()
        if number not in self.shared:
            raise at.wrong(f"there is no shared variable {number}")
        return number

    def _shared(self, at: Cursor) -> None:
        number, place = at.key("id").integer(), site(at)
        self.shared[number] = SharedVariable(
            number, at.maybe_text("name"), type_from_json(at.key("type").value), place, at.maybe_integer("levels"), flag(at, "one_hot")
        )
        self.events.append(Create(number, shape(at.maybe("shape")), at.maybe_text("digest")))

    def _set_value(self, at: Cursor) -> None:
        dims, buffer, number = shape(at.maybe("shape")), at.maybe_text("buffer"), self._known(at.key("id"))
        digest, on_device, result = at.maybe_text("digest"), flag(at, "on_device"), at.maybe_integer("result")
        self.shared[number] = _with_values(self.shared[number], at.maybe_integer("levels"), flag(at, "one_hot"))
        self.events.append(SetValue(number, dims, flag(at, "borrow"), buffer, site(at), digest, on_device, result))

    def _get_value(self, at: Cursor) -> None:
        result = at.maybe_integer("result")
        self.events.append(GetValue(self._known(at.key("id")), flag(at, "borrow"), flag(at, "internal"), site(at), result))

    def _delete(self, at: Cursor) -> None:
        shared, function = at.maybe_integer("shared"), at.maybe_integer("function")
        if shared is not None:
            self.events.append(Delete(shared=shared, collected=flag(at, "collected")))
        elif function in self.numbers:
            self.events.append(Delete(function=self.numbers[function], collected=flag(at, "collected")))
        constant = at.maybe_integer("constant")
        if constant is not None and not flag(at, "collected"):
            self.events.append(DropConstant(constant))

    def _function(self, at: Cursor) -> None:
        document = at.maybe("graph")
        if document is None:
            return
        index = at.key("index").integer()
        if index in self.numbers:
            raise at.wrong(f"function {index} is reported twice")
        gc = at.table().get("allow_gc")
        graph, name, linker = graph_from_document(document.value), at.key("name").text(), at.key("linker").text()
        borrowed = frozenset(row.integer() for row in at.rows("borrowed")) if at.maybe("borrowed") else frozenset()
        for entry in graph.inputs:
            if entry.shared is not None and entry.shared not in self.shared:
                raise document.wrong(f"there is no shared variable {entry.shared}")
        for shared, expression in at.by_number("expressions"):
            if shared in self.shared:
                self.shared[shared] = replace(self.shared[shared], assigned=self.shared[shared].assigned or expression.text())
        number = self.numbers[index] = len(self.functions)
        self.functions.append(CompiledFunction(number, name, graph, linker, gc if isinstance(gc, bool) else None, site(at), borrowed))
        self.events.append(Compile(number))

    def _shapes(self, at: Cursor) -> None:
        function, signature, table = at.key("function").integer(), at.key("signature").integer(), table_from_json(at.key("table").value)
        if function in self.numbers:
            verify_table(self.functions[self.numbers[function]].graph, table, at.key("table").path)
            self.tables[function, signature] = table

    def _call(self, at: Cursor) -> None:
        function, signature = at.key("function").integer(), at.key("signature").integer()
        if function not in self.numbers:
            return
        inputs = tuple(argument(row) for row in at.rows("inputs"))
        roles = self.functions[self.numbers[function]].graph.roles
        if any(i.variable not in roles for i in inputs):
            raise at.key("inputs").wrong("an argument is not an input of the function")
        table = self.tables.get((function, signature), ShapeTable({}))
        self.events.append(Call(self.numbers[function], inputs, table, site(at), flag(at, "assumed"), dropped=flag(at, "dropped")))

    def _result(self, at: Cursor) -> None:
        """Adds to the last recorded call which device arrays it handed out (event `result`)."""
        last = self.events[-1] if self.events else None
        if isinstance(last, Call) and last.function == self.numbers.get(at.key("function").integer()) and not last.device_results:
            pairs = [[part.integer() for part in row.rows()] for row in at.rows("outputs")]
            self.events[-1] = replace(last, device_results=tuple((p[0], p[1]) for p in pairs if len(p) == 2))

    def _release(self, at: Cursor) -> None:
        if not flag(at, "collected"):
            self.events.append(Release(at.key("result").integer()))


def _with_values(variable: SharedVariable, levels: int | None, one_hot: bool) -> SharedVariable:
    """`variable` after further values were set: keeps `levels` and `one_hot` if they have the same, or are all zero."""
    if levels == 0:
        return variable
    first = variable.levels == 0
    return replace(variable, levels=levels if variable.levels in (0, levels) else None, one_hot=one_hot and (variable.one_hot or first))


def flag(at: Cursor, name: str) -> bool:
    """Returns whether the key `name` is present and true."""
    return at.table().get(name) is True


def site(at: Cursor) -> Site | None:
    """Returns the source location at the key `site`; None if the event has none."""
    place = at.maybe("site")
    return None if place is None else site_from_json(place.value)


def argument(at: Cursor) -> CallInput:
    """Parses one element of a call's `inputs`."""
    small = at.maybe("value")
    return CallInput(
        at.key("variable").integer(), at.maybe_text("name"), at.maybe_text("dtype"), shape(at.maybe("shape")),
        None if small is None else value_from_json(small), at.maybe_text("buffer"), flag(at, "on_device"), at.maybe_text("digest"),
        whole(at.maybe("part_of")), at.maybe_integer("result"), flag(at, "one_hot"),
    )  # fmt: skip


def whole(at: Cursor | None) -> BaseArray | None:
    """Parses the key `part_of` of an argument: the array of which it is a view; None if it is not a view."""
    return None if at is None else BaseArray(at.maybe_text("buffer"), shape(at.maybe("shape")), at.key("bytes").integer())


def shape(at: Cursor | None) -> Shape | Unknown:
    """Reads a shape. Returns Unknown if the shape is unknown; each length that is null becomes an Unknown entry.

    Raises the cursor's error for a negative length.
    """
    if at is None:
        return Unknown("the value has no shape")
    dims = tuple(Unknown("its length is not known") if row.value is None else row.integer() for row in at.rows())
    if any(isinstance(d, int) and d < 0 for d in dims):
        raise at.wrong("no array can have this shape")
    return dims


SCHEMA = "theanodiag/capture/v1"
"""Name and version of the format of the events."""
FRAMEWORKS = ("theano", "aesara", "pytensor")
"""Names by which scripts import the frameworks."""


@dataclass(frozen=True)
class NotPython:
    """A syntax error: the script's interpreter could not compile the script."""

    message: str
    line: int
    column: int
    """Column number, 1-based, like the line."""
    path: str | None = None
    """The name of the file, or of the notebook's cell; None for a file with a null byte."""


@dataclass(frozen=True)
class ProcessRecording:
    """The parsed events of one process of the script."""

    python: str
    script: Script
    calls: int
    """Number of calls that this process recorded itself; a forked child's stream also repeats its parent's."""
    framework: FrameworkInfo | None = None
    end: ScriptEnd | None = None
    """How the process ended, as the hook reported it; None where no event `end` came."""
    skipped: tuple[Skipped, ...] = ()
    refused: tuple[str, ...] = ()
    """Reasons why shapes given by the user (`--shape`) could not be used."""
    syntax: NotPython | None = None
    """Where the script does not compile; None where it does."""
    measured: tuple[Mapping[str, object], ...] = ()
    """The events that the instrument sent."""
    missing_framework: str | None = None
    """The framework whose import failed the script; None where none did."""
    sampling: tuple[SamplingCall, ...] = ()


def lines(text: bytes) -> Iterator[Cursor]:
    """Yields a cursor for each event of a stream. Drops a last line without newline, and everything from the first line on that is not
    JSON.
    """
    for number, line in enumerate(text.split(b"\n")[:-1], 1):
        try:
            yield Cursor(json.loads(line), None, f"line {number} of the stream")
        except (ValueError, RecursionError):
            return


def read_stream(text: bytes) -> ProcessRecording | None:
    """Parses the stream of one process; returns None if its first line is not a header of `SCHEMA`."""
    events = list(lines(text))
    return recording(events) if events and events[0].maybe_text("schema") == SCHEMA else None


def recording(events: Sequence[Cursor]) -> ProcessRecording:
    """Builds the recording of one process from its events."""
    kinds = ("framework", "skipped", "refused", "end", "call", "measured", "sampling", "own_code")
    of: dict[str, list[Cursor]] = {name: [] for name in kinds}
    reader = Reader()
    for event in events:
        name = event.key("event").text()
        of.setdefault("sampling" if name == "sampling_end" else name, []).append(event)
        reader.read(event)
    framework = _framework(of["framework"][-1]) if of["framework"] else None
    end = of["end"][-1] if of["end"] else None
    return ProcessRecording(
        python=events[0].key("python").text(),
        script=reader.script({}) if framework is None else reader.script(framework.flags, framework.name, framework.environment),
        calls=_own_calls(events),
        framework=framework,
        end=None if end is None else _end(end),
        skipped=tuple(dict.fromkeys(Skipped(e.key("what").text(), e.key("reason").text(), flag(e, "lost")) for e in of["skipped"])),
        refused=tuple(e.key("reason").text() for e in of["refused"]),
        measured=tuple(renumbered(e.table(), reader.numbers) for e in of["measured"]),
        syntax=None if end is None else _syntax(end),
        missing_framework=None if end is None or framework is not None else _missing(end),
        sampling=read_sampling(of["sampling"], of["own_code"], reader.numbers),
    )


def renumbered(event: Mapping[str, object], numbers: Mapping[int, int]) -> Mapping[str, object]:
    """Returns a copy of an instrument's event in which the function's index is replaced by its number in the Script; None if its graph was
    not read.
    """
    index = event.get("function")
    return {**event, "function": numbers.get(index)} if isinstance(index, int) else event


def _own_calls(events: Sequence[Cursor]) -> int:
    kinds = [event.key("event").text() for event in events]
    forks = [i for i, kind in enumerate(kinds) if kind == "fork"]
    return kinds[forks[-1] if forks else 0 :].count("call")


def choose(recordings: Sequence[ProcessRecording | None]) -> tuple[ProcessRecording | None, tuple[Skipped, ...]]:
    """Chooses the process to report on: the first one if it recorded a call, else the child with the most calls. Also returns a note on the
    calls in other processes.

    Each process has a device context of its own, so functions of different processes do not share memory.
    """
    present = [r for r in recordings if r is not None]
    if not present:
        return None, ()
    best = present[0] if present[0].calls else max(present, key=lambda r: r.calls)
    calls = sum(r.calls for r in present[1:] if r is not best)
    skipped = Skipped("other processes of the script", f"{calls} calls in forked child processes are not part of this report")
    return best, (skipped,) if calls else ()


def _framework(at: Cursor) -> FrameworkInfo:
    device, flags, assumed, environment = (at.maybe(name) for name in ("device", "flags", "assumed", "environment"))
    return FrameworkInfo(
        name=at.key("name").text(),
        version=at.key("version").text(),
        path=at.key("path").text(),
        python=_pair(tuple(row.integer() for row in at.rows("python"))) if at.maybe("python") is not None else None,
        numpy=at.maybe_text("numpy"),
        alias_of=at.maybe_text("alias_of"),
        flags={} if flags is None else flags.table(),
        environment={} if environment is None else {k: environment.key(k).text() for k in environment.table()},
        set_by_script=tuple(row.text() for row in at.rows("set_by_script")) if at.maybe("set_by_script") is not None else (),
        device=None
        if device is None
        else DeviceSeen(device.key("name").text(), device.key("total_bytes").integer(), device.key("free_bytes").integer()),
        flags_text=at.maybe_text("flags_text"),
        flags_by_script=flag(at, "flags_by_script"),
        stand_in=None if assumed is None else _stand_in(assumed),
    )


def _pair(numbers: tuple[int, ...]) -> tuple[int, int] | None:
    """Major and minor version."""
    return (numbers[0], numbers[1]) if len(numbers) > 1 else None


def _stand_in(at: Cursor) -> StandIn:
    replaced = at.key("flags").table()
    return StandIn({name: None if old is None else str(old) for name, old in replaced.items()}, at.maybe_integer("cudnn"))


def _end(at: Cursor) -> ScriptEnd:
    exception, traceback, reason, within = (at.maybe_text(k) for k in ("exception", "traceback", "reason", "within"))
    on_stand_ins = at.maybe_integer("after") is not None and at.key("status").text() == "raised"
    return ScriptEnd(at.key("status").text(), at.maybe_integer("exit_code"), exception, traceback, reason or _doubt(within), on_stand_ins)


def _doubt(within: str | None) -> str | None:
    """What is said of an exception that came up within our own files; None for others."""
    return f"it came up in theanodiag's {within}: if the script runs without theanodiag, please report this bug" if within else None


def _syntax(at: Cursor) -> NotPython | None:
    if at.key("status").text() != "syntax":
        return None
    return NotPython(at.key("message").text(), at.key("line").integer(), at.key("column").integer(), at.maybe_text("path"))


def _missing(at: Cursor) -> str | None:
    name = (at.maybe_text("missing") or "").split(".")[0]
    return name if name in FRAMEWORKS else None


def read_sampling(rows: Sequence[Cursor], after: Sequence[Cursor], numbers: Mapping[int, int]) -> tuple[SamplingCall, ...]:
    """Parses the calls of samplers from `rows`, the events `sampling` and `sampling_end` in order.

    `after`: the events `own_code`. `numbers`: a function's index in the stream -> its index in the Script.
    """
    calls: list[SamplingCall] = []
    for row in rows:
        if row.key("event").text() == "sampling":
            calls.append(_call(row, numbers))
        else:
            number = row.key("number").integer()
            calls = [dataclasses.replace(c, dropped_before=len(calls)) if c.number == number else c for c in calls]
    own: dict[int, list[OwnCode]] = {}
    for row in after:
        part = OwnCode(*(row.key(name).integer() for name in ("draws", "peak", "kept", "untraced")))
        own.setdefault(row.key("number").integer(), []).append(part)
    return tuple(dataclasses.replace(c, own_code=tuple(own.get(c.number, ()))) for c in calls)


def _call(at: Cursor, numbers: Mapping[int, int]) -> SamplingCall:
    roles = at.key("functions")
    cores = at.maybe_integer("cores")
    return SamplingCall(
        number=at.key("number").integer(),
        kind=at.key("kind").text(),
        sampler=at.key("sampler").text(),
        version=at.maybe_text("version") or "",
        draws=at.maybe_integer("draws") or 0,
        tune=_or(at.maybe_integer("tune"), 1000),
        chains=_or(at.maybe_integer("chains"), max(2, cores or 4)),
        cores=cores or 1,
        parallel=flag(at, "parallel"),
        start_method=at.maybe_text("start_method"),
        variables=tuple(_arrays(at, "variables")),
        statistics=tuple(
            DrawStatistic(row.key("name").text(), row.key("dtype").text(), row.key("bytes").integer()) for row in at.rows("statistics")
        ),
        log_likelihood=tuple(_arrays(at, "log_likelihood")),
        made=tuple(_arrays(at, "made")),
        held=tuple(_arrays(at, "held")),
        rows=at.maybe_integer("rows"),
        scored=flag(at, "scored"),
        checks=_or_true(at, "checks"),
        discard_tuned=_or_true(at, "discard_tuned"),
        converted=_or_true(at, "converted"),
        include_transformed=flag(at, "include_transformed"),
        storage=at.maybe_text("storage"),
        storage_chunk=at.maybe_integer("storage_chunk"),
        storage_in_memory=flag(at, "storage_in_memory"),
        storage_transformed=flag(at, "storage_transformed"),
        var_names=tuple(row.text() for row in at.rows("var_names")) if at.maybe("var_names") is not None else None,
        chain_method=at.maybe_text("chain_method") or "parallel",
        vectorize=at.maybe_text("vectorize") or "vmap",
        post_device=at.maybe_text("post_device"),
        post_processing=_programs(at, "xla"),
        density=_programs(at, "xla_log_likelihood"),
        density_constants=at.maybe_integer("density_constants") or 0,
        programs=tuple(_program(row) for row in at.rows("programs")),
        devices=at.maybe_integer("devices") or 1,
        sequential=flag(at, "sequential"),
        local_devices=at.maybe_integer("local_devices"),
        single_operations=at.maybe_integer("single") or 0,
        constants=at.maybe_integer("constants") or 0,
        post_constants=at.maybe_integer("post_constants") or 0,
        refused=at.maybe_text("programs_error"),
        loads=tuple(row.text() for row in at.rows("loads")),
        functions={role: tuple(numbers[i] for i in roles.integers(role) if i in numbers) for role in roles.table()},
        site=site(at),
        entry=at.maybe_text("entry") or "",
        uncounted=flag(at, "uncounted"),
        uncounted_parts=tuple(row.text() for row in at.rows("uncounted_parts")),
        failed=at.maybe_text("failed"),
        imported_bytes=at.maybe_integer("imported"),
        resident_bytes=at.maybe_integer("resident"),
        llvm_bytes=at.maybe_integer("llvm"),
        compiled_bytes=at.maybe_integer("compiled"),
        present=tuple(row.text() for row in at.rows("present")),
        start=at.maybe_text("start"),
    )


def _or(value: int | None, default: int) -> int:
    return default if value is None else value


def _or_true(at: Cursor, name: str) -> bool:
    """The Boolean under `name`; True if the event does not have it."""
    return at.table().get(name) is not False


def _arrays(at: Cursor, name: str) -> Iterator[DrawArray]:
    for row in at.rows(name):
        dtype = row.key("dtype").text()
        if not is_dtype(dtype):
            raise row.wrong(f"no array of a draw is {dtype}")
        dims: tuple[Dim, ...] = tuple(Unknown("its type does not say") if d.value is None else d.integer() for d in row.rows("shape"))
        yield DrawArray(row.key("name").text(), row.key("kind").text(), dtype, dims, flag(row, "sampled"))


def _programs(at: Cursor, name: str) -> Mapping[str, ProgramFigures]:
    """Way of going through the draws (`vmap`, `scan`) -> XLA's figures for that program; empty if XLA gave none."""
    programs = at.maybe(name)
    return {} if programs is None else {way: _program(programs.key(way)) for way in programs.table()}


def _program(at: Cursor) -> ProgramFigures:
    return ProgramFigures(*(at.key(name).integer() for name in ("argument", "output", "temporary", "alias")))
