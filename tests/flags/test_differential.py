"""Our resolution equals what the real libraries make of the same environment: every value, every failure, every warning."""

from __future__ import annotations

import os
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from tests.flags.libraries import LIBRARIES, compare, differences, fresh, library
from tests.flags.strategies import Configuration, configurations
from tests.interpreters import corpus, listed

EXAMPLES = int(os.environ.get("THEANODIAG_EXAMPLES", "100"))
PHASES = [Phase.generate, Phase.shrink]
PATIENT = settings(max_examples=EXAMPLES, deadline=None, suppress_health_check=list(HealthCheck), phases=PHASES, print_blob=True)


def environment(name: str, configuration: Configuration, home: str) -> dict[str, str]:
    """Writes the files into `home` and gives the variables."""
    dialect = library(name).dialect
    paths = [Path(home, f".{dialect.value}rc"), Path(home, "second.cfg"), Path(home, "third.cfg")]
    for path, content in zip(paths, configuration.files):
        path.write_bytes(content)
    environ = {"PATH": os.environ["PATH"], "HOME": home, **dict(configuration.environ)}
    if len(configuration.files) > 1:
        others = [str(path) for path in paths[1 : len(configuration.files)]]
        environ[dialect.rc_variable] = ":".join([f"~/.{dialect.value}rc", "~/missing", "", *others])
    if configuration.flags is not None:
        environ[dialect.flags_variable] = configuration.flags
    return environ


@pytest.mark.parametrize("name", LIBRARIES)
def test_generated_configurations_resolve_as_in_the_library(name: str) -> None:
    """Whatever stands in the files and the variable, we say what the library says."""
    running = library(name)

    @PATIENT
    @given(configurations(running.dialect, running.version))
    def check(configuration: Configuration) -> None:
        with TemporaryDirectory() as home:
            assert compare(name, environment(name, configuration, home), home) == []

    check()


@pytest.mark.parametrize("name", LIBRARIES)
def test_real_files_resolve_as_in_the_library(name: str, tmp_path: Path) -> None:
    """Every rc file of the corpus gives the library's values, or its error."""
    files = listed(corpus() / "theanorc", "*.cfg")
    assert len(files) > 100
    wrong = {}
    for file in files:
        found = compare(name, environment(name, Configuration((file.read_bytes(),), None), str(tmp_path)), str(tmp_path))
        wrong.update({file.name: found} if found else {})
    assert wrong == {}


@pytest.mark.parametrize("name", LIBRARIES)
def test_real_flags_resolve_as_in_the_library(name: str, tmp_path: Path) -> None:
    """Every flags string of the corpus gives the library's values, or its error."""
    lines = (corpus() / "flags.txt").read_text().splitlines()
    wrong = {}
    for line in lines:
        found = compare(name, environment(name, Configuration((b"",), line), str(tmp_path)), str(tmp_path))
        wrong.update({line: found} if found else {})
    assert wrong == {}


@pytest.mark.parametrize("name", LIBRARIES)
def test_any_flags_variable_is_taken_apart_as_in_the_library(name: str, tmp_path: Path) -> None:
    """Whatever stands in the variable: the library refuses the same texts, and warns of the same words."""

    @PATIENT
    @given(st.text(alphabet="ab=, '\"\\#\n\t.;", max_size=20))
    def check(text: str) -> None:
        assert compare(name, environment(name, Configuration((b"",), text), str(tmp_path)), str(tmp_path)) == []

    check()


SAMPLE = (
    Configuration((b"[global]\nfloatX = float32\nallow_gc: 0\n",), "mode=FAST_RUN,bogus=1"),
    Configuration((b"[DEFAULT]\nfloatX=float32\n[global]\nlinker = py\n[blas]\nldflags = -L%(USER)s\n",), None, (("USER", "ann"),)),
    Configuration((b"[global]\noptimizer = 'None'\n",), None),
    Configuration((b"[global]\nbase_compiledir = ~root//x/.\n",), None, (("OMP_NUM_THREADS", "4,2"),)),
    Configuration((b"[compile]\nwait = 7\n", b"[compile]\nwait = 8\n"), "cxx=,floatX = float32"),
)


@pytest.mark.parametrize("name", LIBRARIES)
@pytest.mark.parametrize("configuration", SAMPLE, ids=range(len(SAMPLE)))
def test_the_quick_way_to_ask_equals_a_real_import(name: str, configuration: Configuration, tmp_path: Path) -> None:
    """A forked library that reads its configuration again says what one says that is imported in a fresh process."""
    environ = environment(name, configuration, str(tmp_path))
    quick, real = library(name).ask(environ, str(tmp_path)), fresh(name, environ, str(tmp_path))
    for answer in (quick, real):
        answer.pop("pid")
        answer.pop("where", None)
    assert quick == real


def test_a_difference_is_noticed(tmp_path: Path) -> None:
    """The comparison is not blind: another floatX than the library's is reported."""
    running = library("theano")
    answer = running.ask(environment("theano", Configuration((b"",), "floatX=float32"), str(tmp_path)), str(tmp_path))
    ours = running.resolved(environment("theano", Configuration((b"",), "floatX=float16"), str(tmp_path)), str(tmp_path), 0)
    assert differences(ours, answer) == ["floatX: 'float16' is ['str', 'float32']"]
