"""Every public name of PyMC3 3.0 to 3.11.5 is served over PyMC, or says what to write instead, and docs/pymc3-names.md says which."""

from __future__ import annotations

import json
from pathlib import Path

from tests import interpreters
from theanodiag.porting.pymc3_imports import removed_names
from tools import pymc3_names


def resolved(names: dict[str, list[str]], folder: Path) -> dict[str, dict[str, list[str]]]:
    """Module -> name -> its answer."""
    path = folder / "names.json"
    path.write_text(json.dumps(names), encoding="utf-8")
    env = {"PYTHONPATH": str(interpreters.ROOT)}
    done = interpreters.python("pymc", "-c", pymc3_names.RESOLVED, str(path), env=env, timeout=900)
    answers: dict[str, dict[str, list[str]]] = json.loads(done.stdout.splitlines()[-1])
    return answers


def test_no_name_of_pymc3_is_without_an_answer(tmp_path: Path) -> None:
    """Of all of its modules; the page has them all."""
    interpreters.find("pymc"), interpreters.find("pymc3")
    names = pymc3_names.listed(interpreters.python("pymc3", "-c", pymc3_names.LISTED, timeout=900).stdout.splitlines()[-1])
    assert sum(map(len, names.values())) > 900
    answers = resolved(names, tmp_path)
    assert [f"{m}.{n}" for m, each in answers.items() for n, (kind, said) in each.items() if kind == "gone" and not said] == []
    assert sum(kind != "gone" for each in answers.values() for kind, _ in each.values()) > 700
    assert {name for name, (kind, _) in answers[""].items() if kind != "gone"} & set(removed_names()) == set()  # `port` leaves these
    assert pymc3_names.page(answers) == pymc3_names.PAGE.read_text(encoding="utf-8")
