// Independent LSTM columns of one unit each, and their exact real-time recurrent learning.
//
//   i, f, o = σ(z_i), σ(z_f), σ(z_o)    g = tanh(z_g)        z = W [u, h⁻, 1], gates i, f, o, g
//   c = f c⁻ + i g                      h = o tanh(c)
//
// With C = dc/dθ and H = dh/dθ for each weight θ, and a = u_j, h⁻ or 1 the input of a weight of gate k:
//
//   C = f C⁻ + A H⁻ + [k ≠ o] b_k a     A = Σ over k = i, f, g of b_k R_k      R_k the weight of h⁻ in gate k
//   H = ∂h/∂c C + B H⁻ + [k = o] b_o a  B = b_o R_o                            b_k as in lstm.hpp
//
// A row of sixteen weights is four gates × four columns of one input, or, where columns are few and inputs many,
// four gates × four inputs of one column. Everything there is of a weight lies in its row: a step reads one
// contiguous stream, twice over while it is in the cache.
#pragma once

#include "lstm.hpp"
#include "weights.hpp"

namespace colonnade::COLONNADE_ISA {

// How the lanes of a row are shared out: lane = gate · 4 + column, or gate · 4 + input.
template <int COLUMNS>
struct Tile;

template <>
struct Tile<4> {
    static constexpr int LAST = 2;  // rows after the inputs': of h⁻, of 1

    static COLONNADE_INLINE Lanes input(const float* u, int r) { return in_all_lanes(u[r]); }
    static COLONNADE_INLINE Lanes last_input(const float* h, int t, int which) {
        return which == 0 ? for_each_gate(h + t * QUARTER) : in_all_lanes(1.0f);
    }
    static COLONNADE_INLINE Lanes of_columns(const float* columns, int t) {
        return for_each_gate(columns + t * QUARTER);
    }
    static COLONNADE_INLINE Lanes of_gates(const Lanes (&gate)[GATES], int t) { return spread(gate, t); }
    static COLONNADE_INLINE void collect_sums(const Lanes& z, int t, Sums& sums) { collect(z, t, sums); }
    static COLONNADE_INLINE void collect_past(const Lanes& w, int t, Sums& past) { collect(w, t, past); }
};

template <>
struct Tile<1> {
    static constexpr int LAST = 1;  // of h⁻ and 1, beside each other

    // Of whole rows, which spread_inputs wrote.
    static COLONNADE_INLINE const Lanes& input(const float* u, int r) {
        return reinterpret_cast<const Lanes*>(u)[r];
    }
    static COLONNADE_INLINE Lanes last_input(const float* h, int t, int) {
        const float four[QUARTER] = {h[t], 1.0f, 0.0f, 0.0f};
        return for_each_gate(four);
    }
    static COLONNADE_INLINE Lanes of_columns(const float* columns, int t) { return in_all_lanes(columns[t]); }
    static COLONNADE_INLINE Lanes of_gates(const Lanes (&gate)[GATES], int t) {
        Lanes v;
        for (int k = 0; k < GATES; ++k)
            for (int j = 0; j < QUARTER; ++j) v.at[k * QUARTER + j] = gate[k].at[t];
        return v;
    }
    static COLONNADE_INLINE void collect_sums(const Lanes& z, int t, Sums& sums) {
        alignas(64) float v[LANES];  // a copy: z itself stays in a register while it grows
        put(v, z);
        for (int k = 0; k < LANES; k += QUARTER) sums.gate[k / QUARTER].at[t] = (v[k] + v[k + 1]) + (v[k + 2] + v[k + 3]);
    }
    static COLONNADE_INLINE void collect_past(const Lanes& w, int t, Sums& past) {
        for (int k = 0; k < GATES; ++k) past.gate[k].at[t] = w.at[k * QUARTER];
    }
};

// How the columns of a stage lie in memory.
struct ColumnShape {
    int inputs, columns, predictions;

    // Whether tiles of four columns need clearly more rows than tiles of one.
    bool narrow() const {
        const long four = quarters_of(columns) * (inputs + 2L), one = columns * (quarters_of(inputs) + 1L);
        return one * 10 < four * 9;
    }
    int side() const { return narrow() ? 1 : QUARTER; }
    int tiles() const { return (columns + side() - 1) / side(); }
    int input_rows() const { return narrow() ? static_cast<int>(quarters_of(inputs)) : inputs; }
    int height() const { return input_rows() + (narrow() ? 1 : 2); }
    long rows() const { return static_cast<long>(tiles()) * height(); }

