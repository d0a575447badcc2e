"""Registrations of our Ops with JAX, numba and PyTorch, loaded where that backend is used."""
