"""Real runs beside the prediction: of a script, and of a live function."""
