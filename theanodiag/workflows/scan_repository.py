"""Scans repositories: each file is read once, by a number of workers; no result is lost if a worker dies."""

from __future__ import annotations

import asyncio
import concurrent.futures
import contextlib
import functools
import json
from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from concurrent.futures import Future
from concurrent.futures.process import BrokenProcessPool
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from .. import files
from ..errors import UnreadableError
from ..processes.time_limit import time_limit
from ..report.v1.common import P, builtins, convert
from ..report.v1.scan import FileV1, RunV1
from ..requests import RunRequest
from ..scanned_files import model
from ..scanned_files.facts import facts
from ..scanned_files.model import FileFacts, FileState, ScriptRun, SourceKind
from . import result_store
from .run_scripts import machine_key, require, run_key, run_script, sources_key
from .scan_workers import ALONE, LOOK, Watch, WorkerPool, Workers, WorkersLostError
from .source_files import Candidate, candidates

ATTEMPTS = 5
"""Maximum number of attempts for a file whose worker died."""
SECONDS = 60.0
"""Default time limit for reading one file, in seconds."""
RUNNABLE = (SourceKind.PYTHON, SourceKind.NOTEBOOK)
"""The kinds of files that can be run."""
ANSWER_CHARACTERS = 64 << 20
"""Maximum length of a worker's answer, in characters."""


@dataclass(frozen=True)
class _FileTask:
    """Work on one file, for a worker."""

    known: FileFacts
    key: str
    function: Callable[..., dict[str, Any]]
    arguments: tuple[object, ...]
    taken: Callable[[FileFacts, dict[str, Any]], FileFacts]
    """Adds the worker's answer to the facts about the file."""
    taken_not: Callable[[FileFacts, str], FileFacts]
    """The facts about the file if there is no answer, for the given reason."""
    attempt: int = 1


def scan(
    paths: Sequence[str],
    *,
    exclude: Sequence[str] = (),
    workers: Workers = ALONE,
    cache: str | result_store.ResultStore | None = None,
    run: RunRequest | None = None,
    watch: Watch | None = None,
    file_timeout: float = SECONDS,
) -> Generator[FileFacts, None, None]:
    """Analyse the files below `paths`, and yield the facts of each file as soon as they are known.

    Args:
        paths: Files and folders.
        exclude: Patterns of files to exclude, in the syntax of `.gitignore`.
        workers: Processes on this machine, or a Dask scheduler.
        cache: A folder for results that later scans reuse, or an open store, which is closed at the end. None: results are not kept.
        run: How to run the scripts: each one that imports a framework is checked with `check` in a process of its own. None: nothing is
            run.
        watch: Receives the progress of the scan. None: no progress is shown.
        file_timeout: Time limit for reading one file in seconds. A file that takes longer is FAILED.

    Yields:
        The facts of each file, once.

    Raises:
        UnreadableError: A path, or the interpreter for the scripts, does not exist.
        UsageError: A package is missing, a card is unknown, or no scheduler answers.
        WorkersLostError: Raised after the last file if workers were lost. Files that they did not finish are FAILED, or were not run.
    """
    if run is not None:
        require(run, here=workers.scheduler in (None, "local"))
    with contextlib.ExitStack() as stack:
        opened = result_store.in_folder(cache) if isinstance(cache, str) else cache
        store = None if opened is None else stack.enter_context(opened)
        this = _Scan(store, watch or Watch())
        done = this.through(_looked_at(candidates(paths, exclude), store, file_timeout), WorkerPool(workers))
        if run is None:
            yield from done
        else:
            held = list(_to_run(list(done), run, store))
            this.watch.begin("running scripts", sum(isinstance(one, _FileTask) for one in held), workers.jobs)
            yield from (one for one in held if isinstance(one, FileFacts))
            yield from this.through(iter([one for one in held if isinstance(one, _FileTask)]), WorkerPool(workers))
        if this.lost is not None:
            raise this.lost


