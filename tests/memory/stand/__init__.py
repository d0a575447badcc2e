"""What runs on the simulated device, beside the prediction."""
