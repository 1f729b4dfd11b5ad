// The compiled engine as the Python module colonnade._engine. Only this file and its folder know Python.
#include <nanobind/nanobind.h>

#include <cstdlib>
#include <cstring>
#include <memory>
#include <string>

#include "isa.hpp"
#include "python/kinds.hpp"

namespace {

using namespace colonnade::python;
using colonnade::Maker;
using colonnade::Task;

const Maker& chosen_maker() {
    static const Maker* chosen = [] {
        const char* wanted = std::getenv("COLONNADE_ISA");
        const Maker* found = nullptr;
        std::string there;
        colonnade::each_available_maker([&](const Maker& maker) {
            there += (there.empty() ? "" : ", ") + std::string(maker.name);
            if (!wanted || !*wanted || std::strcmp(wanted, maker.name) == 0) found = &maker;
            return !found;
        });
        if (!found) refuse("COLONNADE_ISA", "one of " + there + " on this processor", wanted);
        return found;
    }();
    return *chosen;
}

// How many numbers one of these settings would need, and the shapes of its arrays.
nb::tuple outline(const nb::dict& settings, Task task) {
    const Given given(settings, task);
    const colonnade::Needs needs = chosen_maker().needs(given.settings);
    Outline outline;
    chosen_maker().outline(given.settings, outline);
    outline.done();
    return nb::make_tuple(needs.rows + 2 * needs.vectors, outline.named);
}

void run(Learner& learner, const Matrix& x, const Flat& target, nb::handle discount, nb::handle known,
         Writable predictions) {
    std::unique_ptr<Flat> discounts;
    std::unique_ptr<Known> mask;
    if (!discount.is_none()) discounts = std::make_unique<Flat>(nb::cast<Flat>(discount));
    if (!known.is_none()) mask = std::make_unique<Known>(nb::cast<Known>(known));
    learner.run(x, target, discounts.get(), mask.get(), predictions);
}

template <class L, Task task>
nb::class_<L, Learner> bind(nb::module_& module, const char* name, const char* what) {
    return nb::class_<L, Learner>(module, name, what)
        .def("__init__", [](L* place, const nb::dict& settings) { new (place) L(settings, task, chosen_maker()); }, "settings"_a)
        .def_static("_outline", [](const nb::dict& settings) { return outline(settings, task); }, "settings"_a);
}

}  // namespace

NB_MODULE(_engine, module) {
    nb::set_leak_warnings(false);  // who is interrupted, or writes to a closed pipe, leaves things behind at its exit
    module.doc() = "Colonnade's compiled engine.";
    module.def("instruction_set", [] { return chosen_maker().name; }, "The instruction set that the engine uses.");
    nb::class_<Learner>(module, "Learner", "A compiled learner.")
        .def("predict", &Learner::predict, "x"_a.none(), "Say what would be predicted if x came now. Nothing changes.")
        .def("reset", &Learner::reset, "Begin a new episode: states and blame are forgotten, what was learned stays.")
        .def("_run", &run, "x"_a, "target"_a, "discount"_a.none(), "known"_a.none(), "predictions"_a)
        .def("_state", &Learner::state)
        .def("_set_state", &Learner::set_state, "named"_a, "events"_a, "begun"_a)
        .def("_set_arrays", &Learner::set_arrays, "named"_a)
        .def("_events", &Learner::events);
    bind<Returns, Task::returns>(module, "Returns", "Predicts discounted sums.")
        .def("step", &Returns::step, "x"_a.none(), "cumulant"_a.none(), "discount"_a = nb::none(),
             "Take one event in: observe x with its cumulant, learn, and return the prediction.")
        .def("learn", &Returns::learn, "x"_a.none(), "cumulant"_a.none(), "discount"_a = nb::none(),
             "Like step, without an answer.");
    bind<Numbers, Task::numbers>(module, "Numbers", "Predicts numbers.")
        .def("step", &Numbers::step, "x"_a.none(), "y"_a.none(), "Take one event in: observe x, predict, be told y, and learn.")
        .def("learn", &Numbers::learn, "x"_a.none(), "y"_a.none(), "Like step, without an answer.");
    bind<Classes, Task::classes>(module, "Classes", "Predicts classes.")
        .def("step", &Classes::step, "x"_a.none(), "y"_a.none(), "Take one event in: observe x, predict, be told y, and learn.")
        .def("learn", &Classes::learn, "x"_a.none(), "y"_a.none(), "Like step, without an answer.");
}
