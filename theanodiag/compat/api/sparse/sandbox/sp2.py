"""Serves `theano.sparse.sandbox.sp2`: sparse random draws, and the names of `theano.sparse.basic`."""

from ....ops.sparse import Binomial, Multinomial, Poisson
from ..basic import *
from ..basic import __getattr__

poisson = Poisson()
multinomial = Multinomial()
csr_fbinomial, csc_fbinomial = (Binomial(format, "float32") for format in ("csr", "csc"))
csr_dbinomial, csc_dbinomial = (Binomial(format, "float64") for format in ("csr", "csc"))
