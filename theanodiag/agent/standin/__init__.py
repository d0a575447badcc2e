"""The GPU graph without a GPU: Theano's own gpuarray back-end, started on a stand-in for the device.

Theano imports `pygpu`, opens a device, asks it a few questions and then rewrites graphs in Python; none of that needs the real pygpu,
libgpuarray, a CUDA driver or a compiler. The package `pygpu/` answers the questions; the modules here set the flags and replace the checks
so that Theano asks them.
"""
