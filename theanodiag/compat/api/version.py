"""theano.version: that of the API that is served."""

from ..modules import AESARA_VERSION, THEANO_VERSION

version = full_version = short_version = THEANO_VERSION
git_revision = ""
release = True
AESARA = {"version": AESARA_VERSION}
