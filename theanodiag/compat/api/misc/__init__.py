"""`theano.misc`."""
