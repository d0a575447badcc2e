"""Code of advice runs as it is on Theano, Aesara and PyTensor, and computes what the plain form does."""

from __future__ import annotations

import json
import os
import re
import subprocess
from dataclasses import replace
from pathlib import Path

import pytest

from tests.interpreters import ROOT, THOROUGH, find
from tests.rules.scripts import BY_CODE
from theanodiag.plans import row_updates
from theanodiag.rules.memory.loops import checkpoints

SCRIPT = Path(__file__).parent / "advised_code.py"


def code_of(rule: str, library: str) -> str:
    """What the first finding of a rule's example says to paste."""
    found = next(iter(BY_CODE[rule].check(replace(BY_CODE[rule].fires(), library=library))))
    assert found.fix is not None
    return str(found.fix.code)


@pytest.mark.parametrize(
    ("environment", "library"),
    [("gpu", "theano"), ("aesara", "aesara"), ("pytensor", "pytensor"), pytest.param("pytensor_new", "pytensor", marks=THOROUGH)],
)
def test_it_computes_the_same(environment: str, library: str) -> None:
    """A gradient with checkpoints, updates of rows with and without state, scores behind a loop, data in chunks: to rounding."""
    codes = {rule: code_of(rule, library) for rule in ("TD326", "TD328", "TD334")}
    tables = [row_updates.Table(n, None) for n in ("W", "U")]
    codes.update(adam="\n".join(row_updates.lines(library, tables, "cost", None)))
    loop = replace(BY_CODE["TD322"].fires(), library=library, source="hs, _ = scan(one, x, [h0], non_sequences=[W])")
    (found,) = BY_CODE["TD322"].check(loop)
    codes.update(own=str(found.fix and found.fix.code))
    codes.update(one=checkpoints(library, 4), two=checkpoints(library, 4, states=2, sequences=2))
    command = [find(environment), str(SCRIPT), library, json.dumps(codes)]
    env = {**os.environ, "PYTHONPATH": str(ROOT)}
    done = subprocess.run(command, env=env, capture_output=True, text=True, timeout=300, check=False)
    rows = [line.split() for line in done.stdout.splitlines()]
    assert [name for name, _ in rows] == ["checkpoints", "two_states", "own_names", "rows", "states", "scores", "chunks"], done.stderr
    assert all(float(distance) < 1e-12 for _, distance in rows), rows


OF_THEANO = {"TD507"}
"""Rules whose advice is about one library."""


@pytest.mark.parametrize("rule", sorted(BY_CODE))
def test_the_code_is_for_the_library_of_the_script(rule: str) -> None:
    """A script that imports Aesara has no `theano`, and perhaps no `T`."""
    for found in BY_CODE[rule].check(replace(BY_CODE[rule].fires(), library="aesara")):
        code = str(found.fix and found.fix.code)
        assert rule in OF_THEANO or not re.search(r"\btheano\b|\bT\.", code), code
