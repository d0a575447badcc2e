"""From a graph of the host to the one that Theano's GPU optimiser would make of it, as far as memory goes."""
