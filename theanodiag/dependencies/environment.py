"""Chooses the packages of an environment in which `theanodiag run` can run the scripts of a repository."""

from __future__ import annotations

import io
import re
import zipfile
from dataclasses import dataclass

from packaging.specifiers import SpecifierSet
from packaging.utils import canonicalize_name

from ..compat.libraries.distributions import DISTRIBUTIONS, SAME_NAME
from ..compat.supported_releases import NEWEST, OLDEST
from ..escaping import visible
from ..findings import Location
from .declared import DeclaredRequirement, declared_requirements
from .imports import KERAS_1, KERAS_2, ImportedName, SourceImports, needs_gpu, read_sources

RELEASES = ("3.12", "3.13", "3.11")
"""Releases of CPython for which pip installs a PyTensor that `run` supports; for the first one most packages have wheels."""
PYTHON = RELEASES[0]
"""CPython of the environment, if it can be had."""
PYTENSOR = f"pytensor>={OLDEST[0]}.{OLDEST[1]},<{NEWEST[0]}.{NEWEST[1] + 1}"
FRAMEWORKS = {
    "theano": (PYTENSOR, "run provides the API of Theano 1.0.5 on PyTensor"),
    "aesara": (PYTENSOR, "run provides the API of Aesara on PyTensor"),
    "pytensor": (PYTENSOR, ""),
    "pymc3": ("pymc", "run provides the API of PyMC3 on PyMC"),
}
"""Package that a source imports -> (requirement that provides it, reason)."""
PACKAGES = {**{name: name for name in SAME_NAME}, **{module: text.strip("'") for module, text in DISTRIBUTIONS.items()}}
"""Module -> the line of a requirements file for it; `DISTRIBUTIONS` has it as a shell takes it."""
FRAMEWORK_LINES = frozenset(line for line, _ in FRAMEWORKS.values())
THEANO_LIBRARIES = frozenset(("keras", "lasagne", "nolearn", "theanets", "downhill", "blocks", "pylearn2", "deepy"))
"""Distributions that compute with Theano."""
KERAS = {0: "keras==0.3.3", 1: "keras==1.2.2", 2: "keras==2.3.1"}
"""Major version of Keras -> its last release that computes with Theano. Source: release notes of Keras 2.4."""
FOR_PICTURES = ("Pillow", "run --fix-numpy restores imread and similar functions of scipy.misc with it")
UNTIL_KERAS_2_1 = frozenset(("keras.layers.Merge", "keras.engine.Merge", "keras.engine.topology.Merge", "keras.legacy.layers.Merge"))
"""Names that Keras 2.2 does not have. Source: keras/legacy/layers.py of Keras 2.1.6 and 2.2.0."""
FOR_KERAS_1 = ("setuptools<81", "Keras 1 imports pkg_resources, which later releases do not have")
NOT_FROM_PYPI = frozenset(
    ("pygpu", "libgpuarray", "theano", "theano-pymc", "aesara", "pytensor", "pymc3", "cudatoolkit", "cudnn", "cuda", "mkl", "mkl-service",
     "blas", "python", "setuptools", "pip", "wheel")
)  # fmt: skip
"""Declared requirements that are not taken over: `run` or the interpreter provides them, or they are for a GPU."""


@dataclass(frozen=True)
class Package:
    """A line of the requirements file."""

    requirement: str
    """What pip takes: a name, with a version condition if the newest release will not do, or an address."""
    location: Location
    """The first place that needs it: an import, or a declared requirement."""
    reason: str = ""
    """Why this package or this release; empty if the source names the package."""


@dataclass(frozen=True)
class UnavailableModule:
    """A module that the sources import, and no package is known to provide."""

    name: str
    location: Location
    advice: str


@dataclass(frozen=True)
class RepositoryEnvironment:
    """An environment for the scripts of a repository."""

    folder: str
    sources: SourceImports
    packages: tuple[Package, ...]
    unavailable: tuple[UnavailableModule, ...]
    dropped: tuple[DeclaredRequirement, ...]
    """Declared requirements whose version condition is not taken over."""

    @property
    def imports(self) -> tuple[ImportedName, ...]:
        """The required imports for which there is a package, each once, in the order of the sources."""
        lacking = {module.name for module in self.unavailable}
        first: dict[tuple[str, str], ImportedName] = {}
        for one in self.sources.imports:
            if not one.optional and one.package not in lacking:
                first.setdefault((one.module, one.name), one)
        return tuple(first.values())


