"""Restores Python's builtins while our code runs: a script may replace `len` or `isinstance` for its whole process."""

import sys

NAMES = sys.modules["builtins" if sys.version_info[0] > 2 else "__builtin__"].__dict__
OWN = dict(NAMES)
"""Python's builtins by name, as they were before the script ran."""


class own_builtins(object):
    """A context manager that restores builtins which the script replaced, and at the end puts the script's own back.

    Its name is in lower case like those of contextlib. contextlib itself cannot be used here, because its code calls `next`. This class
    must not use any builtin.
    """

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
