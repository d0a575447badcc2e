"""Models of allocators: the address that each request gets, and when a new block is allocated from the driver."""
