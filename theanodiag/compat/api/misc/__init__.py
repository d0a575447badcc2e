"""Package `theano.misc`: only modules that scripts use."""
