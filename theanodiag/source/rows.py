"""The two kinds of rows of the API table."""

from typing import Dict, NamedTuple, Tuple


class Row(NamedTuple):
    """One name in one target."""

    old: str
    """Dotted, without the root."""
    target: str
    """`aesara`, `pytensor`, or `*` for both."""
    new: str
    """Name in the target, dotted, without the root. `=name`: the function `name` of compat/adapters serves it; `+`: a file of compat/api
    serves it; empty: the target has nothing for it."""
    help: str = ""
    """What to write instead, where it is not just `new`; `{}` stands for the name of the target.
    Empty beside `=name` and `+`: called as before in its usual form."""
    versions: str = ""
    """Versions of the target for which this holds, such as `>=3.1`; empty for all."""
    origin: str = ""
    """Only for scripts that say `import <origin>`; empty for any."""


class Module(NamedTuple):
    """One module: where the counterparts of its names are looked for."""

    old: str
    places: Dict[str, Tuple[str, ...]]
    """Per target the modules, in order of preference; () where nothing is left of it."""
    names: str = ""
    """The module under which its names are listed in the rows, where that is another one."""
    help: str = ""
    served: bool = False
    """Whether compat/api has a file for it where PyTensor has nothing left of it."""
    hidden: bool = False
    """As an attribute of its parent the name is a function: `theano.tensor.var` is the variance."""
