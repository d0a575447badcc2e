"""TD231: the entry is the place; the device gets its new name, and the library starts."""

from __future__ import annotations

import pytest

from tests.rules.config.cases import AE, advice, findings, mended, spots, starts, texts
from theanodiag.findings import Disposition
from theanodiag.flags.model import Dialect
from theanodiag.rules.config.examples import config

CASES = [
    pytest.param("[global]\ndevice = gpu\n", "2:1", "[global]\ndevice = cuda\n", "device=cuda", id="any gpu"),
    pytest.param("[global]\n device: gpu1\n", "2:2", "[global]\n device: cuda1\n", "device=cuda1", id="a number"),
    pytest.param(
        "[global]\ninit_gpu_device = gpu0\n", "2:1", "[global]\ninit_gpu_device = cuda0\n", "init_gpu_device=cuda0", id="for later"
    ),
]


@pytest.mark.parametrize(("text", "place", "after", "code"), CASES)
def test_device_gets_its_new_name(text: str, place: str, after: str, code: str) -> None:
    """The rest of the line stays."""
    assert spots("TD231", config(text)) == [f"rc:{place} error, derived"]
    assert advice("TD231", config(text)).code == code
    assert advice("TD231", config(text)).disposition is Disposition.SAFE
    assert texts(mended("TD231", config(text)))[0] == after
    assert not starts(config(text))
    assert starts(mended("TD231", config(text)))


def test_quotes_of_the_variable_go() -> None:
    """Inside quotes the name is found too."""
    assert texts(mended("TD231", config(flags="device='gpu2',profile=False")))[1] == "device=cuda2,profile=False"


@pytest.mark.parametrize("version", ["0.8.2", "0.9.0"])
def test_old_versions_had_it(version: str) -> None:
    """And start."""
    assert findings("TD231", config(flags="device=gpu0", version=version)) == []
    assert starts(config(flags="device=gpu0", version=version))


@pytest.mark.parametrize(("to", "text"), [(AE, "device=gpu0"), (Dialect.THEANO, "cxx=gpu0"), (Dialect.THEANO, "device=gpuX")])
def test_other_texts(to: Dialect, text: str) -> None:
    """Aesara's is TD233, no device, no number."""
    assert findings("TD231", config(flags=text, to=to)) == []
