"""TD3: memory.

- `capacity`: what does not fit, what takes most, several changes together, the longest sequences (TD301, 302, 307, 308)
- `batches`: the largest batch, a batch in parts, chunks, growing variables (TD303 to 306)
- `allocator`: preallocation, fragmentation, XLA's share, the cache, a second process (TD310, 312 to 315)
- `lifetimes`: intermediates that are kept too long (TD311, 324, 325, 333)
- `large_arrays`: broadcasts, constants, bytes stored as floats (TD320, 323, 329)
- `loops`: Scan (TD321, 322)
- `independent_loops`: a Scan whose steps do not depend on each other (TD336)
- `training`: gradients of tables, the optimiser's state (TD326, 327)
- `class_scores`: softmax over many classes, one-hot targets (TD328, 334)
- `unused`: what a search keeps, variables and functions without use (TD330 to 332)
- `identities`: large matrices with a smaller equal form (TD335)
"""
