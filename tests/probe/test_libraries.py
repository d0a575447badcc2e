"""The names that libgpuarray asks for, the files that may serve, and the links between them."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

from tests.interpreters import find
from theanodiag.confirmation.simulated_cuda import CannotBuild, Libraries, build
from theanodiag.errors import UnreadableError
from theanodiag.probe.cuda import ASKED, chosen, files, in_cache, links, loader_name, make_links, version_of, wheels
from theanodiag.probe.model import LibrarySeen

OPEN = """
import pygpu
from pygpu import blas
context = pygpu.init("cuda0")
a, x, y = (pygpu.zeros(shape, "float32", context=context) for shape in ((4, 4), (4,), (4,)))
blas.gemv(1.0, a, x, 0.0, y)
print(context.bin_id.decode())
"""
NVRTC = {"archs": (75, 80, 90), "compiles": True}
AS_INSTALLED = {"libcuda.so.1": "libcuda.so.1", "libnvrtc.so": "libnvrtc.so.12", "libcublas.so": "libcublas.so.12"}


@pytest.fixture(scope="module")
def simulated(tmp_path_factory: pytest.TempPathFactory) -> Libraries:
    """The simulated driver, built here."""
    try:
        return build(tmp_path_factory.mktemp("libraries"))
    except CannotBuild as reason:
        pytest.skip(str(reason))


def installed(libraries: Libraries, site: Path) -> tuple[str, ...]:
    """The simulated libraries as wheels and drivers install them: with versions in their names."""
    folder = site / "nvidia" / "all" / "lib"
    folder.mkdir(parents=True)
    for built, name in AS_INSTALLED.items():
        (folder / name).write_bytes((libraries.folder / built).read_bytes())
    return files([str(site)], {}, toolkits=())


def opened(folder: Path, capability: int = 61) -> subprocess.CompletedProcess[str]:
    """The real libgpuarray opens a device and multiplies, with only `folder` to find libraries in."""
    env = {"PATH": os.environ["PATH"], "LD_LIBRARY_PATH": str(folder), "VIRTUAL_DEVICE_CC": str(capability)}
    return subprocess.run([find("gpu"), "-c", OPEN], env=env, capture_output=True, text=True, check=False)


def test_libgpuarray_opens_a_device_through_the_links_and_not_without(simulated: Libraries, tmp_path: Path) -> None:
    """The names are those that the real library asks for: with versioned files alone it fails, and with links it computes."""
    found = installed(simulated, tmp_path / "site")
    before = opened(tmp_path / "site" / "nvidia" / "all" / "lib")
    assert 'Could not load "libcuda.so"' in before.stderr
    best = chosen([LibrarySeen(path, **({} if "nvrtc" not in path else {"cuda": (12, 4)})) for path in found], (12, 4), (6, 1))
    assert set(best) == set(ASKED)
    make_links(tmp_path / "links", links(best))
    assert opened(tmp_path / "links").stdout == "compute_61\n"


@pytest.mark.parametrize("name", ASKED)
def test_each_name_is_needed(simulated: Libraries, tmp_path: Path, name: str) -> None:
    """Without one of the links libgpuarray says which it misses; without libcublas the device opens, and the first product fails."""
    installed(simulated, tmp_path / "site")
    folder = tmp_path / "site" / "nvidia" / "all" / "lib"
    make_links(tmp_path / "links", {n: str(folder / AS_INSTALLED.get(n, "libcuda.so.1")) for n in ASKED if n != name})
    expected = "Missing Blas library" if name == "libcublas.so" else f'Could not load "{name}"'
    assert expected in opened(tmp_path / "links").stderr


def test_capabilities_of_three_digits_do_not_fit(simulated: Libraries, tmp_path: Path) -> None:
    """libgpuarray 0.7.6 cuts `compute_100` short."""
    installed(simulated, tmp_path / "site")
    folder = tmp_path / "site" / "nvidia" / "all" / "lib"
    make_links(tmp_path / "links", {n: str(folder / AS_INSTALLED.get(n, "libcuda.so.1")) for n in ASKED})
    assert opened(tmp_path / "links", 100).stdout == "compute_10\n"


def seen(path: str, cuda: tuple[int, int] | None = None, **more: object) -> LibrarySeen:
    """A library that opens."""
    return LibrarySeen(path, cuda, **more)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("driver", "capability", "expected"),
    [
        ((12, 4), (9, 0), "/b/libnvrtc.so.12"),  # 13.0 is newer than the driver serves
        ((13, 0), (9, 0), "/c/libnvrtc.so.13"),
        ((13, 0), (6, 1), None),  # none of them knows the card
        (None, None, "/c/libnvrtc.so.13"),
        ((11, 8), (7, 5), "/a/libnvrtc.so.11.2"),
        ((11, 7), (7, 5), None),
    ],
)
def test_the_newest_compiler_that_the_driver_and_the_card_allow(
    driver: tuple[int, int] | None, capability: tuple[int, int] | None, expected: str | None
) -> None:
    """The driver refuses PTX of a newer CUDA; a compiler must know the card."""
    compilers = [
        seen("/c/libnvrtc.so.13", (13, 0), **NVRTC),
        seen("/a/libnvrtc.so.11.2", (11, 8), **NVRTC),
        seen("/b/libnvrtc.so.12", (12, 4), **NVRTC),
        seen("/d/libnvrtc.so.13", (13, 0), archs=(75, 90), compiles=False),
        LibrarySeen("/e/libnvrtc.so.13", error="cannot open"),
    ]
    best = chosen(compilers[::-1], driver, capability)
    assert best.get("libnvrtc.so", LibrarySeen("none")).path == (expected or "none")


def test_cublas_counts_by_its_major_version() -> None:
    """Its file's name tells it, and within a major version every driver serves it."""
    both = [seen("/a/libcublas.so.13"), seen("/a/libcublas.so.12")]
    assert version_of(both[1]) == (12, 0)
    assert chosen(both, (12, 4), (9, 0))["libcublas.so"].path == "/a/libcublas.so.12"
    assert chosen(both, (13, 0), (9, 0))["libcublas.so"].path == "/a/libcublas.so.13"


