"""Theano's random streams, which draw the same numbers as Theano 1.0.5."""
