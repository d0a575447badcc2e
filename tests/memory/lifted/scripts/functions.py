"""Functions of usual sizes, each called with arguments: python functions.py [NAME...].

What a framework does not have is passed over.
"""

import sys

import theano
from kit import FUNCTIONS

import dense, images, sequences, single  # noqa: E401


def main(names):
    """Compiles and calls what this framework has."""
    for build in FUNCTIONS:
        if names and build.__name__ not in names:
            continue
        try:
            made = build()
            givens = made[4] if len(made) > 4 else None
            f = theano.function(made[0], made[1], updates=made[2], givens=givens, name=build.__name__)
        except Exception as error:
            print("%s: %s" % (build.__name__, error))
            continue
        f(*made[3])


if __name__ == "__main__":
    main(sys.argv[1:])
