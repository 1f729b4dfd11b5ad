// Every learner there is, compiled for one instruction set: COLONNADE_ISA.
#include "compiled.hpp"
#include "dense.hpp"
#include "linear.hpp"
#include "stages.hpp"

namespace colonnade::COLONNADE_ISA {
namespace {

// Calls `use` with a null pointer to the compiled kind that the settings say.
template <template <int, class> class Network, int TRACES, class Use>
auto with_rule(const Settings& settings, const Use& use) {
    if (settings.rule == Rule::sgd) return use(static_cast<Compiled<Network, TRACES, Sgd>*>(nullptr));
    if (settings.rule == Rule::adam) return use(static_cast<Compiled<Network, TRACES, Adam>*>(nullptr));
    return use(static_cast<Compiled<Network, TRACES, RmsProp>*>(nullptr));
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
    return with_kind(settings, [&]<class C>(C*) { return C::needs(settings); });
}

long size(const Settings& settings) {
    return with_kind(settings, []<class C>(C*) { return static_cast<long>(sizeof(C)); });
}

void outline(const Settings& settings, Visitor& visitor) {
    with_kind(settings, [&]<class C>(C*) { C::outline(settings, visitor); });
}

Engine* make(const Settings& settings, void* place, float* rows, float* vectors, float* scratch) {
    return with_kind(settings, [&]<class C>(C*) { return C::make(settings, place, rows, vectors, scratch); });
}

}  // namespace

#define COLONNADE_TEXT(words) #words
#define COLONNADE_NAME(isa) COLONNADE_TEXT(isa)

extern const Maker maker;
const Maker maker{COLONNADE_NAME(COLONNADE_ISA), needs, size, outline, make};

}  // namespace colonnade::COLONNADE_ISA
