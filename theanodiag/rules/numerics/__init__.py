"""TD4: dtypes and numerics."""
