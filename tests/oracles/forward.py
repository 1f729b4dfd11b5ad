"""The cells run forwards and nothing else: what finite differences differentiate.

    rnn       h = activation(W x + R h⁻ + b)
    leaky     h = alpha h⁻ + W x + R sigmoid(h⁻) + b,   features sigmoid(h)
    linear    h = W x + R h⁻ + b
    additive  h = h⁻ + tanh(U x + R h⁻)
    lstm      i, f, o = sigmoid(W x + R h⁻ + b), g = tanh(..);  c = f c⁻ + i g,  h = o tanh(c)
    gru       r, z = sigmoid(W x + R h⁻ + b), n = tanh(W x + b + r R h⁻);  h = (1 - z) n + z h⁻
    columns   k LSTMs of one unit each
    elstm     f = sigmoid(W x + w c⁻ + b), z = tanh(W x + w c⁻ + b);  c = f c⁻ + (1 - f) z,
              o = sigmoid(W x + w c + b),  h = o c
    lru       λ = exp(-exp(nu) + i exp(theta));  h = λ h⁻ + exp(gamma) B x,  features (Re h, Im h)

Each takes the parameters and xs (T, d) and gives the features (T, n). These lines are written apart from
those of the rules, so that a slip in a rule's own forward pass shows.
"""

import numpy as np

from oracles.activations import TANH, sigmoid


def rnn(p, xs, activation=TANH):
    h = np.zeros(len(p["b"]))
    return np.array([h := activation.of(p["W"] @ x + p["R"] @ h + p["b"]) for x in xs])


def leaky(p, xs, alpha):
    h = np.zeros(len(p["b"]))
    return sigmoid(np.array([h := alpha * h + p["W"] @ x + p["R"] @ sigmoid(h) + p["b"] for x in xs]))


def linear(p, xs):
    h = np.zeros(len(p["b"]))
    return np.array([h := p["W"] @ x + p["R"] @ h + p["b"] for x in xs])


def additive(p, xs):
    h = np.zeros(len(p["R"]))
    return np.array([h := h + np.tanh(p["U"] @ x + p["R"] @ h) for x in xs])


def lstm(p, xs):
    c = h = np.zeros(len(p["i"]["b"]))
    features = []
    for x in xs:
        z = {k: p[k]["W"] @ x + p[k]["R"] @ h + p[k]["b"] for k in "ifog"}
        c = sigmoid(z["f"]) * c + sigmoid(z["i"]) * np.tanh(z["g"])
        h = sigmoid(z["o"]) * np.tanh(c)
        features.append(h)
    return np.array(features)


def gru(p, xs):
    h = np.zeros(len(p["n"]["b"]))
    features = []
    for x in xs:
        r = sigmoid(p["r"]["W"] @ x + p["r"]["R"] @ h + p["r"]["b"])
        z = sigmoid(p["z"]["W"] @ x + p["z"]["R"] @ h + p["z"]["b"])
        n = np.tanh(p["n"]["W"] @ x + p["n"]["b"] + r * (p["n"]["R"] @ h))
        h = (1 - z) * n + z * h
        features.append(h)
    return np.array(features)


def columns(p, xs):
    def alone(j):
        return {k: {name: leaf[j] for name, leaf in gate.items()} for k, gate in p.items()}

    return np.concatenate([lstm(alone(j), xs) for j in range(len(p["i"]["b"]))], axis=1)


def elstm(p, xs):
    c = np.zeros(len(p["f"]["b"]))
    features = []
    for x in xs:
        f = sigmoid(p["f"]["W"] @ x + p["f"]["w"] * c + p["f"]["b"])
        z = np.tanh(p["z"]["W"] @ x + p["z"]["w"] * c + p["z"]["b"])
        c = f * c + (1 - f) * z
        o = sigmoid(p["o"]["W"] @ x + p["o"]["w"] * c + p["o"]["b"])
        features.append(o * c)
    return np.array(features)


def lru(p, xs):
    modulus, phase = np.exp(-np.exp(p["nu"])), np.exp(p["theta"])
    rotate = modulus * np.cos(phase), modulus * np.sin(phase)
    re = im = np.zeros(len(p["nu"]))
    features = []
    for x in xs:
        re, im = (
            rotate[0] * re - rotate[1] * im + np.exp(p["gamma"]) * (p["B_re"] @ x),
            rotate[0] * im + rotate[1] * re + np.exp(p["gamma"]) * (p["B_im"] @ x),
        )
        features.append(np.concatenate([re, im]))
    return np.array(features)
