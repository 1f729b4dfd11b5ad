// Columnar, constructive and columnar-constructive networks: columns in stages.
//
// A stage sees the observation and the features of all earlier stages, normalised by statistics of its own;
// after `stage_steps` events it freezes, statistics and all, and the next one begins. The last one learns for
// ever; or, with turns, each as long again, the first after the last. A frozen stage costs a forward pass; one
// to come costs nothing.
//
// A stage is credited with its own features, not with what later stages make of them.
#pragma once

#include "columns.hpp"
#include "normaliser.hpp"

namespace colonnade::COLONNADE_ISA {

template <int TRACES, class Optimizer>
class Stages {
   public:
    template <class Room>
    void lay_out(Room& room, const Settings& settings, int predictions) {
        inputs_ = settings.inputs, count_ = settings.stages, stage_steps_ = settings.stage_steps;
        turns_ = settings.turns;
        int seen = inputs_;
        for (int s = 0; s < count_; ++s) {
            Stage& stage = stages_[s];
            stage.shape = {seen, settings.columns[s], predictions};
            stage.first = seen - inputs_;
            stage.rows = room.rows(stage.shape.rows(), row_size(predictions));
            stage.h = room.vector(stage.shape.columns), stage.c = room.vector(stage.shape.columns);
            stage.ages.lay_out(room, 1);
            stage.seen.lay_out(room, seen, settings.normalise_inputs, settings);
            seen += stage.shape.columns;
        }
        features_ = seen - inputs_;
        input_ = room.vector(seen), normal_ = room.vector(seen), scale_ = room.vector(seen);
        spread_ = room.vector(static_cast<long>(GATES) * padded(seen));
        asked_ = lanes(room, TRACES == MANY ? predictions : 0);
    }

    void start() const {
        for (int s = 0; s < count_; ++s) {
            const Stage& stage = stages_[s];
            stage.seen.start(0, stage.shape.inputs);
            stage.ages.start(0, 1);
            with(stage, [](const auto& columns) { columns.start(); });
        }
    }

    // How many features there can be, and how many there are at this event.
    int most_features() const { return features_; }
    COLONNADE_INLINE int features(long long event) const {
        const Stage& stage = stages_[last(event)];
        return stage.first + stage.shape.columns;
    }

    // Whether at this event another stage learns than before, and that it begins with a clean slate.
    COLONNADE_INLINE bool changes(long long event) const { return active(event) != active(event - 1); }
    void begin(long long event) const {
        with(stages_[active(event)], [](const auto& columns) { columns.forget_influences(); });
    }

    // Takes the observation in and writes the features.
    template <bool OPEN>
    COLONNADE_INLINE void move(const float* x, long long event, const Blame& blame, const Optimizer& optimizer,
                               float* features) const {
        each_stage(x, event, features, [&](const Stage& stage) COLONNADE_INLINED {
            const float* u = seen_by(stage);
            with(stage, [&](const auto& columns) COLONNADE_INLINED {
                columns.template move<OPEN>(u, of(stage, blame), optimizer, stage.ages.of_all());
            });
        });
    }

    // The same without learning, or remembering how.
    COLONNADE_INLINE void look(const float* x, long long event, float* features) const {
        each_stage(x, event, features, [&](const Stage& stage) COLONNADE_INLINED { move_only(stage); });
    }

    // Updates are counted before they are made.
    COLONNADE_INLINE void grow_older(long long event, const Optimizer& optimizer) const {
        stages_[active(event)].ages.grow(1, optimizer);
    }

    // Does what this event asked.
    COLONNADE_INLINE void settle(long long event, const Blame& blame, const Optimizer& optimizer) const {
        const Stage& stage = stages_[active(event)];
        with(stage, [&](const auto& columns) COLONNADE_INLINED {
            columns.settle(of(stage, blame), optimizer, stage.ages.of_all());
        });
    }

    // How far the weights would move, added to `total`.
    COLONNADE_INLINE void measure(long long event, const Blame& blame, const Optimizer& optimizer, Lanes& total) const {
        const Stage& stage = stages_[active(event)];
        with(stage, [&](const auto& columns) COLONNADE_INLINED {
            columns.measure(of(stage, blame), optimizer, stage.ages.of_all(), total);
        });
    }

