"""What one step costs, by XLA's own count of the compiled program."""

import jax
import jax.numpy as jnp
import numpy as np


def shapes(rule, cell, inputs):
    """Return the shapes of parameters, state, memory, observation and the state's error."""

    def made():
        params = cell.init(jax.random.key(0), inputs)
        state = cell.start(params)
        x = jnp.zeros(inputs)
        return params, state, rule.start(cell, params, state, x), x, state

    return jax.eval_shape(made)


def parameters(cell, inputs):
    params = jax.eval_shape(lambda: cell.init(jax.random.key(0), inputs))
    return sum(leaf.size for leaf in jax.tree.leaves(params))


def memory_bytes(rule, cell, inputs):
    """Return the size of what the rule keeps."""
    memory = shapes(rule, cell, inputs)[2]
    return sum(leaf.size * leaf.dtype.itemsize for leaf in jax.tree.leaves(memory))


def operations(rule, cell, inputs):
    """Return (floating-point operations, bytes accessed) of one step: advance, and assign an error."""

    def step(params, state, memory, x, dstate):
        state, memory = rule.advance(cell, params, state, memory, x, jax.random.key(0))
        return state, rule.assign(cell, params, memory, dstate)

    analysis = jax.jit(step).lower(*shapes(rule, cell, inputs)).compile().cost_analysis()
    return analysis["flops"], analysis["bytes accessed"]


def slope(sizes, costs):
    """Return the slope of a straight line through log cost against log size."""
    return float(np.polyfit(np.log(sizes), np.log(costs), 1)[0])
