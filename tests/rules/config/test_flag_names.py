"""Rules about names of flags."""

from __future__ import annotations

import pytest

from tests.rules.config.cases import AE, PT, advice, findings, mended, message, spots, starts, texts, value
from theanodiag.flags.model import Dialect
from theanodiag.rules.config.examples import config

# TD210: the entry is the place, the nearest name is offered, and written there the flag counts.

FILES_210 = [
    pytest.param("[global]\nflaotX = float32\n", "2:1", "[global]\nfloatX = float32\n", "floatX", "float32", id="letters swapped"),
    pytest.param(
        "[gpuarray]\n prealocate = 0.5\n", "2:2", "[gpuarray]\n preallocate = 0.5\n", "gpuarray.preallocate", 0.5, id="letter left out"
    ),
    pytest.param("[global]\nallow_gcc = False\n", "2:1", "[global]\nallow_gc = False\n", "allow_gc", False, id="letter too many"),
]
FLAGS = [
    pytest.param(AE, "profle=True", "profile=True", id="aesara"),
    pytest.param(PT, "device=cpu,blas__ldflasg=-lblas", "device=cpu,blas__ldflags=-lblas", id="pytensor, with its underscores"),
]


@pytest.mark.parametrize(("text", "place", "after", "flag", "wanted"), FILES_210)
def test_name_is_put_right_in_a_file(text: str, place: str, after: str, flag: str, wanted: object) -> None:
    """The flag means something afterwards, and nothing but the name has changed."""
    subject = config(text)
    assert spots("TD210", subject) == [f"rc:{place} warning, derived"]
    assert "ignored without a warning" in message("TD210", subject)
    assert texts(mended("TD210", subject))[0] == after
    assert value(mended("TD210", subject), flag) == wanted


@pytest.mark.parametrize(("to", "text", "after"), FLAGS)
def test_name_is_put_right_in_a_variable(to: Dialect, text: str, after: str) -> None:
    """There the library says so itself."""
    assert "ignored, with a warning" in message("TD210", config(flags=text, to=to))
    assert texts(mended("TD210", config(flags=text, to=to)))[1] == after


def test_nothing_is_near() -> None:
    """Then no name is offered and nothing is written."""
    assert advice("TD210", config("[global]\nbananas = 1\n")).edits == ()


# TD211: the entry is the place, and the advice is the section and line that the library reads.

CASES_211 = [
    pytest.param(
        "[dnn]\nconv.algo_fwd = small\n", "2:1", "[dnn.conv]\nalgo_fwd = small", "dnn.conv.algo_fwd", "small", id="half the section"
    ),
    pytest.param("[blas]\n enabled = True\n[global]\n", "2:2", None, None, None, id="two sections have it"),
    pytest.param("[nvcc]\nfloatX = float32\n", "2:1", "[global]\nfloatX = float32", "floatX", "float32", id="belongs to global"),
    pytest.param("[global]\nldflags = -lblas\n", "2:1", "[blas]\nldflags = -lblas", "blas.ldflags", "-lblas", id="belongs to blas"),
]


@pytest.mark.parametrize(("text", "place", "code", "flag", "wanted"), CASES_211)
def test_where_it_belongs(text: str, place: str, code: str | None, flag: str | None, wanted: object) -> None:
    """As advised, the value counts; where two places may be meant, none is chosen."""
    assert spots("TD211", config(text)) == [f"rc:{place} warning, derived"]
    assert advice("TD211", config(text)).code == code
    if code and flag:
        assert value(config(code), flag) == wanted


def test_all_places_are_named() -> None:
    """cuDNN and MAGMA can both be enabled."""
    words = message("TD211", config("[blas]\nenabled = True\n"))
    assert "[dnn] enabled" in words
    assert "[magma] enabled" in words


@pytest.mark.parametrize("text", ["[DEFAULT]\nldflags = -lblas\n", "[nvcc]\nflags = -O2\n", "[global]\nOMP_NUM_THREADS = 1\n"])
def test_other_rules_speak(text: str) -> None:
    """DEFAULT is TD218's, old flags are TD244's, variables TD217's."""
    assert findings("TD211", config(text)) == []


# TD212: the entry is the place; only the name is changed, and then the flag counts.

