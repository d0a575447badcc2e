"""Runs a script in the user's own interpreter under the hook and reads the events that the hook sends."""

from __future__ import annotations

import contextlib
import dataclasses
import hashlib
import hmac
import json
import os
import re
import shlex
import struct
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from .. import files
from ..compat.names.reasons import gone
from ..compat.running import notebook
from ..errors import Span, UnreadableError, UsageError
from ..findings import Skipped
from ..ir import Unknown
from ..memory.script import Call, CompiledFunction, Script
from ..processes import interpreter as interpreters
from ..processes.group import Outcome, run, temporary
from ..shapes.consistency import contradictions
from .kept_files import kept_files, put_back, restoring_command
from .model import Capture, GpuRequest, InstrumentRequest, ScriptEnd, ShapeRequest, StopByCount
from .protocol import NotPython, ProcessRecording, choose, read_stream

__all__ = ["Capture", "run_script"]

_ZEROS = "calls returned zeros; if that caused the failure, retry with --calls real"
_HELP = "give the path of the script to check"
_SHAPES = "the report without --shape names the functions, their arguments and dimensions"


def unsaid(text: str) -> None:
    """Ignores the description of a step. Used if no progress is shown."""


def describe(step: Mapping[str, object]) -> str:
    """Returns the text for an event `step` of the hook."""
    if step["of"] == "call":
        return "preparing a sampler's call"
    return f"{'trying' if step['of'] == 'trial' else 'running'} its own code after sampling, {step['draws']} draws of each chain"


@dataclass(frozen=True)
class _Run:
    """The arguments of one run: script, interpreter, environment, hook options."""

    path: str
    args: tuple[str, ...]
    interpreter: interpreters.Interpreter
    env: Mapping[str, str]
    timeout: float | None
    stdout: int | None
    options: Mapping[str, object]
    parts: tuple[tuple[str, bytes], ...] = ()
    """What is run in the file's place: for each part what follows the path in its name, and its text; empty: the file."""
    shapes: tuple[ShapeRequest, ...] = ()
    instrument: InstrumentRequest | None = None
    stderr: int | None = None
    doing: Callable[[str], None] = unsaid


def run_script(
    path: str | os.PathLike[str],
    interpreter: str | None = None,
    args: Sequence[str] = (),
    *,
    max_calls: int = 3,
    timeout: float | None = 600.0,
    calls: str = "dry",
    env: Mapping[str, str] | None = None,
    shapes: Sequence[ShapeRequest | str] = (),
    stdout: int | None = None,
    gpu: GpuRequest | None = None,
    instrument: InstrumentRequest | None = None,
    stderr: int | None = None,
    stop: StopByCount | None = None,
    source: bytes | None = None,
    doing: Callable[[str], None] = unsaid,
) -> Capture:
    """Runs the script, or the code cells of a notebook, under the hook and returns the Capture.

    `stdout`, `stderr`: descriptors for the script's output; by default those of this process. `interpreter`: its path or name; by default
    the one that runs theanodiag. `args`: the script's arguments. `calls`: "dry" computes nothing, "real" executes. `max_calls`: number of
    calls of each function that are always recorded. `shapes`: for functions that are never called. `gpu`: a device that need not exist; if
    the framework can, it rewrites graphs for this device (dry calls only). `instrument`: measures during real calls. `env`: environment
    variables to add. `timeout`: in seconds. `stop`: stops the script by a count, not by time. `source`: the text to run in place of the
    script file's; None: the file's own. `doing` is called with what the script does from then on, where that may take long.

    Raises UnreadableError if the script or the interpreter cannot be read or the interpreter has no framework, and UsageError if a shape
    does not fit.
    """
    if max_calls < 1:
        raise UsageError(f"max_calls is at least 1, not {max_calls}", help="it is the number of calls of each function that are recorded")
    if calls not in ("dry", "real"):
        raise UsageError(f"calls is 'dry' or 'real', not {calls!r}")
    script = os.fspath(path)
    parts, settings = _program(script, source)
    requests = tuple(s if isinstance(s, ShapeRequest) else ShapeRequest.parse(s) for s in shapes)
    environment = {**os.environ, **settings, **(env or {})}
    python = interpreters.find(interpreter or sys.executable, environment, timeout)
    shape_rows = [{"function": r.function, "variable": r.variable, "shape": list(r.shape)} for r in requests]
    options: dict[str, object] = {"calls": calls, "max_calls": max_calls, "shapes": shape_rows}
    options["parts"] = [[suffix, text.decode("latin-1")] for suffix, text in parts]
    if gpu is not None:
        options["gpu"] = dataclasses.asdict(gpu)
    if stop is not None:
        options["counted"] = {"most": stop.most}
    with temporary() as folder:
        task = _Run(script, tuple(args), python, environment, timeout, stdout, options, parts, requests, instrument, stderr, doing)
        return _capture(task, folder)


