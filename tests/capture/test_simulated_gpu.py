"""When the stand-in is used, what scripts see of it, and what the user's own flags then do."""

from __future__ import annotations

import pytest

from theanodiag.capture.model import GpuRequest
from theanodiag.devices import by_name
from theanodiag.ir import Constant
from theanodiag.memory.script import Create, DropConstant
from theanodiag.workflows import compose

from .running import framework

CARD = GpuRequest(4 << 30, free_bytes=3 << 30, name="a card", capability=(6, 1))
DOT = """
import numpy as np, theano, theano.tensor as T
x, W = T.fmatrix("x"), theano.shared(np.ones((20, 8), "float32"), name="W")
f = theano.function([x], T.dot(x, W).sum(), updates=[(W, W * 2)])
"""


TWO = """
import numpy as np, theano
a, b = [theano.shared(np.ones((20, 8), "float32"), target=name) for name in ("dev0", "dev1")]
f = theano.function([], [(a * 2).sum(), (b * 2).sum()])
f()
"""


def run(folder, text=DOT, flags="floatX=float32", name="theano", **options):
    """Runs a script for a card of 4 GiB; `flags` are Theano's."""
    return framework(folder, name, text, **{"gpu": CARD, "env": {"THEANO_FLAGS": f"blas.ldflags=,{flags}"}, **options})


def on_device(capture):
    """Whether the functions compute on the device."""
    return any(node.op.name.startswith("Gpu") for f in capture.script.functions for node in f.graph.applies)


class TestUse:
    """When it is used."""

    def test_the_device_asked_for_is_what_theano_sees(self, tmp_path):
        """Its name and sizes, and the flags that were set for it."""
        found = run(tmp_path)
        assert on_device(found)
        assert (found.framework.device.name, found.framework.device.total_bytes, found.framework.device.free_bytes) == (
            "a card",
            4 << 30,
            3 << 30,
        )
        assert found.framework.stand_in.replaced_flags["device"] is None

    def test_each_gpu_of_the_flag_contexts_has_its_name(self, tmp_path):
        """Where arrays are on both, the report says that its figures are their sum."""
        found = run(tmp_path, TWO, "floatX=float32,contexts=dev0->cuda0;dev1->cuda1")
        assert found.script.gpus == ("dev0", "dev1")
        assert "the sum over 2 GPUs (dev0, dev1)" in str(compose.report(found, by_name("4GiB")))
        assert found.script.functions[0].graph.on_device

    def test_without_a_device_asked_for_nothing_changes(self, tmp_path):
        """The graph is the CPU's."""
        found = run(tmp_path, gpu=None)
        assert not on_device(found)
        assert found.framework.stand_in is None

    def test_real_calls_need_a_real_device(self, tmp_path):
        """What is executed runs where the script's flags say."""
        assert not on_device(run(tmp_path, calls="real"))

    @pytest.mark.parametrize("name", ["aesara", "pytensor"])
    def test_frameworks_without_a_gpu_are_left_alone(self, tmp_path, name):
        """They have no back-end to start."""
        found = framework(tmp_path, name, "import {package}\n", gpu=CARD)
        assert (found.end.status, found.framework.stand_in) == ("finished", None)

    def test_old_names_of_devices(self, tmp_path):
        """device=gpu is refused by Theano 1.0 itself, and the report says what is meant."""
        found = run(tmp_path, flags="device=gpu")
        assert "old GPU back-end" in found.end.message
        assert any("device=gpu" in skipped.reason for skipped in found.skipped)

    @pytest.mark.parametrize("name", ["theano", "theano27"])
    def test_no_compiler_is_needed(self, tmp_path, name):
        """Where PATH is empty the graph and the linker are those of a machine that has one."""
        with_one, without = (
            run(tmp_path, name=name),
            run(tmp_path, name=name, env={"PATH": "", "THEANO_FLAGS": "blas.ldflags=,floatX=float32"}),
        )
        assert without.script.functions[0].graph == with_one.script.functions[0].graph
        assert without.script.functions[0].linker == with_one.script.functions[0].linker == "cvm"


