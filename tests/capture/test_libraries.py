"""Scripts that reach the framework through a library."""

from __future__ import annotations

from pathlib import Path

from tests.capture.running import FLAGS, write
from tests.interpreters import find
from theanodiag.capture.model import Capture
from theanodiag.capture.runner import run_script
from theanodiag.ir import Unknown
from theanodiag.memory.script import Call

KERAS = """
import os
os.environ["KERAS_BACKEND"] = "theano"
import numpy as np
from keras.layers import Conv2D, Dense, Dropout, Flatten, MaxPooling2D
from keras.models import Sequential

model = Sequential()
model.add(Conv2D(8, (3, 3), activation="relu", input_shape=(1, 28, 28), data_format="channels_first"))
model.add(MaxPooling2D(data_format="channels_first"))
model.add(Dropout(0.5))
model.add(Flatten())
model.add(Dense(10, activation="softmax"))
model.compile("adam", "categorical_crossentropy")
model.fit(np.zeros((640, 1, 28, 28)), np.zeros((640, 10)), batch_size=32, epochs=1000, verbose=0)
"""
PYMC = """
import numpy as np
import pymc as pm

with pm.Model():
    a = pm.Normal("a", 0, 10)
    pm.Normal("obs", a, 1, observed=np.ones(50))
    pm.sample(200, tune=200, chains=2, cores={cores}, progressbar=False, random_seed=1)
"""


def capture(folder: Path, name: str, text: str) -> Capture:
    """Runs a script in the interpreter `name`."""
    return run_script(write(folder, text), find(name), timeout=300, env=FLAGS)


def called(found: Capture) -> dict[str, tuple[int, Call]]:
    """Number of nodes and last call of each function that was called, by name."""
    functions, calls = found.script.functions, [e for e in found.script.events if isinstance(e, Call)]
    return {functions[e.function].name: (len(functions[e.function].graph.applies), e) for e in calls}


def test_keras_trains_a_convolutional_network(tmp_path: Path) -> None:
    """Keras' training function is seen with the shapes of its batches, and its thousand epochs are cut short."""
    found = capture(tmp_path, "keras", KERAS)
    assert found.end.status == "stopped", found.end.traceback
    nodes, batch = called(found)["train_function"]
    assert nodes > 50
    assert batch.inputs[0].shape == (32, 1, 28, 28)
    assert not [s for s in batch.shapes.shapes.values() if isinstance(s, Unknown)]


def test_pymc_samples(tmp_path: Path) -> None:
    """The call is caught, with the log-density that PyMC compiles and its gradient; the script goes on to its end."""
    found = capture(tmp_path, "pymc", PYMC.replace("{cores}", "1"))
    assert found.end.status == "finished", found.end.traceback
    assert found.framework is not None
    assert found.framework.name == "pytensor"
    made = {e.function for e in found.script.events if isinstance(e, Call)}
    assert max(len(found.script.functions[i].graph.applies) for i in made) >= 3  # several functions may have one name


def test_pymc_samples_in_several_processes(tmp_path: Path) -> None:
    """Chains in forked processes end the run as well."""
    found = capture(tmp_path, "pymc", PYMC.replace("{cores}", "2"))
    assert found.end.status in ("stopped", "finished"), found.end
    assert called(found)