def is_bad(one: FileFacts) -> bool:
    """Returns whether a file could not be read, or its script did not finish."""
    return one.state is FileState.FAILED or (one.run is not None and one.run.outcome != "ran")


def _looked_at(candidates: Iterator[Candidate], store: result_store.ResultStore | None, seconds: float) -> Iterator[FileFacts | _FileTask]:
    """Yields facts for files with a stored or an immediate result, and a task for each other file."""
    for c in candidates:
        known = FileFacts(c.shown, c.kind or SourceKind.PYTHON, FileState.FAILED, c.reason)
        if c.reason:
            yield known
            continue
        try:
            data = files.read_plain(c.path, files.TEXT)
        except OSError as error:
            yield replace(known, reason=f"cannot be read: {error.strerror}")
            continue
        except ValueError as error:
            yield replace(known, state=FileState.SKIPPED, reason=str(error))
            continue
        if known.kind is not SourceKind.RC and not model.is_relevant(data):
            yield facts(c.shown, known.kind, data)
            continue
        name = result_store.key("facts", c.shown, known.kind.value, data)
        earlier = _earlier(store, name, FileV1)
        task = _FileTask(known, name, read_source, (c.shown, known.kind.value, data, seconds), _as_facts, _unread)
        yield task if earlier is None else earlier.facts()


def read_source(path: str, kind: str, data: bytes, seconds: float) -> dict[str, Any]:
    """Analyses one file, in a worker. Arguments and result are plain values, which can be sent to other processes. A file that takes longer
    than `seconds` is FAILED.
    """
    try:
        with time_limit(seconds, path, "leave the file out"):
            return builtins(FileV1.of(facts(path, SourceKind(kind), data)))
    except UnreadableError as error:
        return builtins(FileV1.of(FileFacts(path, SourceKind(kind), FileState.FAILED, error.message)))
    except MemoryError:
        return builtins(FileV1.of(FileFacts(path, SourceKind(kind), FileState.FAILED, "there is not enough memory for it")))


def _as_json(function: Callable[..., dict[str, Any]], *arguments: object) -> str:
    """The result of a task as JSON text, the form in which workers send it."""
    return json.dumps(function(*arguments))


def _as_facts(known: FileFacts, answer: dict[str, Any]) -> FileFacts:
    facts = convert(answer, FileV1).facts()
    if (facts.path, facts.kind) != (known.path, known.kind):
        raise ValueError("an answer for another file")
    return facts


def _unread(known: FileFacts, reason: str) -> FileFacts:
    return replace(known, state=FileState.FAILED, reason=reason)


def _not_run(known: FileFacts, reason: str) -> FileFacts:
    return replace(known, run=ScriptRun("not run", reason))


def _as_run(known: FileFacts, answer: dict[str, Any]) -> FileFacts:
    return replace(known, run=convert(answer, RunV1).script_run())


def _to_run(held: Sequence[FileFacts], request: RunRequest, store: result_store.ResultStore | None) -> Iterator[FileFacts | _FileTask]:
    """Yields a task for each script and notebook that imports a framework, and all other items unchanged."""
    sources = functools.cache(sources_key)  # by folder: it may hold very many scripts
    machine = "" if store is None else machine_key(request)
    for f in held:
        seen = request.named or (f.state is FileState.READ and bool(f.frameworks))
        if f.kind not in RUNNABLE or f.state is FileState.FAILED or not seen:
            yield f
            continue
        name = "" if store is None else run_key(f.path, request, sources(Path(f.path).resolve().parent), machine)
        earlier = _earlier(store, name, RunV1)
        task = _FileTask(f, name, run_script, (f.path, request), _as_run, _not_run)
        yield task if earlier is None else replace(f, run=earlier.script_run())


def _earlier(store: result_store.ResultStore | None, name: str, kind: type[P]) -> P | None:
    """A stored result of an earlier scan; None if there is none or it is not valid."""
    value = None if store is None else store.get(name)
    try:
        return None if value is None else convert(value, kind)
    except ValueError:
        return None


