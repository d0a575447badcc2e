"""The rewriter: what becomes of each flag, and what holds for every file."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.flags.rc_files import rc_texts
from theanodiag.flags.flags_variable import parse_flags
from theanodiag.flags.migrate import TARGETS, Migration, migrate_rc, target_table, verify_rc
from theanodiag.flags.migrate_variable import migrate_flags, verify_flags
from theanodiag.flags.rcfile_text import SIGNATURE, parse_rc

targets = st.sampled_from(tuple(TARGETS))


def rewritten(text: str, to: str = "theano-1.0", unsafe: bool = False) -> Migration:
    """The file rewritten, and verified."""
    migration = migrate_rc(parse_rc(text, "rc"), target_table(to), unsafe=unsafe)
    verify_rc(migration, target_table(to))
    return migration


def live(text: str, to: str = "theano-1.0", unsafe: bool = False) -> dict[str, str]:
    """The options that are left of one file, `section.option` -> value."""
    return {f"{e.section}.{e.option}": e.value for e in parse_rc(rewritten(text, to, unsafe).after).entries}


def flags(text: str, to: str = "theano-1.0", unsafe: bool = False) -> str:
    """The flags variable rewritten, and verified."""
    migration = migrate_flags(parse_flags(text), target_table(to), unsafe=unsafe)
    verify_flags(migration, target_table(to))
    return migration.after


class TestToTheano:
    """From the old back-end to 1.0."""

    @pytest.mark.parametrize(
        ("old", "new"),
        [
            ("gpu", "cuda"),
            ("gpu0", "cuda0"),
            ("gpu12", "cuda12"),
            ("'gpu1'", "cuda1"),
            ("cuda*", "cuda"),
            ("cuda3", "cuda3"),
            ("cpu", "cpu"),
            ("CPU", "cpu"),
        ],
    )
    def test_device(self, old: str, new: str) -> None:
        """The device keeps its number."""
        assert live(f"[global]\ndevice = {old}\n") == {"global.device": new}

    @pytest.mark.parametrize(
        ("cnmem", "preallocate"),
        [
            ("0.8", "0.8"),
            (".45", ".45"),
            ("0", "-1"),
            ("0.0", "-1"),
            ("1", "0.95"),
            ("0.985", "0.95"),
            ("0.95", "0.95"),
            ("1.5", "1.5"),
            ("11000", "11000"),
        ],
    )
    def test_cnmem_keeps_its_meaning(self, cnmem: str, preallocate: str) -> None:
        """0 was no pool, up to 1 a fraction with a ceiling, above 1 MB."""
        assert live(f"[lib]\ncnmem = {cnmem}\n") == {"gpuarray.preallocate": preallocate}

    @pytest.mark.parametrize("cnmem", ["True", "", "-1", "lots", "nan"])
    def test_cnmem_that_was_never_valid_only_becomes_a_comment(self, cnmem: str) -> None:
        """Nothing is made up."""
        assert live(f"[lib]\ncnmem = {cnmem}\n") == {}

    def test_preallocate_that_is_there_wins(self) -> None:
        """The file set the successor already."""
        assert live("[lib]\ncnmem = 0.9\n[gpuarray]\npreallocate = 0.2\n") == {"gpuarray.preallocate": "0.2"}

    def test_nvcc_leaves_only_its_folders(self) -> None:
        """What g++ can use goes to gcc.cxxflags."""
        text = "[nvcc]\nfastmath = True\nflags = -D_FORCE_INLINES -I/opt/x -arch=sm_50 -L/opt/y -lcudnn\n"
        assert live(text) == {"gcc.cxxflags": "-I/opt/x -L/opt/y"}

    @pytest.mark.parametrize(
        ("old", "new"),
        [
            (
                "[dnn.conv]\nalgo_bwd = deterministic\n",
                {"dnn.conv.algo_bwd_data": "deterministic", "dnn.conv.algo_bwd_filter": "deterministic"},
            ),
            ("[dnn.conv]\nworkmem = large\n", {"dnn.conv.algo_fwd": "large"}),
            ("[gpuarray]\nsync = False\n", {}),
            ("[global]\nmode = ProfileMode\n", {"global.profile": "True"}),
            ("[lib]\namblibm = True\n", {"lib.amdlibm": "True"}),
            ("[cuda]\nroot = /usr/local/cuda\n[dnn]\nenabled = True\n", {"cuda.root": "/usr/local/cuda", "dnn.enabled": "True"}),
        ],
    )
    def test_others(self, old: str, new: dict[str, str]) -> None:
        """Retired, removed, renamed, and what stands as it is."""
        assert live(old) == new


class TestValues:
    """Values that the library would refuse."""

    @pytest.mark.parametrize(
        ("line", "value"),
        [
            ("warn_float64 = 'raise'", "raise"),
            ("allow_gc = yes", "True"),
            ("allow_gc = FALSE", "False"),
            ("optimizer = FAST_RUN", "fast_run"),
            ("floatX = float32,", "float32"),
        ],
    )
    def test_sure_slips_are_put_right(self, line: str, value: str) -> None:
        """Quotes, words for booleans, case, a comma."""
        assert list(live(f"[global]\n{line}\n").values()) == [value]

    def test_inline_comment_gets_a_line_of_its_own(self) -> None:
        """The comment is kept, with the indentation."""
        assert rewritten("[global]\n  allow_gc = True # why\n").after == "[global]\n  # why\n  allow_gc = True\n"

    def test_comment_behind_compiler_flags_moves_too(self) -> None:
        """It would have gone to the compiler."""
        assert rewritten("[blas]\nldflags = -lblas #put your flags here\n").after == "[blas]\n#put your flags here\nldflags = -lblas\n"

    @pytest.mark.parametrize(("line", "value"), [("optimizer = fast_compil", "fast_compile"), ("[gpuarray]\npreallocate = 80%", "0.8")])
    def test_likely_slips_wait_for_unsafe(self, line: str, value: str) -> None:
        """Without `--unsafe` the line becomes a comment, so that the library starts."""
        text = line if line.startswith("[") else f"[global]\n{line}\n"
        assert live(text) == {}
        assert list(live(text, unsafe=True).values()) == [value]

    def test_linker_without_compiler_becomes_a_comment(self) -> None:
        """Theano refuses it; PyTensor does not."""
        text = "[global]\ncxx =\nlinker = cvm\n"
        assert live(text) == {"global.cxx": ""}
        assert flags("linker=c,cxx=") == "cxx="
        assert rewritten(text, "pytensor").after == text

    def test_hopeless_value_becomes_a_comment(self) -> None:
        """With the valid ones in the reason."""
        after = rewritten("[dnn]\nenabled = mkl\n").after
        reason = "'mkl' is not a value of dnn.enabled, which takes auto, False, True, no_check"
        assert after == f"[dnn]\n# theanodiag: {reason}\n# enabled = mkl\n"


class TestNames:
    """Options that were ignored."""

    @pytest.mark.parametrize(
        ("text", "meant"),
        [
            ("[global]\nflaotX = float32\n", {"global.floatX": "float32"}),
            ("[dnn]\nconv.algo_fwd = small\n", {"dnn.conv.algo_fwd": "small"}),
            ("[nvcc]\noptimizer_including = cudnn\n", {"global.optimizer_including": "cudnn"}),
            ("[magma]\nmagma.enabled = True\n", {"magma.enabled": "True"}),
            ("[global]\ngcc.cxxflags = -O2\n", {"gcc.cxxflags": "-O2"}),
            ("[mode]=FAST_RUN\n", {"global.mode": "FAST_RUN"}),
        ],
    )
    def test_likely_names_wait_for_unsafe(self, text: str, meant: dict[str, str]) -> None:
        """Writing them changes what the job does."""
        assert live(text) == {}
        assert live(text, unsafe=True) == meant

    def test_two_near_names_are_not_guessed(self) -> None:
        """`root` may be that of CUDA or of CTC."""
        assert live("[global]\nroot = /usr/local/cuda\n", unsafe=True) == {}

    def test_helper_of_interpolation_stays(self) -> None:
        """An option that others use is no unknown flag."""
        text = "[global]\nbase = /scratch\nbase_compiledir = %(base)s/theano\n"
        assert rewritten(text).after == text

    def test_default_section_counts_where_a_section_is(self) -> None:
        """Theano takes an option of `[DEFAULT]` for `[global]`'s."""
        assert live("[DEFAULT]\ndevice = gpu0\n[global]\nfloatX = float32\n") == {"global.floatX": "float32", "global.device": "cuda0"}


