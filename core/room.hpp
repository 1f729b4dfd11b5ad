// Where a learner's arrays lie. Each part of it asks for room in the same order: once to count, once to take.
#pragma once

#include "lanes.hpp"

namespace colonnade::COLONNADE_ISA {

struct Counter {
    Needs needs{};

    Lanes* rows(long n) {
        needs.rows += n * LANES;
        return nullptr;
    }
    float* vector(long n) {
        needs.vectors += padded(n);
        return nullptr;
    }
};

struct Taker {
    float *rows_left, *vectors_left;

    Lanes* rows(long n) {
        Lanes* mine = reinterpret_cast<Lanes*>(rows_left);
        rows_left += n * LANES;
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