@dataclass
class _Scan:
    """State shared by all passes of a scan."""

    store: result_store.ResultStore | None
    watch: Watch
    lost: WorkersLostError | None = None
    """The error with which all workers were lost; None while there are any."""

    def through(self, items: Iterator[FileFacts | _FileTask], pool: WorkerPool) -> Iterator[FileFacts]:
        """Runs the tasks among `items` on the pool and yields the facts of each file as soon as they are complete.

        If all workers are lost, sets `lost` and yields the facts known without them.
        """
        waiting: dict[Future[str], _FileTask] = {}
        again: list[_FileTask] = []
        try:
            while True:
                while len(waiting) < pool.window:
                    item = again.pop() if again else next(items, None)
                    if item is None:
                        break
                    if isinstance(item, FileFacts):
                        yield self._counted(item)
                    elif (future := self._handed_out(item, pool)) is None:
                        yield self._counted(self._undone(item))
                    else:
                        waiting[future] = item
                if not waiting:
                    return
                for future in self._done(waiting, pool):
                    task = waiting.pop(future)
                    self.watch.came_back(task.known.path)
                    result = self._result(future, task, pool)
                    if isinstance(result, _FileTask):
                        again.append(result)
                    else:
                        yield self._counted(result)
        finally:
            pool.close()

    def _counted(self, one: FileFacts) -> FileFacts:
        self.watch.finished(is_bad(one))
        return one

    def _handed_out(self, task: _FileTask, pool: WorkerPool) -> Future[str] | None:
        """Gives a task to the workers; None if no worker is left."""
        if self.lost is not None:
            return None
        try:
            pool.start()
            self.watch.width = pool.width
            self.watch.handed_out(task.known.path)
            return pool.submit(_as_json, (task.function, *task.arguments))
        except WorkersLostError as error:
            self.watch.came_back(task.known.path)
            self.lost = error
            return None

    def _done(self, waiting: Mapping[Future[str], _FileTask], pool: WorkerPool) -> set[Future[str]]:
        """Waits for at least one task and returns the finished ones; all of them where no worker is left."""
        done: set[Future[str]] = set()
        while not done:
            done, _ = concurrent.futures.wait(waiting, timeout=LOOK, return_when=concurrent.futures.FIRST_COMPLETED)
            if not done:
                try:
                    pool.require()
                except WorkersLostError as error:
                    self.lost = error
                    return set(waiting)
        if any(not f.cancelled() and isinstance(f.exception(), BrokenProcessPool) for f in done):
            pool.restart()
            return set(waiting)  # all that were in flight
        return done

    def _undone(self, task: _FileTask) -> FileFacts:
        return task.taken_not(task.known, "" if self.lost is None else self.lost.message)

    def _result(self, future: Future[str], task: _FileTask, pool: WorkerPool) -> FileFacts | _FileTask:
        """The facts that a task found. If its worker was lost: the task again, and after `ATTEMPTS` times the facts without it."""
        try:
            error = future.exception(0)  # not `result`, which would raise what a worker ended with as if it were ours, such as SystemExit
        except (Exception, asyncio.CancelledError) as cancelled:
            error = cancelled
        if error is not None:
            try:
                if self.lost is None:
                    pool.require(lost=True)
            except WorkersLostError as loss:
                self.lost = loss
            if self.lost is not None:
                return self._undone(task)
            if task.attempt < ATTEMPTS:
                return replace(task, attempt=task.attempt + 1)
            return task.taken_not(task.known, f"the worker went away: {type(error).__name__}")
        text = future.result(0)
        try:
            if not isinstance(text, str) or len(text) > ANSWER_CHARACTERS:
                raise ValueError
            answer = json.loads(text)
            facts = task.taken(task.known, answer)
        except (ValueError, RecursionError):
            return task.taken_not(task.known, "the worker's answer is not a valid result")
        if self.store is not None:
            self.store.put(task.key, answer)
        return facts
