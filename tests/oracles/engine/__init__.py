"""The compiled engine's specification: every network, objective and optimizer, a file an idea.

An event: the network moves on x; the readout predicts from its features; then, where something is told, the
errors ask, and every weight that learns now moves. `learner` joins the parts. Weights have the engine's names
and any dtype, which all else follows.
"""
