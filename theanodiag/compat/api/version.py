"""Serves `theano.version`: the version of the legacy API, not of PyTensor."""

from ..modules import AESARA_VERSION, THEANO_VERSION

version = full_version = short_version = THEANO_VERSION
git_revision = ""
release = True
AESARA = {"version": AESARA_VERSION}
