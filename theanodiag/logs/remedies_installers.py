"""Remedies for what pip, conda, poetry and uv say where they find, resolve or build no release of a package."""

from __future__ import annotations

from .model import Cause
from .remedy import LINUX, remedy

INSTALLERS = (
    remedy(
        (Cause.LIBRARIES, Cause.PYTHON_TOO_NEW),
        r"Package '(?P<package>[^'\n]{1,60})' requires a different Python: (?P<has>[\d.]*\d) not in '(?P<wants>[^'\n]{1,60})'",
        "this {package} is for Python {wants}, and the one that ran is {has}: create an environment with such a Python (conda create -n "
        "NEW -c conda-forge python=3.X {package}), or install a release of {package} for {has} (pip install {package} chooses it)",
    ),
    remedy(
        Cause.LIBRARIES,
        r"VersionConflict: \((?P<has>[\w.-]+ [\w.]+)[^\n]{0,200}Requirement\.parse\('(?P<wants>[^'\n]{1,60})'\)(?:, \{'(?P<who>[\w.-]+)')?",
        "{has} is installed, and {who} requires another: pip install '{wants}'",
    ),
    remedy(
        Cause.LIBRARIES,
        r"The '(?P<wants>[^'\n]{1,60})' distribution was not found|PackageNotFoundError: (?:No package metadata was found for )?"
        r"(?P<package>[A-Za-z][\w.-]{0,60})\s*$",
        "{wants}{package} is not installed: pip install '{wants}{package}'; if you have a copy of its sources, pip install -e FOLDER "
        "(a folder on PYTHONPATH is not enough, because it has no metadata)",
    ),
    remedy(
        Cause.LIBRARIES,
        r"ImportError: [^\n]{0,80}\brequires (?:the )?[`'\"]?(?P<package>[a-z]\w+)[`'\"]?(?: (?:package|library|module))?\.?\s*$",
        "pip install {package}, in the environment in which the script runs",
    ),
    remedy(
        Cause.LIBRARIES,
        r"(?:requires|needs) at least version (?P<version>[\w.]*\w) of (?P<package>[\w-]+)",
        "pip install '{package}>={version}', or the release of {asks} that is compatible with the installed one",
    ),
    remedy(
        Cause.LIBRARIES,
        r"(?:requires|Requested) ['\"]?(?P<wants>[\w.-]+ ?[<>=!~][^;\s'\"]{1,200}(?<!,))[^\n]{0,60}but "
        r"(?:you(?:'ll)? have )?(?P<has>[\w.-]+(?: |==)\d[\w.]*)",
        "{has} is installed, but another is required: pip install '{wants}'",
    ),
    remedy(
        Cause.LIBRARIES,
        r"satisfies the requirement (?P<package>pygpu|libgpuarray|mkl-service|m2w64-toolchain|libpython)\b",
        "pip has no {package}: conda install -c conda-forge {package}, in the environment that is activated",
    ),
    remedy(
        Cause.LIBRARIES,
        r"requirement (?P<package>[\w.-]+)[^\n]{0,200}?(?:\n[^\n]{0,200}?)?\(from versions: none\)",
        "there is no release of {package} for this Python and system: use an older Python, or install the package from conda-forge",
    ),
    remedy(
        Cause.LIBRARIES,
        r"(?:No matching distribution found for|satisfies the requirement) (?P<wants>[\w.\[\]-]{1,60} ?[<>=!~][^\s(;]{1,60})",
        "pip finds no {wants} for this Python and system: install one of the versions that it lists (--pre for a pre-release), use an "
        "older Python, or conda-forge",
    ),
    remedy(
        Cause.LIBRARIES,
        r"not try to import (?P<package>\w+) from\s+its source",
        "Python was started in a folder with {package}'s sources: cd to another folder; if that does not help, its installation is broken: "
        "pip install --force-reinstall {package}",
    ),
    remedy(
        Cause.LIBRARIES,
        r"nothing provides (?P<wants>(?!requested)\S+(?: [\d.*<>=,]+)?)[^\n]{0,40}? needed by (?P<package>[\w.-]+?)-\d",
        "no channel has {wants} for this system, which this {package} needs: install the newest {package} (-c conda-forge), or, on a Mac "
        "with an Apple processor, packages for Intel's (CONDA_SUBDIR=osx-64 conda create -n NEW -c conda-forge {package})",
    ),
    remedy(
        Cause.LIBRARIES,
        r"nothing provides requested|ResolvePackageNotFound",
        "pins with a build string (h7f8727e_0) are valid only for one system and channel: remove the build strings (conda env export "
        "--from-history or --no-builds), add -c conda-forge, and let pip install those that are marked pypi_0",
    ),
    remedy(
        Cause.LIBRARIES,
        r"\b(?P<package>\w[\w.-]{0,60})(?:[ =][^\n]{0,40})? -> python(?: |\[version=')(?P<python>[<>=]*\d[\w.*,<>=]{0,24})",
        "this channel has {package} for Python {python} only: conda create -n NEW -c conda-forge {package} (conda-forge has more "
        "releases), or python={python} in that new environment",
    ),
    remedy(
        Cause.LIBRARIES,
        r"\bpackage (?P<who>[a-z][\w.-]{1,80}) requires (?P<wants>[\w.-]{1,60} (?![^\n]*any version)[^\n]{1,60}?)(?:, (?:but|"
        r"which)\b|\s*$)|"
        r"(?P<tree>[a-z][\w.-]{1,60} [\d.*]{1,20}) would require\s+(?:#?[\d.\s│]+)?└─ (?P<needs>[\w.-]{1,60} [^\n]{1,60}?) ?, which",
        "{who}{tree} requires {wants}{needs}, and another requirement excludes that: conda create -n NEW with that first, or install "
        "another release of {who}{tree}",
    ),
    remedy(
        Cause.LIBRARIES,
        r"(?P<who>[\w.-]{1,60}(?: \(v?\d[\w.]{0,20}\)|==?\d[\w.]{0,20}| \d[\w.]{0,20})) (?:depends on|requires) "
        r"(?P<wants>[\w.-]{1,60}(?: \([^)\n]{1,60}\)|[<>=!~]\S{1,200}(?<![,.;])))",
        "{who} requires {wants}, and another requirement excludes that: loosen the other one, or install another release of the first; a "
        "new environment with only what you use often works",
    ),
    remedy(
        Cause.LIBRARIES,
        r"create a conflict with the\s+remaining packages:\s+- python (?P<python>[\d.]+\d)\S*\s+- (?P<package>[\w.-]+)\s*$",
        "the channel has no {package} for Python {python}: conda install -c conda-forge {package}, or conda create -n NEW {package}, "
        "which chooses a Python that it is built for",
    ),
    remedy(
        Cause.LIBRARIES,
        r"Unsatisfiable|found to be in conflict|version solving failed|No solution found|ResolutionImpossible|Could not solve for",
        "no releases satisfy all requirements together: create an environment with only what you use (conda create -n NEW -c conda-forge "
        "pymc), then install the others one at a time, without their pins",
    ),
    remedy(
        Cause.PYTHON_TOO_NEW,
        r"Cannot install on Python version (?P<has>[\d.]+\d);\s+only\s+versions\s+(?P<wants>\S{1,40})",
        "the release being built is for Python {wants}, not {has}: install a newer release of it and of the package that requires it "
        "(numba and llvmlite must match: a constraint such as 'numba>=0.63'), or use such a Python",
    ),
    remedy(
        (Cause.PYTHON_TOO_NEW, Cause.COMPILER, Cause.LIBRARIES),
        r"(?:Failed to (?:fetch wheel|build|download and build)|Failed building wheel for|Failed to build installable wheels[^\n]*\(|"
        r"Building wheel for|Collecting|Downgrading):? `?(?P<package>[A-Za-z][\w.-]{1,60}(?: ?\(?=*[\d.]{1,20})?)[^\n]*\n"
        r"(?:(?!\s*(?:Collecting|Building wheel for) )[^\n]*\n){0,40}?"
        r"[^\n]*(?:build_wheel|subprocess-exited-with-error|[Bb]uild backend|setup\.py(?!\)[^\n]*(?:started|done))|ChefBuildError)|"
        r"problem with poetry but with (?P<named>[\w.-]+ \([\w.]+\))",
        "{package}{named} has no wheel for this Python and system, and building it from source failed: install a newer release of it, or "
        "of the package that requires it (a constraint such as 'numba>=0.60' for llvmlite, 'numpy>=1.26' from Python 3.12 on), or use an "
        "older Python",
    ),
    remedy(
        Cause.PYTHON_TOO_NEW,
        r"(?:subprocess-exited-with-error|build_meta\.py|setup\.py)",
        "the package is older than this Python and has to be built: use an older Python (3.8 for Theano: conda create -n old "
        "python=3.8), or a release that has a wheel for this one",
        alone=True,
    ),
    remedy(
        Cause.PYTHON_TOO_NEW,
        r"No module named '?distutils",
        "Python 3.12 has no distutils: pip install 'setuptools<70' restores it; else use an older Python",
        alone=True,
    ),
    remedy(
        (Cause.LIBRARIES, Cause.PYTHON_TOO_NEW, Cause.NUMPY_TOO_NEW),
        r"GLIBC_|GLIBCXX_|CXXABI_|@GLIBC",
        "the binary was built for a newer system: build it here, or install conda-forge's",
        LINUX,
    ),
)
"""Remedies if an installer failed, or if what it installed does not fit together."""