def _program(path: str, source: bytes | None) -> tuple[tuple[tuple[str, bytes], ...], Mapping[str, str]]:
    """The `parts` of a run, and the environment variables that a notebook sets. Raises UnreadableError if the file cannot be read."""
    if path.endswith(".ipynb") and source is None:
        text = files.notebook_text(path, _HELP)
        return tuple((notebook.cell_name("", c.number), c.code.encode()) for c in notebook.cells(text)), notebook.settings(text)
    files.read(path, files.TEXT, help="theanodiag scan --run FOLDER checks the scripts of a folder" if os.path.isdir(path) else _HELP)
    return () if source is None else (("", source),), {}


def _capture(task: _Run, folder: Path) -> Capture:
    hook = interpreters.hook_for(task.interpreter, folder / "hook")
    env = {**task.env, **own_temporary(folder)}
    with kept_files() as kept, Channel(doing=task.doing) as channel, tempfile.TemporaryFile(dir=folder) as unnamed:
        options = {**task.options, "kept": str(kept), "instrument": _instrument(task, hook)}
        unnamed.write(json.dumps({**options, "stream": channel.options}).encode("ascii"))
        unnamed.seek(0)
        fd, started = unnamed.fileno(), time.monotonic()
        command = [task.interpreter.path, str(hook), str(fd), task.path, *task.args]
        try:
            outcome = run(
                command,
                env,
                task.timeout,
                task.stdout,
                task.stderr,
                inherited=(fd, channel.writer),
                listener=channel,
                afterwards=restoring_command(kept),
            )
        finally:
            changed = tuple(put_back(kept))
        channel.finish()
        seconds = time.monotonic() - started
        streams = [read_stream(text) for text in channel.streams()]
    recording, left_out = choose(streams)
    if recording is None:
        raise UnreadableError(f"the interpreter ended with {_ending(outcome)} before the script began", path=task.interpreter.path)
    _complain(task, recording)
    script, misfits = _misfits(recording.script, task.shapes)
    first = streams[0]
    doubt = channel.doubt or (None if first is not None and first.end is not None else _unheard(outcome))
    end = dataclasses.replace(_end(task, recording, outcome), unverified=doubt)
    if end.on_stand_ins:
        left_out = (*left_out, _after_sampling(task.path, end))
    return Capture(
        task.path,
        task.interpreter.path,
        recording.python,
        script,
        end,
        recording.framework,
        (*recording.skipped, *left_out, *misfits, *changed, *(_empty_arrays(script) if task.options["calls"] == "dry" else ())),
        seconds,
        recording.measured,
        recording.sampling,
    )


def _empty_arrays(script: Script) -> Iterator[Skipped]:
    """Yields a note on the first call in which an array is empty, if a function that returned zeros in place of results was called before:
    a length that the script takes from results is 0 then (`int(count(data))`, `rows[scores > 0]`).
    """
    returned = False
    for call in (event for event in script.events if isinstance(event, Call) and not event.assumed):
        function = script.functions[call.function]
        given = [i.name or "an argument" for i in call.inputs if not isinstance(i.shape, Unknown) and 0 in i.shape]
        lengths = [i.name or "an argument" for i in call.inputs if i.value == 0 and i.shape == ()]
        made = lengths and any(
            0 in shape
            for node in function.graph.applies
            for shape in map(call.shapes.shape, node.outputs)
            if not isinstance(shape, Unknown) and node.op.name != "MakeVector"  # of the shape of a scalar
        )
        if returned and (given or made):
            what = f"{given[0]} is empty" if given else f"{lengths[0]} is 0 and makes an array empty"
            where = f" at {call.site}" if call.site else ""
            reason = (
                f"{what} in a call{where}: perhaps because functions return zeros here; --calls real computes their results, with which "
                "the call may need more"
            )
            yield Skipped(f"the arrays of {function.name}", reason, lost=True)
            return
        returned = returned or bool(function.graph.outputs)


