// Sixteen weights with all that learning keeps of them, and what an event asks of them.
//
//   With traces (returns)            g = Σ_p δ_p E_p,   then   E_p ← γ_p λ_p E_p + dŷ_p/dθ
//   Without (numbers, classes)       g = Σ_p e_p dŷ_p/dθ
//
// It is done when the next event comes, so that weights, traces and the new sums take one pass over memory;
// or earlier, when the learner is looked at. The numbers are the same.
#pragma once

#include "optimizers.hpp"

namespace colonnade::COLONNADE_ISA {

constexpr int NONE = 0, ONE = 1, MANY = 2;  // traces a weight

// What the last event asks of a network.
struct Blame {
    int predictions;
    const float *error, *decay;  // δ_p and γ_p λ_p
    const float* credit;         // dŷ_p/dh, a row a prediction; without traces one row, Σ_p e_p dŷ_p/dh
    long width;                  // of such a row

    COLONNADE_INLINE const float* credit_of(int p) const { return credit + p * width; }
};

// A row: the weights, their moments, then their traces.
template <int TRACES, class Optimizer>
struct Weights {
    static constexpr int TRACE = 1 + Optimizer::MOMENTS;

    static constexpr long size(int predictions) {
        return TRACE + (TRACES == NONE ? 0 : TRACES == ONE ? 1 : predictions);
    }

    static void start(Lanes* row) {
        for (int i = 1; i < TRACE; ++i) row[i] = in_all_lanes(Optimizer::FIRST_MOMENT);
    }

    static void forget(Lanes* row, int predictions) {
        for (long i = TRACE; i < size(predictions); ++i) row[i] = Lanes{};
    }

    // Without traces: along g.
    static COLONNADE_INLINE void learn(Lanes* row, const Lanes& g, const Optimizer& optimizer,
                                       const Correction& correction) {
        COLONNADE_EACH_LANE row->at[l] += optimizer.step(g.at[l], correction, l, row + 1);
    }

    // With one trace, which grows by `slope`.
    static COLONNADE_INLINE void learn(Lanes* row, const Lanes& error, const Lanes& decay, const Lanes& slope,
                                       const Optimizer& optimizer, const Correction& correction) {
        COLONNADE_EACH_LANE {
            const float trace = row[TRACE].at[l];
            row->at[l] += optimizer.step(error.at[l] * trace, correction, l, row + 1);
            row[TRACE].at[l] = decay.at[l] * trace + slope.at[l];
        }
    }

    // Trace p decays, and grows by `slope`.
    static COLONNADE_INLINE void trace(Lanes* row, const Blame& blame, int p, const Lanes& slope) {
        Lanes& trace = row[TRACE + p];
        const float decay = blame.decay[p];
        COLONNADE_EACH_LANE trace.at[l] = decay * trace.at[l] + slope.at[l];
    }

    // g, of traces.
    static COLONNADE_INLINE Lanes direction(const Lanes* row, const Blame& blame) {
        Lanes g{};
        for (int p = 0; p < (TRACES == ONE ? 1 : blame.predictions); ++p) add(g, row[TRACE + p], blame.error[p]);
        return g;
    }

    // How far the weights would move along g, added to `total`; nothing is changed.
    static COLONNADE_INLINE void measure(const Lanes* row, const Lanes& g, const Optimizer& optimizer,
                                         const Correction& correction, Lanes& total) {
        Lanes moments[2];
        for (int i = 0; i < Optimizer::MOMENTS; ++i) moments[i] = row[1 + i];
        COLONNADE_EACH_LANE total.at[l] += magnitude(optimizer.step(g.at[l], correction, l, moments));
    }
};

}  // namespace colonnade::COLONNADE_ISA
