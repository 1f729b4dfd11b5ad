// Predictions out of features.
//
//   φ_j = (h_j − μ_j)/σ_j        ŷ_p = Σ_j w_pj φ_j + b_p        dŷ_p/dh_j = w_pj/σ_j
//
// Each prediction has its own weights, so that these have one trace however many predictions there are. Their
// step size is shared out among the features that exist.
#pragma once

#include "normaliser.hpp"

namespace colonnade::COLONNADE_ISA {

template <int TRACES, class Optimizer>
class Readout {
   public:
    template <class Room>
    void lay_out(Room& room, long most_features, const Settings& settings) {
        most_ = most_features, outputs_ = settings.outputs;
        weights_ = room.rows(outputs_, lanes_of(most_), Weight::size(1));
        biases_ = room.rows(lanes_of(outputs_), Weight::size(1));
        weight_ages_.lay_out(room, lanes_of(most_)), bias_ages_.lay_out(room, 1);
        seen_.lay_out(room, most_, settings.normalise_features, settings);
        value_ = room.vector(most_), scale_ = room.vector(most_);
        errors_ = room.vector(outputs_), decays_ = room.vector(outputs_);
        credit_ = room.vector((TRACES == NONE ? 1 : outputs_) * width());
    }

    void start() const {
        begin(0, most_);
        bias_ages_.start(0, 1);
        for (long r = 0; r < lanes_of(outputs_); ++r) Weight::start(biases_ + r * Weight::size(1));
    }

    // Features from this one up to the n-th begin, with the weights that they have. All else that was there
    // is room that was moved along.
    void begin(long from, long n) const {
        begin_seeing(from, n);
        weight_ages_.start(from, lanes_of(n));
        for (long p = 0; p < outputs_; ++p)
            for (long j = from; j < padded(n); ++j) {
                Lanes* row = weight_row(p, j / LANES);
                for (long depth = 1; depth < Weight::size(1); ++depth)
                    row[depth].at[j % LANES] = depth < Weight::TRACE ? Optimizer::FIRST_MOMENT : 0.0f;
            }
        for (long j = from; j < padded(n); ++j) value_[j] = 0.0f;
    }

    // The same of their statistics alone.
    void begin_seeing(long from, long n) const { seen_.start(from, n); }

    void forget() const {
        for (long r = 0; r < outputs_ * lanes_of(most_); ++r) Weight::forget(weights_ + r * Weight::size(1), 1);
        for (long r = 0; r < lanes_of(outputs_); ++r) Weight::forget(biases_ + r * Weight::size(1), 1);
    }

    // Predicts from n features, whose statistics move.
    COLONNADE_INLINE void predict(const float* h, long n, float* predictions) const {
        seen_.observe(h, n);
        seen_.normalise(h, n, value_, scale_);
        for (int p = 0; p < outputs_; ++p) {
            Lanes total{};
            for (long r = 0; r < lanes_of(n); ++r) add(total, *weight_row(p, r), load(value_ + r * LANES));
            predictions[p] = sum(total) + biases_[p / LANES * Weight::size(1)].at[p % LANES];
        }
    }

    // Takes down who is to blame for the errors, with the weights that predicted.
    COLONNADE_INLINE void blame(long n, const float* error, const float* decay) const {
        copy(errors_, error, outputs_);
        if constexpr (TRACES == NONE) {
            for (long r = 0; r < lanes_of(n); ++r) {
                Lanes total{};
                for (int p = 0; p < outputs_; ++p) add(total, *weight_row(p, r), error[p]);
                put(credit_ + r * LANES, times(total, load(scale_ + r * LANES)));
            }
        } else {
            copy(decays_, decay, outputs_);
            for (int p = 0; p < outputs_; ++p)
                for (long r = 0; r < lanes_of(n); ++r)
                    put(credit_ + p * width() + r * LANES, times(*weight_row(p, r), load(scale_ + r * LANES)));
        }
    }

    Blame blame() const { return {outputs_, errors_, decays_, credit_, width()}; }