CASES_212 = [
    pytest.param(Dialect.THEANO, "floatx=float32", 1, "floatX=float32", "floatX", "float32", id="theano"),
    pytest.param(AE, "openmp=False,FLOATX=float32", 14, "openmp=False,floatX=float32", "floatX", "float32", id="aesara"),
    pytest.param(PT, "Mode=JAX", 1, "mode=JAX", "mode", "JAX", id="pytensor"),
    pytest.param(Dialect.THEANO, "Blas.LdFlags='-la -lb'", 1, "blas.ldflags='-la -lb'", "blas.ldflags", "-la -lb", id="with a dot, quoted"),
]


@pytest.mark.parametrize(("to", "text", "column", "after", "flag", "wanted"), CASES_212)
def test_name_gets_its_letters(to: Dialect, text: str, column: int, after: str, flag: str, wanted: str) -> None:
    """The value keeps its quotes."""
    subject = config(flags=text, to=to)
    assert spots("TD212", subject) == [f"{to.flags_variable}:1:{column} warning, derived"]
    assert value(subject, flag) != wanted
    assert texts(mended("TD212", subject))[1] == after
    assert value(mended("TD212", subject), flag) == wanted


@pytest.mark.parametrize("to", list(Dialect), ids=lambda d: d.name)
def test_case_does_not_matter_in_a_file(to: Dialect) -> None:
    """The parser makes options lower case."""
    subject = config("[global]\nFLOATX = float32\n", to=to)
    assert findings("TD212", subject) == []
    assert value(subject, "floatX") == "float32"


# TD215: the entry is the place; in a variable the other library's name is rewritten, in a file the section is named.

CASES_215 = [
    pytest.param(PT, "blas.ldflags=-lblas", 1, "blas__ldflags=-lblas", "blas.ldflags", "-lblas", id="dots in pytensor"),
    pytest.param(
        AE, "floatX=float32,scan.allow_gc=True", 16, "floatX=float32,scan__allow_gc=True", "scan.allow_gc", True, id="dots in aesara"
    ),
    pytest.param(
        Dialect.THEANO, "gpuarray__preallocate=0.5", 1, "gpuarray.preallocate=0.5", "gpuarray.preallocate", 0.5, id="bars in theano"
    ),
    pytest.param(Dialect.THEANO, "dnn__conv__algo_fwd=small", 1, "dnn.conv.algo_fwd=small", "dnn.conv.algo_fwd", "small", id="two of them"),
]


@pytest.mark.parametrize(("to", "text", "column", "after", "flag", "wanted"), CASES_215)
def test_name_is_spelled_for_the_library(to: Dialect, text: str, column: int, after: str, flag: str, wanted: object) -> None:
    """Then the value counts."""
    subject = config(flags=text, to=to)
    assert spots("TD215", subject) == [f"{to.flags_variable}:1:{column} warning, derived"]
    assert texts(mended("TD215", subject))[1] == after
    assert value(mended("TD215", subject), flag) == wanted


@pytest.mark.parametrize("text", ["[global]\nblas__ldflags = -lblas\n", "[global]\nblas.ldflags = -lblas\n"], ids=["bars", "dots"])
def test_file_wants_the_section(text: str) -> None:
    """Nothing is written, since the line has to move."""
    assert "[blas] ldflags here" in message("TD215", config(text))
    assert advice("TD215", config(text)).edits == ()


@pytest.mark.parametrize(("to", "text"), [(PT, "blas__ldflags="), (PT, "a.b=1"), (Dialect.THEANO, "blas.ldflags=")])
def test_right_or_unknown_names(to: Dialect, text: str) -> None:
    """The library's own spelling, and names that no flag has."""
    assert findings("TD215", config(flags=text, to=to)) == []


# TD216: the entry is the place, and the message says which version had the flag and what took its place.

CASES_216 = [
    pytest.param(AE, "[global]\nint_division = int\n", "2:1", "int_division", id="a question that Python 3 answered"),
    pytest.param(AE, "[lib]\n  amdlibm = True\n", "2:3", "lib.amdlibm", id="renamed"),
    pytest.param(Dialect.THEANO, "[cuda]\nenabled = False\n", "2:1", "cuda.enabled", id="within theano"),
    pytest.param(PT, "[global]\ndevice = cpu\ncompute_test_value = warn\n", "3:1", "compute_test_value", id="gone from the newest"),
]


