"""Throws damaged and invented input at what reads input from outside; a file of this folder is one target.

`make fuzz` runs all targets for ten minutes each, `python -m tools.fuzz --seconds N TARGET...` some of them. A target has SAMPLES to start
from, `case` that makes a case out of chance, and `run` that feeds it to theanodiag. Anything but an exit code that users may get is a
failure: the case is written to .fuzz/TARGET/, with what was raised.
"""
