"""Variables: made without an owner, and what else Theano's variables of any type could do."""

from pytensor.compile.sharedvalue import SharedVariable
from pytensor.graph.basic import Constant, Variable
from pytensor.scalar.basic import ScalarVariable
from pytensor.tensor.variable import TensorVariable


def apply(origin: str) -> None:
    """Changes the classes."""
    for kind in (Variable, TensorVariable, ScalarVariable):
        if "__init__" in vars(kind):
            kind.__init__.__defaults__ = (None, None, None)  # owner, index, name
    update = SharedVariable.default_update
    SharedVariable.default_update = update.deleter(lambda self: setattr(self, "default_update", None))
    Constant.value = property(lambda self: self.data)
