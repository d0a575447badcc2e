"""The workers of a scan (this process, separate processes, or a Dask cluster), what happens if they die, and the progress that is shown."""

from __future__ import annotations

import asyncio
import concurrent.futures
import contextlib
import gc
import logging
import multiprocessing
import os
import signal
import threading
import time
from collections import deque
from collections.abc import Callable, Iterator
from concurrent.futures import Executor, Future
from concurrent.futures.process import BrokenProcessPool
from dataclasses import dataclass
from typing import Any

from ..errors import TheanodiagError, UsageError
from ..processes.group import temporary
from ..scanned_files.facts import facts
from ..scanned_files.model import SourceKind

FIRST = 5
"""Number of results from which on the remaining time is estimated."""


class Watch:
    """The progress of one pass of a scan. The scan updates it; `text` may be called in another thread at any time."""

    def __init__(self) -> None:
        self.begin("scanning", None, 1)

    def begin(self, doing: str, total: int | None, width: int) -> None:
        """Begins a pass over `total` files, if that number is known, `width` of which are processed at a time."""
        self.doing, self.total, self.width = doing, total, width
        self.done = self.bad = 0
        self.started = time.monotonic()
        self._waiting: deque[str] = deque()
        self._at_work: dict[str, float] = {}

    def count(self, files: int) -> None:
        """Sets the number of files, once they have been counted; has no effect while scripts are run."""
        if self.total is None:
            self.total = files

    def handed_out(self, path: str) -> None:
        """Records that a file was handed to the workers, which process files in order."""
        self._waiting.append(path)
        self._take()

    def came_back(self, path: str) -> None:
        """Records that the workers have finished or lost a file."""
        self._at_work.pop(path, None)
        if path in self._waiting:
            self._waiting.remove(path)
        self._take()

    def _take(self) -> None:
        while self._waiting and len(self._at_work) < self.width:
            self._at_work[self._waiting.popleft()] = time.monotonic()

    def finished(self, bad: bool) -> None:
        """Records the result of a file."""
        self.done += 1
        self.bad += bad

    @property
    def slowest(self) -> tuple[str, float] | None:
        """The file that has been processed for the longest time, and the seconds; None if no worker is busy."""
        began = dict(self._at_work)
        path = min(began, key=lambda p: began[p], default=None)
        return None if path is None else (path, time.monotonic() - began[path])

    @property
    def left_seconds(self) -> float | None:
        """Estimated remaining seconds at the present pace; None if it cannot be estimated yet."""
        if self.total is None or self.done < FIRST:
            return None
        return (time.monotonic() - self.started) / self.done * max(0, self.total - self.done)

    def text(self) -> str:
        """Returns the progress as text, such as `running scripts, 12 of 40 done, 3 failed, slowest models/train.py 45 s, about 3
        min left`.
        """
        of = f" of {self.total}" if self.total is not None else ""
        parts = [self.doing, f"{self.done}{of} done", *([f"{self.bad} failed"] if self.bad else [])]
        slowest, left = self.slowest, self.left_seconds
        if slowest is not None and slowest[1] >= 2:
            parts.append(f"slowest {slowest[0]} {duration(slowest[1])}")
        if left is not None:
            parts.append(f"about {duration(left)} left")
        return ", ".join(parts)


def duration(seconds: float) -> str:
    """Returns a number of seconds as readable text.

    >>> duration(45), duration(200), duration(9000)
    ('45 s', '3 min', '2 h 30 min')
    """
    if seconds < 90:
        return f"{seconds:.0f} s"
    minutes = round(seconds / 60)
    return f"{minutes} min" if minutes < 90 else f"{minutes // 60} h {minutes % 60} min"


IN_FLIGHT = 4
"""Maximum number of outstanding tasks per worker, so that memory does not grow with the number of files."""
ANSWER = 10.0
"""Seconds to wait for a reply of a Dask scheduler."""
WITHOUT_WORKERS = 60.0
"""Seconds that a cluster may have no workers: a worker that died may be replaced."""
LOOK = 2.0
"""Seconds without a result after which the scheduler's connection is checked."""
_WARM = b"import theano.tensor as T\nimport os\nos.environ['THEANO_FLAGS'] = 'device=gpu'\nT.sqr(T.vector()).eval()\n"


@dataclass(frozen=True)
class Workers:
    """How many workers a scan has, and where they run."""

    jobs: int = 1
    """Number of worker processes on this machine."""
    scheduler: str | None = None
    """Address of a Dask scheduler (`tcp://host:8786`), or "local" for a cluster on this machine; None: our own processes.

    Dask unpickles what the scheduler and its workers send, so that they can run what they like in this process, and those who can reach
    them too: only one that is trusted with that.
    """


