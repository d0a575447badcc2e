"""The rules about flags: each fires and stays silent, has its page, and knows the cases below."""

from __future__ import annotations

from collections.abc import Iterable

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.flags.rc_files import rc_texts
from theanodiag.findings import Edit, Finding
from theanodiag.flags.diagnose import ConfigSubject, MachineFacts
from theanodiag.flags.flags_variable import parse_flags
from theanodiag.flags.model import Dialect
from theanodiag.flags.rcfile_text import apply_edits, parse_rc
from theanodiag.rules.base import HEADINGS, Rule
from theanodiag.rules.config import CONFIG_RULES
from theanodiag.rules.config.examples import config

RULES = [pytest.param(rule, id=rule.code) for rule in CONFIG_RULES]
AE, PT = Dialect.AESARA, Dialect.PYTENSOR


def codes(subject: ConfigSubject) -> set[str]:
    """The codes of all that is found."""
    return {f.code for f in found(subject)}


def found(subject: ConfigSubject) -> list[Finding]:
    """All findings."""
    return [f for rule in CONFIG_RULES for f in rule.check(subject)]


class TestEveryRule:
    """What holds for all of them."""

    @pytest.mark.parametrize("rule", RULES)
    def test_fires_on_its_example(self, rule: Rule[ConfigSubject]) -> None:
        """Under its own code, with a place and something to do."""
        findings = list(rule.check(rule.fires()))
        assert findings
        for f in findings:
            assert f.code == rule.code
            assert f.location.path
            assert f.fix is not None
            assert f.fix.title

    @pytest.mark.parametrize("rule", RULES)
    def test_is_silent_on_its_near_miss(self, rule: Rule[ConfigSubject]) -> None:
        """Nothing is found."""
        assert list(rule.check(rule.silent())) == []

    @pytest.mark.parametrize("rule", RULES)
    def test_page_has_all_headings_in_order(self, rule: Rule[ConfigSubject]) -> None:
        """And begins with code and title."""
        lines = rule.page.strip().splitlines()
        assert lines[0] == f"{rule.code}: {rule.title}"
        assert [line for line in lines if line in HEADINGS] == list(HEADINGS)

    def test_codes_and_names_are_unique_and_sorted(self) -> None:
        """TD2 and two digits; names in kebab-case; at least forty."""
        numbers, names = [r.code for r in CONFIG_RULES], [r.name for r in CONFIG_RULES]
        assert numbers == sorted(set(numbers))
        assert len(set(names)) == len(numbers) >= 40
        assert all(c.startswith("TD2") and len(c) == 5 for c in numbers)
        assert all(n == n.lower() and n.replace("-", "").isalnum() for n in names)

    @settings(max_examples=200, deadline=None)
    @given(rc_texts(), st.sampled_from(list(Dialect)))
    def test_no_file_makes_a_rule_fail(self, text: str, dialect: Dialect) -> None:
        """Whatever is in the file, every place lies in it and every edit applies."""
        for f in found(config(text, to=dialect)):
            if f.location.line is not None:
                assert 1 <= f.location.line <= text.count("\n") + 1
            for edit in f.fix.edits if f.fix else ():
                assert 0 <= edit.start <= edit.end <= len(text)

    @settings(max_examples=200, deadline=None)
    @given(st.text(alphabet="device=gpu0,floatX lib.cnmem_='\"\\#;1->", max_size=40), st.sampled_from(list(Dialect)))
    def test_no_variable_makes_a_rule_fail(self, text: str, dialect: Dialect) -> None:
        """Nor does any text of the variable."""
        for f in found(config(flags=text, to=dialect)):
            assert f.message

    @pytest.mark.parametrize("rule", RULES)
    def test_edits_make_the_finding_go_away(self, rule: Rule[ConfigSubject]) -> None:
        """Where a fix can be written, the rule is silent afterwards."""
        subject = rule.fires()
        edits = [e for f in rule.check(subject) if f.fix for e in f.fix.edits]
        if edits:
            assert not list(rule.check(edited(subject, edits)))


def edited(subject: ConfigSubject, edits: Iterable[Edit]) -> ConfigSubject:
    """The subject after the edits."""
    rc = apply_edits(subject.documents[0].text, edits) if subject.documents else None
    flags = apply_edits(subject.variable.text, edits) if subject.variable else None
    return config(rc, flags, subject.dialect, subject.table.version)


