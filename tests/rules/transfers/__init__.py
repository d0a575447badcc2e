"""Rules about transfers, on scripts that really run."""
