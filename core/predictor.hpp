// A columnar, constructive or columnar-constructive network that predicts a discounted sum: TD(λ) with exact
// gradients through time, an update at every event.
//
//   δ(t) = c(t) + γ(t) ŷ(t) − ŷ(t−1)        ŷ = Σ w_j (h_j − μ_j)/σ_j + b
//   θ(t+1) = θ(t) + step(δ(t) E(t−1))       E(t) = γ(t) λ E(t−1) + dŷ(t)/dθ
//
// Columns come in stages. A stage sees the observation and the features of all earlier stages, normalised by
// statistics of its own; after `stage_steps` events it freezes, statistics and all, and the next one begins.
// A frozen stage costs a forward pass; one to come costs nothing. The readout sees all features there are.
//
// What an event asks of the weights is done when the next one comes: weights, traces and the new sums then
// take one pass over memory.
#pragma once

#include "columns.hpp"
#include "normaliser.hpp"
#include "optimizers.hpp"

namespace colonnade {

constexpr int MOST_STAGES = 64;

struct Settings {
    int inputs, stages, columns[MOST_STAGES];
    long long stage_steps;
    float trace_decay, step_size, rms_keep, rms_eps, rate, floor;
    bool rms;  // RMSProp, else SGD
};

// Numbers that change with every event, beside the arrays.
struct Progress {
    long long events;
    int active;                // the stage that learns
    float error, decay;        // δ and γλ of the last event: what is still to be done
    float prediction;
    float b, v, E;             // the readout's bias, with its mean square and trace
    int begun;                 // whether there is a last prediction in this episode
    int pending;               // whether the learning stage took part in it
};

// Finds room for arrays: the first counts, the second gives.
struct Counter {
    long used = 0;
    float* take(long n) {
        used += padded(static_cast<int>(n));
        return nullptr;
    }
};

struct Taker {
    float* memory;
    float* take(long n) {
        float* mine = memory;
        memory += padded(static_cast<int>(n));
        return mine;
    }
};

class Predictor {
   public:
    Progress now;

    // How many floats `bind` needs.
    static long floats(const Settings& settings) {
        Counter counter;
        Predictor predictor;
        predictor.lay_out(settings, counter);
        return counter.used;
    }

    // Uses this memory, aligned to 64 bytes, and makes everything as before the first event, weights 0.
    void bind(const Settings& settings, float* memory) {
        attach(settings, memory);
        const long size = floats(settings);
        for (long i = 0; i < size; ++i) memory[i] = 0.0f;
        now = Progress{0, 0, 0.0f, 0.0f, 0.0f, 0.0f, 1.0f, 0.0f, 0, 0};
        features_.start();
        for (int j = 0; j < padded(features_.n); ++j) v_[j] = 1.0f;
        for (int s = 0; s < settings_.stages; ++s) {
            seen_[s].start();
            for (long r = 0; r < stages_[s].size(); ++r) COLONNADE_EACH_LANE stages_[s].rows[r].v.at[l] = 1.0f;
        }
    }

    // Uses memory that was filled before, as a copy of another predictor's is.
    void attach(const Settings& settings, float* memory) {
        Taker taker{memory};
        lay_out(settings, taker);
    }

    const Settings& settings() const { return settings_; }
    const Stage& stage(int s) const { return stages_[s]; }
    const Normaliser& seen(int s) const { return seen_[s]; }
    const Normaliser& features() const { return features_; }
    float* readout() const { return w_; }
    float* readout_mean_square() const { return v_; }
    float* readout_traces() const { return E_; }
    float* values() const { return value_; }
    float* credit() const { return credit_; }

    // Takes one event in and returns the prediction made from it.
    template <class Optimizer>
    COLONNADE_INLINE float step(const float* x, float cumulant, float discount, const Optimizer& optimizer) {
        learn_readout(optimizer);
        if (now.active + 1 < settings_.stages && now.events == (now.active + 1) * settings_.stage_steps)
            begin_next(optimizer);
        for (int i = 0; i < settings_.inputs; ++i) input_[i] = x[i];
        int features = 0;
        for (int s = 0; s <= now.active; ++s) {
            see(s);
            const Stage& stage = stages_[s];
            const float* asked = credit_ + features;
            if (s < now.active) move(stage, normal_);
            else if (now.pending) move_and_learn(stage, normal_, asked, optimizer, now.error, now.decay);
            else move_and_learn(stage, normal_, asked, optimizer.idle(), 0.0f, 0.0f);
            for (int j = 0; j < stage.columns; ++j, ++features)
                input_[settings_.inputs + features] = h_[features] = stage.h[j];
        }
        return predict(cumulant, discount, features);
    }

    // Begins a new episode: nothing of the old one is blamed or remembered; what was learned stays.
    template <class Optimizer>
    void reset(const Optimizer& optimizer) {
        learn_readout(optimizer);
        if (now.pending) settle(stages_[now.active], optimizer, now.error);
        for (int s = 0; s < settings_.stages; ++s) forget(stages_[s]);
        for (int j = 0; j < padded(features_.n + WIDTH); ++j) E_[j] = value_[j] = credit_[j] = 0.0f;
        now.error = now.decay = now.prediction = now.E = 0.0f;
        now.begun = now.pending = 0;
    }

