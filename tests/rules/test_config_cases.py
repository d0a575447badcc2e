"""Further cases of the rules about flags: texts on which a rule speaks, and near misses on which it does not."""

from __future__ import annotations

import pytest

from theanodiag.flags.diagnose import MachineFacts
from theanodiag.flags.model import Dialect
from theanodiag.rules.config import CONFIG_RULES
from theanodiag.rules.config.examples import config

BY_CODE = {rule.code: rule for rule in CONFIG_RULES}
PT, AE = Dialect.PYTENSOR, Dialect.AESARA
GPU = "[global]\ndevice = cuda0\nfloatX = float32\nforce_device = True\n"

FILES_WITH = [
    ("TD201", "\ufeff# only a comment\n"),
    ("TD202", "[global]\nbase_compiledir = /tmp/\udce9\n"),
    ("TD203", "  device = cpu\n[global]\n"),
    ("TD204", "[global]\ndevice\n"),
    ("TD205", "[global]\n[blas]\n[blas]\n"),
    ("TD206", "[blas]\nldflags=\nLDFLAGS=\n"),
    ("TD208", "[floatX] = float32\n"),
    ("TD209", "[blas]\nldflags = -lblas\n\tcheck_openmp = False\n"),
    ("TD210", "[gpuarray]\nprealocate = 0.8\n"),
    ("TD211", "[dnn]\nalgo_fwd = small\n"),
    ("TD215", "[global]\nscan__allow_gc = True\n"),
    ("TD216", "[cuda]\nenabled = False\n"),
    ("TD217", "[global]\nGPUARRAY_CUDA_VERSION = 80\n"),
    ("TD218", "[DEFAULT]\nfloatX = float32\n[global]\n"),
    ("TD220", "[global]\nlinker = jax\n"),
    ("TD221", "[cuda]\nroot = '/usr/local/cuda'\n"),
    ("TD222", "[global]\nfloatX = float32 ; fast\n"),
    ("TD226", "[dnn]\ninclude_path = ~/cudnn/include\n"),
    ("TD227", "[global]\ncompiledir = %(HOME)s/c\n"),
    ("TD228", "[DEFAULT]\nfloatX = float16\n[global]\nfloatX = float32\n"),
    ("TD231", "[global]\ninit_gpu_device = gpu1\n"),
    ("TD232", "[global]\ndevice = gpu0,floatX=float32\n"),
    ("TD234", "[lib]\ncnmem = 0\n"),
    ("TD235", "[gpuarray]\npreallocate = 1.0\n"),
    ("TD236", "[gpuarray]\npreallocate = 1.5\n"),
    ("TD237", "[gpuarray]\npreallocate = .99\n"),
    ("TD238", "[gpuarray]\npreallocate = -0.5\n"),
    ("TD239", "[global]\ndevice = opencl0:0\n"),
    ("TD240", "[global]\ndevice = cuda1\ncontexts = a->cuda0;b->cuda1\n"),
    ("TD241", "[global]\ncxx =\ndevice = cuda\n"),
    ("TD242", "[dnn]\nlibrary_path = /opt/cudnn/lib64\n"),
    ("TD243", GPU + "[dnn]\nenabled = False\n"),
    ("TD244", "[nvcc]\nanything = 1\n"),
    ("TD245", "[dnn.conv]\nworkmem = small\n"),
    ("TD246", GPU + "[dnn.conv]\nalgo_bwd_filter = fft\n"),
    ("TD247", "[cuda]\nroot = C:\\CUDA\\v9.0\\bin\n"),
    ("TD248", "[global]\ndevice = cuda0\ninit_gpu_device = cuda0\n"),
    ("TD249", "[global]\ndevice = cuda\nfloatX = 64\n"),
    ("TD250", "[global]\nfloatX = 16\n"),
    ("TD251", "[global]\nallow_gc = 0\n"),
    ("TD252", "[scan]\nallow_gc = false\n"),
    ("TD253", "[global]\noptimizer_excluding = more_mem:fusion\n"),
    ("TD254", "[global]\nmode = FAST_COMPILE\n"),
    ("TD255", "[global]\noptimizer = None\n"),
    ("TD256", "[global]\nmode = FAST_RUN\nlinker = cvm\n"),
    ("TD258", "[global]\nlinker = c|py_nogc\n"),
    ("TD259", "[global]\nlinker = py\n"),
    ("TD260", "[global]\ncompute_test_value = warn\n"),
    ("TD262", "[global]\nopenmp = False\nopenmp_elemwise_minsize = 1\n"),
    ("TD263", "[blas]\nldflags:\n"),
    ("TD265", "[blas]\nldflags = -L/opt/mkl -lmkl_rt -lpthread\n"),
    ("TD269", "[global]\nlinker = c|py\ncxx =\n"),
    ("TD270", "[dnn]\nenabled = True\n"),
    ("TD272", "[blas]\nldflags = -LC:\\Program Files\\OpenBLAS -lopenblas\n"),
    ("TD272", "[blas]\nldflags = ldflags=-lopenblas\n"),
    ("TD272", "[blas]\nldflags = /usr/lib/libopenblas.so\n"),
    ("TD272", "[blas]\nldflags = -I/usr/include -lblas\n"),
    ("TD210", "[lib]\nncnmem = 0.8\n"),
    ("TD210", "[global]\noptimizer_incuding = fusion\n"),
]
"""Theano 1.0.5 files on which the rule speaks."""

