"""What a log says beside the message: the node, shapes and values, the user's line, the storage map, flags, the card."""

from __future__ import annotations

import pytest

from theanodiag.logs import Cause, context, explain_log

NODE = """Traceback (most recent call last):
  File "/home/me/train.py", line 41, in <module>
    cost = train(x)
  File "/usr/lib/python3/dist-packages/theano/compile/function_module.py", line 903, in __call__
    self.fn()
MemoryError: Error allocating 93454336 bytes of device memory (out of memory).
Apply node that caused the error: GpuDot22(GpuElemwise{mul,no_inplace}.0, GpuDimShuffle{1,0}.0)
Toposort index: 122
Inputs types: [CudaNdarrayType(float32, matrix), CudaNdarrayType(float32, matrix)]
Inputs shapes: [(256, 128), (128, 91264)]
Inputs strides: [(128, 1), (1, 128)]
Inputs values: ['not shown', 'not shown']

Backtrace when the node is created:
  File "/home/me/model.py", line 7, in build
    return T.dot(h, W)
"""
ALLOC = """MemoryError: alloc failed
Apply node that caused the error: Alloc(Sum{acc_dtype=float64}.0, Elemwise{mul,no_inplace}.0, TensorConstant{1000000})
Inputs types: [TensorType(float32, scalar), TensorType(int32, scalar), TensorType(int32, scalar)]
Inputs shapes: [(), (), ()]
Inputs values: [array(60., dtype=float32), array(300, dtype=int32), array(1000000, dtype=int32)]
"""
STORAGES = """MemoryError: alloc failed
Storage map footprint:
 - W of it, Shared Input, Shape: (101, 50), ElemSize: 4 Byte(s), TotalSize: 20200 Byte(s)
 - x, Input, Shape: (128, 100, 1), ElemSize: 4 Byte(s), TotalSize: 51200.0 Byte(s)
 - Elemwise{Cast{int32}}.0, Shape: (), ElemSize: 8 Byte(s), TotalSize: 8.0 Byte(s)
"""


def test_the_array_that_a_node_was_to_make() -> None:
    """Its shape follows from the shapes of the inputs, and agrees with the bytes of the message."""
    found = explain_log(NODE)
    assert found is not None
    assert (found.request.bytes, found.request.shape, found.request.dtype) == (93454336, (256, 91264), "float32")
    assert found.request.input_shapes == ((256, 128), (128, 91264))
    assert found.request.site == ("/home/me/model.py", 7)


def test_another_number_of_bytes_is_not_that_array() -> None:
    """An Op may ask for room besides its output: then the shape is not told."""
    found = explain_log(NODE.replace("93454336", "93454337"))
    assert found is not None
    assert (found.request.bytes, found.request.shape) == (93454337, None)


def test_a_shape_that_values_decide() -> None:
    """The message of Alloc says no bytes; the values of its inputs do."""
    found = explain_log(ALLOC)
    assert found is not None
    assert (found.request.bytes, found.request.shape) == (4 * 300 * 1000000, (300, 1000000))


def test_inputs_of_another_node_are_not_believed() -> None:
    """PyTensor with numba names a node and lists the inputs of the function: ranks disagree."""
    found = explain_log(ALLOC.replace("shapes: [(), (), ()]", "shapes: [(3, 5), (), (5, 4)]"))
    assert found is not None
    assert found.request.bytes is None


def test_the_line_of_the_user_in_the_traceback() -> None:
    """Where no stack of the node is printed; not a line of a library."""
    found = explain_log(NODE.partition("\nBacktrace")[0])
    assert found is not None
    assert found.request.site == ("/home/me/train.py", 41)


def test_storage_map() -> None:
    """Largest first; sizes of scalars are printed as floats."""
    found = explain_log(STORAGES)
    assert found is not None
    assert [(s.name, s.kind, s.shape, s.bytes) for s in found.live] == [
        ("x", "input", (128, 100, 1), 51200), ("W of it", "shared", (101, 50), 20200), ("Elemwise{Cast{int32}}.0", "intermediate", (), 8),
    ]  # fmt: skip


def test_flags_and_card() -> None:
    """From the command, and from what the library prints at its start."""
    text = "$ THEANO_FLAGS='device=cuda0,floatX=float32' python m.py\nPreallocating 3276/4096 Mb (0.800000) on cuda0\n"
    text += "Mapped name None to device cuda0: GeForce GTX 1050 (0000:01:00.0)\n"
    found = explain_log(f"{text}pygpu.gpuarray.GpuArrayException: b'cuMemAlloc: CUDA_ERROR_OUT_OF_MEMORY: out of memory'\n")
    assert found is not None
    assert found.flags == {"device": "cuda0", "floatX": "float32", "gpuarray.preallocate": "0.8"}
    assert (found.memory.device, found.memory.total) == ("GeForce GTX 1050", 4 << 30)
    assert found.command == (
        "THEANO_FLAGS=floatX=float32,gpuarray.preallocate=0.8 theanodiag check MODEL.py --python INTERPRETER --log LOG"
    )


