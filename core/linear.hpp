// A layer of linear recurrent units and its exact real-time recurrent learning.
//
//   h = λ h⁻ + γ (B u)        complex, a number a unit        features: the real parts, then the imaginary ones
//   λ = exp(−exp(ν) + i exp(θ))        γ = exp(g)
//
// With J = dh/d(parameter), complex, of each unit's own parameters:
//
//   J_B = λ J_B + γ u_j   (of Re B; of Im B it is i J_B)        J_g = λ J_g + γ (B u)
//   J_ν = λ J_ν − exp(ν) λ h⁻                                   J_θ = λ J_θ + i exp(θ) λ h⁻
//   dŷ/d(parameter) = dŷ/d(Re h) Re J + dŷ/d(Im h) Im J
//
// A row of sixteen weights is sixteen units. A group of sixteen has rows of ν, θ and g, then of B by inputs.
#pragma once

#include "normaliser.hpp"

namespace colonnade::COLONNADE_ISA {

struct Complex {
    Lanes re, im;
};

// a J + b, of sixteen units.
COLONNADE_INLINE void advance(Lanes* J, const Complex& a, const Complex& b) {
    COLONNADE_EACH_LANE {
        const float re = J[0].at[l], im = J[1].at[l];
        J[0].at[l] = a.re.at[l] * re - a.im.at[l] * im + b.re.at[l];
        J[1].at[l] = a.re.at[l] * im + a.im.at[l] * re + b.im.at[l];
    }
}

template <int TRACES, class Optimizer>
class Linear {
   public:
    template <class Room>
    void lay_out(Room& room, const Settings& settings, int predictions) {
        inputs_ = settings.inputs, units_ = settings.units, predictions_ = predictions;
        groups_ = static_cast<int>(lanes_of(units_));
        rows_ = room.rows(groups_, group_size());
        ages_.lay_out(room, 1);
        seen_.lay_out(room, inputs_, settings.normalise_inputs, settings);
        re_ = room.vector(units_), im_ = room.vector(units_);
        input_ = room.vector(inputs_), scale_ = room.vector(inputs_);
        asked_ = reinterpret_cast<Complex*>(lanes(room, 2L * (TRACES == MANY ? predictions : 1)));
    }

    void start() const {
        seen_.start(0, inputs_);
        ages_.start(0, 1);
        each_weight([&](Lanes* row) { Weight::start(row); });
    }

    int most_features() const { return 2 * units_; }
    COLONNADE_INLINE int features(long long) const { return 2 * units_; }
    static COLONNADE_INLINE bool changes(long long) { return false; }
    static void begin(long long) {}

    template <bool OPEN>
    COLONNADE_INLINE void move(const float* x, long long, const Blame& blame, const Optimizer& optimizer,
                               float* features) const {
        const Correction correction = ages_.of_all();
        see(x);
        for (int group = 0; group < groups_; ++group) {
            if constexpr (OPEN) {
                ask(blame, group);
                for (int which = 0; which < OWN; ++which) learn_own(group, which, blame, optimizer, correction);
            }
            const Factors f = factors_of(group);
            Complex driven{};
            for (int j = 0; j < inputs_; ++j) {
                Lanes* row = of_input(group, j);
                if constexpr (OPEN) learn_input(row, blame, optimizer, correction);
                add(driven.re, *row, input_[j]), add(driven.im, row[weight()], input_[j]);
                Complex grown{};
                COLONNADE_EACH_LANE grown.re.at[l] = f.gamma.at[l] * input_[j];
                advance(row + 2 * weight(), f.eigenvalue, grown);
            }
            move_group(group, f, driven, true);
        }
        read(features);
    }

    COLONNADE_INLINE void look(const float* x, long long, float* features) const {
        see(x);
        for (int group = 0; group < groups_; ++group) {
            Complex driven{};
            for (int j = 0; j < inputs_; ++j) {
                const Lanes* row = of_input(group, j);
                add(driven.re, *row, input_[j]), add(driven.im, row[weight()], input_[j]);
            }
            move_group(group, factors_of(group), driven, false);
        }
        read(features);
    }

    COLONNADE_INLINE void grow_older(long long, const Optimizer& optimizer) const { ages_.grow(1, optimizer); }

    void settle(long long, const Blame& blame, const Optimizer& optimizer) const {
        const Correction correction = ages_.of_all();
        for (int group = 0; group < groups_; ++group) {
            ask(blame, group);
            for (int which = 0; which < OWN; ++which) learn_own(group, which, blame, optimizer, correction);
            for (int j = 0; j < inputs_; ++j) learn_input(of_input(group, j), blame, optimizer, correction);
        }
    }