class TestFlags:
    """The user's flags stay in force."""

    def test_flags_that_the_script_sets(self, tmp_path):
        """A script may set os.environ before it imports Theano."""
        found = run(tmp_path, "import os; os.environ['THEANO_FLAGS'] = 'device=cpu,floatX=float64,blas.ldflags='" + DOT)
        assert on_device(found)
        assert found.framework.flags["floatX"] == "float64"
        assert found.framework.stand_in.replaced_flags["device"] == "cpu"

    def test_a_device_that_is_named_stays(self, tmp_path):
        """device=cuda is not replaced."""
        found = run(tmp_path, flags="floatX=float32,device=cuda")
        assert found.framework.flags["device"] == "cuda"
        assert "device" not in found.framework.stand_in.replaced_flags

    def test_several_contexts(self, tmp_path):
        """Arrays go where `target` says."""
        text = DOT.replace('name="W"', 'name="W", target="dev1"')
        found = run(tmp_path, text, flags="floatX=float32,contexts=dev0->cuda0;dev1->cuda1")
        assert any("dev1" in v.type.text for v in found.script.functions[0].graph.variables)

    def test_a_preallocation_that_does_not_fit(self, tmp_path):
        """Theano refuses it and runs on the CPU, as on the card."""
        assert not on_device(run(tmp_path, flags="floatX=float32,gpuarray.preallocate=0.9"))
        assert on_device(run(tmp_path, flags="floatX=float32,gpuarray.preallocate=0.5"))

    def test_optimisations_that_the_user_excludes(self, tmp_path):
        """They are not applied."""
        found = run(tmp_path, flags="floatX=float32,optimizer_excluding=gpuarray_opt")
        assert found.framework.device is not None
        assert not any(node.op.name == "GpuGemm" for node in found.script.functions[0].graph.applies)


class TestScript:
    """What scripts do with arrays on the device."""

    @pytest.mark.parametrize("name", ["theano", "theano27"])
    def test_values_that_were_set_come_back(self, tmp_path, name):
        """get_value, set_value, borrow, the internal type, copies and pickles."""
        text = DOT + "\n".join(
            (
                "import copy, pickle",
                "a = np.arange(160, dtype='float32').reshape(20, 8)",
                "W.set_value(a); a[0] = -1",
                "assert W.get_value()[0, 1] == 1",
                "inner = W.get_value(borrow=True, return_internal_type=True)",
                "assert np.asarray(inner)[19, 7] == 159 and inner.shape == (20, 8)",
                "assert copy.deepcopy(W).get_value()[1, 0] == 8",
                "assert pickle.loads(pickle.dumps(W, 2)).get_value()[1, 0] == 8",
                "W.set_value(np.ones((3, 8), 'float32'))",
                "f(np.ones((2, 3), 'float32'))",
                "assert W.get_value().shape == (3, 8)",
                "assert copy.copy(f)(np.ones((2, 3), 'float32'))[0].shape == ()",
            )
        )
        found = run(tmp_path, text, name=name)
        assert (found.end.status, found.end.message) == ("finished", None)

    def test_large_arrays_of_zeros_take_no_memory(self, tmp_path):
        """A shared variable of 400 MB, its updates and a result as large, in a process that stays small."""
        text = """
        import resource, numpy as np, theano, theano.tensor as T
        before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        W = theano.shared(np.zeros((10000, 10000), "float32"))
        f = theano.function([], T.exp(W), updates=[(W, W + 1)])
        for _ in range(3):
            f()
        assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 200000, "it grew"
        """
        found = run(tmp_path, text)
        assert (found.end.status, found.end.message) == ("finished", None)
        assert len([e for e in found.script.events if type(e).__name__ == "Call"]) == 3


CONSTANT = """
import gc
import numpy as np, theano, theano.tensor as T
x = T.fmatrix("x")
f = theano.function([x], T.dot(x, T.constant(np.ones((20, 8), "float32"))))
g = f.copy()
f(np.ones((3, 20), "float32")), g(np.ones((3, 20), "float32"))
"""


@pytest.mark.parametrize("name", ["theano", "theano27"])
@pytest.mark.parametrize(("drops", "gone"), [("", False), ("del f", False), ("del f, g", True)], ids=["no", "one", "both"])
def test_the_memory_of_a_constant_goes_with_all_that_had_it(tmp_path, name, drops, gone):
    """Its number is told once a search for garbage has found the graphs of both functions."""
    found = run(tmp_path, f"{CONSTANT}{drops}\ngc.collect()\ntheano.shared(np.ones(2))\n", name=name)
    graphs = [f.graph for f in found.script.functions]
    (memory,) = {v.memory for g in graphs for v in g.variables if isinstance(v, Constant) and v.shape == (20, 8) and v.memory is not None}
    events = found.script.events
    last = max(k for k, e in enumerate(events) if isinstance(e, Create))  # what the end of the process takes comes behind it
    assert (DropConstant(memory) in events[:last]) is gone
