"""What is aliased, by which framework, and that a framework under its own name always wins."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests import interpreters
from theanodiag.compat import install

from .conftest import COMPAT, START, Run

PYTHON2 = f"import imp; print(imp.load_source('compat', {str(COMPAT / '__init__.py')!r}).install()['aliases'])"


def describe(name: str) -> dict[str, dict[str, str]]:
    """What `install()` says it did in an interpreter."""
    done = interpreters.python(name, "-c", START + "import json; print(json.dumps(done))")
    assert done.returncode == 0, done.stderr
    found: dict[str, dict[str, str]] = json.loads(done.stdout)
    return found


def test_nothing_is_aliased_without_a_framework() -> None:
    """An interpreter without Aesara and PyTensor is left alone."""
    assert install()["aliases"] == {}


def test_theano_under_its_own_name_wins() -> None:
    """Where Theano is installed only Aesara could be missing, and nothing stands in for it."""
    assert describe("theano")["aliases"] == {}


def test_aesara_stands_in_for_theano() -> None:
    """Aesara is served under its own name by itself."""
    assert describe("aesara")["aliases"] == {"theano": "aesara"}


def test_pytensor_stands_in_for_both() -> None:
    """PyTensor serves both older names."""
    assert describe("pytensor")["aliases"] == {"theano": "pytensor", "aesara": "pytensor"}


def test_python2_is_left_alone() -> None:
    """CPython 2.7 reads the entry file and aliases nothing."""
    done = interpreters.python("theano27", "-c", PYTHON2)
    assert (done.stdout.strip(), done.returncode) == ("{}", 0), done.stderr


def test_a_package_found_later_wins(legacy: Run, tmp_path: Path) -> None:
    """A folder with a real package that comes onto sys.path after `install` is not hidden."""
    package = tmp_path / "theano"
    package.mkdir()
    (package / "__init__.py").write_text("__version__ = 'real'\n")
    assert legacy(f"sys.path.insert(0, {str(tmp_path)!r}); import theano; print(theano.__version__)") == "real"


def test_a_bare_folder_does_not_win(legacy: Run, tmp_path: Path) -> None:
    """A folder named like the framework, without code in it, is no framework."""
    (tmp_path / "theano").mkdir()
    program = f"sys.path.insert(0, {str(tmp_path)!r}); import theano; print(callable(theano.function))"
    assert legacy(program) == "True"


def test_the_framework_is_not_imported_too_early(legacy: Run) -> None:
    """`install` alone costs no import of a framework."""
    assert legacy("print([n for n in ('aesara', 'pytensor') if n in sys.modules])") == "[]"


def test_flags_reach_the_framework(stand_in: str) -> None:
    """THEANO_FLAGS set the flags of the framework that stands in."""
    env = {"THEANO_FLAGS": "floatX=float32,device=cuda0", "PYTENSOR_FLAGS": "", "AESARA_FLAGS": ""}
    done = interpreters.python(stand_in, "-c", START + "import theano; print(theano.config.floatX, done['dropped'])", env=env)
    assert done.stdout.strip() == "float32 ['device=cuda0']"


def test_module_runs_a_script(stand_in: str, tmp_path: Path) -> None:
    """`python -m theanodiag.compat script.py args` runs it as the main program."""
    script = tmp_path / "legacy.py"
    script.write_text("import sys, theano\nprint(__name__, sys.argv[1:], theano.__version__)\n")
    env = {"PYTHONPATH": str(COMPAT.parents[1])}
    done = interpreters.python(stand_in, "-m", "theanodiag.compat", str(script), "a", env=env)
    assert done.stdout.strip() == "__main__ ['a'] 1.0.5", done.stderr


@pytest.mark.parametrize("preferred", ["aesara", "pytensor"])
def test_preferred_is_ignored_where_it_is_not_installed(preferred: str) -> None:
    """Asking for a framework does not conjure it up."""
    assert install(preferred)["aliases"] == {}


def test_compiling_does_not_change_how_often_garbage_is_collected() -> None:
    """Full collections are fewer only while a function is compiled, also if that fails."""
    script = """
import gc, theano, theano.tensor as T
before, seen = gc.get_threshold(), []
class Noting(theano.Op):
    def make_node(self, x):
        return theano.Apply(self, [x], [x.type()])
    def perform(self, node, inputs, outputs):
        outputs[0][0] = inputs[0]
    def infer_shape(self, *arguments):
        seen.append(gc.get_threshold())
        return arguments[-1]
x = T.vector()
theano.function([x], Noting()(x).shape[0])
try:
    theano.function([], x)
except Exception as error:
    print(type(error).__name__, gc.get_threshold() == before, {t[2] // before[2] for t in seen})
"""
    done = interpreters.python("pytensor_new", "-c", START + script)
    assert done.stdout.strip() == "MissingInputError True {10}", done.stderr
