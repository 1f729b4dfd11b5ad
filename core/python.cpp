// The compiled engine as the Python module colonnade._engine: the only file here that knows Python.
#include <nanobind/nanobind.h>

#include "isa.hpp"

NB_MODULE(_engine, module) {
    module.doc() = "Colonnade's compiled engine.";
    module.def("instruction_set", &colonnade::instruction_set,
               "The instruction set the engine uses on this processor: avx512, avx2 or portable.");
}
