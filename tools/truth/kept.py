"""What was measured before, by what it depends on: a run on the simulated device does not change when the simulation does."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable
from typing import Any

from tests.memory.stand.catalogue import Model
from tests.memory.stand.run import MODELS, SHARED

KEPT = SHARED / "truth"


def kept(model: Model, flags: str, what: str, make: Callable[[], Any]) -> Any:
    """A value of JSON about a script under a set of flags; made if it is not there."""
    digest = hashlib.sha256(repr((model, flags, what)).encode())
    digest.update((MODELS / f"{model.script}.py").read_bytes())
    file = KEPT / f"{model.script}-{digest.hexdigest()[:20]}.json"
    if not file.exists():
        value = make()
        KEPT.mkdir(parents=True, exist_ok=True)
        file.write_text(json.dumps(value))
    return json.loads(file.read_text())
