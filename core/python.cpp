// The compiled engine as the Python module colonnade._engine: the only file here that knows Python.
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <atomic>
#include <cmath>
#include <cstring>
#include <memory>
#include <new>
#include <stdexcept>
#include <string>
#include <vector>

#include "isa.hpp"
#include "predictor.hpp"

namespace nb = nanobind;
using namespace nb::literals;

namespace {

using colonnade::GATES;
using colonnade::LANES;
using colonnade::Normaliser;
using colonnade::RmsProp;
using colonnade::Row;
using colonnade::Sgd;
using colonnade::Stage;
using colonnade::WIDTH;

using Vector = nb::ndarray<const float, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using Matrix = nb::ndarray<const float, nb::ndim<2>, nb::c_contig, nb::device::cpu>;
using Writable = nb::ndarray<float, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using Array = nb::ndarray<nb::numpy, float>;

struct Free {
    void operator()(float* memory) const { ::operator delete[](memory, std::align_val_t{64}); }
};
using Memory = std::unique_ptr<float[], Free>;

Memory allocate(long floats) {
    return Memory(static_cast<float*>(::operator new[](floats * sizeof(float), std::align_val_t{64})));
}

// A chunk of events, compiled for each instruction set.
COLONNADE_MULTIVERSIONED
void run_rmsprop(colonnade::Predictor& predictor, const float* x, const float* cumulant, const float* discount,
                 float* prediction, long events, RmsProp optimizer) {
    const int inputs = predictor.settings().inputs;
    for (long t = 0; t < events; ++t)
        prediction[t] = predictor.step(x + t * inputs, cumulant[t], discount[t], optimizer);
}

COLONNADE_MULTIVERSIONED
void run_sgd(colonnade::Predictor& predictor, const float* x, const float* cumulant, const float* discount,
             float* prediction, long events, Sgd optimizer) {
    const int inputs = predictor.settings().inputs;
    for (long t = 0; t < events; ++t)
        prediction[t] = predictor.step(x + t * inputs, cumulant[t], discount[t], optimizer);
}

// Refuses a second thread while one is at work: a learner belongs to one at a time.
class Turn {
   public:
    explicit Turn(std::atomic_flag& busy) : busy_(busy) {
        if (busy_.test_and_set()) throw std::runtime_error("this learner is at work in another thread");
    }
    ~Turn() { busy_.clear(); }

   private:
    std::atomic_flag& busy_;
};

class PyPredictor {
   public:
    PyPredictor(int inputs, const std::vector<int>& columns, long long stage_steps, float trace_decay,
                float step_size, bool rms, float rms_keep, float rms_eps, float rate, float floor) {
        if (columns.empty() || columns.size() > colonnade::MOST_STAGES) throw std::invalid_argument("stages");
        settings_ = {};
        settings_.inputs = inputs, settings_.stages = static_cast<int>(columns.size());
        for (size_t s = 0; s < columns.size(); ++s) settings_.columns[s] = columns[s];
        settings_.stage_steps = stage_steps, settings_.trace_decay = trace_decay;
        settings_.step_size = step_size, settings_.rms = rms, settings_.rms_keep = rms_keep;
        settings_.rms_eps = rms_eps, settings_.rate = rate, settings_.floor = floor;
        floats_ = colonnade::Predictor::floats(settings_);
        memory_ = allocate(floats_), scratch_ = allocate(floats_);
        predictor_.bind(settings_, memory_.get());
    }

    // Learns from a chunk; all of it has been looked at by the caller.
    void run(Matrix x, Vector cumulant, Vector discount, Writable prediction) {
        const long events = static_cast<long>(x.shape(0));
        if (static_cast<int>(x.shape(1)) != settings_.inputs || static_cast<long>(cumulant.shape(0)) != events ||
            static_cast<long>(discount.shape(0)) != events || static_cast<long>(prediction.shape(0)) != events)
            throw std::invalid_argument("arrays that don't fit together");
        Turn turn(busy_);
        nb::gil_scoped_release released;
        learn(predictor_, x.data(), cumulant.data(), discount.data(), prediction.data(), events);
    }

