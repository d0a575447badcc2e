"""Scans repositories: each file is read once, by as many workers as are asked for, and nothing is lost when one of them goes away."""

from __future__ import annotations

import concurrent.futures
import contextlib
import functools
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Executor, Future
from concurrent.futures.process import BrokenProcessPool
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from .. import files
from ..errors import UsageError
from ..inventory import kinds
from ..inventory.facts import facts
from ..inventory.model import FileFacts, Kind, State
from ..inventory.serial import facts_from, facts_json, run_from
from . import result_store
from .repository_files import Candidate, candidates
from .run_scripts import RunWish, run_key, run_script, sources_key

IN_FLIGHT = 4
"""Tasks a worker that are handed out at once: memory does not grow with the number of files."""
ATTEMPTS = 5
"""How often a file is tried whose worker went away."""


@dataclass(frozen=True)
class Workers:
    """Who does the work."""

    jobs: int = 1
    """Processes on this machine."""
    scheduler: str | None = None
    """The address of a Dask scheduler (`tcp://host:8786`), or "local" for a cluster of this machine; None: processes of our own."""


ALONE = Workers()
"""This process."""


@dataclass(frozen=True)
class _Task:
    """Something to do for a file, in a worker."""

    known: FileFacts
    key: str
    function: Callable[..., dict[str, Any]]
    arguments: tuple[object, ...]
    taken: Callable[[FileFacts, dict[str, Any]], FileFacts]
    """Puts the answer into the facts."""
    attempt: int = 1


def scan(
    paths: Sequence[str],
    *,
    exclude: Sequence[str] = (),
    workers: Workers = ALONE,
    cache: str | None = None,
    run: RunWish | None = None,
) -> Iterator[FileFacts]:
    """What the files below `paths` need, one after the other as they are done; every file comes once.

    Args:
        paths: Files and folders.
        exclude: Patterns as in `.gitignore`.
        workers: Processes of this machine, or a Dask scheduler.
        cache: A folder in which results are kept from run to run; None: none are.
        run: How scripts are run; None: nothing is run. Otherwise each script that imports a framework goes through `check` in a process
            of its own.

    Yields:
        The facts of each file.

    Raises:
        UnreadableError: A path does not exist.
        UsageError: A package is missing, or no scheduler answers.
    """
    with contextlib.ExitStack() as stack:
        store = stack.enter_context(result_store.Store(cache)) if cache is not None else None
        first = _looked_at(candidates(paths, exclude), store)
        done = _through(first, _Pool(workers, processes=True), store)
        if run is None:
            yield from done
            return
        held = list(done)
        yield from _through(_to_run(held, run, store), _Pool(workers, processes=False), store)


def _looked_at(found: Iterator[Candidate], store: result_store.Store | None) -> Iterator[FileFacts | _Task]:
    """Facts of what is known at once, and a task for each other file."""
    for c in found:
        known = FileFacts(c.shown, c.kind or Kind.PYTHON, State.FAILED, c.reason)
        if c.reason:
            yield known
            continue
        try:
            data = files.read_plain(c.path, files.TEXT)
        except OSError as error:
            yield replace(known, reason=f"cannot be read: {error.strerror}")
            continue
        except ValueError as error:
            yield replace(known, state=State.SKIPPED, reason=str(error))
            continue
        if known.kind is not Kind.RC and not kinds.is_relevant(data):
            yield facts(c.shown, known.kind, data)
            continue
        name = result_store.key("facts", c.shown, known.kind.value, data)
        earlier = _earlier(store, name, facts_from)
        yield earlier if earlier is not None else _Task(known, name, _facts, (c.shown, known.kind.value, data), _as_facts)


def _facts(path: str, kind: str, data: bytes) -> dict[str, Any]:
    """The work of one task: plain values in, plain values out, so that it may travel."""
    return facts_json(facts(path, Kind(kind), data))


def _as_facts(known: FileFacts, answer: dict[str, Any]) -> FileFacts:
    return facts_from(answer)


def _as_run(known: FileFacts, answer: dict[str, Any]) -> FileFacts:
    return replace(known, run=run_from(answer))


def _to_run(held: Sequence[FileFacts], wish: RunWish, store: result_store.Store | None) -> Iterator[FileFacts | _Task]:
    """A task for each script that a framework is imported in; all else as it is."""
    sources = functools.cache(sources_key)  # by folder: it may hold very many scripts
    for f in held:
        if f.state is not State.READ or f.kind is not Kind.PYTHON or not f.frameworks:
            yield f
            continue
        name = run_key(f.path, wish, sources(Path(f.path).resolve().parent))
        earlier = _earlier(store, name, run_from)
        yield replace(f, run=earlier) if earlier is not None else _Task(f, name, run_script, (f.path, wish), _as_run)


