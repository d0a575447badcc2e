"""One file each: what is found in it, and what is told where it cannot be read."""

from __future__ import annotations

import json

import pytest

from theanodiag.report.v1.common import builtins, convert, read
from theanodiag.report.v1.scan import FileV1
from theanodiag.scanned_files.facts import expanded, facts, format_series, frameworks, releases
from theanodiag.scanned_files.model import FileFacts, FileState, NameCounts, SourceKind, by_first_bytes, by_name


def of(text: str, kind: SourceKind = SourceKind.PYTHON, path: str = "model.py") -> FileFacts:
    """The facts of a file with that text; they survive the way through JSON."""
    found = facts(path, kind, text.encode())
    assert read(json.dumps(builtins(FileV1.of(found))), FileV1).facts() == found
    return found


def test_what_is_no_file_of_a_scan_is_refused() -> None:
    """A number of lines in words, as a worker might answer: with the place, and not taken for a number."""
    row = builtins(FileV1.of(facts("model.py", SourceKind.PYTHON, b"import theano\n")))
    with pytest.raises(ValueError, match=r"Expected `int`, got `str` - at `\$.lines`"):
        convert({**row, "lines": "12"}, FileV1)


def codes(found: FileFacts) -> list[tuple[str, int | None]]:
    """Code and line of each finding."""
    return [(f.code, f.location.line) for f in found.findings]


def test_a_file_without_a_framework_is_irrelevant() -> None:
    """A word in a comment is no import."""
    assert of("import numpy\n").state is FileState.IRRELEVANT
    assert of("# as in theano\nimport numpy\n").state is FileState.IRRELEVANT


def test_names_are_counted_as_port_moves_them() -> None:
    """Safe ones, and those left to do by hand, which are findings."""
    found = of("import theano\nfrom theano.sandbox.cuda.blas import GpuCorr3dMM\nx = theano.tensor.sqr(2)\ny = GpuCorr3dMM()(x)\n")
    assert found.frameworks == ("theano",)
    assert found.names.safe >= 2
    assert found.names.by_hand >= 1
    assert found.gpu
    assert (of("import theano.gpuarray\n").gpu, of("import theano.gpuarray\n").releases) == (True, "0.9-1.0")
    assert found.python == 3
    assert "TD103" in {code for code, _ in codes(found)}


def test_python_2() -> None:
    """A source that only Python 2 takes is read all the same."""
    found = of("import theano\nprint theano.config.floatX\n")
    assert (found.state, found.python) == (FileState.READ, 2)


@pytest.mark.parametrize(
    ("text", "series"),
    [
        ("import theano.tensor as T\nT.dot(1, 2)\n", "0.6-1.0"),
        ("from theano.tensor.signal import downsample\n", "0.6-0.8"),
        ("from theano.tensor.nnet import ctc\n", "0.10-1.0"),
        ("from theano.tensor.nnet import ctc\nfrom theano.tensor.signal import downsample\n", "none"),
        ("import lasagne\n", ""),
        (
            "try:\n    from theano.tensor.signal.pool import pool_2d\nexcept ImportError:\n"
            "    from theano.tensor.signal.downsample import max_pool_2d as pool_2d\npool_2d(1)\n",
            "0.6-1.0",
        ),
        ("try:\n    from theano.tensor.signal import downsample\nexcept ValueError:\n    pass\n", "0.6-0.8"),
        ("try:\n    from theano.tensor.signal import downsample\nexcept:\n    downsample = None\n", "0.6-1.0"),
        (
            "import theano.tensor as T\ntry:\n    T.nnet.ctc\nexcept AttributeError:\n    pass\n"
            "try:\n    T.signal.downsample\nexcept Exception:\n    pass\n",
            "0.6-0.8",
        ),
        ("import theano.tensor as T\nT.no_such_name\n", "none"),
        ("import theano.tensor.tests.test_basic\nimport theano.tensor as T\nT.TensorType.no_such_member\n", "0.6-1.0"),
    ],
)
def test_releases_that_have_all_names(text: str, series: str) -> None:
    """The series of Theano in which every name used exists."""
    assert of(text).releases == series


