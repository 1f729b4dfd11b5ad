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
    const int exponent = (static_cast<int>(k) + 127) << 23;
    float power;
    __builtin_memcpy(&power, &exponent, sizeof power);
    return p * power;
}

COLONNADE_INLINE float sigmoid(float x) {
    x = x > 80.0f ? 80.0f : x;
    x = x < -80.0f ? -80.0f : x;
    return 1.0f / (1.0f + exp2(x * -1.44269504f));
}

COLONNADE_INLINE float tanh(float x) { return 2.0f * sigmoid(2.0f * x) - 1.0f; }

COLONNADE_INLINE float square_root(float x) { return __builtin_sqrtf(x); }

}  // namespace colonnade