def _earlier(store: result_store.Store | None, name: str, read: Callable[[Any], Any]) -> Any:
    """What an earlier scan found; None where there is nothing, or nothing sound."""
    value = None if store is None else store.get(name)
    try:
        return None if value is None else read(value)
    except (KeyError, TypeError, ValueError, AttributeError):
        return None


class _Here(Executor):
    """Does each task at once, in this process."""

    def submit(self, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future[Any]:
        """The task, done."""
        future: Future[Any] = Future()
        try:
            future.set_result(fn(*args, **kwargs))
        except Exception as error:
            future.set_exception(error)
        return future


class _Pool:
    """Workers, started when there is something to do, and anew when one of them took the others with it."""

    def __init__(self, workers: Workers, *, processes: bool) -> None:
        self.workers, self.processes = workers, processes
        self._executor: Executor | None = None
        self._closing = contextlib.ExitStack()

    @property
    def window(self) -> int:
        """Tasks in flight at most."""
        return IN_FLIGHT * max(1, self.workers.jobs)

    def submit(self, task: _Task) -> Future[dict[str, Any]]:
        """Hands a task out."""
        if self._executor is None:
            self._executor = self._closing.enter_context(self._started())
        return self._executor.submit(task.function, *task.arguments)

    def restart(self) -> None:
        """Lets go of workers that are broken."""
        self.close()
        self._executor = None

    def close(self) -> None:
        """Ends the workers."""
        self._closing.close()

    def _started(self) -> Executor:
        if self.workers.scheduler is not None:
            return _dask(self.workers, self._closing)
        if self.processes and self.workers.jobs == 1:
            return _Here()
        if self.processes:
            return concurrent.futures.ProcessPoolExecutor(self.workers.jobs)
        return concurrent.futures.ThreadPoolExecutor(self.workers.jobs)  # each waits for a process of its own


def _dask(workers: Workers, closing: contextlib.ExitStack) -> Executor:
    """The workers of a Dask cluster."""
    try:
        from distributed import Client, LocalCluster
    except ImportError:
        raise UsageError("dask.distributed is not installed", help="pip install 'theanodiag[dask]'") from None
    try:
        if workers.scheduler == "local":
            cluster = closing.enter_context(LocalCluster(n_workers=workers.jobs, threads_per_worker=1, dashboard_address=None))
            client = closing.enter_context(Client(cluster))
        else:
            client = closing.enter_context(Client(workers.scheduler, timeout=10))
    except (OSError, TimeoutError, ValueError) as error:
        raise UsageError(f"no Dask scheduler answers at {workers.scheduler}: {error}", help="such as --scheduler tcp://host:8786") from None
    executor: Executor = client.get_executor(pure=False)
    return executor


def _through(items: Iterator[FileFacts | _Task], pool: _Pool, store: result_store.Store | None) -> Iterator[FileFacts]:
    """The items with their tasks done, as they are done; those that need no work come at once."""
    waiting: dict[Future[dict[str, Any]], _Task] = {}
    again: list[_Task] = []
    try:
        while True:
            while len(waiting) < pool.window:
                item = again.pop() if again else next(items, None)
                if item is None:
                    break
                if isinstance(item, FileFacts):
                    yield item
                else:
                    waiting[pool.submit(item)] = item
            if not waiting:
                return
            done, _ = concurrent.futures.wait(waiting, return_when=concurrent.futures.FIRST_COMPLETED)
            if any(isinstance(f.exception(), BrokenProcessPool) for f in done):
                done = set(waiting)  # all that were in flight
                pool.restart()
            for future in done:
                task = waiting.pop(future)
                result = _result(future, task, store)
                if isinstance(result, _Task):
                    again.append(result)
                else:
                    yield result
    finally:
        pool.close()


def _result(future: Future[dict[str, Any]], task: _Task, store: result_store.Store | None) -> FileFacts | _Task:
    """What came of a task; the task once more where its worker went away, and FAILED where that happens again."""
    try:
        answer = future.result()
    except BaseException as error:  # whatever a worker, or the way to it, ended with
        if isinstance(error, KeyboardInterrupt):
            raise
        if task.attempt < ATTEMPTS:
            return replace(task, attempt=task.attempt + 1)
        return replace(task.known, state=State.FAILED, reason=f"the worker went away: {type(error).__name__}")
    if store is not None:
        store.put(task.key, answer)
    return task.taken(task.known, answer)
