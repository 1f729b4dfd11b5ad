// The columnar learner in plain C: what `colonnade bench engine` holds the compiled engine against.
//
// Columns of one LSTM unit with exact RTRL, running normalisation of inputs and features, TD(λ) and RMSProp,
// in float32, an update at every event. Each quantity has an array of its own, [column][gate][input], with the
// column's own h⁻ and 1 as the last two inputs. Once the columns have moved and the error δ is known, one loop
// does everything that an event asks of a weight θ with input a, C = dc/dθ and H = dh/dθ:
//
//   C ← f C + A H + b_k a                 b_i = g i(1−i), b_f = c⁻ f(1−f), b_g = i(1−g²);  A = Σ b_k u_k of these
//   H ← o(1 − tanh²c) C + B H + b_o a     b_o = tanh(c) o(1−o), for weights of gate o;  B = b_o u_o
//   v ← β v + (1 − β) (δE)²               b_k is for weights of gates i, f, g; u_k is the weight of h⁻
//   θ ← θ + α δE / (√v + ε)
//   E ← γλ E + (dŷ/dh) H
//
// Sums are reassociated by `omp simd`; everything else vectorises as it stands. Nothing allocates after the start.
#include <math.h>
#include <stdlib.h>

enum { I, F, O, G, GATES };

struct settings {
    int inputs, columns;
    float discount, trace_decay, step_size;
    float keep, eps;    // of RMSProp: β and ε
    float rate, floor;  // of the normalisation
};

// n numbers that learn, with what RMSProp and TD(λ) keep of each.
struct learned {
    float *w, *v, *E;
};

// Running statistics of n numbers, and the numbers normalised by them.
struct normaliser {
    int n;
    float *mean, *variance, *value, *scale;  // scale: 1/σ
};

// What the loop over a column's weights needs of how the column moved.
struct slopes {
    float f, A, down, B, b[GATES], h_before;  // down: o(1 − tanh²c)
};

struct learner {
    struct settings is;
    int row;                              // inputs + 2
    struct learned theta, readout, bias;  // [column][gate][row], [column], one
    float *C, *H;                         // [column][gate][row]
    float *c, *h;                         // [column]
    struct slopes *slopes;                // [column]
    struct normaliser inputs, features;
    float prediction;
    int begun;
};

static float *zeros(size_t n) { return calloc(n, sizeof(float)); }

static void start_learning(struct learned *l, size_t n) {
    l->w = zeros(n), l->v = zeros(n), l->E = zeros(n);
    for (size_t i = 0; i < n; ++i) l->v[i] = 1.0f;
}

// `room` may be more than n, for what is written behind the normalised values.
static void start_normalising(struct normaliser *s, int n, size_t room) {
    s->n = n;
    s->mean = zeros(n), s->variance = zeros(n), s->value = zeros(room), s->scale = zeros(n);
    for (int i = 0; i < n; ++i) s->variance[i] = 1.0f;
}

struct learner *plain_new(const struct settings *settings, const float *first_weights) {
    struct learner *l = calloc(1, sizeof *l);
    const size_t columns = settings->columns, row = settings->inputs + 2, weights = columns * GATES * row;
    l->is = *settings, l->row = row;
    start_learning(&l->theta, weights);
    start_learning(&l->readout, columns);
    start_learning(&l->bias, 1);
    l->C = zeros(weights), l->H = zeros(weights), l->c = zeros(columns), l->h = zeros(columns);
    l->slopes = calloc(columns, sizeof *l->slopes);
    start_normalising(&l->inputs, settings->inputs, row);
    start_normalising(&l->features, settings->columns, columns);
    for (size_t i = 0; i < weights; ++i) l->theta.w[i] = first_weights[i];
    return l;
}

static void stop_learning(struct learned *l) { free(l->w), free(l->v), free(l->E); }

static void stop_normalising(struct normaliser *s) {
    free(s->mean), free(s->variance), free(s->value), free(s->scale);
}

void plain_free(struct learner *l) {
    stop_learning(&l->theta), stop_learning(&l->readout), stop_learning(&l->bias);
    free(l->C), free(l->H), free(l->c), free(l->h), free(l->slopes);
    stop_normalising(&l->inputs), stop_normalising(&l->features);
    free(l);
}

static void normalise(const struct normaliser *s, const float *restrict x, float rate, float floor) {
    float *restrict mean = s->mean, *restrict variance = s->variance;
    float *restrict value = s->value, *restrict scale = s->scale;
    for (int i = 0; i < s->n; ++i) {
        mean[i] = rate * mean[i] + (1.0f - rate) * x[i];
        const float apart = x[i] - mean[i];
        variance[i] = rate * variance[i] + (1.0f - rate) * (apart * apart);
        scale[i] = 1.0f / sqrtf(variance[i] > floor ? variance[i] : floor);
        value[i] = apart * scale[i];
    }
}

