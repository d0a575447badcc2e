"""Serves `theano.compile.function` from behaviour/functions.py."""

from pytensor.compile.debug.dump import function_dump

from ...behaviour.functions import function, orig_function, pfunc
