"""Names such as `len` and `isinstance`, which a script may replace for all code of its process: ours goes on with Python's own."""

import sys

NAMES = sys.modules["builtins" if sys.version_info[0] > 2 else "__builtin__"].__dict__
OWN = dict(NAMES)
"""As they were before the script ran."""


class own_builtins(object):  # a name for `with`, as those of contextlib, whose own code asks for `next`
    """Puts back what the script replaced, while code of ours runs. Nothing here may use what it replaces."""

    theirs = None  # type: dict[str, object] | None

    def __enter__(self) -> None:
        replaced = {name: NAMES.get(name, OWN) for name in OWN if NAMES.get(name, OWN) is not OWN[name]}
        if replaced:
            self.theirs = replaced
            for name in replaced:
                NAMES[name] = OWN[name]

    def __exit__(self, *error: object) -> None:
        if self.theirs:
            for name in self.theirs:
                NAMES[name] = self.theirs[name]
                if self.theirs[name] is OWN:  # it was deleted
                    del NAMES[name]
