"""Ops that Theano had and PyTensor lost, one file for each family."""
