"""`theano.compat.python2x` of Theano 0.6 to 0.8."""

from . import Counter, DefaultOrderedDict, OrderedDict, all, any, combinations, defaultdict, deque, maxsize, partial, product