def test_what_xla_says_of_its_buffers() -> None:
    """In units, as it prints them."""
    text = "RESOURCE_EXHAUSTED: Out of memory while trying to allocate 6291456 bytes.\nBufferAssignment OOM Debugging.\n"
    text += "BufferAssignment stats:\n             parameter allocation:    6.00MiB\n     preallocated temp allocation:         0B\n"
    found = explain_log(text)
    assert found is not None
    assert found.parts == {"parameter": 6 << 20, "preallocated temp": 0}


def test_a_printed_graph_in_the_log_can_be_simulated() -> None:
    """The next command does so; the failed node that Theano prints by itself is no function."""
    printed = "GpuDot22 [id A] <CudaNdarrayType(float32, matrix)> ''\n |x [id B] <CudaNdarrayType(float32, matrix)>\n"
    found = explain_log(f"{printed}{NODE}\n")
    node = explain_log(f"{NODE}\nDebugprint of the apply node: \n{printed}")
    both = explain_log(f"{printed}{NODE}\nDebugprint of the apply node: \n{printed}")
    assert found is not None
    assert node is not None
    assert both is not None
    assert node.command is not None
    assert node.command.startswith("theanodiag check ")
    assert found.command == both.command == "theanodiag graph LOG"
    assert found.cause is Cause.CAPACITY


@pytest.mark.parametrize(
    ("before", "after", "told"), [("", "", False), ("import theano\n", "", True), ("import theano\n", "STORAGE", False)]
)
def test_advice_that_the_log_has_followed_is_not_given(before: str, after: str, told: bool) -> None:
    """A storage map is wanted where Theano ran and has not printed one."""
    storage = "Storage map footprint:\n - w, Shared Input, Shape: (2,), ElemSize: 4 Byte(s), TotalSize: 8 Byte(s)\n"
    found = explain_log(f"{before}RuntimeError: CUDA error: out of memory\n{after.replace('STORAGE', storage)}")
    assert found is not None
    assert any("exception_verbosity" in line for line in found.advice) is told


def test_a_damaged_dtype() -> None:
    """Of a node's inputs gives no size, and no error of ours."""
    node = "MemoryError\nApply node that caused the error: Elemwise{exp,no_inplace}(x)\n"
    found = explain_log(f"{node}Inputs types: [TensorType(f99loat32, vector)]\nInputs shapes: [(5,)]\n")
    assert found is not None
    assert (found.cause, found.request.bytes, found.request.dtype) == (Cause.HOST_MEMORY, None, None)


def test_a_size_that_no_program_asks_for_is_none() -> None:
    """A damaged shape has so many digits that its product is no size."""
    dims = ", ".join(["9" * 18] * 9)
    found = explain_log(f"MemoryError: Unable to allocate 1.0 GiB for an array with shape ({dims}) and data type float64\n")
    assert found is not None
    assert (found.cause, found.request.bytes, found.request.shape) == (Cause.HOST_MEMORY, None, None)


@pytest.mark.parametrize(
    "said",
    [
        "gpudata_alloc: cuMemAlloc: CUDA_ERROR_OUT_OF_MEMORY: out of memory",
        "Could not allocate working memory",
        "Could not allocate workspace",
        "GpuCorrMM failed to allocate working memory of 100 x 200",
        "GpuMagmaSVD: failed to allocate memory",
    ],
)
def test_a_workspace_is_no_output_of_the_node(said: str) -> None:
    """Its size is not that of the array that the node makes, and the log does not say it."""
    frames, rest = NODE.split("MemoryError:")
    found = explain_log(f"{frames}RuntimeError: {said}\n{rest.partition(chr(10))[2]}")
    assert found is not None
    assert found.cause is Cause.DEVICE_UNKNOWN_SIZE
    assert (found.request.bytes, found.request.shape) == (None, None)


FAILED = "pygpu.gpuarray.GpuArrayException: b'cuMemAlloc: CUDA_ERROR_OUT_OF_MEMORY: out of memory'\n"


