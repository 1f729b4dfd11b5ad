// How a trace and an error become a step of a weight. g = δE is the direction of ascent.
//
//   SGD       θ ← θ + α g
//   RMSProp   v ← β v + (1 − β) g²        θ ← θ + α g / (√v + ε)
#pragma once

#include "math.hpp"

namespace colonnade {

// `shared_by(n)` takes an nth of the step size; `idle()` changes nothing, mean squares included.
struct Sgd {
    float step_size;
    COLONNADE_INLINE float step(float g, float&) const { return step_size * g; }
    COLONNADE_INLINE Sgd shared_by(int n) const { return {step_size / static_cast<float>(n)}; }
    COLONNADE_INLINE Sgd idle() const { return {0.0f}; }
};

struct RmsProp {
    float step_size, keep, eps;
    COLONNADE_INLINE float step(float g, float& v) const {
        v = keep * v + (1.0f - keep) * (g * g);
        return step_size * g / (square_root(v) + eps);
    }
    COLONNADE_INLINE RmsProp shared_by(int n) const { return {step_size / static_cast<float>(n), keep, eps}; }
    COLONNADE_INLINE RmsProp idle() const { return {0.0f, 1.0f, eps}; }
};

}  // namespace colonnade
