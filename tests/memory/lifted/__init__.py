"""Graphs of the host that are placed on a device, beside those that Theano itself makes for it."""
