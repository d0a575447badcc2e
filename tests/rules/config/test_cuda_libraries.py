"""Rules about CUDA, its compiler and cuDNN."""

from __future__ import annotations

import pytest

from tests.rules.config.cases import AE, GPU, PT, advice, findings, message, pasted, spots, starts, value
from theanodiag.flags.model import Dialect
from theanodiag.rules.config.examples import config

# TD241: the empty cxx is the place.

CASES_241 = [
    pytest.param("[global]\ndevice = cuda0\ncxx =\n", None, "rc:3:1", id="in a file"),
    pytest.param("[global]\ncxx = g++\n", "device=cuda,cxx=", "THEANO_FLAGS:1:13", id="emptied in the variable"),
    pytest.param("[global]\ncxx:\n", "device=opencl0:0", "rc:2:1", id="in both"),
]


@pytest.mark.parametrize(("rc", "flags", "spot"), CASES_241)
def test_empty_compiler(rc: str | None, flags: str | None, spot: str) -> None:
    """An error, with an advice that no edit can carry out."""
    subject = config(rc, flags)
    assert spots("TD241", subject) == [f"{spot} error, derived"]
    assert advice("TD241", subject).edits == ()
    assert value(subject, "cxx") == ""


@pytest.mark.parametrize("text", ["device=cuda", "device=cuda,cxx=clang++", "device=cpu,cxx=", "cxx=,device="])
def test_compiler_or_no_gpu(text: str) -> None:
    """A default compiler, another one, no GPU."""
    assert findings("TD241", config(flags=text)) == []


@pytest.mark.parametrize("to", [AE, PT], ids=lambda d: d.name)
def test_other_libraries_have_no_back_end(to: Dialect) -> None:
    """There the device is the mistake."""
    assert findings("TD241", config(flags="device=cuda,cxx=", to=to)) == []


# TD242: the half that is set is the place, and the other one is named.

CASES_242 = [
    pytest.param("[dnn]\ninclude_path = /c/include\n", None, "rc:2:1", "dnn.library_path is guessed", id="include alone"),
    pytest.param("[dnn]\n\n library_path = /c/lib64\n", None, "rc:3:2", "dnn.include_path is guessed", id="library alone"),
    pytest.param(None, "dnn.include_path=/c", "THEANO_FLAGS:1:1", "dnn.library_path is guessed", id="in the variable"),
]


@pytest.mark.parametrize(("rc", "flags", "spot", "words"), CASES_242)
def test_missing_half(rc: str | None, flags: str | None, spot: str, words: str) -> None:
    """For information only."""
    subject = config(rc, flags)
    assert spots("TD242", subject) == [f"{spot} info, derived"]
    assert message("TD242", subject).endswith(words)


@pytest.mark.parametrize("more", ["dnn.library_path=/c/lib64", "dnn.base_path=/c"])
def test_following_the_advice_ends_it(more: str) -> None:
    """Either the other half or the folder of both."""
    assert findings("TD242", config("[dnn]\ninclude_path = /c/include\n", flags=more)) == []


@pytest.mark.parametrize("text", ["dnn.bin_path=/c", "dnn.enabled=True", ""])
def test_neither_half(text: str) -> None:
    """Other flags of cuDNN are no halves."""
    assert findings("TD242", config(flags=text)) == []


# TD243: dnn.enabled is the place, and auto brings cuDNN back.

CASES_243 = [
    pytest.param("[dnn]\n enabled = False\n", "device=cuda", "rc:2:2", id="in a file"),
    pytest.param(None, "device=cuda0,dnn.enabled=False", "THEANO_FLAGS:1:14", id="in the variable"),
]


@pytest.mark.parametrize(("rc", "flags", "spot"), CASES_243)
def test_cudnn_is_off(rc: str | None, flags: str, spot: str) -> None:
    """For information; pasted, the flag has its default."""
    subject = config(rc, flags)
    assert spots("TD243", subject) == [f"{spot} info, derived"]
    assert value(pasted("TD243", subject), "dnn.enabled") == "auto"
    assert findings("TD243", pasted("TD243", subject)) == []


@pytest.mark.parametrize(
    "text",
    ["device=cpu,dnn.enabled=False", "device=cuda,dnn.enabled=True", "device=cuda,dnn.enabled=no_check", "device=cuda,dnn.enabled=false"],
    ids=["no gpu", "on", "unchecked", "no value of it"],
)
def test_other_texts(text: str) -> None:
    """A text that the library refuses is TD220's."""
    assert findings("TD243", config(flags=text)) == []


# TD244: each entry about nvcc is a place, by the version of the library.

CASES_244 = [
    pytest.param("[nvcc]\nfastmath = True\nflags = -arch=sm_70\n", ["2:1", "3:1"], id="two lines"),
    pytest.param("[global]\nnvcc.fastmath = True\n[nvcc]\n compiler_bindir = /usr/bin\n", ["2:1", "4:2"], id="with a dot in global too"),
    pytest.param("[nvcc]\nbananas = 1\n", ["2:1"], id="whatever it is"),
]


@pytest.mark.parametrize(("text", "places"), CASES_244)
def test_each_line(text: str, places: list[str]) -> None:
    """For information: nothing is lost but an old habit."""
    assert spots("TD244", config(text)) == [f"rc:{place} info, derived" for place in places]


