"""`theanodiag config set --from-report`: reports of `check` and of `config check` with values in them that nobody meant."""

from __future__ import annotations

import json
import random
import tempfile
from pathlib import Path
from typing import Any

from .rc_files import DIALECTS, NAMES
from .rc_files import SAMPLES as FILES
from .target import EXTREME, command, damaged, replaced, written

SAMPLES = tuple(p.read_text(encoding="utf-8") for p in sorted((Path(__file__).parent / "samples").glob("*.json")))
FIXES = (
    "allow_gc=False", "THEANO_FLAGS=device=cuda,floatX=float32", "export THEANO_FLAGS='gpuarray.preallocate=2048,lib.cnmem=0'",
    "PYTENSOR_FLAGS=mode=NUMBA,allow_gc=True", "AESARA_FLAGS=", "device = cuda0\nfloatX = float64", "base_compiledir=%(user)s/%x",
    "base_compiledir=a\u2028b", "nvcc.flags=-a=b -c", "blas.ldflags=-L/x\u0085-lopenblas", "[global]", "device=cuda\x1c",
    "nvcc.flags=\ud800", "cxx=\x00",
    "optimizer_including=a:b#c ;d", "base_compiledir= \t x", "THEANO_FLAGS", "=", "=x", "device=", "error", "warning", "TD310",
)  # fmt: skip


def case(chance: random.Random) -> object:
    """A report, the file that is to be changed, and what is asked."""
    sample = chance.choice(SAMPLES)
    if chance.random() < 0.2:
        text = damaged(chance, sample, SAMPLES)
    else:
        document = json.loads(sample)
        for _ in range(chance.choice((1, 2, 4))):
            replaced(chance, document, FIXES)
        for finding in document["findings"] if isinstance(document, dict) and isinstance(document.get("findings"), list) else ():
            if isinstance(finding, dict) and isinstance(finding.get("fix"), dict) and chance.random() < 0.3:
                finding["fix"]["code"] = f"{chance.choice(NAMES)}={chance.choice((*EXTREME, *FIXES))}"
        text = written(chance, document)
    dialect, versions = chance.choice(DIALECTS)
    asked = ["--dialect", dialect, *chance.choice(((), ("--version", chance.choice(versions)))), *chance.choice(((), ("--diff",)))]
    only = chance.choice(((), (), ("--only", chance.choice(("TD310", "TD220", "TD234", "")))))
    return {"report": text, "file": chance.choice((None, chance.choice(FILES))), "options": [*asked, *only]}


def run(case: Any) -> None:
    """Sets what the report recommends; the file is a new one or an old one."""
    with tempfile.TemporaryDirectory(prefix="theanodiag-fuzz-") as folder:
        report, path = Path(folder) / "report.json", Path(folder) / ".theanorc"
        report.write_bytes(case["report"].encode("utf-8", "surrogatepass"))
        if case["file"] is not None:
            path.write_bytes(case["file"].encode("utf-8", "surrogatepass"))
        command(["config", "set", "--from-report", str(report), *case["options"], str(path)])
