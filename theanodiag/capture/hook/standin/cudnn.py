"""cuDNN, as far as graphs depend on it: that it is there, and its version (theano/gpuarray/dnn.py)."""

TYPE_CHECKING = False
if TYPE_CHECKING:
    from .. import Live


class Library(object):
    """Stands for the loaded library: makes handles that nobody uses."""

    @staticmethod
    def cudnnCreate(handle: "Live") -> int:  # noqa: N802  # cuDNN's own name
        """CUDNN_STATUS_SUCCESS."""
        return 0


def seen(dnn: "Live", version: int) -> None:
    """Module theano.gpuarray.dnn was imported: cuDNN was found. Whether the device supports it is left to Theano."""
    dnn.dnn_present.avail, dnn.dnn_present.msg = True, None
    dnn.version.v = version
    if hasattr(dnn, "_dnn_lib"):
        dnn._dnn_lib.handle = Library()
    else:
        dnn._make_handle = lambda context: None
