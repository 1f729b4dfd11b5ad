"""One optimizer for the cell and another for the readout.

Constructive networks divide the readout's step size by the number of features; linear recurrent units take
smaller steps than their readout.
"""

import optax

from colonnade.errors import BadInput


def apart(
    cell: optax.GradientTransformation, readout: optax.GradientTransformation
) -> optax.GradientTransformation:
    """Return a transformation that treats the cell's parameters and the readout's each in its own way.

    >>> optimizer = apart(cell=optax.sgd(0.01), readout=optax.adam(0.1))
    """
    for name, part in (("cell", cell), ("readout", readout)):
        if not isinstance(part, optax.GradientTransformation):
            raise BadInput(name, expected="one of optax's, such as optax.adam(1e-3)", got=repr(part))
    transforms = {"cell": cell, "readout": readout}
    return optax.partition(transforms, {"cell": "cell", "readout": "readout"})
