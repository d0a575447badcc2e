"""Finds the modules that the sources of a repository import from outside the repository. Reads text and runs nothing."""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass

from .. import files
from ..compat.libraries.distributions import GPU_MODULES, PYTHON2_MODULES
from ..compat.libraries.removed_modules import REMOVED_MODULES
from ..errors import Span, UnreadableError
from ..findings import Location
from ..porting import model
from ..porting.import_statements import from_names, import_names, imported_module, is_in_function, is_optional
from ..porting.notebook import Notebook
from ..porting.syntax import Tree, statements, symbols
from ..scanned_files.model import SourceKind
from ..workflows.source_files import Candidate, candidates

FOR_INSTALLATION = ("setup.py", "ez_setup.py", "versioneer.py", "conf.py")
"""SourceImports that only install the repository, or configure Sphinx."""
_KERAS_0 = (
    "keras.models.Graph", "keras.layers.containers", "keras.layers.core.MaskedLayer", "keras.layers.core.LambdaMerge",
    "keras.layers.core.AutoEncoder", "keras.utils.theano_utils", "keras.datasets.data_utils",
)  # fmt: skip
"""Names of Keras 0.3 that Keras 1 does not have. Source: the modules of Keras 0.3.3 and 1.0.0."""
KERAS_1 = (
    "keras.initializations", "keras.regularizers.WeightRegularizer", "keras.regularizers.ActivityRegularizer", "keras.utils.visualize_util",
)  # fmt: skip
"""Modules and names of Keras 1 that Keras 2 does not have. Source: the modules of Keras 1.2.2 and 2.0.0."""
KERAS_2 = ("keras.initializers", "keras.losses", "keras.utils.plot_model", "keras.layers.merge.", "keras.legacy")
"""Modules and names of Keras 2 that Keras 1 does not have; Keras 2 also takes most arguments of Keras 1."""
_FRAMEWORKS = ("theano", "aesara", "pytensor", "pymc3", "keras", "lasagne")
_KERAS_1 = re.compile(
    r"\bnb_epoch\b|\bConvolution[12]D\b|\bborder_mode\b|\bsubsample=|\bsamples_per_epoch\b|\bmerge_mode\b|\bb_regularizer\b"
)
"""Words of Keras 0.3 and 1 that Keras 2 renamed. Source: Keras 2.0's release notes."""
_WORDS_OF_KERAS_2 = re.compile(
    r"\b(?:num_words|kernel_size|kernel_initializer|kernel_regularizer|recurrent_activation|steps_per_epoch)\s*=|\bcompute_output_shape\b"
)
"""Their names in Keras 2, which Keras 1 does not take."""


@dataclass(frozen=True)
class ImportedName:
    """A name that a statement imports: `import a.b` is the module `a.b` without a name."""

    module: str
    name: str
    """The name in `from module import name`; empty for `import module`."""
    location: Location
    optional: bool
    """Whether the source can be imported without it: the import is in a function, or in a `try` that handles its failure."""

    @property
    def package(self) -> str:
        """The first part of the module's name."""
        return self.module.partition(".")[0]


@dataclass(frozen=True)
class SourceImports:
    """What the sources of a repository import."""

    imports: tuple[ImportedName, ...]
    """The imports from outside the repository and the standard library, in the order of the files."""
    python2: tuple[str, ...]
    """Files that only Python 2 can parse."""
    unread: tuple[tuple[str, str], ...]
    """(file, reason) for each source that cannot be read."""
    keras: int | None
    """The major version of Keras for which the sources are written; None if none of its names says so."""
    count: int
    """Number of sources that were read."""


def read_sources(folder: str) -> SourceImports:
    """Returns the imports of all Python sources and notebooks below `folder`, without what `.gitignore` excludes.

    Raises UnreadableError if there is no such folder or file.
    """
    kinds = (SourceKind.PYTHON, SourceKind.NOTEBOOK)
    found = [c for c in candidates([folder]) if c.kind in kinds and os.path.basename(c.path) not in FOR_INSTALLATION]
    paths = [os.path.relpath(c.path, folder).replace(os.sep, "/") for c in found]
    own = {part for path in paths for part in _names_of(path)} - _inner_packages(paths)
    imports: list[ImportedName] = []
    python2, unread, keras = [], [], list[int]()
    for candidate in found:
        try:
            tree, in_file = _tree(candidate)
        except (UnreadableError, OSError) as error:
            unread.append((candidate.shown, error.message if isinstance(error, UnreadableError) else str(error.strerror)))
            continue
        here = [one for one in imported_names(tree, in_file) if one.package not in own and not is_standard(one.package)]
        imports += here
        python2 += [candidate.shown] if tree.python == 2 else []
        keras += _majors([f"{one.module}.{one.name}" for one in here if one.package == "keras"], tree.text)
    return SourceImports(tuple(imports), tuple(python2), tuple(unread), _one_major(keras), len(found))


