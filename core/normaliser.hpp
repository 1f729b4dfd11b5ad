// Running mean and variance of n numbers.
//
//   μ ← βμ + (1 − β)v        σ² ← βσ² + (1 − β)(v − μ)²        scale = 1 / √max(σ², floor)
#pragma once

#include "math.hpp"

namespace colonnade {

struct Normaliser {
    float *mean, *variance;  // n each, padded to lanes
    int n;

    COLONNADE_INLINE void start() const {
        for (int i = 0; i < padded(n); ++i) mean[i] = 0.0f, variance[i] = 1.0f;
    }

    COLONNADE_INLINE void observe(const float* v, float rate) const {
        for (int i = 0; i < padded(n); i += LANES) {
            COLONNADE_EACH_LANE {
                const float m = rate * mean[i + l] + (1.0f - rate) * v[i + l];
                const float apart = v[i + l] - m;
                mean[i + l] = m;
                variance[i + l] = rate * variance[i + l] + (1.0f - rate) * (apart * apart);
            }
        }
    }

    COLONNADE_INLINE void normalise(const float* v, float floor, float* value, float* scale) const {
        for (int i = 0; i < padded(n); i += LANES) {
            COLONNADE_EACH_LANE {
                const float s = variance[i + l];
                scale[i + l] = 1.0f / square_root(s > floor ? s : floor);
                value[i + l] = (v[i + l] - mean[i + l]) * scale[i + l];
            }
        }
    }
};

}  // namespace colonnade
