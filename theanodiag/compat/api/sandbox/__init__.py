"""Package `theano.sandbox`: only modules that scripts use."""
