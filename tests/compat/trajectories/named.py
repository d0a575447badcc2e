"""The scripts of public repositories that must learn the same: `named.json`, written before any of them was tried.

A repository is read from `<owner>+<name>` in the folder of checkouts, at the commit given. Data that cannot be had is generated
(data.py) with the shapes and dtypes that the script asks for, fewer rows. `drivers/NAME.txt` starts a script that has no main part, or
one whose own asks for what cannot be had (a corpus of NLTK, an Atari): it imports the module and calls it.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path

HERE = Path(__file__).resolve().parent


@dataclass(frozen=True)
class Script:
    """A script, what it trains, and what it needs to run."""

    name: str
    repository: str
    commit: str
    path: str
    trains: str
    tags: tuple[str, ...] = ()
    """conv, scan, early (written before 2015), python2."""
    data: tuple[str, ...] = ()
    """Functions of data.py, each with the path that it writes, relative to the repository: `mnist_pickle:data/mnist.pkl.gz`."""
    arguments: tuple[str, ...] = ()
    folder: str = ""
    """Where it is started, relative to the repository; by default where the script lies."""
    roots: tuple[str, ...] = ()
    """Absolute folders that the script names, read from the repository's copy instead."""
    beside: tuple[str, ...] = ()
    """Other repositories that it imports; `mila-iqia/blocks-0.1.1` is that release of one, in a folder of its own."""
    package: str = ""
    """The name by which it imports its own repository."""
    flags: str = "floatX=float32"
    steps: int = 21
    record: str = "updates"
    """Of which functions the losses are compared: `updates`, those that have some, or `all`."""
    reference: str = ""
    """`translated` where CPython 2.7 would go another way (its `random.shuffle`, the order of its sets): both sides run the translation."""
    left_out: str = ""
    """Why it cannot be run here on Theano 1.0.5 itself."""

    @property
    def driver(self) -> Path | None:
        """What starts it, where it is not started as it is."""
        path = HERE / "drivers" / f"{self.name}.txt"
        return path if path.exists() else None

    @property
    def python2(self) -> bool:
        """Whether it is Python 2."""
        return "python2" in self.tags


def read() -> list[Script]:
    """All of them."""
    rows = json.loads((HERE / "named.json").read_text(encoding="utf-8"))
    return [Script(**{key: tuple(value) if isinstance(value, list) else value for key, value in row.items()}) for row in rows]
