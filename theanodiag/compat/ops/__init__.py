"""Ops that PyTensor lost, one file a family."""
