"""Real devices: what is there, and runs on it beside the prediction."""
