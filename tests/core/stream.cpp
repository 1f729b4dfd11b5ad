// A learner without Python: reads what it is made of, its numbers and a stream; writes what it predicted at each
// event, and what it has become. Everything is machine numbers, in the order of this file.
#include <cstdio>
#include <cstdlib>
#include <new>
#include <vector>

#include "engine.hpp"

namespace colonnade::COLONNADE_ISA {
extern const Maker maker;
}

using namespace colonnade;

template <class T>
std::vector<T> read(long n) {
    std::vector<T> numbers(n);
    if (std::fread(numbers.data(), sizeof(T), n, stdin) != static_cast<size_t>(n)) std::abort();
    return numbers;
}

int read_int() { return read<int>(1)[0]; }

Settings read_settings() {
    Settings s{};
    s.inputs = read_int(), s.normalise_inputs = read_int(), s.normalise_features = read_int();
    s.wiring = static_cast<Wiring>(read_int());
    s.stages = read_int();
    for (int i = 0; i < MOST_STAGES; ++i) s.columns[i] = read_int();
    s.turns = read_int();
    s.units = read_int(), s.truncation = read_int();
    s.task = static_cast<Task>(read_int()), s.outputs = read_int(), s.rule = static_cast<Rule>(read_int());
    s.stage_steps = read<long long>(1)[0];
    const auto f = read<float>(7);
    s.rate = f[0], s.floor = f[1], s.step_size = f[2], s.keep_first = f[3], s.keep_second = f[4], s.eps = f[5];
    s.bound = f[6];
    return s;
}

struct Reader final : Visitor {
    bool open(const char*, int, const char*, const char*, const Shape&) override { return true; }
    void number(float& n) override { n = read<float>(1)[0]; }
};

struct Writer final : Visitor {
    bool open(const char*, int, const char*, const char*, const Shape&) override { return true; }
    void number(float& n) override { std::fwrite(&n, sizeof n, 1, stdout); }
};

float* room(long floats) {
    const size_t bytes = (floats + 16) * sizeof(float);
    return static_cast<float*>(__builtin_memset(::operator new[](bytes, std::align_val_t{64}), 0, bytes));
}

int main() {
    Settings settings = read_settings();
    const auto discount = read<float>(settings.outputs), trace_decay = read<float>(settings.outputs);
    settings.discount = discount.data(), settings.trace_decay = trace_decay.data();
    const Maker& maker = colonnade::COLONNADE_ISA::maker;
    const Needs needs = maker.needs(settings);
    std::vector<char> place(maker.size(settings));
    Engine* engine = maker.make(settings, place.data(), room(needs.rows), room(needs.vectors), room(needs.vectors));
    Reader reader;
    engine->visit(reader);
    const long events = read_int(), targets = settings.task == Task::classes ? 1 : settings.outputs;
    const auto x = read<float>(events * settings.inputs), target = read<float>(events * targets);
    const auto changing = read<float>(settings.task == Task::returns ? events * settings.outputs : 0);
    const auto known = read<unsigned char>(settings.task == Task::returns ? 0 : events);
    std::vector<float> predictions(events * settings.outputs);
    engine->run(x.data(), {target.data(), changing.empty() ? nullptr : changing.data(), known.empty() ? nullptr : known.data()},
                predictions.data(), events);
    std::fwrite(predictions.data(), sizeof(float), predictions.size(), stdout);
    Writer writer;
    engine->visit(writer);
}
