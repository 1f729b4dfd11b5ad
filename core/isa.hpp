// Which instruction set the engine's loops run with on this processor.
//
// A loop marked COLONNADE_MULTIVERSIONED is compiled once for each instruction set below, and the loader
// takes the best that the processor has. instruction_set() asks the processor the same question, so that
// what is reported is what runs. Where compilers have no such mechanism there is one portable version.
#pragma once

#if defined(__x86_64__) && defined(__gnu_linux__) && \
    ((defined(__clang__) && __clang_major__ >= 18) || (!defined(__clang__) && __GNUC__ >= 12))
#define COLONNADE_HAS_VERSIONS 1
#define COLONNADE_MULTIVERSIONED \
    __attribute__((target_clones("arch=x86-64-v4", "arch=x86-64-v3", "default")))
#else
#define COLONNADE_HAS_VERSIONS 0
#define COLONNADE_MULTIVERSIONED
#endif

namespace colonnade {

inline const char* instruction_set() noexcept {
#if COLONNADE_HAS_VERSIONS
    __builtin_cpu_init();
    if (__builtin_cpu_supports("x86-64-v4")) return "avx512";
    if (__builtin_cpu_supports("x86-64-v3")) return "avx2";
#endif
    return "portable";
}

}  // namespace colonnade
