"""Builds the GPU graph without a GPU: runs Theano's own gpuarray back-end on a simulated device.

Theano imports `pygpu`, opens a device, queries its properties and then optimizes graphs in Python. None of that needs the real pygpu,
libgpuarray, a CUDA driver or a compiler. The package `pygpu/` answers the queries; the other modules set the flags and replace the checks
that would keep Theano from using it.
"""
