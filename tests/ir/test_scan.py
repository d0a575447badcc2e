"""The parts of a Scan by position."""

from __future__ import annotations

import pytest

from theanodiag.ir.scan import ScanInfo, has_scan_layout, scan_counts, scan_info

EVERYTHING = scan_counts(
    n_seqs=2, mit_mot_in_slices=[[0, 1], [0]], mit_mot_out_slices=[[1], [0, 2]], mit_sot_in_slices=[[-2, -1]], sit_sot_in_slices=[[-1]],
    n_nit_sot=1, n_shared_outs=1, as_while=True,
)  # fmt: skip


def test_inner_inputs_stand_in_the_order_of_the_outer_ones() -> None:
    """Sequences and each tap of each recurrence are one entry; shared values and the rest are whole; lengths feed nothing."""
    assert ScanInfo(EVERYTHING).inner_inputs(11) == (
        (1, True), (2, True), (3, True), (3, True), (4, True), (5, True), (5, True), (6, True), (7, False), (9, False), (10, False),
    )  # fmt: skip


def test_outer_inputs_are_divided_without_a_gap() -> None:
    """Each position belongs to one part."""
    info = ScanInfo(EVERYTHING)
    parts = [0, *info.sequences, *info.recurrences, *info.shared, *range(info.lengths_at, info.others_at)]
    assert parts == list(range(info.others_at))


def test_results_before_the_stacked_ones() -> None:
    """Three mit-mot taps, or what is not written in place of them, then mit-sot and sit-sot."""
    assert ScanInfo(EVERYTHING).first_nit_sot() == 5
    assert ScanInfo({**EVERYTHING, "mitmots_preallocated": [True, True, False]}).first_nit_sot() == 3


@pytest.mark.parametrize(
    "damage",
    [
        {"n_seqs": None}, {"n_seqs": -1}, {"n_shared_outs": "2"}, {"mit_mot_in_slices": 3}, {"sit_sot_in_slices": [1]},
        {"mit_sot_in_slices": [["a"]]}, {"vector_outs": 7}, {"mitmots_preallocated": True},
    ],
    ids=str,
)  # fmt: skip
def test_what_does_not_tell_its_parts_is_no_scan(damage: dict[str, object]) -> None:
    """A text, or a damaged document, may have any of it missing or of another kind."""
    assert has_scan_layout(EVERYTHING)
    assert scan_info({**EVERYTHING, **damage}) is None
