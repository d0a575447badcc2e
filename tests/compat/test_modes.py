"""What is said where a mode cannot run an Op: the line of the script that uses it, and what to do."""

from __future__ import annotations

import pytest

from tests import interpreters

from .conftest import START

ONLY_C = """
import theano, theano.tensor as T
class Twice(theano.gof.Op):
    __props__ = ()
    def make_node(self, x):
        return theano.gof.Apply(self, [x], [x.type()])
    def c_code(self, node, name, inputs, outputs, sub):
        return ""
x = T.vector()
y = Twice()(x)  # here
try:
    theano.function([x], y + 1, mode=MODE)
except Exception as error:
    print(type(error).__name__, error)
"""


WAYS = [("pytensor", "FAST_COMPILE"), ("pytensor", "FAST_RUN"), ("pytensor", "NUMBA"), ("jax", "JAX"), ("torch", "PYTORCH")]


@pytest.mark.parametrize(("interpreter", "mode"), WAYS)
def test_an_op_with_only_c_code_is_refused_when_the_function_is_made(interpreter: str, mode: str) -> None:
    """With the line on which the Op is applied, not the one inside its own make_node."""
    program = START + ONLY_C.replace("MODE", repr(mode))
    interpreters.find(interpreter)
    done = interpreters.python(interpreter, "-W", "ignore", "-c", program)
    assert done.returncode == 0, done.stderr
    line = program.splitlines().index("y = Twice()(x)  # here") + 1
    assert done.stdout.startswith(f"MethodNotDefined <string>:{line}: Op Twice cannot run: it has only C code"), done.stdout