class TestToModernLibraries:
    """To Aesara and PyTensor."""

    def test_gpu_goes_to_the_environment(self) -> None:
        """The flags become comments, the shell gets JAX's variables."""
        migration = rewritten("[global]\ndevice = gpu1\n[lib]\ncnmem = 0.8\n", "pytensor")
        assert not parse_rc(migration.after).entries
        env = {line.name: line.value for line in migration.env}
        assert env == {"PYTENSOR_FLAGS": "mode=JAX", "JAX_PLATFORMS": "cuda", "CUDA_VISIBLE_DEVICES": "1", "XLA_CLIENT_MEM_FRACTION": "0.8"}

    def test_aesara_takes_the_cpu(self) -> None:
        """Its device flag knows nothing else; PyTensor has none."""
        text = "[global]\ndevice = cpu\n"
        assert rewritten(text, "aesara").after == text
        assert live(text, "pytensor") == {}

    def test_sections_stay_in_files_and_become_underscores_in_variables(self) -> None:
        """`[blas] ldflags` is `blas__ldflags` in the variable."""
        text = "[blas]\nldflags = -lopenblas\n"
        assert rewritten(text, "pytensor").after == text
        assert flags("blas.ldflags=-lopenblas", "pytensor") == "blas__ldflags=-lopenblas"

    def test_flag_that_breaks_the_import_of_aesara_goes(self) -> None:
        """A valid value, with which nothing starts."""
        text = "[tensor]\nlocal_elemwise_fusion = False\n"
        assert live(text, "aesara") == {}
        assert rewritten(text).after == text

    def test_amdlibm_follows_each_library(self) -> None:
        """Aesara misspelt it, PyTensor put it right."""
        assert live("[lib]\namdlibm = True\n", "aesara") == {"lib.amblibm": "True"}
        assert live("[lib]\namblibm = True\n", "pytensor") == {"lib.amdlibm": "True"}


