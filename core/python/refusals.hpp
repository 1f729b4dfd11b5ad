// What Python is told when something can't be used: a BadInput that says where, what was expected, what came.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>

#include <string>

namespace colonnade::python {

namespace nb = nanobind;
using namespace nb::literals;

[[noreturn]] inline void refuse(const std::string& argument, const std::string& expected, nb::handle got,
                                nb::handle cause = {}) {
    nb::object bad_input = nb::module_::import_("colonnade.errors").attr("BadInput");
    nb::object error = bad_input(nb::str(argument.c_str()), "expected"_a = expected.c_str(), "got"_a = got);
    if (cause.is_valid()) PyException_SetCause(error.ptr(), cause.inc_ref().ptr());
    PyErr_SetObject(bad_input.ptr(), error.ptr());
    throw nb::python_error();
}

[[noreturn]] inline void refuse(const std::string& argument, const std::string& expected, const std::string& got,
                                nb::handle cause = {}) {
    refuse(argument, expected, nb::str(got.c_str()), cause);
}

// An error of an argument's own code explains why it is refused; interrupts and exits are let through.
inline const nb::python_error& only_errors(const nb::python_error& raised) {
    if (!raised.matches(PyExc_Exception)) throw raised;
    return raised;
}

inline std::string type_of(nb::handle given) {
    const nb::handle type(reinterpret_cast<PyObject*>(Py_TYPE(given.ptr())));
    return nb::cast<std::string>(nb::str(type.attr("__name__")));
}

// What is being read, for errors.
struct Field {
    const char* name;
    long long event;

    // The i-th number; or, if i is negative, the field as a whole.
    std::string at(long i) const {
        const std::string place = i < 0 ? "" : "[" + std::to_string(i) + "]";
        return name + place + " of event " + std::to_string(event);
    }
    std::string whole() const { return at(-1); }
};

[[noreturn]] inline void refuse_number(const Field& field, long i, double got) {
    refuse(field.at(i), "a finite number within ±1e15", nb::float_(got));
}

[[noreturn]] inline void refuse_length(const Field& field, long wanted, long came) {
    refuse(field.whole(), std::to_string(wanted) + (wanted == 1 ? " number" : " numbers"), std::to_string(came));
}

}  // namespace colonnade::python
