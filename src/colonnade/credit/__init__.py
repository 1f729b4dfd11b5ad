"""Credit: how this step's error reaches the parameters through time. A file a rule."""

from colonnade.credit.frozen import frozen
from colonnade.credit.independent import independent
from colonnade.credit.layered import layered
from colonnade.credit.protocol import Credit
from colonnade.credit.rtrl import rtrl
from colonnade.credit.snap import snap
from colonnade.credit.spatial import spatial
from colonnade.credit.tbptt import tbptt

__all__ = ["Credit", "frozen", "independent", "layered", "rtrl", "snap", "spatial", "tbptt"]
