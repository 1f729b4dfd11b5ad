// The numbers of one event, out of whatever holds them: lists, tuples and machine memory are read in place.
#pragma once

#include <bit>
#include <cmath>
#include <cstring>

#include "../lanes.hpp"
#include "refusals.hpp"

namespace colonnade::python {

constexpr float LARGEST = 1e15f;  // squares and their sums are still finite

inline bool usable(float v) { return std::fabs(v) <= LARGEST; }  // no NaN is

inline bool is_text(nb::handle given) {
    return PyUnicode_Check(given.ptr()) || PyBytes_Check(given.ptr()) || PyByteArray_Check(given.ptr());
}

// A truth value as memory has it.
struct Truth {
    unsigned char byte;
    explicit operator float() const { return byte ? 1.0f : 0.0f; }
    explicit operator double() const { return byte ? 1.0 : 0.0; }
};

// Calls `use` with a number of the type that a letter stands for; says whether there is one.
template <class Use>
bool with_type(char letter, const Use& use) {
    switch (letter) {
        case 'f': use(float{}); return true;
        case 'd': use(double{}); return true;
        case 'b': use(static_cast<signed char>(0)); return true;
        case 'B': use(static_cast<unsigned char>(0)); return true;
        case '?': use(Truth{}); return true;
        case 'h': use(short{}); return true;
        case 'H': use(static_cast<unsigned short>(0)); return true;
        case 'i': use(0); return true;
        case 'I': use(0U); return true;
        case 'l': use(0L); return true;
        case 'L': use(0UL); return true;
        case 'q': use(0LL); return true;
        case 'Q': use(0ULL); return true;
        default: return false;
    }
}

// The memory of an object, while this lives.
class Buffer {
   public:
    explicit Buffer(nb::handle given) {
        held_ = PyObject_CheckBuffer(given.ptr()) &&
                PyObject_GetBuffer(given.ptr(), &view, PyBUF_STRIDES | PyBUF_FORMAT) == 0;
        if (PyErr_Occurred()) only_errors(nb::python_error());
    }
    ~Buffer() {
        if (held_) PyBuffer_Release(&view);
    }
    Buffer(const Buffer&) = delete;
    Buffer& operator=(const Buffer&) = delete;

    bool held() const { return held_; }

    // The letter for the type of its numbers; 0 for what isn't one number in this machine's order of bytes.
    char letter() const {
        if (!held_ || !view.format) return '\0';
        const bool prefixed = view.format[0] && std::strchr(LITTLE ? "@=<" : "@=>", view.format[0]);
        const char* type = view.format + prefixed;
        return type[0] && !type[1] ? type[0] : '\0';
    }

    // Whether its numbers can be read. Standard sizes are some machines' own, and not others'.
    bool has_numbers() const {
        bool fits = false;
        return with_type(letter(), [&]<class T>(T) { fits = view.itemsize == sizeof(T); }) && fits;
    }

    Py_buffer view;