@pytest.mark.parametrize("to", list(Dialect), ids=lambda d: d.name)
def test_library_is_named(to: Dialect) -> None:
    """None of the newest versions uses it."""
    subject = config("[nvcc]\nfastmath = True\n", to=to)
    assert message("TD244", subject) == f"nvcc.fastmath has no effect: {subject.library} does not use nvcc"
    assert subject.resolution.get("nvcc.fastmath") is None


@pytest.mark.parametrize("version", ["0.8.2", "0.9.0"])
def test_old_versions_read_it(version: str) -> None:
    """There the flag is one."""
    subject = config("[nvcc]\nfastmath = True\n", version=version)
    assert findings("TD244", subject) == []
    assert value(subject, "nvcc.fastmath") is True


# TD246: each hungry choice is a place, and the advised one needs no workspace or less.

CASES_246 = [
    pytest.param("dnn.conv.algo_fwd=large", "dnn.conv.algo_fwd=small", id="forward"),
    pytest.param("dnn.conv.algo_bwd_data=fft_tiling", "dnn.conv.algo_bwd_data=none", id="backward, data"),
    pytest.param("dnn.conv.algo_bwd_filter=time_once", "dnn.conv.algo_bwd_filter=none", id="backward, filters"),
]


@pytest.mark.parametrize(("text", "code"), CASES_246)
def test_choice_that_needs_less(text: str, code: str) -> None:
    """It is a valid value, and the rule is silent about it."""
    subject = config(flags=f"{GPU},{text}")
    assert spots("TD246", subject) == [f"THEANO_FLAGS:1:{len(GPU) + 2} info, derived"]
    assert advice("TD246", subject).code == code
    assert starts(pasted("TD246", subject))
    assert findings("TD246", pasted("TD246", subject)) == []


def test_three_choices_are_three_findings() -> None:
    """In the order forward, data, filters."""
    rc = "[dnn.conv]\nalgo_bwd_filter = fft\nalgo_bwd_data = fft\nalgo_fwd = fft\n"
    assert spots("TD246", config(rc, flags=GPU)) == [f"rc:{line}:1 info, derived" for line in (4, 3, 2)]


@pytest.mark.parametrize("choice", ["small", "none", "guess_once", "winograd"])
def test_modest_choices(choice: str) -> None:
    """Those that bound the workspace themselves, too."""
    assert findings("TD246", config(flags=f"{GPU},dnn.conv.algo_fwd={choice}")) == []


# TD247: the entry is the place, and the folder above is advised.

CASES_247 = [
    pytest.param("/usr/local/cuda/bin", "/usr/local/cuda", "bin", id="programs"),
    pytest.param("/opt/cuda-9.0/lib64/", "/opt/cuda-9.0", "lib64", id="libraries, with a slash"),
    pytest.param("/opt/cuda/lib64/stubs", "/opt/cuda", "lib64", id="stubs"),
    pytest.param("/lib/cuda/include", "/lib/cuda", "include", id="another lib in the path"),
]


@pytest.mark.parametrize(("path", "above", "part"), CASES_247)
def test_folder_above(path: str, above: str, part: str) -> None:
    """Pasted, the flag has it, and the rule is silent."""
    subject = config(f"[cuda]\nroot = {path}\n", flags="profile=False")
    assert spots("TD247", subject) == ["rc:2:1 warning, derived"]
    assert message("TD247", subject).endswith(f"not {part} itself")
    assert value(pasted("TD247", subject), "cuda.root") == above
    assert findings("TD247", pasted("TD247", subject)) == []


@pytest.mark.parametrize("path", ["/usr/local/cuda", "/opt/bin/cuda", "/usr/local/cuda/binary", "", "bin"])
def test_folder_itself(path: str) -> None:
    """Names that only look like it."""
    assert findings("TD247", config(f"[cuda]\nroot = {path}\n")) == []


# TD270: dnn.enabled is the place.

CASES_270 = [
    pytest.param("[dnn]\n enabled = True\n", None, "rc:2:2", id="in a file, the cpu by default"),
    pytest.param("[dnn]\nenabled = True\n[global]\ndevice = cuda\n", "device=cpu", "rc:2:1", id="the cpu in the variable"),
    pytest.param(None, "device=cpu,dnn.enabled=True", "THEANO_FLAGS:1:12", id="both in the variable"),
]


@pytest.mark.parametrize(("rc", "flags", "spot"), CASES_270)
def test_cudnn_without_gpu(rc: str | None, flags: str | None, spot: str) -> None:
    """For information: the library starts."""
    subject = config(rc, flags)
    assert spots("TD270", subject) == [f"{spot} info, derived"]
    assert value(subject, "device") == "cpu"
    assert starts(subject)


@pytest.mark.parametrize("text", ["device=cuda", "contexts=a->cuda0", "dnn.enabled=auto", "dnn.enabled=False"])
def test_gpu_or_not_required(text: str) -> None:
    """A device, devices by name, or cuDNN that may be missing."""
    assert findings("TD270", config("[dnn]\nenabled = True\n", flags=text)) == []


def test_nobody_asked() -> None:
    """The default requires nothing."""
    assert findings("TD270", config(flags="device=cpu")) == []
