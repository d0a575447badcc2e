"""Importing this module restores what later releases of NumPy, SciPy, pandas, matplotlib and seaborn removed.

A ported script of PyMC3 imports it on top if other code runs before its import of PyMC3; it imports no framework.
"""

from . import old_libraries

old_libraries.follow()
