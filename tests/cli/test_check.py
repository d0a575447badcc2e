"""`theanodiag check`: bad input gets a message and the right exit code; a framework gives a report."""

from __future__ import annotations

import json
import os
import pty
import subprocess
import sys
import threading
import venv
from pathlib import Path

import pytest

from theanodiag.memory.profile import ESTIMATED

from ..interpreters import ROOT, find
from .run import theanodiag

MLP = str(ROOT / "examples" / "mlp_sgd.py")


def bare_interpreter(folder: Path) -> str:
    """An interpreter that has not even numpy."""
    venv.create(folder / "bare", with_pip=False)
    return str(folder / "bare" / "bin" / "python")


@pytest.mark.parametrize(
    ("arguments", "code", "message"),
    [
        (["missing.py"], 3, "missing.py: no such file"),
        (["."], 3, "a folder, not a file"),
        ([MLP, "--python", "/no/such/python"], 3, "/no/such/python: no such interpreter"),
        ([MLP, "--python", "/bin/true"], 3, "not a Python interpreter"),
        ([MLP, "--gpu", "quadro"], 2, "not a card or a size"),
        ([MLP, "--gpu", "none", "--tight"], 2, "need a measured run"),
        ([MLP, "--gpu", "none", "--repeat", "2"], 2, "need a measured run"),
        ([MLP, "--gpu", "none", "--confirm", "cpu", "--repeat", "0"], 2, "nothing would be measured"),
        ([MLP, "--gpu", "none", "--confirm", "pymc", "--tight"], 2, "--confirm pymc uses none"),
        ([MLP, "--device-overhead", "some"], 2, "not a size in bytes"),
        ([MLP, "--shape", "x=a,b"], 2, "shape"),
        ([MLP, "--max-calls", "0"], 2, "max"),
        ([MLP, "--timeout", "0"], 2, "timeout"),
        ([MLP, "--timeout", "nan"], 2, "timeout"),
        ([MLP, "--batch-dim", "x:²"], 2, "not an axis"),
        ([MLP, "5"], 2, "MODEL.py -- 5"),
        ([], 2, "MODEL.py"),
    ],
)
def test_bad_input_is_refused_with_its_exit_code(arguments: list[str], code: int, message: str) -> None:
    """The message says what is wrong, and no traceback of ours is shown."""
    done = theanodiag("check", *arguments)
    assert (done.returncode, "Traceback" in done.stderr) == (code, False), done.stderr
    assert message in done.stderr


def test_syntax_error_is_shown_with_place_and_caret(tmp_path: Path) -> None:
    """A script that is no Python is the user's to mend: path, line, column and the line itself."""
    (tmp_path / "model.py").write_text("import theano\nprint 'old'\n")
    done = theanodiag("check", "model.py", cwd=str(tmp_path))
    assert done.returncode == 3
    assert "model.py:2:" in done.stderr
    assert "print 'old'" in done.stderr
    assert "^" in done.stderr


def test_interpreter_without_a_framework_is_named(tmp_path: Path) -> None:
    """Which interpreter lacks what, and what to do."""
    (tmp_path / "model.py").write_text("import theano\n")
    done = theanodiag("check", "model.py", "--python", bare_interpreter(tmp_path), cwd=str(tmp_path))
    assert done.returncode == 3
    assert "theano" in done.stderr
    assert "help:" in done.stderr


def test_a_shape_for_a_script_without_functions_is_refused(tmp_path: Path) -> None:
    """It cannot be of any use; where the framework is what is missing, that is said."""
    (tmp_path / "empty.py").write_text("")
    (tmp_path / "model.py").write_text("import theano\n")
    bare = bare_interpreter(tmp_path)
    empty, model = (theanodiag("check", name, "--shape", "x=2", "--python", bare, cwd=str(tmp_path)) for name in ("empty.py", "model.py"))
    assert (empty.returncode, "no compiled function" in empty.stderr) == (2, True)
    assert (model.returncode, "has no theano" in model.stderr) == (3, True)


