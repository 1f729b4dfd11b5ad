// Every learner there is, compiled for one instruction set: COLONNADE_ISA.
#include "dense.hpp"
#include "denormals.hpp"
#include "learner.hpp"
#include "linear.hpp"
#include "stages.hpp"

namespace colonnade::COLONNADE_ISA {
namespace {

// A place in memory, for the new below.
struct Place {
    void* at;
};

}  // namespace
}  // namespace colonnade::COLONNADE_ISA

inline void* operator new(decltype(sizeof 0), colonnade::COLONNADE_ISA::Place place) noexcept { return place.at; }

namespace colonnade::COLONNADE_ISA {
namespace {

// A learner, and another that looks ahead for it on a copy of the vectors.
template <class L>
class Compiled final : public Engine {
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

   private:
    L learner_, ahead_;
    float *vectors_, *scratch_;
    long vectors_used_, inputs_, outputs_;
};

// Calls `use` with a null pointer to the kind of learner that the settings say.
template <template <int, class> class Network, int TRACES, class Use>
auto with_rule(const Settings& settings, const Use& use) {
    if (settings.rule == Rule::sgd) return use(static_cast<Learner<Network<TRACES, Sgd>, TRACES, Sgd>*>(nullptr));
    if (settings.rule == Rule::adam) return use(static_cast<Learner<Network<TRACES, Adam>, TRACES, Adam>*>(nullptr));
    return use(static_cast<Learner<Network<TRACES, RmsProp>, TRACES, RmsProp>*>(nullptr));
}

template <template <int, class> class Network, class Use>
auto with_traces(const Settings& settings, const Use& use) {
    if (settings.task != Task::returns) return with_rule<Network, NONE>(settings, use);
    if (settings.outputs == 1) return with_rule<Network, ONE>(settings, use);
    return with_rule<Network, MANY>(settings, use);
}

template <class Use>
auto with_kind(const Settings& settings, const Use& use) {
    if (settings.wiring == Wiring::dense) return with_traces<Dense>(settings, use);
    if (settings.wiring == Wiring::linear) return with_traces<Linear>(settings, use);
    return with_traces<Stages>(settings, use);
}

Needs needs(const Settings& settings) {
    return with_kind(settings, [&]<class L>(L*) {
        L learner(settings);
        Counter counter;
        learner.lay_out(counter);
        return counter.needs;
    });
}

long size(const Settings& settings) {
    return with_kind(settings, []<class L>(L*) { return static_cast<long>(sizeof(Compiled<L>)); });
}

Engine* make(const Settings& settings, void* place, float* rows, float* vectors, float* scratch) {
    return with_kind(settings, [&]<class L>(L*) -> Engine* {
        return new (Place{place}) Compiled<L>(settings, rows, vectors, scratch);
    });
}

}  // namespace

#define COLONNADE_TEXT(words) #words
#define COLONNADE_NAME(isa) COLONNADE_TEXT(isa)

extern const Maker maker;
const Maker maker{COLONNADE_NAME(COLONNADE_ISA), needs, size, make};

}  // namespace colonnade::COLONNADE_ISA
