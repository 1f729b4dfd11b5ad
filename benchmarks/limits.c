// What one core can do at most: `colonnade bench engine` holds the engine's steps against it.
//
// Every function works through `passes` passes over the same numbers, and the caller measures the time.
// Vectors are as wide as the instruction set that the compiler was told of.
#include <stddef.h>

#if defined(__AVX512F__)
#define BYTES 64
#elif defined(__AVX__)
#define BYTES 32
#else
#define BYTES 16
#endif

typedef float vector __attribute__((vector_size(BYTES)));

enum { WIDTH = BYTES / sizeof(float), CHAINS = 12 };  // so many sums hide the latency of each, and fit the registers

int limits_width(void) { return WIDTH; }

int limits_chains(void) { return CHAINS; }

// Fused multiply-adds: CHAINS of WIDTH a pass, none waiting for another. Compiled with -ffp-contract=fast.
float limits_multiply_add(long passes) {
    vector sum[CHAINS], total = {0}, by = {0}, plus = {0};
    by += 0.5f, plus += 1.0f;
    for (int i = 0; i < CHAINS; ++i) sum[i] = plus * (float)i;
    for (long n = 0; n < passes; ++n) {
#pragma GCC unroll 12
        for (int i = 0; i < CHAINS; ++i) sum[i] = sum[i] * by + plus;
    }
    for (int i = 0; i < CHAINS; ++i) total += sum[i];
    return total[0];
}

// A square root and a division for each of n numbers, as RMSProp has them.
void limits_root_and_divide(float *restrict x, const float *restrict y, long n, long passes) {
    for (long p = 0; p < passes; ++p)
        for (long i = 0; i < n; ++i) x[i] = 1.0f / (__builtin_sqrtf(y[i]) + x[i]);
}

// Reads and writes n vectors in place.
void limits_in_place(vector *x, long n, long passes) {
    for (long p = 0; p < passes; ++p)
        for (long i = 0; i < n; ++i) x[i] = x[i] * 0.5f + 1.0f;
}
