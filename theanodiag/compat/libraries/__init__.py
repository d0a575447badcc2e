"""Names that newer releases of NumPy, SciPy and CPython removed, and the distributions that bring a module."""
