"""PyMC3 served over PyMC."""