def test_names_with_versions() -> None:
    """Also those of drivers."""
    names = ("/x/libcuda.so.550.54.14", "/x/libnvrtc.so.11.2", "libcublas.so")
    assert [loader_name(n) for n in names] == ["libcuda.so", "libnvrtc.so", "libcublas.so"]


def test_what_a_library_loads_from_beside_itself_is_linked_too(tmp_path: Path) -> None:
    """Builtins of the same version; nothing of another one, no stubs, no alternatives."""
    for name in ("libnvrtc.so.12", "libnvrtc-builtins.so.12.9", "libnvrtc-builtins.so.11.8", "libnvrtc.alt.so.12", "libcublasLt.so.12"):
        (tmp_path / name).touch()
    table = links({"libnvrtc.so": seen(str(tmp_path / "libnvrtc.so.12"), (12, 9))})
    assert set(table) == {"libnvrtc.so", "libnvrtc.so.12", "libnvrtc-builtins.so.12.9"}


def test_files_of_wheels_paths_and_toolkits(tmp_path: Path) -> None:
    """Each real file once, wheels first."""
    for place in ("site/nvidia/cu13/lib/libnvrtc.so.13", "paths/libcuda.so.1", "toolkit-12/lib64/libcublas.so.12.4.5"):
        (tmp_path / place).parent.mkdir(parents=True)
        (tmp_path / place).touch()
    (tmp_path / "toolkit-12/lib64/libcublas.so.12").symlink_to("libcublas.so.12.4.5")
    (tmp_path / "paths/libnvrtc.so").symlink_to(tmp_path / "site/nvidia/cu13/lib/libnvrtc.so.13")
    env = {"LD_LIBRARY_PATH": f"{tmp_path}/paths:/nowhere:"}
    found = files([str(tmp_path / "site")], env, toolkits=(f"{tmp_path}/toolkit*/lib64",))
    assert [os.path.basename(f) for f in found] == ["libnvrtc.so.13", "libcuda.so.1", "libcublas.so.12.4.5"]


def test_files_that_the_loader_knows(tmp_path: Path) -> None:
    """Those of this kind of machine."""
    line = "\tlibcuda.so.1 (libc6{}) => /{}/libcuda.so.1\n"
    text = "2 libs found\n" + line.format(",x86-64", "a") + line.format("", "b") + "\tlibcudart.so (libc6,x86-64) => /c\n"
    assert in_cache(text) == ("/a/libcuda.so.1",)
    assert files([], {}, toolkits=(), known=in_cache(text)) == ("/a/libcuda.so.1",)


def test_links_replace_links_and_nothing_else(tmp_path: Path) -> None:
    """A file that has the name stays; the second run changes nothing."""
    make_links(tmp_path / "links", {"libnvrtc.so": "/old"})
    make_links(tmp_path / "links", {"libnvrtc.so": "/new"})
    make_links(tmp_path / "links", {"libnvrtc.so": "/new"})
    assert {p.name: os.readlink(p) for p in (tmp_path / "links").iterdir()} == {"libnvrtc.so": "/new"}
    (tmp_path / "links" / "libcublas.so").write_text("mine")
    with pytest.raises(UnreadableError, match="a file, not a link"):
        make_links(tmp_path / "links", {"libcublas.so": "/new"})
    assert (tmp_path / "links" / "libcublas.so").read_text() == "mine"


def test_a_folder_that_cannot_be_made(tmp_path: Path) -> None:
    """The reason, and no traceback."""
    (tmp_path / "file").touch()
    with pytest.raises(UnreadableError, match="the links cannot be made"):
        make_links(tmp_path / "file" / "links", {"libnvrtc.so": "/new"})


@pytest.mark.parametrize(
    ("driver", "capability", "expected"),
    [
        ((12, 4), (9, 0), "'nvidia-cuda-nvrtc-cu12<12.5' 'nvidia-cublas-cu12<13'"),
        ((13, 0), (9, 0), "'nvidia-cuda-nvrtc<13.1' 'nvidia-cublas<14'"),
        ((13, 0), (7, 0), "'nvidia-cuda-nvrtc-cu12<12.10' 'nvidia-cublas-cu12<13'"),
    ],
)
def test_wheels_fit_the_driver_and_the_card(driver: tuple[int, int], capability: tuple[int, int], expected: str) -> None:
    """CUDA 13 begins at 7.5, so an older card takes those of 12."""
    assert wheels(["libnvrtc.so", "libcublas.so", "libcuda.so"], driver, capability) == expected
