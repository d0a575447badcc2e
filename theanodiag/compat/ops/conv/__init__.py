"""Convolution Ops: shapes, arithmetic in numpy, the Ops with their gradients, and the functions that build them."""
