// What each kind of learner is told at an event: cumulants and discounts, numbers, or a class.
#pragma once

#include <algorithm>
#include <string>

#include "learner.hpp"

namespace colonnade::python {

class Returns : public Learner {
   public:
    using Learner::Learner;

    nb::object step(nb::handle x, nb::handle cumulant, nb::handle discount) {
        learn(x, cumulant, discount);
        return answer();
    }

    void learn(nb::handle x, nb::handle cumulant, nb::handle discount) {
        const Turn turn(*this);
        read_outputs(cumulant, "cumulant", target_.data());
        Told told{target_.data(), nullptr, nullptr};
        if (!discount.is_none()) read_discount(discount), told.discount = told_discount_.data();
        Learner::step(x, told);
    }

   private:
    // One for each prediction, or one for all.
    void read_discount(nb::handle given) {
        if (holds_many(given)) read_outputs(given, "discount", told_discount_.data());
        else std::fill(told_discount_.begin(), told_discount_.end(), number_of(given, field("discount"), -1));
        for (const float one : told_discount_)
            if (one < 0.0f || one > 1.0f)
                refuse(field("discount").whole(), "a number from 0 to 1", nb::float_(static_cast<double>(one)));
    }
};

class Numbers : public Learner {
   public:
    using Learner::Learner;

    nb::object step(nb::handle x, nb::handle y) {
        learn(x, y);
        return answer();
    }

    void learn(nb::handle x, nb::handle y) {
        const Turn turn(*this);
        const unsigned char known = !y.is_none();
        if (known) read_outputs(y, "y", target_.data());
        Learner::step(x, {target_.data(), nullptr, &known});
    }
};

class Classes : public Learner {
   public:
    using Learner::Learner;

    nb::object step(nb::handle x, nb::handle y) {
        learn(x, y);
        return answer();
    }

    void learn(nb::handle x, nb::handle y) {
        const Turn turn(*this);
        const unsigned char known = !y.is_none();
        if (known) target_[0] = static_cast<float>(class_of(y));
        Learner::step(x, {target_.data(), nullptr, &known});
    }

   private:
    long class_of(nb::handle y) const {
        const bool whole = PyIndex_Check(y.ptr()) && !PyBool_Check(y.ptr());
        const Py_ssize_t given = whole ? PyNumber_AsSsize_t(y.ptr(), nullptr) : -1;
        if (PyErr_Occurred()) refuse_class(y, only_errors(nb::python_error()).value());
        if (given < 0 || given >= settings_.outputs) refuse_class(y);
        return static_cast<long>(given);
    }

    [[noreturn]] void refuse_class(nb::handle y, nb::handle cause = {}) const {
        const nb::object shown = nb::module_::import_("colonnade.errors").attr("shown")(y);
        const std::string allowed = "a class, an integer from 0 to " + std::to_string(settings_.outputs - 1);
        refuse(field("y").whole(), allowed, shown, cause);
    }
};

}  // namespace colonnade::python