def test_script_without_functions_is_told(tmp_path: Path) -> None:
    """Nothing to look at is exit code 3, and says so."""
    (tmp_path / "model.py").write_text("print('hello')\n")
    done = theanodiag("check", "model.py", "--python", bare_interpreter(tmp_path), cwd=str(tmp_path))
    assert done.returncode == 3
    assert "no compiled function was found" in done.stdout
    assert done.stdout.startswith("output of model.py (its numbers are placeholders):\n  | hello\n\n")


@pytest.mark.parametrize("stream", ["stdout", "stderr"])
def test_a_long_output_is_cut_only_on_a_terminal(tmp_path: Path, stream: str) -> None:
    """A pipe has every line, as the log of a CI job must; a terminal has it with --verbose. It is on stderr beside JSON."""
    (tmp_path / "model.py").write_text("for n in range(100):\n    print('line', n)\n")
    words = ("check", "model.py", "--python", bare_interpreter(tmp_path), *(["--format", "json"] if stream == "stderr" else []))
    piped = theanodiag(*words, cwd=str(tmp_path))
    lines = [f"  | line {n}" for n in range(100)]
    assert [line for line in getattr(piped, stream).splitlines() if line.startswith("  |")] == lines
    assert shown_by_a_terminal(tmp_path, stream, *words, "--verbose") == lines
    assert shown_by_a_terminal(tmp_path, stream, *words) == [*lines[:10], "  | ... (70 more lines; --verbose shows all)", *lines[-20:]]


def shown_by_a_terminal(folder: Path, stream: str, *words: str) -> list[str]:
    """The lines of the script that a terminal gets which is the one stream of this command, the other being a file."""
    ours, theirs = pty.openpty()
    got = list[bytes]()

    def read() -> None:
        while not b"".join(got).endswith(b"END"):
            got.append(os.read(ours, 4096))

    reader = threading.Thread(target=read)
    reader.start()
    env = {**os.environ, "PYTHONPATH": os.pathsep.join([str(ROOT), *filter(None, [os.environ.get("PYTHONPATH")])]), "TERM": "dumb"}
    with (folder / "other").open("wb") as other:
        streams = {"stdout": other, "stderr": other, stream: theirs}
        subprocess.run([sys.executable, "-m", "theanodiag", *words], cwd=folder, env=env, check=False, **streams)  # type: ignore[call-overload]
    os.write(theirs, b"END")
    reader.join()
    os.close(theirs)
    os.close(ours)
    text = b"".join(got).decode().replace("\x1b[K", "\r")
    return [line for piece in text.split("\n") if (line := piece.rstrip("\r").rpartition("\r")[2]).startswith("  |")]


def test_numpy_is_no_finding_where_no_framework_is_imported(tmp_path: Path) -> None:
    """TD264 is about Theano beside a newer numpy; a script without a framework has none."""
    (tmp_path / "model.py").write_text("import numpy\nassert numpy.__version__ >= '1.22'\n")
    done = theanodiag("check", "model.py", "--python", find("aesara"), "--format", "json", cwd=str(tmp_path))
    assert (done.returncode, json.loads(done.stdout)["findings"]) == (3, [])


def test_script_that_raises_is_shown_with_its_own_traceback(tmp_path: Path) -> None:
    """The traceback is the script's, without a frame of ours."""
    (tmp_path / "model.py").write_text("def load():\n    raise ValueError('no data')\n\nload()\n")
    done = theanodiag("check", "model.py", cwd=str(tmp_path))
    assert done.returncode == 3
    assert "ValueError: no data" in done.stdout
    assert "line 2, in load" in done.stdout
    assert "theanodiag/capture" not in done.stdout.replace(str(ROOT), "theanodiag-root")


