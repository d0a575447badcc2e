"""Runs the files that live inside of a user's interpreter, there, with small scripts of the tests beside them."""

from __future__ import annotations

import functools
import json
import tempfile
from pathlib import Path

from tests.interpreters import ROOT, python
from theanodiag.processes.interpreter import Interpreter, hook_for

FRAMEWORKS = {"theano": "theano", "aesara": "aesara", "pytensor": "pytensor", "pytensor_new": "pytensor", "theano27": "theano"}
"""Interpreter of `tests.interpreters` -> the package that it has."""


@functools.cache
def package_for(name: str) -> Path:
    """Our folder as the interpreter `name` can load it: for CPython 2.7 a copy without annotations."""
    if name != "theano27":
        return ROOT / "theanodiag"
    return hook_for(Interpreter(name, (2, 7, 18)), Path(tempfile.mkdtemp(prefix="theanodiag-py2-"))).parents[2]


@functools.cache
def answer(name: str, script: str, *args: str, flags: str = "") -> dict[str, object]:
    """What `script` (below tests/) prints as JSON in the interpreter `name`, told our folder and its package; `flags` of the framework."""
    path = ROOT / "tests" / script
    env = {f"{FRAMEWORKS[name].upper()}_FLAGS": flags} if flags else {}
    done = python(name, "-W", "ignore", str(path), str(package_for(name)), FRAMEWORKS[name], *args, env=env, timeout=1200)
    assert done.returncode == 0, done.stderr[-3000:]
    result = json.loads(done.stdout)
    assert isinstance(result, dict)
    return result
