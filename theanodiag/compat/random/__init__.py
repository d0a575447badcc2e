"""Theano's random streams, number for number."""
