"""Serves `theano.compile.pfunc` from behaviour/functions.py."""

from pytensor.compile.rebuild import rebuild_collect_shared

from ...behaviour.functions import Param, pfunc
