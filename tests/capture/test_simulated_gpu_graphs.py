"""Graphs rewritten over the stand-in, beside those of the real pygpu on the simulated CUDA driver and on an OpenCL device."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from tests.interpreters import THOROUGH
from tests.memory.stand.run import compiling, environment, joined
from theanodiag.capture.model import GpuRequest
from theanodiag.confirmation.simulated_cuda import VirtualDevice

from .simulated_gpu import captured, differing, graphs, reference

OPENCL = (
    "sum axis1",
    "max",
    "softmax grad",
    "scan rnn grad",
    "conv2d grads",
    "cumsum",
    "advincsub1",
    "pool max grad",
    "mrg normal",
)
"""Without spatialtf: its constants are computed on the device, and the last bit of them depends on the CPU that PoCL runs on."""
CUDNN = ("conv2d grads", "conv2d dilated", "conv3d grads", "pool avg grad", "bn train", "softmax grad", "sum axis1", "vgg", "half conv")
SOME = ("mlp", "lstm", "conv2d grads", "pool avg grad", "scan rnn grad", "rbm", "adam", "ifelse many")


@pytest.fixture(scope="module")
def cuda(tmp_path_factory):
    """The graphs of the real pygpu on the simulated driver."""
    return reference(tmp_path_factory.mktemp("real"), environment("print_active_device=False", VirtualDevice()))


@pytest.fixture(scope="module")
def found():
    """What is captured where there is no device."""
    return captured("theano", stdout=subprocess.DEVNULL)


def some(made):
    """Those of a few families."""
    return {name: made[name] for name in SOME}


class TestCuda:
    """device=cuda0 where there is no device."""

    def test_every_family_is_equal_edge_by_edge(self, cuda, found):
        """Nodes, edges, types, views, destroyed inputs, constants, parameters and inner graphs are those of the real pygpu."""
        assert found.end.status == "finished"
        assert len(cuda) >= 140
        assert differing(graphs(found), cuda) == []

    def test_python_27_has_the_same_graphs(self, cuda):
        """CPython 2.7 gives them too."""
        assert differing(graphs(captured("theano27", *SOME)), some(cuda)) == []

    def test_the_computation_is_on_the_device(self):
        """A training function's products are the device's."""
        (function,) = captured("theano", "mlp").script.functions
        assert {"GpuDot22", "GpuGemm", "GpuFromHost"} <= {node.op.name for node in function.graph.applies}

    @pytest.mark.parametrize("capability", [(2, 0), *(pytest.param(c, marks=THOROUGH) for c in ((3, 0), (7, 5)))])
    def test_without_cudnn_the_capability_does_not_matter(self, capability, found):
        """Nothing but cuDNN asks for the compute capability in Theano 1.0."""
        one = graphs(captured("theano", *SOME, gpu=GpuRequest(4 << 30, capability=capability)))
        assert differing(one, some(graphs(found))) == []


class TestRealDevice:
    """Where there is a device."""

    @pytest.mark.parametrize(("flags", "real"), [("", False), ("dnn.enabled=auto", True)])
    def test_it_is_opened_only_for_what_nothing_else_knows(self, flags, real):
        """Whether there is cuDNN; else nothing is taken of it, and the sizes are those asked about."""
        found = captured("gpu", "dot", gpu=GpuRequest(1 << 30), env=environment(flags, VirtualDevice()))
        assert (found.framework.stand_in is None) is real
        assert (found.framework.device.total_bytes == 1 << 30) is not real


class TestOpenCL:
    """device=opencl0:0 where there is no device."""

    def test_graphs_are_those_of_the_real_device(self, tmp_path):
        """Reductions and sorts differ from CUDA's, and are those of the real pygpu on a CPU device."""
        flags = joined(compiling("opencl"), "device=opencl0:0,floatX=float32,blas.ldflags=,print_active_device=False")
        real = reference(tmp_path, {"THEANO_FLAGS": flags, "POCL_DEVICES": "basic"}, *OPENCL)
        ours = captured("theano", *OPENCL, env={"THEANO_FLAGS": "device=opencl0:0,floatX=float32,blas.ldflags="})
        assert differing(graphs(ours), real, kernels_run=True) == []


LIBRARY = """
unsigned long cudnnGetVersion(void) { return 7605; }
int cudnnCreate(void **handle) { *handle = handle; return 0; }
int cudnnDestroy(void *handle) { return 0; }
"""
HEADER = """
#define CUDNN_VERSION 7605
typedef void *cudnnHandle_t;
extern "C" unsigned long cudnnGetVersion(void);
"""


def fake_cudnn(folder: Path) -> dict[str, str]:
    """A library that only tells its version, and the flags that make Theano take it for cuDNN 7.6.5."""
    (folder / "cudnn.c").write_text(LIBRARY)
    (folder / "cudnn.h").write_text(HEADER)
    subprocess.run(["cc", "-shared", "-fPIC", "-o", "libcudnn.so", "cudnn.c"], cwd=folder, check=True)
    flags = ",".join(f"dnn.{name}={folder}" for name in ("include_path", "library_path", "bin_path"))
    return environment(f"dnn.enabled=no_check,print_active_device=False,{flags}", VirtualDevice())


class TestCudnn:
    """The graph that cuDNN gives. What its algorithms take at run time is another matter."""

    def test_graphs_are_those_of_a_machine_that_has_it(self, tmp_path):
        """Convolutions, pooling, batch normalisation, softmax and reductions become cuDNN's as they do with the real pygpu."""
        real = reference(tmp_path, fake_cudnn(tmp_path), *CUDNN)
        assert differing(graphs(captured("theano", *CUDNN, gpu=GpuRequest(4 << 30, cudnn=7605))), real) == []

    @pytest.mark.parametrize(("capability", "version", "used"), [((6, 1), 7605, True), ((2, 1), 7605, False), ((7, 0), 7001, False)])
    def test_theano_decides_whether_the_device_supports_it(self, capability, version, used):
        """Not below compute capability 3.0, and not before 7.0.2 on Volta."""
        (function,) = captured("theano", "conv2d half", gpu=GpuRequest(4 << 30, None, "card", capability, version)).script.functions
        assert any(node.op.name == "GpuDnnConv" for node in function.graph.applies) is used

    def test_the_flags_of_the_script_count(self):
        """`dnn.enabled=False` stays so, `True` takes cuDNN for granted."""
        answers = []
        for flag, version in (("False", 7605), ("True", None)):
            env = {"THEANO_FLAGS": f"floatX=float32,blas.ldflags=,dnn.enabled={flag}"}
            found = captured("theano", "conv2d half", gpu=GpuRequest(4 << 30, cudnn=version), env=env)
            answers.append(found.framework.stand_in.cudnn)
        assert answers[0] is None
        assert answers[1] is not None