class TestVariable:
    """Flags variables."""

    @pytest.mark.parametrize(
        ("old", "new"),
        [
            ("device=gpu0,floatX=float32", "device=cuda0,floatX=float32"),
            ("floatX=float32, device=gpu", "floatX=float32, device=cuda"),
            ("lib.cnmem=1,", "gpuarray.preallocate=0.95,"),
            ("nvcc.fastmath=True,device=cpu", "device=cpu"),
            ("device=cpu,nvcc.fastmath=True", "device=cpu"),
            ("a=1,device=cpu,b=2,c=3", "device=cpu"),
            ("cxx='/opt/a,b/g++',device=gpu", "cxx='/opt/a,b/g++',device=cuda"),
            ("blas__ldflags=-lblas", "blas.ldflags=-lblas"),
            ("nvcc.flags=-I/a -L/b", "gcc.cxxflags=-I/a -L/b"),
            ("profile", ""),
            ("", ""),
        ],
    )
    def test_text_after(self, old: str, new: str) -> None:
        """Kept entries keep every character."""
        assert flags(old) == new

    def test_unsafe_puts_names_right(self) -> None:
        """Case and near names."""
        assert flags("floatx=float32,flaotX=float32", unsafe=True) == "floatX=float32"


class TestEveryFile:
    """What holds whatever the file is."""

    @settings(max_examples=250, deadline=None)
    @given(rc_texts(), targets, st.booleans())
    def test_result_is_sound_and_final(self, text: str, to: str, unsafe: bool) -> None:
        """`verify_rc` holds: it parses, means what was planned, and a second pass changes nothing."""
        migration = rewritten(text, to, unsafe)
        assert migrate_rc(parse_rc(migration.after, "rc"), target_table(to), unsafe=unsafe).after == migration.after

    @settings(max_examples=250, deadline=None)
    @given(rc_texts(), targets, st.booleans())
    def test_every_line_is_still_there(self, text: str, to: str, unsafe: bool) -> None:
        """Comments stay, and each option is there as a line or as a comment, or its value was put right."""
        migration = rewritten(text, to, unsafe)
        after = [line.strip() for line in migration.after.splitlines()]
        for line in text.lstrip("\ufeff").splitlines():
            if line.strip().startswith(("#", ";")):
                assert line.strip() in after

    @settings(max_examples=250, deadline=None)
    @given(rc_texts(flawless=True), targets)
    def test_kept_lines_keep_every_byte(self, text: str, to: str) -> None:
        """A line of the result is an old one with its end of line, or one of those that the notes tell of."""
        migration = rewritten(text, to)
        new = [line for line in migration.after.splitlines(keepends=True) if line not in text.splitlines(keepends=True)]
        assert not new or migration.notes
        assert all(line.strip() for line in new if SIGNATURE in line)

    @settings(max_examples=300, deadline=None)
    @given(st.text(alphabet="device=gpu0,floatX lib.cnmem='\"\\#;1", max_size=40), targets)
    def test_variable_needs_no_second_pass(self, text: str, to: str) -> None:
        """Whatever the text, as long as it can be taken apart."""
        if parse_flags(text).open_quote is None:
            flags(text, to)


