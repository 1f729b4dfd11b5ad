// A learner: a network, a readout and an optimizer joined, and what is asked of them.
//
//   returns    δ_p = c_p + γ_p ŷ_p − ŷ_p⁻        TD(λ): traces of dŷ_p/dθ decay by γ_p λ_p
//   numbers    e_p = y_p − ŷ_p                   of ½ Σ (y_p − ŷ_p)²
//   classes    e_p = [y = p] − softmax(ŷ)_p      of −log softmax(ŷ)_y
//
// With a bound κ, a step that is long beside the errors is made shorter, whatever the step size. With SGD and
// one prediction this is ObGD (Elsayed, Vasan & Mahmood 2024):
//
//   Δθ ← min(1, min(max_p |δ_p|, 1) / (κ ‖Δθ‖₁)) Δθ
#pragma once

#include "readout.hpp"

namespace colonnade::COLONNADE_ISA {

template <class Network, int TRACES, class Optimizer>
class Learner {
   public:
    explicit Learner(const Settings& settings) : settings_(settings), optimizer_(settings) {}

    template <class Room>
    void lay_out(Room& room) {
        network_.lay_out(room, settings_, settings_.outputs);
        readout_.lay_out(room, network_.most_features(), settings_);
        features_ = room.vector(network_.most_features());
        raw_ = room.vector(settings_.outputs), last_ = room.vector(settings_.outputs);
        error_ = room.vector(settings_.outputs), decay_ = room.vector(settings_.outputs);
    }

    // Before the first event; the room is zero.
    void start() const { network_.start(), readout_.start(); }

    COLONNADE_INLINE void step(const float* x, const Told& told, long t, float* predictions) {
        if (now_.events > 0 && network_.changes(now_.events)) change_stage();
        if (open_) {
            const Optimizer bounded = ready();
            readout_.learn(features_before(), bounded);
            network_.template move<true>(x, now_.events, readout_.blame(), bounded, features_);
        } else {
            move_settled(x);
        }
        const int n = network_.features(now_.events);
        readout_.predict(features_, n, raw_);
        answer(predictions);
        open_ = !told.known || told.known[t];
        if (open_) {
            judge(told, t, predictions);
            readout_.blame(n, error_, decay_);
        }
        now_.events += 1, now_.begun = true;
    }

    // What would be predicted. Moves states and statistics, so let a copy do it, of a learner that has settled.
    COLONNADE_INLINE void look(const float* x, float* prediction) const {
        if (begins_stage()) readout_.begin_seeing(features_before(), network_.features(now_.events));
        network_.look(x, now_.events, features_);
        readout_.predict(features_, network_.features(now_.events), raw_);
        answer(prediction);
    }

    // Does what the last event asked.
    COLONNADE_APART void settle() {
        if (!open_) return;
        const Optimizer bounded = ready();
        readout_.learn(features_before(), bounded);
        network_.settle(now_.events - 1, readout_.blame(), bounded);
        open_ = false;
    }

    COLONNADE_APART void reset() {
        settle();
        network_.forget(), readout_.forget();
        clear(last_, settings_.outputs);
        now_.begun = false;
    }

    // Settled numbers only: nothing is asked that these don't say.
    void visit(Visitor& visitor) const {
        network_.visit(visitor), readout_.visit(visitor);
        if (settings_.task == Task::returns) show_vector(visitor, {"readout", -1, "last"}, last_, settings_.outputs);
    }

    const Progress& progress() const { return now_; }
    void go_on_from(const Progress& progress) { now_ = progress, open_ = false; }

   private:
    Settings settings_;
    Optimizer optimizer_;
    Network network_;
    Readout<TRACES == NONE ? NONE : ONE, Optimizer> readout_;
    Progress now_{0, false};
    bool open_ = false;  // whether the last event's learning is still to be done
    float *features_, *raw_, *last_, *error_, *decay_;

    COLONNADE_INLINE int features_before() const { return network_.features(now_.events - 1); }
    COLONNADE_INLINE bool begins_stage() const {
        return now_.events > 0 && network_.features(now_.events) > features_before();
    }

    COLONNADE_APART void change_stage() {
        settle();
        if (begins_stage()) readout_.begin(features_before(), network_.features(now_.events));
        network_.begin(now_.events);
    }

    COLONNADE_APART void move_settled(const float* x) const {
        network_.template move<false>(x, now_.events, readout_.blame(), optimizer_, features_);
    }

    // The optimizer for what the last event asks: weights have grown older, steps aren't too long.
    COLONNADE_INLINE Optimizer ready() const {
        network_.grow_older(now_.events - 1, optimizer_), readout_.grow_older(features_before(), optimizer_);
        return settings_.bound > 0.0f ? bounded() : optimizer_;
    }

    COLONNADE_APART Optimizer bounded() const {
        Lanes total{};
        readout_.measure(features_before(), optimizer_, total);
        network_.measure(now_.events - 1, readout_.blame(), optimizer_, total);
        float largest = 0.0f;
        for (int p = 0; p < settings_.outputs; ++p) largest = greatest(largest, magnitude(error_[p]));
        const float length = settings_.bound * sum(total), allowed = least(largest, 1.0f);
        return length > allowed ? optimizer_.times(allowed / length) : optimizer_;
    }

    // What the user is shown: classes as probabilities.
    COLONNADE_INLINE void answer(float* predictions) const {
        copy(predictions, raw_, settings_.outputs);
        if constexpr (TRACES == NONE)
            if (settings_.task == Task::classes) softmax(predictions, settings_.outputs);
    }

    COLONNADE_INLINE void judge(const Told& told, long t, const float* predictions) const {
        const int outputs = settings_.outputs;
        if constexpr (TRACES == NONE) {
            if (settings_.task == Task::classes)
                for (int p = 0; p < outputs; ++p)
                    error_[p] = (p == static_cast<int>(told.target[t]) ? 1.0f : 0.0f) - predictions[p];
            else
                for (int p = 0; p < outputs; ++p) error_[p] = told.target[t * outputs + p] - predictions[p];
        } else {
            const float* discount = told.discount ? told.discount + t * outputs : settings_.discount;
            for (int p = 0; p < outputs; ++p) {
                const float cumulant = told.target[t * outputs + p];
                error_[p] = now_.begun ? cumulant + discount[p] * predictions[p] - last_[p] : 0.0f;
                decay_[p] = discount[p] * settings_.trace_decay[p];
                last_[p] = predictions[p];
            }
        }
    }
};

}  // namespace colonnade::COLONNADE_ISA