static float sigmoid(float z) { return 1.0f / (1.0f + expf(-z)); }

static float dot(int n, const float *restrict w, const float *restrict a) {
    float sum = 0.0f;
#pragma omp simd reduction(+ : sum)
    for (int r = 0; r < n; ++r) sum += w[r] * a[r];
    return sum;
}

// Moves one column, and works out its slopes. `a`: the normalised inputs, h⁻ and 1.
static struct slopes move(const float *w, int row, const float *a, float *c, float *h) {
    const float i = sigmoid(dot(row, w + I * row, a)), f = sigmoid(dot(row, w + F * row, a));
    const float o = sigmoid(dot(row, w + O * row, a)), g = tanhf(dot(row, w + G * row, a));
    const float before = *c, now = f * before + i * g, squashed = tanhf(now);
    const int past = row - 2;
    const float b_i = g * i * (1.0f - i), b_f = before * f * (1.0f - f), b_g = i * (1.0f - g * g);
    const float b_o = squashed * o * (1.0f - o);
    const struct slopes s = {
        .f = f,
        .A = b_i * w[I * row + past] + b_f * w[F * row + past] + b_g * w[G * row + past],
        .down = o * (1.0f - squashed * squashed),
        .B = b_o * w[O * row + past],
        .b = {[I] = b_i, [F] = b_f, [O] = b_o, [G] = b_g},
        .h_before = *h,
    };
    *c = now, *h = o * squashed;
    return s;
}

static float rmsprop(float g, float *v, float step_size, float keep, float eps) {
    *v = keep * *v + (1.0f - keep) * (g * g);
    return step_size * g / (sqrtf(*v) + eps);
}

// All that an event asks of the weights of one gate of one column. `error` is δ, `asked` is dŷ/dh.
static void learn_gate(int n, float *restrict w, float *restrict v, float *restrict E, float *restrict C,
                       float *restrict H, const float *restrict a, const struct slopes *s, int k, float error,
                       float asked, const struct settings *is) {
    const float f = s->f, A = s->A, down = s->down, B = s->B;
    const float b_c = k == O ? 0.0f : s->b[k], b_h = k == O ? s->b[O] : 0.0f;
    const float step_size = is->step_size, keep = is->keep, eps = is->eps;
    const float fade = is->discount * is->trace_decay;
    for (int r = 0; r < n; ++r) {
        const float before = H[r], c = f * C[r] + A * before + b_c * a[r];
        const float h = down * c + B * before + b_h * a[r];
        C[r] = c, H[r] = h;
        w[r] += rmsprop(error * E[r], &v[r], step_size, keep, eps);
        E[r] = fade * E[r] + asked * h;
    }
}

// The same for numbers whose slopes are known: the readout's.
static void learn(int n, struct learned *l, const float *slope, float error, float step_size,
                  const struct settings *is) {
    for (int j = 0; j < n; ++j) {
        l->w[j] += rmsprop(error * l->E[j], &l->v[j], step_size, is->keep, is->eps);
        l->E[j] = is->discount * is->trace_decay * l->E[j] + slope[j];
    }
}

static float step(struct learner *l, const float *x, float cumulant) {
    const struct settings *is = &l->is;
    const int row = l->row, columns = is->columns;
    const size_t weights = (size_t)GATES * row;
    normalise(&l->inputs, x, is->rate, is->floor);
    float *a = l->inputs.value;
    a[row - 1] = 1.0f;
    for (int j = 0; j < columns; ++j) {
        a[row - 2] = l->h[j];
        l->slopes[j] = move(l->theta.w + j * weights, row, a, &l->c[j], &l->h[j]);
    }
    normalise(&l->features, l->h, is->rate, is->floor);
    const float prediction = dot(columns, l->readout.w, l->features.value) + *l->bias.w;
    const float error = l->begun ? cumulant + is->discount * prediction - l->prediction : 0.0f;

    for (int j = 0; j < columns; ++j) {
        const float asked = l->readout.w[j] * l->features.scale[j];
        a[row - 2] = l->slopes[j].h_before;
        for (int k = 0; k < GATES; ++k) {
            const size_t at = j * weights + (size_t)k * row;
            learn_gate(row, l->theta.w + at, l->theta.v + at, l->theta.E + at, l->C + at, l->H + at, a,
                       &l->slopes[j], k, error, asked, is);
        }
    }
    const float one = 1.0f;
    learn(columns, &l->readout, l->features.value, error, is->step_size / columns, is);
    learn(1, &l->bias, &one, error, is->step_size / columns, is);
    l->prediction = prediction, l->begun = 1;
    return prediction;
}

// Takes a chunk of events in: x is [event][input]. Writes the prediction made at each.
void plain_run(struct learner *l, const float *x, const float *cumulant, float *prediction, long events) {
    for (long t = 0; t < events; ++t) prediction[t] = step(l, x + t * l->is.inputs, cumulant[t]);
}
