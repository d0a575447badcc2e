"""Every public name of PyMC3 3.11.5 is served over PyMC, or says what to write instead."""

from __future__ import annotations

import json
from pathlib import Path

from tests import interpreters

LEAKED = {"handler", "mp", "numpy", "platform", "semver", "test", "tests"}
"""What PyMC3's `__init__` imports for itself: no names of its interface."""
TWICE = {"backends.report.get_untransformed_name", "backends.report.is_transformed_name", "smc.smc.NDArray"}
"""What a module imports for itself from another of PyMC3, where it is served."""
OLDER = Path(__file__).with_name("older_names.txt")
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
missing, served = [], 0
for module, names in json.load(open(sys.argv[1])).items():
    try:
        modules.check(module)
    except ImportError as error:
        missing += [] if "in PyMC: " in str(error) else [module]
        continue
    for name in names:
        try:
            modules.elsewhere(module, name) if module else getattr(pymc3, name)
            served += 1
        except AttributeError as error:
            missing += [] if "in PyMC: " in str(error) or "in PyMC " in str(error) else [module + "." + name]
print(json.dumps([missing, served]))
"""


def test_no_name_of_an_older_pymc3_is_without_an_answer(tmp_path: Path) -> None:
    """Names of 3.0 to 3.10 that 3.11 no longer had."""
    rows = [line.split() for line in OLDER.read_text(encoding="utf-8").splitlines() if not line.startswith("#")]
    path = tmp_path / "names.json"
    path.write_text(json.dumps({module: names for module, *names in rows}), encoding="utf-8")
    done = interpreters.python("pymc", "-c", RESOLVED, str(path), env={"PYTHONPATH": str(interpreters.ROOT)}, timeout=900)
    assert json.loads(done.stdout.splitlines()[-1])[0] == []


def test_no_name_of_pymc3_is_without_an_answer(tmp_path: Path) -> None:
    """Of all of its modules."""
    interpreters.find("pymc"), interpreters.find("pymc3")
    listed = interpreters.python("pymc3", "-c", LISTED, timeout=900).stdout.splitlines()[-1]
    path = tmp_path / "names.json"
    path.write_text(listed, encoding="utf-8")
    assert sum(map(len, json.loads(listed).values())) > 800
    done = interpreters.python("pymc", "-c", RESOLVED, str(path), env={"PYTHONPATH": str(interpreters.ROOT)}, timeout=900)
    missing, served = json.loads(done.stdout.splitlines()[-1])
    assert set(missing) - TWICE == {f".{name}" for name in LEAKED}
    assert served > 600
