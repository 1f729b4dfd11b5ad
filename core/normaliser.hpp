// Running mean and variance of numbers.
//
//   μ ← βμ + (1 − β)v        σ² ← βσ² + (1 − β)(v − μ)²        value = (v − μ)/√max(σ², floor)
//
// They are computed as μ + (1 − β)(v − μ): a product with β, which is rounded in much the same way at every event,
// would pull μ and σ² aside by up to a rounding divided by 1 − β.
#pragma once

#include "math.hpp"
#include "room.hpp"
#include "show.hpp"

namespace colonnade::COLONNADE_ISA {

struct Normaliser {
    float *mean, *variance;  // padded to lanes
    float rate, floor;
    bool on;  // off: values are what they are

    template <class Room>
    void lay_out(Room& room, long n, bool normalises, const Settings& settings) {
        on = normalises, rate = settings.rate, floor = settings.floor;
        mean = room.vector(on ? n : 0), variance = room.vector(on ? n : 0);
    }

    // Numbers from this one on were never seen.
    COLONNADE_INLINE void start(long from, long n) const {
        if (!on) return;
        for (long i = from; i < padded(n); ++i) mean[i] = 0.0f, variance[i] = 1.0f;
    }

    COLONNADE_INLINE void observe(const float* v, long n) const {
        if (!on) return;
        const float take = 1.0f - rate;  // not of `this`, which a written number might be part of
        for (long i = 0; i < padded(n); i += LANES) {
            const Lanes seen = load(v + i);
            Lanes m = load(mean + i), s = load(variance + i);
            COLONNADE_EACH_LANE {
                m.at[l] += take * (seen.at[l] - m.at[l]);
                const float apart = seen.at[l] - m.at[l];
                s.at[l] += take * (apart * apart - s.at[l]);
            }
            put(mean + i, m), put(variance + i, s);
        }
    }

    // Also says by how much a number counts: scale = 1/σ. Beyond the n-th, both are 0.
    COLONNADE_INLINE void normalise(const float* v, long n, float* value, float* scale) const {
        if (on) {
            const float least_variance = floor;
            for (long i = 0; i < padded(n); i += LANES) {
                const Lanes seen = load(v + i), m = load(mean + i), s = load(variance + i);
                Lanes by, normal;
                COLONNADE_EACH_LANE by.at[l] = 1.0f / square_root(greatest(s.at[l], least_variance));
                COLONNADE_EACH_LANE normal.at[l] = (seen.at[l] - m.at[l]) * by.at[l];
                put(scale + i, by), put(value + i, normal);
            }
        } else {
            for (long i = 0; i < padded(n); ++i) value[i] = v[i], scale[i] = 1.0f;
        }
        for (long i = n; i < padded(n); ++i) value[i] = scale[i] = 0.0f;
    }

    void visit(Visitor& visitor, const Name& of_mean, const Name& of_variance, long n) const {
        if (on) show_vector(visitor, of_mean, mean, n), show_vector(visitor, of_variance, variance, n);
    }
};

}  // namespace colonnade::COLONNADE_ISA