FILES = [
    ("[global]\nOptimizer_Including = cudnn\n", set()),
    ("[nvcc]\noptimizer_including = cudnn\n", {"TD211"}),
    ("[magma]\nmagma.enabled = True\n", {"TD211"}),
    ("[global]\ngcc.cxxflags = -O2\n", {"TD215"}),
    ("[global]\nroot = /usr/local/cuda\n", {"TD211"}),
    ("[lib]\nallow_gc = False\n", {"TD211"}),
    ("[nvccs]\nfastmath = True\n", {"TD210"}),
    ("[tensor]\ncxx = g++\n", {"TD211"}),
    ("[global]\n// note = 1\n", {"TD210"}),
    ("[global]\nprint_test_value = True\n", set()),
    ("[global]\nopenmp = 80%\n", {"TD220"}),
    ("[gpuarray]\npreallocate =\n", {"TD220"}),
    ("[gpuarray]\npreallocate = 80%\n", {"TD220"}),
    ("[gpuarray]\nsync = False\n", {"TD245"}),
    ("[global]\ndevice = cpu # none\n", {"TD222"}),
    ("[global]\nfloatX = 32\n", set()),
    ('[global]\noptimizer_including = "cudnn"\n', {"TD221"}),
    ("[global]\nwarn_float64 = 'raise'\n", {"TD221"}),
    ("[lib]\ncnmem = 1\n[global]\ndevice = cuda0\nforce_device = True\nfloatX = float32\n", {"TD234"}),
    ("[cuda]\nroot = /opt/cuda/lib64\n", {"TD247"}),
    ("[DEFAULT]\nbase = /x\n[global]\nbase_compiledir = %(base)s/c\n", set()),
    ("[global]\nbase = /x\nbase_compiledir = %(base)s/c\n", set()),
    ("[global]\nlinker = cvm_nogc\n", {"TD258"}),
    ("[global]\nmode = FAST_RUN\noptimizer = fast_compile\n", {"TD254", "TD256"}),
    ("[blas]\nldflags = -lblas # atlas\n", {"TD222"}),
]


@pytest.mark.parametrize(("text", "expected"), FILES)
def test_findings_of_a_theano_file(text: str, expected: set[str]) -> None:
    """Exactly these rules speak about it."""
    assert codes(config(text)) == expected


VARIABLES = [
    (Dialect.THEANO, "floatX=float32, device=cpu,", set()),
    (Dialect.THEANO, "blas.ldflasg=-lblas", {"TD210"}),
    (Dialect.THEANO, "FLOATX=float32", {"TD212"}),
    (Dialect.THEANO, "device=gpu", {"TD231", "TD249"}),
    (Dialect.THEANO, "contexts=a->cuda0;b->cuda1", set()),
    (Dialect.THEANO, "device=cuda0,force_device=True,floatX=float32,gpuarray.preallocate=1.5", {"TD236"}),
    (Dialect.THEANO, "blas__ldflags=-lblas", {"TD215"}),
    (Dialect.THEANO, "OMP_NUM_THREADS=4", {"TD217"}),
    (Dialect.THEANO, "nvcc.fastmath=True", {"TD244"}),
    (AE, "device=cpu", set()),
    (AE, "device=cuda0", {"TD233", "TD249"}),
    (AE, "blas.ldflags=-lblas", {"TD215"}),
    (AE, "lib__amdlibm=True", {"TD216"}),
    (AE, "int_division=int", {"TD216"}),
    (PT, "device=cpu", {"TD233"}),
    (PT, "gpuarray__preallocate=0.8", {"TD233"}),
    (PT, "mode=NUMBA", set()),
    (PT, "mode=FAST_RUN,linker=numba", {"TD257"}),
    (PT, "optimizer_excluding=inplace:fusion", {"TD253"}),
]


@pytest.mark.parametrize(("dialect", "text", "expected"), VARIABLES)
def test_findings_of_a_variable(dialect: Dialect, text: str, expected: set[str]) -> None:
    """Exactly these rules speak about it."""
    assert codes(config(flags=text, to=dialect)) == expected


def test_old_versions_are_judged_by_their_own_flags() -> None:
    """What 1.0 refuses was right in 0.8.2."""
    text = "[global]\ndevice = gpu0\nfloatX = float32\nforce_device = True\n[lib]\ncnmem = 0.8\n[nvcc]\nfastmath = True\n"
    assert codes(config(text, version="0.8.2")) == set()
    assert codes(config(text)) == {"TD231", "TD234", "TD244"}


def test_network_folder_is_matched_by_whole_names() -> None:
    """`/net` is not `/network`; the default folder counts too."""
    context = MachineFacts(network_folders=("/home/",))
    assert codes(config(context=context, env=(("HOME", "/home/ann"),))) == {"TD261"}
    assert codes(config("[global]\nbase_compiledir = /homes/x\n", context=context)) == set()


def test_examples_are_what_they_say() -> None:
    """The builder gives documents and variable as they would be read."""
    subject = config("[global]\nx = 1\n", "y=2")
    assert subject.documents[0] == parse_rc("[global]\nx = 1\n", subject.documents[0].source)
    assert subject.variable == parse_flags("y=2", "THEANO_FLAGS")
