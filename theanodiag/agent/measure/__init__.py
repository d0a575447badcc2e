"""Measures the memory that a script takes, on a device and on the host, while it really runs."""
