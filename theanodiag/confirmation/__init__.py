"""Confirms predictions: runs the script on a real or simulated device and compares the measurement with the prediction."""
