// Room for a learner, and its state as NumPy arrays by name.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/string.h>

#include <cstring>
#include <exception>
#include <map>
#include <memory>
#include <new>
#include <string>

#include "../engine.hpp"

namespace colonnade::python {

namespace nb = nanobind;

// Room for so many numbers.
class Room {
   public:
    explicit Room(long floats) : bytes_((static_cast<size_t>(floats) + 16) * sizeof(float)) {
        memory_.reset(static_cast<float*>(::operator new[](bytes_, std::align_val_t{64})));
    }
    void clear() { std::memset(memory_.get(), 0, bytes_); }
    float* get() const { return memory_.get(); }

   private:
    struct Free {
        void operator()(float* memory) const { ::operator delete[](memory, std::align_val_t{64}); }
    };
    size_t bytes_;
    std::unique_ptr<float[], Free> memory_;
};

inline std::string full_name(const char* part, int index, const char* name, const char* of) {
    std::string whole = part;
    if (index >= 0) whole += "." + std::to_string(index);
    return whole + "." + name + (*of ? "." : "") + of;
}

inline size_t product(const Shape& shape) {
    size_t n = 1;
    for (int a = 0; a < shape.axes; ++a) n *= static_cast<size_t>(shape.size[a]);
    return n;
}

// Numbers that Python will own.
inline nb::object owned(float* numbers, const Shape& shape) {
    nb::capsule owner(numbers, [](void* p) noexcept { delete[] static_cast<float*>(p); });
    size_t sizes[4];
    for (int a = 0; a < shape.axes; ++a) sizes[a] = static_cast<size_t>(shape.size[a]);
    return nb::cast(nb::ndarray<nb::numpy, float>(numbers, static_cast<size_t>(shape.axes), sizes, owner));
}

// The engine is compiled without exceptions: what goes wrong while it shows is kept until it has returned.
class Careful : public Visitor {
   public:
    bool open(const char* part, int index, const char* name, const char* of, const Shape& shape) final {
        try {
            return !failure_ && begin(full_name(part, index, name, of), shape);
        } catch (...) {
            failure_ = std::current_exception();
            return false;
        }
    }

    void done() const {
        if (failure_) std::rethrow_exception(failure_);
    }

   protected:
    // An array of this name begins. Says whether to show it.
    virtual bool begin(const std::string& name, const Shape& shape) = 0;
    ~Careful() = default;

   private:
    std::exception_ptr failure_;
};

// Copies everything into arrays of its own.
class Gather final : public Careful {
   public:
    nb::dict named;

    bool begin(const std::string& name, const Shape& shape) override {
        next_ = new float[product(shape)];
        named[name.c_str()] = owned(next_, shape);
        return true;
    }
    void number(float& n) override { *next_++ = n; }

   private:
    float* next_ = nullptr;
};

// Takes down what there would be.
class Outline final : public Careful {
   public:
    nb::dict named;

    bool begin(const std::string& name, const Shape& shape) override {
        nb::list sizes;
        for (int a = 0; a < shape.axes; ++a) sizes.append(shape.size[a]);
        named[name.c_str()] = nb::tuple(sizes);
        return false;
    }
    void number(float&) override {}
};

// Sets everything there is an array for. Names and shapes were checked before; nothing fails once it is made.
class Scatter final : public Careful {
   public:
    explicit Scatter(const nb::dict& named) {
        for (const auto& [name, array] : named) held_.emplace(nb::cast<std::string>(name), nb::cast<Array>(array));
    }

    bool begin(const std::string& name, const Shape& shape) override {
        const auto found = held_.find(name);
        if (found == held_.end() || found->second.size() != product(shape)) return false;
        next_ = found->second.data();
        return true;
    }
    void number(float& n) override { n = *next_++; }

   private:
    using Array = nb::ndarray<const float, nb::c_contig, nb::device::cpu>;
    std::map<std::string, Array> held_;
    const float* next_ = nullptr;
};

}  // namespace colonnade::python
