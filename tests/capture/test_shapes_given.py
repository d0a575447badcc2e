"""Functions that the script never calls, and the shapes that the user gives for them."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.capture.running import MLP, framework
from theanodiag.errors import ExitCode, UsageError
from theanodiag.findings import Severity
from theanodiag.ir import Unknown
from theanodiag.memory.script import Call
from theanodiag.rules.examples import device
from theanodiag.workflows import compose


def assumed(folder: Path, *shapes: str, text: str = MLP, name: str = "theano") -> dict[str, Call]:
    """The calls that were assumed, by function."""
    script = framework(folder, name, text, shapes=shapes).script
    return {script.functions[e.function].name: e for e in script.events if isinstance(e, Call) and e.assumed}


def refusal(folder: Path, *shapes: str) -> str:
    """What is said of shapes that do not fit."""
    with pytest.raises(UsageError) as caught:
        framework(folder, "theano", MLP, shapes=shapes)
    return caught.value.message


@pytest.mark.parametrize("name", ["theano", "aesara", "pytensor_new"])
def test_a_function_gets_the_shapes_given_for_it(tmp_path: Path, name: str) -> None:
    """The call is assumed, with the shapes of the arguments as given."""
    found = assumed(tmp_path, "train:x=7,20", "train:y=7", name=name)
    assert list(found) == ["train"]
    assert [i.shape for i in found["train"].inputs] == [(7, 20), (7,)]
    assert not any(isinstance(s, Unknown) for s in found["train"].shapes.shapes.values())


def test_a_shape_for_every_function(tmp_path: Path) -> None:
    """Without a function's name it is for all that have such an argument."""
    assert set(assumed(tmp_path, "x=7,20", "y=7")) == {"train", "predict"}


def test_what_stays_unknown_is_named(tmp_path: Path) -> None:
    """A function whose arguments have no shape is skipped, with what to give."""
    capture = framework(tmp_path, "theano", MLP, shapes=["x=7,20"])
    assert [(s.what, s.reason) for s in capture.skipped] == [
        ("function train", "never called, and the shape of y is not known: give --shape train:y=N,...")
    ]


def test_test_values_and_scalars_need_no_help(tmp_path: Path) -> None:
    """`tag.test_value`, default values and static shapes give shapes too."""
    text = """
    import numpy as np, theano, theano.tensor as T
    x, k, r = T.matrix("x"), T.scalar("k"), T.vector("r")
    x.tag.test_value = np.ones((3, 5))
    f = theano.function([x, k, theano.In(r, value=np.ones(5))], x * k + r, name="f")
    """
    call = assumed(tmp_path, text=text)["f"]
    assert [i.shape for i in call.inputs] == [(3, 5), (), (5,)]


def test_a_function_that_was_called_gets_none_for_every_function(tmp_path: Path) -> None:
    """A shape for every function is for those that were never called."""
    assert set(assumed(tmp_path, "x=7,20", "y=7", text=MLP + "predict(np.zeros((2, 20)))")) == {"train"}


@pytest.mark.parametrize(
    ("shape", "message"),
    [
        ("train:x=7", "train:x=7: x has 2 dimensions, not 1 (TensorType(float64, matrix))"),
        ("trian:x=7,20", "there is no function 'trian'; the script compiled: train, predict"),
        ("train:z=7,20", "the function train has no argument 'z'; named arguments: x, y"),
        ("z=7,20", "every function has no argument 'z'; named arguments: x, y"),
    ],
)
def test_what_does_not_fit_is_refused(tmp_path: Path, shape: str, message: str) -> None:
    """Dimensions and names are checked against the functions."""
    assert refusal(tmp_path, shape) == message


def test_fixed_dimensions_are_kept(tmp_path: Path) -> None:
    """A broadcastable dimension has length 1."""
    text = "import theano, theano.tensor as T\nx = T.row('x')\nf = theano.function([x], x + 1)"
    with pytest.raises(UsageError, match="dimension 0 of x is always 1, not 3"):
        framework(tmp_path, "theano", text, shapes=["f:x=3,4"])


def test_shapes_that_contradict_the_model_are_refused(tmp_path: Path) -> None:
    """The columns of x are the rows of W."""
    assert refusal(tmp_path, "predict:x=7,21") == (
        "the shapes given for predict are incompatible: "
        "Dot22 (" + str(tmp_path / "model.py") + ":11: e = T.exp(T.dot(T.tanh(T.dot(x, W) + b), V))) of (7, 21) and (20, 8)"
    )


def test_a_call_of_the_script_that_would_fail_is_told(tmp_path: Path) -> None:
    """Where the script itself passes such shapes, that is a finding at the call, and nothing is said to fit."""
    capture = framework(tmp_path, "theano", MLP + "predict(np.zeros((7, 20)))\npredict(np.zeros((7, 21)))")
    report = compose.report(capture, device(1 << 32))
    (found,) = (f for f in report.findings if f.code == "TD003")
    assert (found.severity, found.location.line) == (Severity.ERROR, len(MLP.splitlines()) + 2)
    assert "Dot22" in found.message
    assert found.message.endswith("of (7, 21) and (20, 8)")
    assert report.exit_code() is ExitCode.FINDINGS
    assert "a call has incompatible shapes" in str(report.process.fits)


def test_functions_of_a_main_function_are_not_lost(tmp_path: Path) -> None:
    """A function that went away with the Python function that made it is still asked about."""
    text = """
    import theano, theano.tensor as T
    def main():
        x = T.matrix("x")
        f = theano.function([x], x.sum(), name="f")
        open("/nowhere")
    main()
    """
    assert assumed(tmp_path, "f:x=2,3", text=text)["f"].inputs[0].shape == (2, 3)


NEVER = """
import numpy as np, {package} as lib, {package}.tensor as T
x, W = T.matrix("x"), lib.shared(np.ones((3, 2)), "W")
f = lib.function([x], T.dot(x, W), name="f")
f(np.ones((4, 3)))
h, a = lib.shared(np.ones((2, 2))), T.scalar("a")  # a placeholder, set later
g = lib.function([a], T.dot(h, T.dot(W, W.T)) * a, name="g")
"""


@pytest.mark.parametrize("name", ["theano", "pytensor_new"])
def test_placeholders_that_do_not_fit_cost_only_their_function(tmp_path: Path, name: str) -> None:
    """Nobody gave a shape: the function is left out by name, and the others are reported on."""
    capture = framework(tmp_path, name, NEVER)
    assert [capture.script.functions[e.function].name for e in capture.script.events if isinstance(e, Call)] == ["f"]
    (skipped,) = capture.skipped
    assert skipped.what == "function g"
    assert skipped.reason.startswith("never called, and the present values of its inputs are incompatible: ")
    assert "(2, 2) and (3, 3)" in skipped.reason
