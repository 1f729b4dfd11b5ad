// The compiled engine as the Python module colonnade._engine: the only file here that knows Python.
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <cmath>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <new>
#include <stdexcept>
#include <string>
#include <vector>

#include "isa.hpp"

namespace nb = nanobind;
using namespace nb::literals;

namespace {

using colonnade::Engine;
using colonnade::Maker;
using colonnade::Needs;
using colonnade::Rule;
using colonnade::Settings;
using colonnade::Shape;
using colonnade::Task;
using colonnade::Told;
using colonnade::Visitor;
using colonnade::Wiring;

constexpr float LARGEST = 1e15f;  // squares and their sums are still finite

// ---- what Python is told when something can't be used ----

[[noreturn]] void refuse(const std::string& argument, const std::string& expected, nb::handle got) {
    nb::object bad_input = nb::module_::import_("colonnade.errors").attr("BadInput");
    nb::object error = bad_input(nb::str(argument.c_str()), "expected"_a = expected.c_str(), "got"_a = got);
    PyErr_SetObject(bad_input.ptr(), error.ptr());
    throw nb::python_error();
}

[[noreturn]] void refuse(const std::string& argument, const std::string& expected, const std::string& got) {
    refuse(argument, expected, nb::str(got.c_str()));
}

std::string type_of(nb::handle given) { return nb::cast<std::string>(nb::str(nb::handle((PyObject*)Py_TYPE(given.ptr())).attr("__name__"))); }

// ---- numbers of one event, out of whatever holds them ----

// What is being read, for errors.
struct Field {
    const char* name;
    long long event;

    std::string at(long i) const { return std::string(name) + "[" + std::to_string(i) + "] of event " + std::to_string(event); }
    std::string whole() const { return std::string(name) + " of event " + std::to_string(event); }
};

inline bool usable(float v) { return std::fabs(v) <= LARGEST; }  // no NaN is

[[noreturn]] void refuse_number(const std::string& where, nb::handle got) {
    refuse(where, "a finite number within ±1e15", got);
}

// One Python number; text isn't one, whatever it says.
inline float number_of(nb::handle given, const Field& field, long i) {
    double v;
    if (PyFloat_CheckExact(given.ptr())) {
        v = PyFloat_AS_DOUBLE(given.ptr());
    } else {
        const bool numeric = PyNumber_Check(given.ptr()) && !PyUnicode_Check(given.ptr()) && !PyComplex_Check(given.ptr());
        v = numeric ? PyFloat_AsDouble(given.ptr()) : 0.0;
        if (!numeric || PyErr_Occurred()) {
            PyErr_Clear();
            refuse(i < 0 ? field.whole() : field.at(i), "a number", type_of(given));
        }
    }
    const float single = static_cast<float>(v);
    if (!usable(single)) refuse_number(i < 0 ? field.whole() : field.at(i), nb::float_(v));
    return single;
}

void refuse_length(const Field& field, long wanted, long came) {
    refuse(field.whole(), std::to_string(wanted) + (wanted == 1 ? " number" : " numbers"), std::to_string(came));
}

void read_sequence(nb::handle given, const Field& field, float* numbers, long n) {
    const long came = static_cast<long>(PySequence_Fast_GET_SIZE(given.ptr()));
    if (came != n) refuse_length(field, n, came);
    for (long i = 0; i < n; ++i) {
        // A number's own code may have shortened the list meanwhile.
        if (i >= PySequence_Fast_GET_SIZE(given.ptr())) refuse_length(field, n, i);
        nb::object item = nb::borrow(PySequence_Fast_GET_ITEM(given.ptr(), i));
        numbers[i] = number_of(item, field, i);
    }
}

template <class T>
bool read_strided(const Py_buffer& buffer, float* numbers, long n) {
    const char* at = static_cast<const char*>(buffer.buf);
    const Py_ssize_t stride = buffer.strides ? buffer.strides[0] : buffer.itemsize;
    bool good = true;
    for (long i = 0; i < n; ++i, at += stride) {
        T v;
        std::memcpy(&v, at, sizeof v);
        numbers[i] = static_cast<float>(v);
        good &= usable(numbers[i]);
    }
    return good;
}

class Buffer {
   public:
    explicit Buffer(nb::handle given) { held_ = PyObject_GetBuffer(given.ptr(), &view, PyBUF_STRIDES | PyBUF_FORMAT) == 0; }
    ~Buffer() {
        if (held_) PyBuffer_Release(&view);
    }
    Buffer(const Buffer&) = delete;
    Buffer& operator=(const Buffer&) = delete;
    bool held() const { return held_; }
    // The type of a number in it; 0 for what isn't one machine number.
    char kind() const { return view.format && view.format[0] && !view.format[1] ? view.format[0] : '\0'; }
    Py_buffer view;

