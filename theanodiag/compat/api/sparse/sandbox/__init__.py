"""Package `theano.sparse.sandbox`."""
