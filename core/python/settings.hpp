// What a learner is made of, as Python says it.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <stdexcept>
#include <string>
#include <vector>

#include "../engine.hpp"

namespace colonnade::python {

namespace nb = nanobind;

// Settings that were checked in Python; discounts are kept beside them.
struct Given {
    nb::object names;  // of inputs, a tuple, or None
    std::vector<float> discount, trace_decay;
    Settings settings{};

    Given(const nb::dict& given, Task task) : names(given["names"]) {
        discount = read<std::vector<float>>(given, "discount"), trace_decay = read<std::vector<float>>(given, "trace_decay");
        Settings& s = settings;
        s.inputs = read<int>(given, "inputs"), s.outputs = read<int>(given, "outputs"), s.task = task;
        s.normalise_inputs = read<bool>(given, "normalise_inputs");
        s.normalise_features = read<bool>(given, "normalise_features");
        s.rate = read<float>(given, "rate"), s.floor = read<float>(given, "floor");
        const auto wiring = read<std::string>(given, "wiring"), rule = read<std::string>(given, "rule");
        s.wiring = wiring == "dense" ? Wiring::dense : wiring == "linear" ? Wiring::linear : Wiring::columns;
        const auto columns = read<std::vector<int>>(given, "columns");
        if (columns.size() > MOST_STAGES) throw std::invalid_argument("columns");
        s.stages = static_cast<int>(columns.size()), s.stage_steps = read<long long>(given, "stage_steps");
        s.turns = read<bool>(given, "turns");
        for (size_t i = 0; i < columns.size(); ++i) s.columns[i] = columns[i];
        s.units = read<int>(given, "units"), s.truncation = read<int>(given, "truncation");
        s.rule = rule == "sgd" ? Rule::sgd : rule == "adam" ? Rule::adam : Rule::rmsprop;
        s.step_size = read<float>(given, "step_size"), s.eps = read<float>(given, "eps");
        s.keep_first = read<float>(given, "keep_first"), s.keep_second = read<float>(given, "keep_second");
        s.bound = read<float>(given, "bound");
    }

   private:
    template <class T>
    static T read(const nb::dict& given, const char* name) { return nb::cast<T>(given[name]); }
};

}  // namespace colonnade::python
