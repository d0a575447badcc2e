"""Everything that runs in the user's interpreter: CPython 2.7 and 3.5+, with the standard library and the packages installed there.

theanodiag is not installed there: `hook/hook.py` is started as a script, registers this folder as a package of another name, and loads its
files by path; other files are programs or instruments started by their path. So these files import only each other. Annotations are strings
or builtins (CPython 3.5 evaluates them); for CPython 2.7 the whole folder is copied without annotations (`processes/interpreter.py`).
"""

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any as Live

__all__ = ["Live"]
# `Live`: an object of the framework, whose classes are known only at run time.
