"""Scripts whose statements raise under `compare --density`: each is named, and the next one runs."""

from __future__ import annotations

import json
import sys
from pathlib import Path

from tests.cli.run import theanodiag

CELLS = ("from __future__ import annotations\nimport os\n", "%matplotlib inline\nwith open(os.devnull):\n    zero = 0\n    1 / zero\n",
         "def f(x: unknown):\n    raise KeyError(x)\n\nf('a')\n", "print('the end')\n")  # fmt: skip


def compared(path: Path) -> list[str]:
    """What the comparison of a script with itself prints, and what the script printed, in this Python, without a framework."""
    done = theanodiag("compare", "--density", str(path), "--python", sys.executable, "--against", sys.executable, timeout=60)
    assert done.returncode == 1, done.stderr
    assert done.stderr.count("the end\n") == 2
    return done.stdout.splitlines()


def test_each_statement_that_raises_is_named_and_the_next_one_runs(tmp_path: Path) -> None:
    """By its line; `from __future__` holds for all statements."""
    path = tmp_path / "model.py"
    path.write_text("".join(CELLS).replace("%", "# "), encoding="utf-8")
    lines = compared(path)
    assert lines[3] == "not compared: no model was created in both runs"
    assert lines[4].endswith("model.py: 2 statements failed (draws are made up here, or it has an error), and the run went on:")
    assert lines[5:7] == ["  line 6: ZeroDivisionError: division by zero", "  line 10: KeyError: 'a'"]


def test_a_cell_of_a_notebook_is_named(tmp_path: Path) -> None:
    """With the line in the cell."""
    cells = [{"cell_type": "markdown", "source": "# A model"}, *({"cell_type": "code", "source": cell} for cell in CELLS)]
    path = tmp_path / "model.ipynb"
    path.write_text(json.dumps({"cells": cells, "nbformat": 4}), encoding="utf-8")
    assert compared(path)[5:7] == ["  cell 3, line 4: ZeroDivisionError: division by zero", "  cell 4, line 4: KeyError: 'a'"]


def test_a_script_that_exits_ends(tmp_path: Path) -> None:
    """What sys.exit stands before does not run."""
    path = tmp_path / "model.py"
    path.write_text("import sys\nprint('the end')\nsys.exit(3)\nprint('later')\n", encoding="utf-8")
    assert compared(path)[4].endswith("model.py ended early; later models are missing:")