def resolve(folder: str) -> RepositoryEnvironment:
    """Returns the packages for the sources below `folder`.

    Raises UnreadableError if there is no such folder.
    """
    sources, declared = read_sources(folder), declared_requirements(folder)
    by_name = {one.name: one for one in declared}
    packages: dict[str, Package] = {}
    unavailable: dict[str, UnavailableModule] = {}
    for one in sources.imports:
        package, lacking = _package(one, by_name, sources)
        if package is not None:
            packages.setdefault(package.requirement, package)
        if lacking is not None:
            unavailable.setdefault(lacking.name, lacking)
    if KERAS[1] in packages:
        packages.setdefault(FOR_KERAS_1[0], Package(FOR_KERAS_1[0], packages[KERAS[1]].location, FOR_KERAS_1[1]))
    pictures = next((one for one in sources.imports if f"{one.module}.{one.name}.".startswith("scipy.misc.")), None)
    if pictures is not None:
        packages.setdefault(FOR_PICTURES[0], Package(FOR_PICTURES[0], pictures.location, FOR_PICTURES[1]))
    for requirement in declared:
        if requirement.name not in NOT_FROM_PYPI and requirement.name not in map(_distribution, packages):
            line = PACKAGES.get(requirement.name, requirement.name)
            line = KERAS[_keras(requirement, sources)] if line == "keras" else line
            packages.setdefault(line, Package(line, requirement.location))
    _add_pytensor(packages)
    dropped = tuple(one for one in declared if _limits(one.specifier) and one.name not in NOT_FROM_PYPI | {"keras"})
    return RepositoryEnvironment(folder, sources, tuple(packages.values()), tuple(unavailable.values()), dropped)


def _package(
    one: ImportedName, declared: dict[str, DeclaredRequirement], sources: SourceImports
) -> tuple[Package | None, UnavailableModule | None]:
    """The package that provides an imported module, or why there is none; neither for an optional import without one."""
    if one.package in FRAMEWORKS:
        return Package(FRAMEWORKS[one.package][0], one.location, FRAMEWORKS[one.package][1]), None
    if one.package == "keras":
        major = _keras(declared.get("keras"), sources)
        line, reason = KERAS[major], f"the last release of Keras {major} that computes with Theano"
        if major == 2 and any(f"{other.module}.{other.name}" in UNTIL_KERAS_2_1 for other in sources.imports):
            line, reason = "keras==2.1.6", "the last release of Keras 2 with Merge, which the sources import"
        return Package(line, one.location, reason), _of_another_keras(one, major)
    if needs_gpu(one.package):
        advice = "it needs an NVIDIA GPU and old libraries: remove the import, or put it in a try"
        return None, None if one.optional else UnavailableModule(one.package, one.location, advice)
    name = canonicalize_name(one.package)
    known = PACKAGES.get(one.package) or (name if name in declared else None)
    if known is not None:
        return Package(known, one.location), None
    advice = "perhaps a part of the repository that is not here, or a package with another name"
    return None, None if one.optional else UnavailableModule(one.package, one.location, advice)


def _of_another_keras(one: ImportedName, major: int) -> UnavailableModule | None:
    """What to do for a name that Keras of the `major` version does not have, but another has; None for other names."""
    full = f"{one.module}.{one.name}"
    other = {1: (2, KERAS_2), 2: (1, KERAS_1)}.get(major)
    if other is None or one.optional or not full.startswith(other[1]):
        return None
    advice = f"a part of Keras {other[0]}, while other sources use Keras {major}: run this one in an environment with {KERAS[other[0]]}"
    return UnavailableModule(full.rstrip("."), one.location, advice)


def _keras(declared: DeclaredRequirement | None, sources: SourceImports) -> int:
    """The major version of Keras: as declared, else by the names that the sources use."""
    releases = {0: ("0.1.0", "0.2.0", "0.3.1", "0.3.3"), 1: ("1.0.0", "1.1.2", "1.2.2"), 2: ("2.0.0", "2.2.4", "2.3.1")}
    specifier = declared.specifier if declared is not None else ""
    exact = re.fullmatch(r"==([012])\..*", specifier)
    if exact:
        return int(exact[1])
    allowed = [major for major, tried in releases.items() if any(map(SpecifierSet(specifier).contains, tried))]
    if sources.keras in allowed:
        return sources.keras or 0
    return allowed[-1] if allowed else 2


