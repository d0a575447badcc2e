"""One function a question: each takes a request of `theanodiag.requests` and returns its result."""
