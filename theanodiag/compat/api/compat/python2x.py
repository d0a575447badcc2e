"""Serves `theano.compat.python2x` of Theano 0.6 to 0.8 from the standard library's names in `theano.compat`."""

from . import Counter, DefaultOrderedDict, OrderedDict, all, any, combinations, defaultdict, deque, maxsize, partial, product
