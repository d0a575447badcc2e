"""Parts of logs: the end, the beginning, or what stands between, without the line of the exception."""

from __future__ import annotations

import pytest

from theanodiag.logs import Cause, explain_log

FRAME = '  File "/e/lib/python3.11/site-packages/pymc3/step_methods/hmc/base_hmc.py", line 144, in astep\n'
IPYTHON = (
    "~/e/lib/python3.7/site-packages/pymc3/step_methods/hmc/base_hmc.py in astep(self, q0)\n    142         if bad:\n"
    '--> 143             raise SamplingError("Bad initial energy")\n    144 \n    145         return q\n'
)
BOX = (
    "│ /usr/local/lib/python3.10/dist-packages/jax/_src/deprecations.py:54 in getattr    │\n"
    "│                                                                                   │\n"
    "│   53 │     return fn                                                              │\n"
    '│ ❱ 54 │   raise AttributeError(f"module {module!r} has no attribute {name!r}")     │\n'
    "│   55                                                                              │\n"
    "╰───────────────────────────────────────────────────────────────────────────────────╯\n"
)
CODE = "00974\t        __failure = 2;\n00975\t        goto __label_2;}\n00976\t\n00977\t    {Py_XDECREF(old);}\n00978\t}\n"
WARNINGS = (
    "In file included from a.h:4:0,\n                 from mod.cu:6:\nmod.cu(954): warning: statement is unreachable\n"
    "mod.cu(4073): warning: invalid format string conversion\n"
)
NODE = (
    "Inputs types: [TensorType(float64, row), TensorType(float32, matrix)]\nInputs shapes: [(1, 128), (128, 1)]\n"
    "Inputs values: ['not shown', 'not shown']\n"
)
FOLDING = (
    "ERROR (pytensor.graph.rewriting.basic): Rewrite failure due to: constant_folding\n"
    "ERROR (pytensor.graph.rewriting.basic): Traceback (most recent call last):\n"
    '  File "/e/lib/python3.11/site-packages/pytensor/graph/rewriting/basic.py", line 1909, in process_node\n'
    "    replacements = node_rewriter.transform(fgraph, node)\n"
    '  File "/e/lib/python3.11/site-packages/pytensor/graph/rewriting/basic.py", line 1081, in transform\n'
    "    return self.fn(fgraph, node)\n"
)
LINKED = "".join(
    f'  File "[/opt/lib/python3.12/site-packages/pytensor/link/c/op.py", line {n}](http://localhost:5/op.py#line=1), in thunk\n    f()\n'
    for n in (119, 84)
)
ONE = "File ~/e/lib/python3.9/site-packages/pymc/sampling/mcmc.py:1218, in _init_jitter(model)\n   1217 for i in j:\n-> 1218     f()\n"
BARE = "".join(
    f"I0626 19:00:36.0{n} 138 run_docker.py:258] {line}\n"
    for n, line in enumerate(
        (
            'File "/opt/lib/python3.10/site-packages/jax/_src/prng.py", line 1, in f',
            "g()",
            'File "/opt/lib/python3.10/x.py", line 2, in g',
            "h()",
        )
    )
)
INCLUDED = '1 #include <Python.h>\n2 #include <iostream>\n3 #include "a.h"\n4 static int x;\n'
NO_DEVICE = (
    "2024-11-27 22:33:42.112759: E external/xla/xla/stream_executor/cuda/cuda_driver.cc:152] failed call to cuInit: INTERNAL: CUDA error: "
    "Failed call to cuInit: CUDA_ERROR_NO_DEVICE: no CUDA-capable device is detected\nTraceback (most recent call last):\n"
    '  File "/v/lib/python3.11/site-packages/jax/_src/xla_bridge.py", line 885, in backends\n    backend = _init_backend(platform)\n'
    '  File "/v/lib/python3.11/site-packages/jaxlib/xla_client.py", line 200, in make_c_api_client\n    return f()\n'
)
SAID = "".join(f'534{n}         PyErr_Format(PyExc_RuntimeError,\n5347                 "Cuda error: %s: %s.",\n' for n in range(3))


