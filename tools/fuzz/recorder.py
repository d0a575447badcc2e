"""python -m tools.fuzz.recorder INTERPRETER NAME...: records the streams of small scripts into samples/, with neutral paths in them.

The scripts stand below; what they are for is what their streams have in them: shared variables and their updates, Scan, IfElse, random
numbers, functions that nobody calls, scripts that fail, and a device that is stood in for.
"""

from __future__ import annotations

import os
import sys
import tempfile
from pathlib import Path
from unittest.mock import patch

from theanodiag.capture import runner
from theanodiag.capture.model import GpuRequest
from theanodiag.capture.protocol import ProcessRecording, read_stream

SAMPLES = Path(__file__).parent / "samples"
MOST_BYTES = 60_000
"""A sample is small: a case is read, simulated and reported in a few hundredths of a second."""
TRAINING = """
import numpy as np, {0} as th, {0}.tensor as T
x, y = T.matrix("x"), T.vector("y")
w = th.shared(np.zeros((8, 4), "float32"), name="w")
b = th.shared(np.zeros(4, "float32"), name="b")
h = T.dot(x, w) + b
cost = T.mean((h.sum(axis=1) - y) ** 2)
train = th.function([x, y], cost, updates=[(p, p - 0.1 * g) for p, g in zip((w, b), th.grad(cost, [w, b]))], name="train",
                    allow_input_downcast=True)
data = np.ones((16, 8), "float32")
for _ in range(3):
    train(data[:8], np.ones(8, "float32"))
w.get_value()
w.set_value(np.ones((8, 4), "float32"))
del train, cost
"""
LOOP = """
import numpy as np, {0} as th, {0}.tensor as T
n, x = T.iscalar("n"), T.vector("x")
seq, _ = th.scan(lambda a, b: a * 2 + b, outputs_info=[dict(initial=T.stack([x, x]), taps=[-1, -2])], n_steps=n)
loop = th.function([n, x], seq[-1], name="loop", allow_input_downcast=True)
loop(5, np.ones(6, "float32"))
loop(7, np.ones(6, "float32"))
never = th.function([x], x * 2, name="never")
raise ValueError("the end")
"""
BRANCHES = """
import numpy as np, {0} as th, {0}.tensor as T
from {0}.ifelse import ifelse
c, x = T.iscalar("c"), T.matrix("x")
i = T.lvector("i")
f = th.function([c, x, i], [ifelse(T.eq(c, 1), T.dot(x, x), x + 1), x[i].reshape((-1, 2)), x[x > 0]], name="f", allow_input_downcast=True)
f(1, np.ones((6, 6), "float32"), [0, 2])
f(0, np.ones((6, 6), "float32"), [1, 5])
"""
SCRIPTS = {"training": TRAINING, "loop": LOOP, "branches": BRANCHES}


def record(interpreter: str, framework: str, name: str, gpu: bool) -> bytes:
    """What the hook tells while the script runs, with the folders of this machine taken out."""
    seen: list[bytes] = []

    def keep(text: bytes) -> ProcessRecording | None:
        seen.append(text)
        return read_stream(text)

    with tempfile.TemporaryDirectory() as folder, patch.object(runner, "read_stream", keep):
        path = Path(folder) / "m.py"
        path.write_text(SCRIPTS[name].replace("{0}", framework).lstrip(), encoding="utf-8")
        asked = GpuRequest(11 << 30) if gpu else None
        flags = "floatX=float32,compiledir=" + os.path.join(folder, "compiled")
        runner.run_script(str(path), interpreter, gpu=asked, env={f"{framework.upper()}_FLAGS": flags}, stdout=2)
    text = seen[0]
    prefix = str(Path(interpreter).absolute().parent.parent)
    for machine, neutral in ((folder, "."), (prefix, "/usr"), (str(Path(prefix).resolve()), "/usr"), (str(Path.home()), "/home/user")):
        text = text.replace(machine.encode(), neutral.encode())
    return text


def main(interpreter: str, framework: str, *names: str) -> None:
    """Records them."""
    for name in names:
        script, _, gpu = name.partition(":")
        text = record(interpreter, framework, script, bool(gpu))
        if len(text) > MOST_BYTES:
            raise SystemExit(f"{name}: {len(text)} bytes, more than {MOST_BYTES}")
        (SAMPLES / f"{framework}_{script}{'_gpu' if gpu else ''}.stream").write_bytes(text)


if __name__ == "__main__":
    main(*sys.argv[1:])