   private:
    bool held_;
};

// Whether it could be read in place; else nothing is known of it.
bool read_buffer(nb::handle given, const Field& field, float* numbers, long n) {
    Buffer buffer(given);
    if (!buffer.held()) {
        PyErr_Clear();
        return false;
    }
    const Py_buffer& view = buffer.view;
    const char kind = buffer.kind();
    if (!kind || !std::strchr("fdbBhHiIlLqQ?", kind)) return false;
    if (view.ndim != 1) refuse(field.whole(), "one row of numbers", std::to_string(view.ndim) + " axes");
    if (view.shape[0] != n) refuse_length(field, n, static_cast<long>(view.shape[0]));
    bool good = true;
    switch (kind) {
        case 'f': good = read_strided<float>(view, numbers, n); break;
        case 'd': good = read_strided<double>(view, numbers, n); break;
        case 'b': good = read_strided<signed char>(view, numbers, n); break;
        case 'B': case '?': good = read_strided<unsigned char>(view, numbers, n); break;
        case 'h': good = read_strided<short>(view, numbers, n); break;
        case 'H': good = read_strided<unsigned short>(view, numbers, n); break;
        case 'i': good = read_strided<int>(view, numbers, n); break;
        case 'I': good = read_strided<unsigned int>(view, numbers, n); break;
        case 'l': good = read_strided<long>(view, numbers, n); break;
        case 'L': good = read_strided<unsigned long>(view, numbers, n); break;
        case 'q': good = read_strided<long long>(view, numbers, n); break;
        default: good = read_strided<unsigned long long>(view, numbers, n);
    }
    for (long i = 0; !good && i < n; ++i)
        if (!usable(numbers[i])) refuse_number(field.at(i), given[i]);
    return true;
}

void read_row(nb::handle given, const Field& field, float* numbers, long n) {
    if (PyList_CheckExact(given.ptr()) || PyTuple_CheckExact(given.ptr())) return read_sequence(given, field, numbers, n);
    const bool text = PyBytes_Check(given.ptr()) || PyByteArray_Check(given.ptr()) || PyUnicode_Check(given.ptr());
    if (!text && PyObject_CheckBuffer(given.ptr()) && read_buffer(given, field, numbers, n)) return;
    // Tensors of other libraries, half floats, and whatever else NumPy can read.
    nb::object plain;
    try {
        if (!text) plain = nb::module_::import_("numpy").attr("asarray")(given, "dtype"_a = "float64");
    } catch (nb::python_error&) {
    }
    if (!plain.is_valid() || !read_buffer(plain, field, numbers, n)) refuse(field.whole(), "numbers", type_of(given));
}

// Refuses a second thread while a chunk is at work without Python's lock: a learner belongs to one at a time.
class Turn {
   public:
    explicit Turn(bool& busy) : busy_(busy) {
        if (busy_) throw std::runtime_error("this learner is at work in another thread");
        busy_ = true;
    }
    ~Turn() { busy_ = false; }
    Turn(const Turn&) = delete;
    Turn& operator=(const Turn&) = delete;

   private:
    bool& busy_;
};

// ---- a learner's state, by name ----

struct Free {
    void operator()(float* memory) const { ::operator delete[](memory, std::align_val_t{64}); }
};
using Memory = std::unique_ptr<float[], Free>;

Memory zeros(long floats) {
    const size_t bytes = (static_cast<size_t>(floats) + 16) * sizeof(float);
    Memory memory(static_cast<float*>(::operator new[](bytes, std::align_val_t{64})));
    std::memset(memory.get(), 0, bytes);
    return memory;
}

std::string full_name(const char* part, int index, const char* name, const char* of) {
    std::string whole = part;
    if (index >= 0) whole += "." + std::to_string(index);
    return whole + "." + name + (*of ? "." : "") + of;
}

size_t product(const Shape& shape) {
    size_t n = 1;
    for (int a = 0; a < shape.axes; ++a) n *= static_cast<size_t>(shape.size[a]);
    return n;
}

// Copies everything into arrays of its own.
class Gather final : public Visitor {
   public:
    nb::dict named;

