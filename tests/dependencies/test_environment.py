"""The packages of a repository: from its imports and the requirements it declares."""

from __future__ import annotations

import io
import json
import zipfile
from pathlib import Path

import pytest

from theanodiag.dependencies.declared import declared_requirements
from theanodiag.dependencies.environment import FRAMEWORKS, IMPORTS, KERAS, REQUIREMENTS, WHEEL, environment_files, resolve
from theanodiag.errors import UnreadableError

PYTENSOR = FRAMEWORKS["theano"][0]


def repository(folder: Path, **files: str) -> str:
    """A folder with these files; `__` in a name is `/`, and `_dot_` is `.`."""
    for name, text in files.items():
        path = folder / name.replace("__", "/").replace("_dot_", ".")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    return str(folder)


def requirements(folder: str) -> list[str]:
    """What pip would take."""
    return [package.requirement for package in resolve(folder).packages]


def test_modules_become_distributions(tmp_path: Path) -> None:
    """Names differ, Python 2 and its modules are read, own modules and relative imports are none."""
    main = 'import cPickle, os, utils\nimport theano.tensor as T\nfrom sklearn.svm import SVC\nimport PIL.Image, yaml\nprint "x"\n'
    folder = repository(tmp_path, train_dot_py=main, lib__utils_dot_py="from . import x\nimport numpy as np\n", lib__x_dot_py="")
    found = resolve(folder)
    assert [p.requirement for p in found.packages] == [PYTENSOR, "scikit-learn", "Pillow", "PyYAML", "numpy"]
    assert (found.unavailable, [Path(p).name for p in found.sources.python2]) == ((), ["train.py"])


def test_a_module_that_nothing_provides_is_never_a_requirement(tmp_path: Path) -> None:
    """PyPI may have an unrelated project of its name; only imports that a module needs to load are reported."""
    needed = "import theano, layers_of_ours, pycuda\n"
    text = needed + "try:\n    import gpu_tools\nexcept ImportError:\n    pass\ndef f():\n    import plotting_tools\n"
    found = resolve(repository(tmp_path, m_dot_py=text))
    assert [p.requirement for p in found.packages] == [PYTENSOR]
    assert [module.name for module in found.unavailable] == ["layers_of_ours", "pycuda"]
    assert "NVIDIA GPU" in found.unavailable[1].advice


@pytest.mark.parametrize(
    ("code", "declared", "major"),
    [
        ("import keras\nm.fit(x, y, nb_epoch=3)\n", "", 1),
        ("import keras\nm.fit(x, y, epochs=3)\n", "", 2),
        ("from keras.initializers import Constant\nm.fit(x, y, nb_epoch=3)\n", "", 2),
        ("import keras\n", "keras==1.0.3\n", 1),
        ("import keras\n", "Keras>=1.0,<2\n", 1),
        ("import keras\n", "keras==2.2.4\n", 2),
        ("import keras\nm.fit(x, y, nb_epoch=3)\n", "keras>=1.0\n", 1),
        ("import numpy\n", "keras==0.3.1\n", 0),
        ("from keras.models import Graph\nm.fit(x, y, nb_epoch=3)\n", "", 0),
        ("from keras.models import Graph\n", "keras>=1.0\n", 2),
    ],
)
def test_which_keras(code: str, declared: str, major: int, tmp_path: Path) -> None:
    """By the declared release, else by words of Keras 1; PyTensor comes with it."""
    found = requirements(repository(tmp_path, m_dot_py=code, requirements_dot_txt=declared))
    assert KERAS[major] in found
    assert PYTENSOR in found
    assert ("setuptools<81" in found) == (major == 1 and "import keras" in code)


def test_sources_for_several_releases_of_keras(tmp_path: Path) -> None:
    """Words of Keras 1 that Keras 2 takes decide nothing beside its names; a source of Keras 1 among those of Keras 2 is named."""
    new = "from keras import initializers\nfrom keras.layers import Conv1D\nConv1D(nb_filter=3)\nm.fit(x, y, nb_epoch=3)\n"
    old = "import keras\nm.fit(x, y, nb_epoch=3)\n"
    found = resolve(repository(tmp_path, a_dot_py=new, b_dot_py=old, c_dot_py="from keras import initializations\n"))
    assert KERAS[2] in [p.requirement for p in found.packages]
    assert [(one.name, str(one.location)) for one in found.unavailable] == [("keras.initializations", f"{tmp_path / 'c.py'}:1:1")]
    assert KERAS[1] in found.unavailable[0].advice


def test_keras_2_with_merge(tmp_path: Path) -> None:
    """Keras 2.2 has no Merge."""
    code = "from keras.layers import Merge\nfrom keras.preprocessing.text import Tokenizer\nTokenizer(num_words=9)\nfit(nb_epoch=3)\n"
    assert "keras==2.1.6" in requirements(repository(tmp_path, m_dot_py=code))


