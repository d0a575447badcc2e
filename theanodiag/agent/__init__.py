"""All that runs in the user's interpreter: CPython 2.7 and 3.5+, with the standard library and what is installed there.

Nothing of ours is installed there: `hook/hook.py` is started as a script, makes this folder a package of another name, and loads its files
by path; other files are programs or instruments that are named by their path. So these files import nothing but each other. Annotations are
strings or builtins (CPython 3.5 evaluates them); for CPython 2.7 the whole folder is copied without them (`processes/interpreter.py`).
"""

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any as Live

__all__ = ["Live"]
# `Live`: an object of the framework, whose classes are known only at run time.
