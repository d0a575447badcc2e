"""Legacy flags of the environment and of rc files, translated for another framework."""

from __future__ import annotations

from pathlib import Path

import pytest

from theanodiag.compat.environment import parse, read_rc, translate

NO_RC = {"THEANORC": "/nonexistent"}


def test_flags_in_order() -> None:
    """Pairs keep their order; what is no pair is left out."""
    assert parse("floatX=float32, device = cuda0,,nonsense") == [("floatX", "float32"), ("device", "cuda0")]


def test_value_may_hold_an_equals_sign() -> None:
    """Only the first = separates."""
    assert parse("gcc.cxxflags=-O3 -march=native") == [("gcc.cxxflags", "-O3 -march=native")]


def test_translation_keeps_what_the_target_knows() -> None:
    """Dots become the later spelling; GPU flags are reported as dropped."""
    flags, dropped = translate(["theano"], "pytensor", {**NO_RC, "THEANO_FLAGS": "floatX=float32,blas.ldflags=-lblas,lib.cnmem=1"})
    assert flags == {"PYTENSOR_FLAGS": "blas__ldflags=-lblas,floatX=float32"}
    assert dropped == ["lib.cnmem=1"]


def test_the_targets_own_flags_win() -> None:
    """They come last, and the last one counts."""
    environment = {**NO_RC, "THEANO_FLAGS": "floatX=float32", "AESARA_FLAGS": "floatX=float64"}
    assert translate(["theano"], "aesara", environment)[0] == {"AESARA_FLAGS": "floatX=float32,floatX=float64"}


def test_nothing_to_translate_sets_nothing() -> None:
    """Without legacy flags the target's variable is left as it is."""
    assert translate(["theano"], "aesara", {**NO_RC, "AESARA_FLAGS": "cxx="}) == ({}, [])


def test_compiled_code_is_kept_apart() -> None:
    """Two frameworks do not share a folder of compiled modules."""
    flags, _ = translate(["theano"], "pytensor", {**NO_RC, "THEANO_FLAGS": "base_compiledir=/scratch/me"})
    assert flags == {"PYTENSOR_FLAGS": "base_compiledir=/scratch/me/pytensor"}


def test_rc_file(tmp_path: Path) -> None:
    """[global] holds plain names; other sections prefix theirs."""
    rc = tmp_path / "rc"
    rc.write_text("[global]\nfloatX = float32\n[gcc]\ncxxflags = -O2\n")
    assert read_rc([str(rc)]) == [("floatX", "float32"), ("gcc.cxxflags", "-O2")]


def test_variable_wins_over_rc_file(tmp_path: Path) -> None:
    """THEANO_FLAGS are read after THEANORC."""
    rc = tmp_path / "rc"
    rc.write_text("[global]\nfloatX = float32\noptimizer = None\n")
    flags, _ = translate(["theano"], "pytensor", {"THEANORC": str(rc), "THEANO_FLAGS": "floatX=float64"})
    assert flags == {"PYTENSOR_FLAGS": "floatX=float64,optimizer=None"}


@pytest.mark.parametrize("text", ["no section\n", "[global\n", "[global]\n= 3\n", "[a]\nx=1\n[a]\nx"])
def test_unreadable_rc_file_is_skipped(tmp_path: Path, text: str) -> None:
    """A broken rc file of another framework does not stop the script."""
    rc = tmp_path / "rc"
    rc.write_text(text)
    assert [value for _, value in read_rc([str(rc)]) if value == "nonsense"] == []
