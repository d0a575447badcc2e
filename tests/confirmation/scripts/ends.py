"""Calls a function for real and then ends in the way that the first argument names; where nothing is computed it ends well."""

import os
import signal
import sys
import time

import numpy
import theano
import theano.tensor as T

x = T.vector("x", dtype="float32")
W = theano.shared(numpy.ones(1000, "float32"), "W")
f = theano.function([x], (x * W).sum(), updates=[(W, W + x)], name="f")
computed = f(numpy.ones(1000, "float32")) > 0
way = sys.argv[1]
if computed and way == "killed":
    os.kill(os.getpid(), signal.SIGKILL)
if computed and way == "hung":
    open(__file__ + ".hung", "w").close()
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    time.sleep(600)
if computed and way == "forking":
    if os.fork() == 0:
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
        time.sleep(600)
if computed and way == "raising":
    raise ValueError("computed values are not what they were")
f(numpy.ones(1000, "float32"))
