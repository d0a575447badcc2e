"""What all commands print: visible text only, in any encoding, and an exit code that holds where it cannot be printed."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from theanodiag.cli.main import _Bug, _failed, wants_json

from ..interpreters import ROOT
from ..test_escaping import HARMFUL
from .run import theanodiag

PASTE = "Elemwise{add,no_inplace} [id A] <TensorType(float32, matrix)> ''   0\n |x [id B] <TensorType(float32, matrix)>\n |x [id B]\n"
ON_GPU = PASTE.replace("Elemwise{add,no_inplace}", "GpuElemwise{Add}[(0, 0)]<gpuarray>").replace("TensorType(", "GpuArrayType<None>(")
"""Exact, so that it can be said not to fit."""
FORGED = "fits on everything"


def commands(text: str, folder: Path) -> dict[str, list[str]]:
    """Command lines of all commands in which `text` comes from outside: in a file, in the name of a file, in an option."""
    paste, rc, odd = folder / "paste.txt", folder / "rc", folder / f"odd{text}name"
    paste.write_text(PASTE.replace("x [", f"x{text}y ["), encoding="utf-8", errors="surrogateescape")
    rc.write_bytes(b"[global]\nfloatX = float32" + text.replace("\n", "\n ").encode("utf-8", "surrogateescape") + b"\nfloat = 1\n")
    return {
        "graph": ["graph", str(paste), "--shape", "x=2,2"],
        "graph, a name": ["graph", str(odd)],
        "graph, a shape": ["graph", str(paste), "--shape", f"x{text}=2,a"],
        "check, a name": ["check", str(odd)],
        "check, a device": ["check", str(ROOT / "examples" / "mlp_sgd.py"), "--gpu", f"4{text}GiB"],
        "show": ["config", "show", "--all"],
        "check rc": ["config", "check", str(rc)],
        "check flags": ["config", "check", "--flags", f"device=cpu{text},x{text}=1"],
        "rewrite": ["config", "rewrite", str(rc), "--to", "theano-1.0"],
        "set": ["config", "set", f"floatX{text}=float32", str(rc)],
        "explain": ["explain", f"TD{text}301"],
        "doctor": ["doctor", "--only", "--python", str(odd)],
        "unknown option": ["rules", f"--{text}"],
    }


@pytest.mark.parametrize("kind", HARMFUL)
def test_no_command_prints_what_could_move_the_cursor(kind: str, tmp_path: Path) -> None:
    """Each class of characters, through every way in."""
    text = HARMFUL[kind]
    rc = tmp_path / "theanorc"
    rc.write_bytes(b"[global]\nbase_compiledir = /tmp/a" + text.replace("\n", "\n ").encode("utf-8", "surrogateescape") + b"b\n")
    for name, arguments in commands(text, tmp_path).items():
        done = theanodiag(*arguments, env={"THEANORC": str(rc)})
        said = done.stdout + done.stderr
        assert said, name
        assert not [c for c in said if not c.isprintable() and c not in "\n\t"], (name, said)
        assert done.returncode != 4, (name, said)


def test_a_line_cannot_be_forged(tmp_path: Path) -> None:
    """A line break in a name does not begin a line of the report."""
    for name, arguments in commands(f"\n{FORGED}", tmp_path).items():
        done = theanodiag(*arguments)
        quoted = {"graph, a shape"}  # the line of an option above its caret
        lines = (done.stdout + done.stderr).splitlines()
        assert name in quoted or not [line for line in lines if line.startswith(FORGED)], (name, lines)


def test_json_keeps_the_true_name(tmp_path: Path) -> None:
    """Programs read back the very text."""
    name = str(tmp_path / "odd\x1b\n\u202ename")
    done = theanodiag("graph", name, "--format", "json")
    assert done.returncode == 3
    found = json.loads(done.stdout)
    assert found["schema"] == "theanodiag/error/v1"
    assert found["error"]["path"] == name


@pytest.mark.parametrize("locale", ["C", "POSIX"])
@pytest.mark.parametrize("encoding", ["latin-1", "ascii"])
def test_any_encoding_will_do(locale: str, encoding: str, tmp_path: Path) -> None:
    """What the output's encoding lacks is escaped."""
    paste = tmp_path / "paste.txt"
    paste.write_text(PASTE.replace("x [", "größe漢 ["), encoding="utf-8")
    env = {**os.environ, "PYTHONPATH": str(ROOT), "LC_ALL": locale, "PYTHONIOENCODING": encoding, "PYTHONUTF8": "0"}
    done = subprocess.run([sys.executable, "-m", "theanodiag", "graph", str(paste)], env=env, capture_output=True, timeout=120, check=False)
    assert done.returncode == 0, done.stderr
    assert "\\u6f22" in done.stdout.decode(encoding)