    // What would be predicted: a copy takes the step.
    float peek(Vector x) {
        if (static_cast<int>(x.shape(0)) != settings_.inputs) throw std::invalid_argument("x");
        Turn turn(busy_);
        std::memcpy(scratch_.get(), memory_.get(), floats_ * sizeof(float));
        colonnade::Predictor copy;
        copy.attach(settings_, scratch_.get());
        copy.now = predictor_.now;
        const float nothing = 0.0f;
        float prediction;
        learn(copy, x.data(), &nothing, &nothing, &prediction, 1);
        return prediction;
    }

    void reset() {
        Turn turn(busy_);
        if (settings_.rms) predictor_.reset(rmsprop());
        else predictor_.reset(sgd());
    }

    // Every array by name, copied, in the shapes of the equations.
    nb::dict arrays() {
        Turn turn(busy_);
        nb::dict named;
        for (int s = 0; s < settings_.stages; ++s) {
            const Stage& stage = predictor_.stage(s);
            const std::string prefix = "stage." + std::to_string(s) + ".";
            named[(prefix + "W").c_str()] = rows_of(stage, &Row::w);
            named[(prefix + "mean_square").c_str()] = rows_of(stage, &Row::v);
            named[(prefix + "traces").c_str()] = rows_of(stage, &Row::E);
            named[(prefix + "H").c_str()] = rows_of(stage, &Row::H);
            named[(prefix + "C").c_str()] = rows_of(stage, &Row::C);
        }
        each_vector([&](const std::string& name, float* data, int n) { named[name.c_str()] = vector_of(data, n); });
        return named;
    }

    // The inverse of `arrays`; names and shapes have been checked by the caller.
    void set_arrays(const nb::dict& named) {
        Turn turn(busy_);
        for (int s = 0; s < settings_.stages; ++s) {
            const Stage& stage = predictor_.stage(s);
            const std::string prefix = "stage." + std::to_string(s) + ".";
            set_rows(stage, &Row::w, named[(prefix + "W").c_str()]);
            set_rows(stage, &Row::v, named[(prefix + "mean_square").c_str()]);
            set_rows(stage, &Row::E, named[(prefix + "traces").c_str()]);
            set_rows(stage, &Row::H, named[(prefix + "H").c_str()]);
            set_rows(stage, &Row::C, named[(prefix + "C").c_str()]);
        }
        each_vector([&](const std::string& name, float* data, int n) {
            const auto given = nb::cast<Vector>(named[name.c_str()]);
            if (static_cast<int>(given.shape(0)) != n) throw std::invalid_argument(name);
            std::memcpy(data, given.data(), n * sizeof(float));
        });
    }

    nb::dict progress() const {
        const auto& now = predictor_.now;
        nb::dict named;
        named["events"] = now.events, named["active"] = now.active, named["begun"] = now.begun;
        named["pending"] = now.pending, named["error"] = now.error, named["decay"] = now.decay;
        named["prediction"] = now.prediction, named["b"] = now.b, named["v"] = now.v, named["E"] = now.E;
        return named;
    }

    void set_progress(long long events, int active, int begun, int pending, float error, float decay,
                      float prediction, float b, float v, float E) {
        Turn turn(busy_);
        predictor_.now = {events, active, error, decay, prediction, b, v, E, begun, pending};
    }

   private:
    colonnade::Settings settings_;
    colonnade::Predictor predictor_;
    long floats_;
    Memory memory_, scratch_;
    std::atomic_flag busy_ = ATOMIC_FLAG_INIT;

    RmsProp rmsprop() const { return {settings_.step_size, settings_.rms_keep, settings_.rms_eps}; }
    Sgd sgd() const { return {settings_.step_size}; }

    void learn(colonnade::Predictor& predictor, const float* x, const float* cumulant, const float* discount,
               float* prediction, long events) const {
        if (settings_.rms) run_rmsprop(predictor, x, cumulant, discount, prediction, events, rmsprop());
        else run_sgd(predictor, x, cumulant, discount, prediction, events, sgd());
    }

