// One kind of learner alone, as a microcontroller would have it: NETWORK, TRACES and OPTIMIZER say which.
#include "compiled.hpp"
#include "dense.hpp"
#include "linear.hpp"
#include "stages.hpp"

namespace colonnade::COLONNADE_ISA {

using Only = Compiled<NETWORK, TRACES, OPTIMIZER>;

static long size(const Settings&) { return sizeof(Only); }

extern const Maker maker;
const Maker maker{"one", Only::needs, size, Only::outline, Only::make};

}  // namespace colonnade::COLONNADE_ISA
