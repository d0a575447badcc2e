"""`theanodiag graph -`: printed graphs of all generations, damaged, with shapes and values that nobody meant."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

from .target import EXTREME, command, damaged

SAMPLES = tuple(p.read_text(encoding="utf-8") for p in sorted((Path(__file__).parent / "samples").glob("*.txt")))
PIECES = (
    "[id A]", "[id B]", "[@B]", " |", " ├─ ", " └─ ", " ← ", " → ", "···", ".1", "d={0: [9]}", "v={0: [0]}", " -> [id B]",
    "Inner graphs:\n",
    "Elemwise{Composite{(i0 * i9)}}[(0, 1)]", "TensorConstant{(0, 99999999999) of 1.0}", "TensorConstant{[[",
    "Inputs shapes: [(5,), (2, 3)]",
    " <Matrix(float32, shape=(?, 3))>", " <TensorType(float32, matrix)>", " shape=(5, ?)",
    "FusedElemwise{Composite{...}, reduce[add@(0,)]}",
    "ARange{dtype='int64'}", "Reshape{2}", "Scan{scan_fn, while_loop=False}", "Alloc", "ExpandDims{axis=0}", "Elemwise{pow}",
)  # fmt: skip
NAMES = ("x", "y", "W", "b", "n", "i", "id A", "id B", "id C", "v", "m", "")
OPTIONS = (
    ("--gpu", ("4GiB", "1B", "none", "k80", "0", *EXTREME)),
    ("--floatX", ("float32", "float64", "float16")),
    ("--dtype", ("x=int8", "y=complex128", "W=float16")),
    ("--preallocate", ("0.5", "-1", "500", *EXTREME)),
    ("--device-overhead", ("0", "1GiB", *EXTREME)),
    ("--batch-dim", ("x:0", "y:1", "x:0,y:0", "x:9", "x:99999999999999999999")),
    ("--format", ("json", "terminal")),
    ("--no-allow-gc", ()),
)


def case(chance: random.Random) -> object:
    """A text and options."""
    text = damaged(chance, chance.choice(SAMPLES), SAMPLES, PIECES)
    options: list[str] = []
    for _ in range(chance.choice((0, 1, 2, 4))):
        dims = [chance.choice(("3", "4", "128", *EXTREME)) for _ in range(chance.choice((0, 1, 1, 2, 2, 2, 3, 4, 70)))]
        options += ["--shape", f"{chance.choice(NAMES)}={','.join(dims)}"]
    if chance.random() < 0.2:
        options += ["--value", f"{chance.choice(NAMES)}={chance.choice(EXTREME)}"]
    for name, values in chance.sample(OPTIONS, chance.choice((0, 1, 2, 3))):
        options.append(f"{name}={chance.choice(values)}" if values else name)
    return {"text": text, "options": options}


def run(case: Any) -> None:
    """Reports on it."""
    command(["graph", "-", *case["options"]], case["text"].encode("utf-8", "surrogatepass"))
