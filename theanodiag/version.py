"""The version of theanodiag."""

VERSION = "0.1.0"
