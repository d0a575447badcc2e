"""Libraries written for Theano, unmodified, over PyTensor."""
