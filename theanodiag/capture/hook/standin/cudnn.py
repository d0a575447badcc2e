"""Presents cuDNN to Theano, as far as graphs depend on it: that it is there, and its version (theano/gpuarray/dnn.py)."""

TYPE_CHECKING = False
if TYPE_CHECKING:
    from .. import Live


class Library(object):
    """Replaces the loaded library: makes handles that nothing uses."""

    @staticmethod
    def cudnnCreate(handle: "Live") -> int:  # noqa: N802  # cuDNN's own name
        """Returns CUDNN_STATUS_SUCCESS and creates nothing."""
        return 0


def seen(dnn: "Live", version: int) -> None:
    """Sets "found" and the version in theano.gpuarray.dnn. Whether the device supports cuDNN is left to Theano."""
    dnn.dnn_present.avail, dnn.dnn_present.msg = True, None
    dnn.version.v = version
    if hasattr(dnn, "_dnn_lib"):
        dnn._dnn_lib.handle = Library()
    else:
        dnn._make_handle = lambda context: None
