"""One function for each question: each takes a request from `theanodiag.requests` and returns its result."""
