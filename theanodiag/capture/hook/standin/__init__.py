"""The GPU graph without a GPU: Theano's own gpuarray back-end, started on a stand-in for the device.

Theano imports `pygpu`, opens a device, asks it a few questions and then rewrites graphs in Python: neither pygpu, libgpuarray, a
CUDA driver nor a compiler has a part in that. `pygpu/` answers the questions; what is said here makes Theano ask them.
"""
