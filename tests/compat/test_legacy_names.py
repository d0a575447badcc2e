"""Every public name of all releases is served over PyTensor, or its error says why it is not and what to write."""

from __future__ import annotations

import functools
import json
from pathlib import Path

import pytest

from tests import interpreters
from theanodiag.compat.names import legacy
from theanodiag.compat.names.reasons import RULES, reason

from .conftest import COMPAT, START

PROBE = Path(__file__).with_name("names_probe.py")
DATA = COMPAT / "names" / "legacy"


@functools.cache
def outcomes(name: str) -> dict[str, str]:
    """What became of each name in one interpreter."""
    done = interpreters.python(name, "-c", START + PROBE.read_text(), env={"LEGACY_NAMES": str(DATA)}, timeout=900)
    assert done.returncode == 0, done.stderr
    found: dict[str, str] = json.loads(done.stdout.splitlines()[-1])
    return found


def test_the_releases_names_are_there() -> None:
    """Names that came and went: of each series the table has some."""
    known = {(root, name): legacy.known(root, name) for root, name in [
        ("theano", "tensor.signal.downsample.max_pool_2d"), ("theano", "Param"), ("theano", "Module"), ("theano", "gpuarray.use"),
        ("theano", "tensor.nnet.conv2d"), ("theano", "tensor.nonsense"), ("aesara", "tensor.nnet.conv2d"),
    ]}  # fmt: skip
    assert [row and row.series for row in known.values()] == ["0.6-0.8", "0.6-1.0", "0.6", "0.9-1.0", "0.6-1.0", None, "2.9"]
    assert sum(len(names) for root in ("theano", "aesara") for names in legacy.table(root).values()) > 15000


def test_an_import_is_followed_to_its_definition() -> None:
    """`theano.tensor.signal.pool.Apply` was imported from `theano`, which has it from `theano.gof`."""
    assert legacy.origin("theano", "tensor.signal.pool.Apply")[:2] == ("Apply", "gof.Apply")
    assert legacy.origin("theano", "tensor.signal.pool.pool_2d") == ()


@pytest.mark.parametrize("name", ["pytensor", "pytensor_new"])
def test_each_name_is_served_or_reasoned(name: str) -> None:
    """None is a bare error, and none an error of another kind."""
    found = outcomes(name)
    assert len(found) > 15000
    reasoned = (" has no counterpart in ", "; instead: ")
    assert {n: said for n, said in found.items() if said != "served" and not all(part in said for part in reasoned)} == {}


def test_most_are_served() -> None:
    """Reasons are for what no script can be given."""
    served = sum(said == "served" for said in outcomes("pytensor").values())
    assert served > 0.7 * len(outcomes("pytensor"))


USED = """theano.version.version theano.version.short_version theano.tensor.shared theano.tensor.randomstreams.RandomStreams
    theano.tensor.signal.downsample.DownsampleFactorMax theano.sandbox.downsample.max_pool_2d theano.sandbox.linalg.kron.kron
    theano.sandbox.neighbours.images2neibs theano.sandbox.blocksparse.sparse_block_dot theano.sandbox.scan.scan
    theano.get_scalar_constant_value theano.tensor.nnet.conv3D theano.tensor.nnet.ConvTransp3D.convTransp3D theano.compat.deque
    theano.gof.python25.any theano.compat.six.add_metaclass theano.configparser.THEANO_FLAGS theano.updates.Updates theano.scalar.inv
    theano.compile.Rebroadcast theano.raise_op.Raise theano.gof.PureOp theano.gof.type.PureType theano.misc.cpucount.cpuCount
    theano.tensor.Diagonal aesara.tensor.floor_divide aesara.tensor.true_divide aesara.tensor.basic_opt.ShapeFeature
    aesara.graph.opt.node_rewriter aesara.graph.optdb.RewriteDatabaseQuery aesara.scan.opt.ScanMerge aesara.assert_op.Assert
    aesara.as_symbolic""".split()  # noqa: SIM905


@pytest.mark.parametrize("full", USED)
def test_a_script_s_names_are_served(full: str) -> None:
    """Names of older releases, and of modules that Aesara had under another name."""
    assert outcomes("pytensor")[full] == "served"


@pytest.mark.parametrize(
    ("full", "why"),
    [
        ("theano.gpuarray.dnn.GpuDnnSoftmax", "the old GPU back-end"),
        ("theano.tensor.isend", "MPI"),
        ("theano.gof.compiledir.print_compiledir_content", "C code"),
        ("theano.tensor.opt.local_log_add", "the optimiser"),
        ("theano.compile.module.Module", "classes of methods"),
        ("aesara.link.jax.dispatch.random.jax_sample_fn", "internal to Aesara"),
    ],
)
def test_the_error_says_why(full: str, why: str) -> None:
    """By the kind of the name."""
    assert why in outcomes("pytensor")[full]


def test_a_name_that_never_was() -> None:
    """Has no reason, and is said to be in no release."""
    assert reason("nonsense") is None
    done = interpreters.python("pytensor", "-c", START + "import theano\ntry: theano.nonsense\nexcept AttributeError as e: print(e)")
    assert "no release of Theano has it" in done.stdout


def test_each_rule_is_of_use() -> None:
    """Some name is explained by it and by none before it."""
    tables = [legacy.table(root) for root in ("theano", "aesara")]
    told = {reason(f"{module}.{name}".lstrip(".")) for table in tables for module, held in table.items() for name in held}
    assert [rule.pattern for rule in RULES if not any(r and (r.why, r.advice) == (rule.why, rule.advice) for r in told)] == []


STAR = """
import importlib
missing = []
for module in MODULES:
    namespace = {}
    exec("from " + module + " import *", namespace)
    there = importlib.import_module(module)
    missing += [module + "." + n for n in WANTED[module] if n not in namespace and hasattr(there, n)]
print(missing)
"""


@pytest.mark.parametrize("root", ["theano", "aesara"])
def test_a_star_import_brings_every_name(root: str) -> None:
    """Those of the last release that are served, submodules among them: `from theano.tensor import *` and then `nnet.softmax`."""
    modules = ("", "tensor", "tensor.nnet", "scalar")
    wanted = {f"{root}.{module}".rstrip("."): sorted(legacy.of_last_release(root, module)) for module in modules}
    assert "nnet" in wanted[root + ".tensor"]
    done = interpreters.python("pytensor", "-c", START + f"MODULES, WANTED = {list(wanted)!r}, {wanted!r}" + STAR)
    assert done.stdout.splitlines()[-1] == "[]", done.stderr


def test_the_tools_of_theano_s_tests() -> None:
    """Libraries' own tests take a seed, check gradients and compare values with them."""
    program = """
import numpy, theano.tensor as T
from theano.tests import unittest_tools as utt
utt.verify_grad(T.tanh, [numpy.ones((2, 2))])
utt.assert_allclose(numpy.ones(2), numpy.ones(2) + 1e-9)
try:
    utt.assert_allclose(numpy.ones(2), numpy.zeros(2))
except utt.WrongValue:
    print(utt.seed_rng(), utt.fetch_seed(5))
"""
    done = interpreters.python("pytensor", "-c", START + program)
    assert done.stdout.splitlines()[-1:] == ["666 5"], done.stderr
