"""Rules about the device and its requirements."""

from __future__ import annotations

import pytest

from tests.rules.config.cases import AE, PT, advice, findings, mended, message, pasted, spots, starts, texts, value
from theanodiag.findings import Disposition
from theanodiag.flags.model import Dialect
from theanodiag.rules.config.examples import config

# TD231: the entry is the place; the device gets its new name, and the library starts.

CASES_231 = [
    pytest.param("[global]\ndevice = gpu\n", "2:1", "[global]\ndevice = cuda\n", "device=cuda", id="any gpu"),
    pytest.param("[global]\n device: gpu1\n", "2:2", "[global]\n device: cuda1\n", "device=cuda1", id="a number"),
    pytest.param(
        "[global]\ninit_gpu_device = gpu0\n", "2:1", "[global]\ninit_gpu_device = cuda0\n", "init_gpu_device=cuda0", id="for later"
    ),
]


@pytest.mark.parametrize(("text", "place", "after", "code"), CASES_231)
def test_device_gets_its_new_name(text: str, place: str, after: str, code: str) -> None:
    """The rest of the line stays."""
    assert spots("TD231", config(text)) == [f"rc:{place} error, derived"]
    assert advice("TD231", config(text)).code == code
    assert advice("TD231", config(text)).disposition is Disposition.SAFE
    assert texts(mended("TD231", config(text)))[0] == after
    assert not starts(config(text))
    assert starts(mended("TD231", config(text)))


def test_quotes_of_the_variable_go() -> None:
    """Inside quotes the name is found too."""
    assert texts(mended("TD231", config(flags="device='gpu2',profile=False")))[1] == "device=cuda2,profile=False"


@pytest.mark.parametrize("version", ["0.8.2", "0.9.0"])
def test_old_versions_had_it(version: str) -> None:
    """And start."""
    assert findings("TD231", config(flags="device=gpu0", version=version)) == []
    assert starts(config(flags="device=gpu0", version=version))


@pytest.mark.parametrize(("to", "text"), [(AE, "device=gpu0"), (Dialect.THEANO, "cxx=gpu0"), (Dialect.THEANO, "device=gpuX")])
def test_td231_other_texts(to: Dialect, text: str) -> None:
    """Aesara's is TD233, no device, no number."""
    assert findings("TD231", config(flags=text, to=to)) == []


# TD232: the entry is the place, and the message tells a refusal from a failure later on.

CASES_232 = [
    pytest.param("device=cuda*", "it fails when the GPU is started", True, id="a star"),
    pytest.param("device=opencl", "it fails when the GPU is started", True, id="opencl without numbers"),
    pytest.param("device=opencl0", "it fails when the GPU is started", True, id="opencl with one number"),
    pytest.param("device=GPU", "will not start", False, id="capitals"),
    pytest.param("device=nvidia0", "will not start", False, id="another word"),
    pytest.param("init_gpu_device=0", "will not start", False, id="a number"),
]


@pytest.mark.parametrize(("text", "words", "accepted"), CASES_232)
def test_refused_or_failing_later(text: str, words: str, accepted: bool) -> None:
    """As the library's own filter has it."""
    subject = config(flags=text)
    assert spots("TD232", subject) == ["THEANO_FLAGS:1:1 error, derived"]
    assert words in message("TD232", subject)
    assert starts(subject) is accepted


def test_only_what_counts() -> None:
    """A wrong name in the file is harmless below a right one in the variable."""
    assert findings("TD232", config("[global]\ndevice = cuda*\n", flags="device=cpu")) == []
    assert spots("TD232", config("[global]\ndevice = cpu\n", flags="device=cuda*")) == ["THEANO_FLAGS:1:1 error, derived"]


@pytest.mark.parametrize("name", ["cpu", "cuda", "cuda7", "cuda0000:3b:00.0", "opencl1:0", "gpu3"])
def test_names_of_devices(name: str) -> None:
    """By number, by place on the bus; the old names are TD231's."""
    assert findings("TD232", config(flags=f"device={name}")) == []


def test_an_empty_name() -> None:
    """It is no name either, and the library says so by not starting."""
    subject = config(flags="device=")
    assert "will not start" in message("TD232", subject)
    assert not starts(subject)


# TD233: the entry is the place, refused where the library still has the flag and ignored where not.

CASES_233 = [
    pytest.param(AE, "device=cuda0", "error", "it will not start", id="aesara refuses"),
    pytest.param(AE, "contexts=a->cuda0", "warning", "ignored", id="aesara ignores"),
    pytest.param(PT, "device=cpu", "info", "computes on the CPU unless", id="pytensor ignores even the cpu"),
    pytest.param(PT, "dnn__enabled=auto", "warning", "dnn.enabled is a flag of Theano's GPU back-end", id="cudnn"),
    pytest.param(PT, "lib.cnmem=0.8", "warning", "lib.cnmem is a flag of", id="the pool of the old back-end"),
    pytest.param(PT, "gpuarray.preallocate=0.8", "warning", "gpuarray.preallocate is a flag of", id="memory, with a dot"),
]


