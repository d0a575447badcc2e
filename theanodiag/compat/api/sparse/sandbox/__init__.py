"""theano.sparse.sandbox."""
