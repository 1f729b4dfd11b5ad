// A compiled learner as a Python object: takes events in from whatever holds them.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <cstring>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "arrays.hpp"
#include "reading.hpp"
#include "settings.hpp"

namespace colonnade::python {

using Matrix = nb::ndarray<const float, nb::ndim<2>, nb::c_contig, nb::device::cpu>;
using Flat = nb::ndarray<const float, nb::c_contig, nb::device::cpu>;
using Known = nb::ndarray<const bool, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using Writable = nb::ndarray<float, nb::c_contig, nb::device::cpu>;

class Learner {
   public:
    Learner(const nb::dict& given, Task task, const Maker& maker)
        : given_(given, task), settings_(given_.settings), maker_(maker), needs_(maker.needs(settings_)) {
        settings_.discount = given_.discount.data(), settings_.trace_decay = given_.trace_decay.data();
        place_ = std::make_unique<std::byte[]>(static_cast<size_t>(maker_.size(settings_)));
        begin();
        x_.resize(settings_.inputs), target_.resize(settings_.outputs);
        told_discount_.resize(settings_.outputs), prediction_.resize(settings_.outputs);
    }

    nb::object predict(nb::handle x) {
        {
            const Turn turn(*this);
            read_observation(x);
            engine_->look(x_.data(), prediction_.data());
        }
        return answer();
    }

    // Learns from a chunk that nobody else can change; all of it was looked at before.
    void run(const Matrix& x, const Flat& target, const Flat* discount, const Known* known, Writable& predictions) {
        const size_t events = x.shape(0), outputs = static_cast<size_t>(settings_.outputs);
        const size_t targets = settings_.task == Task::classes ? events : events * outputs;
        if (x.shape(1) != static_cast<size_t>(settings_.inputs) || target.size() != targets ||
            predictions.size() != events * outputs || (discount && discount->size() != events * outputs) ||
            (known && known->size() != events))
            throw std::invalid_argument("arrays that don't fit together");
        const Told told{target.data(), discount ? discount->data() : nullptr,
                        known ? reinterpret_cast<const unsigned char*>(known->data()) : nullptr};
        const Turn turn(*this);
        const nb::gil_scoped_release released;
        engine_->run(x.data(), told, predictions.data(), static_cast<long>(events));
    }

    void reset() {
        const Turn turn(*this);
        engine_->reset();
    }

    // Everything at one time: arrays by name, and where the learner is in its stream.
    nb::tuple state() {
        const Turn turn(*this);
        Gather gather;
        engine_->visit(gather);
        gather.done();
        const Progress now = engine_->progress();
        return nb::make_tuple(gather.named, now.events, now.begun);
    }

    // Sets what there are arrays for; all else stays as it is.
    void set_arrays(const nb::dict& named) {
        const Turn turn(*this);
        const Progress now = engine_->progress();
        scatter(Scatter(named), now);
    }

    // Becomes a learner of just this state: of its own past, nothing stays.
    void set_state(const nb::dict& named, long long events, bool begun) {
        const Turn turn(*this);
        Scatter all(named);
        begin();
        scatter(std::move(all), {events, begun});
    }

    // How many events there were; while a chunk is at work, before it.
    long long events() const { return busy_ ? before_.events : engine_->progress().events; }

   protected:
    // A learner belongs to one call at a time. Refused is another thread's while a chunk is at work without
    // Python's lock, and one that an argument's own code makes while it is being read.
    class Turn {
       public:
        explicit Turn(Learner& learner) : learner_(learner) {
            if (learner.busy_)
                throw std::runtime_error(
                    "this learner is at work in another call: give each thread its own, or let them take turns");
            learner.busy_ = true;
            learner.before_ = learner.engine_->progress();
        }
        ~Turn() { learner_.busy_ = false; }
        Turn(const Turn&) = delete;
        Turn& operator=(const Turn&) = delete;

       private:
        Learner& learner_;
    };

   private:
    Given given_;

   protected:
    Settings settings_;
    std::vector<float> x_, target_, told_discount_, prediction_;

    // The event that is being read.
    Field field(const char* name) const { return {name, before_.events}; }

    // Reads x, tells what `told` says, and learns; the prediction is in `prediction_`.
    void step(nb::handle x, const Told& told) {
        read_observation(x);
        engine_->run(x_.data(), told, prediction_.data(), 1);
    }

    nb::object answer() const {
        if (settings_.outputs == 1 && settings_.task != Task::classes) return nb::float_(static_cast<double>(prediction_[0]));
        const size_t n = prediction_.size();
        float* copy = new float[n];
        std::memcpy(copy, prediction_.data(), n * sizeof(float));
        return owned(copy, {1, {settings_.outputs}});
    }

    // As many numbers as there are outputs; one may come bare.
    void read_outputs(nb::handle given, const char* name, float* numbers) {
        if (settings_.outputs == 1 && !holds_many(given)) *numbers = number_of(given, field(name), -1);
        else read_row(given, field(name), numbers, settings_.outputs);
    }

   private:
    const Maker& maker_;
    const Needs needs_;
    Room rows_{needs_.rows}, vectors_{needs_.vectors}, scratch_{needs_.vectors};
    std::unique_ptr<std::byte[]> place_;
    Engine* engine_ = nullptr;
    bool busy_ = false;
    Progress before_{};  // the call that is at work

    void begin() {
        rows_.clear(), vectors_.clear(), scratch_.clear();
        engine_ = maker_.make(settings_, place_.get(), rows_.get(), vectors_.get(), scratch_.get());
    }

    void scatter(Scatter&& scatter, const Progress& where) {
        engine_->visit(scatter);
        scatter.done();
        engine_->set_progress(where);
    }

    void read_observation(nb::handle x) {
        if (PyDict_Check(x.ptr())) read_named(x, field("x"));
        else read_row(x, field("x"), x_.data(), settings_.inputs);
    }

    void read_named(nb::handle x, const Field& field) {
        if (given_.names.is_none())
            refuse(field.whole(), "numbers in order; for a dict, name the inputs when making the learner", "a dict");
        for (long i = 0; i < settings_.inputs; ++i) {
            const nb::handle name = PyTuple_GET_ITEM(given_.names.ptr(), i);
            const nb::object held = nb::borrow(PyDict_GetItemWithError(x.ptr(), name.ptr()));
            if (PyErr_Occurred()) only_errors(nb::python_error());
            if (!held.is_valid()) refuse(field.whole(), "a number for " + nb::cast<std::string>(nb::repr(name)), "none of that name");
            x_[i] = number_of(held, field, i);
        }
        const long came = static_cast<long>(PyDict_Size(x.ptr()));
        if (came != settings_.inputs) refuse_length(field, settings_.inputs, came);
    }
};

}  // namespace colonnade::python
