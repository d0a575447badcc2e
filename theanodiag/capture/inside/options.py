"""What the runner asks of the hook."""

import json


class Options(object):
    """The JSON object in the hook's first argument."""

    def __init__(self, text: str) -> None:
        data = json.loads(text)
        self.stream = str(data["stream"])  # path of the event stream
        self.calls = str(data.get("calls", "dry"))  # "dry" or "real"
        self.max_calls = int(data.get("max_calls", 3))
        self.shapes = list(data.get("shapes", []))  # [{"function": name or null, "variable": name, "shape": [..]}]
        self.instrument = data.get("instrument")  # {"path": file, "options": {..}}: see instrument.py; null: nothing is measured
        self.gpu = data.get("gpu")  # the device to stand in for: see standin/request.py; null: none
        self.compat = bool(data.get("compat", True))  # whether legacy names may be served by a newer framework

    @property
    def dry(self) -> bool:
        """Whether functions are kept from being compiled and executed."""
        return self.calls == "dry"
