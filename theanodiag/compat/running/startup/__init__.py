"""A folder for PYTHONPATH: its `sitecustomize.py` installs the layer in each process that `theanodiag run` and its children start."""
