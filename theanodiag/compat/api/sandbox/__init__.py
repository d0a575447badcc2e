"""`theano.sandbox`."""
