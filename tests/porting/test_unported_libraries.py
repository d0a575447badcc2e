"""Libraries over Theano beside moved names."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.cli.run import theanodiag
from theanodiag.porting.model import PortOptions, Safety
from theanodiag.porting.source_port import port_text


def left(text: str) -> list[tuple[int, str]]:
    """Line and name of what is left to do by hand."""
    changes = port_text(text, "x.py", PortOptions()).changes
    return [(c.span.line, c.name) for c in changes if c.safety is Safety.BY_HAND]


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("import pymc3 as pm\nimport theano\n", []),
        ("import theano\nfrom pymc3.distributions import Normal\nimport pymc3\n", []),
        ("import os, lasagne, numpy\nimport theano\n", [(1, "lasagne")]),
        ("import theano\ndef f():\n    from keras import backend as K\n", [(3, "keras")]),
        ("import theano\ntry:\n    import blocks.bricks\nexcept ImportError:\n    pass\n", [(3, "blocks")]),
        ("import theano, nolearn.lasagne, pylearn2\n", [(1, "nolearn"), (1, "pylearn2")]),
        ("import theanets\n", [(1, "theanets")]),
        ("import exoplanet\nimport pymc3\n", [(1, "exoplanet")]),
        ("import keras\n", []),
        ("import theano\nfrom .blocks import a\nfrom . import lasagne\n", []),
        ("import theano\nimport pymc\nimport tensorflow.keras\nx = lasagne.keras\n", []),
    ],
)
def test_each_library_is_left_at_its_first_import(text: str, found: list[tuple[int, str]]) -> None:
    """Of two frameworks in one file it is told; what a package calls so itself is its own."""
    assert left(text) == found


def test_what_lies_beside_or_above_is_moved_as_well(tmp_path: Path) -> None:
    """A repository's own package is no library that has to be moved first."""
    (tmp_path / "lasagne").mkdir()
    (tmp_path / "examples").mkdir()
    (tmp_path / ".git").mkdir()
    (tmp_path / "lasagne" / "__init__.py").write_text("", encoding="utf-8")
    for folder in ("lasagne", "examples"):
        (tmp_path / folder / "a.py").write_text("import theano\nimport lasagne\n", encoding="utf-8")
    assert "0 by hand" in theanodiag("port", str(tmp_path)).stderr
    (tmp_path / "lasagne").rename(tmp_path / "other")
    assert "2 by hand" in theanodiag("port", str(tmp_path)).stderr


@pytest.mark.parametrize("name", ["pymc3_ext", "lasagne", "keras"])
def test_scan_counts_such_a_file_among_those_with_more_to_do(tmp_path: Path, name: str) -> None:
    """With the finding."""
    (tmp_path / "model.py").write_text(f"import {name}\nimport theano.tensor as T\nT.sqr(1)\n", encoding="utf-8")
    out = theanodiag("scan", str(tmp_path)).stdout
    assert "1 by hand" in out
    assert "0 files can be ported" in " ".join(out.split())
