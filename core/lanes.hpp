// Sixteen numbers side by side: the unit in which the engine computes.
//
// A loop over them has no dependence between its turns, so compilers make it one AVX-512 instruction, two of
// AVX2 or four of SSE2, with the same bits in each case.
#pragma once

#include "engine.hpp"

#define COLONNADE_INLINE inline __attribute__((always_inline))
#define COLONNADE_INLINED __attribute__((always_inline))  // of a lambda
#define COLONNADE_APART __attribute__((noinline))         // of what is rare: it would only swell the hot path
#if defined(__clang__)
#define COLONNADE_EACH_LANE _Pragma("clang loop vectorize(enable)") for (int l = 0; l < LANES; ++l)
#else
#define COLONNADE_EACH_LANE _Pragma("GCC ivdep") for (int l = 0; l < LANES; ++l)
#endif

namespace colonnade::COLONNADE_ISA {

constexpr int LANES = 16;

struct alignas(64) Lanes {
    float at[LANES];
};

// The least multiple of 16 that is at least n.
constexpr long padded(long n) { return (n + LANES - 1) / LANES * LANES; }

// How many rows of sixteen n numbers fill, and how many quarters of a row.
constexpr long lanes_of(long n) { return (n + LANES - 1) / LANES; }
constexpr long quarters_of(long n) { return (n + LANES / 4 - 1) / (LANES / 4); }

// Where one number lies.
struct Spot {
    Lanes* row;
    long lane;
};

COLONNADE_INLINE Lanes in_all_lanes(float v) {
    Lanes y;
    COLONNADE_EACH_LANE y.at[l] = v;
    return y;
}

COLONNADE_INLINE Lanes load(const float* from) {
    Lanes y;
    COLONNADE_EACH_LANE y.at[l] = from[l];
    return y;
}

COLONNADE_INLINE void add(Lanes& z, const Lanes& w, float u) { COLONNADE_EACH_LANE z.at[l] += w.at[l] * u; }

COLONNADE_INLINE void add(Lanes& z, const Lanes& w, const Lanes& u) {
    COLONNADE_EACH_LANE z.at[l] += w.at[l] * u.at[l];
}

COLONNADE_INLINE Lanes times(const Lanes& a, const Lanes& b) {
    Lanes y;
    COLONNADE_EACH_LANE y.at[l] = a.at[l] * b.at[l];
    return y;
}

// Each lane with the one that is so many further on added; the last ones stay.
COLONNADE_INLINE Lanes plus_shifted(const Lanes& v, int by) {
    Lanes y = v;
    for (int l = 0; l < LANES - by; ++l) y.at[l] += v.at[l + by];
    return y;
}

// The sum of the lanes, by halves: the same order of additions everywhere.
COLONNADE_INLINE float sum(const Lanes& lanes) {
    Lanes v = lanes;
    for (int half = LANES / 2; half > 0; half /= 2)
        for (int l = 0; l < half; ++l) v.at[l] += v.at[l + half];
    return v.at[0];
}

COLONNADE_INLINE void put(float* to, const Lanes& v) { COLONNADE_EACH_LANE to[l] = v.at[l]; }

COLONNADE_INLINE void copy(float* to, const float* from, long n) {
    for (long i = 0; i < n; ++i) to[i] = from[i];
}

COLONNADE_INLINE void clear(float* numbers, long n) {
    for (long i = 0; i < n; ++i) numbers[i] = 0.0f;
}

}  // namespace colonnade::COLONNADE_ISA
