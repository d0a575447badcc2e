"""A cause stands on what ended the job: warnings, and what another program's user said, are weaker than the last error."""

from __future__ import annotations

import pytest

from theanodiag.logs import Cause, explain_log

TRACEBACK = 'Traceback (most recent call last):\n  File "train.py", line 3, in f\n    {}\n'
BLAS = "WARNING (theano.tensor.blas): Using NumPy C-API based implementation for BLAS functions.\n"
DRIVER = "WARNING (theano.sandbox.cuda): CUDA is installed, but device gpu is not available (error: cuda unavailable)\n"
NO_GPU = "E tensorflow/stream_executor/cuda/cuda_driver.cc:271] failed call to cuInit: CUDA_ERROR_NO_DEVICE: no device\n"
NO_LIBRARY = "W tensorflow/default/dso_loader.cc:64] Could not load dynamic library 'libcudart.so.11.0'; dlerror: libcudart.so.11.0: "
NO_LIBRARY += "cannot open shared object file: No such file or directory\n"
WENT_ON = "epoch 1\nepoch 2\n"
LACKS = "AttributeError: 'module' object has no attribute 'relu'\n"


def cause(text: str) -> Cause | None:
    """What is said of a log."""
    found = explain_log(text)
    return None if found is None else found.cause


@pytest.mark.parametrize("warning", [BLAS, NO_GPU, NO_LIBRARY])
def test_a_warning_is_the_cause_of_nothing_that_follows(warning: str) -> None:
    """A job that goes on has no error, one that fails later has another; alone it is what is asked about."""
    assert cause(warning + WENT_ON) is None
    assert cause(f"{warning}{TRACEBACK.format('g()')}KeyError: 'x'\n") is Cause.OWN_CODE
    assert cause(warning) not in (None, Cause.NOT_RECOGNISED)


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("y = T.nnet.relu(x)", Cause.LIBRARIES),
        ("y = helpers.relu(x)", Cause.OWN_CODE),
    ],
)
def test_a_name_that_a_module_lacks(line: str, expected: Cause) -> None:
    """Python 2 does not name the module: the line of source says whether it is a library's."""
    assert cause(TRACEBACK.format(line) + LACKS) is expected


@pytest.mark.parametrize(
    ("line", "expected"), [("from lasagne import nonlinearities", Cause.LIBRARIES), ("from helpers import x", Cause.OWN_CODE)]
)
def test_a_name_that_cannot_be_imported(line: str, expected: Cause) -> None:
    """As for attributes."""
    assert cause(f"{TRACEBACK.format(line)}ImportError: cannot import name x\n") is expected


def test_a_module_that_was_not_made_without_a_gpu() -> None:
    """That there is no GPU is why it has no names."""
    assert cause(DRIVER + TRACEBACK.format("x = theano.sandbox.cuda.shared_constructor(y)") + LACKS) is Cause.GPU_NOT_STARTED


