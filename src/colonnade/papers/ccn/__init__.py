"""Scalable real-time recurrent learning using columnar-constructive networks (Javed et al. 2023)."""

from colonnade.papers.ccn.closer import CLOSER
from colonnade.papers.ccn.cost import COST
from colonnade.papers.ccn.gradient import GRADIENT
from colonnade.papers.ccn.interaction import INTERACTION
from colonnade.papers.ccn.interval import INTERVAL
from colonnade.papers.ccn.plasticity import PLASTICITY
from colonnade.papers.ccn.sensitivity import SENSITIVITY
from colonnade.papers.ccn.trace_patterning import TRACE_CONDITIONING, TRACE_PATTERNING
from colonnade.papers.ccn.variations import ABLATION, DEPTH

TITLE = "Scalable Real-Time Recurrent Learning Using Columnar-Constructive Networks"
SOURCE = "arXiv 2302.05326"
ITEMS = (
    TRACE_PATTERNING,
    TRACE_CONDITIONING,
    CLOSER,
    INTERVAL,
    ABLATION,
    SENSITIVITY,
    DEPTH,
    PLASTICITY,
    INTERACTION,
    COST,
    GRADIENT,
)
