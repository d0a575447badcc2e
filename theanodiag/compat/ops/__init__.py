"""Ops that Theano has and PyTensor lacks, one file for each family."""
