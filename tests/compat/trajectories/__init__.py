"""Scripts of public repositories, unmodified: the same losses, step by step, on Theano 1.0.5 and over PyTensor."""
