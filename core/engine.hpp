// A learner as its user sees it, whatever it is made of and whichever instruction set it was compiled for.
//
// The headers of this folder are compiled once for each instruction set, with COLONNADE_ISA naming the
// namespace that they are in, so that a linker can't take one for another. This header is common to all.
#pragma once

#ifndef COLONNADE_ISA
#define COLONNADE_ISA portable
#endif

namespace colonnade {

constexpr int MOST_STAGES = 64;

enum class Wiring { columns, dense, linear };
enum class Task { returns, numbers, classes };
enum class Rule { sgd, rmsprop, adam };

// What a learner is made of.
struct Settings {
    int inputs;
    bool normalise_inputs, normalise_features;
    float rate, floor;  // of running statistics

    Wiring wiring;
    int stages, columns[MOST_STAGES];  // of columns
    long long stage_steps;
    bool turns;  // after the last stage the first learns again
    int units, truncation;  // of dense; linear has no truncation

    Task task;
    int outputs;
    const float *discount, *trace_decay;  // of returns, one an output; they stay where they are

    Rule rule;
    float step_size, keep_first, keep_second, eps;
    float bound;  // κ; 0 for none
};

// What a chunk of events is told, event by event.
struct Told {
    const float* target;         // a number an output: cumulants, or numbers; of classes, one
    const float* discount;       // a number an output, or nothing: the learner's own
    const unsigned char* known;  // whether there is a target, or nothing: there always is
};

// Room that a learner needs, in numbers. Rows hold parameters and what is kept of each; vectors the rest.
struct Needs {
    long rows, vectors;
};

struct Shape {
    int axes;
    long size[4];
};

// Is shown every number of a learner that outlives an event, by name: to save it, look at it, or set it.
class Visitor {
   public:
    // An array "part.index.name.of" begins; index and `of` may be missing: -1, "". Says whether to show it.
    virtual bool open(const char* part, int index, const char* name, const char* of, const Shape& shape) = 0;
    virtual void number(float& n) = 0;

   protected:
    ~Visitor() = default;
};

// Where a learner is in its stream.
struct Progress {
    long long events;
    bool begun;  // whether there was an event in this episode
};

class Engine {
   public:
    // Takes events in one after another and writes what was predicted at each.
    virtual void run(const float* x, const Told& told, float* predictions, long events) = 0;
    // Writes what would be predicted if x came now.
    virtual void look(const float* x, float* prediction) = 0;
    // Begins a new episode: states and blame are forgotten, what was learned stays.
    virtual void reset() = 0;
    // Does what is still to be done, then shows every number.
    virtual void visit(Visitor& visitor) = 0;
    virtual Progress progress() const = 0;
    virtual void set_progress(const Progress& progress) = 0;

   protected:
    ~Engine() = default;
};

// How learners are made: first what one needs, then one in that room, aligned to 64 bytes. `scratch` is room
// for another set of vectors.
struct Maker {
    const char* name;
    Needs (*needs)(const Settings&);
    long (*size)(const Settings&);
    void (*outline)(const Settings&, Visitor&);  // shows names and shapes; there are no numbers yet
    Engine* (*make)(const Settings&, void* place, float* rows, float* vectors, float* scratch);
};

}  // namespace colonnade