    void measure(long long, const Blame& blame, const Optimizer& optimizer, Lanes& total) const {
        const Correction correction = ages_.of_all();
        const auto add_length = [&](const Lanes* row, const Lanes& g) {
            Weight::measure(row, TRACES == NONE ? g : Weight::direction(row, blame), optimizer, correction, total);
        };
        for (int group = 0; group < groups_; ++group) {
            ask(blame, group);
            for (int which = 0; which < OWN; ++which) {
                const Lanes* row = own(group, which);
                add_length(row, slope(asked_[0], row + weight()));
            }
            for (int j = 0; j < inputs_; ++j) {
                const Lanes* row = of_input(group, j);
                add_length(row, slope(asked_[0], row + 2 * weight()));
                add_length(row + weight(), turned_slope(asked_[0], row + 2 * weight()));
            }
        }
    }

    void forget() const {
        clear(re_, padded(units_)), clear(im_, padded(units_));
        each_weight([&](Lanes* row) { Weight::forget(row, predictions_); });
        for (int group = 0; group < groups_; ++group) {
            for (int which = 0; which < OWN; ++which) forget_influence(own(group, which) + weight());
            for (int j = 0; j < inputs_; ++j) forget_influence(of_input(group, j) + 2 * weight());
        }
    }

    void visit(Visitor& visitor) const {
        static constexpr const char* NAMES[OWN] = {"nu", "theta", "gamma"};
        for (int which = 0; which < OWN; ++which) {
            const auto at = [&](long i, long, long) { return Spot{own(i / LANES, which), i % LANES}; };
            visit(visitor, {"lru", -1, NAMES[which]}, {1, {units_}}, weight(), at);
        }
        const auto real = [&](long i, long j, long) { return Spot{of_input(i / LANES, j), i % LANES}; };
        const auto imaginary = [&](long i, long j, long) { return Spot{of_input(i / LANES, j) + weight(), i % LANES}; };
        visit(visitor, {"lru", -1, "B_re"}, {2, {units_, inputs_}}, 2 * weight(), real);
        show_weights<TRACES, Optimizer>(visitor, {"lru", -1, "B_im"}, {2, {units_, inputs_}}, predictions_, imaginary);
        show_ages(visitor, {"lru", -1, "W"}, ages_, 1);
        show_vector(visitor, {"lru", -1, "h_re"}, re_, units_), show_vector(visitor, {"lru", -1, "h_im"}, im_, units_);
        seen_.visit(visitor, {"lru", -1, "mean"}, {"lru", -1, "variance"}, inputs_);
    }

   private:
    using Weight = Weights<TRACES, Optimizer>;
    static constexpr int OWN = 3;  // ν, θ and g

    // What moves sixteen units; the slopes are of λ.
    struct Factors {
        Complex eigenvalue, by_nu, by_theta;
        Lanes gamma;
    };

    int inputs_, units_, predictions_, groups_;
    Lanes* rows_;
    Ages<Optimizer> ages_;
    Normaliser seen_;
    float *re_, *im_, *input_, *scale_;
    Complex* asked_;  // dŷ/d(Re h) and dŷ/d(Im h) of a group, a prediction after another

    COLONNADE_INLINE long weight() const { return Weight::size(predictions_); }
    COLONNADE_INLINE long group_size() const { return OWN * (weight() + 2) + inputs_ * (2 * weight() + 2); }
    COLONNADE_INLINE Lanes* own(long group, int which) const {
        return rows_ + group * group_size() + which * (weight() + 2);
    }
    COLONNADE_INLINE Lanes* of_input(long group, long j) const {
        return own(group, OWN) + j * (2 * weight() + 2);
    }

    COLONNADE_INLINE void see(const float* x) const {
        copy(input_, x, inputs_);
        seen_.observe(input_, inputs_);
        seen_.normalise(input_, inputs_, input_, scale_);
    }

    COLONNADE_INLINE void read(float* features) const {
        copy(features, re_, units_), copy(features + units_, im_, units_);
    }

    COLONNADE_INLINE void ask(const Blame& blame, int group) const {
        const int first = group * LANES, some = units_ - first < LANES ? units_ - first : LANES;
        for (int p = 0; p < (TRACES == MANY ? predictions_ : 1); ++p) {
            const float* credit = blame.credit_of(p);
            asked_[p] = Complex{};
            copy(asked_[p].re.at, credit + first, some), copy(asked_[p].im.at, credit + units_ + first, some);
        }
    }

    // dŷ/d(parameter) out of J; and out of i J.
    static COLONNADE_INLINE Lanes slope(const Complex& asked, const Lanes* J) {
        Lanes y;
        COLONNADE_EACH_LANE y.at[l] = asked.re.at[l] * J[0].at[l] + asked.im.at[l] * J[1].at[l];
        return y;
    }
    static COLONNADE_INLINE Lanes turned_slope(const Complex& asked, const Lanes* J) {
        Lanes y;
        COLONNADE_EACH_LANE y.at[l] = asked.im.at[l] * J[0].at[l] - asked.re.at[l] * J[1].at[l];
        return y;
    }