@pytest.mark.parametrize("format", ["concise", "github", "gitlab", "junit", "sarif"])
def test_a_list_of_findings_has_the_failure_of_the_script(format: str, tmp_path: Path) -> None:
    """An empty list would look like a script without faults; the place is the script's innermost line."""
    (tmp_path / "model.py").write_text("def load():\n    raise ValueError('no data')\n\nload()\n")
    done = theanodiag("check", "model.py", "--format", format, cwd=str(tmp_path))
    assert done.returncode == 3
    assert "TD006" in done.stdout
    assert "the script failed: ValueError: no data" in done.stdout
    places = {"concise": "model.py:2: TD006", "github": "line=2", "junit": 'line="2"', "sarif": '"startLine": 2'}
    assert places.get(format, "") in done.stdout
    (tmp_path / "model.py").write_text("import numpy\n")
    assert "no compiled function was found" in theanodiag("check", "model.py", "--format", format, cwd=str(tmp_path)).stdout


def test_a_list_of_findings_has_a_script_that_could_not_be_run(tmp_path: Path) -> None:
    """Its error is said too, but who reads the list does not see that; a file for it is written."""
    (tmp_path / "model.py").write_text("x = 1\nprint 'old'\n")
    done = theanodiag("check", "model.py", "--format", "github", cwd=str(tmp_path))
    assert done.returncode == 3
    assert done.stdout.startswith("::error title=theanodiag (TD006),file=model.py,line=2,")
    done = theanodiag("check", "model.py", "--format", "junit", "-o", "tests.xml", cwd=str(tmp_path))
    assert (done.returncode, 'failures="1"' in (tmp_path / "tests.xml").read_text()) == (3, True)
    assert theanodiag("check", "model.py", cwd=str(tmp_path)).stdout == ""


def test_json_stays_whole_when_the_script_prints(tmp_path: Path) -> None:
    """With --format json stdout is the document alone; what the script prints goes to stderr."""
    (tmp_path / "model.py").write_text("print('x' * 3000000)\n")
    done = theanodiag("check", "model.py", "--format", "json", cwd=str(tmp_path))
    assert json.loads(done.stdout)["functions"] == []
    assert len(done.stderr) > 3000000


@pytest.mark.parametrize("framework", ["theano", "aesara", "pytensor", "pytensor_new", "theano27"])
def test_mlp_on_each_framework(framework: str) -> None:
    """The example runs unmodified on each framework, and its parameters are all on the device.

    Theano's own graphs run on libgpuarray; what XLA needs for the others, which has no JAX to ask here, is an upper bound.
    """
    done = theanodiag("check", MLP, "--python", find(framework), "--gpu", "k520", "--format", "json")
    assert done.returncode == 0, done.stderr
    document = json.loads(done.stdout)
    train = next(f for f in document["functions"] if f["name"] == "train")
    shared = sum(i["bytes"] for i in train["profile"]["items"] if i["kind"] == "shared")
    assert train["calls"][0]["inputs"][0]["shape"] == [128, 784]
    assert shared >= 4 * 784
    theano = framework in ("theano", "theano27")
    assert (document["process"]["fits"], train["fits"], document["process"]["open"]) == (True, True, None)
    assert document["engine"]["name"] == train["profile"]["engine"] == ("gpuarray" if theano else "xla")
    assert (train["profile"]["origin"] == "bounded") != theano
    assert train["profile"]["xla"] is None
    assert any("there is no JAX" in s["reason"] for s in document["skipped"]) != theano


@pytest.mark.parametrize("framework", ["aesara", "pytensor"])
def test_as_theano_would_have_run_it(framework: str) -> None:
    """Theano's GPU for a framework that has none is a what-if, and no verdict."""
    done = theanodiag("check", MLP, "--python", find(framework), "--gpu", "k520", "--engine", "gpuarray", "--format", "json")
    document = json.loads(done.stdout)
    train = next(f for f in document["functions"] if f["name"] == "train")
    assert (train["profile"]["engine"], train["profile"]["origin"]) == ("gpuarray", "estimate")
    assert "a what-if" in document["engine"]["line"]
    assert (document["process"]["fits"], document["process"]["open"]) == (None, ESTIMATED)