FILES_WITHOUT = [
    ("TD203", "; [global]\n[global]\ndevice = cpu\n"),
    ("TD204", "[gcc]\ncxxflags = -O2\n  -march=native\n"),
    ("TD205", "[DEFAULT]\na = 1\n[DEFAULT]\nb = 1\n"),
    ("TD206", "[blas]\nldflags =\n[blas2]\nldflags =\n"),
    ("TD208", "[blas] = 1\n"),
    ("TD209", "[gcc]\ncxxflags = -O2\n  -DX=1\n"),
    ("TD210", "[nvcc]\nfastmath = True\n"),
    ("TD272", "[blas]\nldflags = -L/usr/lib '-lopenblas' -fopenmp\n"),
    ("TD272", "[blas]\nldflags = -lblas ; c\n"),
    ("TD244", "[nvcc]\nfloatX = float32\n"),
    ("TD256", "[global]\nmode = FAST_RUN\noptimizer_excluding = fusion\n"),
    ("TD256", "[global]\nmode = DebugMode\noptimizer = None\n"),
    ("TD211", "[blas]\nldflags = -lblas\n"),
    ("TD216", "[nvcc]\nfastmath = True\n"),
    ("TD217", "[DebugMode]\npatience = 3\n"),
    ("TD218", "[DEFAULT]\nscratch = /tmp\n[global]\nbase_compiledir = %(scratch)s\n"),
    ("TD221", "[gcc]\ncxxflags = -DX='1'\n"),
    ("TD222", "[gcc]\ncxxflags = -DX=#1\n"),
    ("TD226", "[global]\ncompiledir = ~/c\n"),
    ("TD227", "[gcc]\ncxxflags = 100%\n"),
    ("TD228", "[global]\nfloatX = float32\n"),
    ("TD232", "[global]\ndevice = cuda0000:01:00.0\n"),
    ("TD236", "[gpuarray]\npreallocate = 512\n"),
    ("TD237", "[gpuarray]\npreallocate = 0.99\n[dnn]\nenabled = False\n"),
    ("TD240", "[global]\ndevice = cuda\ncontexts = a->cuda0\n"),
    ("TD242", "[dnn]\nbase_path = /opt/cudnn\ninclude_path = /opt/cudnn/include\n"),
    ("TD243", "[dnn]\nenabled = False\n"),
    ("TD246", "[dnn.conv]\nalgo_fwd = time_once\n"),
    ("TD247", "[cuda]\nroot = /opt/library\n"),
    ("TD249", "[global]\ndevice = cpu\nfloatX = float64\n"),
    ("TD252", "[global]\nallow_gc = False\n"),
    ("TD256", "[global]\nmode = FAST_RUN\n"),
    ("TD259", GPU + "cxx =\n"),
    ("TD263", GPU + "[blas]\nldflags =\n"),
    ("TD269", "[global]\nlinker = cvm\n"),
    ("TD270", GPU + "[dnn]\nenabled = True\n"),
]
"""Theano 1.0.5 files that are near, and on which it does not."""