    void open(const char* part, int index, const char* name, const char* of, const Shape& shape) override {
        next_ = new float[product(shape)];
        nb::capsule owner(next_, [](void* p) noexcept { delete[] static_cast<float*>(p); });
        size_t sizes[4];
        for (int a = 0; a < shape.axes; ++a) sizes[a] = static_cast<size_t>(shape.size[a]);
        nb::ndarray<nb::numpy, float> array(next_, static_cast<size_t>(shape.axes), sizes, owner);
        named[full_name(part, index, name, of).c_str()] = array;
    }
    void number(float& n) override { *next_++ = n; }

   private:
    float* next_ = nullptr;
};

// Sets everything there is an array for. Names and shapes were checked before.
class Scatter final : public Visitor {
   public:
    explicit Scatter(const nb::dict& named) : named_(named) {}

    void open(const char* part, int index, const char* name, const char* of, const Shape& shape) override {
        const std::string whole = full_name(part, index, name, of);
        next_ = nullptr;
        if (!named_.contains(whole.c_str())) return;
        held_ = nb::cast<Array>(named_[whole.c_str()]);
        if (held_.size() != product(shape)) throw std::invalid_argument(whole);
        next_ = held_.data();
    }
    void number(float& n) override {
        if (next_) n = *next_++;
    }

   private:
    using Array = nb::ndarray<const float, nb::c_contig, nb::device::cpu>;
    const nb::dict& named_;
    Array held_;
    const float* next_ = nullptr;
};

// ---- which instruction set ----

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

// ---- learners ----

using Matrix = nb::ndarray<const float, nb::ndim<2>, nb::c_contig, nb::device::cpu>;
using Flat = nb::ndarray<const float, nb::c_contig, nb::device::cpu>;
using Known = nb::ndarray<const bool, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using Writable = nb::ndarray<float, nb::c_contig, nb::device::cpu>;

// Settings as Python gives them, checked there; discounts are kept beside them.
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
        if (columns.size() > colonnade::MOST_STAGES) throw std::invalid_argument("columns");
        s.stages = static_cast<int>(columns.size()), s.stage_steps = read<long long>(given, "stage_steps");
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

class Learner {
   public:
    Learner(const nb::dict& given, Task task) : given_(given, task), settings_(given_.settings), maker_(chosen_maker()) {
        settings_.discount = given_.discount.data(), settings_.trace_decay = given_.trace_decay.data();
        make();
        x_.resize(settings_.inputs), target_.resize(settings_.outputs);
        told_discount_.resize(settings_.outputs), prediction_.resize(settings_.outputs);
    }

    // How many numbers one of these would need.
    static long room(const nb::dict& given, Task task) {
        const Needs needs = chosen_maker().needs(Given(given, task).settings);
        return needs.rows + 2 * needs.vectors;
    }

    // Reads x, tells what `told` says, and learns; the prediction is in `prediction_`.
    void step(nb::handle x, const Told& told) {
        read_observation(x);
        Turn turn(busy_);
        engine_->run(x_.data(), told, prediction_.data(), 1);
    }

    nb::object predict(nb::handle x) {
        read_observation(x);
        {
            Turn turn(busy_);
            engine_->look(x_.data(), prediction_.data());
        }
        return answer();
    }

    // Learns from a chunk; all of it was looked at before.
    void run(const Matrix& x, const Flat& target, const Flat* discount, const Known* known, Writable& predictions) {
        const size_t events = x.shape(0), outputs = static_cast<size_t>(settings_.outputs);
        const size_t targets = settings_.task == Task::classes ? events : events * outputs;
        if (x.shape(1) != static_cast<size_t>(settings_.inputs) || target.size() != targets ||
            predictions.size() != events * outputs || (discount && discount->size() != events * outputs) ||
            (known && known->size() != events))
            throw std::invalid_argument("arrays that don't fit together");
        const Told told{target.data(), discount ? discount->data() : nullptr,
                        known ? reinterpret_cast<const unsigned char*>(known->data()) : nullptr};
        Turn turn(busy_);
        nb::gil_scoped_release released;
        engine_->run(x.data(), told, predictions.data(), static_cast<long>(events));
    }

