"""Rules about compilers, BLAS and folders of compiled code."""

from __future__ import annotations

import pytest

from tests.rules.config.cases import AE, PT, advice, findings, message, pasted, spots, starts, value
from theanodiag.flags.diagnose import MachineFacts
from theanodiag.flags.model import Dialect
from theanodiag.rules.config.examples import config

# TD259: the linker or the empty cxx is the place.

CASES_259 = [
    pytest.param(Dialect.THEANO, "linker=py", "linker=py runs", id="linker"),
    pytest.param(AE, "cxx=", "without a C++ compiler", id="no compiler"),
    pytest.param(PT, "linker=py", "linker=py runs", id="pytensor's linker"),
    pytest.param(Dialect.THEANO, "linker=py,cxx=", "linker=py runs", id="both are one finding"),
]


@pytest.mark.parametrize(("to", "text", "words"), CASES_259)
def test_operations_in_python(to: Dialect, text: str, words: str) -> None:
    """A warning: it works."""
    subject = config(flags=text, to=to)
    assert spots("TD259", subject) == [f"{to.flags_variable}:1:1 warning, derived"]
    assert message("TD259", subject).startswith(words)
    assert starts(subject)


def test_place_in_a_file() -> None:
    """The line that silenced the warning about g++."""
    assert spots("TD259", config("[global]\nfloatX = float32\ncxx =\n")) == ["rc:3:1 warning, derived"]


@pytest.mark.parametrize(
    ("to", "text"),
    [
        (PT, "mode=NUMBA,cxx="),
        (PT, "mode=JAX,cxx="),
        (AE, "mode=JAX,cxx="),
        (Dialect.THEANO, "linker=vm"),
        (Dialect.THEANO, "device=cuda,cxx="),
    ],
)
def test_other_compilers(to: Dialect, text: str) -> None:
    """Numba and JAX compile by themselves; on the GPU TD241 speaks."""
    assert findings("TD259", config(flags=text, to=to)) == []


# TD261: the flag that names the folder is the place, else the variable where one could be set.

NFS = MachineFacts(network_folders=("/net/", "/home"))
CASES_261 = [
    pytest.param("[global]\nbase_compiledir = /net/x\n", "rc:2:1", "/net/x is on a network disk (/net/)", id="base"),
    pytest.param("[global]\ncompiledir = /home/c\nbase_compiledir = /tmp\n", "rc:2:1", "/home/c is", id="the whole path counts"),
    pytest.param("[global]\nbase_compiledir = ~/c\n", "rc:2:1", "/home/ann/c is", id="a tilde"),
    pytest.param(None, "Theano 1.0.5", "/home/ann/.theano is", id="by default"),
]


@pytest.mark.parametrize(("rc", "spot", "words"), CASES_261)
def test_folder_and_disk(rc: str | None, spot: str, words: str) -> None:
    """The message names both."""
    subject = config(rc, env=(("HOME", "/home/ann"),), context=NFS)
    assert spots("TD261", subject) == [f"{spot} warning, derived"]
    assert message("TD261", subject).startswith(words)


@pytest.mark.parametrize(("to", "folder"), [(Dialect.THEANO, ".theano"), (AE, ".aesara"), (PT, ".pytensor")], ids=lambda x: str(x))
def test_default_folder_of_each_library(to: Dialect, folder: str) -> None:
    """In the home of the environment."""
    words = message("TD261", config(to=to, env=(("HOME", "/home/ann"),), context=NFS))
    assert words.startswith(f"/home/ann/{folder} is")


@pytest.mark.parametrize("path", ["/tmp/c", "/network/c", "/srv/net/c", "/homes/ann"])
def test_local_folders(path: str) -> None:
    """Names that only begin alike."""
    assert findings("TD261", config(f"[global]\nbase_compiledir = {path}\n", context=NFS)) == []


# TD262: the size is the place, and openmp ends it.

CASES_262 = [
    pytest.param("[global]\nopenmp_elemwise_minsize = 10\n", None, "rc:2:1", id="alone"),
    pytest.param("[global]\nopenmp = True\n", "openmp=False,openmp_elemwise_minsize=10", "{}:1:14", id="switched off again"),
]


@pytest.mark.parametrize(("rc", "flags", "spot"), CASES_262)
@pytest.mark.parametrize("to", list(Dialect), ids=lambda d: d.name)
def test_size_without_effect(rc: str, flags: str | None, spot: str, to: Dialect) -> None:
    """For information; pasted, the flag is on."""
    subject = config(rc, flags, to)
    assert spots("TD262", subject) == [f"{spot.format(to.flags_variable)} info, derived"]
    assert value(pasted("TD262", subject), "openmp") is True
    assert findings("TD262", pasted("TD262", subject)) == []