VARIABLES = [
    ("TD207", Dialect.THEANO, "cxx=g++\\", True),
    ("TD207", Dialect.THEANO, "cxx='it''s'", False),
    ("TD212", PT, "FLOATX=float32", True),
    ("TD213", Dialect.THEANO, "floatX= float32", True),
    ("TD213", Dialect.THEANO, " floatX=float32 , device=cpu ", False),
    ("TD214", AE, "profile,floatX=float32", True),
    ("TD214", AE, ",,floatX=float32,", False),
    ("TD215", AE, "scan.allow_gc=True", True),
    ("TD223", PT, "mode=JAX;floatX=float32", True),
    ("TD223", Dialect.THEANO, "compiledir=/tmp/a;b", False),
    ("TD224", Dialect.THEANO, "#floatX=float32", True),
    ("TD225", Dialect.THEANO, 'compiledir="C:\\tmp"', False),
    ("TD225", Dialect.THEANO, "compiledir=C:\\tmp", True),
    ("TD233", PT, "dnn.enabled=True", True),
    ("TD233", AE, "init_gpu_device=cuda0", True),
    ("TD234", PT, "lib.cnmem=0.8", False),
    ("TD239", AE, "device=cpu", False),
    ("TD257", PT, "mode=FAST_COMPILE,linker=jax", True),
    ("TD257", PT, "mode=FAST_RUN,linker=cvm", False),
    ("TD259", PT, "cxx=", False),
    ("TD269", PT, "cxx=,linker=c", False),
    ("TD271", AE, "tensor__local_elemwise_fusion=True", False),
    ("TD271", AE, "floatX=no", False),
    ("TD272", PT, "blas__ldflags=-framework Accelerate", False),
    ("TD272", PT, "blas__ldflags=-L/opt/libs /usr/lib/libopenblas.so", False),
    ("TD272", PT, "blas__ldflags=-framework Accelerate blas", True),
    ("TD272", AE, "blas__ldflags=-framework Accelerate", True),
]
"""Code, dialect, text of the variable, whether the rule speaks."""

SURROUNDINGS = [
    ("TD229", Dialect.THEANO, {}, MachineFacts(missing_files=("/a", "/b")), True),
    ("TD230", AE, {"PYTENSORRC": "/x"}, MachineFacts(), True),
    ("TD230", Dialect.THEANO, {"THEANO_FLAGS": "device=cpu"}, MachineFacts(), False),
    ("TD261", PT, {"HOME": "/nfs/ann"}, MachineFacts(network_folders=("/nfs",)), True),
    ("TD261", PT, {"HOME": "/home/ann"}, MachineFacts(network_folders=("/nfs",)), False),
    ("TD264", Dialect.THEANO, {}, MachineFacts(numpy=(1, 24)), True),
    ("TD264", PT, {}, MachineFacts(numpy=(2, 0)), False),
    ("TD266", PT, {"XLA_PYTHON_CLIENT_MEM_FRACTION": ".5"}, MachineFacts(), True),
    ("TD266", Dialect.THEANO, {"XLA_PYTHON_CLIENT_MEM_FRACTION": ".5"}, MachineFacts(), False),
    ("TD267", PT, {"XLA_CLIENT_MEM_FRACTION": ".5", "XLA_PYTHON_CLIENT_PREALLOCATE": "false"}, MachineFacts(), True),
    ("TD267", PT, {"XLA_PYTHON_CLIENT_PREALLOCATE": "false"}, MachineFacts(), False),
    ("TD268", PT, {"PYTORCH_NO_CUDA_MEMORY_CACHING": "1"}, MachineFacts(), True),
    ("TD268", PT, {"CUDA_LAUNCH_BLOCKING": "0"}, MachineFacts(), False),
]
"""Code, dialect, environment, what is known of the machine, whether the rule speaks."""


