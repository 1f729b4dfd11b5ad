// Where a learner's arrays lie. Each part of it asks for room in the same order: once to count, once to take.
#pragma once

#include "lanes.hpp"

namespace colonnade::COLONNADE_ISA {

// Counts up to more than anyone has, and no further: what is asked for may be too much for a long.
struct Counter {
    static constexpr long MOST = __LONG_MAX__ / 4;
    Needs needs{};

    Lanes* rows(long a, long b = 1, long c = 1) {
        needs.rows = sum(needs.rows, product(product(a, b), product(c, LANES)));
        return nullptr;
    }
    float* vector(long n) {
        needs.vectors = sum(needs.vectors, padded(n));
        return nullptr;
    }

   private:
    static long sum(long a, long b) { return b < MOST - a ? a + b : MOST; }
    static long product(long a, long b) {
        long ab;
        return __builtin_mul_overflow(a, b, &ab) || ab > MOST ? MOST : ab;
    }
};

struct Taker {
    float *rows_left, *vectors_left;

    // a · b · c of them.
    Lanes* rows(long a, long b = 1, long c = 1) {
        Lanes* mine = reinterpret_cast<Lanes*>(rows_left);
        rows_left += a * b * c * LANES;
        return mine;
    }
    float* vector(long n) {
        float* mine = vectors_left;
        vectors_left += padded(n);
        return mine;
    }
};

// Room for n rows of lanes beside the vectors.
template <class Room>
Lanes* lanes(Room& room, long n) {
    return reinterpret_cast<Lanes*>(room.vector(n * LANES));
}

}  // namespace colonnade::COLONNADE_ISA