    // Where the weight of gate k of column i for input j is: inputs, then h⁻, then 1.
    Spot spot(Lanes* first, long row_size, long i, long k, long j) const {
        const long lane = k * QUARTER;
        if (!narrow()) return {first + (i / QUARTER * height() + j) * row_size, lane + i % QUARTER};
        const long place = j < inputs ? j : static_cast<long>(input_rows()) * QUARTER + (j - inputs);
        return {first + (i * height() + place / QUARTER) * row_size, lane + place % QUARTER};
    }
};

// For tiles of one column: four inputs a row, once for each gate.
COLONNADE_INLINE void spread_inputs(const float* u, int rows, float* lanes) {
    for (int r = 0; r < rows; ++r) {
        const Lanes four = for_each_gate(u + r * QUARTER);
        __builtin_memcpy(lanes + static_cast<long>(r) * LANES, four.at, sizeof four.at);
    }
}

template <int SIDE, int TRACES, class Optimizer>
struct Columns {
    using Weight = Weights<TRACES, Optimizer>;
    using T = Tile<SIDE>;
    static constexpr int BLOCK = LANES / SIDE;  // tiles that make sixteen columns

    const ColumnShape& shape;
    Lanes* rows;   // of tiles in turn: weights with moments and traces, H, C
    float *h, *c;  // padded to lanes
    Lanes* asked;  // room for a row a prediction

    static constexpr long row_size(int predictions) { return Weight::size(predictions) + 2; }
    COLONNADE_INLINE long row_size() const { return row_size(shape.predictions); }
    COLONNADE_INLINE Lanes* tile(int t) const { return rows + t * (row_size() * shape.height()); }
    COLONNADE_INLINE Lanes* influence_of(Lanes* row) const { return row + Weight::size(shape.predictions); }

    // A stage that doesn't learn: weights are read, nothing else.
    COLONNADE_INLINE void move_only(const float* u) const {
        each_block([&](int first, int end) COLONNADE_INLINED {
            Sums sums{};
            for (int t = first; t < end; ++t) {
                T::collect_sums(sum_over_rows(t, u, [](Lanes*) {}), t - first, sums);
            }
            const Gates gates = open_gates(sums);
            const Memory memory = remember(gates, c + first * SIDE);
            colonnade::COLONNADE_ISA::move(gates, memory, h + first * SIDE, c + first * SIDE);
        });
    }

    // The columns move, and their influences; before, what is still to be done is done.
    template <bool OPEN>
    COLONNADE_INLINE void move(const float* u, const Blame& blame, const Optimizer& optimizer,
                               const Correction& correction) const {
        each_block([&](int first, int end) COLONNADE_INLINED {
            Sums sums{}, past{};
            for (int t = first; t < end; ++t) {
                const Asked one = OPEN ? ask(blame, t) : Asked{};
                const Lanes z = sum_over_rows(t, u, [&](Lanes* row) COLONNADE_INLINED {
                    if constexpr (OPEN) learn(row, one, blame, optimizer, correction);
                });
                T::collect_sums(z, t - first, sums);
                T::collect_past(tile(t)[shape.input_rows() * row_size()], t - first, past);
            }
            move_block(first, end, u, sums, past);
        });
    }

    COLONNADE_INLINE void settle(const Blame& blame, const Optimizer& optimizer, const Correction& correction) const {
        for (int t = 0; t < shape.tiles(); ++t) {
            const Asked one = ask(blame, t);
            Lanes* row = tile(t);
            for (int r = 0; r < shape.height(); ++r, row += row_size()) learn(row, one, blame, optimizer, correction);
        }
    }

    // How far the weights would move, added to `total`.
    COLONNADE_INLINE void measure(const Blame& blame, const Optimizer& optimizer, const Correction& correction,
                                  Lanes& total) const {
        for (int t = 0; t < shape.tiles(); ++t) {
            const Asked one = ask(blame, t);
            Lanes* row = tile(t);
            for (int r = 0; r < shape.height(); ++r, row += row_size()) {
                const Lanes g = TRACES == NONE ? times(one.credit, influence_of(row)[0]) : Weight::direction(row, blame);
                Weight::measure(row, g, optimizer, correction, total);
            }
        }
    }

    void start() const {
        for (long r = 0; r < shape.rows(); ++r) Weight::start(rows + r * row_size());
    }

    void forget() const {
        clear(h, padded(shape.columns)), clear(c, padded(shape.columns));
        forget_influences();
    }

    // States stay, and what the optimizer keeps; what they owe to the weights is forgotten.
    void forget_influences() const {
        for (long r = 0; r < shape.rows(); ++r) {
            Lanes* row = rows + r * row_size();
            Weight::forget(row, shape.predictions);
            influence_of(row)[0] = influence_of(row)[1] = Lanes{};
        }
    }

