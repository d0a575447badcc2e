"""Fingerprints of findings in the folder of a baseline, also of files that were renamed since it was written."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from . import output

if TYPE_CHECKING:
    from ..findings import Finding

MOST_PAIRS = 400
"""Most pairs of a new and a missing file that are compared; of more, only those with the same name in another folder."""


def fingerprints(path: str, findings: Iterable[Finding]) -> list[str]:
    """Returns the findings' fingerprints relative to the folder of the baseline, so that they do not depend on the working folder."""
    from ..report.listings.model import Listing

    folder = os.path.dirname(os.path.abspath(path))
    return [name for _, name in Listing.of(map(_absolute, findings), folder).fingerprints()]


def _absolute(f: Finding) -> Finding:
    from ..report.listings.model import is_file

    return replace(f, location=replace(f.location, path=os.path.abspath(f.location.path))) if is_file(f.location) else f


def with_old_names(path: str, known: Mapping[str, str], findings: Sequence[Finding], names: Sequence[str]) -> list[str]:
    """Returns the fingerprints `names` of the findings; those in a renamed file as if it still had its old name.

    A file counts as renamed if the baseline has no finding in it, and if at least two thirds of its findings and of those that the baseline
    has in a file that no longer exists are the same. A note on stderr names both files. `known` maps each fingerprint of the baseline at
    `path` to its file.
    """
    from ..findings import Location

    folder = os.path.dirname(os.path.abspath(path))
    old_files: dict[str, set[str]] = {}
    for name, file in known.items():
        old_files.setdefault(Location(file).in_file().path, set()).add(name)
    missing = [file for file in old_files if not os.path.lexists(os.path.join(folder, file))]
    new_files: dict[str, list[int]] = {}
    for k, f in enumerate(findings if missing else ()):
        new_files.setdefault(f.location.in_file().path, []).append(k)
    found = list(names)
    moved = [file for file, rows in new_files.items() if not any(names[k] in known for k in rows)]
    for file in moved:
        similar = missing if len(missing) * len(moved) <= MOST_PAIRS else [old for old in missing if _base(old) == _base(file)]
        rows = new_files[file]
        as_old = {old: fingerprints(path, [_moved(findings[k], os.path.join(folder, old)) for k in rows]) for old in similar}
        best = max(as_old, key=lambda old: len(old_files[old].intersection(as_old[old])), default=None)
        if best is not None and 3 * len(old_files[best].intersection(as_old[best])) >= 2 * len(old_files[best].union(as_old[best])):
            missing.remove(best)
            output.note(f"{path}: {best} does not exist, and {file} has its findings: it counts as renamed; --update-baseline records that")
            for k, name in zip(rows, as_old[best]):
                found[k] = name
    return found


def _base(path: str) -> str:
    return os.path.basename(path)


def _moved(f: Finding, path: str) -> Finding:
    """The finding as it would be in the file `path`."""
    place = f.location.in_file()
    return replace(f, location=replace(place, path=path), message=f.message.replace(place.path, path))
