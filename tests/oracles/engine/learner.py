"""A learner: a network, a readout, an objective and an optimizer joined.

α of the network's weights, α/n of the readout's      n features exist
θ ← θ + Δθ            Δθ = α step(g), perhaps bounded
"""

from oracles.engine.bound import share


class Learner:
    def __init__(self, network, readout, objective, optimizer, step_size, kappa=None):
        self.network, self.readout, self.objective = network, readout, objective
        self.optimizer, self.step_size, self.kappa = optimizer, step_size, kappa
        self.kept = {}

    def reset(self):
        """A new episode begins: weights, statistics and what the optimizer keeps stay."""
        self.network.forget()
        self.objective.forget()

    def step(self, x, *told):
        """One event; what was predicted before anything was told. `told` may be None: nothing is learned."""
        prediction = self.readout.predict(self.network.move(x))
        for name in self.network.began:
            self.objective.begin(name)
        if told[0] is not None:
            self.objective.judge(prediction, *told)
            self.learn()
        return self.objective.answer(prediction)

    def learn(self):
        of_network, of_readout = self.step_sizes()
        steps = self.steps(self.network.slopes(self.readout.by_features()), of_network)
        steps |= self.steps(self.readout.slopes(), of_readout)
        factor = 1 if self.kappa is None else share(steps.values(), self.objective.error, self.kappa)
        weights = self.network.weights | self.readout.weights
        for name, step in steps.items():
            weights[name] += factor * step

    def step_sizes(self):
        """Of the network and of the readout."""
        return self.step_size, self.step_size / self.readout.features()

    def steps(self, slopes, alpha):
        """Δθ of each name."""
        steps = {}
        for name, slope in slopes.items():
            g = self.objective.ascend(name, slope)
            kept = self.kept[name] if name in self.kept else self.optimizer.start(g)
            step, self.kept[name] = self.optimizer.step(g, kept)
            steps[name] = alpha * step
        return steps
