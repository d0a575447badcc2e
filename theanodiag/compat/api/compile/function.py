"""`theano.compile.function`."""

from pytensor.compile.debug.dump import function_dump

from ...behaviour.functions import function, orig_function, pfunc
