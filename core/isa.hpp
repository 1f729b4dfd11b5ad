// Which of the compiled instruction sets this process uses: the best that the processor has, or the one that
// COLONNADE_ISA names. All give the same bits.
#pragma once

#include "engine.hpp"

namespace colonnade {

#if defined(COLONNADE_HAS_AVX512)
namespace avx512 {
extern const Maker maker;
}
#endif
#if defined(COLONNADE_HAS_AVX2)
namespace avx2 {
extern const Maker maker;
}
#endif
namespace portable {
extern const Maker maker;
}

// The best first; `use` says whether to go on.
template <class Use>
void each_available_maker(const Use& use) {
#if defined(COLONNADE_HAS_AVX512)
    if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512bw") &&
        __builtin_cpu_supports("avx512dq") && !use(avx512::maker))
        return;
#endif
#if defined(COLONNADE_HAS_AVX2)
    if (__builtin_cpu_supports("avx2") && !use(avx2::maker)) return;
#endif
    use(portable::maker);
}

}  // namespace colonnade