    COLONNADE_INLINE void grow_older(long n, const Optimizer& optimizer) const {
        weight_ages_.grow(lanes_of(n), optimizer), bias_ages_.grow(1, optimizer);
    }

    // Does what was asked of it.
    COLONNADE_INLINE void learn(long n, const Optimizer& optimizer) const {
        const Optimizer shared = optimizer.times(1.0f / static_cast<float>(n));
        each(n, [&](Lanes* row, const Lanes& error, const Lanes& decay, const Lanes& slope, const Correction& correction)
                    COLONNADE_INLINED {
            if constexpr (TRACES == NONE) Weight::learn(row, times(error, slope), shared, correction);
            else Weight::learn(row, error, decay, slope, shared, correction);
        });
    }

    // How far the weights would move, added to `total`.
    COLONNADE_INLINE void measure(long n, const Optimizer& optimizer, Lanes& total) const {
        const Optimizer shared = optimizer.times(1.0f / static_cast<float>(n));
        each(n, [&](Lanes* row, const Lanes& error, const Lanes&, const Lanes& slope, const Correction& correction)
                    COLONNADE_INLINED {
            const Lanes g = times(error, TRACES == NONE ? slope : row[Weight::TRACE]);
            Weight::measure(row, g, shared, correction, total);
        });
    }

    void visit(Visitor& visitor) const {
        const auto weight = [&](long p, long j, long) { return Spot{weight_row(p, j / LANES), j % LANES}; };
        const auto bias = [&](long p, long, long) { return Spot{biases_ + p / LANES * Weight::size(1), p % LANES}; };
        show_weights_with_own_trace(visitor, {"readout", -1, "w"}, {2, {outputs_, most_}}, weight);
        show_weights_with_own_trace(visitor, {"readout", -1, "b"}, {1, {outputs_}}, bias);
        show_ages(visitor, {"readout", -1, "w"}, weight_ages_, most_);
        show_ages(visitor, {"readout", -1, "b"}, bias_ages_, 1);
        seen_.visit(visitor, {"features", -1, "mean"}, {"features", -1, "variance"}, most_);
    }

   private:
    using Weight = Weights<TRACES, Optimizer>;

    long most_;
    int outputs_;
    Lanes *weights_, *biases_;  // rows of sixteen features, an output after another; rows of sixteen outputs
    Ages<Optimizer> weight_ages_, bias_ages_;
    Normaliser seen_;
    float *value_, *scale_;     // φ and 1/σ
    float *errors_, *decays_;   // what the last event asks: δ or e, and γλ, one an output
    float* credit_;             // dŷ/dh, a row an output; or their sum by errors

    // A block of columns may read beyond the last.
    long width() const { return padded(most_) + LANES; }
    COLONNADE_INLINE Lanes* weight_row(long p, long r) const {
        return weights_ + (p * lanes_of(most_) + r) * Weight::size(1);
    }

    template <class Use>
    COLONNADE_INLINE void each(long n, const Use& use) const {
        for (int p = 0; p < outputs_; ++p) {
            const Lanes error = in_all_lanes(errors_[p]), decay = in_all_lanes(decays_[p]);
            for (long r = 0; r < lanes_of(n); ++r)
                use(weight_row(p, r), error, decay, load(value_ + r * LANES), weight_ages_.correction(r));
        }
        for (long r = 0; r < lanes_of(outputs_); ++r)
            use(biases_ + r * Weight::size(1), load(errors_ + r * LANES), load(decays_ + r * LANES), in_all_lanes(1.0f),
                bias_ages_.of_all());
    }

    void show_weights_with_own_trace(Visitor& visitor, const Name& name, const Shape& shape, const auto& spot) const {
        show_weights<NONE, Optimizer>(visitor, name, shape, 1, spot);
        if constexpr (TRACES != NONE) show_depth(visitor, name, "E", shape, Weight::TRACE, spot);
    }
};

}  // namespace colonnade::COLONNADE_ISA
