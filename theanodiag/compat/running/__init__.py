"""Runs in the user's interpreter for `theanodiag run`: starts the layer, also in child processes, and imports Python 2 sources."""
