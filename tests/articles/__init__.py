"""The troubles that people write articles about: the cause is named first, and following the advice mends it."""