def _majors(names: list[str], text: str) -> list[int]:
    """The major versions of Keras that a source needs: 0, 1 or 2, and -1 for words of Keras 1 that Keras 2 takes."""
    if any(name.startswith(_KERAS_0) for name in names):
        return [0]
    if any(name.startswith(KERAS_1) for name in names):
        return [1]
    if any(name.startswith(KERAS_2) for name in names) or (names and _WORDS_OF_KERAS_2.search(text)):
        return [2]
    return [-1] if names and _KERAS_1.search(text) else []


def _one_major(majors: list[int]) -> int | None:
    """The major version of Keras for most of the sources; of sources of Keras 0.3, 0. Keras 2 takes the arguments of Keras 1."""
    if not majors or 0 in majors:
        return 0 if majors else None
    return 2 if 2 in majors and majors.count(2) >= majors.count(1) else 1


def _names_of(path: str) -> Iterator[str]:
    """The names by which a source of the repository can be imported: that of the file, and those of its folders."""
    *folders, name = path.replace(os.sep, "/").split("/")
    yield from folders
    yield name.partition(".")[0]


def _inner_packages(paths: Iterable[str]) -> set[str]:
    """The frameworks whose names only packages in packages of the repository have (`lib/theano` beside `lib/__init__.py`): a source that
    imports `theano` means the framework."""
    packages = {os.path.dirname(path) for path in paths if os.path.basename(path) == "__init__.py"}
    inner = {name: {os.path.dirname(folder) in packages for folder in packages if os.path.basename(folder) == name} for name in _FRAMEWORKS}
    return {name for name, within in inner.items() if within == {True}}


def _tree(candidate: Candidate) -> tuple[Tree, Callable[[Span], Span]]:
    """The syntax tree of a source, and a function that turns a place in it into a place in the file (in a notebook: in a cell)."""
    if candidate.reason:
        raise UnreadableError(candidate.reason, path=candidate.shown)
    data = files.read_plain(candidate.path, files.TEXT)
    if candidate.kind is SourceKind.NOTEBOOK:
        notebook = Notebook(data.decode("utf-8-sig", "replace"), candidate.shown)
        return Tree(notebook.source, candidate.shown), notebook.in_cell
    return Tree(model.read(data, candidate.shown).text, candidate.shown), lambda span: span


def imported_names(tree: Tree, in_file: Callable[[Span], Span]) -> Iterator[ImportedName]:
    """Yields what the import statements of a source name, without relative imports. `in_file` turns a place in the tree's text into one in
    the file."""
    for statement in statements(tree.root):
        location, optional = Location.of(in_file(tree.span(statement))), is_optional(statement) or is_in_function(statement)
        if statement.type == symbols().import_name:
            yield from (ImportedName(module, "", location, optional) for module, _, _ in import_names(statement))
            continue
        module = imported_module(statement)
        if not module.startswith("."):
            yield from (ImportedName(module, "" if name == "*" else name, location, optional) for name, _, _ in from_names(statement))


def is_standard(package: str) -> bool:
    """Returns whether a package belongs to Python's standard library, in any release since 2.7, or is served by `run` for Python
    2 sources.
    """
    return package in _standard() or package in PYTHON2_MODULES or package in REMOVED_MODULES or package == "__future__"


def _standard() -> Iterable[str]:
    if sys.version_info >= (3, 10):
        return sys.stdlib_module_names
    import pkgutil
    import sysconfig

    folders = [sysconfig.get_paths()["stdlib"], os.path.join(sysconfig.get_paths()["platstdlib"], "lib-dynload")]
    return {*sys.builtin_module_names, *(module.name for module in pkgutil.iter_modules(folders))}


def needs_gpu(package: str) -> bool:
    """Returns whether a package works only with an NVIDIA GPU or Theano's GPU back-end."""
    return package in GPU_MODULES
