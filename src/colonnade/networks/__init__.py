"""Networks: how cells are wired. A network is again a cell. A file a wiring."""

from colonnade.networks.columnar import Columnar
from colonnade.networks.lateral import Lateral
from colonnade.networks.layers import Stacked, Staged
from colonnade.networks.protocol import Layered

__all__ = ["Columnar", "Lateral", "Layered", "Stacked", "Staged"]
