// A dense LSTM and truncated backpropagation through its last k steps, at every event.
//
//   z(s) = W [u(s), h(s−1), 1]                                 gates i, f, o, g; c and h as in lstm.hpp
//
//   from s = t, with dh = dŷ/dh and dc = 0, down to s = t − k + 1:
//     dc ← dc + dh ∂h/∂c        dz = dc b, of the output gate dh b        dW ← dW + dz [u(s), h(s−1), 1]ᵀ
//     dh ← Uᵀ dz                dc ← f dc                                 U the columns of W for h(s−1)
//
// States and gates are those that were lived, U is the present one. A row of sixteen weights is four gates ×
// four units of one input.
#pragma once

#include "lstm.hpp"
#include "normaliser.hpp"

namespace colonnade::COLONNADE_ISA {

template <int TRACES, class Optimizer>
class Dense {
   public:
    template <class Room>
    void lay_out(Room& room, const Settings& settings, int predictions) {
        inputs_ = settings.inputs, units_ = settings.units, k_ = settings.truncation, predictions_ = predictions;
        tiles_ = static_cast<int>(quarters_of(units_)), blocks_ = static_cast<int>(lanes_of(units_));
        rows_ = room.rows(tiles_, height(), row_size());
        slopes_ = room.rows(k_, blocks_, SLOPES);
        past_ = reinterpret_cast<float*>(room.rows(k_, lanes_of(height())));
        blamed_ = room.rows(TRACES == MANY ? predictions : 1, k_, tiles_);
        ages_.lay_out(room, 1);
        seen_.lay_out(room, inputs_, settings.normalise_inputs, settings);
        h_ = room.vector(units_), c_ = room.vector(units_);
        dh_ = room.vector(units_), dc_ = room.vector(units_);
        input_ = room.vector(height()), scale_ = room.vector(inputs_);
        ring_ = room.vector(2);
    }

    void start() const {
        seen_.start(0, inputs_);
        ages_.start(0, 1);
        for (long r = 0; r < static_cast<long>(tiles_) * height(); ++r) Weight::start(rows_ + r * row_size());
    }

    int most_features() const { return units_; }
    COLONNADE_INLINE int features(long long) const { return units_; }
    static COLONNADE_INLINE bool changes(long long) { return false; }
    static void begin(long long) {}

    template <bool OPEN>
    COLONNADE_INLINE void move(const float* x, long long, const Blame& blame, const Optimizer& optimizer,
                               float* features) const {
        if constexpr (OPEN) learn(blame, optimizer);
        see(x);
        const int slot = step_ring();
        copy(past_of(slot), input_, height());
        each_block([&](int b, const Gates& gates, const Memory& memory) COLONNADE_INLINED {
            const Slopes s = slopes_of(gates, memory, c_ + b * LANES);
            Lanes* kept = slopes_at(slot, b);
            kept[0] = s.kept, kept[1] = s.down;
            for (int k = 0; k < GATES; ++k) kept[2 + k] = s.by[k];
        });
        copy(features, h_, units_);
    }

    COLONNADE_INLINE void look(const float* x, long long, float* features) const {
        see(x);
        each_block([](int, const Gates&, const Memory&) {});
        copy(features, h_, units_);
    }

    COLONNADE_INLINE void grow_older(long long, const Optimizer& optimizer) const { ages_.grow(1, optimizer); }

    void settle(long long, const Blame& blame, const Optimizer& optimizer) const { learn(blame, optimizer); }

    void measure(long long, const Blame& blame, const Optimizer& optimizer, Lanes& total) const {
        const Correction correction = ages_.of_all();
        if constexpr (TRACES == NONE) go_back(blame);
        each_row([&](Lanes* row, int t, int j) COLONNADE_INLINED {
            const Lanes g = TRACES == NONE ? slope(0, t, j) : Weight::direction(row, blame);
            Weight::measure(row, g, optimizer, correction, total);
        });
    }