def test_series_are_written_and_read_as_runs() -> None:
    """Gaps stay gaps, and what is written reads back."""
    assert format_series({"0.6", "0.7", "0.10", "1.0"}) == "0.6-0.7,0.10-1.0"
    assert expanded("0.6-0.7,0.10-1.0") == {"0.6", "0.7", "0.10", "1.0"}
    assert releases(["aesara.tensor.dot"]) == ""


def test_flags_in_a_source() -> None:
    """Checked as `config check` does, at the place in the file."""
    found = of('import os\nos.environ["THEANO_FLAGS"] = "floatX=float32,device=gpu0"\nimport theano\n')
    assert found.gpu
    assert ("TD231", 2) in codes(found)
    place = next(f.location for f in found.findings if f.code == "TD231")
    assert place.path == "model.py"


@pytest.mark.parametrize(
    ("text", "kind", "path"),
    [
        ("export THEANO_FLAGS=device=gpu,floatX=float32\npython train.py\n", SourceKind.SHELL, "run.sh"),
        ('THEANO_FLAGS="device=gpu" python train.py\n', SourceKind.SHELL, "run"),
        ("ENV THEANO_FLAGS device=gpu\n", SourceKind.CONTAINER, "gpu/Dockerfile"),
        ("set -gx THEANO_FLAGS device=gpu\n", SourceKind.SHELL, "config.fish"),
        ("env:\n  THEANO_FLAGS: device=gpu\n", SourceKind.SETTINGS, "ci.yml"),
        ("train:\n\tTHEANO_FLAGS=device=gpu python a.py\n", SourceKind.SETTINGS, "Makefile"),
    ],
)
def test_flags_in_scripts_container_files_and_settings(text: str, kind: SourceKind, path: str) -> None:
    """As a shell, Docker, a CI or make sets them; the finding stands at the flag."""
    found = of(text, kind, path).findings
    places = [(f.location.line, f.location.column) for f in found if f.code == "TD231"]
    line = next(n for n, one in enumerate(text.splitlines(), 1) if "device" in one)
    assert places == [(line, text.splitlines()[line - 1].index("device") + 1)]


def test_flags_that_are_put_together_later_are_left_alone() -> None:
    """What a variable holds is not known; what stands beside it is."""
    alone = of("export THEANO_FLAGS=device=$DEVICE\n", SourceKind.SHELL, "run.sh")
    assert (alone.state, alone.findings) == (FileState.READ, ())
    beside = of("export THEANO_FLAGS=$THEANO_FLAGS,device=gpu\n", SourceKind.SHELL, "run.sh")
    assert [f.code for f in beside.findings] == ["TD231"]


@pytest.mark.parametrize(
    ("flags", "codes_"),
    [
        ("device=gpu$1", ["TD231"]),
        ("device=gpu${N},floatX=float32", ["TD231"]),
        ("device=cuda$1", []),
        ("device=$1gpu", []),
        ("device=gpu$1,$2", ["TD231"]),
    ],
)
def test_a_gpu_whose_number_is_set_later(flags: str, codes_: list[str]) -> None:
    """Its back-end is known; the finding has no edits, because the value is known only in part."""
    found = of(f"THEANO_FLAGS={flags} python a.py\n", SourceKind.SHELL, "run.sh").findings
    assert [(f.code, f.location.column, f.fix and f.fix.edits) for f in found] == [(c, 14, ()) for c in codes_]


def test_an_rc_file() -> None:
    """By its name's library, as if it were the only one."""
    found = of("[global]\ndevice = gpu\n", SourceKind.RC, "home/.theanorc")
    assert found.gpu
    assert ("TD231", 2) in codes(found)


