"""Rules about what travels between host and device: TD5xx."""
