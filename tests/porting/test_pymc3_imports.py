"""Sources of PyMC3 that are moved to PyMC."""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path

import pytest

from tests import interpreters
from tests.cli.run import theanodiag
from tests.compat.pymc3.test_models import answers, in_pymc3
from theanodiag.porting.model import FRAMEWORKS, PortOptions, Safety, Style
from theanodiag.porting.source_port import port_text

SCRIPTS = interpreters.ROOT / "tests" / "compat" / "pymc3" / "scripts"
_IMPORT = "import pymc3 as pm"
_RESTORE = "import theanodiag.compat.libraries.restore  # before the imports of NumPy, pandas, matplotlib ...\n"
COMPAT = PortOptions(style=Style.COMPAT)


def moved(text: str) -> str:
    """The text in compat style."""
    return port_text(text, "x.py", COMPAT).after


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("import pymc3 as pm\n", "from theanodiag.compat import pymc3 as pm\n"),
        ("import pymc3\nx = pymc3.Model\n", "from theanodiag.compat import pymc3\nx = pymc3.Model\n"),
        ("import os, pymc3 as pm, sys\n", "import os, sys\nfrom theanodiag.compat import pymc3 as pm\n"),
        ("import os, pymc3, pymc3.gp\n", "import os\nfrom theanodiag.compat import pymc3\n"),
        ("import pymc3, pymc3.gp, os\n", "import os\nfrom theanodiag.compat import pymc3\n"),
        ("if 1:\n    import os, pymc3\n", "if 1:\n    import os\n    from theanodiag.compat import pymc3\n"),
        ("import os, pymc3; x = 1\n", "import os; from theanodiag.compat import pymc3; x = 1\n"),
        ("import pymc3.gp.cov as c  # why\n", "from theanodiag.compat.pymc3.gp import cov as c  # why\n"),
        ("from pymc3.math import dot\r\n", "from theanodiag.compat.pymc3.math import dot\r\n"),
        ("from pymc3 import (Normal,  # a\n  Model)\n", "from theanodiag.compat.pymc3 import (Normal,  # a\n  Model)\n"),
        ("from pymc3 import *\n", "from theanodiag.compat.pymc3 import *\n"),
        ("import theano, pymc3 as pm\ntheano.shared(1)\n",
         "import pytensor\nfrom theanodiag.compat import pymc3 as pm\npytensor.shared(1)\n"),
        ("import pymc3 as pm\nimport theano.tensor as tt\ntt.sqr(1)\n",
         "from theanodiag.compat import pymc3 as pm\nimport pytensor.tensor as tt\ntt.square(1)\n"),
        ('"""About."""\nimport numpy as np\nx = np.int(1)\nimport pymc3\n',
         f'"""About."""\n{_RESTORE}import numpy as np\nx = np.int(1)\nfrom theanodiag.compat import pymc3\n'),
        ("from scipy.misc import logsumexp\nimport pymc3\n",
         f"{_RESTORE}from scipy.misc import logsumexp\nfrom theanodiag.compat import pymc3\n"),
        ("from matplotlib import pyplot as plt\ndef f(): plt.show()\nimport pymc3\nplt.show()\n",
         "from matplotlib import pyplot as plt\ndef f(): plt.show()\nfrom theanodiag.compat import pymc3\nplt.show()\n"),
        ("import pymc3.external\n", "import pymc3.external\n"),
        ("import pymc3_models\nfrom . import pymc3\nx = pymc3.BART\n", "import pymc3_models\nfrom . import pymc3\nx = pymc3.BART\n"),
    ],
)  # fmt: skip
def test_imports_become_those_of_the_layer(before: str, after: str) -> None:
    """Each form of the statement, what stands beside it kept; a second port changes nothing."""
    assert moved(before) == after
    assert moved(after) == after


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("import pymc3 as pm\npm.BART.dist(x, y)\npm.Normal\n", [(2, "pymc3.BART.dist")]),
        ("from pymc3 import BART, Normal\n", [(1, "pymc3.BART")]),
        ("from pymc3.external import families\n", [(1, "pymc3.external")]),
        ("from pymc3 import *\nBART\n", [(2, "pymc3.BART")]),
        ("import pymc3 as pm\ndef f(pm):\n    return pm.BART\n", []),
        ("import pymc3 as pm\nprint(f'{pm.distributions.BART}')\n", [(2, "pymc3.distributions.BART")]),
        ("import pymc3 as pm\npm.variational.flows\n", [(2, "pymc3.variational.flows")]),
        ("import pymc3 as pm\nimport pymc\n", [(2, "pymc")]),
        ("import pymc\n", []),
    ],
)
def test_what_pymc_has_no_counterpart_for_is_left_by_hand(text: str, found: list[tuple[int, str]]) -> None:
    """At each use, with what to write."""
    changes = [c for c in port_text(text, "x.py", COMPAT).changes if c.safety is Safety.BY_HAND]
    assert [(c.span.line, c.name) for c in changes] == found
    assert all(c.advice for c in changes)


def test_aesara_is_no_place_for_models() -> None:
    """No release of PyMC 5 or newer computes with Aesara."""
    report = port_text("import theano\nimport pymc3\n", "x.py", PortOptions("aesara"))
    assert "import pymc3\n" in report.after
    assert report.count(Safety.BY_HAND) == 1


