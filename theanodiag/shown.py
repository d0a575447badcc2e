"""What the results of the Python API have in common: their text, and themselves as plain values and as JSON."""

from __future__ import annotations

import json

from .escaping import visible_json


class Shown:
    """A result that shows itself: `str(it)` is the text that the command line prints, `to_dict` and `to_json` have all of it."""

    def to_dict(self) -> dict[str, object]:
        """All of it as dicts, lists, numbers (bytes, seconds) and texts; what is not known is None."""
        raise NotImplementedError

    def to_json(self) -> str:
        """`to_dict()` as one JSON document, which ends with a newline."""
        return visible_json(json.dumps(self.to_dict(), indent=2)) + "\n"
