"""The table: its size, its versions, what it says of single flags, and that it equals the real libraries."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.flags.libraries import DIALECTS, LIBRARIES, library
from theanodiag.errors import UsageError
from theanodiag.flags.defaults import advice, load_table, nearest, number, versions
from theanodiag.flags.model import Computed, Dialect, FlagKind, FlagTable


@pytest.fixture
def theano() -> FlagTable:
    """Theano 1.0.5."""
    return load_table(Dialect.THEANO, "1.0.5")


class TestSizes:
    """How many flags a version has, as counted in the library itself."""

    @pytest.mark.parametrize(
        ("dialect", "version", "size"),
        [("theano", "0.6", 90), ("theano", "0.7", 108), ("theano", "1.0.5", 140), ("aesara", "2.9.4", 94), ("pytensor", "3.3.7", 78)],
    )
    def test_known_sizes(self, dialect: str, version: str, size: int) -> None:
        """A version has as many flags as its library registers."""
        assert len(load_table(Dialect(dialect), version).flags) == size

    @pytest.mark.parametrize("dialect", list(Dialect))
    def test_every_version_has_a_table(self, dialect: Dialect) -> None:
        """Each known version can be loaded, and no flag is in it twice."""
        for version in versions(dialect):
            names = [flag.dotted for flag in load_table(dialect, version).flags]
            assert len(names) == len(set(names)) > 45, version

    @pytest.mark.parametrize("name", LIBRARIES)
    def test_names_are_those_of_the_library(self, name: str, tmp_path: Path) -> None:
        """The table lists what the real library registers, and nothing else."""
        answer = library(name).ask({"HOME": str(tmp_path), "PATH": "/usr/bin:/bin"}, str(tmp_path))
        names = {flag.name for flag in load_table(DIALECTS[name], library(name).version).flags}
        assert set(answer["values"]) <= names
        assert {n.replace("__", ".") for n in names - set(answer["values"])} <= {"blas.ldflags", "gcc_version_str"}


class TestVersions:
    """Finding the table of a version."""

    @pytest.mark.parametrize(
        ("asked", "found"),
        [
            *[(v, v) for v in ("0.3.0", "0.5.0", "0.8.0", "0.8.1", "0.9.0", "1.0.0", "1.0.3", "1.0.4", "1.0.5", "1.0.11", "1.1.0")],
            *[("1.0.5+unknown", "1.0.5"), ("0.8", "0.8.0"), ("1.0", "1.0.0"), ("0.1", "0.3.0"), ("0.9.1", "1.0.0"), ("1.0.16", "1.1.0")],
            *[("9", "1.1.2"), (None, "1.1.2")],
        ],
    )
    def test_nearest(self, asked: str | None, found: str) -> None:
        """Every release of Theano and Theano-PyMC has a table of its own; what is none has that of the next later release."""
        assert nearest(Dialect.THEANO, asked) == found

    def test_every_release_has_a_table(self) -> None:
        """All that was published of Theano and Theano-PyMC: in none of them a flag is called other than in that release."""
        known = versions(Dialect.THEANO)
        assert set(known) >= {"0.4.1", "0.6.0", "0.7.0", "0.8.2", "0.9.0", *(f"1.0.{n}" for n in range(16)), "1.1.0", "1.1.1", "1.1.2"}
        sizes = {v: len(load_table(Dialect.THEANO, v).flags) for v in ("0.8.0", "0.8.2", "0.9.0", "1.0.0", "1.0.4", "1.0.5", "1.0.12")}
        assert sizes == {"0.8.0": 128, "0.8.2": 128, "0.9.0": 133, "1.0.0": 140, "1.0.4": 140, "1.0.5": 140, "1.0.12": 136}

    def test_not_a_version(self) -> None:
        """What is no version is the caller's mistake."""
        with pytest.raises(UsageError, match="not a version: 'new'"):
            nearest(Dialect.THEANO, "new")

    def test_order(self) -> None:
        """Versions are kept oldest first, by number and not by letters."""
        for dialect in Dialect:
            known = [number(v) for v in versions(dialect)]
            assert known == sorted(known)


class TestFlags:
    """Single facts that advice depends on."""

    def test_preallocate(self, theano: FlagTable) -> None:
        """A number that cannot be changed after the import."""
        flag = theano.get("gpuarray.preallocate")
        assert flag
        assert (flag.kind, flag.default, flag.mutable, flag.section, flag.option) == (FlagKind.FLOAT, 0.0, False, "gpuarray", "preallocate")

    def test_nested_section(self, theano: FlagTable) -> None:
        """A name splits at its last dot."""
        flag = theano.get("dnn.conv.algo_fwd")
        assert flag
        assert (flag.section, flag.option) == ("dnn.conv", "algo_fwd")

    def test_device(self, theano: FlagTable) -> None:
        """Theano 1.0 takes cuda and opencl devices, 0.9 gpu too, Aesara cpu only, and PyTensor has no such flag."""
        old, aesara = load_table(Dialect.THEANO, "0.9").get("device"), load_table(Dialect.AESARA).get("device")
        assert [flag and flag.choices for flag in (theano.get("device"), aesara)] == [("cuda", "opencl"), ()]
        assert old
        assert "gpu" in old.choices
        assert load_table(Dialect.PYTENSOR).get("device") is None

    def test_names_of_theano_pymc(self) -> None:
        """Theano-PyMC took up the double underscore with 1.0.15."""
        flag = load_table(Dialect.THEANO, "1.1.2").dotted("blas.ldflags")
        assert flag
        assert (flag.name, flag.section, flag.option) == ("blas__ldflags", "blas", "ldflags")

    def test_computed_defaults(self, theano: FlagTable) -> None:
        """No path of the machine on which the table was made is in it."""
        computed = {flag.name for flag in theano.flags if isinstance(flag.default, Computed)}
        assert {"cxx", "compiledir", "base_compiledir", "blas.ldflags", "compile.timeout", "cuda.root"} <= computed
        assert not [f.name for f in theano.flags if isinstance(f.default, str) and f.default.startswith("/")]

    def test_c_cache_key(self, theano: FlagTable) -> None:
        """floatX enters the key of the C cache, mode does not."""
        assert [flag and flag.in_c_key for flag in map(theano.get, ("floatX", "mode"))] == [True, False]

    def test_history(self) -> None:
        """lib.cnmem lived in Theano 0.8 and 0.9, and its successor is known."""
        having = {v for v in versions(Dialect.THEANO) if any(f.dotted == "lib.cnmem" for f in load_table(Dialect.THEANO, v).flags)}
        assert {v.rpartition(".")[0] for v in having} == {"0.8", "0.9"}
        known = advice("lib.cnmem")
        assert known
        assert known.successor == "gpuarray.preallocate"

    def test_successors_exist(self) -> None:
        """Whatever is named as a successor is a flag of some version."""
        names = {flag.dotted for dialect in Dialect for version in versions(dialect) for flag in load_table(dialect, version).flags}
        told = [advice(name) for name in names]
        assert {a.successor for a in told if a and a.successor} <= names
