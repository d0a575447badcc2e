"""The files that the recorded command lines name, made below a folder."""

from __future__ import annotations

import json
import pickle
import shutil
from pathlib import Path

import numpy as np

from tests.golden.recordings import FRAMEWORKS, read, texts_file
from tests.interpreters import ROOT

HERE = Path(__file__).parent
LOGS: dict[str, str] = json.loads((HERE / "logs.json").read_text(encoding="utf-8"))
"""Logs of jobs that failed, two of each cause, by the name of their file."""
PRINTED = ("mlp_momentum", "lstm_train", "advanced")
"""Functions whose printed text is read, in the form with types."""
SMALL = {
    "rc.cfg": "[global]\nfloatx = float32\ndevice = gpu\n\n[lib]\ncnmem = 0.8\n[nvcc]\nfastmath = True\n",
    "job.sh": "#!/bin/sh\nexport THEANO_FLAGS='floatX=float32,device=gpu0,lib.cnmem=1,optimiser=fast_run'\npython train.py\n",
    "Dockerfile": 'FROM python:3.8\nENV THEANO_FLAGS="device=cuda0,floatX=float16"\n',
    "old.py": "import theano\nimport theano.tensor as T\nx = T.matrix()\nf = theano.function([x], T.nnet.softmax(x).sum())\nprint f\n",
    "gpu.py": "from theano.sandbox.cuda import dnn\nimport theano.tensor as T\ny = dnn.dnn_conv(T.tensor4(), T.tensor4())\n",
    "model.py": "import pymc3 as pm\nimport theano.tensor as tt\nwith pm.Model():\n    a = pm.Normal('a', sd=1)\n    t = pm.sample(100)\n",
    "plain.py": "print('no framework')\n",
    "broken.py": "import theano\ndef f(:\n",
    "empty.txt": "",
    "words.txt": "nothing of what is known\nstands here\n",
    "theanodiag.toml": 'gpu = "4GiB"\n',
    "wrong.toml": 'gpu = "4 apples"\n',
    "unknown.toml": "[graph]\nno-such-option = 1\n",
}


def write(folder: Path) -> None:
    """Writes all files into an empty folder."""
    for name, text in SMALL.items():
        (folder / name).write_text(text, encoding="utf-8")
    for source in ("configs", "examples"):
        shutil.copytree(ROOT / source, folder / source, ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copytree(ROOT / "tests" / "porting" / "scripts", folder / "scripts", ignore=shutil.ignore_patterns("__pycache__"))
    (folder / "logs").mkdir()
    for name, text in LOGS.items():
        (folder / "logs" / name).write_text(text, encoding="utf-8")
    (folder / "printed").mkdir()
    for framework in FRAMEWORKS:
        texts = json.loads(read(texts_file(framework)))
        for name in PRINTED:
            for form, text in texts[name].get("texts", {}).items():
                (folder / "printed" / f"{framework}-{name}-{form}.txt").write_text(text, encoding="utf-8")
    arrays = {"W": np.zeros((784, 10), "float32"), "b": np.zeros(10)}
    (folder / "arrays.pkl").write_bytes(pickle.dumps(arrays, 2))
    np.savez(folder / "arrays.npz", W=arrays["W"], b=arrays["b"])