ALONE = Workers()
"""Runs everything in this process."""


class WorkersLostError(TheanodiagError):
    """All workers died before the work was done. Finished results are kept."""


class _Here(Executor):
    """An executor that runs each task at once, in this process."""

    def submit(self, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future[Any]:
        """Runs the task and returns a finished Future with its result or exception."""
        future: Future[Any] = Future()
        try:
            future.set_result(fn(*args, **kwargs))
        except Exception as error:
            future.set_exception(error)
        return future


def _end_with(parent: int) -> None:
    """Lets this process, a worker, end when `parent` ends: a worker of a killed scan would wait for work for ever. The worker ignores INT,
    which a terminal sends to all processes: the scan itself ends its workers.
    """
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    for number in (signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, signal.SIG_DFL)  # not the handlers of the process that it was made from
    gc.freeze()  # what was inherited is not looked through, and not copied for that

    def watch() -> None:
        while os.getppid() == parent:
            time.sleep(1)
        os._exit(1)

    threading.Thread(target=watch, daemon=True).start()


class WorkerPool:
    """A pool of workers, started on first use, and restarted if a dying worker breaks it."""

    def __init__(self, workers: Workers) -> None:
        self.workers = workers
        self.width = max(1, workers.jobs)
        """Tasks that are worked on at a time."""
        self._executor: Executor | None = None
        self._cluster: _Cluster | None = None
        self._closing = contextlib.ExitStack()

    @property
    def window(self) -> int:
        """Returns the maximum number of tasks that may be outstanding at a time."""
        return IN_FLIGHT * self.width

    def submit(self, function: Callable[..., Any], arguments: tuple[object, ...]) -> Future[Any]:
        """Submits a task to the pool. Raises `WorkersLostError` if no worker is left, and `UsageError` if there never was one."""
        self.start()
        assert self._executor is not None
        try:
            return self._executor.submit(function, *arguments)
        except BrokenProcessPool as error:  # a worker went away since the last task came back: this one is lost with those in flight
            lost: Future[Any] = Future()
            lost.set_exception(error)
            return lost
        except RuntimeError:  # a client of Dask that is closed
            self.require(lost=True)
            raise

    def start(self) -> None:
        """Starts the workers, unless they are running."""
        if self._executor is None:
            self._executor = self._started()

    def require(self, *, lost: bool = False) -> None:
        """Raises `WorkersLostError` if no worker can be reached any longer; `lost`: a task was returned unfinished."""
        if self._cluster is not None:
            self._cluster.require(lost)

    def restart(self) -> None:
        """Discards broken workers; the next task starts new ones."""
        self.close()
        self._executor = None

    def close(self) -> None:
        """Stops the pool's own workers, or disconnects from a scheduler's."""
        self._closing.close()

    def _started(self) -> Executor:
        if self.workers.scheduler is not None:
            self._cluster = self._closing.enter_context(_cluster(self.workers))
            self.width = max(self.width, self._cluster.threads())
            executor: Executor = self._cluster.client.get_executor(pure=False)
            return executor
        if self.workers.jobs == 1:
            return _Here()
        if multiprocessing.get_start_method() == "fork":
            facts("warm.py", SourceKind.PYTHON, _WARM)  # what every worker would import and build for itself is there before they are made
        processes = concurrent.futures.ProcessPoolExecutor(self.workers.jobs, initializer=_end_with, initargs=(os.getpid(),))
        self._closing.callback(_killed, processes)
        return processes


def _killed(executor: concurrent.futures.ProcessPoolExecutor) -> None:
    """Kills the workers, whatever they do. Processes that a worker started are ended by their reaper, which notices that the worker is
    gone.
    """
    workers = list((executor._processes or {}).values())
    executor.shutdown(wait=False, cancel_futures=True)
    for worker in workers:
        worker.kill()
    for worker in workers:
        worker.join()


class _Cluster:
    """A Dask cluster as seen from here."""

    def __init__(self, client: Any, name: str) -> None:
        self.client, self.name = client, name
        self._alone_since: float | None = None

    def threads(self) -> int:
        """Returns the number of threads of all workers; 0 if there are none, or if the scheduler does not answer."""
        try:
            threads: dict[str, int] = self.client.sync(self.client.scheduler.ncores, callback_timeout=ANSWER)
        except Exception:  # whatever the way to it, or Dask itself, ended with
            return 0
        return sum(threads.values())

    def require(self, lost: bool) -> None:
        """Raises `WorkersLostError` if the scheduler does not answer, or there has been no worker for `WITHOUT_WORKERS` seconds; `lost`: a
        task was returned unfinished.
        """
        until = time.monotonic() + ANSWER * lost
        while self.client.status != "running" and time.monotonic() < until:  # the client tries to come back
            time.sleep(0.1)
        again = "finished results are kept: run the command again to continue"
        if self.client.status != "running":
            raise WorkersLostError(f"the Dask scheduler at {self.name} went away", help=again)
        if self.threads():
            self._alone_since = None
            return
        now = time.monotonic()
        self._alone_since = self._alone_since or now
        if now - self._alone_since > WITHOUT_WORKERS:
            message = f"the Dask scheduler at {self.name} does not answer, or has had no worker for {WITHOUT_WORKERS:.0f} seconds"
            raise WorkersLostError(message, help=again)


@contextlib.contextmanager
def _cluster(workers: Workers) -> Iterator[_Cluster]:
    """The Dask cluster, for use in a `with` block. Raises `UsageError` if it cannot be reached."""
    try:
        import dask
        from distributed import Client, LocalCluster
    except ImportError:
        raise UsageError("dask.distributed is not installed", help="pip install 'theanodiag[dask]'") from None
    with contextlib.ExitStack() as closing:
        closing.enter_context(_silent("distributed", "asyncio", "tornado"))
        address = workers.scheduler
        try:
            if address == "local":
                folder = str(closing.enter_context(temporary()))  # what Dask makes there it leaves
                closing.enter_context(dask.config.set({"temporary-directory": folder}))
                with _mute():
                    cluster = LocalCluster(
                        n_workers=workers.jobs,
                        threads_per_worker=1,
                        dashboard_address=None,
                        silence_logs=logging.CRITICAL + 1,
                    )
                address = closing.enter_context(cluster)
            else:
                _require_answer(str(address))  # Client itself waits for ever for one that takes a connection and says nothing
            client = Client(address, timeout=ANSWER, set_as_default=False)
        except (OSError, TimeoutError, ValueError, RuntimeError, TypeError) as error:  # TypeError: tls:// without certificates
            reason = str(error).partition("\n")[0]
            raise UsageError(
                f"no Dask scheduler answers at {workers.scheduler}: {reason}", help="such as --scheduler tcp://host:8786"
            ) from None
        closing.callback(_let_go, client)
        yield _Cluster(client, client.scheduler.address)


@contextlib.contextmanager
def _mute() -> Iterator[None]:
    """Context manager: processes started within the block have no standard error. A terminal sends INT to all processes, and a process that
    is starting up would print a traceback. Errors in tasks are returned with the tasks.
    """
    kept, nowhere = os.dup(2), os.open(os.devnull, os.O_WRONLY)
    try:
        os.dup2(nowhere, 2)
        yield
    finally:
        os.dup2(kept, 2)
        os.close(kept)
        os.close(nowhere)


def _require_answer(address: str) -> None:
    """Raises OSError, TimeoutError or ValueError unless a Dask scheduler answers at `address`."""
    from distributed.core import rpc
    from distributed.security import Security

    async def ask() -> None:
        tls = Security().get_connection_args("client")  # certificates as Dask's own configuration names them
        async with rpc(address, timeout=ANSWER, connection_args=tls) as scheduler:
            if (await asyncio.wait_for(scheduler.identity(), ANSWER)).get("type") != "Scheduler":
                raise ValueError("the program that answers there is not a scheduler")

    with concurrent.futures.ThreadPoolExecutor(1) as thread:  # there may be a loop in this one, as in a notebook
        thread.submit(asyncio.run, ask()).result()


def _let_go(client: Any) -> None:
    with contextlib.suppress(Exception):  # the scheduler may be gone, or stand still
        client.close(timeout=2)


@contextlib.contextmanager
def _silent(*names: str) -> Iterator[None]:
    """Context manager: silences the loggers of these packages, which report lost connections that are handled here."""
    below = [name for name in logging.root.manager.loggerDict if name.partition(".")[0] in names]  # some have levels of their own
    before = [(logger, logger.level) for logger in map(logging.getLogger, {*names, *below})]
    for logger, _ in before:
        logger.setLevel(logging.CRITICAL + 1)
    try:
        yield
    finally:
        for logger, level in before:
            logger.setLevel(level)
