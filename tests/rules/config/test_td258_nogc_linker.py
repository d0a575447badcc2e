"""TD258: the linker is the place, and its brother that collects is advised."""

from __future__ import annotations

import pytest

from tests.rules.config.cases import findings, pasted, spots, value
from theanodiag.flags.model import Dialect
from theanodiag.rules.config.examples import config

CASES = [
    pytest.param("[global]\nlinker = cvm_nogc\n", "rc:2:1", "cvm", id="cvm"),
    pytest.param("[global]\n linker : c|py_nogc\n", "rc:2:2", "c|py", id="c or py"),
    pytest.param("[global]\nlinker = vm_nogc\n", "rc:2:1", "vm", id="vm"),
]


@pytest.mark.parametrize(("text", "spot", "wanted"), CASES)
@pytest.mark.parametrize("to", list(Dialect), ids=lambda d: d.name)
def test_brother_that_collects(text: str, spot: str, wanted: str, to: Dialect) -> None:
    """Both are values of every library, and `allow_gc` never tells."""
    subject = config(text, flags="profile=False", to=to)
    assert spots("TD258", subject) == [f"{spot} warning, derived"]
    assert value(subject, "allow_gc") is True
    assert value(pasted("TD258", subject), "linker") == wanted
    assert findings("TD258", pasted("TD258", subject)) == []


@pytest.mark.parametrize("text", ["linker=cvm", "linker=nogc", "mode=cvm_nogc", "linker=cvm_nogc,linker=cvm"])
def test_other_texts(text: str) -> None:
    """No such ending, another flag, a linker that loses."""
    assert findings("TD258", config(flags=text)) == []
