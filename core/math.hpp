// The nonlinearities, without a library: the same bits on every machine.
//
//   2^t = 2^k · 2^r,  k the whole number nearest to t,  2^r a polynomial on [−½, ½] of relative error < 3e-7
//   σ(x) = 1 / (1 + 2^(−x log₂ e))        tanh(x) = 2 σ(2x) − 1
#pragma once

#include "lanes.hpp"

namespace colonnade {

COLONNADE_INLINE float exp2(float t) {
    const float shift = 12582912.0f;  // 1.5 · 2²³: adding it rounds to a whole number
    const float k = (t + shift) - shift, r = t - k;
    float p = 1.5469732e-4f;
    p = p * r + 1.3400433e-3f;
    p = p * r + 9.6180253e-3f;
    p = p * r + 5.5503272e-2f;
    p = p * r + 2.4022651e-1f;
    p = p * r + 6.9314718e-1f;
    p = p * r + 1.0f;
    return p * __builtin_bit_cast(float, (static_cast<int>(k) + 127) << 23);
}

// Within ±80, where σ is 0 or 1 to the last bit but 2^x can't overflow. A loop of its own: compilers would
// make branches of the ends otherwise.
COLONNADE_INLINE Lanes within_bounds(const Lanes& x) {
    Lanes y;
    COLONNADE_EACH_LANE {
        const float v = x.at[l] < 80.0f ? x.at[l] : 80.0f;
        y.at[l] = v > -80.0f ? v : -80.0f;
    }
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

COLONNADE_INLINE float square_root(float x) { return __builtin_sqrtf(x); }

}  // namespace colonnade
