// One kind of learner as its user sees it, in room of its user's.
#pragma once

#include "denormals.hpp"
#include "learner.hpp"

namespace colonnade::COLONNADE_ISA {

// A place in memory, for the new below.
struct Place {
    void* at;
};

}  // namespace colonnade::COLONNADE_ISA

inline void* operator new(decltype(sizeof 0), colonnade::COLONNADE_ISA::Place place) noexcept { return place.at; }

namespace colonnade::COLONNADE_ISA {

// A learner, and another that looks ahead for it on a copy of the vectors.
template <template <int, class> class Network, int TRACES, class Optimizer>
class Compiled final : public Engine {
    using L = Learner<Network<TRACES, Optimizer>, TRACES, Optimizer>;

   public:
    Compiled(const Settings& settings, float* rows, float* vectors, float* scratch)
        : learner_(settings), ahead_(settings), vectors_(vectors), scratch_(scratch) {
        Taker mine{rows, vectors}, others{rows, scratch};
        learner_.lay_out(mine), ahead_.lay_out(others);
        vectors_used_ = mine.vectors_left - vectors;
        learner_.start();
        inputs_ = settings.inputs, outputs_ = settings.outputs;
    }

    void run(const float* x, const Told& told, float* predictions, long events) override {
        const WithoutDenormals mode;
        for (long t = 0; t < events; ++t) learner_.step(x + t * inputs_, told, t, predictions + t * outputs_);
    }

    void look(const float* x, float* prediction) override {
        const WithoutDenormals mode;
        learner_.settle();
        __builtin_memcpy(scratch_, vectors_, vectors_used_ * sizeof(float));
        ahead_.go_on_from(learner_.progress());
        ahead_.look(x, prediction);
    }

    void reset() override {
        const WithoutDenormals mode;
        learner_.reset();
    }

    void visit(Visitor& visitor) override {
        const WithoutDenormals mode;
        learner_.settle();
        learner_.visit(visitor);
    }

    Progress progress() const override { return learner_.progress(); }
    void set_progress(const Progress& progress) override { learner_.go_on_from(progress); }

    // What a Maker is made of.
    static Needs needs(const Settings& settings) {
        Counter counter;
        L(settings).lay_out(counter);
        return counter.needs;
    }

    static void outline(const Settings& settings, Visitor& visitor) {
        L learner(settings);
        Counter counter;
        learner.lay_out(counter);
        learner.visit(visitor);
    }

    static Engine* make(const Settings& settings, void* place, float* rows, float* vectors, float* scratch) {
        return new (Place{place}) Compiled(settings, rows, vectors, scratch);
    }

   private:
    L learner_, ahead_;
    float *vectors_, *scratch_;
    long vectors_used_, inputs_, outputs_;
};

}  // namespace colonnade::COLONNADE_ISA
