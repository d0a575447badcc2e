"""Documents that quote an error are told from logs; a log stays one, whatever stands before it."""

from __future__ import annotations

import pytest

from theanodiag.logs import Cause, explain_log

from ..interpreters import ROOT

QUOTED = "Error allocating 86118400 bytes of device memory (out of memory). Driver report 32735232 bytes free and 4294770688 bytes total."
ARTICLE = f"""# Memory

Training on a small card is hard, as [the manual](manual.md) says in many words.

It ends with

    {QUOTED}

## What to do

**Take less** of it at once, or see [the other page](other.md) for what a batch costs.
"""
ISSUE = f"## Description\n\nI run the model on my card and it ends with\n\n```\n{QUOTED}\n```\n\n## Versions\n\nTheano 1.0.5\n"


def cause(text: str) -> Cause:
    """What is said of a text that has an error."""
    found = explain_log(text)
    assert found is not None
    return found.cause


def test_our_own_page_is_no_log() -> None:
    """It quotes the error that users come with."""
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    assert QUOTED.split(".")[0] in text
    assert cause(text) is Cause.NOT_RECOGNISED


def test_an_article_is_none() -> None:
    """The line of the quotation is named, and no cause, nor bytes."""
    found = explain_log(ARTICLE)
    assert found is not None
    assert (found.cause, found.message, found.line, found.request.bytes) == (Cause.NOT_RECOGNISED, QUOTED, 7, None)
    assert "quotes" in found.why


@pytest.mark.parametrize("text", [QUOTED, f"I get this:\n\n{QUOTED}\n\nWhat is wrong?\n", ISSUE, f"$ python model.py\n{QUOTED}\n"])
def test_what_people_ask_for_help_with_is(text: str) -> None:
    """A bare line, a question, the two headings of a form."""
    assert cause(text) is Cause.CAPACITY


@pytest.mark.parametrize(
    "line",
    ["Traceback (most recent call last):", "MemoryError: x", "Using gpu device 0: GRID K520", "2016-03-01 12:00:01 start", "Epoch 3",
     'File "model.py", line 3, in <module>', "Storage map footprint:"],
)  # fmt: skip
def test_one_line_that_a_program_printed_makes_it_a_log(line: str) -> None:
    """Prose around it or not."""
    assert cause(f"{ARTICLE}\n{line}\n") is not Cause.NOT_RECOGNISED
