"""Names of the old GPU back-ends in moved sources: what the CPU computes as well is written, the rest is left to do by hand."""

from __future__ import annotations

from pathlib import Path

import pytest

from theanodiag.porting.model import FileReport, PortOptions, Safety, Style
from theanodiag.porting.source_port import port_text

from ..interpreters import ROOT, python

SCRIPT = """
import numpy
import theano
import theano.tensor as T
from theano.tensor.nnet import conv2d
from theano.gpuarray.basic_ops import as_gpuarray_variable, gpu_contiguous, GpuAllocEmpty, infer_context_name, GpuFromHost, HostFromGpu
from theano.gpuarray.dnn import GpuDnnConv, GpuDnnConvDesc, GpuDnnConvGradI, GpuDnnConvGradW, dnn_conv, dnn_pool
from theano.gpuarray.pool import GpuPool
from theano.gpuarray.type import GpuArrayType
from theano.sandbox.cuda.basic_ops import gpu_alloc_empty
from theano.sandbox.cuda.blas import GpuCorrMM
rng = numpy.random.RandomState(7)
img, kern = (theano.shared(rng.normal(size=size)) for size in ((2, 3, 9, 8), (4, 3, 3, 2)))

def same(found, wanted):
    found, wanted = found.eval(), wanted.eval()
    print(found.shape == wanted.shape and bool(numpy.allclose(found, wanted, rtol=1e-12)) and float(abs(wanted).max()) > 0)

for mode, flip in (('conv', True), ('cross', False)):
    for border, stride in (('valid', (1, 1)), ('full', (1, 1)), ((1, 0), (2, 3))):
        out = conv2d(img, kern, border_mode=border, subsample=stride, filter_flip=flip)
        top = theano.shared(rng.normal(size=out.shape.eval()))
        desc = GpuDnnConvDesc(border_mode=border, subsample=stride, conv_mode=mode)(kern.shape)
        same(dnn_conv(as_gpuarray_variable(img, infer_context_name(img)), gpu_contiguous(kern), border, stride, conv_mode=mode), out)
        same(GpuDnnConv()(img, kern, GpuAllocEmpty('float64', None)(*out.shape), desc), out)
        cost = (out * top).sum()
        same(GpuDnnConvGradI()(kern, top, GpuAllocEmpty('float64', None)(2, 3, 9, 8), desc), T.grad(cost, img))
        same(GpuDnnConvGradW()(img, top, kern, desc, 2., 1.), 2 * T.grad(cost, kern) + kern)
crossed = conv2d(img, kern, border_mode=(1, 2), subsample=(2, 1), filter_flip=False)
same(GpuCorrMM(border_mode='valid', subsample=(2, 1), pad=(1, 2))(img, kern), crossed)
same(dnn_pool(img, (2, 2), (2, 2), 'max'), GpuPool(ignore_border=True, mode='max', ndim=2)(img, (2, 2), (2, 2)))
same(HostFromGpu()(GpuFromHost(None)(img)), img)
print(isinstance(img.type, GpuArrayType), gpu_alloc_empty(2, 3).eval().shape)
"""
FLAGS = """
import os
bits = 32
os.environ['THEANO_FLAGS'] = 'device=gpu0,floatX=float%d,' % bits
os.environ['THEANO_FLAGS'] += ',optimizer=' + 'None'
import theano
print(theano.config.floatX, theano.config.optimizer)
"""


def ported(text: str, style: Style = Style.COMPAT) -> FileReport:
    """The source moved; moving it once more changes nothing."""
    report = port_text(text, "model.py", PortOptions(style=style))
    assert port_text(report.after, "model.py", PortOptions(style=style)).after == report.after
    return report


def run(text: str, **flags: str) -> list[str]:
    """What a moved source prints over PyTensor as it is."""
    done = python("pytensor_new", "-c", text, env={"PYTHONPATH": str(ROOT), **flags})
    assert done.returncode == 0, done.stderr[-2000:]
    return done.stdout.splitlines()


def test_what_the_cpu_computes_as_well_runs_over_pytensor() -> None:
    """cuDNN's convolutions in three directions, pooling and transfers, beside conv2d and its gradients."""
    report = ported(SCRIPT)
    assert report.count(Safety.BY_HAND) == 0
    *same, last = run(report.after, PYTENSOR_FLAGS="mode=FAST_COMPILE,cxx=,linker=py")
    assert same == ["True"] * 27
    assert last == "False (2, 3)"


@pytest.mark.parametrize("style", Style)
def test_flags_that_are_put_together_are_translated_as_the_script_runs(style: Style, tmp_path: Path) -> None:
    """Those that PyTensor has arrive there; a device, which it has not, is left out."""
    report = ported(FLAGS, style)
    assert report.count(Safety.BY_HAND) == 0
    assert run(report.after, HOME=str(tmp_path)) == ["float32 None"]


@pytest.mark.parametrize(
    "line",
    [
        "from theano.gpuarray.type import GpuArrayType\nx = GpuArrayType('float32', (False,))",
        "from theano.gpuarray.type import get_context\nget_context(None)",
        "from theano.gpuarray.basic_ops import GpuKernelBase\nclass A(GpuKernelBase): pass",
    ],
)
def test_what_only_a_gpu_does_is_left(line: str) -> None:
    """Objects and kernels of the GPU itself."""
    for style in Style:
        assert ported(f"{line}\n", style).count(Safety.BY_HAND) == 1


def test_an_import_that_nothing_uses_goes() -> None:
    """The name is gone from PyTensor, and the source would fail for it."""
    report = ported("from theano import ProfileMode, shared\nfrom theano import ProfileMode as P\nshared(1)\n")
    assert report.after == "from pytensor import shared\nshared(1)\n"
    assert report.count(Safety.BY_HAND) == 0


@pytest.mark.parametrize(
    ("text", "path"),
    [
        ("from theano import ProfileMode\n__all__ = ['ProfileMode']\n", "model.py"),
        ("try:\n    from theano import ProfileMode\nexcept ImportError:\n    old = False\n", "model.py"),
        ("from theano import ProfileMode\n", "package/__init__.py"),
    ],
)
def test_an_import_that_may_be_of_use_stays(text: str, path: str) -> None:
    """What is handed on, or what the source asks whether it is there."""
    report = port_text(text, path, PortOptions())
    assert report.after == text
    assert report.count(Safety.BY_HAND) == 1


def test_names_of_compiled_code_are_a_gpus() -> None:
    """Those that Theano's first back-end takes from its own C code are in no table, which was made without CUDA."""
    text = "from theano.sandbox import cuda\nprint(cuda.active_device_number(), cuda.CudaNdarray, cuda.NoSuchClass)\n"
    told = {change.name: change.reason for change in port_text(text, "model.py", PortOptions()).changes if change.safety is Safety.BY_HAND}
    assert told["theano.sandbox.cuda.active_device_number"] == "it belongs to the old GPU back-end"
    assert told["theano.sandbox.cuda.CudaNdarray"] == "it belongs to the old GPU back-end"
    assert "no release of Theano" in told["theano.sandbox.cuda.NoSuchClass"]
