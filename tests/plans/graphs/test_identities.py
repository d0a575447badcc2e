"""Large matrices that identities make unnecessary: the statements without them compute the same, in the memory that is foretold."""

from __future__ import annotations

import os
import re
import subprocess
from dataclasses import replace
from functools import cache
from pathlib import Path

import pytest

from tests.interpreters import find
from theanodiag.capture.model import visible_gpu
from theanodiag.capture.runner import run_script
from theanodiag.devices import by_name
from theanodiag.ir import Site
from theanodiag.memory.script import Script
from theanodiag.memory.settings import AllocatorKind, MemorySettings
from theanodiag.memory.simulate import simulate
from theanodiag.plans.graphs.identities import NeedlessMatrix, without_matrices
from theanodiag.plans.graphs.identity_nodes import Equality
from theanodiag.plans.identity_code import lines_without

SCRIPT = Path(__file__).parents[1] / "scripts" / "identities.py"
BOTH = pytest.mark.parametrize("gpu", [False, True], ids=["host", "device"])
MATRIX = 900 * 900 * 8


@cache
def script(path: Path, gpu: bool) -> Script:
    """The script as Theano compiles it."""
    wanted = visible_gpu(by_name("6 GiB")) if gpu else None
    return run_script(path, find("theano"), gpu=wanted, stdout=os.open(os.devnull, os.O_WRONLY)).script


def peaks(of: Script, gpu: bool) -> dict[str, int]:
    """What each function needs besides what is there before, in bytes."""
    settings = MemorySettings() if gpu else MemorySettings(allocator=AllocatorKind.DIRECT)
    done = simulate(of, settings).functions
    return {f.name: done[f.index].figures.live_peak_bytes - done[f.index].figures.live_before_bytes for f in of.functions}


@cache
def found(gpu: bool, path: Path = SCRIPT) -> dict[str, tuple[Script, tuple[NeedlessMatrix, ...]]]:
    """By function: the script without its matrices, and these."""
    whole = script(path, gpu)
    return {f.name: without_matrices(whole, f.index, 0) for f in whole.functions}


def followed(text: str, lines: list[str]) -> str:
    """The text with lines in place of those that they name."""
    rows = text.splitlines()
    before: list[str] = []
    for line in lines:
        match = re.fullmatch(r"(.*)  # line (\d+)", line)
        if match is None:
            before.append(line)
            continue
        at = int(match[2]) - 1
        indent = rows[at][: len(rows[at]) - len(rows[at].lstrip())]
        rows[at] = "\n".join(f"{indent}{new}" for new in (*before, match[1]))
        before = []
    return "\n".join(rows) + "\n"


def applied(folder: Path, of: Path) -> Path:
    """A script with all advice followed."""
    text = of.read_text(encoding="utf-8")
    lines = dict.fromkeys(line for _, own in found(False, of).values() for line in lines_without(text, own, "theano"))
    path = folder / "applied.py"
    path.write_text(followed(text, list(lines)), encoding="utf-8")
    return path


@cache
def printed(path: Path) -> dict[str, list[float]]:
    """What the script prints, by function; the last time it prints for each."""
    flags = "floatX=float64,cxx=,optimizer=fast_run"
    done = subprocess.run(
        [find("theano"), str(path)], env={**os.environ, "THEANO_FLAGS": flags}, capture_output=True, text=True, timeout=300, check=True
    )
    return {name: [float(v) for v in values.split()] for name, _, values in (line.partition(" ") for line in done.stdout.splitlines())}


@BOTH
def test_every_matrix_is_found_but_the_one_that_is_needed(gpu: bool) -> None:
    """`K.max()` depends on each entry."""
    assert [name for name, (_, own) in found(gpu).items() if not own] == ["needed"]
    forms = {own[0].form for _, own in found(gpu).values() if own}
    assert forms >= set(Equality) - {Equality.CONSTANT}


@pytest.fixture(scope="module")
def changed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The script with all advice followed."""
    return applied(tmp_path_factory.mktemp("identities"), SCRIPT)


def test_the_advised_statements_compute_the_same(changed: Path) -> None:
    """To rounding, in the real Theano, with the gradients and what they leave in the parameters."""
    before, after = printed(SCRIPT), printed(changed)
    assert before.keys() == after.keys()
    for name, values in before.items():
        assert after[name] == pytest.approx(values, rel=1e-6), name


@BOTH
def test_they_need_no_more_than_was_foretold(gpu: bool, changed: Path) -> None:
    """Up to some scalars; and none has the matrix any more."""
    now, real = peaks(script(SCRIPT, gpu), gpu), peaks(script(changed, gpu), gpu)
    for name, (without, own) in found(gpu).items():
        if own:
            assert now[name] >= MATRIX
            assert real[name] <= peaks(without, gpu)[name] + 512, name
            assert real[name] < MATRIX // 2, name


ROWS = SCRIPT.with_name("one_hot_rows.py")


def test_one_hot_rows_that_are_given_become_numbers(tmp_path: Path) -> None:
    """As an argument, in a data set, as sentences; not where the rows are mixtures. The numbers and the bytes are those foretold."""
    assert [name for name, (_, own) in found(True, ROWS).items() if own] == ["train", "fit", "read"]
    changed = applied(tmp_path, ROWS)
    assert changed.read_text(encoding="utf-8").count(".argmax(-1)") == 3
    before, after = printed(ROWS), printed(changed)
    assert before.keys() == after.keys()
    for name, values in before.items():
        assert after[name] == pytest.approx(values, rel=1e-6), name
    real = peaks(script(changed, True), True)
    for name, (without, own) in found(True, ROWS).items():
        assert not own or real[name] <= peaks(without, True)[name] + 512, name


def test_a_method_for_several_layers_is_left_alone() -> None:
    """The line multiplies other inputs too, which are no numbers: the identity is given in general."""
    (identity,) = found(False, ROWS)["train"][1]
    assert identity.given is not None
    others = replace(identity, given=replace(identity.given, products={23: 4}))
    assert lines_without(ROWS.read_text(encoding="utf-8"), [others], "theano")[0].startswith("W[ids]  # in place of dot(one_hot, W)")


def test_python_2_is_read_too() -> None:
    """What it prints does not matter."""
    text = "d = T.diag(w)\nprint 'ready'\ny = T.dot(d, X)\ntry:\n    pass\nexcept IOError, e:\n    print e\n"
    site = Site("a.py", 3)
    identity = NeedlessMatrix(0, Equality.SCALED, (9, 9), 81, (Site("a.py", 1), site), True, ((3, 2),))
    assert lines_without(text, [identity], "theano") == ("y = w[:, None] * X  # line 3",)
    moved = text.replace("print 'ready'", "w = w * 2")  # the name means something else then
    assert lines_without(moved, [identity], "theano")[0].endswith("# in place of dot(diag(w), X)")
