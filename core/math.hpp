// The nonlinearities, without a library: the same bits on every machine.
//
//   2^t = 2^k · 2^r,  k the whole number nearest to t,  2^r a polynomial on [−½, ½] of relative error < 3e-7
//   σ(x) = 1 / (1 + 2^(−x log₂ e))        tanh(x) = 2 σ(2x) − 1
//   sin a, cos a: polynomials on [−π/4, π/4] of error < 1e-7, after whole quarter turns are taken off
#pragma once

#include "lanes.hpp"

namespace colonnade::COLONNADE_ISA {

COLONNADE_INLINE float nearest_whole(float t) {
    const float shift = 12582912.0f;  // 1.5 · 2²³: adding it rounds to a whole number
    return (t + shift) - shift;
}

COLONNADE_INLINE float exp2(float t) {
    const float k = nearest_whole(t), r = t - k;
    float p = 1.5469732e-4f;
    p = p * r + 1.3400433e-3f;
    p = p * r + 9.6180253e-3f;
    p = p * r + 5.5503272e-2f;
    p = p * r + 2.4022651e-1f;
    p = p * r + 6.9314718e-1f;
    p = p * r + 1.0f;
    return p * __builtin_bit_cast(float, (static_cast<int>(k) + 127) << 23);
}

COLONNADE_INLINE float least(float a, float b) { return a < b ? a : b; }
COLONNADE_INLINE float greatest(float a, float b) { return a > b ? a : b; }
COLONNADE_INLINE float magnitude(float x) { return __builtin_fabsf(x); }
COLONNADE_INLINE float square_root(float x) { return __builtin_sqrtf(x); }

// Within ±80, where σ is 0 or 1 to the last bit but 2^x can't overflow. A loop of its own: compilers would
// make branches of the ends otherwise.
COLONNADE_INLINE Lanes within_bounds(const Lanes& x) {
    Lanes y;
    COLONNADE_EACH_LANE y.at[l] = greatest(least(x.at[l], 80.0f), -80.0f);
    return y;
}

COLONNADE_INLINE Lanes exp(const Lanes& x) {
    const Lanes bounded = within_bounds(x);
    Lanes y;
    COLONNADE_EACH_LANE y.at[l] = exp2(bounded.at[l] * 1.44269504f);
    return y;
}

COLONNADE_INLINE Lanes sigmoid(const Lanes& x) {
    const Lanes bounded = within_bounds(x);
    Lanes y;
    COLONNADE_EACH_LANE y.at[l] = 1.0f / (1.0f + exp2(bounded.at[l] * -1.44269504f));
    return y;
}

COLONNADE_INLINE Lanes tanh(const Lanes& x) {
    Lanes twice;
    COLONNADE_EACH_LANE twice.at[l] = 2.0f * x.at[l];
    Lanes y = sigmoid(twice);
    COLONNADE_EACH_LANE y.at[l] = 2.0f * y.at[l] - 1.0f;
    return y;
}

// e^(v_i − max v) / Σ_j e^(v_j − max v), of n numbers.
COLONNADE_INLINE void softmax(const float* v, int n, float* share) {
    float most = v[0], total = 0.0f;
    for (int i = 1; i < n; ++i) most = greatest(most, v[i]);
    for (int first = 0; first < n; first += LANES) {
        const int some = n - first < LANES ? n - first : LANES;
        Lanes apart{};
        for (int l = 0; l < some; ++l) apart.at[l] = v[first + l] - most;
        const Lanes power = exp(apart);
        for (int l = 0; l < some; ++l) total += share[first + l] = power.at[l];
    }
    for (int i = 0; i < n; ++i) share[i] /= total;
}

// Of angles up to ten thousand, beyond which they stand still.
COLONNADE_INLINE void sine_and_cosine(const Lanes& angle, Lanes& sine, Lanes& cosine) {
    Lanes turns, rest;
    COLONNADE_EACH_LANE {
        const float a = greatest(least(angle.at[l], 1e4f), -1e4f);
        const float quarters = nearest_whole(a * 0.636619772f);  // of π/2, which is taken off in three parts
        turns.at[l] = quarters;
        rest.at[l] = ((a - quarters * 1.5703125f) - quarters * 4.83751297e-4f) - quarters * 7.54978995e-8f;
    }
    COLONNADE_EACH_LANE {
        const float r = rest.at[l], square = r * r;
        const float s = r + r * square * (-1.66666546e-1f + square * (8.33216087e-3f + square * -1.95152959e-4f));
        const float tail = 4.16666456e-2f + square * (-1.38873162e-3f + square * 2.44331571e-5f);
        const float c = 1.0f - 0.5f * square + square * square * tail;
        const int quadrant = static_cast<int>(turns.at[l]) & 3;
        const float along = (quadrant & 1) ? c : s, across = (quadrant & 1) ? s : c;
        sine.at[l] = (quadrant & 2) ? -along : along;
        cosine.at[l] = ((quadrant + 1) & 2) ? -across : across;
    }
}

}  // namespace colonnade::COLONNADE_ISA
