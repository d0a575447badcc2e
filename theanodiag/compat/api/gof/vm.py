"""Serves `theano.gof.vm` from pytensor.link.vm."""

from pytensor.link.vm import VMLinker

VM_Linker = VMLinker
