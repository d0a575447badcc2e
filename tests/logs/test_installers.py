"""Installers that reach no server, take another form or meet what another installer put there; JAX, cuDNN and pygpu that refuse."""

from __future__ import annotations

import pytest

from tests.logs.pasted import SCRIPT, diagnosed
from theanodiag.logs import Cause, explain_log

NOTHING = (
    "ERROR: Could not find a version that satisfies the requirement theano (from versions: none)\n"
    "ERROR: No matching distribution found for theano\n"
)
RESOLVES_NOT = (
    "WARNING: Retrying (Retry(total=0)) after connection broken by 'NewConnectionError(\"<pip._vendor.urllib3.connection.HTTPSConnection "
    "object at 0x7f>: Failed to establish a new connection: [Errno -2] Name or service not known\")': /simple/theano/\n"
)
SIGNED = (
    "Could not fetch URL https://pypi.org/simple/theano/: There was a problem confirming the ssl certificate: HTTPSConnectionPool("
    "host='pypi.org', port=443): Max retries exceeded with url: /simple/theano/ - skipping\n"
)
LONG = (
    "ERROR: Could not install packages due to an OSError: [Errno 2] No such file or directory: 'C:\\\\Users\\\\me\\\\x.h'\n"
    "HINT: This error might have occurred since this system does not have Windows Long Path support enabled. You can find information "
    "on how to enable this at https://pip.pypa.io/warnings/enable-long-paths\n"
)
DISTUTILS = (
    "ERROR: Cannot uninstall 'llvmlite'. It is a distutils installed project and thus we cannot accurately determine which files belong "
    "to it which would lead to only a partial uninstall.\n"
)
SHARD = (
    f"{SCRIPT}"
    '  File "/e/site-packages/oryx/core/sow.py", line 9, in <module>\n    @shard_map.register_check(sow_p)\n'
    '  File "/e/site-packages/jax/_src/deprecations.py", line 54, in getattr\n    raise AttributeError(message)\n'
    "AttributeError: module 'jax.experimental.shard_map' has no attribute 'register_check'\n"
)
SETS = (
    f'{SCRIPT}  File "/e/site-packages/bayesnewton/ops.py", line 240, in statistics\n    Qs = Qs.set(0).set(P0)\n'
    "AttributeError: DynamicJaxprTracer has no attribute set\n"
)


@pytest.mark.parametrize(
    ("log", "cause", "said"),
    [
        (RESOLVES_NOT + NOTHING, Cause.FILE_ACCESS, "login node"),
        (SIGNED + NOTHING, Cause.FILE_ACCESS, "--trusted-host"),
        (NOTHING, Cause.LIBRARIES, "theano"),
        ("CondaHTTPError: HTTP 000 CONNECTION FAILED for url <https://conda.anaconda.org/x.json>\n", Cause.FILE_ACCESS, "proxy_servers"),
        (LONG, Cause.FILE_ACCESS, "LongPathsEnabled"),
        (DISTUTILS, Cause.LIBRARIES, "--ignore-installed"),
        ("ERROR: Invalid requirement: 'pymc=5.10'\n", Cause.REFUSED, "NAME==VERSION"),
        (
            f'{SCRIPT}  File "/home/u/bayes/fit.py", line 3, in <module>\n    from .priors import make\n'
            "ImportError: attempted relative import with no known parent package\n",
            Cause.OWN_CODE,
            "python -m PACKAGE.MODULE",
        ),
        (SHARD, Cause.LIBRARIES, "too new or too old for oryx"),
        (SETS, Cause.SYMBOLIC, "x.at[i].set(value)"),
        (f"{SCRIPT}pygpu.gpuarray.GpuArrayException: (b'(cublas) Execution failed.', 11)\n", Cause.GPU_FAULT, "pygpu and libgpuarray"),
        (f"{SCRIPT}ValueError: Logp function returned error Initialization of first point failed\n", Cause.START_VALUES, "initval"),
    ],
)
def test_what_is_not_reached_or_not_taken(log: str, cause: Cause, said: str) -> None:
    """Each as the named program prints it; what an installer that reaches no index says of a package follows from that."""
    diagnosis = diagnosed(log)
    assert diagnosis.cause is cause
    assert said in "\n".join(diagnosis.advice)


def test_weights_of_another_dtype_than_the_pictures() -> None:
    """CuDNN names no reason; the node's types do."""
    types = "GpuArrayType<None>(float32, 4D), GpuArrayType<None>(float64, 4D)"
    node = f"Apply node that caused the error: GpuDnnConv(a, b)\nToposort index: 7\nInputs types: [{types}]\n"
    diagnosis = diagnosed(f"{SCRIPT}RuntimeError: error getting worksize: CUDNN_STATUS_BAD_PARAM\n{node}")
    assert diagnosis.cause is Cause.CUDNN_REFUSED
    assert "float32 and float64 together" in "\n".join(diagnosis.advice)


def test_a_line_that_python_does_not_read() -> None:
    """It and the one above are where to look."""
    diagnosis = diagnosed('  File "<ipython-input-7>", line 1\n    __ == "__main__":\n                 ^\nSyntaxError: invalid syntax\n')
    assert diagnosis.cause is Cause.OWN_CODE
    assert "the line above" in "\n".join(diagnosis.advice)


def test_draws_of_another_kind_that_a_script_gives_to_arviz() -> None:
    """The frame that raises is ArviZ's, and the script is what has to change."""
    diagnosis = explain_log(
        f'{SCRIPT}  File "/e/site-packages/arviz/data/io_pymc3.py", line 101, in __init__\n    if trace.report:\n'
        "AttributeError: 'InferenceData' object has no attribute 'report'\n"
    )
    assert diagnosis is not None
    assert diagnosis.cause is Cause.OLD_INTERFACE


def test_the_line_that_ipython_marks_has_the_call() -> None:
    """The lines above it are calls that worked."""
    diagnosis = explain_log(
        "TypeError                                 Traceback (most recent call last)\n"
        "<ipython-input-3-c0ffee> in <module>\n"
        "      1 with pm.Model():\n"
        "      2     a = pm.Normal('a')\n"
        "----> 3     b = pm.Beta('b')\n\n"
        "TypeError: __init__() missing 1 required positional argument: 'alpha'\n"
    )
    assert diagnosis is not None
    assert "pm.Beta expects 'alpha'" in "\n".join(diagnosis.advice)