def own_temporary(folder: Path) -> dict[str, str]:
    """Creates a folder below `folder` for temporary files and returns the environment variable that names it. Compilers and killed
    processes leave files behind (tempfile reads TMPDIR first).
    """
    own = folder / "t"
    own.mkdir()
    return {"TMPDIR": str(own)}


def _unheard(outcome: Outcome) -> str:
    """Explains why the hook's event `end` did not come although the script's process ended."""
    if outcome.timed_out:
        return "it did not end after the request to do so"
    return f"its process ended with {_ending(outcome)}, without the exit of Python"


def _instrument(task: _Run, hook: Path) -> dict[str, object] | None:
    """The hook's option `instrument`; for CPython 2.7 its path is that of the copy without annotations, beside the hook's."""
    if task.instrument is None:
        return None
    path = interpreters.beside(hook, task.instrument.path)
    return {"path": str(path), "options": dict(task.instrument.options)}


def _ending(outcome: Outcome) -> str:
    if outcome.timed_out:
        return "a timeout"
    return f"signal {-outcome.returncode}" if outcome.returncode < 0 else f"exit code {outcome.returncode}"


def _end(task: _Run, recording: ProcessRecording, outcome: Outcome) -> ScriptEnd:
    """How the script ended: from the hook's event `end` where one came, else from the process's outcome."""
    if outcome.timed_out:
        return ScriptEnd("timeout", reason=f"it did not end within {task.timeout:g} s (--timeout)")
    if outcome.asked_to_stop:
        return ScriptEnd("stopped", reason="a process that the script started called every function often enough (--max-calls)")
    if recording.end is not None:
        doubtful = recording.end.status == "raised" and recording.calls and task.options["calls"] == "dry"
        lost = gone(recording.end.exception or "", recording.end.traceback or "") if recording.end.status == "raised" else None
        reason = lost or recording.end.reason or (_ZEROS if doubtful else None)
        return dataclasses.replace(recording.end, reason=reason, name_gone=bool(lost))
    if outcome.returncode < 0:
        return ScriptEnd("killed", None, reason=_ending(outcome))
    return ScriptEnd("exited", outcome.returncode)


def _complain(task: _Run, recording: ProcessRecording) -> None:
    """Raises where the run gave nothing to report: the hook failed, a syntax error, a missing framework, or refused shapes."""
    if recording.end is not None and recording.end.status == "failed":
        raise RuntimeError("the hook did not start in the script's interpreter; see its message above")
    if recording.syntax is not None:
        raise _syntax_error(task, recording.syntax)
    missing = recording.missing_framework
    if missing is not None:
        raise UnreadableError(
            f"the interpreter has no {missing}, which {task.path} imports",
            path=task.interpreter.path,
            help=_other_interpreter(task.interpreter, missing),
            code="framework-missing",
        )
    if recording.refused:
        raise UsageError(recording.refused[0], help=_SHAPES)


def _other_interpreter(interpreter: interpreters.Interpreter, missing: str) -> str:
    """Advice for an interpreter that lacks a framework: install it, or one over which scripts for Theano run, or name another
    interpreter.
    """
    named = f"name the one that has {missing} with --python (theanodiag doctor lists some)"
    if interpreter.version < (3, 10) and missing == "pytensor":
        return f"{named}; PyTensor needs a newer Python than {'.'.join(map(str, interpreter.version))}"
    package = "pytensor" if interpreter.version >= (3, 10) else "Theano==1.0.5"
    return f"run {interpreter.path} -m pip install {package}, or {named}"


