"""Logs as loggers, containers, notebooks and pages hand them on; errors of no known form."""

from __future__ import annotations

import html
import json

import pytest

from theanodiag.logs import Cause, explain_log
from theanodiag.logs.wrapping import unwrapped

# A warning of a compiler that the job survived, and its own failure.
TEXT = """WARNING (theano.configdefaults): g++ not detected ! Theano will be unable to execute optimized C-implementations
Traceback (most recent call last):
  File "train.py", line 41, in <module>
    f("a", x)
ValueError: mine
"""
LINES = TEXT.splitlines()


@pytest.mark.parametrize(
    "text",
    [
        TEXT,
        TEXT.replace("ValueError", "\x1b[0;31mValueError\x1b[0m"),
        html.escape(TEXT),
        *("".join(f"{p} {line}\n" for line in LINES) for p in (">", "[rank0]:", "trainer_1  |", "(pid=77)")),
        "".join(f"2024-03-01 10:22:3{i},{i}71 [ERROR] w-{i}: {line}\n" for i, line in enumerate(LINES)),
        "".join(json.dumps({"log": f"{line}\n", "stream": "stderr"}) + "\n" for line in LINES),
    ],
)
def test_what_stands_around_lines(text: str) -> None:
    """The last error is seen, so that the warning is not taken for the cause; the line's number is that of the text."""
    found = explain_log(text)
    assert found is not None
    assert (found.cause, found.line) == (Cause.NOT_RECOGNISED, 5)
    assert found.message.endswith("ValueError: mine")
    assert found.request.site == ("train.py", 41)


def test_links_of_an_editor() -> None:
    """VS Code copies each line of a frame as a link; the frames are read as if it did not."""
    shown = "ValueError                                Traceback (most recent call last)\nCell In[1], line 2\n----> 2 f(x)\n\n{}\n{}\n\n"
    shown += "ValueError: cannot reshape array of size 24 into shape (4,5)\n"
    place, line = "File d:\\\\e\\lib\\site-packages\\bambi\\models.py:879, in predict(self)", "--> 879 z = x.reshape(y)"
    linked = shown.format(
        f"File [d{place[6:]}](file:///D:/e/lib/site-packages/bambi/models.py:879)", "--> [879](file:///D:/e/x.py?line=878) z = x.reshape(y)"
    )
    found, other = explain_log(linked), explain_log(shown.format(place, line))
    assert found is not None
    assert other is not None
    assert (found.cause, found.advice) == (other.cause, other.advice)
    assert unwrapped("a [link](https://x.org/y) of a page") == "a [link](https://x.org/y) of a page"


def test_what_stands_only_before_the_first_line_stays() -> None:
    """Theano's loggers print `ERROR (...):` before the first line of a traceback, and not before the others."""
    text = "ERROR (theano.gof.opt): Traceback (most recent call last):\n  File 'x', line 1\nValueError: mine\n"
    assert unwrapped(text) == text


