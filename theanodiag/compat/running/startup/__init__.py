"""A folder for PYTHONPATH: its `sitecustomize.py` puts the layer into each process that `theanodiag run` and its children start."""