def _misfits(script: Script, requests: Sequence[ShapeRequest]) -> tuple[Script, tuple[Skipped, ...]]:
    """The script without assumed calls whose shapes contradict the graph, and a note for each function left without calls.

    Raises UsageError where the contradicting shapes are the user's own (`--shape`). Calls that the script made itself are kept; a rule
    reports on them.
    """
    skipped: dict[Skipped, None] = {}
    impossible: set[int] = set()
    reasons: dict[tuple[int, int], str | None] = {}
    for number, call in enumerate(script.events):
        if not isinstance(call, Call) or not call.assumed:
            continue
        function = script.functions[call.function]
        key = call.function, id(call.shapes)
        if key not in reasons:
            reasons[key] = next(contradictions(function.graph, call.shapes), None)
        reason = reasons[key]
        if reason is None:
            continue
        if any(_is_for(r, function, call) for r in requests):
            raise UsageError(f"the shapes given for {function.name} are incompatible: {reason}", help=_SHAPES)
        impossible.add(number)
        why = f"never called, and the present values of its inputs are incompatible: {reason}"
        skipped.setdefault(Skipped(f"function {function.name}", why))
    kept = tuple(e for number, e in enumerate(script.events) if number not in impossible)
    return dataclasses.replace(script, events=kept), tuple(skipped)


def _is_for(request: ShapeRequest, function: CompiledFunction, call: Call) -> bool:
    """Whether `request` gave the shape of an argument of this call."""
    return request.function in (None, function.name, str(function.index)) and any(i.name == request.variable for i in call.inputs)


def _after_sampling(path: str, end: ScriptEnd) -> Skipped:
    """The note on a script that failed while it used placeholders in place of draws."""
    lines = re.findall(rf'(?m)^  File "{re.escape(path)}(?:, (cell \d+))?", (line \d+)', end.traceback or "")
    place = f" at {', '.join(filter(None, lines[-1]))}" if lines else ""
    reason = (
        f"it ended{place} with {end.exception} while it used placeholders for the draws; later parts of the script are not in the figures"
    )
    return Skipped("your own code after sampling", reason, lost=True)


def _syntax_error(task: _Run, error: NotPython) -> UnreadableError:
    """The error to raise for a script that its interpreter cannot compile, with the place in the source."""
    path = error.path or task.path
    texts = {task.path + suffix: text for suffix, text in task.parts}
    text = (texts[path] if path in texts else files.read(task.path, files.TEXT)).decode("utf-8", "replace")
    lines = text.splitlines(keepends=True)
    before = sum(len(part) for part in lines[: error.line - 1])
    width = len(lines[error.line - 1].rstrip("\r\n")) if error.line <= len(lines) else 0
    start = before + min(max(error.column - 1, 0), width)
    encoding = "utf-8" in error.message.lower()  # CPython: "Non-UTF-8 code starting with", "'utf-8' codec can't decode byte"
    help = "save it as UTF-8, or name its encoding in line 1: # coding: latin-1" if encoding else _other_python(task, text)
    return UnreadableError(error.message, span=Span(path, text, start, start + 1), help=help)


def _other_python(task: _Run, text: str) -> str:
    """Advice for a source that its interpreter cannot compile: the Python version that can."""
    from ..porting.syntax import Tree  # only for this message

    version = ".".join(map(str, task.interpreter.version))
    try:
        is_python2 = Tree(text, task.path).python == 2
    except UnreadableError:
        return f"CPython {version} cannot read it: name a Python script, or the interpreter for which it is written, with --python"
    if not is_python2:
        return f"CPython {version} cannot read it: name a newer interpreter with --python"
    copy = f"{os.path.splitext(task.path)[0]}_python3.py"
    command = f"theanodiag port {shlex.quote(task.path)} --to theano --python2to3 --into {shlex.quote(copy)}"
    return f"this is Python 2: name its own interpreter (--python python2.7), or check a copy in Python 3: {command}"


HEAD = struct.Struct(">IHB")
PART, LINE, MARK, STEP = 0, 1, 2, 3
"""Kinds of pieces: more of the line follows, end of a line, end of a line that asks for the end of the script, end of a step's line.

`HEAD` (process id, bytes, kind) precedes each piece. Both as in `hook/stream.py`.
"""
SEAL = 32
"""Length of a seal in bytes (SHA-256)."""
MOST_BYTES = 256 << 20
"""Maximum number of bytes of events kept of one script; those of a graph of a thousand layers take a tenth of it."""
MOST_READ = 1 << 20
"""Maximum number of bytes read from the pipe at once."""


@dataclass
class ProcessStream:
    """The lines that one process of the script has sent, and the pieces of a line that is still incomplete."""

    lines: list[bytes] = field(default_factory=list)
    pieces: bytearray = field(default_factory=bytearray)