   private:
    Settings settings_;
    Stage stages_[MOST_STAGES];
    Normaliser seen_[MOST_STAGES], features_;
    float *w_, *v_, *E_;                // the readout
    float *h_, *value_, *scale_;        // features: as they are, normalised, and 1/σ
    float *credit_;                     // dŷ/dh
    float *input_, *normal_, *spread_;  // what a stage sees: as it is, normalised, and 1/σ

    template <class Room>
    void lay_out(const Settings& settings, Room& room) {
        settings_ = settings;
        int seen = settings.inputs;
        for (int s = 0; s < settings.stages; ++s) {
            Stage& stage = stages_[s];
            stage.inputs = seen, stage.columns = settings.columns[s];
            stage.rows = reinterpret_cast<Row*>(room.take(stage.size() * static_cast<long>(sizeof(Row) / 4)));
            stage.h = room.take(stage.columns), stage.c = room.take(stage.columns);
            seen_[s] = Normaliser{room.take(seen), room.take(seen), seen};
            seen += stage.columns;
        }
        const int features = seen - settings.inputs, with_tile = features + WIDTH;
        features_ = Normaliser{room.take(features), room.take(features), features};
        float** const by_feature[] = {&w_, &v_, &E_, &h_, &value_, &scale_, &credit_};
        for (float** array : by_feature) *array = room.take(with_tile);
        float** const by_input[] = {&input_, &normal_, &spread_};
        for (float** array : by_input) *array = room.take(seen);
    }

    // Features that exist by now.
    COLONNADE_INLINE int existing() const {
        int n = 0;
        for (int s = 0; s <= now.active; ++s) n += stages_[s].columns;
        return n;
    }

    // Does what the last event asks of the readout. Its step size is shared out among the features.
    template <class Optimizer>
    COLONNADE_INLINE void learn_readout(const Optimizer& optimizer) {
        if (!now.begun) return;
        const int n = existing();
        const Optimizer shared = optimizer.shared_by(n);
        const float error = now.error, decay = now.decay;
        float *w = w_, *v = v_, *E = E_, *value = value_;
        for (int j = 0; j < padded(n); j += LANES) {
            COLONNADE_EACH_LANE {
                const float trace = E[j + l];
                w[j + l] += shared.step(error * trace, v[j + l]);
                E[j + l] = decay * trace + value[j + l];
            }
        }
        now.b += shared.step(error * now.E, now.v);
        now.E = decay * now.E + 1.0f;
    }

    // Freezes the stage that learned and begins the next. Padding was moved along: what is new starts afresh.
    template <class Optimizer>
    COLONNADE_INLINE void begin_next(const Optimizer& optimizer) {
        if (now.pending) settle(stages_[now.active], optimizer, now.error);
        const int first = existing();
        now.active += 1, now.pending = 0;
        for (int j = first; j < padded(existing()); ++j) {
            if (j < padded(features_.n)) features_.mean[j] = 0.0f, features_.variance[j] = 1.0f;
            w_[j] = E_[j] = value_[j] = credit_[j] = 0.0f, v_[j] = 1.0f;
        }
    }

    // Makes a stage's input out of the observation and the features below.
    COLONNADE_INLINE void see(int s) const {
        if (s == now.active) seen_[s].observe(input_, settings_.rate);
        seen_[s].normalise(input_, settings_.floor, normal_, spread_);
    }

    // Predicts from the features, and keeps what the next event needs to learn from this one.
    COLONNADE_INLINE float predict(float cumulant, float discount, int features) {
        const Normaliser exist{features_.mean, features_.variance, features};
        exist.observe(h_, settings_.rate);
        exist.normalise(h_, settings_.floor, value_, scale_);
        Lanes total{};
        for (int j = 0; j < padded(features); j += LANES) {
            COLONNADE_EACH_LANE {
                const float w = w_[j + l];
                total.at[l] += w * value_[j + l];
                credit_[j + l] = w * scale_[j + l];
            }
        }
        const float prediction = sum(total) + now.b;
        now.error = now.begun ? cumulant + discount * prediction - now.prediction : 0.0f;
        now.decay = discount * settings_.trace_decay;
        now.prediction = prediction;
        now.begun = now.pending = 1;
        now.events += 1;
        return prediction;
    }

    void forget(const Stage& stage) const {
        for (int j = 0; j < padded(stage.columns); ++j) stage.h[j] = stage.c[j] = 0.0f;
        for (long r = 0; r < stage.size(); ++r)
            COLONNADE_EACH_LANE stage.rows[r].E.at[l] = stage.rows[r].H.at[l] = stage.rows[r].C.at[l] = 0.0f;
    }
};

}  // namespace colonnade