@pytest.mark.parametrize(
    ("error", "cause", "size"),
    [
        ("FooError: failed to allocate 4096 bytes of GPU memory", Cause.CAPACITY, 4096),
        ("FooError: cannot reserve 3 GiB of host memory", Cause.HOST_MEMORY, 3 << 30),
        ("FooError: unable to allocate 1,024 bytes", Cause.NOT_RECOGNISED, 1024),
        ("FooError: the buffer of 4096 bytes of the GPU is odd", Cause.NOT_RECOGNISED, None),
        ("FooError: 3 files were requested", Cause.NOT_RECOGNISED, None),
    ],
)
def test_unknown_words(error: str, cause: Cause, size: int | None) -> None:
    """A size that could not be had is read; a cause is stated only where the words name the memory."""
    found = explain_log(f"Traceback (most recent call last):\n{error}\n")
    assert found is not None
    assert (found.cause, found.request.bytes) == (cause, size)


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("ValueError: Input dimension mis-match. (input[0].shape[0] = 3, input[1].shape[0] = 5)", Cause.SHAPES),
        ("ValueError: Input dimension mismatch. One other input has shape[0] = 3, but input[1].shape[0] = 5.", Cause.SHAPES),
        ("ValueError: ('shapes (3,4) and (5,4) not aligned: 4 (dim 1) != 5 (dim 0)', (3, 4), (5, 4))", Cause.SHAPES),
        ("RuntimeError: mat1 and mat2 shapes cannot be multiplied (3x4 and 5x4)", Cause.SHAPES),
        ("OSError: [Errno 28] No space left on device", Cause.DISK_FULL),
        ("pygpu.gpuarray.GpuArrayException: b'Unaligned array'", Cause.GPU_FAULT),
        ("XlaRuntimeError: RESOURCE_EXHAUSTED: Could not allocate 1048576 bytes in memory 0x0x0_HBM0; 437452 bytes allocatable, "
         "1494220 bytes available", Cause.FRAGMENTATION),
        ("{standard input}: Assembler messages:", Cause.COMPILER),
        ("KeyboardInterrupt", Cause.STOPPED),
        ("slurmstepd: error: *** JOB 7 ON n1 CANCELLED AT 2020-01-01T10:00:00 DUE TO TIME LIMIT ***", Cause.STOPPED),
        ("slurmstepd: error: execve(): /tmp/job7/script: No such file or directory", Cause.FILE_ACCESS),
        ("epoch 3: test error: 0.31", None),
        ("validation Error: nan", None),
    ],
)  # fmt: skip
def test_other_failures(line: str, expected: Cause | None) -> None:
    """As the libraries and the systems print them."""
    found = explain_log(f"hello\n{line}\n")
    assert (found and found.cause) is expected


def test_a_failure_that_was_caught_is_not_the_cause() -> None:
    """An interrupt, or a shape, that another error follows."""
    found = explain_log("ValueError: Shape mismatch: x\nTraceback (most recent call last):\nFooError: x\n")
    assert found is not None
    assert found.cause is Cause.NOT_RECOGNISED


def test_a_storage_map_below_a_prefix() -> None:
    """It is read like the rest of the log."""
    text = f"{TEXT.replace('ValueError: mine', 'MemoryError')}Storage map footprint:\n"
    text += " - W, Shared Input, Shape: (2,), ElemSize: 4 Byte(s), TotalSize: 8 Byte(s)\n"
    found = explain_log("".join(f"trainer_1  | {line}\n" for line in text.splitlines()))
    assert found is not None
    assert [s.bytes for s in found.live] == [8]


NO_HEAD = (
    "MemoryError              Traceback (most recent call last)\n<ipython-input-5-1282343e6e22> in <module>()\n----> 1 m.sample(2e4)\n"
)


@pytest.mark.parametrize(
    "before",
    [
        "trainer-1  | ",
        "2024-03-01T10:22:3{}.01Z stderr F ",
        "Mar 01 10:22:{} node-17 python3[41]: ",
        "[rank2]: ",
        "(pid=4{}) ",
        "> ",
        "1{}: ",
        "E   ",
    ],
)
def test_what_all_lines_begin_with(before: str) -> None:
    """Is taken off where no traceback's first line says what it is: it differs in numbers only."""
    text = "".join(f"{before.format(i)}{line}\n" for i, line in enumerate(NO_HEAD.splitlines()))
    found = explain_log(text)
    assert found is not None
    assert (found.cause, found.line, found.message) == (Cause.HOST_MEMORY, 1, NO_HEAD.splitlines()[0])


def test_what_all_lines_say_is_no_prefix() -> None:
    """Errors that begin alike are not cut."""
    text = "RuntimeError: one\nRuntimeError: two\n"
    assert unwrapped(text) == text


def test_messages_in_json() -> None:
    """Are read without what stands beside them; other lines are none."""
    text = "".join(json.dumps({"time": "10:22", "msg": line, "level": "error"}) + "\n" for line in NO_HEAD.splitlines())
    assert unwrapped(text) == NO_HEAD
    assert unwrapped(text + "{no\n") == text + "{no\n"


ESCAPED = """Traceback (most recent call last):
  File "train.py", line 41, in <module>
    f("a", x)
FooError: failed to allocate 4096 bytes of GPU memory
"""


