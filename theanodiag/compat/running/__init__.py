"""What `theanodiag run` starts in the user's interpreter: the layer at start-up, in children too, and Python 2 sources in memory."""
