"""Packaging of theanodiag."""

import os
import shutil
from pathlib import Path
from runpy import run_path

from setuptools import find_namespace_packages, setup
from setuptools.command.build_py import build_py

HERE = Path(__file__).parent
TEST = ["safetensors",
    "distributed", "pytest>=7", "pytest-xdist",
    "hypothesis>=6", "numpy", "joblib", "jsonschema>=4", "selenium>=4", "pyyaml",
]  # fmt: skip

REPOSITORY = os.environ.get("THEANODIAG_REPOSITORY", "").rstrip("/")
"""Where a release is published from, such as https://forge.example/owner/theanodiag; empty where that is not known."""
README = run_path(str(HERE / "tools" / "readme_links.py"))["outside"]((HERE / "README.md").read_text(encoding="utf-8"), REPOSITORY)


class FreshBuild(build_py):
    """Builds from nothing: build/lib keeps files that were deleted since, and what is there goes into the wheel."""

    def run(self) -> None:
        """Clears the folder, then fills it."""
        if not self.editable_mode:
            shutil.rmtree(self.build_lib, ignore_errors=True)
        super().run()


setup(
    name="theanodiag",
    version=run_path(str(HERE / "theanodiag" / "version.py"))["VERSION"],
    description="Memory and configuration diagnosis for code written with Theano, Theano-PyMC, Aesara and PyTensor",
    long_description=README,
    long_description_content_type="text/markdown",
    author="the theanodiag developers",
    license_expression="MIT",
    license_files=["LICENSE"],
    keywords="theano aesara pytensor pymc memory gpu out-of-memory diagnosis estimator compatibility",
    url=REPOSITORY or None,
    project_urls={"Source": REPOSITORY, "Changes": f"{REPOSITORY}/blob/main/CHANGELOG.md"} if REPOSITORY else {},
    packages=find_namespace_packages(include=["theanodiag", "theanodiag.*"], exclude=["*.__pycache__", "*.__pycache__.*"]),
    include_package_data=True,
    cmdclass={"build_py": FreshBuild},
    python_requires=">=3.9",
    install_requires=[
        "click>=8.1",
        "fissix",
        "jinja2>=3",
        "msgspec>=0.19",
        "packaging>=21",
        "pathspec>=0.12",
        "rich>=12",
        "sortedcontainers>=2.4",
        "tomli>=1.1; python_version < '3.11'",
    ],
    extras_require={
        "pytensor": ["pytensor"],
        "aesara": ["aesara"],
        "theano": ["Theano==1.0.5", "numpy<1.24"],
        "jax": ["flatbuffers", "jax", "pytensor"],
        "onnx": ["flatbuffers", "jax", "jax2onnx", "onnxruntime", "pytensor"],
        "weights": ["numpy", "safetensors", "h5py"],
        "torch": ["torch", "pytensor"],
        "nvml": ["nvidia-ml-py"],
        "dask": ["distributed"],
        "docs": ["mkdocs>=1.6,<2", "mkdocs-material>=9.6,<10", "mkdocstrings[python]>=0.29,<2", "ruff"],
        "test": TEST,
        "dev": [*TEST, "build", "mypy", "nox", "proselint>=0.16; python_version >= '3.10'", "pytest-cov", "ruff"],
    },
    entry_points={
        "console_scripts": ["theanodiag = theanodiag.cli.start:main"],
        "pytest11": ["theanodiag = theanodiag.pytest_plugin"],
    },
    classifiers=[
        "Development Status :: 4 - Beta",
        "Environment :: Console",
        "Intended Audience :: Science/Research",
        "Operating System :: POSIX",
        "Programming Language :: Python :: 3",
        *(f"Programming Language :: Python :: 3.{minor}" for minor in range(9, 15)),
        "Topic :: Scientific/Engineering",
        "Topic :: Software Development :: Debuggers",
        "Topic :: Software Development :: Quality Assurance",
        "Typing :: Typed",
    ],
)
