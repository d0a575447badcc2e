"""The options that the runner passes to the hook."""

import json


class Options(object):
    """The options that the runner passes to the hook, parsed from JSON."""

    def __init__(self, text: str) -> None:
        data = json.loads(text)
        self.stream = dict(data["stream"])  # what the Stream takes: {"fd": descriptor, "key": its seal, "again": path | null}
        self.calls = str(data.get("calls", "dry"))  # "dry" or "real"
        self.max_calls = int(data.get("max_calls", 3))
        self.counted = data.get("counted")  # {"most": calls of all functions or null}: stop by counts, never by time; null: by both
        self.shapes = list(data.get("shapes", []))  # [{"function": name or null, "variable": name, "shape": [..]}]
        self.instrument = data.get("instrument")  # {"path": file, "options": {..}}: see session.py; null: nothing is measured
        self.gpu = data.get("gpu")  # the device to stand in for: see standin/device.py; null: none
        self.compat = bool(data.get("compat", True))  # whether legacy names may be served by a newer framework

        self.source = data.get("source")  # what the script's file would hold, each byte as the character of its number; null: what it holds

    @property
    def dry(self) -> bool:
        """Whether functions are neither compiled nor executed."""
        return self.calls == "dry"
