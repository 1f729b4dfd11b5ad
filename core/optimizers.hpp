// How the direction of ascent g becomes a step of a weight.
//
//   SGD       Δθ = α g
//   RMSProp   v ← β v + (1 − β) g²                                  Δθ = α g / (√v + ε)
//   Adam      m ← β₁ m + (1 − β₁) g,  v ← β₂ v + (1 − β₂) g²        Δθ = α m̂ / (√v̂ + ε)
//             m̂ = m / (1 − β₁ⁿ),      v̂ = v / (1 − β₂ⁿ)             at the n-th update
//
// A weight's moments are kept beside it. `times(f)` is the same with the step size f α.
#pragma once

#include "math.hpp"

namespace colonnade::COLONNADE_ISA {

// β₁ⁿ and β₂ⁿ of sixteen weights after n updates; 1 before the first.
struct Age {
    Lanes first, second;
};

// 1/(1 − β₁ⁿ) and 1/(1 − β₂ⁿ).
struct Correction {
    Lanes first, second;
};

struct Sgd {
    static constexpr int MOMENTS = 0;
    static constexpr float FIRST_MOMENT = 0.0f;
    float step_size;

    explicit Sgd(const Settings& s) : step_size(s.step_size) {}
    COLONNADE_INLINE Sgd times(float factor) const {
        Sgd other = *this;
        other.step_size *= factor;
        return other;
    }
    COLONNADE_INLINE float step(float g, const Correction&, int, Lanes*) const { return step_size * g; }
};

struct RmsProp {
    static constexpr int MOMENTS = 1;
    static constexpr float FIRST_MOMENT = 1.0f;
    float step_size, keep, eps;

    explicit RmsProp(const Settings& s) : step_size(s.step_size), keep(s.keep_second), eps(s.eps) {}
    COLONNADE_INLINE RmsProp times(float factor) const {
        RmsProp other = *this;
        other.step_size *= factor;
        return other;
    }
    COLONNADE_INLINE float step(float g, const Correction&, int l, Lanes* moments) const {
        const float v = keep * moments[0].at[l] + (1.0f - keep) * (g * g);
        moments[0].at[l] = v;
        return step_size * g / (square_root(v) + eps);
    }
};

struct Adam {
    static constexpr int MOMENTS = 2;
    static constexpr float FIRST_MOMENT = 0.0f;
    float step_size, keep_first, keep_second, eps;

    explicit Adam(const Settings& s)
        : step_size(s.step_size), keep_first(s.keep_first), keep_second(s.keep_second), eps(s.eps) {}
    COLONNADE_INLINE Adam times(float factor) const {
        Adam other = *this;
        other.step_size *= factor;
        return other;
    }
    COLONNADE_INLINE float step(float g, const Correction& c, int l, Lanes* moments) const {
        const float m = keep_first * moments[0].at[l] + (1.0f - keep_first) * g;
        const float v = keep_second * moments[1].at[l] + (1.0f - keep_second) * (g * g);
        moments[0].at[l] = m, moments[1].at[l] = v;
        return step_size * (m * c.first.at[l]) / (square_root(v * c.second.at[l]) + eps);
    }
};

// How old weights are, in rows of sixteen, where the optimizer asks.
template <class Optimizer>
struct Ages {
    static constexpr bool COUNT = Optimizer::MOMENTS == 2;
    Age* rows;

    template <class Room>
    void lay_out(Room& room, long n) {
        rows = reinterpret_cast<Age*>(room.vector(COUNT ? n * 2 * LANES : 0));
    }
    // Of the i-th weight on, up to the n-th row.
    void start(long from, long n) const {
        if constexpr (COUNT)
            for (long i = from; i < n * LANES; ++i)
                rows[i / LANES].first.at[i % LANES] = rows[i / LANES].second.at[i % LANES] = 1.0f;
    }
    COLONNADE_INLINE void grow(long n, const Optimizer& optimizer) const {
        if constexpr (COUNT) {
            for (long r = 0; r < n; ++r) {
                COLONNADE_EACH_LANE rows[r].first.at[l] *= optimizer.keep_first;
                COLONNADE_EACH_LANE rows[r].second.at[l] *= optimizer.keep_second;
            }
        }
    }
    // Of weights that are all as old as the first.
    COLONNADE_INLINE Correction of_all() const {
        const Correction c = correction(0);
        return {in_all_lanes(c.first.at[0]), in_all_lanes(c.second.at[0])};
    }
    COLONNADE_INLINE Correction correction(long r) const {
        Correction c{};
        if constexpr (COUNT) {
            COLONNADE_EACH_LANE c.first.at[l] = 1.0f / (1.0f - rows[r].first.at[l]);
            COLONNADE_EACH_LANE c.second.at[l] = 1.0f / (1.0f - rows[r].second.at[l]);
        }
        return c;
    }
};

}  // namespace colonnade::COLONNADE_ISA
