"""Names from outside, through every command, format and stream: none moves a cursor, forges a line, or gives a CI service a command."""

from __future__ import annotations

import json
import os
import pickle
import re
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest

from theanodiag.report.formats import ALL
from theanodiag.report.listings import FORMATS

from ..interpreters import ROOT, find

NAMES = (
    "a\nb",
    "a\r\nb",
    "::error::X",
    "\n::error file=x::X",
    "\n  ::add-mask::X",
    "a\r::set-output name=x::X",
    "##vso[task.setvariable variable=X]X",
    "\n##vso[task.complete]X",
    "a ##[group]X",
    "##teamcity[buildStatus text='X']",
    "\x1b[2J\x1b[31mX",
    "\x1b]0;X\x07",
    "\x9b31mX",
    "\u202eX\u202c",
    "\u2066X\u2069",
    "a\u200b\ufeffX",
    "a\u2028X\u2029",
    "a\x85X\x7f\x08\t",
    os.fsdecode(b"a\xff\x80X"),
    "<script>X<!--]]>&\"'",
    "%0A::error::X%0D",
    "[bold red]X[bold] $(X) `X`",
)
"""Each may be the name of a file."""
COMMAND = re.compile(r"^\s*::\w[\w-]*.*::|##\w*\[")
"""What GitHub, Azure Pipelines and TeamCity obey."""
OURS = {"github": r"::(notice|warning|error) title=theanodiag \(TD\d+\)", "azure": r"##vso\[task\.logissue type="}
"""How each line of a format of commands begins."""
BINARY = {"memory-viz", "pprof"}


def run(*args: str, cwd: Path, stdin: bytes = b"", code: Sequence[int] = (0, 1, 2, 3, 53)) -> tuple[bytes, bytes]:
    """Both streams of a command, which has to end with one of these codes; each is held to be harmless by its format."""
    words = [sys.executable, "-m", "theanodiag", *args]
    done = subprocess.run(words, cwd=cwd, env={**os.environ, "PYTHONPATH": str(ROOT)}, input=stdin, capture_output=True, check=False)
    assert done.returncode in code, (done.returncode, args, done.stdout, done.stderr)
    form = args[args.index("--format") + 1] if "--format" in args else "text"
    require_harmless(done.stderr, "text", args)
    if form not in BINARY:
        require_harmless(done.stdout, form, args)
    return done.stdout, done.stderr


def require_harmless(stream: bytes, form: str, args: object) -> None:
    """Nothing but text in UTF-8 and our own lines."""
    text = stream.decode("utf-8")
    for line in text.split("\n"):
        blank = "\t" if form == "text" else "\u202f" if form == "html" else ""  # of a source, and between thousands
        assert all(c.isprintable() or c in blank for c in line), (args, line)
        if form in OURS and line:
            assert re.match(OURS[form], line), (args, line)
            assert len(re.findall(r"##\w*\[", line)) == (form == "azure"), (args, line)
        else:
            assert not COMMAND.search(line), (args, line)
    if form in ("json", "sarif", "gitlab", "rdjson", "perfetto") and text:
        json.loads(text)
    if form == "junit" and text:
        ET.fromstring(text)
    if form == "html":
        assert "<script>X" not in text, args


@pytest.fixture
def deep(tmp_path: Path) -> Path:
    """A folder below folders of all these names."""
    folder = Path(os.path.join(tmp_path, *NAMES))
    os.makedirs(folder)
    return folder


def below(folder: Path, top: Path) -> str:
    """The path as seen from `top`."""
    return os.path.relpath(folder, top)


RC = "[global]\nfloatX = float31{0}\nno_such{0} = 1\n[nn{0}]\nx=1\n"


def inline(name: str) -> str:
    """A name that stays in its line of a file."""
    return name.replace("\n", " ").replace("\r", " ").encode("utf-8", "replace").decode("utf-8")


def test_names_that_nothing_has(tmp_path: Path) -> None:
    """As the name of a file, interpreter, device, rule, format, option: each is refused in one line a part."""
    for name in ("".join(NAMES)[:200], "\n".join(NAMES)[:200], NAMES[3]):
        for words in (
            ["check", f"./{name}"], ["graph", f"./{name}"], ["weights", f"./{name}"], ["explain-log", f"./{name}"], ["scan", f"./{name}"],
            ["port", f"./{name}"], ["run", f"./{name}"], ["config", "check", f"./{name}"], ["config", "show", f"./{name}"],
            ["config", "rewrite", f"./{name}", "--to", "pytensor"],
        ):  # fmt: skip
            assert run(*words, cwd=tmp_path, code=(2, 3))[1], words
    joined = "".join(NAMES)
    (tmp_path / "m.py").write_text("import theano\n")
    for words in (
        ["check", "m.py", "--python", joined[:100]], ["check", "m.py", "--gpu", joined], ["check", "m.py", "--batch-dim", joined],
        ["check", "m.py", "--shape", joined], ["check", "m.py", "--select", joined], ["check", "m.py", "--format", joined],
        ["check", "m.py", joined], [joined], ["explain", joined], ["rules", joined], ["config", "set", joined, "rc"],
        ["config", "check", "--flags", joined], ["compare", "m.py", "--python", joined[:100]], ["doctor", "--python", joined[:100]],
    ):  # fmt: skip
        assert run(*words, cwd=tmp_path)[1] or words[0] in ("config", "doctor"), words