def _add_pytensor(packages: dict[str, Package]) -> None:
    """Adds PyTensor if a library needs Theano, but no source imports Theano itself."""
    library = next((package for line, package in packages.items() if _distribution(line) in THEANO_LIBRARIES), None)
    if library is not None and not FRAMEWORK_LINES & packages.keys():
        line, reason = FRAMEWORKS["theano"]
        packages[line] = Package(line, library.location, f"{_distribution(library.requirement)} needs Theano; {reason}")


def _distribution(requirement: str) -> str:
    """The distribution's name in a requirement or an address of GitHub, normalised."""
    name = requirement.split("/")[4] if "//" in requirement else re.split(r"[<>=!~ ]", requirement, maxsplit=1)[0]
    return canonicalize_name(name)


def _limits(specifier: str) -> bool:
    """Whether a version condition excludes newer releases."""
    return any(not part.strip().startswith((">", "!=")) for part in specifier.split(",") if part.strip())


REQUIREMENTS, IMPORTS, WHEEL = "requirements.txt", "imports.py", "theano-1.0.5+theanodiag-py3-none-any.whl"
"""Names of the files that describe the environment."""


def environment_files(environment: RepositoryEnvironment) -> dict[str, bytes]:
    """Returns a mapping: name -> content of the files of the environment: the requirements file, a wheel of Theano without modules, and a
    program that imports what the sources import.
    """
    lines = [
        f"# CPython {', '.join(RELEASES[:-1])} or {RELEASES[-1]}; made by theanodiag doctor --recipe",
        "--find-links .",
        "Theano==1.0.5+theanodiag  # the wheel in this folder: it has no modules, and satisfies packages that require Theano",
    ]
    for package in environment.packages:
        lines.append(f"{package.requirement}  # {package.location}{f': {package.reason}' if package.reason else ''}")
    for module in environment.unavailable:
        lines.append(f"# {module.name} ({module.location}): {module.advice}")
    wanted = "".join(f"    {(one.module, one.name, str(one.location))!r},\n" for one in environment.imports)
    program = _IMPORTS.replace("    WANTED\n", wanted)
    return {REQUIREMENTS: "".join(f"{visible(line)}\n" for line in lines).encode(), IMPORTS: program.encode(), WHEEL: _wheel()}


def _wheel() -> bytes:
    """A wheel of Theano without modules. Theano's own setup.py fails on CPython 3.12, and its modules would be used instead of those that
    `run` provides."""
    folder, version = "theano-1.0.5+theanodiag.dist-info", "1.0.5+theanodiag"
    summary = "No modules: satisfies packages that require Theano, whose API theanodiag run provides"
    members = {
        "METADATA": f"Metadata-Version: 2.1\nName: Theano\nVersion: {version}\nSummary: {summary}\n",
        "WHEEL": "Wheel-Version: 1.0\nGenerator: theanodiag\nRoot-Is-Purelib: true\nTag: py3-none-any\n",
        "RECORD": "".join(f"{folder}/{name},,\n" for name in ("METADATA", "WHEEL", "RECORD")),
    }
    held = io.BytesIO()
    with zipfile.ZipFile(held, "w") as archive:
        for name, text in members.items():
            archive.writestr(zipfile.ZipInfo(f"{folder}/{name}"), text)  # with a fixed date: the same bytes each time
    return held.getvalue()


def environment_commands(folder: str, python: str) -> tuple[str, ...]:
    """Returns the commands that create the environment from the files in `folder` with the interpreter `python`, and test it."""
    inside = f"{folder}/env/bin/python"
    return (
        f"{python} -m venv {folder}/env",
        f"{inside} -m pip --disable-pip-version-check install -r {folder}/{REQUIREMENTS}",
        f"theanodiag run --python {inside} --fix-numpy {folder}/{IMPORTS}",
    )


_IMPORTS = '''\
"""Imports each module and name that the sources import, and lists those that fail; exit code 1 if one fails."""
import importlib
import sys

WANTED = [
    WANTED
]
failed = {}
for module, name, place in WANTED:
    try:
        found = importlib.import_module(module)
        if name and not hasattr(found, name):
            if not hasattr(found, "__path__"):
                raise ImportError("the module has no such name")
            importlib.import_module(module + "." + name)
    except BaseException as error:
        lines = (str(error) or type(error).__name__).splitlines()
        failed.setdefault((module, lines[0]), (name, place))
for (module, reason), (name, place) in failed.items():
    print("%s: %s: %s" % (place, module + ("." + name if name else ""), reason))
print("%d of %d imports fail" % (len(failed), len(WANTED)) if failed else "all %d imports work" % len(WANTED))
sys.exit(bool(failed))
'''