    void reset() {
        Turn turn(busy_);
        engine_->reset();
    }

    nb::dict arrays() {
        Turn turn(busy_);
        Gather gather;
        engine_->visit(gather);
        return gather.named;
    }

    void set_arrays(const nb::dict& named, long long events, bool begun) {
        Turn turn(busy_);
        Scatter scatter(named);
        engine_->visit(scatter);
        engine_->set_progress({events, begun});
    }

    nb::tuple progress() const {
        const colonnade::Progress now = engine_->progress();
        return nb::make_tuple(now.events, now.begun);
    }

   private:
    Given given_;

   protected:
    Settings settings_;
    std::vector<float> x_, target_, told_discount_, prediction_;

    long long event() const { return engine_->progress().events; }

    nb::object answer() const {
        if (settings_.outputs == 1 && settings_.task != Task::classes) return nb::float_(static_cast<double>(prediction_[0]));
        const size_t n = prediction_.size();
        float* copy = new float[n];
        std::memcpy(copy, prediction_.data(), n * sizeof(float));
        nb::capsule owner(copy, [](void* p) noexcept { delete[] static_cast<float*>(p); });
        return nb::cast(nb::ndarray<nb::numpy, float, nb::ndim<1>>(copy, {n}, owner));
    }

    // As many numbers as there are outputs; one may come bare.
    void read_outputs(nb::handle given, const char* name, float* numbers) {
        const Field field{name, event()};
        if (settings_.outputs == 1 && (PyFloat_CheckExact(given.ptr()) || !holds_many(given))) *numbers = number_of(given, field, -1);
        else read_row(given, field, numbers, settings_.outputs);
    }

   private:
    const Maker& maker_;
    Memory rows_, vectors_, scratch_;
    std::unique_ptr<std::byte[]> place_;
    Engine* engine_ = nullptr;
    bool busy_ = false;

    void make() {
        const Needs needs = maker_.needs(settings_);
        rows_ = zeros(needs.rows), vectors_ = zeros(needs.vectors), scratch_ = zeros(needs.vectors);
        place_ = std::make_unique<std::byte[]>(static_cast<size_t>(maker_.size(settings_)));
        engine_ = maker_.make(settings_, place_.get(), rows_.get(), vectors_.get(), scratch_.get());
    }

    static bool holds_many(nb::handle given) { return PySequence_Check(given.ptr()) && !PyUnicode_Check(given.ptr()); }

    void read_observation(nb::handle x) {
        const Field field{"x", event()};
        if (PyDict_Check(x.ptr())) read_named(x, field);
        else read_row(x, field, x_.data(), settings_.inputs);
    }

    void read_named(nb::handle x, const Field& field) {
        if (given_.names.is_none()) refuse(field.whole(), "numbers in order; for a dict, name the inputs when making the learner", "a dict");
        for (long i = 0; i < settings_.inputs; ++i) {
            const nb::handle name = PyTuple_GET_ITEM(given_.names.ptr(), i);
            PyObject* found = PyDict_GetItemWithError(x.ptr(), name.ptr());
            if (!found) {
                PyErr_Clear();
                refuse(field.whole(), "a number for " + nb::cast<std::string>(nb::repr(name)), "none of that name");
            }
            const nb::object held = nb::borrow(found);
            x_[i] = number_of(held, field, i);
        }
        const long came = static_cast<long>(PyDict_Size(x.ptr()));
        if (came != settings_.inputs) refuse_length(field, settings_.inputs, came);
    }
};

class Returns : public Learner {
   public:
    using Learner::Learner;

    nb::object step(nb::handle x, nb::handle cumulant, nb::handle discount) {
        learn(x, cumulant, discount);
        return answer();
    }

    void learn(nb::handle x, nb::handle cumulant, nb::handle discount) {
        read_outputs(cumulant, "cumulant", target_.data());
        Told told{target_.data(), nullptr, nullptr};
        if (!discount.is_none()) read_discount(discount), told.discount = told_discount_.data();
        Learner::step(x, told);
    }

