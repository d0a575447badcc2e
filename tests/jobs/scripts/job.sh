export THEANO_FLAGS=device=cuda,floatX=float64
