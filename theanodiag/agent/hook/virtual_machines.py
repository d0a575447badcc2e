"""Replacements for a function's virtual machine: one that computes nothing, or a wrapper that observes the real one (`--calls real`).

The dry linker keeps the real Function object with its checks, defaults and updates: FunctionMaker.create calls `linker.make_thunk(...)` for
(vm, input containers, output containers). Source: Theano 1.0.5 theano/compile/function_module.py, Aesara 2.9 and Theano-PyMC
compile/function/types.py, PyTensor 3 compile/maker.py. The dry vm reads the input containers, which Function.__call__ has filled and
checked, and writes outputs and updates of the right shapes.
"""

from .builtin_names import own_builtins
from .flags import linker_name
from .outputs import fill, keeps, kind_of
from .results import watch

TYPE_CHECKING = False
if TYPE_CHECKING:
    from .. import Live
    from .program import Program


def out_of_sight(things: "Live") -> "Live":
    """Holds `things` in an object array, which CPython's cyclic garbage collector does not traverse, as Theano's C vm holds its nodes.

    A collection that finds a dropped function therefore frees only the vm; the shared variables and constants of its graph are freed by the
    next one. Source: Theano 1.0.5, gof/c_code/lazylinker_c.c (`lazylinker_ext_CLazyLinkerType` lacks Py_TPFLAGS_HAVE_GC). Observed with
    Keras 2.3.1: the second `gc.collect()` frees half of the shared variables of 32 functions.
    """
    import numpy

    held = numpy.empty(len(things), dtype=object)  # type: Live
    for i, thing in enumerate(things):
        held[i] = thing
    return held


class DryLinker(object):
    """Replaces a maker's own linker while FunctionMaker.create runs."""

    def __init__(self, program: "Program", linker: "Live", container: "Live") -> None:
        self.program = program
        self.in_c = linker_name(linker) == "cvm"
        self.container = container  # the framework's class Container

    def make_thunk(self, input_storage: "Live" = None, output_storage: "Live" = None, storage_map: "Live" = None) -> "Live":
        """Returns (vm, input containers, output containers). `storage_map`, which shares intermediates, is ignored: a dry vm has none."""
        fgraph = self.program.fgraph
        cells = dict(zip(fgraph.inputs, input_storage or [[None] for _ in fgraph.inputs]))
        inputs = [cells[v] for v in fgraph.inputs]
        for variable in fgraph.outputs:
            if variable not in cells:
                cells[variable] = [getattr(variable, "data", None)]
        vm = DryVM(self.program, inputs, [cells[v] for v in fgraph.outputs], cells)
        vm.held = out_of_sight(list(fgraph.apply_nodes)) if self.in_c else None
        return (
            vm,
            [self.container(v, s) for v, s in zip(fgraph.inputs, inputs)],
            [self.container(v, s) for v, s in zip(fgraph.outputs, vm.outputs)],
        )


class DryVM(object):
    """The vm that a Function calls: records the call and fills the outputs according to their shapes.

    It has the attributes that Function and Function.copy read.
    """

    need_update_inputs = False
    allow_gc = True  # always: outputs that only the function's storage holds must not count as held by the script
    nodes = ()  # type: tuple[object, ...]
    thunks = ()  # type: tuple[object, ...]
    held = None  # type: Live

    def __init__(self, program: "Program", inputs: "Live", outputs: "Live", storage_map: "Live") -> None:
        self.program = program
        self.inputs = inputs
        self.outputs = outputs
        self.storage_map = storage_map
        self.time_thunks = False

    def __call__(self, output_subset: "Live" = None) -> "Live":
        """Records one call, then writes outputs and updates."""
        with own_builtins():
            return self._called()

    def _called(self) -> "Live":
        values = [cell[0] for cell in self.inputs]
        invented = self.program.shapes.invented
        shapes = self.program.called(values, invented.believed(self.program, self.inputs))
        counted = self.program.counters.counted(self.program, values)
        results = [self._result(i, shapes.outputs[i], values, counted) for i in range(len(self.outputs))]
        for cell, result in zip(self.outputs, results):
            cell[0] = result
        for output, position in self.program.updates:
            self.inputs[position][0] = results[output]
            if output not in counted:
                invented.updates(self.inputs[position])
        watch(self.program, results)
        return results

    def _result(self, i: int, spec: "Live", values: "Live", counted: "dict[int, Live]") -> "Live":
        variable = self.program.fgraph.outputs[i]
        if variable.owner is None:
            value = self.outputs[i][0]
            # The old value of a shared variable is an array of its own once there is a new one.
            return fill(variable.type, value.shape, None, value) if kind_of(variable.type) == "gpu" and value is not None else value
        shape, known = spec
        position = self.program.updated.get(i)
        old = None if position is None else values[position]
        if position is not None and keeps(old, variable.type, shape):
            return counted.get(i, old)
        return fill(variable.type, shape or (), known, old)


class ObservedVM(object):
    """Wraps a vm; all attributes except calls are those of the wrapped vm."""

    def __init__(self, vm: "Live", program: "Program", function: "Live", instrument: "Live") -> None:
        self.__dict__["_vm"] = vm
        self.__dict__["_program"] = program
        self.__dict__["_instrument"] = instrument
        self.__dict__["_cells"] = [container.storage for container in function.input_storage]

    def __call__(self, *args: object, **kwargs: object) -> "Live":
        """Records the call, then runs the vm."""
        with own_builtins():
            self._program.called([cell[0] for cell in self._cells], tuple(self._program.deciding))
            self._instrument.entered(self, self._program.recorded)
        return self._vm(*args, **kwargs)

    def __getattr__(self, name: str) -> "Live":
        return getattr(self.__dict__["_vm"], name)

    def __setattr__(self, name: str, value: object) -> None:
        setattr(self.__dict__["_vm"], name, value)