def test_theano_has_no_way_to_xla() -> None:
    """One line, with the way over PyTensor."""
    done = theanodiag("check", MLP, "--python", find("theano"), "--gpu", "h100-80", "--engine", "xla")
    assert done.returncode == 2
    assert "theano has no way to xla: pytensor and aesara have" in done.stderr
    assert "help: " in done.stderr


def test_no_verdict_without_a_bound() -> None:
    """What Theano's own graph needs more for than the lifted one of PyTensor is not said to fit."""
    example, device = str(ROOT / "examples" / "sliced_layer.py"), ("--gpu", "800MiB", "--engine", "gpuarray")
    here = theanodiag("check", example, *device, "--python", find("pytensor"))
    there = theanodiag("check", example, *device, "--python", find("theano"))
    assert (here.returncode, there.returncode) == (0, 53)
    assert "may fit on 800MiB: needs about" in here.stdout
    assert ESTIMATED in here.stdout.replace("\n", " ")
    assert "bounded" not in here.stdout
    assert "gpuarray.preallocate" not in here.stdout  # PyTensor has no such flag


def test_a_host_has_a_size_and_no_driver() -> None:
    """On the host what is needed stands beside the memory of this machine."""
    done = theanodiag("check", MLP, "--python", find("pytensor"), "--gpu", "none")
    assert "fits in the memory of this host: needs " in done.stdout
    assert "driver" not in done.stdout


UNCALLED = """
import {library} as theano
import {library}.tensor as T
x = T.matrix("x")
theano.function([x], T.exp(x), name="only")
{then}
"""


@pytest.mark.parametrize("then", ["", "raise ValueError('no data')"])
def test_nothing_is_said_to_fit_of_what_was_not_seen(tmp_path: Path, then: str) -> None:
    """A function without shapes has no figures; neither has what a script would have done after it failed."""
    path = tmp_path / "model.py"
    path.write_text(UNCALLED.format(library="theano", then=then), encoding="utf-8")
    asked = ("check", str(path), "--python", find("theano"), "--gpu", "4GiB")
    text, document = theanodiag(*asked).stdout.replace("\n", " "), json.loads(theanodiag(*asked, "--format", "json").stdout)
    assert "may fit on 4GiB: needs at least" in text
    assert "only was never called, and the shapes of its inputs are unknown" in text
    assert ("the script did not finish" in text) == bool(then)
    assert (document["process"]["fits"], document["functions"][0]["fits"]) == (None, None)
    assert "never called" in document["process"]["open"]


def test_flags_that_stop_the_framework_are_findings(tmp_path: Path) -> None:
    """Where Theano refuses to start, the report says which line of the rc file it is, and the next command is about flags."""
    (tmp_path / "rc").write_text("[global]\ndevice = gpu0\n")
    done = theanodiag("check", MLP, "--python", find("theano"), env={"THEANORC": str(tmp_path / "rc"), "THEANO_FLAGS": ""})
    assert done.returncode == 3
    assert "TD231" in done.stdout
    assert "rc:2:" in done.stdout.replace("\n", "")  # a long path is wrapped
    assert "next: theanodiag config check" in done.stdout.splitlines()


def test_arguments_after_two_dashes_are_the_scripts(tmp_path: Path) -> None:
    """What follows `--` reaches the script as it is, also what looks like an option of ours."""
    (tmp_path / "model.py").write_text("import sys\nprint(sys.argv[1:])\n")
    done = theanodiag("check", "model.py", "--gpu", "4GiB", "--", "--gpu", "none", "--", "-x", cwd=str(tmp_path))
    assert "\n  | ['--gpu', 'none', '--', '-x']\n" in done.stdout


def test_script_that_exits_with_a_status_is_told(tmp_path: Path) -> None:
    """sys.exit(7) is the script's failure, with its number."""
    (tmp_path / "model.py").write_text("import sys\nsys.exit(7)\n")
    done = theanodiag("check", "model.py", cwd=str(tmp_path))
    assert done.returncode == 3
    assert "the script ended with exit code 7" in done.stdout