@pytest.mark.parametrize(
    ("line", "device", "total"),
    [
        ("Using gpu device 0: TITAN X (Pascal) (CNMeM is disabled, cuDNN 5110)", "TITAN X (Pascal)", None),
        ("Mapped name None to device cuda: GeForce GTX 960 (0000:01:00.0)", "GeForce GTX 960", None),
        ("I xla/service/service.cc:154]   StreamExecutor device (0): NVIDIA L4, Compute Capability 8.9", "NVIDIA L4", None),
        ("GPU 0: Tesla V100-SXM2-16GB (UUID: GPU-6d3f)", "Tesla V100-SXM2-16GB", None),
        (
            "|   0  GeForce GTX 960     Off  | 0000:01:00.0     On |                  N/A |\n"
            "| 36%   45C    P8    10W / 120W |    383MiB /  4034MiB |      1%      Default |",
            "GeForce GTX 960",
            4034 << 20,
        ),
        (
            "|   0  NVIDIA A100-SXM4-80GB          On  |   00000000:07:00.0 Off |                    0 |\n"
            "| N/A   32C    P0             61W /  400W |    4MiB /  81920MiB |      0%      Default |",
            "NVIDIA A100-SXM4-80GB",
            81920 << 20,
        ),
    ],
)
def test_who_names_the_card(line: str, device: str, total: int | None) -> None:
    """A library's start message, or a table of nvidia-smi."""
    found = explain_log(f"{line}\n{FAILED}")
    assert found is not None
    assert (found.memory.device, found.memory.total) == (device, total)
    assert found.command == "theanodiag check MODEL.py --python INTERPRETER --log LOG"


def test_the_next_command_names_the_jobs_interpreter() -> None:
    """That of the environment whose framework is in the traceback."""
    frame = '  File "/home/me/my envs/old/lib/python3.8/site-packages/theano/compile/function_module.py", line 903, in __call__\n'
    found = explain_log(f"Using gpu device 0: GeForce GT 630\nTraceback (most recent call last):\n{frame}{FAILED}")
    assert found is not None
    assert found.command == "theanodiag check MODEL.py --python '/home/me/my envs/old/bin/python' --log LOG --gpu SIZE"


def test_a_card_of_unknown_size() -> None:
    """Its size is asked for."""
    found = explain_log(f"Using gpu device 0: GeForce GT 630\n{FAILED}")
    assert found is not None
    assert found.command == "theanodiag check MODEL.py --python INTERPRETER --log LOG --gpu SIZE"


TRAIN = """+ srun python /home/kim/LOG/train.py --epochs 60 --batch 64
Traceback (most recent call last):
  File "/home/kim/LOG/train.py", line 214, in <module>
    main()
  File "/home/kim/LOG/train.py", line 190, in main
    cost = train_fn(x, mask, y)
  File "/env/lib/python3.6/site-packages/theano/compile/function_module.py", line 917, in __call__
    storage_map=getattr(self.fn, 'storage_map', None))
"""


def test_the_next_command_names_the_script_and_its_options() -> None:
    """The program at the top of the traceback, as a line of the log started it."""
    found = explain_log(f"Mapped name None to device cuda0: GeForce GTX 1050 (0000:01:00.0)\n{TRAIN}{FAILED}")
    assert found is not None
    assert found.command == ("theanodiag check /home/kim/LOG/train.py --python /env/bin/python --log LOG -- --epochs 60 --batch 64")


@pytest.mark.parametrize(
    "line",
    [
        "/var/spool/slurm_script: line 7: 81 Killed                  python fit.py 2000",
        "[1]+  Killed                  /opt/c/bin/python3 -u fit.py 2000",
        "zsh: killed     python fit.py 2000",
    ],
)
def test_the_next_command_names_the_script_that_a_shell_reports_as_killed(line: str) -> None:
    """With all its words, because this line is a command."""
    found = explain_log(f"sampling\n{line}\n")
    assert found is not None
    assert found.command == "theanodiag check fit.py --python INTERPRETER --log LOG --gpu none --host-memory SIZE -- 2000"


def test_packages_of_a_user_have_the_interpreter_of_their_version() -> None:
    """There is no ~/.local/bin/python."""
    found = explain_log(f"{TRAIN}{FAILED}".replace("/env/lib/python3.6/", "/home/kim/.local/lib/python2.7/"))
    assert found is not None
    assert "--python python2.7 " in (found.command or "")


def test_a_program_that_fails_while_it_imports_a_module_is_named() -> None:
    """Not the module, whose lines are further down in the traceback; an earlier traceback is another one's."""
    text = (
        'Traceback (most recent call last):\n  File "/x/other.py", line 1, in <module>\nValueError: mine\n'
        'Traceback (most recent call last):\n  File "/x/train.py", line 3, in <module>\n    import net\n'
        '  File "/x/net.py", line 5, in <module>\n    w = numpy.zeros((100000, 100000))\nMemoryError: \n'
    )
    found = explain_log(text)
    assert found is not None
    assert found.command == "theanodiag check /x/train.py --python INTERPRETER --log LOG"


