"""`theano.compile.pfunc`."""

from pytensor.compile.rebuild import rebuild_collect_shared

from ...behaviour.functions import Param, pfunc
