"""All rules, in explicit tuples by kind of subject."""

from __future__ import annotations

from typing import Protocol

from ..porting.model import FileReport
from ..porting.session import Session
from . import source_hazards
from .base import Rule, rules_in
from .confirmed_subject import ConfirmedSubject
from .coverage import td001_unknown_size, td002_unused_ignore, td003_impossible_call, td004_not_on_engine, td090_under_estimate
from .coverage.td002_unused_ignore import UnusedSubject
from .memory import (
    td301_does_not_fit,
    td302_largest_at_peak,
    td303_largest_batch,
    td304_micro_batches,
    td305_chunks,
    td306_grow,
    td307_combined,
    td308_shorter_inputs,
    td310_preallocate,
    td311_collection,
    td312_fragmentation,
    td313_other_allocators,
    td314_without_cache,
    td315_two_processes,
    td320_blown_broadcast,
    td321_scan_keeps_steps,
    td322_gradient_through_scan,
    td323_large_constant,
    td324_output_keeps_alive,
    td325_evaluation_order,
    td326_dense_row_gradient,
    td327_optimiser_state,
    td328_wide_softmax,
    td329_bytes_as_floats,
    td330_kept_models,
    td331_unused_shared,
    td332_never_called,
    td333_kept_intermediates,
    td340_sampling,
)
from .numerics import td401_float64_at_peak, td402_promoted_to_float64
from .porting import td101_safe_change, td102_unsafe_change, td103_by_hand, td104_pickle_runs
from .sampling_subject import SamplingSubject
from .subject import ScriptSubject
from .transfers import (
    td501_same_data,
    td502_round_trip,
    td503_no_gpu_version,
    td504_set_again,
    td505_read_in_loop,
    td506_unread_results,
    td507_pytorch_uploads,
)

SCRIPT_RULES: tuple[Rule[ScriptSubject], ...] = (
    td001_unknown_size.RULE,
    td003_impossible_call.RULE,
    td004_not_on_engine.RULE,
    td301_does_not_fit.RULE,
    td302_largest_at_peak.RULE,
    td303_largest_batch.RULE,
    td304_micro_batches.RULE,
    td305_chunks.RULE,
    td306_grow.RULE,
    td307_combined.RULE,
    td308_shorter_inputs.RULE,
    td310_preallocate.RULE,
    td311_collection.RULE,
    td312_fragmentation.RULE,
    td313_other_allocators.RULE,
    td314_without_cache.RULE,
    td315_two_processes.RULE,
    td320_blown_broadcast.RULE,
    td321_scan_keeps_steps.RULE,
    td322_gradient_through_scan.RULE,
    td323_large_constant.RULE,
    td324_output_keeps_alive.RULE,
    td325_evaluation_order.RULE,
    td326_dense_row_gradient.RULE,
    td327_optimiser_state.RULE,
    td328_wide_softmax.RULE,
    td329_bytes_as_floats.RULE,
    td330_kept_models.RULE,
    td331_unused_shared.RULE,
    td332_never_called.RULE,
    td333_kept_intermediates.RULE,
    td401_float64_at_peak.RULE,
    td402_promoted_to_float64.RULE,
    td501_same_data.RULE,
    td502_round_trip.RULE,
    td503_no_gpu_version.RULE,
    td504_set_again.RULE,
    td505_read_in_loop.RULE,
    td506_unread_results.RULE,
    td507_pytorch_uploads.RULE,
)
"""Rules about a simulated script."""

SAMPLING_RULES: tuple[Rule[SamplingSubject], ...] = (td340_sampling.RULE,)
"""Rules about calls of PyMC's samplers."""

CONFIRM_RULES: tuple[Rule[ConfirmedSubject], ...] = (td090_under_estimate.RULE,)
"""Rules about a prediction beside a real run."""

IGNORE_RULES: tuple[Rule[UnusedSubject], ...] = (td002_unused_ignore.RULE,)
"""Rules about comments that silence findings."""
PORT_RULES: tuple[Rule[FileReport], ...] = (td101_safe_change.RULE, td102_unsafe_change.RULE, td103_by_hand.RULE)
"""Rules about sources that `port` changes."""

WEIGHTS_RULES: tuple[Rule[td104_pickle_runs.Subject], ...] = (td104_pickle_runs.RULE,)
"""Rules about files of weights."""

SOURCE_RULES: tuple[Rule[Session], ...] = rules_in(source_hazards)
"""Rules about a source that is only read."""


class RulePage(Protocol):
    """What documentation needs of a rule, whatever its subject."""

    @property
    def code(self) -> str:
        """`TDnnn`."""

    @property
    def name(self) -> str:
        """Name in kebab-case."""

    @property
    def page(self) -> str:
        """The page that `theanodiag explain` prints."""

    @property
    def title(self) -> str:
        """First line of the page, without the code."""


def all_rules() -> tuple[RulePage, ...]:
    """Every rule, sorted by code."""
    from .config import CONFIG_RULES  # slow to import, and not needed for reports on scripts

    listed: tuple[RulePage, ...] = (*CONFIG_RULES, *SCRIPT_RULES, *SAMPLING_RULES, *CONFIRM_RULES, *IGNORE_RULES)
    found: tuple[RulePage, ...] = (*listed, *PORT_RULES, *WEIGHTS_RULES, *SOURCE_RULES)
    return tuple(sorted(found, key=lambda rule: rule.code))