def test_a_log_of_characters_beyond_latin() -> None:
    """Has the offsets and the messages of one without."""
    diagnosis = explain_log("进度 ▇▇▇ 12%\n" * 9 + "????: ok\n已杀死\n")
    assert diagnosis is not None
    assert (diagnosis.cause.value, diagnosis.line, diagnosis.message) == ("killed-by-kernel", 11, "已杀死")
    assert explain_log("进度 ▇▇▇ 12%\n????: ok\n") is None


def test_the_next_command_has_no_flag_of_unknown_value() -> None:
    """Of a line whose variables a shell has put in, the log shows the names."""
    for line in (
        "THEANO_FLAGS=floatX=$FX,allow_gc=False python train.py",
        "os.environ['THEANO_FLAGS'] = 'allow_gc=False,floatX=' + floatx",
    ):
        found = explain_log(f"{line}\n{TRAIN.partition(chr(10))[2]}{FAILED}")
        assert found is not None
        assert found.command is not None
        assert found.command.startswith("THEANO_FLAGS=allow_gc=False theanodiag check /home/kim/LOG/train.py ")


def test_a_line_of_many_options_is_read() -> None:
    """Also one that goes on with what is no option: the ways to part its dashes were tried, three for each option, which had no end."""
    given = " ".join(f"--option{n} {n}" for n in range(30))
    for line, options in ((f"python train.py {given}", f" -- {given}"), (f"python train.py {given} | tee log.txt", " --gpu CARD")):
        found = explain_log(f"{line}\n{TRAIN.partition(chr(10))[2]}{FAILED}")
        assert found is not None
        assert found.command is not None
        assert found.command.endswith(options)


@pytest.mark.parametrize("line", ["python train.py runs out of memory", "python train.py [--epochs N]", "python other.py --epochs 60", ""])
def test_prose_and_other_programs_give_no_options(line: str) -> None:
    """Only a line that ends with options of that program is a command."""
    found = explain_log(f"{line}\n{TRAIN.partition(chr(10))[2]}{FAILED}")
    assert found is not None
    assert found.command == "theanodiag check /home/kim/LOG/train.py --python /env/bin/python --log LOG --gpu CARD"


@pytest.mark.parametrize(
    "error",
    ["cuLaunchKernel: CUDA_ERROR_OUT_OF_MEMORY: out of memory", "cuLaunchKernel: too many resources requested for launch: out of memory"],
)
def test_a_kernel_that_did_not_start_requested_none_of_its_nodes_arrays(error: str) -> None:
    """The size of the node's output is not what was missing."""
    node = "Apply node that caused the error: GpuElemwise{Composite{(i0 + i1)}}[(0, 0)]<gpuarray>(GpuReshape{2}.0, x)\n"
    types = "Inputs types: [GpuArrayType<None>(float32, vector), GpuArrayType<None>(float32, matrix)]\nInputs shapes: [(1,), (1, 1)]\n"
    started = explain_log(f"pygpu.gpuarray.GpuArrayException: b'{error}'\n{node}{types}")
    served = explain_log(f"pygpu.gpuarray.GpuArrayException: b'cuMemAlloc: CUDA_ERROR_OUT_OF_MEMORY: out of memory'\n{node}{types}")
    assert started is not None
    assert served is not None
    assert (started.request.bytes, served.request.bytes) == (None, 4)
    assert "4 B" not in started.why


@pytest.mark.parametrize(
    ("line", "path"),
    [
        ("+ srun python fit_hier.py --chains 4", "fit_hier.py"),
        ("ann@node7:~/jobs$ python3 -u src/train.py", "src/train.py"),
        ("(env) $ /opt/env/bin/python3.8 train.py > log", "train.py"),
        ("nohup python train.py --epochs 60", "train.py"),
        ("We run python train.py on two nodes", None),
        ("python is too old", None),
        ("a python train.py", None),
    ],
)
def test_the_program_that_a_shell_starts(line: str, path: str | None) -> None:
    """Where no traceback names it; prose that mentions one is no command."""
    assert context.script(f"{line}\nslurmstepd: error: Detected 1 oom-kill event(s) in StepId=1.0.\n") == path
    trace = 'Traceback (most recent call last):\n  File "other.py", line 3, in <module>\nMemoryError\n'
    assert context.script(f"{line}\n{trace}") == "other.py"
