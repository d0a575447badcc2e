"""Alias modules: what they hand out, and what they say about names that are gone."""

from __future__ import annotations

from .conftest import Run


def caught(statement: str) -> str:
    """A program that prints the class and the text of what `statement` raises."""
    return f"""
try:
    {statement}
except Exception as error:
    print(isinstance(error, ImportError), isinstance(error, AttributeError), str(error))
"""


def test_all_ways_to_import_lead_to_one_module(legacy: Run) -> None:
    """`import a.b as c`, `from a import b` and attributes give the same object."""
    program = """
import theano, theano.tensor as T
from theano import tensor
print(T is tensor is theano.tensor, T.nnet is theano.tensor.nnet)
"""
    assert legacy(program) == "True True"


def test_classes_are_the_frameworks_own(legacy: Run) -> None:
    """isinstance works: nothing is wrapped."""
    program = """
import theano, theano.tensor as T
print(isinstance(T.matrix(), theano.gof.Variable), isinstance(T.fmatrix(), T.TensorVariable))
"""
    assert legacy(program) == "True True"


def test_star_import_brings_the_names(legacy: Run) -> None:
    """`from theano.tensor import *` binds the public names, the adapted ones among them."""
    assert legacy("from theano.tensor import *; print(callable(dot), matrix('x').name)") == "True x"


def test_sharing_with_the_framework(legacy: Run) -> None:
    """A shared variable made under the old name is one of the framework."""
    program = """
import theano, numpy
w = theano.shared(numpy.zeros(3), name='w', borrow=True)
print(isinstance(w, theano.compile.SharedVariable), type(w).__module__.split('.')[0])
"""
    assert legacy(program).startswith("True")
    assert legacy(program).split()[1] in ("aesara", "pytensor")


def test_missing_attribute_names_the_replacement(legacy: Run) -> None:
    """`hasattr` is false, and the error says what to write."""
    said = legacy("import theano; print(hasattr(theano, 'test'))" + caught("theano.test"))
    assert said.startswith("False\nFalse True theano.test has no counterpart in")
    assert said.endswith(" runs its tests with pytest")


def test_from_import_of_a_gone_name_names_the_replacement(legacy: Run) -> None:
    """`from theano import gone` is an ImportError with the same text."""
    said = legacy(caught("from theano import test"))
    assert said.startswith("True False theano.test has no counterpart in")


def test_gone_module_names_the_replacement(legacy: Run) -> None:
    """The inside of the old GPU back-end is an ImportError that says how a GPU is reached today."""
    said = legacy(caught("import theano.sandbox.cuda.opt"))
    assert said.startswith("True False theano.sandbox.cuda")
    assert " has no counterpart in" in said
    assert "mode='JAX'" in said


def test_unknown_name_is_an_error_of_ours(legacy: Run) -> None:
    """A name that no framework ever had is not invented."""
    assert "theano.tensor.nonsense has no counterpart in" in legacy(caught("import theano.tensor; theano.tensor.nonsense"))


def test_gof_and_compile_names(legacy: Run) -> None:
    """The modules that later frameworks split up still hold their names."""
    program = """
import theano
from theano.gof import Op, Apply, Constant, FunctionGraph
from theano.gof.graph import inputs
from theano.compile.sharedvalue import SharedVariable
from theano.compile.mode import get_default_mode
from theano.ifelse import ifelse
from theano.updates import OrderedUpdates
x = theano.tensor.vector()
print(inputs([x * 2]) [0] is x or x in inputs([x * 2]), theano.clone(x * 2, {x: x + 1}).owner is not None)
"""
    assert legacy(program) == "True True"


def test_modules_and_functions_of_one_name(legacy: Run) -> None:
    """`theano.ifelse` is a module; `theano.tensor.var` and `sort` are functions, also after an import of the modules."""
    program = """
import theano, theano.tensor as T, theano.tensor.var, theano.tensor.sort
from theano.tensor.var import TensorVariable
print(callable(theano.ifelse.ifelse), callable(T.var), callable(T.sort), isinstance(T.var(T.vector()), TensorVariable))
"""
    assert legacy(program) == "True True True True"


def test_random_streams(legacy: Run) -> None:
    """Both generators draw what was asked for, with the dtype that was asked for."""
    program = """
import theano, numpy
from theano.tensor.shared_randomstreams import RandomStreams
from theano.sandbox.rng_mrg import MRG_RandomStreams
for kind in (RandomStreams, MRG_RandomStreams):
    rng = kind(seed=234)
    u, b, n = rng.uniform((4, 5), low=2., high=3.), rng.binomial(size=(1000,), n=1, p=0.25), rng.normal((1000,), avg=5., std=0.1)
    u, b, n = theano.function([], [u, b, n], mode=theano.Mode(linker='py', optimizer=None))()
    print(u.shape, bool((u >= 2).all() and (u < 3).all()), b.dtype, 150 < b.sum() < 350, abs(n.mean() - 5) < 0.1)
"""
    assert legacy(program).splitlines() == ["(4, 5) True int64 True True"] * 2


def test_old_signatures(legacy: Run) -> None:
    """Positional dtype, broadcast patterns and the order of `tensor`'s arguments are Theano's."""
    program = """
import theano.tensor as T
print(T.matrix('x', 'int32').dtype, T.tensor('float32', (False, True), 'y').broadcastable, T.TensorType('int8', (True,))('z').broadcastable)
print(T.row().broadcastable, T.col().broadcastable, T.tensor4('k').ndim)
"""
    assert legacy(program).splitlines() == ["int32 (False, True) (True,)", "(True, False) (False, True) 4"]


def test_function_keywords(legacy: Run) -> None:
    """givens, updates and allow_input_downcast work as they did."""
    program = """
import theano, theano.tensor as T, numpy
s = theano.shared(numpy.zeros(3, dtype=theano.config.floatX)); x = T.vector('x'); i = T.lscalar('i')
mode = theano.Mode(linker='py', optimizer=None)
f = theano.function([i], (x * 2).sum(), updates=[(s, s + 1)], givens={x: s[:i]}, mode=mode)
print(float(f(2)), float(f(2)), s.get_value().tolist())
g = theano.function([x], x.sum(), allow_input_downcast=True, mode=mode)
print(float(g(numpy.ones(3))))
"""
    assert legacy(program).splitlines() == ["0.0 4.0 [2.0, 2.0, 2.0]", "3.0"]


def test_scan(legacy: Run) -> None:
    """theano.scan gives outputs and updates."""
    program = """
import theano, theano.tensor as T
out, updates = theano.scan(lambda prior: prior * 2, outputs_info=T.constant(1.0), n_steps=4)
print(theano.function([], out, updates=updates, mode=theano.Mode(linker='py', optimizer=None))().tolist())
"""
    assert legacy(program) == "[2.0, 4.0, 8.0, 16.0]"


def test_aesaras_softmax_keeps_its_own_default(legacy: Run) -> None:
    """`aesara.tensor.nnet.softmax` of a vector is a vector, whoever serves the name."""
    program = """
import aesara, aesara.tensor as at
from aesara.tensor.nnet import softmax
print(softmax(at.constant([1.0, 2.0])).ndim, softmax(at.constant([[1.0, 2.0]]), axis=0).ndim)
"""
    assert legacy(program) == "1 2"