@pytest.mark.parametrize(("flags", "expected"), [("", Cause.COMPILER), ("mode=FAST_COMPILE", Cause.NO_IMPLEMENTATION)])
def test_an_op_that_has_only_c_code(flags: str, expected: Cause) -> None:
    """Fails where there is no compiler, or where Python was asked for."""
    assert cause(f"THEANO_FLAGS={flags} python x.py\nNotImplementedError: No Python implementation is provided by this Op.\n") is expected


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("IndexError: index 10 is out of bounds for axis 0 with size 10", Cause.SHAPES),
        ("IndexError: index out of range in self", Cause.SHAPES),
        ("IndexError: index out of bounds", Cause.SHAPES),
        ("IndexError: Dimension out of range (expected to be in range of [-1, 0], but got 1)", Cause.SHAPES),
        ("IndexError: list index out of range", Cause.OWN_CODE),
        ("x.errors_impl.InvalidArgumentError: indices[0,3] = 12 is not in [0, 10)", Cause.SHAPES),
        ("ValueError: Negative dimension size caused by subtracting 3 from 1 for 'conv'", Cause.SHAPES),
        ("ValueError: Data cardinality is ambiguous:\n  x sizes: 100\n  y sizes: 99", Cause.SHAPES),
        ("TypeError: cost must be a scalar.", Cause.SHAPES),
    ],
)
def test_indexes_and_lengths(line: str, expected: Cause) -> None:
    """An index beyond a length is told as a shape that does not fit."""
    assert cause(TRACEBACK.format("g()") + line) is expected


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("job 812.1 exceeded hard wallclock time - initiate terminate method", Cause.STOPPED),
        ("=>> PBS: job killed: cput 3635 exceeded limit 3600", Cause.STOPPED),
        ("=>> PBS: job killed: mem 9437184kb exceeded limit 8388608kb", Cause.KILLED),
        ("TERM_RUNLIMIT: job killed after reaching LSF run time limit.", Cause.STOPPED),
        ("slurmstepd: error: *** JOB 8 ON n1 CANCELLED AT 2021-06-01T10:00:00 DUE TO PREEMPTION ***", Cause.STOPPED),
        ("  - message: Job was active longer than specified deadline", Cause.STOPPED),
        ("Message: The node was low on resource: memory. Container main was using 12Gi", Cause.KILLED),
        ("Message: The node was low on resource: ephemeral-storage. Container main was using 12Gi", Cause.DISK_FULL),
        ("exit_status  137                  (Killed)", Cause.PROCESS_LOST),
        ("zsh: abort      python train.py", Cause.PROCESS_LOST),
        ("zsh: killed     python train.py", Cause.KILLED),
        ("realloc(): invalid next size", Cause.PROCESS_LOST),
        ("corrupted double-linked list", Cause.PROCESS_LOST),
    ],
)
def test_limits_of_memory_and_of_time(line: str, expected: Cause) -> None:
    """Batch systems and shells say which; a killed job of Grid Engine may have reached either."""
    assert cause(f"epoch 1\nepoch 2\n{line}\n") is expected


EPOCHS = "epoch 1 loss 0.3\nepoch 2 loss 0.2\nsaved\n"


@pytest.mark.parametrize(
    "line",
    [
        "error: mkdir: Permission denied",
        "fatal: not a git repository (or any of the parent directories): .git",
        "Segmentation fault (core dumped)",
        "WARNING: kernel restarted",
        "If you see a Segmentation fault, set OMP_NUM_THREADS=1",
    ],
)
def test_a_line_that_the_job_outlived_is_no_cause(line: str) -> None:
    """A job that says later how far it is went on; what ended it, if anything did, is not known."""
    found = explain_log(f"{line}\n{EPOCHS}")
    assert found is not None
    assert (found.cause, found.message) == (Cause.NOT_RECOGNISED, line)
    assert "went on after this line" in found.why


def test_what_ends_a_process_is_one_whatever_follows() -> None:
    """What a shell says of a process, and what is said of memory: another process goes on."""
    assert cause(f"run.sh: line 3: 4321 Segmentation fault      (core dumped) python a.py\n{EPOCHS}") is Cause.PROCESS_LOST
    assert cause(f"srun: error: node1: task 3: Segmentation fault (core dumped)\n{EPOCHS}") is Cause.PROCESS_LOST
    assert cause(f"Out of memory: Killed process 4321 (python)\n{EPOCHS}") is Cause.KILLED


def test_why_a_job_is_slow_is_an_answer_though_it_goes_on() -> None:
    """A GPU that did not start: the job computes on the CPU, as a line without a traceback says too."""
    assert cause(f"ERROR (theano.gpuarray): Could not initialize pygpu, support disabled\n{EPOCHS}") is Cause.GPU_NOT_STARTED


@pytest.mark.parametrize(
    "line",
    [
        "/home/can/run.sh: line 3: 1234 Segmentation fault      (core dumped) python train.py",
        "can: Segmentation fault (core dumped)",
        "/data/fix/train.py: Bus error (7)",
        "srun: error: may-01: task 0: Segmentation fault (core dumped)",
    ],
)
def test_names_are_no_words_of_a_sentence(line: str) -> None:
    """Users, folders and nodes may be called as words are that speak of a crash."""
    assert cause(f"{line}\n") is Cause.PROCESS_LOST


def test_an_exception_that_the_job_outlived() -> None:
    """It has its cause, and the sentence says that the log goes on."""
    error = f"{TRACEBACK.format('import foo')}ModuleNotFoundError: No module named 'foo'\n"
    last, within = explain_log(error), explain_log(error + EPOCHS)
    assert last is not None
    assert within is not None
    assert last.cause is within.cause is Cause.LIBRARIES
    assert within.why == f"{last.why}; the log goes on after it"


