"""Compares which draws of their traces two scripts read, as `agent/record/draws_read.py` recorded them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from ..findings import Location

Run = Mapping[str, Any]
"""What a run recorded: `reads`, `sampled` and `failed`."""
MOST = 5
"""Number of lines of a script that a sentence names."""


def place(name: str, line: int) -> str:
    """Returns a line of a script or a notebook's cell, as text."""
    return Location(name, line).in_file().detail or f"line {line}"


def differences(old: Run, new: Run) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Returns the ranges of draws that one script reads at more lines than the other, each as a sentence: differences, and what may be none
    because statements of one run failed that the other executed.
    """
    sides = [_lines(old), _lines(new)]
    ranges = dict.fromkeys((*sides[0], *sides[1]))
    found = [
        f"draws {rows}: {_at(sides[0].get(rows, []))} of the old script, {_at(sides[1].get(rows, []))} of the new one"
        for rows in ranges
        if len(sides[0].get(rows, [])) != len(sides[1].get(rows, []))
    ]
    if len(old["failed"]) == len(new["failed"]):
        return tuple(found), ()
    return (), tuple(f"{one}; perhaps because statements failed" for one in found)


def _lines(run: Run) -> dict[str, list[str]]:
    """Range of draws -> the lines that read it."""
    lines: dict[str, list[str]] = {}
    for rows, name, line in run["reads"]:
        lines.setdefault(rows, []).append(place(name, line))
    return lines


def _at(lines: Sequence[str]) -> str:
    if not lines:
        return "at no line"
    return "at " + ", ".join(lines[:MOST]) + (f" and {len(lines) - MOST} more lines" if len(lines) > MOST else "")


def sampled(old: Run, new: Run) -> tuple[str, ...]:
    """Returns how the numbers of draws and tuning steps differ, for runs with as many calls of `sample`: a sentence for each call."""
    if len(old["sampled"]) != len(new["sampled"]):
        return ()
    found = []
    for one, other in zip(old["sampled"], new["sampled"]):
        if one[:2] != other[:2]:
            numbers = [f"{draws} draws after {tune} tuning steps" for draws, tune, *_ in (one, other)]
            found.append(f"{place(*other[2:])} samples {numbers[1]}, {place(*one[2:])} of the old script {numbers[0]}")
    return tuple(found)
