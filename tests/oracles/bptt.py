"""The oracle of all rules: full backpropagation through time, by JAX's automatic differentiation.

    L_t = e_t · features_t        dL_t/dθ through every step from the first        t = 1 … T

Unlike the other judges it differentiates the library's own cells, for it judges the rules; what the cells
compute is judged by the transcriptions.
"""

import jax
import jax.numpy as jnp


def losses(cell, params, xs, es, start=None):
    """Return the loss of each step (T,)."""

    def move(state, event):
        x, e = event
        state = cell.step(params, state, x)
        return state, e @ cell.read(state)

    return jax.lax.scan(move, cell.start(params) if start is None else start, (xs, es))[1]


def states(cell, params, xs):
    """Return the state before each step, with a leading axis of steps."""
    return jax.lax.scan(lambda s, x: (cell.step(params, s, x), s), cell.start(params), xs)[1]


def gradients(cell, params, xs, es):
    """Return the gradient of each step's own loss: leaves T × the parameter's shape."""
    return jax.jacrev(lambda p: losses(cell, p, xs, es))(params)


def truncated(cell, params, xs, es, k):
    """The same through the last k steps only, from the states that were lived."""
    lived = states(cell, params, xs)

    def at(t):
        first = max(0, t - k + 1)
        start = jax.tree.map(lambda s: s[first], lived)
        return jax.grad(lambda p: losses(cell, p, xs[first : t + 1], es[first : t + 1], start)[-1])(params)

    return jax.tree.map(lambda *leaves: jnp.stack(leaves), *(at(t) for t in range(len(xs))))


def spatial_between_layers(cell, params, xs, es):
    """For layers: through all time within a layer, but through this step only between layers.

    Layer l's gradient at t is that of L_t along its own state's whole history, with the layers below as
    data and the layers above at this step, from the states that they had before it.
    """
    lived = states(cell, params, xs)
    feeds = [_feeds(cell, params, lived, xs, layer) for layer in range(len(cell.layers))]

    def layer_losses(layer, p):
        def move(state, event):
            x, e, fed, before = event
            state = cell.layers[layer].step(p, state, fed[layer])
            return state, e @ cell.read(_with_above(cell, params, before, x, fed, layer, state))

        return jax.lax.scan(move, cell.layers[layer].start(p), (xs, es, feeds, lived))[1]

    return tuple(
        jax.jacrev(lambda p, layer=layer: layer_losses(layer, p))(params[layer])
        for layer in range(len(cell.layers))
    )


def _feeds(cell, params, lived, xs, layer):
    """Return what a layer was fed at each step."""

    def feed(before, x):
        return cell.feed(x, _below(cell, cell.step(params, before, x), layer))

    return jax.vmap(feed)(lived, xs)


def _below(cell, state, layer):
    return tuple(cell.layers[j].read(state[j]) for j in range(layer))


def _with_above(cell, params, before, x, fed, layer, state):
    """Return the whole new state, with ``layer``'s as given and the layers above moved from it."""
    new = [cell.layers[j].step(params[j], before[j], fed[j]) for j in range(layer)]
    new.append(state)
    for j in range(layer + 1, len(cell.layers)):
        new.append(cell.layers[j].step(params[j], before[j], cell.feed(x, _below(cell, new, j))))
    return tuple(new)
