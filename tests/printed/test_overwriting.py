"""What linear algebra overwrites, as its text tells, beside what the real Ops declare."""

from __future__ import annotations

from typing import Any

import pytest

from tests.interpreters import THOROUGH
from tests.loaded_by_path import answer
from theanodiag.printed.assemble import derive_maps
from theanodiag.printed.op_names import parse_op

MANY = 6
"""At least as many inputs and outputs as any of them has."""


@pytest.mark.parametrize("name", ["pytensor", pytest.param("pytensor_new", marks=THOROUGH)])
def test_texts_tell_what_ops_declare(name: str) -> None:
    """Of every class with an `overwrite_*` parameter, in every form, on its own and batched."""
    found: Any = answer(name, "printed/scripts/overwriting.py")
    rows = [(text, {int(k): tuple(v) for k, v in real.items()}) for forms in found.values() for text, real in forms]
    assert len(found) >= 15
    assert sum(bool(real) for _, real in rows) >= 40
    derived = [(text, dict(derive_maps(*parse_op(text), MANY, MANY).destroy)) for text, _ in rows]
    assert derived == rows


def test_a_solve_of_theano_overwrites_nothing() -> None:
    """Its flags are only handed to scipy: no destroy_map lets it do so."""
    text = "Solve{A_structure='general', lower=False, overwrite_A=True, overwrite_b=True}"
    assert derive_maps(*parse_op(text), 2, 1).destroy == {}
