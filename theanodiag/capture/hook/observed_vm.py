"""Wraps a real vm (`--calls real`): records each call and informs the instrument before it computes."""

from .builtin_names import own_builtins

TYPE_CHECKING = False
if TYPE_CHECKING:
    from . import Live
    from .program import Program


class ObservedVM(object):
    """Stands for a vm; everything but calls goes to that vm."""

    def __init__(self, vm: "Live", program: "Program", function: "Live", instrument: "Live") -> None:
        self.__dict__["_vm"] = vm
        self.__dict__["_program"] = program
        self.__dict__["_instrument"] = instrument
        self.__dict__["_cells"] = [container.storage for container in function.input_storage]

    def __call__(self, *args: object, **kwargs: object) -> "Live":
        """Records the call, then computes."""
        with own_builtins():
            self._program.called([cell[0] for cell in self._cells], tuple(self._program.deciding))
            self._instrument.entered(self, self._program.recorded)
        return self._vm(*args, **kwargs)

    def __getattr__(self, name: str) -> "Live":
        return getattr(self.__dict__["_vm"], name)

    def __setattr__(self, name: str, value: object) -> None:
        setattr(self.__dict__["_vm"], name, value)
