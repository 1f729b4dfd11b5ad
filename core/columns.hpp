// A stage of independent LSTM columns with one unit each, and its exact real-time recurrent learning.
//
//   i, f, o = σ(z_i), σ(z_f), σ(z_o)    g = tanh(z_g)        z = W [u, h⁻, 1], gates i, f, o, g
//   c = f c⁻ + i g                      h = o tanh(c)
//
// With C = dc/dθ and H = dh/dθ for each weight θ, and a_k = u_j, h⁻ or 1 the input of a weight of gate k:
//
//   C = f C⁻ + A H⁻ + b_k a_k           A = Σ over k = i, f, g of b_k R_k,   b_i = g i(1−i), b_f = c⁻ f(1−f),
//   H = o(1 − tanh²c) C                     b_g = i(1−g²)
//       + B H⁻ + [k = o] b_o a_o        B = b_o R_o,                         b_o = tanh(c) o(1−o)
//
// Four columns make a tile. Row r of a tile holds, for its four gates × four columns, everything there is of
// the weights of input r: one contiguous stream a step, twice over while it is in the cache.
#pragma once

#include "math.hpp"

namespace colonnade {

constexpr int OUTPUT = 2;            // the gate that acts on h, not on c
constexpr int GATES = 4, WIDTH = 4;  // lane = gate · WIDTH + column
constexpr int BLOCK = 4;             // tiles whose nonlinearities are done together: sixteen columns

struct Row {
    Lanes w, v, E, H, C;
};

struct Stage {
    int inputs, columns;
    Row* rows;     // tiles × (inputs + 2): observations, then h⁻, then 1
    float *h, *c;  // columns, padded

