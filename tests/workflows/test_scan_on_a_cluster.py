"""Scans on a real Dask cluster whose scheduler or workers go away: what is done is kept, the rest is named, and the scan ends."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.cli.run import theanodiag
from tests.workflows.test_scan_repository import of, repository
from theanodiag.errors import UsageError
from theanodiag.requests import CheckRequest, RunRequest
from theanodiag.scanned_files.model import FileFacts, FileState
from theanodiag.workflows import result_store
from theanodiag.workflows.scan_repository import scan
from theanodiag.workflows.scan_workers import Workers, WorkersLostError

pytest.importorskip("distributed", reason="needs dask.distributed: pip install 'theanodiag[dask]'")
__all__ = ["repository"]

CLUSTER = """
import sys, time
from distributed import LocalCluster
if __name__ == "__main__":
    cluster = LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=None, host="127.0.0.1")
    print(cluster.scheduler_address, *[n.pid for n in cluster.workers.values()], flush=True)
    time.sleep(600)
"""


class Cluster:
    """A scheduler in a process of its own, with two workers."""

    def __init__(self, folder: Path) -> None:
        program = folder / "a_cluster.py"
        program.write_text(CLUSTER)
        env = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
        self.process = subprocess.Popen(
            [sys.executable, str(program)], env=env, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, start_new_session=True
        )
        assert self.process.stdout is not None
        self.address, *pids = self.process.stdout.readline().split()
        self.worker_pids = list(map(int, pids))
        self.workers = Workers(1, self.address)

    def kill(self) -> None:
        """The scheduler and all workers, at once."""
        os.killpg(self.process.pid, signal.SIGKILL)
        self.process.wait()


@pytest.fixture
def cluster(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Cluster]:
    """One on loopback."""
    made = Cluster(tmp_path_factory.mktemp("cluster"))
    yield made
    if made.process.poll() is None:
        made.kill()


def until_lost(found: Iterator[FileFacts], cluster: Cluster, after: int) -> list[FileFacts]:
    """What a scan gives whose cluster is killed after so many results."""
    taken: list[FileFacts] = []

    def take() -> None:
        for one in found:
            taken.append(one)
            if len(taken) == after:
                cluster.kill()

    with pytest.raises(WorkersLostError, match=r"the Dask scheduler at .* went away") as told:
        take()
    assert "run the command again" in str(told.value)
    return sorted(taken, key=lambda f: f.path)


def test_a_scheduler_that_goes_away(repository: Path, cluster: Cluster) -> None:
    """Every file is named once, those that nobody did as failed; what was done is kept, and the next scan goes on there."""
    whole = of()
    taken = until_lost(scan(["."], workers=cluster.workers, cache="store"), cluster, 3)
    assert [f.path for f in taken] == [f.path for f in whole]
    done = [f for f in taken if f.state is FileState.READ]
    assert 3 <= len(done) < 40
    assert all("went away" in f.reason for f in taken if f.state is FileState.FAILED)
    path = repository / "store" / result_store.NAME
    assert path.read_bytes().count(b"\n") == len(done)
    assert of(cache="store") == whole
    assert path.read_bytes().count(b"\n") == 40


def test_scripts_that_nobody_ran(repository: Path, cluster: Cluster) -> None:
    """What is known of them without a run is told all the same."""
    taken = until_lost(scan(["d0"], workers=cluster.workers, run=RunRequest(check=CheckRequest("", device="none", timeout=60))), cluster, 1)
    assert len(taken) == 10
    assert all(f.state is FileState.READ and f.names.safe for f in taken)
    runs = [f.run for f in taken if f.run is not None]
    assert len(runs) == 10
    assert any(run.outcome == "not run" and "went away" in run.reason for run in runs)


def test_workers_that_are_killed(repository: Path, cluster: Cluster) -> None:
    """Their files are done by others: nothing is lost, nothing is there twice."""
    taken = []
    for one in scan(["."], workers=cluster.workers):
        taken.append(one)
        if len(taken) in (2, 9) and cluster.worker_pids:
            os.kill(cluster.worker_pids.pop(), signal.SIGKILL)
    assert cluster.worker_pids == []
    assert sorted(taken, key=lambda f: f.path) == of()


def test_a_scheduler_that_stands_still(repository: Path, cluster: Cluster) -> None:
    """It takes a connection, and nobody answers: a clear error on the command line."""
    cluster.process.send_signal(signal.SIGSTOP)
    command = [sys.executable, "-m", "theanodiag", "scan", ".", "--no-cache", "--trust-cluster", "--scheduler", cluster.address]
    env = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    done = subprocess.run(command, capture_output=True, text=True, check=False, env=env, timeout=120)
    assert done.returncode == 2
    assert f"no Dask scheduler answers at {cluster.address}" in done.stderr
    assert "Traceback" not in done.stderr


def test_who_is_no_scheduler(repository: Path) -> None:
    """A port that takes a connection and never says a word."""
    with socket.create_server(("127.0.0.1", 0)) as server, pytest.raises(UsageError, match="no Dask scheduler answers"):
        of(workers=Workers(1, f"tcp://127.0.0.1:{server.getsockname()[1]}"))


def test_an_encrypted_cluster_without_certificates(repository: Path) -> None:
    """Dask's configuration names none: an error of the user's, with what Dask says."""
    with pytest.raises(UsageError, match=r"no Dask scheduler answers at tls://127.0.0.1:9: TLS"):
        of(workers=Workers(1, "tls://127.0.0.1:9"))


def test_a_cluster_that_nobody_trusts(repository: Path) -> None:
    """Is not even asked who it is: Dask would unpickle what it sends."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        server.settimeout(0)
        address = f"tcp://127.0.0.1:{server.getsockname()[1]}"
        done = theanodiag("scan", ".", "--no-cache", "--scheduler", address, cwd=repository)
        with pytest.raises(BlockingIOError):
            server.accept()
    assert done.returncode == 2
    assert "can run programs as you" in done.stderr
    assert "--trust-cluster" in done.stderr


def test_trust_in_no_cluster(repository: Path) -> None:
    """Is refused: it would have no effect."""
    done = theanodiag("scan", ".", "--no-cache", "--trust-cluster", cwd=repository)
    assert done.returncode == 2
    assert "--trust-cluster is about the cluster of --scheduler" in done.stderr
