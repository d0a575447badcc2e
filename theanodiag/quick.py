"""How the objects are made of which a large graph has several a node."""

new_tuple = tuple.__new__
"""Makes a NamedTuple of a class and a tuple of all its fields, in half the time that the constructor which `NamedTuple` writes takes."""
