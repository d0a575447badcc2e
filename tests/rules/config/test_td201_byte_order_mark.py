"""TD201: one finding at the first character, and a file that the library reads once the mark is gone."""

from __future__ import annotations

import pytest

from tests.rules.config.cases import AE, advice, findings, mended, spots, starts, texts, value
from theanodiag.findings import Disposition
from theanodiag.rules.config.examples import config

CASES = [
    pytest.param("\ufeff[global]\ndevice = cpu\n", "[global]\ndevice = cpu\n", id="before a header"),
    pytest.param("\ufeff# für mich\r\n[global]\r\n", "# für mich\r\n[global]\r\n", id="before a comment, ends of line of Windows"),
    pytest.param("\ufeff\ufeff[global]\n", "[global]\n", id="twice"),
]


@pytest.mark.parametrize(("text", "after"), CASES)
def test_mark_goes_and_the_rest_stays(text: str, after: str) -> None:
    """The mark is an error at the very start, and taking it off changes nothing else."""
    assert spots("TD201", config(text)) == ["rc:1:1 error, derived"]
    assert texts(mended("TD201", config(text)))[0] == after
    assert advice("TD201", config(text)).disposition is Disposition.SAFE


def test_library_starts_without_it() -> None:
    """Aesara refuses the file with the mark and reads the flag without it."""
    subject = config("\ufeff[global]\nfloatX = float32\n", to=AE)
    assert not starts(subject)
    assert value(mended("TD201", subject), "floatX") == "float32"


@pytest.mark.parametrize(
    "text", ["# \ufeff\n[global]\n", "[global]\n\ufeffdevice = cpu\n", ""], ids=["in a comment", "in line two", "empty"]
)
def test_mark_elsewhere_is_another_matter(text: str) -> None:
    """Only the beginning of a file is special."""
    assert findings("TD201", config(text)) == []
