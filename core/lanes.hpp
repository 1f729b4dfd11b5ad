// Sixteen numbers side by side: the unit in which the engine computes.
//
// A loop over them has no dependence between its turns, so compilers make it one AVX-512 instruction, two of
// AVX2 or four of SSE2, with the same bits in each case.
#pragma once

#define COLONNADE_INLINE inline __attribute__((always_inline))
#if defined(__clang__)
#define COLONNADE_EACH_LANE _Pragma("clang loop vectorize(enable)") for (int l = 0; l < LANES; ++l)
#else
#define COLONNADE_EACH_LANE _Pragma("GCC ivdep") for (int l = 0; l < LANES; ++l)
#endif

namespace colonnade {

constexpr int LANES = 16;

struct alignas(64) Lanes {
    float at[LANES];
};

// The least multiple of 16 that is at least n.
constexpr int padded(int n) { return (n + LANES - 1) / LANES * LANES; }

// The sum of the lanes, by halves: the same order of additions everywhere.
COLONNADE_INLINE float sum(Lanes v) {
    for (int half = LANES / 2; half > 0; half /= 2)
        for (int l = 0; l < half; ++l) v.at[l] += v.at[l + half];
    return v.at[0];
}

}  // namespace colonnade