    COLONNADE_INLINE void learn_own(int group, int which, const Blame& blame, const Optimizer& optimizer,
                                    const Correction& correction) const {
        Lanes* row = own(group, which);
        const Lanes* J = row + weight();
        learn(row, blame, optimizer, correction, [&](int p) COLONNADE_INLINED { return slope(asked_[p], J); });
    }

    COLONNADE_INLINE void learn_input(Lanes* row, const Blame& blame, const Optimizer& optimizer,
                                      const Correction& correction) const {
        const Lanes* J = row + 2 * weight();
        learn(row, blame, optimizer, correction, [&](int p) COLONNADE_INLINED { return slope(asked_[p], J); });
        learn(row + weight(), blame, optimizer, correction,
              [&](int p) COLONNADE_INLINED { return turned_slope(asked_[p], J); });
    }

    // `slope_of(p)` is dŷ_p/d(weight), or without traces g.
    template <class SlopeOf>
    COLONNADE_INLINE void learn(Lanes* row, const Blame& blame, const Optimizer& optimizer,
                                const Correction& correction, const SlopeOf& slope_of) const {
        if constexpr (TRACES == NONE) {
            Weight::learn(row, slope_of(0), optimizer, correction);
        } else if constexpr (TRACES == ONE) {
            const Lanes error = in_all_lanes(*blame.error), decay = in_all_lanes(*blame.decay);
            Weight::learn(row, error, decay, slope_of(0), optimizer, correction);
        } else {
            Weight::learn(row, Weight::direction(row, blame), optimizer, correction);
            for (int p = 0; p < predictions_; ++p) Weight::trace(row, blame, p, slope_of(p));
        }
    }

    COLONNADE_INLINE Factors factors_of(int group) const {
        const Lanes rate = exp(*own(group, 0)), angle = exp(*own(group, 1));
        Lanes negative, sine, cosine;
        COLONNADE_EACH_LANE negative.at[l] = -rate.at[l];
        const Lanes size = exp(negative);
        sine_and_cosine(angle, sine, cosine);
        Factors f;
        f.gamma = exp(*own(group, 2));
        f.eigenvalue = {times(size, cosine), times(size, sine)};
        f.by_nu = {times(negative, f.eigenvalue.re), times(negative, f.eigenvalue.im)};
        f.by_theta = {times(angle, f.eigenvalue.im), times(angle, f.eigenvalue.re)};
        COLONNADE_EACH_LANE f.by_theta.re.at[l] = -f.by_theta.re.at[l];
        return f;
    }

    // Moves h; and before, if they are `followed`, the influences of the group's own parameters.
    COLONNADE_INLINE void move_group(int group, const Factors& f, const Complex& driven, bool followed) const {
        float *re = re_ + group * LANES, *im = im_ + group * LANES;
        const Complex before{load(re), load(im)};
        const Complex grown{times(f.gamma, driven.re), times(f.gamma, driven.im)};
        if (followed) {
            advance(own(group, 0) + weight(), f.eigenvalue, product(f.by_nu, before));
            advance(own(group, 1) + weight(), f.eigenvalue, product(f.by_theta, before));
            advance(own(group, 2) + weight(), f.eigenvalue, grown);
        }
        Lanes h[2] = {before.re, before.im};
        advance(h, f.eigenvalue, grown);
        put(re, h[0]), put(im, h[1]);
    }

    static COLONNADE_INLINE Complex product(const Complex& a, const Complex& b) {
        Complex y;
        COLONNADE_EACH_LANE y.re.at[l] = a.re.at[l] * b.re.at[l] - a.im.at[l] * b.im.at[l];
        COLONNADE_EACH_LANE y.im.at[l] = a.re.at[l] * b.im.at[l] + a.im.at[l] * b.re.at[l];
        return y;
    }

    template <class Use>
    void each_weight(const Use& use) const {
        for (int group = 0; group < groups_; ++group) {
            for (int which = 0; which < OWN; ++which) use(own(group, which));
            for (int j = 0; j < inputs_; ++j) use(of_input(group, j)), use(of_input(group, j) + weight());
        }
    }

    static void forget_influence(Lanes* J) { J[0] = J[1] = Lanes{}; }

    // Weights with their influences, which lie so far behind them.
    template <class Where>
    void visit(Visitor& visitor, const Name& name, const Shape& shape, long influence, const Where& spot) const {
        show_weights<TRACES, Optimizer>(visitor, name, shape, predictions_, spot);
        show_depth(visitor, name, "J_re", shape, influence, spot);
        show_depth(visitor, name, "J_im", shape, influence + 1, spot);
    }
};

}  // namespace colonnade::COLONNADE_ISA
