"""The hook: runs inside the user's interpreter (CPython 2.7 and 3.5+), with the standard library and the framework found there only.

`hook.py` is started as a script and makes these files a package of its own name there, so they import each other relatively. Annotations
are strings or builtins (3.5 evaluates them); for CPython 2.7 the runner hands over copies without them.
"""

from typing import Any as Live

__all__ = ["Live"]
# `Live`: an object of the framework, whose classes are known only at run time.
