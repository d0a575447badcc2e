"""TD247: the entry is the place, and the folder above is advised."""

from __future__ import annotations

import pytest

from tests.rules.config.cases import findings, message, pasted, spots, value
from theanodiag.rules.config.examples import config

CASES = [
    pytest.param("/usr/local/cuda/bin", "/usr/local/cuda", "bin", id="programs"),
    pytest.param("/opt/cuda-9.0/lib64/", "/opt/cuda-9.0", "lib64", id="libraries, with a slash"),
    pytest.param("/opt/cuda/lib64/stubs", "/opt/cuda", "lib64", id="stubs"),
    pytest.param("/lib/cuda/include", "/lib/cuda", "include", id="another lib in the path"),
]


@pytest.mark.parametrize(("path", "above", "part"), CASES)
def test_folder_above(path: str, above: str, part: str) -> None:
    """Pasted, the flag has it, and the rule is silent."""
    subject = config(f"[cuda]\nroot = {path}\n", flags="profile=False")
    assert spots("TD247", subject) == ["rc:2:1 warning, derived"]
    assert message("TD247", subject).endswith(f"not {part} itself")
    assert value(pasted("TD247", subject), "cuda.root") == above
    assert findings("TD247", pasted("TD247", subject)) == []


@pytest.mark.parametrize("path", ["/usr/local/cuda", "/opt/bin/cuda", "/usr/local/cuda/binary", "", "bin"])
def test_folder_itself(path: str) -> None:
    """Names that only look like it."""
    assert findings("TD247", config(f"[cuda]\nroot = {path}\n")) == []