class Channel:
    """The pipe from the hook to the runner, which all processes of one script share, and the verified lines of each process."""

    def __init__(self, most_bytes: int = MOST_BYTES, doing: Callable[[str], None] = unsaid) -> None:
        self._reader, self.writer = os.pipe()
        os.set_blocking(self._reader, False)
        self._key = os.urandom(32).hex()
        self._most_bytes = most_bytes
        self._doing = doing
        self._rest = bytearray()
        self._streams: dict[int, ProcessStream] = {}
        self._kept = 0
        self._open = True
        self.enough = False
        """Whether a forked child has asked the runner to end the script, since it saw enough calls."""
        self.doubt: str | None = None
        """Why the events cannot be trusted, such as a line with a wrong seal; None while they can."""

    def __enter__(self) -> Channel:
        return self

    def __exit__(self, *failure: object) -> None:
        os.close(self._reader)
        os.close(self.writer)

    @property
    def options(self) -> dict[str, object]:
        """Returns the hook's option `stream`: the pipe's descriptor, the key with which lines are signed, and the path by which the pipe
        can be opened again (Linux only).
        """
        again = f"/proc/{os.getpid()}/fd/{self.writer}" if sys.platform.startswith("linux") else None
        return {"fd": self.writer, "key": self._key, "again": again}

    def fileno(self) -> int:
        """Returns the pipe's descriptor for `select`: it is readable when the hook has sent something."""
        return self._reader

    def read(self) -> bool:
        """Reads and verifies the data in the pipe, without blocking.

        Returns True always: the pipe stays open, because this process has a writing end too.
        """
        with contextlib.suppress(BlockingIOError):
            self._take(os.read(self._reader, MOST_READ))
        return True

    def finish(self) -> None:
        """Reads the rest of the pipe after all processes of the script have ended, up to the limit on bytes."""
        left = self._most_bytes
        with contextlib.suppress(BlockingIOError):
            while left > 0:
                part = os.read(self._reader, MOST_READ)
                left -= len(part)
                self._take(part)

    def _take(self, data: bytes) -> None:
        self._kept += len(data)
        if self._kept > self._most_bytes:
            self.doubt = self.doubt or f"more than {self._most_bytes} bytes were recorded"
        if self.doubt is not None:
            return
        self._rest += data
        start = 0
        while self.doubt is None and len(self._rest) - start >= HEAD.size:
            pid, size, kind = HEAD.unpack_from(self._rest, start)
            end = start + HEAD.size + size
            if kind not in (PART, LINE, MARK, STEP):
                self.doubt = "another program wrote into the stream of events"
                break
            if end > len(self._rest):
                break
            self._piece(pid, bytes(self._rest[start + HEAD.size : end]), kind)
            start = end
        del self._rest[:start]

    def _piece(self, pid: int, piece: bytes, kind: int) -> None:
        stream = self._streams.setdefault(pid, ProcessStream())
        stream.pieces += piece
        if kind == PART:
            return
        line, seal = bytes(stream.pieces[:-SEAL]), bytes(stream.pieces[-SEAL:])
        stream.pieces.clear()
        number = struct.pack(">IQ", pid, len(stream.lines))
        if not hmac.compare_digest(hmac.new(self._key.encode("ascii"), number + line, hashlib.sha256).digest(), seal):
            self.doubt = self.doubt or "another program wrote into the stream of events"
            return
        self.enough = self.enough or kind == MARK
        if kind == STEP:
            self._doing(describe(json.loads(line)))
        stream.lines.append(line)

    def streams(self) -> list[bytes]:
        """Returns the verified lines of each process, joined: the script's first process first, then forked children by process id.

        A child's stream begins with the lines that its parent had sent before the fork.
        """
        first = next(iter(self._streams), None)
        pids = [pid for pid in self._streams if pid != first]
        return [b"".join(self._lines(pid)) for pid in ([] if first is None else [first, *sorted(pids)])]

    def _lines(self, pid: int) -> list[bytes]:
        """The lines of process `pid`, preceded by those that its ancestors had sent before each fork."""
        lines: list[bytes] = []
        most: int | None = None
        seen: set[int] = set()
        while pid in self._streams and pid not in seen:
            own = self._streams[pid].lines
            lines = [*own[:most], *lines]
            seen.add(pid)
            first = json.loads(own[0]) if own else {}
            if first.get("event") != "fork":
                break
            pid, most = first["parent"], first["after"]
        return lines
