"""The sample files in `configs/`: right for their own library, by our rules and by the libraries themselves."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.flags.test_migrate_real import complaints
from tests.interpreters import ROOT
from theanodiag.findings import Finding
from theanodiag.flags.migrate import migrate_rc, target_table, verify_rc
from theanodiag.flags.model import Dialect
from theanodiag.flags.rcfile_text import parse_rc
from theanodiag.rules.config import CONFIG_RULES
from theanodiag.rules.config.examples import config

VERSIONS = {
    "theano-0.6-to-0.9-gpu": (Dialect.THEANO, ("0.6.0", "0.7.0", "0.8.2", "0.9.0")),
    "theano-1.0-cuda": (Dialect.THEANO, ("1.0.5",)),
    "theano-1.0-cpu": (Dialect.THEANO, ("1.0.5",)),
    "theano-pymc": (Dialect.THEANO, ("1.0.15", "1.1.2")),
    "aesara": (Dialect.AESARA, (None,)),
    "pytensor-2": (Dialect.PYTENSOR, ("2.8", "2.20")),
    "pytensor-3": (Dialect.PYTENSOR, ("3.0.7", None)),
}
"""Sample -> dialect and versions (None: the newest)."""

RUNNING = {
    "theano-1.0-cuda": ("theano", "theano27"),
    "theano-1.0-cpu": ("theano", "theano27"),
    "aesara": ("aesara",),
    "pytensor-3": ("pytensor", "pytensor_new"),
}
"""Sample -> interpreters in which its library runs."""


def sample(name: str) -> str:
    """The text of a sample."""
    return (ROOT / "configs" / f"{name}.cfg").read_text("utf-8")


def findings(name: str, dialect: Dialect, version: str | None) -> list[Finding]:
    """What our rules say about it."""
    subject = config(sample(name), to=dialect, version=version)
    return [f for rule in CONFIG_RULES for f in rule.check(subject)]


def test_every_sample_is_listed() -> None:
    """None is left out below."""
    assert {p.stem for p in (ROOT / "configs").glob("*.cfg")} == set(VERSIONS)


@pytest.mark.parametrize(("name", "version"), [(n, v) for n, (_, versions) in VERSIONS.items() for v in versions])
def test_sample_has_no_finding_for_its_own_library(name: str, version: str | None) -> None:
    """And the library would start."""
    dialect = VERSIONS[name][0]
    assert findings(name, dialect, version) == []
    assert config(sample(name), to=dialect, version=version).resolution.failure is None


@pytest.mark.parametrize(("name", "library"), [(n, library) for n, names in RUNNING.items() for library in names])
def test_library_takes_its_sample(name: str, library: str, tmp_path: Path) -> None:
    """The real one, where it runs."""
    assert complaints(library, sample(name), tmp_path) == []


@pytest.mark.parametrize("to", ["theano-1.0", "aesara", "pytensor"])
@pytest.mark.parametrize("name", list(VERSIONS))
def test_sample_can_be_rewritten(name: str, to: str) -> None:
    """For every target."""
    target = target_table(to)
    verify_rc(migrate_rc(parse_rc(sample(name)), target), target)


def test_samples_of_the_target_stay_as_they_are() -> None:
    """There is nothing to rewrite."""
    for name, to in (("theano-1.0-cuda", "theano-1.0"), ("theano-1.0-cpu", "theano-1.0"), ("pytensor-3", "pytensor"), ("aesara", "aesara")):
        text = sample(name)
        assert migrate_rc(parse_rc(text), target_table(to)).after == text
