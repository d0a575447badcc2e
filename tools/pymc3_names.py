"""Writes docs/pymc3-names.md: every public name of PyMC3, and what a script gets for it over PyMC, or has to write instead.

    python tools/pymc3_names.py PYMC3 PYMC        interpreters with PyMC3 3.11.5 and with PyMC

Names of 3.11.5 are those that its modules define, by `__all__` where they have one; those of 3.0 to 3.10 that it has no more stand in
tests/compat/pymc3/older_names.txt.
"""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
PAGE = ROOT / "docs" / "pymc3-names.md"
OLDER = ROOT / "tests" / "compat" / "pymc3" / "older_names.txt"
LEAKED = {"handler", "mp", "numpy", "platform", "semver", "test", "tests"}
"""What PyMC3's `__init__` imports for itself: no names of its interface."""
TWICE = {"backends.report.get_untransformed_name", "backends.report.is_transformed_name", "smc.smc.NDArray"}
"""What a module imports for itself from another of PyMC3, where it is served."""
LISTED = """
import importlib, json, pkgutil, types
import pymc3
found = {"": [n for n in dir(pymc3) if not n.startswith("_")]}
for info in pkgutil.walk_packages(pymc3.__path__, "pymc3."):
    if ".tests" not in info.name and "examples" not in info.name:
        module = importlib.import_module(info.name)
        names = getattr(module, "__all__", None) or [n for n in vars(module) if not n.startswith("_")]
        own = [n for n in names if str(getattr(getattr(module, n), "__module__", "")).startswith("pymc3")]
        found[info.name[6:]] = [n for n in own if not isinstance(getattr(module, n), types.ModuleType)]
print(json.dumps(found))
"""
RESOLVED = """
import json, sys, warnings
warnings.simplefilter("ignore")
from theanodiag.compat import pymc3
from theanodiag.compat.pymc3 import modules
answers = {}
def reason(error):
    text = str(error)
    return text.partition(": ")[2] if " has no counterpart in PyMC" in text else None
for module, names in json.load(open(sys.argv[1])).items():
    try:
        modules.check(module)
    except ImportError as error:
        answers[module] = {name: ["gone", reason(error)] for name in names or [""]}
        continue
    answers[module] = {}
    for name in names:
        try:
            value = modules.elsewhere(module, name) if module else getattr(pymc3, name)
            where = str(getattr(value, "__module__", ""))
            answers[module][name] = ["layer" if where.startswith("theanodiag") else "pymc", None]
        except AttributeError as error:
            answers[module][name] = ["gone", reason(error)]
print(json.dumps(answers))
"""
"""Module -> name -> [what serves it: this layer, PyMC's own or nothing, what is said of it]."""
Answers = Mapping[str, Mapping[str, Sequence[str]]]
HEAD = """# Every name of PyMC3

This page lists what a PyMC3 script gets for each public name under `run`, or after `port --style compat` ([From PyMC3 to
PyMC](pymc3.md)). "As in PyMC3": provided by this layer, with PyMC3's arguments and defaults; "PyMC's own": PyMC 6.4's object of that
name, with its own arguments. A name without counterpart in PyMC raises an error that says what to write; `port` leaves it to be ported by
hand with the same message. The lists include names of 3.0 to 3.10 that 3.11 no longer had.
"""


def listed(printed: str) -> dict[str, list[str]]:
    """Module -> names: what `LISTED` printed in an interpreter with PyMC3, and the older ones."""
    found: dict[str, list[str]] = {m: [n for n in names if m or n not in LEAKED] for m, names in json.loads(printed).items()}
    found = {m: [n for n in names if f"{m}.{n}" not in TWICE] for m, names in found.items()}
    for line in OLDER.read_text(encoding="utf-8").splitlines():
        module, *names = line.split()
        if module != "#":
            found[module] = [*found.get(module, []), *names]
    return found


def page(answers: Answers) -> str:
    """The text of the page."""
    parts = [HEAD]
    for module in sorted(answers):
        by_kind: dict[str, list[str]] = {}
        for name, (kind, _) in sorted(answers[module].items()):
            by_kind.setdefault(kind, []).append(name)
        if not by_kind:
            continue
        parts.append(f"\n## pymc3{'.' + module if module else ''}\n")
        for kind, words in (("layer", "As in PyMC3"), ("pymc", "PyMC's own")):
            if kind in by_kind:
                parts.append(f"\n{words}: {', '.join(f'`{name}`' for name in by_kind[kind])}.\n")
        if "gone" in by_kind:
            parts.append("\n| gone | |\n|---|---|\n")
            parts += [f"| `{name or module}` | {answers[module][name][1]} |\n" for name in by_kind["gone"]]
    return "".join(parts)


def _printed(python: str, program: str, *args: str) -> str:
    done = subprocess.run([python, "-c", program, *args], cwd=ROOT, capture_output=True, text=True, check=True)
    return done.stdout.splitlines()[-1]


def main() -> None:
    """Writes the page."""
    old, new = sys.argv[1:]
    names = ROOT / "build" / "pymc3_names.json"
    names.parent.mkdir(exist_ok=True)
    names.write_text(json.dumps(listed(_printed(old, LISTED))), encoding="utf-8")
    PAGE.write_text(page(json.loads(_printed(new, RESOLVED, str(names)))), encoding="utf-8")


if __name__ == "__main__":
    main()
