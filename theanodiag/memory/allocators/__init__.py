"""Models of allocators: at which address a request is served, and when the driver is asked for a new block."""