    int tiles() const { return (columns + WIDTH - 1) / WIDTH; }
    int height() const { return inputs + 2; }
    long size() const { return static_cast<long>(tiles()) * height(); }
    Row* tile(int t) const { return rows + static_cast<long>(t) * height(); }
};

// The four numbers of a tile's columns.
COLONNADE_INLINE void copy(float* to, const float* from) { __builtin_memcpy(to, from, WIDTH * sizeof(float)); }

// The same, once for each gate.
COLONNADE_INLINE Lanes for_each_gate(const float* columns) {
    Lanes v;
    for (int k = 0; k < GATES; ++k) copy(v.at + k * WIDTH, columns);
    return v;
}

// What the last event asks of a row: a step of its weights, and its gradient added to the traces.
template <class Optimizer>
COLONNADE_INLINE void learn(Row& row, const Lanes& credit, const Optimizer& optimizer, float error, float decay) {
    COLONNADE_EACH_LANE {
        const float trace = row.E.at[l];
        row.w.at[l] += optimizer.step(error * trace, row.v.at[l]);
        row.E.at[l] = decay * trace + credit.at[l] * row.H.at[l];
    }
}

// Sums of a block of tiles, by gate: sixteen columns side by side.
struct Sums {
    Lanes gate[GATES];
};

COLONNADE_INLINE void collect(const Lanes& z, int tile_in_block, Sums& sums) {
    for (int k = 0; k < GATES; ++k) copy(sums.gate[k].at + tile_in_block * WIDTH, z.at + k * WIDTH);
}

// The gates of sixteen columns, and what they do to c and h.
struct Gates {
    Lanes i, f, o, g;
};

COLONNADE_INLINE Gates open_gates(const Sums& sums) {
    return {sigmoid(sums.gate[0]), sigmoid(sums.gate[1]), sigmoid(sums.gate[OUTPUT]), tanh(sums.gate[3])};
}

COLONNADE_INLINE void move_columns(const Gates& gates, float* h, float* c) {
    Lanes now;
    COLONNADE_EACH_LANE now.at[l] = gates.f.at[l] * c[l] + gates.i.at[l] * gates.g.at[l];
    const Lanes squashed = tanh(now);
    COLONNADE_EACH_LANE {
        c[l] = now.at[l];
        h[l] = gates.o.at[l] * squashed.at[l];
    }
}

COLONNADE_INLINE void add(Lanes& z, const Lanes& w, float u) {
    COLONNADE_EACH_LANE z.at[l] += w.at[l] * u;
}

COLONNADE_INLINE void add(Lanes& z, const Lanes& w, const Lanes& u) {
    COLONNADE_EACH_LANE z.at[l] += w.at[l] * u.at[l];
}

// Moves a stage that doesn't learn: weights are read, nothing else.
COLONNADE_INLINE void move(const Stage& stage, const float* u) {
    for (int first = 0; first < stage.tiles(); first += BLOCK) {
        Sums sums{};
        const int last = first + BLOCK < stage.tiles() ? first + BLOCK : stage.tiles();
        for (int t = first; t < last; ++t) {
            const Row* row = stage.tile(t);
            Lanes z{};
            for (int r = 0; r < stage.inputs; ++r) add(z, row[r].w, u[r]);
            add(z, row[stage.inputs].w, for_each_gate(stage.h + t * WIDTH));
            add(z, row[stage.inputs + 1].w, 1.0f);
            collect(z, t - first, sums);
        }
        const Gates gates = open_gates(sums);
        move_columns(gates, stage.h + first * WIDTH, stage.c + first * WIDTH);
    }
}

// What the second pass needs of a block: the factors of C and H above, a number a column.
struct Slopes {
    Lanes f, A, down, B, b[GATES], h_before;  // down = o(1 − tanh²c)
};

COLONNADE_INLINE Slopes slopes_of(const Gates& gates, const Lanes (&R)[GATES], const float* h, const float* c) {
    const Lanes &i = gates.i, &f = gates.f, &o = gates.o, &g = gates.g;
    Lanes now;
    COLONNADE_EACH_LANE now.at[l] = f.at[l] * c[l] + i.at[l] * g.at[l];
    const Lanes squashed = tanh(now);
    Slopes s;
    COLONNADE_EACH_LANE {
        const float b_i = g.at[l] * i.at[l] * (1.0f - i.at[l]), b_f = c[l] * f.at[l] * (1.0f - f.at[l]);
        const float b_o = squashed.at[l] * o.at[l] * (1.0f - o.at[l]), b_g = i.at[l] * (1.0f - g.at[l] * g.at[l]);
        s.f.at[l] = f.at[l];
        s.A.at[l] = b_i * R[0].at[l] + b_f * R[1].at[l] + b_g * R[3].at[l];
        s.down.at[l] = o.at[l] * (1.0f - squashed.at[l] * squashed.at[l]);
        s.B.at[l] = b_o * R[2].at[l];
        s.b[0].at[l] = b_i, s.b[1].at[l] = b_f, s.b[2].at[l] = b_o, s.b[3].at[l] = b_g;
        s.h_before.at[l] = h[l];
    }
    return s;
}

// One row's influences; b_c and b_h are b for the gates that act through c, and for the output gate.
COLONNADE_INLINE void influence(Row& row, const Lanes& a, const Lanes& f, const Lanes& A, const Lanes& down,
                                const Lanes& B, const Lanes& b_c, const Lanes& b_h) {
    COLONNADE_EACH_LANE {
        const float H = row.H.at[l];
        const float C = f.at[l] * row.C.at[l] + A.at[l] * H + b_c.at[l] * a.at[l];
        row.C.at[l] = C;
        row.H.at[l] = down.at[l] * C + B.at[l] * H + b_h.at[l] * a.at[l];
    }
}

COLONNADE_INLINE void influences(const Stage& stage, int t, int tile_in_block, const Slopes& s, const float* u) {
    const int at = tile_in_block * WIDTH;
    const Lanes f = for_each_gate(s.f.at + at), A = for_each_gate(s.A.at + at), B = for_each_gate(s.B.at + at);
    const Lanes down = for_each_gate(s.down.at + at), h = for_each_gate(s.h_before.at + at);
    Lanes b_c{}, b_h{};
    for (int k = 0; k < GATES; ++k) copy((k == OUTPUT ? b_h : b_c).at + k * WIDTH, s.b[k].at + at);
    Row* row = stage.tile(t);
    for (int r = 0; r < stage.inputs; ++r) {
        Lanes a;
        COLONNADE_EACH_LANE a.at[l] = u[r];
        influence(row[r], a, f, A, down, B, b_c, b_h);
    }
    Lanes one;
    COLONNADE_EACH_LANE one.at[l] = 1.0f;
    influence(row[stage.inputs], h, f, A, down, B, b_c, b_h);
    influence(row[stage.inputs + 1], one, f, A, down, B, b_c, b_h);
}

// Moves a stage that learns: what the last event asks is done, then the columns move, and their influences.
template <class Optimizer>
COLONNADE_INLINE void move_and_learn(const Stage& stage, const float* u, const float* credit,
                                     const Optimizer& optimizer, float error, float decay) {
    for (int first = 0; first < stage.tiles(); first += BLOCK) {
        Sums sums{};
        Lanes R[GATES]{};
        const int last = first + BLOCK < stage.tiles() ? first + BLOCK : stage.tiles();
        for (int t = first; t < last; ++t) {
            Row* row = stage.tile(t);
            const Lanes asked = for_each_gate(credit + t * WIDTH);
            Lanes z{};
            for (int r = 0; r < stage.inputs; ++r) {
                learn(row[r], asked, optimizer, error, decay);
                add(z, row[r].w, u[r]);
            }
            Row &past = row[stage.inputs], &bias = row[stage.inputs + 1];
            learn(past, asked, optimizer, error, decay);
            learn(bias, asked, optimizer, error, decay);
            add(z, past.w, for_each_gate(stage.h + t * WIDTH));
            add(z, bias.w, 1.0f);
            collect(z, t - first, sums);
            for (int k = 0; k < GATES; ++k) copy(R[k].at + (t - first) * WIDTH, past.w.at + k * WIDTH);
        }
        const Gates gates = open_gates(sums);
        float *h = stage.h + first * WIDTH, *c = stage.c + first * WIDTH;
        const Slopes slopes = slopes_of(gates, R, h, c);
        move_columns(gates, h, c);
        for (int t = first; t < last; ++t) influences(stage, t, t - first, slopes, u);
    }
}

// Does what the last event asks of a stage that is about to freeze.
template <class Optimizer>
COLONNADE_INLINE void settle(const Stage& stage, const Optimizer& optimizer, float error) {
    const Lanes nothing{};
    for (long r = 0; r < stage.size(); ++r)
        learn(stage.rows[r], nothing, optimizer, error, 0.0f);
}

}  // namespace colonnade
