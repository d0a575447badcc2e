"""Plans of TD340 applied for real: `python -m tests.samplers.advice ENVIRONMENT [only=WORD] SCRIPT[@SAMPLER]...`, a line a plan.

Only plans with WORD in them, where it is given. Each plan is written into the script's one call of `pymc.sample`, and the script is
run: the peak that the plan was said to have, beside what the process rose by.
"""

from __future__ import annotations

import ast
import json
import re
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import theanodiag
from tests.interpreters import find, python
from tests.samplers.compare import run_time, written
from theanodiag.jobs.confirm import INSTRUMENT

IMPORTS = "import zarr\nfrom pymc.backends.zarr import ZarrTrace\n"

SINGLE = """
import pytensor
pytensor.config.floatX = "float32"
for name, value in list(globals().items()):
    if isinstance(value, np.ndarray) and value.dtype == "float64":
        globals()[name] = value.astype("float32")
"""
"""In front of the model: single precision, with the data."""


@dataclass(frozen=True)
class Applied:
    """One plan: bytes above what the compiled model holds."""

    script: str
    change: str
    predicted: int
    measured: int


def applied(environment: str, script: str, only: str = "") -> Iterator[Applied]:
    """The plans for a script that samples once, the call as it is first."""
    with tempfile.TemporaryDirectory() as folder:
        path = written(script, Path(folder))
        source = path.read_text()
        (call,) = theanodiag.check(path, python=find(environment), device="none", stdout=2).sampling[:1]
        yield Applied(script, "as it is", run_time(call.profile.peak), _measured(environment, source, Path(folder)))
        for plan in (p for p in call.plans if only in p.change):
            text = changed(source, plan.change)
            yield Applied(script, plan.change, run_time(plan.after.peak), _measured(environment, text, Path(folder)))


def changed(source: str, change: str) -> str:
    """The script with what a plan says."""
    if change.startswith("pytensor.config.floatX"):
        return source.replace("\nwith pm.Model", SINGLE + "with pm.Model", 1)
    tree = ast.parse(source)
    call = next(n for n in ast.walk(tree) if isinstance(n, ast.Call) and ast.unparse(n.func) == "pm.sample")
    asked = ast.parse(f"f({change})", mode="eval").body
    assert isinstance(asked, ast.Call)
    names = {k.arg for k in asked.keywords}
    if "draws" in names:
        call.args = []
    for own, new in ((k, n) for k in call.keywords for n in asked.keywords if k.arg == n.arg):
        if isinstance(own.value, ast.Dict) and isinstance(new.value, ast.Dict):  # the last of equal keys counts
            new.value = ast.Dict(own.value.keys + new.value.keys, own.value.values + new.value.values)
    call.keywords = [k for k in call.keywords if k.arg not in names] + asked.keywords
    return (IMPORTS if "trace" in names else "") + ast.unparse(tree)


def _measured(environment: str, source: str, folder: Path) -> int:
    path, out = folder / "changed.py", folder / "rows"
    path.write_text(re.sub(r'"draws\.zarr"|\'draws\.zarr\'', repr(str(folder / "draws.zarr")), source))
    out.unlink(missing_ok=True)
    done = python(environment, str(INSTRUMENT), str(out), "[]", str(path), timeout=900)
    assert done.returncode == 0, done.stderr
    return int(json.loads(out.read_text().splitlines()[0])["peak"])


def main(argv: list[str]) -> None:
    """Prints the table."""
    print("| script | plan | predicted MiB | measured MiB | ratio |\n|---|---|---:|---:|---:|", flush=True)
    only = next((a[len("only=") :] for a in argv[1:] if a.startswith("only=")), "")
    for script in (a for a in argv[1:] if not a.startswith("only=")):
        try:
            for a in applied(argv[0], script, only):
                sizes = a.predicted / 2**20, a.measured / 2**20
                print(f"| {a.script} | `{a.change}` | {sizes[0]:.1f} | {sizes[1]:.1f} | {sizes[0] / sizes[1]:.3f} |", flush=True)
        except AssertionError as error:
            print(f"| {script} | failed: {str(error)[-300:]} |", flush=True)


if __name__ == "__main__":
    main(sys.argv[1:])