@pytest.mark.parametrize(
    ("prose", "report"),
    [
        ("Segmentation fault is often caused by two BLAS libraries.", "Segmentation fault: 11"),
        ("This can lead to a Bus error on some machines.", "A Bus error occurred."),
        ("Fixed a core dumped by the C linker (#123)", "Aborted (core dumped)"),
        ("free(): invalid pointer might be printed", "free(): invalid pointer"),
    ],
)
def test_words_about_crashes_are_none(prose: str, report: str) -> None:
    """A sentence that speaks of one states none."""
    assert cause(f"{prose}\n") in (None, Cause.NOT_RECOGNISED)
    assert cause(f"{report}\n") is Cause.PROCESS_LOST


DESTRUCTOR = (
    "Exception ignored in: <function Trace.__del__ at 0x7f>\nTraceback (most recent call last):\n"
    '  File "/e/lib/python3.10/site-packages/foo/a.py", line 12, in __del__\n    self.close()\n'
    "AttributeError: 'NoneType' object has no attribute 'close'\n"
)
IN_PYTHON_2 = "Exception AttributeError: \"'NoneType' object has no attribute 'clear'\" in <bound method A.__del__ of A()> ignored\n"


@pytest.mark.parametrize("said", [DESTRUCTOR, IN_PYTHON_2])
def test_an_exception_that_python_ignored_ends_no_job(said: str) -> None:
    """The failure is another one, before or after it; one about memory may be all there is."""
    error = "ValueError: Mass matrix contains zeros on the diagonal.\n"
    for text in (error + said, said + error):
        diagnosis = explain_log(text)
        assert diagnosis is not None
        assert diagnosis.cause is Cause.ZERO_GRADIENT
    alone = explain_log("epoch 1\n" + said)
    assert alone is not None
    assert alone.cause is Cause.NOT_RECOGNISED
    assert (alone.line, "went on" in alone.why) == (2, True)


def test_lack_of_memory_that_python_ignored() -> None:
    """May be all that the log says of it."""
    memory = explain_log(DESTRUCTOR.replace("AttributeError", "MemoryError"))
    assert memory is not None
    assert memory.cause is Cause.HOST_MEMORY


def test_c_functions_of_a_process_that_waits_are_no_crash() -> None:
    """A debugger prints them of any process."""
    crashed = explain_log("#0  0x00000000004ad59b in PyList_SetItem ()\n#1  0x00007f829b2a896f in CLazyLinker_call ()\n")
    assert crashed is not None
    assert crashed.cause is Cause.PROCESS_LOST
    assert explain_log("#0  0x00007f829b2a896f in pthread_cond_wait ()\n#1  0x00000000004ad59b in PyEval_EvalFrameEx ()\n") is None


@pytest.mark.parametrize("error", ["FileNotFoundError: [Errno 2] No such file or directory", "FileExistsError: [Errno 17] File exists"])
def test_a_folder_of_the_cache_that_another_process_uses(error: str) -> None:
    """Comes and goes while it is read."""
    frame = '  File "/e/lib/python3.6/site-packages/theano/gof/cmodule.py", line 794, in refresh\n    files = os.listdir(root)\n'
    diagnosis = explain_log(f"{frame}{error}: '/home/me/.theano/compiledir_Linux-3.10-3.6.2-64/tmpyv12ab'\n")
    assert diagnosis is not None
    assert diagnosis.cause is Cause.COMPILE_LOCK
    assert "base_compiledir" in "\n".join(diagnosis.advice)


@pytest.mark.parametrize(
    ("line", "told"),
    [
        ('    print "First-Order"', "theanodiag port SCRIPT --to theano --python2to3"),
        ('    print(chr(code), end="")', "start the script with python3"),
        ("    print(chr(code)", "Python cannot parse the line"),
    ],
)
def test_the_python_of_a_line_that_another_one_read(line: str, told: str) -> None:
    """Is said by the line."""
    diagnosis = explain_log(f'  File "main.py", line 355\n{line}\n           ^\nSyntaxError: invalid syntax\n')
    assert diagnosis is not None
    assert told in diagnosis.advice[0]