    void forget() const {
        clear(h_, padded(units_)), clear(c_, padded(units_)), clear(ring_, 2);
        each_row([&](Lanes* row, int, int) { Weight::forget(row, predictions_); });
    }

    void visit(Visitor& visitor) const {
        const Shape all{3, {units_, GATES, height()}};
        show_weights<TRACES, Optimizer>(visitor, {"lstm", -1, "W"}, all, predictions_, [&](long i, long k, long j) {
            return Spot{rows_ + (i / QUARTER * height() + j) * row_size(), k * QUARTER + i % QUARTER};
        });
        show_ages(visitor, {"lstm", -1, "W"}, ages_, 1);
        show_vector(visitor, {"lstm", -1, "h"}, h_, units_), show_vector(visitor, {"lstm", -1, "c"}, c_, units_);
        show(visitor, {"lstm", -1, "past"}, "", {2, {k_, height()}},
             [&](long s, long j, long, long) -> float& { return past_of(static_cast<int>(s))[j]; });
        show(visitor, {"lstm", -1, "slopes"}, "", {3, {k_, SLOPES, units_}}, [&](long s, long which, long i, long) -> float& {
            return slopes_at(static_cast<int>(s), static_cast<int>(i / LANES))[which].at[i % LANES];
        });
        show_vector(visitor, {"lstm", -1, "ring"}, ring_, 2);
        seen_.visit(visitor, {"lstm", -1, "mean"}, {"lstm", -1, "variance"}, inputs_);
    }

   private:
    using Weight = Weights<TRACES, Optimizer>;
    static constexpr int SLOPES = 2 + GATES;  // ∂c/∂c⁻, ∂h/∂c, and b of each gate

    int inputs_, units_, k_, predictions_, tiles_, blocks_;
    Lanes* rows_;     // of tiles in turn: inputs, then h⁻, then 1
    Lanes* slopes_;   // of the last k steps
    float* past_;     // what the last k steps saw: u, h⁻, 1
    Lanes* blamed_;   // dz of the last k steps, of each prediction
    Ages<Optimizer> ages_;
    Normaliser seen_;
    float *h_, *c_, *dh_, *dc_, *input_, *scale_;
    float* ring_;  // how many steps there were in this episode, up to k, and where the last one is

    int height() const { return inputs_ + units_ + 1; }
    COLONNADE_INLINE long row_size() const { return Weight::size(predictions_); }
    COLONNADE_INLINE float* past_of(int slot) const { return past_ + slot * padded(height()); }
    COLONNADE_INLINE Lanes* slopes_at(int slot, int b) const {
        return slopes_ + (static_cast<long>(slot) * blocks_ + b) * SLOPES;
    }
    COLONNADE_INLINE Lanes* blamed_at(int p, int slot) const {
        return blamed_ + (static_cast<long>(p) * k_ + slot) * tiles_;
    }
    COLONNADE_INLINE int lived() const { return static_cast<int>(ring_[0]); }

    // Makes room for a step and says where: an episode's first is the first there, so that those there are come first.
    COLONNADE_INLINE int step_ring() const {
        const int next = static_cast<int>(ring_[1]) + 1, slot = lived() > 0 && next < k_ ? next : 0;
        ring_[0] = static_cast<float>(lived() < k_ ? lived() + 1 : k_), ring_[1] = static_cast<float>(slot);
        return slot;
    }

    // What the gates see: [u, h⁻, 1].
    COLONNADE_INLINE void see(const float* x) const {
        copy(input_, x, inputs_);
        seen_.observe(input_, inputs_);
        seen_.normalise(input_, inputs_, input_, scale_);
        copy(input_ + inputs_, h_, units_);
        input_[inputs_ + units_] = 1.0f;
    }