    void forget() const {
        for (int s = 0; s < count_; ++s)
            with(stages_[s], [](const auto& columns) { columns.forget(); });
    }

    void visit(Visitor& visitor) const {
        for (int s = 0; s < count_; ++s) visit(visitor, stages_[s], s);
    }

   private:
    struct Stage {
        ColumnShape shape;
        int first;  // of its features among all
        Lanes* rows;
        float *h, *c;
        Ages<Optimizer> ages;
        Normaliser seen;
    };

    int inputs_, count_, features_;
    long long stage_steps_;
    bool turns_;
    Stage stages_[MOST_STAGES];
    float *input_, *normal_, *scale_, *spread_;  // what a stage sees: as it is, normalised, 1/σ, spread out
    Lanes* asked_;

    static constexpr long row_size(int predictions) { return Columns<4, TRACES, Optimizer>::row_size(predictions); }

    // The last stage that there is.
    COLONNADE_INLINE int last(long long event) const {
        const long long s = event / stage_steps_;
        return s < count_ ? static_cast<int>(s) : count_ - 1;
    }

    // The stage that learns.
    COLONNADE_INLINE int active(long long event) const {
        return turns_ ? static_cast<int>(event / stage_steps_ % count_) : last(event);
    }

    template <class Use>
    COLONNADE_INLINE void with(const Stage& stage, const Use& use) const {
        if (stage.shape.narrow())
            use(Columns<1, TRACES, Optimizer>{stage.shape, stage.rows, stage.h, stage.c, asked_});
        else
            use(Columns<4, TRACES, Optimizer>{stage.shape, stage.rows, stage.h, stage.c, asked_});
    }

    static COLONNADE_INLINE Blame of(const Stage& stage, Blame blame) {
        blame.credit += stage.first;
        return blame;
    }

    COLONNADE_INLINE const float* seen_by(const Stage& stage) const {
        if (!stage.shape.narrow()) return normal_;
        spread_inputs(normal_, stage.shape.input_rows(), spread_);
        return spread_;
    }

    COLONNADE_APART void move_only(const Stage& stage) const {
        const float* u = seen_by(stage);
        with(stage, [&](const auto& columns) COLONNADE_INLINED { columns.move_only(u); });
    }

    template <class Learn>
    COLONNADE_INLINE void each_stage(const float* x, long long event, float* features, const Learn& learn) const {
        copy(input_, x, inputs_);
        const int learns = active(event), end = last(event);
        for (int s = 0; s <= end; ++s) {
            const Stage& stage = stages_[s];
            if (s == learns) stage.seen.observe(input_, stage.shape.inputs);
            stage.seen.normalise(input_, stage.shape.inputs, normal_, scale_);
            if (s == learns) learn(stage);
            else move_only(stage);
            copy(input_ + stage.shape.inputs, stage.h, stage.shape.columns);
            copy(features + stage.first, stage.h, stage.shape.columns);
        }
    }

    void visit(Visitor& visitor, const Stage& stage, int s) const {
        const ColumnShape& shape = stage.shape;
        const auto spot = [&](long i, long k, long j) {
            return shape.spot(stage.rows, row_size(shape.predictions), i, k, j);
        };
        const Name weights{"stage", s, "W"};
        const Shape all{3, {shape.columns, GATES, shape.inputs + 2}};
        const long influence = Weights<TRACES, Optimizer>::size(shape.predictions);
        show_weights<TRACES, Optimizer>(visitor, weights, all, shape.predictions, spot);
        show_depth(visitor, weights, "H", all, influence, spot);
        show_depth(visitor, weights, "C", all, influence + 1, spot);
        show_ages(visitor, weights, stage.ages, 1);
        show_vector(visitor, {"stage", s, "h"}, stage.h, shape.columns);
        show_vector(visitor, {"stage", s, "c"}, stage.c, shape.columns);
        stage.seen.visit(visitor, {"stage", s, "mean"}, {"stage", s, "variance"}, shape.inputs);
    }
};

}  // namespace colonnade::COLONNADE_ISA
