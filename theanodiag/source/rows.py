"""The two kinds of rows of the API table: one name, one module."""

from typing import Dict, NamedTuple, Tuple


class Row(NamedTuple):
    """One legacy name in one target framework."""

    old: str
    """The legacy name, dotted, without the root."""
    target: str
    """`aesara`, `pytensor`, or `*` for both."""
    new: str
    """Name in the target, dotted, without the root. `=name`: the function `name` of compat/adapters serves it; `+`: a file of compat/api
    serves it; empty: the target has nothing for it."""
    help: str = ""
    """What to write instead, where it is not just `new`; `{}` stands for the name of the target.

    Empty beside `=name` and `+`: the name is written as before in its usual form.
    """
    versions: str = ""
    """Versions of the target for which the row holds, such as `>=3.1`; empty for all."""
    origin: str = ""
    """Root that the script must import for the row to hold; empty for any."""


class Module(NamedTuple):
    """One legacy module, and where its names are looked up."""

    old: str
    """The legacy module, dotted, without the root."""
    places: Dict[str, Tuple[str, ...]]
    """Target -> its modules in which the names are looked up, in order; () where nothing is left of the module."""
    names: str = ""
    """The module under which this one's names are listed in the rows, where that is another one."""
    help: str = ""
    """What to write instead where the target has nothing left of the module; `{}` stands for the name of the target."""
    served: bool = False
    """Whether compat/api has a file for the module though PyTensor has nothing left of it."""
    hidden: bool = False
    """Whether the name is a function as an attribute of its parent: `theano.tensor.var` is the variance."""
