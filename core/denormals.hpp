// While one of these lives, numbers too small for float's normal range count as 0.
//
// A trace that decays for ever ends among them, and arithmetic with them takes a hundred times as long.
#pragma once

#include "engine.hpp"

namespace colonnade::COLONNADE_ISA {

class WithoutDenormals {
   public:
    WithoutDenormals() : before_(mode()) { set_mode(before_ | TO_ZERO); }
    ~WithoutDenormals() { set_mode(before_); }
    WithoutDenormals(const WithoutDenormals&) = delete;
    WithoutDenormals& operator=(const WithoutDenormals&) = delete;

   private:
#if defined(__SSE2__)
    using Mode = unsigned int;
    static constexpr Mode TO_ZERO = 0x8040;  // of results, and of operands
    static Mode mode() { return __builtin_ia32_stmxcsr(); }
    static void set_mode(Mode mode) { __builtin_ia32_ldmxcsr(mode); }
#elif defined(__aarch64__)
    using Mode = unsigned long;
    static constexpr Mode TO_ZERO = 1UL << 24;
    static Mode mode() {
        Mode mode;
        asm volatile("mrs %0, fpcr" : "=r"(mode));
        return mode;
    }
    static void set_mode(Mode mode) { asm volatile("msr fpcr, %0" : : "r"(mode)); }
#elif defined(__ARM_FP)
    using Mode = unsigned int;
    static constexpr Mode TO_ZERO = 1U << 24;
    static Mode mode() {
        Mode mode;
        asm volatile("vmrs %0, fpscr" : "=r"(mode));
        return mode;
    }
    static void set_mode(Mode mode) { asm volatile("vmsr fpscr, %0" : : "r"(mode)); }
#else
    using Mode = unsigned int;
    static constexpr Mode TO_ZERO = 0;
    static Mode mode() { return 0; }
    static void set_mode(Mode) {}
#endif
    Mode before_;
};

}  // namespace colonnade::COLONNADE_ISA
