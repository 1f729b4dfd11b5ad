// Shows a visitor the arrays that a learner is made of.
#pragma once

#include "weights.hpp"

namespace colonnade::COLONNADE_ISA {

// An array's name: "part.name", or "part.index.name".
struct Name {
    const char* part;
    int index;
    const char* name;
};

// `at(i, j, k, q)` is the number there, on as many axes as the shape has.
template <class At>
void show(Visitor& visitor, const Name& name, const char* of, const Shape& shape, const At& at) {
    if (!visitor.open(name.part, name.index, name.name, of, shape)) return;
    long n[4] = {1, 1, 1, 1};
    for (int a = 0; a < shape.axes; ++a) n[a] = shape.size[a];
    for (long i = 0; i < n[0]; ++i)
        for (long j = 0; j < n[1]; ++j)
            for (long k = 0; k < n[2]; ++k)
                for (long q = 0; q < n[3]; ++q) visitor.number(at(i, j, k, q));
}

// n numbers beside each other.
inline void show_vector(Visitor& visitor, const Name& name, float* numbers, long n) {
    show(visitor, name, "", {1, {n}}, [=](long i, long, long, long) -> float& { return numbers[i]; });
}

// What is kept of weights of up to three axes at one depth of their rows; `spot(i, j, k)` is where one is.
template <class Where>
void show_depth(Visitor& visitor, const Name& name, const char* of, const Shape& shape, long depth, const Where& spot) {
    show(visitor, name, of, shape, [&](long i, long j, long k, long) -> float& {
        const Spot at = spot(i, j, k);
        return at.row[depth].at[at.lane];
    });
}

// Weights, their moments and their traces; of traces, a leading axis of predictions.
template <int TRACES, class Optimizer, class Where>
void show_weights(Visitor& visitor, const Name& name, const Shape& shape, int predictions, const Where& spot) {
    show_depth(visitor, name, "", shape, 0, spot);
    if constexpr (Optimizer::MOMENTS == 1) show_depth(visitor, name, "v", shape, 1, spot);
    if constexpr (Optimizer::MOMENTS == 2) {
        show_depth(visitor, name, "m", shape, 1, spot);
        show_depth(visitor, name, "v", shape, 2, spot);
    }
    if constexpr (TRACES != NONE) {
        const Shape traced{shape.axes + 1, {predictions, shape.size[0], shape.size[1], shape.size[2]}};
        show(visitor, name, "E", traced, [&](long p, long i, long j, long k) -> float& {
            const Spot at = spot(i, j, k);
            return at.row[Weights<TRACES, Optimizer>::TRACE + p].at[at.lane];
        });
    }
}

// β₁ⁿ and β₂ⁿ of n weights, if the optimizer asks.
template <class Optimizer>
void show_ages(Visitor& visitor, const Name& name, const Ages<Optimizer>& ages, long n) {
    if constexpr (Ages<Optimizer>::COUNT)
        for (int which = 0; which < 2; ++which)
            show(visitor, name, which == 0 ? "first_age" : "second_age", {1, {n}}, [&](long i, long, long, long) -> float& {
                Age& age = ages.rows[i / LANES];
                return (which == 0 ? age.first : age.second).at[i % LANES];
            });
}

}  // namespace colonnade::COLONNADE_ISA
