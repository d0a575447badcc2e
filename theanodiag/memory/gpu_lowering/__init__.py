"""Lowers graphs of the host to the GPU as Theano's GPU optimizer does: which nodes move, what is copied, what is overwritten."""
