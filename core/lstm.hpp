// Long short-term memory, sixteen units at a time.
//
//   i, f, o = σ(z_i), σ(z_f), σ(z_o)    g = tanh(z_g)    c = f c⁻ + i g    h = o tanh(c)
//
//   dc/dz_i = g i(1−i)    dc/dz_f = c⁻ f(1−f)    dc/dz_g = i(1−g²)    dh/dz_o = tanh(c) o(1−o)
//   dc/dc⁻ = f            dh/dc = o(1 − tanh²c)
#pragma once

#include "math.hpp"

namespace colonnade::COLONNADE_ISA {

constexpr int GATES = 4, QUARTER = LANES / GATES;  // a row of weights holds four of each gate
constexpr int OUTPUT = 2;                          // the gate that acts on h, not on c

// A number for each gate of sixteen units.
struct Sums {
    Lanes gate[GATES];
};

struct Gates {
    Lanes i, f, o, g;
};

COLONNADE_INLINE Gates open_gates(const Sums& z) {
    return {sigmoid(z.gate[0]), sigmoid(z.gate[1]), sigmoid(z.gate[OUTPUT]), tanh(z.gate[3])};
}

// What c will be, and its tanh.
struct Memory {
    Lanes now, squashed;
};

COLONNADE_INLINE Memory remember(const Gates& gates, const float* c) {
    Memory memory;
    COLONNADE_EACH_LANE memory.now.at[l] = gates.f.at[l] * c[l] + gates.i.at[l] * gates.g.at[l];
    memory.squashed = tanh(memory.now);
    return memory;
}

COLONNADE_INLINE void move(const Gates& gates, const Memory& memory, float* h, float* c) {
    COLONNADE_EACH_LANE c[l] = memory.now.at[l];
    COLONNADE_EACH_LANE h[l] = gates.o.at[l] * memory.squashed.at[l];
}

// The derivatives above; `by` gate, of c or, of the output gate, of h.
struct Slopes {
    Lanes kept, down;  // dc/dc⁻ and dh/dc
    Lanes by[GATES];
};

COLONNADE_INLINE Slopes slopes_of(const Gates& gates, const Memory& memory, const float* c_before) {
    Slopes s;
    COLONNADE_EACH_LANE {
        const float i = gates.i.at[l], f = gates.f.at[l], o = gates.o.at[l], g = gates.g.at[l];
        const float squashed = memory.squashed.at[l];
        s.kept.at[l] = f;
        s.down.at[l] = o * (1.0f - squashed * squashed);
        s.by[0].at[l] = g * i * (1.0f - i);
        s.by[1].at[l] = c_before[l] * f * (1.0f - f);
        s.by[OUTPUT].at[l] = squashed * o * (1.0f - o);
        s.by[3].at[l] = i * (1.0f - g * g);
    }
    return s;
}

// Four numbers, once for each gate.
COLONNADE_INLINE Lanes for_each_gate(const float* four) {
    Lanes v;
    for (int k = 0; k < GATES; ++k) __builtin_memcpy(v.at + k * QUARTER, four, QUARTER * sizeof(float));
    return v;
}

// Four units' sums, lane = gate · 4 + unit, to their place among sixteen.
COLONNADE_INLINE void collect(const Lanes& z, int row, Sums& sums) {
    for (int k = 0; k < GATES; ++k)
        __builtin_memcpy(sums.gate[k].at + row * QUARTER, z.at + k * QUARTER, QUARTER * sizeof(float));
}

// The reverse of it.
COLONNADE_INLINE Lanes spread(const Lanes (&gate)[GATES], int row) {
    Lanes v;
    for (int k = 0; k < GATES; ++k)
        __builtin_memcpy(v.at + k * QUARTER, gate[k].at + row * QUARTER, QUARTER * sizeof(float));
    return v;
}

}  // namespace colonnade::COLONNADE_ISA
