"""Data larger than the device's memory, in a shared variable that holds one chunk of it at a time.

It runs in the user's own process, beside the framework, and needs only numpy (imported when it is first used). It reads files and writes
none.
"""

from __future__ import annotations

from .group import Batch, ChunkedGroup, ChunkedShared

__all__ = ["Batch", "ChunkedGroup", "ChunkedShared"]
