"""TD261: the flag that names the folder is the place, else the variable where one could be set."""

from __future__ import annotations

import pytest

from tests.rules.config.cases import AE, PT, findings, message, spots
from theanodiag.flags.diagnose import MachineFacts
from theanodiag.flags.model import Dialect
from theanodiag.rules.config.examples import config

NFS = MachineFacts(network_folders=("/net/", "/home"))
CASES = [
    pytest.param("[global]\nbase_compiledir = /net/x\n", "rc:2:1", "/net/x is on a network disk (/net/)", id="base"),
    pytest.param("[global]\ncompiledir = /home/c\nbase_compiledir = /tmp\n", "rc:2:1", "/home/c is", id="the whole path counts"),
    pytest.param("[global]\nbase_compiledir = ~/c\n", "rc:2:1", "/home/ann/c is", id="a tilde"),
    pytest.param(None, "Theano 1.0.5", "/home/ann/.theano is", id="by default"),
]


@pytest.mark.parametrize(("rc", "spot", "words"), CASES)
def test_folder_and_disk(rc: str | None, spot: str, words: str) -> None:
    """The message names both."""
    subject = config(rc, env=(("HOME", "/home/ann"),), context=NFS)
    assert spots("TD261", subject) == [f"{spot} warning, derived"]
    assert message("TD261", subject).startswith(words)


@pytest.mark.parametrize(("to", "folder"), [(Dialect.THEANO, ".theano"), (AE, ".aesara"), (PT, ".pytensor")], ids=lambda x: str(x))
def test_default_folder_of_each_library(to: Dialect, folder: str) -> None:
    """In the home of the environment."""
    words = message("TD261", config(to=to, env=(("HOME", "/home/ann"),), context=NFS))
    assert words.startswith(f"/home/ann/{folder} is")


@pytest.mark.parametrize("path", ["/tmp/c", "/network/c", "/srv/net/c", "/homes/ann"])
def test_local_folders(path: str) -> None:
    """Names that only begin alike."""
    assert findings("TD261", config(f"[global]\nbase_compiledir = {path}\n", context=NFS)) == []