@pytest.mark.parametrize(("to", "text", "place", "name"), CASES_216)
def test_name_and_history(to: Dialect, text: str, place: str, name: str) -> None:
    """The library of the user is named, and an older one that had it; the flag is gone from its table."""
    subject = config(text, to=to)
    assert spots("TD216", subject) == [f"rc:{place} warning, derived"]
    assert message("TD216", subject).startswith(f"{subject.library} has no flag {name}, which ")
    assert subject.resolution.get(name) is None
    assert advice("TD216", subject).edits == ()


def test_successor_is_advised() -> None:
    """Aesara's own spelling of the flag that had another letter."""
    assert advice("TD216", config("[lib]\namdlibm = True\n", to=AE)).title == "write lib.amblibm"


@pytest.mark.parametrize(
    "text",
    ["[lib]\ncnmem = 1\n", "[nvcc]\nfastmath = True\n", "[global]\ndevice = gpu\n", "[dnn]\nenabled = True\n", "[global]\nbananas = 1\n"],
)
def test_rules_of_their_own(text: str) -> None:
    """TD234, TD244, TD233 twice, and TD210."""
    assert findings("TD216", config(text, to=PT)) == []


# TD217: the entry is the place, and the advice is the line for the shell.

FILES_217 = [
    pytest.param("[global]\nOMP_NUM_THREADS = 5\n", "2:1", "export OMP_NUM_THREADS=5", id="threads"),
    pytest.param("[DEFAULT]\n CUDA_ROOT: /opt/cuda\n", "2:2", "export CUDA_ROOT=/opt/cuda", id="a folder, in DEFAULT"),
    pytest.param("[cuda]\nMKL_THREADING_LAYER=GNU\n", "2:1", "export MKL_THREADING_LAYER=GNU", id="all capitals"),
]


@pytest.mark.parametrize(("text", "place", "shell"), FILES_217)
def test_shell_line_from_a_file(text: str, place: str, shell: str) -> None:
    """Name and value come from the entry; nothing is edited."""
    assert spots("TD217", config(text)) == [f"rc:{place} warning, derived"]
    assert advice("TD217", config(text)).code == shell
    assert advice("TD217", config(text)).edits == ()


@pytest.mark.parametrize("to", list(Dialect), ids=lambda d: d.name)
def test_variable_within_the_variable(to: Dialect) -> None:
    """The flags variable sets no other one."""
    subject = config(flags="floatX=float32,CUDA_LAUNCH_BLOCKING=1", to=to)
    assert spots("TD217", subject) == [f"{to.flags_variable}:1:16 warning, derived"]
    assert advice("TD217", subject).code == "export CUDA_LAUNCH_BLOCKING=1"


@pytest.mark.parametrize("text", ["omp_num_threads = 5", "FLOATX = float32", "CXX =", "BASE_compiledir = /x"])
def test_names_of_flags(text: str) -> None:
    """Small letters, no underscore, a flag in another case."""
    assert findings("TD217", config(f"[global]\n{text}\n")) == []


# TD245: the entry is the place, and the flags that took its place let the library start.

CASES_245 = [
    pytest.param("dnn.conv.workmem=small", "dnn.conv.algo_fwd=small", id="one for one"),
    pytest.param("dnn.conv.workmem_bwd=none", "dnn.conv.algo_bwd_data=none,dnn.conv.algo_bwd_filter=none", id="one for two"),
    pytest.param(
        "dnn.conv.algo_bwd=deterministic", "dnn.conv.algo_bwd_data=deterministic,dnn.conv.algo_bwd_filter=deterministic", id="algo"
    ),
]


@pytest.mark.parametrize(("text", "code"), CASES_245)
def test_successors(text: str, code: str) -> None:
    """The library refuses the one and takes the others."""
    subject = config(flags=f"profile=False,{text}")
    assert spots("TD245", subject) == ["THEANO_FLAGS:1:15 error, derived"]
    assert not starts(subject)
    assert advice("TD245", subject).code == code
    assert starts(config(flags=code))


def test_without_successor() -> None:
    """`gpuarray.sync` is refused whatever it says, so it goes."""
    subject = config("[gpuarray]\nsync = False\n")
    assert spots("TD245", subject) == ["rc:2:1 error, derived"]
    assert (advice("TD245", subject).title, advice("TD245", subject).code) == ("take it out", None)


@pytest.mark.parametrize("text", ["dnn.conv.workmem=", "dnn.conv.algo_fwd=small"])
def test_taken_texts(text: str) -> None:
    """An empty one is taken, and the new flag."""
    assert findings("TD245", config(flags=text)) == []
    assert starts(config(flags=text))