   private:
    // What is asked of a tile's columns; of many predictions it is in `asked`.
    struct Asked {
        Lanes credit, error, decay;
    };

    COLONNADE_INLINE Asked ask(const Blame& blame, int t) const {
        Asked one{};
        if constexpr (TRACES == MANY)
            for (int p = 0; p < shape.predictions; ++p) asked[p] = T::of_columns(blame.credit_of(p), t);
        else
            one.credit = T::of_columns(blame.credit, t);
        if constexpr (TRACES == ONE) one.error = in_all_lanes(*blame.error), one.decay = in_all_lanes(*blame.decay);
        return one;
    }

    COLONNADE_INLINE void learn(Lanes* row, const Asked& one, const Blame& blame, const Optimizer& optimizer,
                                const Correction& correction) const {
        const Lanes& H = influence_of(row)[0];
        if constexpr (TRACES == MANY) {
            Weight::learn(row, Weight::direction(row, blame), optimizer, correction);
            for (int p = 0; p < shape.predictions; ++p) Weight::trace(row, blame, p, times(asked[p], H));
        } else if constexpr (TRACES == ONE) {
            Weight::learn(row, one.error, one.decay, times(one.credit, H), optimizer, correction);
        } else {
            Weight::learn(row, times(one.credit, H), optimizer, correction);
        }
    }

    template <class Use>
    COLONNADE_INLINE void each_block(const Use& use) const {
        const int tiles = shape.tiles();
        for (int first = 0; first < tiles; first += BLOCK) use(first, first + BLOCK < tiles ? first + BLOCK : tiles);
    }

    // z of a tile; `first` does something to each row before it is used.
    template <class First>
    COLONNADE_INLINE Lanes sum_over_rows(int t, const float* u, const First& first) const {
        Lanes z{};
        each_row(t, u, h, t, [&](Lanes* row, const Lanes& a) COLONNADE_INLINED {
            first(row);
            add(z, *row, a);
        });
        return z;
    }

    // Every row of a tile, with the input of its weights; `past` has h⁻, of the tile at `place`.
    template <class Use>
    COLONNADE_INLINE void each_row(int t, const float* u, const float* past, int place, const Use& use) const {
        Lanes* row = tile(t);
        const int inputs = shape.input_rows();
        for (int r = 0; r < inputs; ++r, row += row_size()) use(row, T::input(u, r));
        for (int r = 0; r < T::LAST; ++r, row += row_size()) use(row, T::last_input(past, place, r));
    }

    COLONNADE_INLINE void move_block(int first, int end, const float* u, const Sums& sums, const Sums& past) const {
        const Gates gates = open_gates(sums);
        float *h_now = h + first * SIDE, *c_now = c + first * SIDE;
        const Memory memory = remember(gates, c_now);
        const Slopes s = slopes_of(gates, memory, c_now);
        const Lanes before = load(h_now);
        colonnade::COLONNADE_ISA::move(gates, memory, h_now, c_now);
        Lanes A, B;
        COLONNADE_EACH_LANE {
            A.at[l] = s.by[0].at[l] * past.gate[0].at[l] + s.by[1].at[l] * past.gate[1].at[l] +
                      s.by[3].at[l] * past.gate[3].at[l];
            B.at[l] = s.by[OUTPUT].at[l] * past.gate[OUTPUT].at[l];
        }
        for (int t = first; t < end; ++t) move_influences(t, t - first, u, s, A, B, before);
    }

    COLONNADE_INLINE void move_influences(int t, int place, const float* u, const Slopes& s, const Lanes& A_block,
                                          const Lanes& B_block, const Lanes& before) const {
        const Lanes kept = T::of_columns(s.kept.at, place), down = T::of_columns(s.down.at, place);
        const Lanes A = T::of_columns(A_block.at, place), B = T::of_columns(B_block.at, place);
        Lanes by_c = T::of_gates(s.by, place), by_h{};
        for (int l = OUTPUT * QUARTER; l < (OUTPUT + 1) * QUARTER; ++l) by_h.at[l] = by_c.at[l], by_c.at[l] = 0.0f;
        each_row(t, u, before.at, place, [&](Lanes* row, const Lanes& a) COLONNADE_INLINED {
            Lanes *H = influence_of(row), *C = H + 1;
            COLONNADE_EACH_LANE {
                const float h_before = H->at[l];
                const float now = kept.at[l] * C->at[l] + A.at[l] * h_before + by_c.at[l] * a.at[l];
                C->at[l] = now;
                H->at[l] = down.at[l] * now + B.at[l] * h_before + by_h.at[l] * a.at[l];
            }
        });
    }
};

}  // namespace colonnade::COLONNADE_ISA
