"""The arguments of calls that are moved, held against what the target takes."""

from __future__ import annotations

import sys

import pytest

from theanodiag.compat.names import legacy, signatures
from theanodiag.porting.model import PortOptions, Safety
from theanodiag.porting.source_port import port_text

from ..interpreters import ROOT, find

sys.path.insert(0, str(ROOT / "tools"))

from call_signatures import asked, written

HEAD = "import aesara.tensor as at\nimport theano\nimport theano.tensor as T\n"


def by_hand(text: str, target: str = "pytensor") -> list[str]:
    """Why each call is left."""
    changes = port_text(f"{HEAD}{text}\n", "x.py", PortOptions(target)).changes
    return [c.reason for c in changes if c.safety is Safety.BY_HAND]


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        (
            "from aesara.tensor.slinalg import Cholesky\nCholesky(lower=True, on_error='nan')",
            "pytensor.tensor.linalg.Cholesky takes no on_error",
        ),
        ("at.slinalg.Cholesky(on_error='nan', **k)", "pytensor.tensor.linalg.Cholesky takes no on_error"),
        ("T.Split(2)", "pytensor.tensor.basic.Split needs axis"),
        ("theano.printing.debugprint(f, ids='CHAR')", "pytensor.printing.debugprint takes no ids"),
        ("T.sum(a, 1, None, False, None, 5, 6)", "pytensor.tensor.sum takes 5 arguments by place"),
        ("theano.gof.PatternSub(a, b, skip_identities_fn=f)", "PatternNodeRewriter takes no skip_identities_fn"),
    ],
)
def test_what_the_target_refuses_is_left_by_hand(text: str, reason: str) -> None:
    """Arguments that are gone, those that are asked for now, and more than there are."""
    assert [r for r in by_hand(text) if reason in r]


@pytest.mark.parametrize(
    "text",
    [
        "at.slinalg.Cholesky(lower=True)", "T.sum(a, axis=1, keepdims=True)", "T.exp(a)", "T.dot(a, b)", "T.Split(*a)", "f(T.sum)",
        "theano.function(inputs=[x], outputs=y, givens=g)", "theano.scan(f, s, o)", "T.switch(a, b, c)", "T.arange(3, dtype='int32')",
        "T.concatenate([a, b], axis=1)", "T.clip(a, 0, 1)", "theano.grad(c, w, disconnected_inputs='ignore')", "T.grad(cost=c, wrt=w)",
        "T.max(a, 1, True)", "T.set_subtensor(a[0], b)", "T.zeros_like(a, dtype='int8')", "T.alloc(0, 3, 4)", "T.eye(3, k=1)",
    ],
)  # fmt: skip
def test_what_it_takes_is_not(text: str) -> None:
    """The calls of every day."""
    assert by_hand(text) == []


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("T.matrix('x', 'int32')", "T.matrix('x', dtype='int32')"),
        ("at.tensor('float64', (None, 3), name='a')", "at.tensor(dtype='float64', shape=(None, 3), name='a')"),
        ("T.matrix('x')", "T.matrix('x')"),
    ],
)
def test_what_has_no_place_any_more_is_given_by_name(before: str, after: str) -> None:
    """Where the old function says what it is called."""
    made = port_text(f"{HEAD}{before}\n", "x.py", PortOptions())
    assert made.after.split("\n")[-2] == after
    assert not [c for c in made.changes if c.safety is Safety.BY_HAND]


def test_misfits() -> None:
    """Of a signature by itself."""
    taken = signatures.table("pytensor")["tensor.random.utils.RandomStream"]
    assert taken.misfit(0, ["seed"]) is None
    assert taken.misfit(0, ["sed"]) == "takes no sed"
    assert signatures.table("theano")["tensor.slinalg.Cholesky"].misfit(1, ["lower"]) == "is given lower twice"


@pytest.mark.parametrize(("root", "name"), [("theano", "theano"), ("aesara", "aesara"), ("pytensor", "pytensor_new")])
def test_the_tables_are_what_the_libraries_say(root: str, name: str) -> None:
    """Asked anew where the library is here, name by name."""
    python = find(name)
    assert set(signatures.table(root)) <= {f"{m}.{n}" if m else n for m, held in legacy.table(root).items() for n in held}
    assert written(asked(root, python)) == signatures.path(root).read_text(encoding="utf-8")
