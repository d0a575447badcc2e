"""Real devices: runs on them beside the prediction."""
