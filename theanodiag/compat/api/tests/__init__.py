"""Package `theano.tests`: only the tools that tests of other libraries use."""