def test_declared_requirements_of_each_kind_of_file(tmp_path: Path) -> None:
    """A line that cannot be parsed, options and comments are no requirements; conda's own packages are not on PyPI."""
    folder = repository(
        tmp_path,
        requirements_dot_txt="# x\nnumpy==1.10  # old\n-r other.txt\ngit+git://h/Lasagne.git#egg=lasagne\n??\n",
        setup_dot_py="from setuptools import setup\nsetup(install_requires=['six>=1.9', 'scipy<1'])\n",
        setup_dot_cfg="[options]\ninstall_requires =\n    tqdm\n    h5py==2.5\n",
        pyproject_dot_toml='[project]\ndependencies = ["pandas~=0.17"]\n[tool.poetry.dependencies]\npython = "^3.6"\nnltk = "*"\n',
        environment_dot_yml="name: x\ndependencies:\n- python=2.7\n- openblas=0.2\n- matplotlib=1.5.1\n",
    )
    found = {one.name: one.specifier for one in declared_requirements(folder)}
    assert found == {
        "numpy": "==1.10", "lasagne": "", "six": ">=1.9", "scipy": "<1", "tqdm": "", "h5py": "==2.5", "pandas": "~=0.17", "nltk": "",
        "matplotlib": "==1.5.1",
    }  # fmt: skip
    dropped = [one.name for one in resolve(folder).dropped]
    assert dropped == ["h5py", "matplotlib", "numpy", "pandas", "scipy"] or sorted(dropped) == [
        "h5py",
        "matplotlib",
        "numpy",
        "pandas",
        "scipy",
    ]


def test_a_file_name_cannot_add_a_requirement(tmp_path: Path) -> None:
    """It is written in a comment, in which a line break is escaped."""
    (tmp_path / "a\nevil.py").write_text("import theano\n")
    files = environment_files(resolve(str(tmp_path)))
    lines = files[REQUIREMENTS].decode().splitlines()
    assert not any(line.startswith("evil") for line in lines)
    assert [line.partition(" ")[0] for line in lines[2:]] == ["Theano==1.0.5+theanodiag", PYTENSOR]
    compile(files[IMPORTS], IMPORTS, "exec")


def test_the_wheel_has_no_modules(tmp_path: Path) -> None:
    """The same bytes each time, so that a second run finds its own file."""
    files = environment_files(resolve(repository(tmp_path, m_dot_py="import theano\n")))
    assert files[WHEEL] == environment_files(resolve(str(tmp_path)))[WHEEL]
    with zipfile.ZipFile(io.BytesIO(files[WHEEL])) as archive:
        assert all(name.startswith("theano-1.0.5+theanodiag.dist-info/") for name in archive.namelist())


def test_what_cannot_be_read(tmp_path: Path) -> None:
    """A source that is neither Python 2 nor 3 is listed; a folder that is not there is an error."""
    found = resolve(repository(tmp_path, bad_dot_py="def (:\n", good_dot_py="import numpy\n"))
    assert [(Path(path).name, reason) for path, reason in found.sources.unread] == [("bad.py", "syntax error")]
    with pytest.raises(UnreadableError, match="no such file or folder"):
        resolve(str(tmp_path / "nope"))


def test_a_place_in_a_notebook_is_in_its_cell(tmp_path: Path) -> None:
    """Not in the code of all cells."""
    cells = [{"cell_type": "code", "source": source, "metadata": {}, "outputs": []} for source in ("x = 1\n", "\nimport pycuda\n")]
    (tmp_path / "a.ipynb").write_text(json.dumps({"cells": cells, "metadata": {}, "nbformat": 4, "nbformat_minor": 2}))
    place = resolve(str(tmp_path)).unavailable[0].location
    assert (Path(place.path).name, place.line) == ("a.ipynb, cell 2", 2)


@pytest.mark.parametrize("code", ["from scipy.misc import imread\n", "import scipy.misc\n", "from scipy import misc\n"])
def test_pictures_of_scipy_need_pillow(code: str, tmp_path: Path) -> None:
    """With it `run --fix-numpy` restores these functions."""
    assert requirements(repository(tmp_path, m_dot_py=code)) == ["scipy", "Pillow"]


def test_a_package_within_a_package_is_not_the_framework(tmp_path: Path) -> None:
    """`lib/theano` is `lib.theano`; a folder `theano` of its own is what a source imports."""
    for name in ("a/lib/__init__.py", "a/lib/theano/__init__.py", "b/theano/__init__.py", "a/m.py", "b/m.py"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text("import theano\n" if name.endswith("m.py") else "")
    assert requirements(str(tmp_path / "a")) == [PYTENSOR]
    assert requirements(str(tmp_path / "b")) == []