@pytest.mark.parametrize("text", ["openmp=False", "openmp=1,openmp_elemwise_minsize=10", "openmp_elemwise_minsize"])
def test_td262_other_texts(text: str) -> None:
    """No size, openmp in another spelling, a word without a value."""
    assert findings("TD262", config(flags=text)) == []


# TD263: the empty flag is the place, and the advice is spelled as the library wants it.

CASES_263 = [
    pytest.param(Dialect.THEANO, "blas.ldflags=", "blas.ldflags=-lopenblas", id="theano"),
    pytest.param(AE, "blas__ldflags=", "blas__ldflags=-lopenblas", id="aesara"),
    pytest.param(PT, "blas__ldflags=''", "blas__ldflags=-lopenblas", id="pytensor, quotes round nothing"),
]


@pytest.mark.parametrize(("to", "text", "code"), CASES_263)
def test_library_that_is_advised(to: Dialect, text: str, code: str) -> None:
    """For information; pasted, the flag has it."""
    subject = config(flags=f"profile=False,{text}", to=to)
    assert spots("TD263", subject) == [f"{to.flags_variable}:1:15 info, derived"]
    assert advice("TD263", subject).code == code
    assert value(pasted("TD263", subject), "blas.ldflags") == "-lopenblas"
    assert findings("TD263", pasted("TD263", subject)) == []


@pytest.mark.parametrize("text", ["", "blas.ldflags", "blas.ldflags=,device=cuda0", "blas.ldflags=,blas.ldflags=-lblas"])
def test_td263_other_texts(text: str) -> None:
    """Not written, a word, on the GPU, empty but overridden."""
    assert findings("TD263", config(flags=text)) == []


# TD264: the variable is the place, since nothing is written yet.


@pytest.mark.parametrize(("numpy", "shown"), [((1, 22), "numpy 1.22"), ((1, 26), "numpy 1.26"), ((2, 0), "numpy 2.0")], ids=str)
def test_numpy_is_named(numpy: tuple[int, int], shown: str) -> None:
    """A warning, with both versions."""
    subject = config(context=MachineFacts(numpy=numpy))
    assert spots("TD264", subject) == ["Theano 1.0.5 warning, derived"]
    assert message("TD264", subject).startswith(shown)
    assert "Theano 1.0.5" in message("TD264", subject)


def test_advice_ends_it() -> None:
    """Pasted into a variable that has other flags."""
    subject = config(flags="floatX=float32", context=MachineFacts(numpy=(1, 24)))
    assert value(pasted("TD264", subject), "blas.ldflags") == "-lopenblas"
    assert findings("TD264", pasted("TD264", subject)) == []


def test_empty_text_is_enough() -> None:
    """Theano asks numpy only where the flag is not set at all."""
    assert findings("TD264", config("[blas]\nldflags =\n", context=MachineFacts(numpy=(1, 24)))) == []


@pytest.mark.parametrize(("to", "numpy"), [(AE, (1, 24)), (PT, (2, 1)), (Dialect.THEANO, (1, 9)), (Dialect.THEANO, None)], ids=str)
def test_others_are_not_concerned(to: Dialect, numpy: tuple[int, int] | None) -> None:
    """Other libraries, an old numpy (1.9 is older than 1.22), an unknown one."""
    assert findings("TD264", config(to=to, context=MachineFacts(numpy=numpy))) == []


# TD265: blas.ldflags is the place, and a line for the shell ends it.

CASES_265 = [
    pytest.param(Dialect.THEANO, "blas.ldflags=-lmkl_rt", id="theano"),
    pytest.param(AE, "blas__ldflags='-L/opt/mkl -lmkl_rt'", id="aesara, with a folder"),
    pytest.param(PT, "blas__ldflags=-lmkl_rt -liomp5", id="pytensor, with a library"),
]


@pytest.mark.parametrize(("to", "text"), CASES_265)
def test_layer_is_left_to_mkl(to: Dialect, text: str) -> None:
    """For information; the advice is for the shell, and with it the rule is silent."""
    subject = config(flags=text, to=to)
    assert spots("TD265", subject) == [f"{to.flags_variable}:1:1 info, derived"]
    name, _, layer = (advice("TD265", subject).code or "").removeprefix("export ").partition("=")
    assert findings("TD265", config(flags=text, to=to, env=((name, layer),))) == []


@pytest.mark.parametrize("layer", ["INTEL", "SEQUENTIAL", "TBB"])
def test_any_layer_will_do(layer: str) -> None:
    """The user has chosen."""
    assert findings("TD265", config("[blas]\nldflags = -lmkl_rt\n", env=(("MKL_THREADING_LAYER", layer),))) == []


@pytest.mark.parametrize("text", ["-lmkl_core", "-lopenblas", "-lmkl_intel_lp64 -lmkl_gnu_thread"])
def test_other_libraries(text: str) -> None:
    """Those that name their layer, or have none."""
    assert findings("TD265", config(f"[blas]\nldflags = {text}\n")) == []
