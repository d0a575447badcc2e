"""Reads graphs printed by `debugprint` of every generation: Theano 0.4 to 1.0.5, Theano-PyMC, Aesara, PyTensor 2 and 3."""

from .model import Damage, DebugPrint, Print
from .reader import read_debugprint

__all__ = ["Damage", "DebugPrint", "Print", "read_debugprint"]