def shell(line: str, tmp_path: Path) -> subprocess.CompletedProcess[str]:
    """A line of bash in which `theanodiag` is the command."""
    (tmp_path / "paste.txt").write_text(ON_GPU, encoding="utf-8")
    env = {**os.environ, "PYTHONPATH": str(ROOT)}
    whole = f'set -o pipefail; theanodiag() {{ {sys.executable} -m theanodiag "$@"; }}; {line}'
    return subprocess.run(["bash", "-c", whole], cwd=tmp_path, env=env, capture_output=True, text=True, timeout=120, check=False)


TOO_BIG = "theanodiag graph paste.txt --shape x=100000,100000 --gpu 1GiB"


@pytest.mark.parametrize("where", ["", " | true", " >&-", " | head -n 1"])
def test_the_exit_code_is_that_of_the_report(where: str, tmp_path: Path) -> None:
    """Whoever reads the report, or nobody."""
    assert shell(TOO_BIG + where, tmp_path).returncode == 53


@pytest.mark.parametrize(
    ("line", "code"),
    [
        ("theanodiag check m.py --gpu none --python $PY --format json", 3),
        ("theanodiag compare m.py --python $PY --against $PY", 1),
        ("theanodiag scan . --no-cache", 0),
    ],
)
def test_a_closed_standard_error_is_no_bug(line: str, code: int, tmp_path: Path) -> None:
    """Whether it is a terminal is asked of the stream, which is not there; the script has no framework."""
    (tmp_path / "m.py").write_text("x = 1\n", encoding="utf-8")
    assert shell(f"PY={sys.executable}; {line} 2>&- >/dev/null", tmp_path).returncode == code


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="needs /dev/full")
@pytest.mark.parametrize("line", [TOO_BIG, "theanodiag rules", "theanodiag explain TD301", "theanodiag graph absent --format json"])
def test_a_full_disk_is_an_error(line: str, tmp_path: Path) -> None:
    """The report is lost, and that is said."""
    done = shell(f"{line} >/dev/full", tmp_path)
    assert done.returncode == 3
    assert "No space left on device" in done.stderr or "absent" in done.stderr
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize(
    ("arguments", "code", "kind"),
    [
        (["graph", "absent.txt"], 3, "unreadable"),
        (["graph", "absent.txt", "--gpu", "nonsense"], 2, "usage"),
        (["graph", "absent.txt", "--no-such-option"], 2, "usage"),
        (["check"], 2, "usage"),
        (["check", "absent.py", "--max-calls", "many"], 2, "usage"),
        (["config", "check", "absent"], 3, "unreadable"),
        (["config", "rewrite", "absent", "--to", "theano-1.0"], 3, "unreadable"),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else "",
)
def test_errors_are_json_where_json_was_asked_for(arguments: list[str], code: int, kind: str) -> None:
    """A program that reads the output gets a document in every case."""
    done = theanodiag(*arguments, "--format=json")
    assert done.returncode == code
    error = json.loads(done.stdout)["error"]
    assert (error["exit_code"], error["kind"]) == (code, kind)
    assert error["message"] in done.stderr


def test_a_bug_of_ours_is_json_too(capsys: pytest.CaptureFixture[str]) -> None:
    """Exit code 4 has its document."""
    assert _failed(_Bug(ValueError("an\x1b error")), ["graph", "--format", "json"]) == 4
    found = capsys.readouterr()
    assert json.loads(found.out)["error"]["kind"] == "bug"
    assert "\x1b" not in found.err


def test_the_scripts_own_options_are_not_ours() -> None:
    """What stands behind `--` does not decide our format."""
    assert wants_json(["check", "m.py", "--format", "json", "--", "x"])
    assert not wants_json(["check", "m.py", "--", "--format", "json"])