def test_a_notebook() -> None:
    """Magics are passed over; a finding says the cell and the line in it."""
    cells = [
        {"cell_type": "markdown", "source": ["import theano"]},
        {"cell_type": "code", "source": ["%matplotlib inline\n", "import theano"]},
        {"cell_type": "code", "source": "for k in range(3):\n    f = theano.function([], k)\n"},
    ]
    for mark in ("", "\ufeff"):  # as Windows editors save it
        found = of(mark + json.dumps({"cells": cells, "nbformat": 4}), SourceKind.NOTEBOOK, "a.ipynb")
        assert [(f.code, f.location.detail) for f in found.findings] == [("TD111", "cell 3, line 2")]
    broken = of('{"cells": theano', SourceKind.NOTEBOOK, "a.ipynb")
    assert (broken.state, "not a notebook" in broken.reason) == (FileState.FAILED, True)


def test_hazards() -> None:
    """Compiling in a loop, reading in a loop, a data set in a shared variable; and none of it where each is done once."""
    bad = "import theano\nx = theano.shared(train_set_x)\nwhile True:\n    f = theano.function([], x)\n    print(x.get_value())\n"
    assert [c for c, _ in codes(of(bad))] == ["TD113", "TD111", "TD112"]
    good = "import theano\nw = theano.shared(w0)\nf = theano.function([], w)\nvalues = [p.get_value() for p in params]\n"
    good += "few = theano.shared(train_set_x[a:b])\n"
    assert codes(of(good)) == []


def test_a_syntax_error_is_told_with_its_line() -> None:
    """The framework that it imports is told all the same."""
    found = of("import theano\nx = = 1\n")
    assert (found.state, found.frameworks, found.names) == (FileState.FAILED, ("theano",), NameCounts())
    assert found.reason.startswith("line 2")


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("import numpy, theano.tensor as T\n", ("theano",)),
        ("try:\n    from lasagne import layers\nexcept ImportError: pass\n", ("lasagne",)),
        ("if x: import keras\n", ("keras",)),
        ("from theano_lib import x\nimport mytheano\n", ()),
        ("m = importlib.import_module('pymc3')\n", ("pymc3",)),
        ("import pymc as pm; import pytensor\n", ("pytensor", "pymc")),
    ],
)
def test_imports(text: str, found: tuple[str, ...]) -> None:
    """Every form of an import, and nothing that only looks like one."""
    assert frameworks(text) == found


def test_kinds() -> None:
    """By the name, else by the first line."""
    assert by_name("train.py") is SourceKind.PYTHON
    assert by_name(".theanorc.txt") is SourceKind.RC
    assert by_name("Dockerfile.gpu") is SourceKind.CONTAINER
    assert by_name("data.csv") is None
    assert by_first_bytes(b"#!/usr/bin/env python2.7\n") is SourceKind.PYTHON
    assert by_first_bytes(b"#!/bin/bash -e\n") is SourceKind.SHELL
    assert by_first_bytes(b"#$ -V\n#$ -S /bin/sh\n") is SourceKind.SHELL
    assert by_first_bytes(b"# to be run by #!/bin/sh\n") is None
    assert by_first_bytes(b"\x7fELF") is None


@pytest.mark.parametrize(
    ("installs", "codes"),
    [
        ("RUN pip install theano==0.9", set()),
        ("RUN pip install 'Theano == 0.8.2' keras", set()),
        ("RUN conda install -y theano=0.9.0 pygpu", set()),
        ("RUN pip install theano", {"TD231"}),
        ("# RUN pip install theano==0.9", {"TD231"}),
        ("RUN pip install theano==0.9\nRUN pip install theano==1.0.4", {"TD231"}),
        ("RUN pip install my-theano==0.9 theano-lstm==0.9", {"TD231"}),
        ("RUN pip install Theano-PyMC==1.1.2", {"TD231"}),
    ],
)
def test_flags_are_judged_by_the_version_that_the_file_installs(installs: str, codes: set[str]) -> None:
    """If it names one, and not in a comment; else by the usual one."""
    text = f"FROM x\n{installs}\nENV THEANO_FLAGS=device=gpu,floatX=float32\n"
    found = facts("Dockerfile", SourceKind.CONTAINER, text.encode())
    assert {f.code for f in found.findings if f.code == "TD231"} == codes
