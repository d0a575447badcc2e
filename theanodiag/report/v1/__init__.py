"""The contracts: every JSON document as a type, from which its JSON Schema is made and by which it is read back.

Keys may be added to a document, with a default for those who read older ones; none is changed. The types are their own, so that the inside
can change and these cannot. `msgspec` is imported by these modules alone, and they only where JSON is written or read.
"""
