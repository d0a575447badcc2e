"""Device arrays in the script's hands: kept in a list, bound again and again, dropped at once; a view and a copy as new values."""

import numpy as np
import theano
import theano.tensor as T

W, V = [theano.shared(np.ones((300, 300), "float32")) for _ in "WV"]
small = theano.shared(np.ones((10, 300), "float32"))
old = theano.function([], W, updates=[(W, W * 2)])
turned = theano.function([], V, updates=[(V, W.T)])
part = theano.function([], [], updates=[(small, T.sqr(W)[:10])])

kept = [old() for _ in range(3)]
for _ in range(3):
    last = turned()
for _ in range(3):
    part()
del kept[1]
again = theano.function([], W + 1)
again()
W.set_value(np.ones((200, 300), "float32"))
again()
del last
small.get_value()
V.set_value(np.ones((300, 300), "float32"))
again()
