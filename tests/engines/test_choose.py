"""Which engine runs a script."""

from __future__ import annotations

from dataclasses import replace

import pytest

from theanodiag.devices import HOST, by_name
from theanodiag.engines import ENGINES, choose, engine_named, engine_of
from theanodiag.errors import UsageError
from theanodiag.memory.script import Script
from theanodiag.rules.examples import dot_script

CARD = by_name("h100-80")


def script(framework: str, linker: str = "cvm") -> Script:
    """One function by that linker."""
    plain = dot_script(10, 10)
    return replace(plain, framework=framework, functions=tuple(replace(f, linker=linker) for f in plain.functions))


@pytest.mark.parametrize(
    ("framework", "linker", "gpu", "engine"),
    [
        ("theano", "cvm", True, "gpuarray"), ("theano-pymc", "cvm", True, "gpuarray"), ("", "cvm", True, "gpuarray"),
        ("pytensor", "cvm", True, "xla"), ("aesara", "cvm", True, "xla"), ("pytensor", "jax", True, "xla"),
        ("pytensor", "pytorch", True, "torch"), ("theano", "cvm", False, "host"), ("pytensor", "numba", False, "host"),
        ("pytensor", "jax", False, "xla"), ("pytensor", "pytorch", False, "torch"),
    ],
)  # fmt: skip
def test_framework_mode_and_device_decide(framework: str, linker: str, gpu: bool, engine: str) -> None:
    """Where nobody asked for one."""
    assert choose(script(framework, linker), CARD if gpu else HOST).name == engine


@pytest.mark.parametrize("engine", ENGINES)
def test_the_one_asked_for(engine: str) -> None:
    """For PyTensor, which all can run."""
    assert choose(script("pytensor"), CARD, engine).name == engine


@pytest.mark.parametrize("engine", ["xla", "torch"])
def test_theano_has_no_way_to_compilers(engine: str) -> None:
    """Its scripts have one over PyTensor, and that is said."""
    with pytest.raises(UsageError, match=f"theano has no way to {engine}"):
        choose(script("theano"), CARD, engine)


def test_libgpuarray_is_a_gpus() -> None:
    """There is none of the host."""
    with pytest.raises(UsageError, match="gpuarray needs a GPU"):
        engine_named("gpuarray", HOST)
    with pytest.raises(UsageError, match="no engine 'tpu'"):
        engine_named("tpu", CARD)
    assert engine_named(None, HOST) is None


def test_on_the_host_each_function_has_its_own() -> None:
    """Its linker says which; on a GPU the script's."""
    functions = {linker: script("pytensor", linker).functions[0] for linker in ("numba", "jax", "pytorch")}
    assert {linker: engine_of(f, ENGINES["xla"], HOST) for linker, f in functions.items()} == {
        "numba": "host", "jax": "xla", "pytorch": "torch",
    }  # fmt: skip
    assert {engine_of(f, ENGINES["xla"], CARD) for f in functions.values()} == {"xla"}


def test_every_engine_names_itself() -> None:
    """The line begins with the name that --engine takes."""
    from theanodiag.memory.simulate import simulate

    for engine in ENGINES.values():
        of = script("pytensor")
        process = engine.labelled(of, simulate(of, engine.settings(of, CARD, _base(of))))
        assert engine.line(of, CARD, process).startswith(engine.name)


def _base(of: Script):  # type: ignore[no-untyped-def]
    from theanodiag.engines import settings_for

    return settings_for(of, CARD)