    template <class Visit>
    void each_vector(const Visit& visit) {
        for (int s = 0; s < settings_.stages; ++s) {
            const std::string prefix = "stage." + std::to_string(s) + ".";
            visit(prefix + "h", predictor_.stage(s).h, predictor_.stage(s).columns);
            visit(prefix + "c", predictor_.stage(s).c, predictor_.stage(s).columns);
            visit(prefix + "mean", predictor_.seen(s).mean, predictor_.seen(s).n);
            visit(prefix + "variance", predictor_.seen(s).variance, predictor_.seen(s).n);
        }
        const Normaliser& features = predictor_.features();
        visit("features.mean", features.mean, features.n);
        visit("features.variance", features.variance, features.n);
        visit("features.value", predictor_.values(), features.n);
        visit("features.credit", predictor_.credit(), features.n);
        visit("readout.w", predictor_.readout(), features.n);
        visit("readout.mean_square", predictor_.readout_mean_square(), features.n);
        visit("readout.traces", predictor_.readout_traces(), features.n);
    }

    static Array owned(float* data, std::initializer_list<size_t> shape) {
        nb::capsule owner(data, [](void* p) noexcept { delete[] static_cast<float*>(p); });
        return Array(data, shape, owner);
    }

    static Array vector_of(const float* data, int n) {
        float* copy = new float[n];
        std::memcpy(copy, data, n * sizeof(float));
        return owned(copy, {static_cast<size_t>(n)});
    }

    // (columns, gates, inputs + 2), out of the rows of the tiles.
    static Array rows_of(const Stage& stage, colonnade::Lanes Row::*part) {
        float* copy = new float[static_cast<size_t>(stage.columns) * GATES * stage.height()];
        float* next = copy;
        for (int j = 0; j < stage.columns; ++j)
            for (int k = 0; k < GATES; ++k)
                for (int r = 0; r < stage.height(); ++r)
                    *next++ = (stage.tile(j / WIDTH)[r].*part).at[k * WIDTH + j % WIDTH];
        return owned(copy, {static_cast<size_t>(stage.columns), GATES, static_cast<size_t>(stage.height())});
    }

    static void set_rows(const Stage& stage, colonnade::Lanes Row::*part, nb::handle given) {
        const auto array = nb::cast<nb::ndarray<const float, nb::ndim<3>, nb::c_contig, nb::device::cpu>>(given);
        const float* next = array.data();
        for (int j = 0; j < stage.columns; ++j)
            for (int k = 0; k < GATES; ++k)
                for (int r = 0; r < stage.height(); ++r)
                    (stage.tile(j / WIDTH)[r].*part).at[k * WIDTH + j % WIDTH] = *next++;
    }
};

}  // namespace

NB_MODULE(_engine, module) {
    module.doc() = "Colonnade's compiled engine.";
    module.def("instruction_set", &colonnade::instruction_set,
               "The instruction set the engine uses on this processor: avx512, avx2 or portable.");
    nb::class_<PyPredictor>(module, "Predictor", "Columns in stages that predict by TD(λ).")
        .def(nb::init<int, const std::vector<int>&, long long, float, float, bool, float, float, float, float>(),
             nb::kw_only(), "inputs"_a, "columns"_a, "stage_steps"_a, "trace_decay"_a, "step_size"_a, "rms"_a,
             "rms_keep"_a, "rms_eps"_a, "rate"_a, "floor"_a)
        .def("run", &PyPredictor::run, "x"_a, "cumulant"_a, "discount"_a, "prediction"_a)
        .def("peek", &PyPredictor::peek, "x"_a)
        .def("reset", &PyPredictor::reset)
        .def("arrays", &PyPredictor::arrays)
        .def("set_arrays", &PyPredictor::set_arrays, "named"_a)
        .def("progress", &PyPredictor::progress)
        .def("set_progress", &PyPredictor::set_progress, nb::kw_only(), "events"_a, "active"_a, "begun"_a, "pending"_a,
             "error"_a, "decay"_a, "prediction"_a, "b"_a, "v"_a, "E"_a);
}