def test_changed_text_is_not_verified() -> None:
    """A result that does not mean what was planned raises before anything is written."""
    target = target_table("theano-1.0")
    good = rewritten("[global]\ndevice = gpu\n")
    bad = Migration(good.source, good.before, good.after.replace("cuda", "cpu"), good.notes, good.env, good.expected)
    with pytest.raises(RuntimeError, match="nothing was written"):
        verify_rc(bad, target)


class TestAsMeant:
    """Comments, slips and what is left in another place."""

    def test_a_comment_behind_a_value_does_not_lose_it(self) -> None:
        """The job stays on the GPU, and the comment gets a line."""
        text = "[global]\ndevice = gpu0  # use gpu\n[lib]\ncnmem = 0.8 # CNMeM\n"
        made = migrate_rc(parse_rc(text), target_table("theano-1.0"))
        assert "# use gpu\ndevice = cuda0\n" in made.after
        assert "preallocate = 0.8\n" in made.after
        env = {e.name: e.value for e in migrate_rc(parse_rc(text), target_table("pytensor")).env}
        assert (env["CUDA_VISIBLE_DEVICES"], env["XLA_CLIENT_MEM_FRACTION"]) == ("0", "0.8")

    @pytest.mark.parametrize("unsafe", [False, True])
    @pytest.mark.parametrize("mark", ["//", "-- ", "% "])
    def test_what_its_owner_took_for_a_comment_is_never_revived(self, mark: str, unsafe: bool) -> None:
        """Another sign of comments than the library's still says that the flag is not wanted."""
        after = migrate_rc(parse_rc(f"[global]\n{mark}warn_float64 = raise\n"), target_table("theano-1.0"), unsafe=unsafe).after
        assert [line for line in after.splitlines() if line.startswith(("warn", mark))] == []

    def test_an_unsure_comment_is_left(self) -> None:
        """Python 2 took ` ; c` for a comment and Python 3 does not: only `--unsafe` decides."""
        text = "[gcc]\ncxxflags = a ; c\n"
        kept, cut = (migrate_rc(parse_rc(text), target_table("theano-1.0"), unsafe=unsafe) for unsafe in (False, True))
        assert kept.after == text
        assert "stays (--unsafe writes it)" in kept.notes[0].text
        assert "cxxflags = a\n" in cut.after

    def test_folders_of_nvcc_that_go_nowhere_are_told(self) -> None:
        """They go to g++ only where it has no options yet; nothing says so where they do not."""
        text = "[gcc]\ncxxflags = -O2\n[nvcc]\nflags = -L/opt/cuda\n"
        made = migrate_rc(parse_rc(text), target_table("theano-1.0"))
        assert "gcc.cxxflags is set already: add -L/opt/cuda to it if it is needed" in made.notes[0].text
        assert "cxxflags = -O2\n" in made.after
        assert "g++" not in migrate_rc(parse_rc("[nvcc]\nflags = -L/opt/cuda\n"), target_table("pytensor")).notes[0].text

    def test_places_are_those_of_the_users_text(self) -> None:
        """Also where a section that comes twice was put together."""
        text = "[global]\nfloatX = float32\n[blas]\nldflags =\n[global]\nflaotX = float64\ndevice = gpu\n"
        made = migrate_rc(parse_rc(text), target_table("theano-1.0"))
        assert {(n.span.line, n.text.split()[0].rstrip(":")) for n in made.notes if n.span} >= {(6, "flaotX"), (7, "device")}

    def test_the_section_is_what_is_wrong(self) -> None:
        """A flag in another section is said to be there, with the places that the check names too."""
        text = migrate_rc(parse_rc("[nvcc]\nroot = /opt/cuda\n"), target_table("theano-1.0")).notes[0].text
        assert "[nvcc] root is in the wrong section: Theano 1.0.5 reads [cuda] root or [ctc] root" in text

    @pytest.mark.parametrize(
        ("entry", "near"),
        [
            ("[lib]\nncnmem = 0.8", "lib.cnmem"),
            ("[global]\noptimizer_incuding = x", "optimizer_including"),
            ("[global]\ndevice = cpu0", "device = cpu"),
        ],
    )
    def test_near_names(self, entry: str, near: str) -> None:
        """A slip is told, of a flag that is gone too."""
        made = migrate_rc(parse_rc(f"{entry}\n"), target_table("theano-1.0"))
        assert near in made.notes[0].text