@pytest.mark.parametrize(
    ("text", "cause"),
    [
        (f'{FRAME}    raise SamplingError("Bad initial energy")\n', Cause.START_VALUES),
        (IPYTHON, Cause.START_VALUES),
        (BOX, Cause.LIBRARIES),
        (CODE, Cause.COMPILER),
        (WARNINGS, Cause.COMPILER),
        (NODE, Cause.NOT_RECOGNISED),
        (FOLDING, Cause.NOT_RECOGNISED),
        (LINKED, Cause.NOT_RECOGNISED),
        (ONE, Cause.NOT_RECOGNISED),
        (CODE + SAID, Cause.COMPILER),
        (BARE, Cause.NOT_RECOGNISED),
        (INCLUDED, Cause.COMPILER),
        (NO_DEVICE, Cause.GPU_NOT_STARTED),
    ],
)
def test_what_a_part_shows(text: str, cause: Cause) -> None:
    """A statement that raises has the exception's class and message; code that did not compile is a compiler's."""
    found = explain_log(text)
    assert found is not None
    assert found.cause is cause
    assert found.advice


@pytest.mark.parametrize(
    "text",
    [
        f'{FRAME}    raise SamplingError("Bad initial energy")\n\nValueError: x\n',  # the exception itself follows
        IPYTHON.replace("--> 143", "    143"),  # a line beside the one that ran
        '12 raise SamplingError("Bad initial energy")\n',  # no traceback
        CODE.replace("009", "x09"),
        "mod.cu: 1\n",
    ],
)
def test_what_it_does_not_show(text: str) -> None:
    """Only the last frame's own statement counts, and only several lines of code."""
    found = explain_log(text)
    assert found is None or found.cause not in (Cause.START_VALUES, Cause.COMPILER)


@pytest.mark.parametrize(
    "text",
    [
        "ValueError                                Traceback (most recent call last)\n<ipython-input-2> in <module>\n----> 1 f(x)\n",
        'ERROR: it failed\nTraceback (most recent call last):\nFile "/a/b.py", line 170, in\nexp.execute()\n',
        FOLDING,
        NODE,
    ],
)
def test_the_rest_of_the_log_is_asked_for(text: str) -> None:
    """Where the message is missing."""
    found = explain_log(text)
    assert found is not None
    assert found.advice == ("pass the whole log: the last line of the traceback has the exception and its message",)


@pytest.mark.parametrize(
    ("text", "cause", "words"),
    [
        (
            "W x] Could not load dynamic library 'libcusolver.so.11'; dlerror: libcusolver.so.11: cannot open shared object file\n"
            "RuntimeError: jaxlib/cusolver.cc:51: operation cusolverDnCreate(&handle) failed: cuSolver internal error\n",
            Cause.GPU_NOT_STARTED,
            "CUDA",
        ),
        (
            "Process terminated with an error exit status (130)\nINFO (theano.gof.compilelock): Waiting for existing lock by process '1'\n",
            Cause.STOPPED,
            "base_compiledir",
        ),
        (
            'AttributeError: Bad input argument to theano function with name "a.py:1" at index 1 (0-based).\n'
            "'int' object has no attribute 'dtype'\n",
            Cause.REFUSED,
            "arguments",
        ),
        ("Exception: Compilation failed (return status=1): g++.exe: error: Folder\\\\MinGW: No such file or directory\n", Cause.COMPILER,
         "a path that contains a space"),
        ("Problem occurred during compilation with the command line below:\ng++.exe -shared -o C:\\Users\\ДОМ\\AppData\\Local\\Theano\\"
         "compiledir_Windows-10\\lazylinker_ext.pyd\n", Cause.COMPILER, "ASCII"),
        ("/usr/include/string.h:652:42: error: ‘memcpy’ was not declared in this scope\n", Cause.COMPILER, "_FORCE_INLINES"),
        ("mod.cpp:641: undefined reference to `_imp__PyExc_TypeError'\nC:\\a\\mod.cpp\n", Cause.COMPILER, "libpython"),
    ],
)  # fmt: skip
def test_advice(text: str, cause: Cause, words: str) -> None:
    """That leads to what solved such failures."""
    found = explain_log(text)
    assert found is not None
    assert found.cause is cause
    assert words in "\n".join(found.advice)
