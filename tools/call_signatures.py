"""Writes what the functions and classes of each framework take, as its newest release that the tables know says itself.

    python tools/call_signatures.py --python theano=PY --python aesara=PY --python pytensor=PY [--check]

writes `theanodiag/compat/names/signatures/<framework>.txt` with the help of an interpreter that has the release. The names are
those of `theanodiag/compat/names/legacy`, where they are defined. A line is a module, what the names behind it take, a bar, and the
names. A parameter is `a` where it has to be given, `a?` where it has a default, `=a` where it is given by name only; `*` and `**`
take whatever else there is. Names whose objects tell nothing are left out.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Mapping
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from theanodiag.compat.names import legacy, signatures

LEFT_OUT = ("link.c.cutils",)
"""Modules that are there or not, by what was compiled on the machine before."""
ASKED = r"""
import importlib, inspect, json, sys, warnings
warnings.simplefilter("ignore")
root, names, found = sys.argv[1], json.load(sys.stdin), {}
MARKS = {0: "", 1: "", 2: "*", 3: "=", 4: "**"}
for full in names:
    module, _, last = full.rpartition(".")
    try:
        thing = getattr(importlib.import_module(root + ("." + module if module else "")), last)
        taken = inspect.signature(thing).parameters.values()
    except Exception:
        continue
    found[full] = " ".join(
        MARKS[int(p.kind)] + ("" if int(p.kind) in (2, 4) else p.name + ("" if p.default is p.empty else "?")) for p in taken
    )
print("\n" + json.dumps(found))
"""


def asked(root: str, python: str) -> dict[str, str]:
    """What an interpreter says of each name of its framework's last series."""
    last = legacy.LAST[root]
    names = [
        f"{module}.{name}" if module else name
        for module, held in legacy.table(root).items()
        if module not in LEFT_OUT
        for name, row in held.items()
        if row.series.endswith(last) and not row.origin
    ]
    command = [python, "-c", ASKED, root]
    with tempfile.TemporaryDirectory() as empty:  # some names are there until a module was compiled
        env = {**os.environ, f"{root.upper()}_FLAGS": f"cxx=,base_compiledir={empty}"}
        done = subprocess.run(command, input=json.dumps(names), env=env, capture_output=True, text=True, check=True)
    return dict(json.loads(done.stdout.splitlines()[-1]))


def written(found: Mapping[str, str]) -> str:
    """The text of a data file."""
    groups: dict[tuple[str, str], list[str]] = {}
    for full, taken in found.items():
        module, _, last = full.rpartition(".")
        groups.setdefault((module or ".", taken), []).append(last)
    return "".join(f"{module} {taken} | {' '.join(sorted(names))}\n" for (module, taken), names in sorted(groups.items()))


def main() -> int:
    """Writes the data files, or with --check says whether they are up to date."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--python", metavar="FRAMEWORK=PY", action="append", required=True, help="an interpreter that has the release")
    parser.add_argument("--check", action="store_true", help="write nothing; exit status 1 where a file is another")
    options = parser.parse_args()
    other = 0
    for root, _, python in (pair.partition("=") for pair in options.python):
        text, path = written(asked(root, python)), signatures.path(root)
        if options.check:
            other |= int(text != path.read_text(encoding="utf-8"))
        else:
            path.write_text(text, encoding="utf-8")
    return other


if __name__ == "__main__":
    sys.exit(main())