    // Moves sixteen units at a time; `use` sees them before they have moved.
    template <class Use>
    COLONNADE_INLINE void each_block(const Use& use) const {
        for (int b = 0; b < blocks_; ++b) {
            Sums sums{};
            const int first = b * QUARTER, end = first + QUARTER < tiles_ ? first + QUARTER : tiles_;
            for (int t = first; t < end; ++t) {
                Lanes z{};
                const Lanes* row = rows_ + static_cast<long>(t) * height() * row_size();
                for (int j = 0; j < height(); ++j, row += row_size()) add(z, *row, input_[j]);
                collect(z, t - first, sums);
            }
            const Gates gates = open_gates(sums);
            const Memory memory = remember(gates, c_ + b * LANES);
            use(b, gates, memory);
            colonnade::COLONNADE_ISA::move(gates, memory, h_ + b * LANES, c_ + b * LANES);
        }
    }

    template <class Use>
    COLONNADE_INLINE void each_row(const Use& use) const {
        Lanes* row = rows_;
        for (int t = 0; t < tiles_; ++t)
            for (int j = 0; j < height(); ++j, row += row_size()) use(row, t, j);
    }

    // dz of the last steps, for each prediction.
    COLONNADE_INLINE void go_back(const Blame& blame) const {
        for (int p = 0; p < (TRACES == MANY ? predictions_ : 1); ++p) {
            clear(dh_, padded(units_)), clear(dc_, padded(units_));
            copy(dh_, blame.credit_of(p), units_);
            int slot = static_cast<int>(ring_[1]);
            for (int i = 0; i < lived(); ++i, slot = slot > 0 ? slot - 1 : k_ - 1) {
                if (i > 0) pull_back(blamed_at(p, slot + 1 < k_ ? slot + 1 : 0));
                blame_step(slot, blamed_at(p, slot));
            }
        }
    }

    COLONNADE_INLINE void blame_step(int slot, Lanes* dz) const {
        for (int b = 0; b < blocks_; ++b) {
            const Lanes* s = slopes_at(slot, b);
            float *dh = dh_ + b * LANES, *dc = dc_ + b * LANES;
            Lanes gate[GATES];
            COLONNADE_EACH_LANE {
                const float down = dc[l] + dh[l] * s[1].at[l];
                gate[0].at[l] = down * s[2].at[l], gate[1].at[l] = down * s[3].at[l];
                gate[OUTPUT].at[l] = dh[l] * s[2 + OUTPUT].at[l], gate[3].at[l] = down * s[5].at[l];
                dc[l] = down * s[0].at[l];
            }
            const int first = b * QUARTER, end = first + QUARTER < tiles_ ? first + QUARTER : tiles_;
            for (int t = first; t < end; ++t) dz[t] = spread(gate, t - first);
        }
    }

    // dh of the step before, out of dz.
    COLONNADE_INLINE void pull_back(const Lanes* dz) const {
        for (int j = 0; j < units_; ++j) {
            Lanes total{};
            for (int t = 0; t < tiles_; ++t)
                add(total, rows_[(static_cast<long>(t) * height() + inputs_ + j) * row_size()], dz[t]);
            dh_[j] = sum(total);
        }
    }

    // dŷ/dW of a row, or with errors in it.
    COLONNADE_INLINE Lanes slope(int p, int t, int j) const {
        Lanes total{};
        for (int s = 0; s < lived(); ++s) add(total, blamed_at(p, s)[t], past_of(s)[j]);
        return total;
    }

    COLONNADE_APART void learn(const Blame& blame, const Optimizer& optimizer) const {
        const Correction correction = ages_.of_all();
        go_back(blame);
        each_row([&](Lanes* row, int t, int j) COLONNADE_INLINED {
            if constexpr (TRACES == NONE) {
                Weight::learn(row, slope(0, t, j), optimizer, correction);
            } else if constexpr (TRACES == ONE) {
                const Lanes error = in_all_lanes(*blame.error), decay = in_all_lanes(*blame.decay);
                Weight::learn(row, error, decay, slope(0, t, j), optimizer, correction);
            } else {
                Weight::learn(row, Weight::direction(row, blame), optimizer, correction);
                for (int p = 0; p < predictions_; ++p) Weight::trace(row, blame, p, slope(p, t, j));
            }
        });
    }
};

}  // namespace colonnade::COLONNADE_ISA
