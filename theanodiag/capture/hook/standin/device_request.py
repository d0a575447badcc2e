"""The GPU that the user asks about."""

TYPE_CHECKING = False
if TYPE_CHECKING:
    from .. import Live

CAPABILITY = (6, 1)
"""Compute capability where none was given: Pascal, for which Theano 1.0 was tuned.

Graphs depend on it below 3.0 (no cuDNN) and, in Theano 0.9, below 2.0.
"""
CUDNN = 7605
"""The version of cuDNN where the script insists on one: the last cuDNN 7, the newest that Theano 1.0.5 knows (theano/gpuarray/dnn.py:
_dnn_check_version).
"""


class DeviceRequest(object):
    """The GPU to present to Theano, from the options' object `gpu`; sizes in bytes."""

    def __init__(self, data: "dict[str, Live]") -> None:
        self.name = str(data.get("name") or "stand-in")
        self.total_bytes = int(data["total_bytes"])
        free = data.get("free_bytes")
        self.free_bytes = self.total_bytes if free is None else int(free)
        self.capability = tuple(data.get("capability") or CAPABILITY)  # type: Live
        self.cudnn = data.get("cudnn")  # type: int | None  # its version; None: there is none unless the script's flags insist