@pytest.mark.parametrize("form", ["text", "json", "html", *FORMATS])
def test_sources(form: str, tmp_path: Path, deep: Path) -> None:
    """`scan` and `port`, with a file of each name and a source that has them all in texts, comments and names of modules."""
    text = "import theano\nfrom theano.nothing import x\n" + "".join(
        f"theano.shared(1, name={name!a})  # {inline(name)}\ntheano.config.no_such = {name!a}\n" for name in NAMES
    )
    for name in NAMES:
        (tmp_path / f"{name}.py").write_text(text, encoding="utf-8")
        (tmp_path / f"{name}.theanorc").write_text(RC.format(inline(name)), encoding="utf-8")
    (deep / "m.py").write_text(text, encoding="utf-8")
    run("scan", ".", "--format", form, cwd=tmp_path)
    if form != "html":
        run("port", ".", "--format", form, cwd=tmp_path)
    if form == "text":
        run("port", ".", "--check", cwd=tmp_path)
        run("port", ".", "--write", cwd=tmp_path)


@pytest.mark.parametrize("form", ["text", "json", *FORMATS])
def test_flags(form: str, tmp_path: Path, deep: Path) -> None:
    """`config`, with these names as files, sections, flags, values and lines that are none."""
    for name in NAMES:
        (tmp_path / f"{name}.theanorc").write_text(RC.format(inline(name)) + f"{inline(name)}\n", encoding="utf-8")
    run("config", "check", *(f"{name}.theanorc" for name in NAMES), "--format", form, cwd=tmp_path)
    run("config", "check", "--flags", ",".join(f"floatX=float31{name},{name}=1,{name}" for name in NAMES), "--format", form, cwd=tmp_path)
    (deep / "theanorc").write_text(RC.format(inline(" ".join(NAMES))), encoding="utf-8")
    run("config", "check", below(deep / "theanorc", tmp_path), "--format", form, cwd=tmp_path)
    if form in ("text", "json"):
        rc = below(deep / "theanorc", tmp_path)
        run("config", "rewrite", rc, "--to", "pytensor", "--format", form, cwd=tmp_path)
        run("config", "show", rc, "--all", "--format", form, cwd=tmp_path)
    if form == "text":
        for name in NAMES:
            run("config", "set", f"floatX={name}", rc, cwd=tmp_path)
            run("config", "set", "device=cpu", rc, cwd=tmp_path)


@pytest.mark.parametrize("form", ["text", "json", "html"])
def test_logs(form: str, tmp_path: Path, deep: Path) -> None:
    """`explain-log` of lines that hold such names."""
    log = "".join(
        f'Traceback (most recent call last):\n  File "{name}.py", line 3, in {name}\n    f({name})\nMemoryError: Error allocating '
        f"1000000000 bytes of device memory (out of memory). {name}\nApply node that caused the error: GpuElemwise{{{name}}}({name})\n"
        f"Inputs shapes: [(10, 10)]\nHINT: {name}\nModuleNotFoundError: No module named '{name}'\n"
        for name in NAMES
    )
    (deep / "crash.log").write_bytes(log.encode("utf-8", "surrogateescape"))
    run("explain-log", below(deep / "crash.log", tmp_path), "--format", form, cwd=tmp_path)
    run("explain-log", "-", "--format", form, cwd=tmp_path, stdin=log.encode("utf-8", "surrogateescape"))


@pytest.mark.parametrize("form", ["text", "json"])
def test_weights(form: str, tmp_path: Path, deep: Path) -> None:
    """`weights` of a pickle with these keys and classes."""
    safe = {name.encode("utf-8", "replace").decode(): [1.0, 2.0] for name in NAMES}
    (deep / "w.pkl").write_bytes(pickle.dumps({"a": safe, **safe}))
    names = b"".join(f"c{inline(name)}\n{inline(name)}\n".encode() + b"(R" for name in NAMES)
    (deep / "x.pkl").write_bytes(b"(" + names + b"l.")
    for name in ("w.pkl", "x.pkl"):
        run("weights", below(deep / name, tmp_path), "--format", form, cwd=tmp_path)


SCRIPT = """
import sys, time
import numpy, pytensor, pytensor.tensor as T
NAMES = {names}
for k, name in enumerate(NAMES):
    x, W = T.fmatrix(name), pytensor.shared(numpy.ones((500, 10), "float32"), name=name)
    f = pytensor.function([x], T.dot(x, W).sum(), updates=[(W, W * 2)], name=name)
    if k % 2:
        f(numpy.ones((200 * k, 500), "float32"))
raise ValueError(NAMES[1])
"""


@pytest.mark.parametrize("form", ALL)
def test_functions(form: str, tmp_path: Path, deep: Path) -> None:
    """`check` of functions and Variables with these names, in a file below folders of these names, whose script fails."""
    names = [name.encode("utf-8", "replace").decode() for name in NAMES]
    (deep / "m.py").write_text(SCRIPT.format(names=ascii(names)))
    words = ["check", below(deep / "m.py", tmp_path), "--python", find("pytensor"), "--gpu", "310MiB", "--format", form]
    run(*words, cwd=tmp_path)
    if form == "text":
        run(*words, "--verbose", cwd=tmp_path)
        (deep / "crash.log").write_bytes(b"MemoryError: \n::error::X")
        run(*words, "--log", below(deep / "crash.log", tmp_path), cwd=tmp_path)


@pytest.mark.parametrize("form", ALL)
def test_printed_graphs(form: str, tmp_path: Path) -> None:
    """`graph` of texts with these names."""
    for name in (inline("".join(NAMES)), inline(NAMES[2]), inline(NAMES[6])):
        text = f"Elemwise{{{name}}} [id A] '{name}' 0\n |{name} [id B]\n |W{name} [id C]\n"
        for shapes in ([], ["--shape", f"{name}=10,10"]):
            run("graph", "-", *shapes, "--format", form, cwd=tmp_path, stdin=text.encode())
