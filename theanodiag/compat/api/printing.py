"""`theano.printing`."""

from pytensor.printing import *
from pytensor.printing import _try_pydot_import

try:
    _try_pydot_import()
    pydot_imported, pydot_imported_msg = True, ""
except Exception as error:
    pydot_imported, pydot_imported_msg = False, str(error)
