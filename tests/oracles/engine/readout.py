"""Predictions out of features, which may come in stages.

φ = normal h      by statistics of each feature; they always move, first, and begin with the feature
ŷ = w φ + b       dŷ_p/dw_pj = φ_j      dŷ_p/db_p = 1      dŷ_p/dh_j = w_pj/σ_j
"""

import numpy as np


class Readout:
    """w (predictions, all features that there will be), b (predictions,)."""

    def __init__(self, w, b, statistics):
        self.w, self.b, self.statistics = w, b, statistics
        self.weights, self.seen = {"readout.b": b}, []

    def predict(self, features):
        """ŷ, from the features of each stage that exists."""
        for h in features[len(self.seen) :]:
            self.begin(len(h))
        for h, seen in zip(features, self.seen, strict=True):
            seen.move(h)
        self.phi = [seen.normal(h) for h, seen in zip(features, self.seen, strict=True)]
        return self.b + sum(w @ phi for w, phi in zip(self.blocks(), self.phi, strict=True))

    def begin(self, features):
        """A stage's features begin; its weights are a part of w."""
        first = self.features()
        self.weights[f"readout.w.{len(self.seen)}"] = self.w[:, first : first + features]
        self.seen.append(self.statistics(features))

    def features(self):
        """How many there are."""
        return sum(block.shape[1] for block in self.blocks())

    def blocks(self):
        """w of each stage."""
        return [self.weights[f"readout.w.{s}"] for s in range(len(self.seen))]

    def by_features(self):
        """dŷ/dh (predictions, features), of each stage."""
        return [w / seen.deviation() for w, seen in zip(self.blocks(), self.seen, strict=True)]

    def slopes(self):
        """dŷ/dw and dŷ/db, with a leading axis of predictions: no prediction depends on another's weights."""
        own = np.eye(len(self.b), dtype=self.b.dtype)
        return {f"readout.w.{s}": own[..., None] * phi for s, phi in enumerate(self.phi)} | {"readout.b": own}
