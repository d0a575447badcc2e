"""Results behind URLs: as in a folder, from scans that know nothing of each other; on a real server of the S3 protocol too."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
import time
import uuid
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from tests.workflows.test_scan_repository import of, repository
from theanodiag.errors import TheanodiagError, UsageError
from theanodiag.workflows import remote_store

fsspec = pytest.importorskip("fsspec", reason="needs fsspec: pip install 'theanodiag[fsspec]'")
__all__ = ["repository"]


@pytest.fixture(params=["memory", "file", "s3"])
def url(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """An empty place of each kind."""
    if request.param == "memory":
        yield f"memory://{uuid.uuid4().hex}/scans"
    elif request.param == "file":
        yield (tmp_path_factory.mktemp("remote") / "scans").as_uri()
    else:
        yield from s3()


def s3() -> Iterator[str]:
    """A bucket of moto's server, on loopback."""
    pytest.importorskip("s3fs", reason="needs s3fs")
    pytest.importorskip("moto.server", reason="needs moto[server]")
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    env = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
    server = subprocess.Popen([sys.executable, "-m", "moto.server", "-p", str(port)], env=env, **quiet)
    wanted = {
        "AWS_ENDPOINT_URL": f"http://127.0.0.1:{port}",
        "AWS_ACCESS_KEY_ID": "a",
        "AWS_SECRET_ACCESS_KEY": "b",
        "AWS_DEFAULT_REGION": "us-east-1",
    }
    try:
        with pytest.MonkeyPatch.context() as patch:
            for name, value in wanted.items():
                patch.setenv(name, value)
            for _ in range(300):
                with socket.socket() as probe:
                    if probe.connect_ex(("127.0.0.1", port)) == 0:
                        break
                time.sleep(0.1)
            fsspec.filesystem("s3").clear_instance_cache()  # one may know the address of another server
            fsspec.filesystem("s3").mkdir("bucket")
            yield "s3://bucket/scans"
    finally:
        server.kill()
        server.wait()


def objects(url: str) -> int:
    """How many there are."""
    fs, root = fsspec.core.url_to_fs(url, use_listings_cache=False)
    return len(fs.ls(root)) if fs.exists(root) else 0


def test_a_second_scan_takes_results_over(repository: Path, url: str) -> None:
    """One object a scan, none where nothing is new; a changed file is done anew; clearing removes what is ours alone."""
    first = of(cache=url)
    assert objects(url) == 1
    assert of(cache=url) == first == of()
    assert objects(url) == 1
    (repository / "d0" / "m0.py").write_text("import theano\n")
    of(cache=url)
    assert objects(url) == 2
    fs, root = fsspec.core.url_to_fs(url, use_listings_cache=False)
    fs.pipe_file(f"{root}/theirs.txt", b"not ours")
    fs.pipe_file(f"{root}/scan-torn.jsonl", b'{"key": "' + b"a" * 64 + b'", "val')
    assert of(cache=url) == of()
    assert remote_store.clear(url)
    assert objects(url) == 1
    assert not remote_store.clear(url)


def test_scans_at_the_same_time(repository: Path, url: str) -> None:
    """Neither loses what the other keeps."""
    with ThreadPoolExecutor(4) as threads:
        parts = list(threads.map(lambda k: of(f"d{k}", cache=url), range(4)))
    assert objects(url) == 4
    assert sorted((f for part in parts for f in part), key=lambda f: f.path) == of(cache=url)
    assert objects(url) == 4


def test_a_scan_that_was_killed(repository: Path, tmp_path_factory: pytest.TempPathFactory) -> None:
    """What it had written is taken over; the next scan has all."""
    url = (tmp_path_factory.mktemp("remote") / "scans").as_uri()
    program = (
        "import os, signal\nfrom theanodiag.workflows import remote_store\nfrom theanodiag.workflows.remote_store import RemoteStore\n"
        "from theanodiag.workflows.scan_repository import scan\n"
        f"list(scan(['d0', 'd1'], cache={url!r}))\n"
        f"for k, _ in enumerate(scan(['.'], cache={url!r})):\n    if k == 30:\n        os.kill(os.getpid(), signal.SIGKILL)\n"
    )
    ended = subprocess.run([sys.executable, "-c", program], check=False, env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)})
    assert ended.returncode == -signal.SIGKILL
    assert objects(url) == 1
    assert of(cache=url) == of()
    assert objects(url) == 2


def test_urls_that_lead_nowhere(repository: Path) -> None:
    """Clear errors."""
    with pytest.raises(UsageError, match="nosuch"):
        of(cache="nosuch://bucket")
    (repository / "file").write_text("")
    with pytest.raises(TheanodiagError, match="cannot be"):
        of(cache=(repository / "file" / "below").as_uri())