def test_a_source_in_another_encoding() -> None:
    """Is no text in UTF-8."""
    diagnosis = explain_log("a.py\", line 14\nSyntaxError: (unicode error) 'utf-8' codec can't decode byte 0xa1 in position 19: invalid\n")
    assert diagnosis is not None
    assert "not in utf-8 (byte 0xa1)" in diagnosis.advice[0]


def test_an_exception_that_a_logger_tells_is_an_error() -> None:
    """Of no known form."""
    diagnosis = explain_log("Device gpuX proc starting up\nDevice gpuX proc exception: ('Shape must be integers', 'float32')\n")
    assert diagnosis is not None
    assert (diagnosis.cause, diagnosis.line) == (Cause.NOT_RECOGNISED, 2)


def test_an_error_of_r_is_an_error() -> None:
    """Of no known form."""
    diagnosis = explain_log('[1] "Error in sampler$call_sampler(args_list[[i]]) : "\n[2] "  c++ exception (unknown reason)"\n')
    assert diagnosis is not None
    assert diagnosis.cause is Cause.NOT_RECOGNISED


def test_a_loss_that_is_nan() -> None:
    """Is the cause where nothing else failed and it stays so."""
    line = "Iteration {0}000 [{0}0%]: ELBO = {1}\n"
    start = "Using gpu device 0: GeForce GTX 980\nloading the data\nAverage Loss over 100 batches\n"
    assert cause(start + line.format(0, -183.2) + line.format(1, "nan")) is Cause.NOT_FINITE
    assert cause(start + line.format(0, "nan") + line.format(1, -183.2) + line.format(2, -182.9)) is Cause.NOT_RECOGNISED
    assert cause("epoch 1 loss: 0.3\nepoch 2 loss: nan\n") is Cause.NOT_FINITE
    assert cause(f"{start}{line.format(1, 'nan')}{TRACEBACK.format('g()')}KeyError: 'x'\n") is Cause.OWN_CODE


@pytest.mark.parametrize(
    ("line", "sentence"),
    [
        ("ModuleNotFoundError: No module named 'foo'", "the Python that ran has no module foo"),
        ("ImportError: libfoo.so.1: cannot open shared object file: No such file or directory", "a shared library that a package needs"),
        ("AttributeError: module 'theano' has no attribute 'gof'", "theano has no gof: its import stopped halfway"),
        ("IndexError: index 5 is out of bounds for axis 0 with size 3", "an index is out of range"),
        ("ValueError: shapes (2,3) and (4,5) not aligned: 3 (dim 1) != 4 (dim 0)", "the shapes of two arrays, or the numbers of"),
        ("numpy.linalg.LinAlgError: Singular matrix", "a matrix cannot be decomposed"),
        ("TypeError: Numba does not support NumPy `Generator`s", "numba cannot compile"),
        ("FileNotFoundError: [Errno 2] No such file or directory: 'a.csv'", "a file or folder does not exist"),
        ("_pickle.UnpicklingError: invalid load key, 'v'.", "a file of objects could not be read"),
        ("TypeError: cannot pickle 'LimbDark' object", "an object could not be sent"),
        ("WARNING (theano.configdefaults): g++ not detected !", "no compiler was found"),
        ("mod.cpp:1:10: fatal error: Python.h: No such file or directory", "the compiler did not find a header"),
    ],
)
def test_the_sentence_says_which_of_several_it_is(line: str, sentence: str) -> None:
    """A cause that stands for several is narrowed by the line that states it."""
    found = explain_log(f"{line}\n")
    assert found is not None
    assert found.why.startswith(sentence)


def test_an_object_that_a_package_asks_for_an_old_name() -> None:
    """The script wrote no old name: the package and the library are of different times."""
    mine, library = (
        '  File "a.py", line 3, in <module>\n    az.summary(t)\n',
        '  File "/e/site-packages/arviz/data/io_pymc3.py", line 2, in f\n',
    )
    error = "AttributeError: 'TensorVariable' object has no attribute 'logp_elemwise'\n"
    assert cause(f"Traceback (most recent call last):\n{mine}{library}    x.logp_elemwise\n{error}") is Cause.LIBRARIES
    assert cause(f"Traceback (most recent call last):\n{mine.replace('az.summary(t)', 'x.logp_elemwise')}{error}") is Cause.OLD_INTERFACE
