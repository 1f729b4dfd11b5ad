"""The judges: the published equations in plain float64 NumPy, with derivatives worked out by hand.

Nothing here imports the library or differentiates automatically (`torch_cells` excepted, which lends
PyTorch's autograd), so that neither can be its own judge. Inputs `xs` are (T, d); errors `es` are
(T, features), with the loss of step t being `es[t] @ features[t]`; states start at zero. What comes back
is a list over t: the gradient of *that step's own loss*, a nested dict shaped like the parameters.
"""