   private:
    static constexpr bool LITTLE = std::endian::native == std::endian::little;
    bool held_ = false;
};

template <class T>
T number_at(const char* memory) {
    T v;
    std::memcpy(&v, memory, sizeof v);
    return v;
}

template <class T>
void read_strided(const Py_buffer& view, const Field& field, float* numbers, long n) {
    const char* memory = static_cast<const char*>(view.buf);
    const Py_ssize_t stride = view.strides ? view.strides[0] : view.itemsize;
    bool good = true;
    for (long i = 0; i < n; ++i) {
        numbers[i] = static_cast<float>(number_at<T>(memory + i * stride));
        good &= usable(numbers[i]);
    }
    for (long i = 0; !good && i < n; ++i)
        if (!usable(numbers[i])) refuse_number(field, i, static_cast<double>(number_at<T>(memory + i * stride)));
}

// Whether it could be read in place; else nothing is known of it.
inline bool read_buffer(nb::handle given, const Field& field, float* numbers, long n) {
    const Buffer buffer(given);
    if (!buffer.has_numbers()) return false;
    const Py_buffer& view = buffer.view;
    if (view.ndim != 1) refuse(field.whole(), "one row of numbers", std::to_string(view.ndim) + " axes");
    if (view.shape[0] != n) refuse_length(field, n, static_cast<long>(view.shape[0]));
    with_type(buffer.letter(), [&]<class T>(T) { read_strided<T>(view, field, numbers, n); });
    return true;
}

// A number that says so by its `__float__`.
inline double number_as_told(nb::handle given, const Field& field, long i) {
    const double v = PyFloat_AsDouble(given.ptr());
    if (!PyErr_Occurred()) return v;
    const nb::python_error raised;
    if (raised.matches(PyExc_OverflowError)) refuse_number(field, i, HUGE_VAL);
    refuse(field.at(i), "a number", type_of(given), only_errors(raised).value());
}

// Whatever isn't Python's own float or int: numbers of NumPy and others, decimals, fractions.
COLONNADE_APART inline double other_number(nb::handle given, const Field& field, long i) {
    const Buffer buffer(given);
    if (buffer.has_numbers() && buffer.view.ndim == 0) {
        double v;
        with_type(buffer.letter(), [&]<class T>(T) { v = static_cast<double>(number_at<T>(static_cast<const char*>(buffer.view.buf))); });
        return v;
    }
    const bool half_or_long = buffer.letter() == 'e' || buffer.letter() == 'g';
    const bool other_memory = buffer.held() && (buffer.view.ndim > 0 || !half_or_long);
    if (other_memory || is_text(given) || PyComplex_Check(given.ptr()) || !PyNumber_Check(given.ptr()))
        refuse(field.at(i), "a number", type_of(given));
    return number_as_told(given, field, i);
}

// One number, the i-th of its field; or, if i is negative, all of it.
inline float number_of(nb::handle given, const Field& field, long i) {
    double v;
    if (PyFloat_Check(given.ptr())) v = PyFloat_AS_DOUBLE(given.ptr());
    else v = PyLong_Check(given.ptr()) ? number_as_told(given, field, i) : other_number(given, field, i);
    const float single = static_cast<float>(v);
    if (!usable(single)) refuse_number(field, i, v);
    return single;
}

inline void read_sequence(nb::handle given, const Field& field, float* numbers, long n) {
    const long came = static_cast<long>(PySequence_Fast_GET_SIZE(given.ptr()));
    if (came != n) refuse_length(field, n, came);
    for (long i = 0; i < n; ++i) {
        // A number's own code may have shortened the list meanwhile.
        if (i >= PySequence_Fast_GET_SIZE(given.ptr())) refuse_length(field, n, i);
        const nb::object item = nb::borrow(PySequence_Fast_GET_ITEM(given.ptr(), i));
        numbers[i] = number_of(item, field, i);
    }
}

// Memory of other kinds, half floats, tensors of other libraries: as NumPy reads them, in double precision.
COLONNADE_APART inline nb::object row_of(nb::handle given, const Field& field) {
    std::string found = type_of(given);
    try {
        const nb::object array = nb::module_::import_("numpy").attr("asarray")(given), dtype = array.attr("dtype");
        const auto kind = nb::cast<std::string>(dtype.attr("kind"));
        if (std::strchr("fiub", kind[0])) return array.attr("astype")("float64");
        found += " of " + nb::cast<std::string>(nb::str(dtype));
    } catch (const nb::python_error& raised) {
        refuse(field.whole(), "numbers", found, only_errors(raised).value());
    }
    refuse(field.whole(), "numbers", found);
}

inline void read_row(nb::handle given, const Field& field, float* numbers, long n) {
    if (PyList_CheckExact(given.ptr()) || PyTuple_CheckExact(given.ptr())) return read_sequence(given, field, numbers, n);
    if (is_text(given)) refuse(field.whole(), "numbers", type_of(given));
    if (read_buffer(given, field, numbers, n)) return;
    read_buffer(row_of(given, field), field, numbers, n);
}

// Whether it is a row of numbers rather than one: a sequence that has a length. An array without axes has none.
inline bool holds_many(nb::handle given) {
    if (PyList_CheckExact(given.ptr()) || PyTuple_CheckExact(given.ptr())) return true;
    if (PyFloat_Check(given.ptr()) || !PySequence_Check(given.ptr()) || PyUnicode_Check(given.ptr())) return false;
    const bool has_length = PySequence_Size(given.ptr()) >= 0;
    if (PyErr_Occurred()) only_errors(nb::python_error());
    return has_length;
}

}  // namespace colonnade::python
