"""theano.tests: of it only the tools that tests of other libraries use."""