@pytest.mark.parametrize("to", FRAMEWORKS)
def test_the_command_names_where_it_moves_to(tmp_path: Path, to: str) -> None:
    """With a notebook, whose outputs and other cells stay."""
    cells = [
        {"cell_type": "code", "metadata": {}, "outputs": [], "execution_count": 1, "source": ["%matplotlib inline\n", "import pymc3 as pm"]}
    ]
    path = tmp_path / "n.ipynb"
    path.write_text(json.dumps({"cells": cells, "metadata": {}, "nbformat": 4, "nbformat_minor": 2}), encoding="utf-8")
    done = theanodiag("port", "--to", to, "--write", "--force", "--style", "compat", str(path))
    source = json.loads(path.read_text(encoding="utf-8"))["cells"][0]["source"]
    assert source == ["%matplotlib inline\n", _IMPORT if to in ("aesara", "theano") else "from theanodiag.compat import pymc3 as pm"]
    assert ("1 imports theanodiag, which must be installed" in done.stderr) is (to not in ("aesara", "theano"))


@pytest.mark.parametrize("name", interpreters.first(("pymc",), ("pymc", "pymc5")))
@pytest.mark.parametrize("script", interpreters.first(("schools.py",), sorted(p.name for p in SCRIPTS.glob("*.py"))))
def test_a_moved_script_has_the_answers_of_pymc3(script: str, name: str, tmp_path: Path) -> None:
    """Run by Python itself, without `theanodiag run`: shapes and names equal, means within a third of a standard deviation."""
    python = interpreters.find(name)
    interpreters.find("pymc3")
    path = tmp_path / script
    path.write_text(moved((SCRIPTS / script).read_text(encoding="utf-8")), encoding="utf-8")
    env = {**os.environ, "PYTHONPATH": str(interpreters.ROOT)}
    done = subprocess.run([python, str(path)], env=env, capture_output=True, text=True, timeout=900, check=False)
    shapes, means = answers(done.stdout, done.stderr)
    their_shapes, their_means = in_pymc3(SCRIPTS / script)
    assert shapes == their_shapes
    for key, (mean, spread) in their_means.items():
        assert abs(means[key][0] - mean) < 0.34 * spread, (key, means[key], (mean, spread))


def test_modules_of_pymc3_are_imported_from_the_layer() -> None:
    """By each form of import that a moved source has; what is gone says what to write."""
    text = """
from theanodiag.compat.pymc3.gp import cov as c
from theanodiag.compat.pymc3.distributions.transforms import log, Interval
import theanodiag.compat.pymc3.math as m
from theanodiag.compat.pymc3 import *
assert Normal.__module__.startswith("theanodiag"), Normal
assert m.abs_ and c.ExpQuad and log and gp.cov is c
for text, said in (
    ("from theanodiag.compat.pymc3 import BART", "separate package"),
    ("import theanodiag.compat.pymc3.external", "Edward models"),
):
    try:
        exec(text)
    except ImportError as error:
        assert said in str(error), error
    else:
        raise SystemExit(text)
"""
    done = interpreters.python("pymc", "-c", text, env={"PYTHONPATH": str(interpreters.ROOT)})
    assert done.returncode == 0, done.stderr


EARLY = """
import matplotlib.pyplot as plt
plt.style.use("seaborn-darkgrid")
from scipy.misc import logsumexp
import numpy as np
np.int(logsumexp([1.0]))
import pymc3 as pm
print("ANSWERS", pm.__version__ == "3.11.5")
"""


@pytest.mark.parametrize("form", ["ported", "run", "notebook"])
def test_code_before_the_import_of_pymc3_finds_removed_names(form: str, tmp_path: Path) -> None:
    """Styles, functions and modules that libraries removed, in a ported script, and in a script or a notebook as it is."""
    python = interpreters.find("pymc")
    cells = [{"cell_type": "code", "metadata": {}, "outputs": [], "execution_count": None, "source": part} for part in EARLY.split("\n")]
    path = tmp_path / ("x.ipynb" if form == "notebook" else "x.py")
    path.write_text(
        json.dumps({"cells": cells, "metadata": {}, "nbformat": 4, "nbformat_minor": 2}) if form == "notebook"
        else moved(EARLY) if form == "ported" else EARLY,
        encoding="utf-8",
    )  # fmt: skip
    env = {**os.environ, "PYTHONPATH": str(interpreters.ROOT), "MPLBACKEND": "Agg"}
    if form == "ported":
        done = subprocess.run([python, str(path)], env=env, capture_output=True, text=True, timeout=900, check=False)
    else:
        done = theanodiag("run", "--python", python, str(path), env={"MPLBACKEND": "Agg"})
    assert "ANSWERS True" in done.stdout, done.stderr[-2000:]


def test_a_flag_that_theano_never_had_is_left_out() -> None:
    """Setting it has no effect; where the source also reads it, by hand."""
    text = "import theano\ntheano.config.test_values = 'raise'\nimport pymc3\n"
    report = port_text(text, "x.py", PortOptions())
    assert "test_values" not in report.after
    assert report.count(Safety.BY_HAND) == 0
    report = port_text(text + "print(theano.config.test_values)\n", "x.py", PortOptions())
    assert report.count(Safety.BY_HAND) == 2
