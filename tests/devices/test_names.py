"""What `--gpu` takes: cards however they are written, sizes with a unit, and a question where neither is sure."""

from __future__ import annotations

import pytest

from theanodiag.devices import by_name
from theanodiag.devices.profile import CARDS
from theanodiag.errors import UsageError


@pytest.mark.parametrize(
    ("text", "card"),
    [("gtx1080", "gtx-1080"), ("GTX 1080 Ti", "gtx-1080-ti"), ("Tesla K80", "k80"), ("nvidia_geforce_gtx_980", "gtx-980"), ("T4", "t4")],
)
def test_a_card_in_other_words(text: str, card: str) -> None:
    """The maker's words, blanks, dashes and case do not matter."""
    assert by_name(text) == CARDS[card]


@pytest.mark.parametrize(
    ("text", "near"),
    [("1080", "gtx-1080 or gtx-1080-ti"), ("k20", "k40 or k520 or k80"), ("v100", "v100-16 or v100-32"), ("gtx 1080ti super", "gtx-1080")],
)
def test_what_is_not_sure_is_asked(text: str, near: str) -> None:
    """A number without a unit is no device of so many bytes, and an unknown card has neighbours."""
    with pytest.raises(UsageError) as caught:
        by_name(text)
    assert f"did you mean {near}" in (caught.value.help or "")


def test_sizes() -> None:
    """A bare letter is binary, as in 4GiB; GB is a power of ten; many bytes need no unit."""
    sizes = [by_name(text).total_bytes for text in ("4G", "4GiB", "4 gib", "4GB", "4294967296")]
    assert sizes == [1 << 32, 1 << 32, 1 << 32, 4_000_000_000, 1 << 32]
