"""Host memory of PyMC's samplers: what each call requests, what each of its stages holds, and what other arguments would hold. Pure."""

from .model import Amount, DrawArray, DrawStatistic, ProgramFigures, SamplingCall, SamplingPlan, SamplingProfile, Stage
from .simulate import profile

__all__ = ["Amount", "DrawArray", "DrawStatistic", "ProgramFigures", "SamplingCall", "SamplingPlan", "SamplingProfile", "Stage", "profile"]
