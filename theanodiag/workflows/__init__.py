"""The composers: each takes one input (a script, a live function, a printed graph) to a finished result."""
