"""Names that newer releases of NumPy, SciPy and CPython removed."""