@pytest.mark.parametrize(
    ("text", "line"),
    [
        (json.dumps({"level": "ERROR", "exc_info": ESCAPED, "a": 1}) + "\n", 1),
        (f"one\n{json.dumps({'error': {'stack': ESCAPED}, 'a': 1})}\nthree\n", 2),
        (f"one\ntwo\nworker failed: {ESCAPED!r}\n", 3),
        (f"one\n{json.dumps(json.dumps(ESCAPED))}\n", 2),
        ("".join(json.dumps(e) + "\n" for e in ({"msg": "one"}, {"msg": "it failed", "error": {"stack": ESCAPED}}, {"msg": "3"})), 2),
    ],
)
def test_a_traceback_in_one_line(text: str, line: int) -> None:
    """Is read as if its ends of lines were some; the line's number is that of the log."""
    found = explain_log(text)
    assert found is not None
    assert (found.cause, found.request.bytes, found.line, found.request.site) == (Cause.CAPACITY, 4096, line, ("train.py", 41))
    assert found.message == "FooError: failed to allocate 4096 bytes of GPU memory"


def test_a_warning_before_another_failure() -> None:
    """What fails after it without an exception is the failure; a job that goes on after a note about BLAS did not fail."""
    note = "WARNING (theano.tensor.blas): Using NumPy C-API based implementation for BLAS functions.\n"
    for text, cause in (
        (note, Cause.BLAS),
        (f"{note}onnx error 2: no space\n", Cause.NOT_RECOGNISED),
        (f"{note}ld: cannot find x\n", Cause.COMPILER),
    ):
        found = explain_log(text)
        assert found is not None
        assert found.cause is cause
    assert explain_log(note + "epoch\n" * 10) is None


def test_an_error_as_an_editor_copies_it() -> None:
    """Its message stands before its frames, and is not repeated behind them."""
    text = (
        '{\n\t"name": "ValueError",\n\t"message": "conflicting sizes for dimension \'x\': length 1 on the data but length 18 on \\"x\\"",\n'
    )
    found = explain_log(text + '\t"stack": "-----\nValueError       Traceback (most recent call last)\nCell In[16], line 7\n')
    assert found is not None
    assert (found.cause, found.line) == (Cause.SHAPES, 3)
    assert found.message.endswith('length 18 on "x"')


@pytest.mark.parametrize(
    "frame",
    [
        '  File "/e/lib/python3.7/site-packages/pymc3_ext/optim\\\n.py", line 135, in optimize\n',
        '  File\n"/e/lib/python3.7/site-packages/pymc3_ext/optim.py",\nline 135, in optimize\n',
    ],
)
def test_a_frame_in_several_lines(frame: str) -> None:
    """As terminals and mail programs break it; lines keep their numbers."""
    text = f'File "mine.py", line 680, in f\n    optimize(start)\n{frame}    info.message\n'
    found = explain_log(f"{text}AttributeError: 'NoneType' object has no attribute 'message'\n")
    assert found is not None
    assert (found.cause, found.line) == (Cause.LIBRARY_FAULT, text.count("\n") + 1)


def test_a_frame_with_a_wide_gap_is_read_once() -> None:
    """Each length of the gap was tried with each other: an hour for this line."""
    text = f"File\nFile{' ' * 400_000}x\n"
    assert unwrapped(text) == text


def test_a_message_above_a_traceback_that_was_cut_off() -> None:
    """Is read as if it stood below the frames, and keeps its line; one that belongs to another traceback stays where it is."""
    message = "AttributeError: module 'pymc.model' has no attribute 'make_point'\n"
    frames = (
        f"{'AttributeError':42}Traceback (most recent call last)\nCell In[10], line 1\n----> 1 nutpie.compile_pymc_model(model)\n\n"
        "File ~/e/lib/python3.10/site-packages/nutpie/compile_pymc.py:170, in compile_pymc_model(model)\n--> 170 f(model)\n"
    )
    cut = explain_log(f"epoch 1\n{message}\n{frames}")
    alone = explain_log(f"epoch 1\n{message}")
    chained = explain_log(f"{message}\nDuring handling of the above exception, another exception occurred:\n\n{frames}")
    assert cut is not None
    assert alone is not None
    assert chained is not None
    assert (cut.cause, cut.line, cut.message) == (Cause.LIBRARIES, 2, message.strip())
    assert (alone.cause, chained.line) == (Cause.OLD_INTERFACE, 1)