@pytest.mark.parametrize(("to", "text", "severity", "words"), CASES_233)
def test_refused_or_ignored(to: Dialect, text: str, severity: str, words: str) -> None:
    """The library does what the message says."""
    subject = config(flags=text, to=to)
    assert spots("TD233", subject) == [f"{to.flags_variable}:1:1 {severity}, derived"]
    assert words in message("TD233", subject)
    assert starts(subject) is (severity != "error")


@pytest.mark.parametrize("to", [AE, PT], ids=lambda d: d.name)
def test_mode_of_jax_is_advised(to: Dialect) -> None:
    """And both libraries have it."""
    assert advice("TD233", config("[global]\ndevice = cuda\n", to=to)).code == "mode=JAX"
    assert value(config(flags="mode=JAX", to=to), "mode") == "JAX"


@pytest.mark.parametrize(("to", "text"), [(AE, "device=cpu"), (Dialect.THEANO, "device=cuda"), (PT, "dnnx=1"), (PT, "blas__ldflags=")])
def test_harmless_ones(to: Dialect, text: str) -> None:
    """The CPU in Aesara, Theano itself, other names."""
    assert findings("TD233", config(flags=text, to=to)) == []


# TD239: the device is the place, and force_device ends it.

CASES_239 = [
    pytest.param("[global]\n device = cuda\n", None, "rc:2:2", id="in a file"),
    pytest.param(None, "floatX=float32,device=opencl0:1", "THEANO_FLAGS:1:16", id="opencl"),
    pytest.param("[global]\nforce_device = True\n", "device=cuda0,force_device=False", "THEANO_FLAGS:1:1", id="switched off again"),
]


@pytest.mark.parametrize(("rc", "flags", "spot"), CASES_239)
def test_device_that_may_be_lost(rc: str | None, flags: str | None, spot: str) -> None:
    """For information; pasted, the flag is on and the rule silent."""
    subject = config(rc, flags)
    assert spots("TD239", subject) == [f"{spot} info, derived"]
    assert value(pasted("TD239", subject), "force_device") is True
    assert findings("TD239", pasted("TD239", subject)) == []


@pytest.mark.parametrize("on", ["True", "true", "1"])
def test_all_spellings_of_true(on: str) -> None:
    """The library takes three."""
    assert findings("TD239", config(flags=f"device=cuda,force_device={on}")) == []


@pytest.mark.parametrize("text", ["device=cpu", "device=gpu0", "device=CUDA", "init_gpu_device=cuda0"])
def test_no_device_of_its_own(text: str) -> None:
    """The CPU, names that are refused anyway, and a device that is asked for later."""
    assert findings("TD239", config(flags=text)) == []


def test_old_device_in_an_old_version() -> None:
    """Where `gpu0` is taken, it can be lost too."""
    assert spots("TD239", config(flags="device=gpu0", version="0.8.2")) == ["THEANO_FLAGS:1:1 info, derived"]


# TD240: contexts is the place, and device=cpu ends it.

CASES_240 = [
    pytest.param("device=cuda0,contexts=a->cuda0", 14, "cuda0 is in device", id="the only one"),
    pytest.param("device=cuda1,contexts=a->cuda0;b->cuda1", 14, "cuda1 is in device", id="the second"),
    pytest.param("contexts='a->cuda0; b-> cuda1',device=cuda1", 1, "cuda1 is in device", id="blanks and quotes"),
    pytest.param("device=opencl0:0,contexts=a->opencl0:0", 18, "opencl0:0 is in device", id="opencl"),
]


@pytest.mark.parametrize(("text", "column", "words"), CASES_240)
def test_device_named_twice(text: str, column: int, words: str) -> None:
    """The message names the device."""
    subject = config(flags=text)
    assert spots("TD240", subject) == [f"THEANO_FLAGS:1:{column} warning, derived"]
    assert message("TD240", subject).startswith(words)
    assert findings("TD240", pasted("TD240", subject)) == []
    assert value(pasted("TD240", subject), "device") == "cpu"


def test_file_and_variable_together() -> None:
    """The two may be written in different places."""
    assert spots("TD240", config("[global]\ncontexts = a->cuda0\n", flags="device=cuda0")) == ["rc:2:1 warning, derived"]


@pytest.mark.parametrize(
    "text", ["device=cuda2,contexts=a->cuda0;b->cuda1", "device=cuda,contexts=a->cuda0", "device=cpu,contexts=a->cpu", "device=cuda0"]
)
def test_devices_differ(text: str) -> None:
    """Another number, any GPU, the CPU, no contexts."""
    assert findings("TD240", config(flags=text)) == []


# TD248: init_gpu_device is the place.

CASES_248 = [
    pytest.param("[global]\n device = cuda0\n init_gpu_device = cuda1\n", None, "rc:3:2", id="in a file"),
    pytest.param("[global]\ninit_gpu_device = cuda1\n", "device=opencl0:0", "rc:2:1", id="beside opencl"),
    pytest.param(None, "device=cuda,init_gpu_device=cuda", "THEANO_FLAGS:1:13", id="the same twice"),
]


