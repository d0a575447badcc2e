"""TD217: the entry is the place, and the advice is the line for the shell."""

from __future__ import annotations

import pytest

from tests.rules.config.cases import advice, findings, spots
from theanodiag.flags.model import Dialect
from theanodiag.rules.config.examples import config

FILES = [
    pytest.param("[global]\nOMP_NUM_THREADS = 5\n", "2:1", "export OMP_NUM_THREADS=5", id="threads"),
    pytest.param("[DEFAULT]\n CUDA_ROOT: /opt/cuda\n", "2:2", "export CUDA_ROOT=/opt/cuda", id="a folder, in DEFAULT"),
    pytest.param("[cuda]\nMKL_THREADING_LAYER=GNU\n", "2:1", "export MKL_THREADING_LAYER=GNU", id="all capitals"),
]


@pytest.mark.parametrize(("text", "place", "shell"), FILES)
def test_shell_line_from_a_file(text: str, place: str, shell: str) -> None:
    """Name and value come from the entry; nothing is edited."""
    assert spots("TD217", config(text)) == [f"rc:{place} warning, derived"]
    assert advice("TD217", config(text)).code == shell
    assert advice("TD217", config(text)).edits == ()


@pytest.mark.parametrize("to", list(Dialect), ids=lambda d: d.name)
def test_variable_within_the_variable(to: Dialect) -> None:
    """The flags variable sets no other one."""
    subject = config(flags="floatX=float32,CUDA_LAUNCH_BLOCKING=1", to=to)
    assert spots("TD217", subject) == [f"{to.flags_variable}:1:16 warning, derived"]
    assert advice("TD217", subject).code == "export CUDA_LAUNCH_BLOCKING=1"


@pytest.mark.parametrize("text", ["omp_num_threads = 5", "FLOATX = float32", "CXX =", "BASE_compiledir = /x"])
def test_names_of_flags(text: str) -> None:
    """Small letters, no underscore, a flag in another case."""
    assert findings("TD217", config(f"[global]\n{text}\n")) == []