@pytest.mark.parametrize(("code", "text"), FILES_WITH)
def test_rule_speaks_about_the_file(code: str, text: str) -> None:
    """Every finding is its own."""
    assert {f.code for f in BY_CODE[code].check(config(text))} == {code}


@pytest.mark.parametrize(("code", "text"), FILES_WITHOUT)
def test_rule_is_silent_about_the_file(code: str, text: str) -> None:
    """A near miss."""
    assert list(BY_CODE[code].check(config(text))) == []


@pytest.mark.parametrize(("code", "dialect", "text", "speaks"), VARIABLES)
def test_rule_about_the_variable(code: str, dialect: Dialect, text: str, speaks: bool) -> None:
    """It speaks or it does not."""
    assert bool(list(BY_CODE[code].check(config(flags=text, to=dialect)))) is speaks


@pytest.mark.parametrize(("code", "dialect", "environ", "context", "speaks"), SURROUNDINGS)
def test_rule_about_the_surroundings(code: str, dialect: Dialect, environ: dict[str, str], context: MachineFacts, speaks: bool) -> None:
    """Variables of the environment, and facts about the machine."""
    subject = config(to=dialect, env=tuple(environ.items()), context=context)
    assert bool(list(BY_CODE[code].check(subject))) is speaks


def test_every_rule_has_a_case_here() -> None:
    """None is forgotten."""
    listed = {row[0] for table in (FILES_WITH, FILES_WITHOUT, VARIABLES, SURROUNDINGS) for row in table}
    assert set(BY_CODE) - listed == set()


def test_variables_that_were_handed_on() -> None:
    """Under its legacy name PyTensor is given the flags of Theano: nothing is wrong with the variable then."""
    env = (("THEANO_FLAGS", "floatX=float32"), ("AESARA_FLAGS", "floatX=float32"))
    known = MachineFacts(translated=("THEANO_FLAGS",))
    found = list(BY_CODE["TD230"].check(config(to=PT, env=env, context=known)))
    assert [f.location.path for f in found] == ["AESARA_FLAGS"]


def test_numpy_matters_where_theano_is() -> None:
    """A script that imported no framework says nothing about Theano's numpy."""
    assert not list(BY_CODE["TD264"].check(config(context=MachineFacts(numpy=(2, 0), installed=False))))


LINES = [
    "[nvcc]\nflgs = x\n",
    "[nvcc]\nroot = /x\n",
    "[nvcc]\nfastmath = True\n",
    "[global]\nblas.ldflags = -lblas\n",
    "[global]\ndevice = gpu  # use gpu\nfloatX = float32\n",
    "[lib]\nncnmem = 0.8\n",
    "[blas]\nldflags = '-lblas -lm'\n",
    "[root]\ndevice = cpu\n",
    "[global]\n//warn_float64 = raise\n",
    "[dnn]\nconv.algo_fwd = small\n",
    "[global]\nOMP_NUM_THREADS = 4\n",
]


@pytest.mark.parametrize("text", LINES)
def test_one_line_has_one_finding(text: str) -> None:
    """Two rules do not speak of one mistake."""
    found = [f for rule in CONFIG_RULES for f in rule.check(config(text)) if f.location.line == 2]
    assert len(found) == 1, [f.code for f in found]
