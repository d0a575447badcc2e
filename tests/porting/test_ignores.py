"""Comments that silence findings, found in the tokens of a source."""

from __future__ import annotations

import pytest

from theanodiag.porting.model import Ignore, read_ignores

TEXT = """
f(x)  # theanodiag: ignore[TD501, td502] it is small
# theanodiag: ignore[TD3]
g(x)
"# theanodiag: ignore[TD999] in a string"
#theanodiag:ignore-file[TD2]
"""


def test_comments_with_codes_reason_and_place() -> None:
    """A string is no comment; codes are read in capitals."""
    same, above, whole = read_ignores(TEXT)
    assert same == Ignore(2, ("TD501", "TD502"), "it is small", False, False)
    assert (above.line, above.codes, above.alone) == (3, ("TD3",), True)
    assert (whole.codes, whole.whole_file) == (("TD2",), True)


@pytest.mark.parametrize(
    ("comment", "code", "line", "covered"),
    [
        (0, "TD501", 2, True),
        (0, "TD501", 3, False),
        (0, "TD503", 2, False),
        (1, "TD301", 4, True),
        (1, "TD301", 3, True),
        (1, "TD301", 5, False),
        (2, "TD210", None, True),
        (2, "TD301", None, False),
    ],
)
def test_what_a_comment_covers(comment: int, code: str, line: int | None, covered: bool) -> None:
    """Its own line; the next one where it stands alone; everything for a whole file; codes by their beginnings."""
    assert read_ignores(TEXT)[comment].covers(code, line) is covered


@pytest.mark.parametrize("text", ["print 'old'\nf(x)  # theanodiag: ignore\n", "x = (\nf(x)  # theanodiag: ignore\n"])
def test_sources_that_are_no_python_here(text: str) -> None:
    """An older Python, or half a file: the comment is found all the same, and without codes it is about all of them."""
    (found,) = read_ignores(text)
    assert found.covers("TD501", 2)
    assert not found.alone
