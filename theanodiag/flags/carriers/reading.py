"""Reads the flags that a file sets, whatever kind of file it is."""

from __future__ import annotations

from collections.abc import Iterator

from . import docker, generic, make, notebook, python, shell, windows, yaml
from .kinds import CARRIERS, FileKind
from .model import Carried, Mapped, Reading
from .shell import MENTIONS


def read(text: str, kind: FileKind) -> Reading:
    """The flags of a file of that kind, in the order of their places; nothing for kinds in which none are looked for."""
    if kind not in CARRIERS or not MENTIONS.search(text):
        return Reading()
    source = Mapped.whole(text)
    if kind is FileKind.PYTHON:
        reading = python.read(source, _other)
    elif kind is FileKind.NOTEBOOK:
        reading = notebook.read(source, _other)
    else:
        reading = Reading(tuple(_other(source, kind, 0)))
    told = dict[tuple[int, int, bool], Carried]()
    for carried in reading.carried:
        if carried.value.text.strip():
            told[carried.value.starts[0], carried.value.ends[-1], carried.is_rc] = carried
    return Reading(tuple(sorted(told.values(), key=lambda c: c.value.starts[0])), reading.set_in_code)


def _other(source: Mapped, kind: FileKind, depth: int) -> Iterator[Carried]:
    """The flags of a text of any kind, which may stand in another."""
    if kind is FileKind.PYTHON:
        yield from python.read(source, _other, depth=depth).carried
    elif kind is FileKind.NOTEBOOK:
        yield from notebook.read(source, _other, depth=depth).carried
    elif kind in (FileKind.SHELL, FileKind.CSH, FileKind.FISH):
        yield from shell.read(source, _other, depth=depth)
    elif kind is FileKind.DOCKERFILE:
        yield from docker.read(source, _other, depth=depth)
    elif kind is FileKind.MAKEFILE:
        yield from make.read(source, _other, depth=depth)
    elif kind is FileKind.YAML:
        yield from yaml.read(source, _other, depth=depth)
    elif kind is FileKind.BATCH:
        yield from windows.read_batch(source, _other, depth=depth)
    elif kind is FileKind.POWERSHELL:
        yield from windows.read_powershell(source, _other, depth=depth)
    elif kind in CARRIERS:
        yield from generic.read(source, _other, kind)