@pytest.mark.parametrize(("rc", "flags", "spot"), CASES_248)
def test_second_device(rc: str | None, flags: str | None, spot: str) -> None:
    """For information: it is taken and has no effect."""
    subject = config(rc, flags)
    assert spots("TD248", subject) == [f"{spot} info, derived"]
    assert starts(subject)


@pytest.mark.parametrize("text", ["device=cpu,init_gpu_device=cuda", "init_gpu_device=cuda", "device=cuda,init_gpu_device=", "device=cuda"])
def test_device_is_the_cpu(text: str) -> None:
    """Written or by default; or there is nothing to start later."""
    assert findings("TD248", config(flags=text)) == []


def test_variable_decides() -> None:
    """`device=cpu` there makes the file's second device count again."""
    rc = "[global]\ndevice = cuda0\ninit_gpu_device = cuda1\n"
    assert findings("TD248", config(rc, flags="device=cpu")) == []


# TD249: floatX is the place where it is set, else the variable where it could be.

CASES_249 = [
    pytest.param("[global]\ndevice = cuda\nfloatX = float64\n", None, "rc:3:1", id="in a file"),
    pytest.param(None, "device=cuda0,floatX=64", "THEANO_FLAGS:1:14", id="the short form"),
    pytest.param("[global]\ndevice = cuda\n", None, "rc:2:1", id="by default"),
]


@pytest.mark.parametrize(("rc", "flags", "spot"), CASES_249)
def test_double_precision(rc: str | None, flags: str | None, spot: str) -> None:
    """The library has float64 then; pasted, float32."""
    subject = config(rc, flags)
    assert spots("TD249", subject) == [f"{spot} warning, derived"]
    assert value(subject, "floatX") == "float64"
    assert value(pasted("TD249", subject), "floatX") == "float32"
    assert findings("TD249", pasted("TD249", subject)) == []


def test_place_of_a_default() -> None:
    """The device is what makes it matter."""
    assert spots("TD249", config(flags="device=cuda")) == ["THEANO_FLAGS:1:1 warning, derived"]


@pytest.mark.parametrize("text", ["device=cuda,floatX=float16", "device=cpu,floatX=float64", "device=cuda,floatX=32", "mode=JAX"])
def test_other_types_and_devices(text: str) -> None:
    """Half precision is TD250's; the CPU has doubles."""
    assert findings("TD249", config(flags=text)) == []


# TD250: floatX is the place, for every library, and float32 ends it.

CASES_250 = [
    pytest.param("[global]\n floatX = float16\n", None, "rc:2:2", id="in a file"),
    pytest.param("[global]\nfloatX = float32\n", "floatX=float16", None, id="in the variable"),
]


@pytest.mark.parametrize(("rc", "flags", "place"), CASES_250)
@pytest.mark.parametrize("to", list(Dialect), ids=lambda d: d.name)
def test_half_precision(rc: str, flags: str | None, place: str | None, to: Dialect) -> None:
    """A warning; pasted, the type is float32."""
    subject = config(rc, flags, to)
    assert spots("TD250", subject) == [f"{place or to.flags_variable + ':1:1'} warning, derived"]
    assert value(subject, "floatX") == "float16"
    assert value(pasted("TD250", subject), "floatX") == "float32"
    assert findings("TD250", pasted("TD250", subject)) == []


@pytest.mark.parametrize("text", ["floatX=float32", "floatx=float16", "cast_policy=custom", ""])
def test_td250_other_texts(text: str) -> None:
    """A wrong name leaves the default."""
    assert findings("TD250", config(flags=text)) == []


# TD268: the variable is the place, and unsetting it is the advice.

CASES_268 = [
    pytest.param("CUDA_LAUNCH_BLOCKING", "1", "the job waits for every kernel", id="blocking"),
    pytest.param("CUDA_LAUNCH_BLOCKING", "true", "the job waits for every kernel", id="any text"),
    pytest.param("PYTORCH_NO_CUDA_MEMORY_CACHING", "1", "torch caches no memory", id="no cache"),
]


@pytest.mark.parametrize(("name", "text", "words"), CASES_268)
@pytest.mark.parametrize("to", list(Dialect), ids=lambda d: d.name)
def test_slow_switches(name: str, text: str, words: str, to: Dialect) -> None:
    """For information, whatever the library."""
    subject = config(to=to, env=((name, text),))
    assert spots("TD268", subject) == [f"{name} info, derived"]
    assert message("TD268", subject).startswith(words)
    assert advice("TD268", subject).code == f"unset {name}"


def test_both_are_two_findings() -> None:
    """One for each variable."""
    env = (("PYTORCH_NO_CUDA_MEMORY_CACHING", "1"), ("CUDA_LAUNCH_BLOCKING", "1"))
    assert len(findings("TD268", config(env=env))) == 2


@pytest.mark.parametrize(
    ("flags", "text"), [("profile=1", "1"), ("profile=False", "0"), ("profile=False", "")], ids=["profiled", "zero", "empty"]
)
def test_meant_or_off(flags: str, text: str) -> None:
    """The profiler needs it; zero and nothing are off."""
    assert findings("TD268", config(flags=flags, env=(("CUDA_LAUNCH_BLOCKING", text),))) == []
