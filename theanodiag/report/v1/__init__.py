"""The JSON documents as types, from which the JSON Schemas are generated and by which documents are read.

Keys may be added to a document, with a default for those who read older ones; none is changed. The types are their own, so that the inside
can change and these cannot. `msgspec` is imported by these modules alone, and they only where JSON is written or read.
"""
