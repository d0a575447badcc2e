"""theano.tensor.nnet.neighbours."""

from ....ops.neighbours import Images2Neibs, images2neibs, neibs2images