   private:
    void read_discount(nb::handle given) {
        if (PyFloat_Check(given.ptr()) || PyLong_Check(given.ptr()))
            for (float& one : told_discount_) one = number_of(given, {"discount", event()}, -1);
        else
            read_outputs(given, "discount", told_discount_.data());
        for (const float one : told_discount_)
            if (one < 0.0f || one > 1.0f)
                refuse("discount of event " + std::to_string(event()), "a number from 0 to 1", nb::float_(static_cast<double>(one)));
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
        const unsigned char known = !y.is_none();
        if (known) target_[0] = static_cast<float>(class_of(y));
        Learner::step(x, {target_.data(), nullptr, &known});
    }

   private:
    long class_of(nb::handle y) const {
        const bool whole = PyIndex_Check(y.ptr()) && !PyBool_Check(y.ptr());
        const Py_ssize_t given = whole ? PyNumber_AsSsize_t(y.ptr(), nullptr) : -1;
        if (PyErr_Occurred()) PyErr_Clear();
        if (given < 0 || given >= settings_.outputs)
            refuse("y of event " + std::to_string(event()),
                   "a class, an integer from 0 to " + std::to_string(settings_.outputs - 1), nb::repr(y));
        return static_cast<long>(given);
    }
};

template <class L, Task task>
nb::class_<L, Learner> bind(nb::module_& module, const char* name, const char* what) {
    return nb::class_<L, Learner>(module, name, what)
        .def("__init__", [](L* place, const nb::dict& settings) { new (place) L(settings, task); }, "settings"_a)
        .def_static("_room", [](const nb::dict& settings) { return Learner::room(settings, task); }, "settings"_a,
                    "How many numbers one of these settings needs.");
}

}  // namespace

NB_MODULE(_engine, module) {
    module.doc() = "Colonnade's compiled engine.";
    module.def("instruction_set", [] { return chosen_maker().name; }, "The instruction set that the engine uses.");
    nb::class_<Learner>(module, "Learner", "A compiled learner.")
        .def("predict", &Learner::predict, "x"_a, "Say what would be predicted if x came now. Nothing changes.")
        .def("reset", &Learner::reset, "Begin a new episode: states and blame are forgotten, what was learned stays.")
        .def(
            "_run",
            [](Learner& learner, Matrix x, Flat target, nb::object discount, nb::object known, Writable predictions) {
                std::unique_ptr<Flat> discounts;
                std::unique_ptr<Known> mask;
                if (!discount.is_none()) discounts = std::make_unique<Flat>(nb::cast<Flat>(discount));
                if (!known.is_none()) mask = std::make_unique<Known>(nb::cast<Known>(known));
                learner.run(x, target, discounts.get(), mask.get(), predictions);
            },
            "x"_a, "target"_a, "discount"_a.none(), "known"_a.none(), "predictions"_a)
        .def("_arrays", &Learner::arrays)
        .def("_set_arrays", &Learner::set_arrays, "named"_a, "events"_a, "begun"_a)
        .def("_progress", &Learner::progress);
    bind<Returns, Task::returns>(module, "Returns", "Predicts discounted sums.")
        .def("step", &Returns::step, "x"_a, "cumulant"_a, "discount"_a = nb::none(),
             "Take one event in: observe x with its cumulant, learn, and return the prediction.")
        .def("learn", &Returns::learn, "x"_a, "cumulant"_a, "discount"_a = nb::none(), "Like step, without an answer.");
    bind<Numbers, Task::numbers>(module, "Numbers", "Predicts numbers.")
        .def("step", &Numbers::step, "x"_a, "y"_a.none(), "Take one event in: observe x, predict, be told y, and learn.")
        .def("learn", &Numbers::learn, "x"_a, "y"_a.none(), "Like step, without an answer.");
    bind<Classes, Task::classes>(module, "Classes", "Predicts classes.")
        .def("step", &Classes::step, "x"_a, "y"_a.none(), "Take one event in: observe x, predict, be told y, and learn.")
        .def("learn", &Classes::learn, "x"_a, "y"_a.none(), "Like step, without an answer.");
}
