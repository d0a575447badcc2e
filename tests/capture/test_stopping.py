"""When a script is stopped, and that it is stopped in an orderly way."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.capture.running import MLP, framework, plain
from theanodiag.memory.script import Call

DATA = """
data, labels = np.zeros((4, 20), fx), np.zeros(4, "int32")
"""
FOREVER = MLP + DATA + "predict(data)\npredict(data)\npredict(data)\n"


def calls(capture: object) -> list[str]:
    """Names of the functions called, in order."""
    script = capture.script  # type: ignore[attr-defined]
    return [script.functions[e.function].name for e in script.events if isinstance(e, Call)]


def test_a_loop_is_left_once_every_function_was_called_often_enough(tmp_path: Path) -> None:
    """An endless training loop ends after the recorded calls."""
    capture = framework(tmp_path, "theano", FOREVER + "while True: train(data, labels)\n")
    assert capture.end.status == "stopped"
    assert capture.end.reason == "every function was called often enough (--max-calls 3)"
    assert calls(capture) == ["predict"] * 3 + ["train"] * 3


def test_the_number_of_calls_is_the_users(tmp_path: Path) -> None:
    """`max_calls` is how many calls of each function are recorded."""
    capture = framework(tmp_path, "theano", FOREVER + "while True: train(data, labels)\n", max_calls=5)
    assert calls(capture).count("train") == 5


def test_a_function_that_is_not_called_yet_is_waited_for(tmp_path: Path) -> None:
    """A function called only after a loop of many calls is still seen."""
    text = MLP + DATA + "for i in range(900): train(data, labels)\npredict(data)\n"
    capture = framework(tmp_path, "theano", text)
    assert capture.end.status == "finished"
    assert calls(capture) == ["train"] * 3 + ["predict"]


def test_a_function_that_is_never_called_is_not_waited_for_without_end(tmp_path: Path) -> None:
    """A loop ends although another function was never called."""
    capture = framework(tmp_path, "theano", MLP + DATA + "while True: train(data, labels)\n")
    assert capture.end.status == "stopped"


def test_other_shapes_are_news(tmp_path: Path) -> None:
    """A call with shapes that were not seen yet is recorded whenever it comes, and the next one, which begins with what it left."""
    text = MLP + DATA + "for i in range(20): train(data[:4 - (i == 15)], labels[:4 - (i == 15)])\n"
    assert calls(framework(tmp_path, "theano", text)) == ["train"] * 5


def test_a_shape_that_always_grows_is_no_news_for_ever(tmp_path: Path) -> None:
    """New shapes at every call do not keep a script running."""
    loop = "n = 0\nwhile True:\n    n += 1\n    predict(np.zeros((n, 20), fx))\n    train(data, labels)\n"
    capture = framework(tmp_path, "theano", MLP + DATA + loop)
    assert capture.end.status == "stopped"
    assert calls(capture).count("predict") == 32


ORDERLY = (
    FOREVER
    + """
import atexit, sys
atexit.register(lambda: sys.stdout.write("atexit\\n"))
try:
    while True: train(data, labels)
finally:
    print("finally")
"""
)
SWALLOWS = (
    FOREVER
    + """
while True:
    try: train(data, labels)
    except: pass
"""
)


def test_it_is_stopped_in_an_orderly_way(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    """finally blocks and atexit functions run, and nothing is printed."""
    framework(tmp_path, "theano", ORDERLY)
    captured = capfd.readouterr()
    assert captured.out == "finally\natexit\n"
    assert "stop" not in captured.err.lower()


def test_the_end_of_the_time_is_quiet(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    """Also in the middle of a search for garbage, where Python would print the request and go on."""
    text = "import gc\nclass Knot: pass\nwhile True:\n    a = Knot(); a.a = a; gc.collect(0)\n"
    end = plain(tmp_path, "import threading\n" + text, timeout=6.0).end
    assert (end.status, end.unverified) == ("timeout", None)
    assert capfd.readouterr().err == ""


def test_a_script_that_swallows_the_end_is_ended(tmp_path: Path) -> None:
    """A bare except does not keep the script alive."""
    assert framework(tmp_path, "theano", SWALLOWS).end.status == "stopped"


def test_a_thread_is_stopped_too(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    """Training in a thread ends as quietly."""
    thread = "import threading\ndef loop():\n    while True: train(data, labels)\nt = threading.Thread(target=loop)\nt.start()\nt.join()\n"
    assert framework(tmp_path, "theano", FOREVER + thread).end.status == "stopped"
    assert "Traceback" not in capfd.readouterr().err


FORKS = (
    FOREVER
    + """
import os
child = os.fork()
if child == 0:
    {body}
    os._exit(0)
os.waitpid(child, 0)
"""
)


def test_a_child_that_trains_is_what_is_looked_at(tmp_path: Path) -> None:
    """Where only a forked child calls functions, its calls are the script's."""
    text = FORKS.replace("predict(data)\n", "").replace("{body}", "train(data, labels)")
    assert calls(framework(tmp_path, "theano", text)) == ["train"]


def test_a_child_that_never_ends_ends_the_run(tmp_path: Path) -> None:
    """A forked child that saw enough ends the whole script, though its parent waits for it."""
    text = FORKS.replace("predict(data)\n", "").replace("{body}", "\n    while True: train(data, labels); predict(data)")
    capture = framework(tmp_path, "theano", text, timeout=60)
    assert capture.end.status == "stopped"
    assert set(calls(capture)) == {"train", "predict"}


def test_calls_of_a_child_are_named_where_they_are_left_out(tmp_path: Path) -> None:
    """Where the script itself calls functions, its children's calls are told as skipped."""
    capture = framework(tmp_path, "theano", FORKS.replace("{body}", "train(data, labels)"))
    assert calls(capture) == ["predict"] * 3
    assert "1 calls in forked child processes" in capture.skipped[-1].reason
