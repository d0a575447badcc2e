"""What is recorded, and where it lies: streams of events of scripts, and printed texts of compiled functions beside their live graphs."""

from __future__ import annotations

import json
import lzma
import os
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any
from unittest.mock import patch

from tests.interpreters import ROOT, find, listed
from tests.loaded_by_path import answer
from tests.memory.stand.catalogue import MODELS, Model
from tests.memory.stand.run import environment
from theanodiag.capture import runner
from theanodiag.capture.protocol import ProcessRecording, choose, read_stream
from theanodiag.confirmation.simulated_cuda import VirtualDevice

HERE = Path(__file__).parent
RECORDED = HERE / "recorded"
FRAMEWORKS = ("theano", "aesara", "pytensor", "pytensor_new")
FLAGS = {
    "THEANO_FLAGS": "floatX=float32,blas.ldflags=,on_opt_error=ignore",
    "AESARA_FLAGS": "floatX=float32",
    "PYTENSOR_FLAGS": "floatX=float32",
}
FORMS = ("types", "maps", "default")
"""Forms of texts that are kept: the others are read alike."""
FUNCTIONS = ROOT / "tests" / "memory" / "lifted" / "scripts" / "functions.py"
EXAMPLES = tuple(listed(ROOT / "examples", "*.py"))


@dataclass(frozen=True)
class Source:
    """A script and the interpreter that runs it."""

    name: str
    """Name of its recording."""
    path: Path
    interpreter: str
    args: tuple[str, ...] = ()
    on_device: bool = False
    """Whether it runs on the simulated device."""

    @property
    def file(self) -> Path:
        """Where its stream lies."""
        return RECORDED / f"{self.name}.stream.xz"


def truth_name(model: Model) -> str:
    """The name of the recording of a script of docs/accuracy/truth.md."""
    return "-".join(("truth", model.script, *model.args))


def devices() -> dict[str, VirtualDevice]:
    """The device on which each script of docs/accuracy/truth.md runs, by the name of its recording."""
    return {truth_name(m): m.device for m in MODELS}


def scripts() -> tuple[Source, ...]:
    """The scripts of docs/accuracy/truth.md on the simulated device, that of lifted-graphs.md there on each framework, and the examples.

    Left out are two nets of Keras whose reports take minutes.
    """
    models = ROOT / "tests" / "memory" / "models"
    quick = (m for m in MODELS if not {"InceptionV3", "ResNet50"} & set(m.args))
    truth = [Source(truth_name(m), models / f"{m.script}.py", m.interpreter, m.args, True) for m in quick]
    lifted = [Source(f"functions-{name}", FUNCTIONS, name) for name in FRAMEWORKS]
    examples = [Source(f"example-{path.stem}-{name}", path, name) for path in EXAMPLES for name in ("theano", "pytensor_new")]
    return (*truth, *lifted, *examples)


def texts_file(framework: str) -> Path:
    """Where the printed texts of a framework's functions lie."""
    return RECORDED / f"texts-{framework}.json.xz"


def record_script(source: Source) -> None:
    """Runs the script without calling its functions, and keeps the stream of the process that is reported on."""
    env = environment("", VirtualDevice()) if source.on_device else FLAGS
    seen: list[tuple[bytes, ProcessRecording | None]] = []

    def keep(text: bytes) -> ProcessRecording | None:
        seen.append((text, read_stream(text)))
        return seen[-1][1]

    with patch.object(runner, "read_stream", keep), open(os.devnull, "wb") as quiet:
        runner.run_script(source.path, find(source.interpreter), source.args, env=env, stdout=quiet.fileno(), stderr=quiet.fileno())
    chosen, _ = choose([recording for _, recording in seen])
    text = next(text for text, recording in seen if recording is chosen)
    _write(source.file, _neutral(text, source.interpreter))


def record_texts(framework: str) -> None:
    """Compiles the families of functions, and keeps their texts, live graphs and shapes."""
    rows: Any = answer(framework, "printed/models/estimates.py")
    for row in rows.values():
        row["texts"] = {form: text for form, text in row.get("texts", {}).items() if form in FORMS}
    _write(texts_file(framework), _neutral(json.dumps(rows, separators=(",", ":")).encode(), framework))


def _neutral(text: bytes, interpreter: str) -> bytes:
    """`text` without the folders of this machine."""
    prefix = Path(find(interpreter)).absolute().parent.parent
    folders = [(ROOT, "."), (ROOT.resolve(), "."), (prefix, "/usr"), (prefix.resolve(), "/usr"), (Path.home(), "/home/user")]
    folders.append((Path(tempfile.gettempdir()), "/tmp"))
    for folder, neutral in folders:
        text = text.replace(str(folder).encode(), neutral.encode())
    return text


def _write(file: Path, text: bytes) -> None:
    RECORDED.mkdir(exist_ok=True)
    file.write_bytes(lzma.compress(text, preset=9 | lzma.PRESET_EXTREME))


def read(file: Path) -> bytes:
    """What was recorded."""
    return lzma.decompress(file.read_bytes())


def record(names: Sequence[str]) -> int:
    """Records what is named (all: nothing named) anew; the number of recordings that failed."""
    failed = 0
    jobs = [(s.name, partial(record_script, s)) for s in scripts()] + [(f"texts-{f}", partial(record_texts, f)) for f in FRAMEWORKS]
    for name, make in jobs:
        if names and name not in names:
            continue
        try:
            make()
            print(f"{name}: recorded", flush=True)
        except BaseException as error:  # a skip of pytest is no Exception
            if isinstance(error, KeyboardInterrupt):
                raise
            failed += 1
            print(f"{name}: not recorded: {str(error)[-300:]}", file=sys.stderr, flush=True)
    return failed
