"""The composers: each takes one input (a script, a live function, a printed graph) all the way to a result."""
