/* The linear model x' = A x + B u, y = C x + D u: values, derivatives and exact steps. Included by fmi2.c and fmi3.c.

   numbers.h has NX, NU, NY, the entries of [A B; C D] row by row (START, COLUMN, VALUE), the scales of states and inputs
   that make A well balanced, start values and the token. Value references: inputs, outputs, states, their derivatives,
   time. */

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "numbers.h"

#define ALL (NX + 2 * NU)
#define ROOM(n) ((n) ? (n) : 1)

typedef struct {
    double time;
    double x[ROOM(NX)];
    double u[ROOM(NU)];
    double slope[ROOM(NU)]; /* of the inputs within the next step */
} State;

typedef struct {
    State now;
    double start_time;
    double step;  /* whose transition is known; 0: none */
    double *move; /* (NX, NX + 2 NU): x after the step by x, u and slope before it */
    void *host;   /* of the interface */
} Linear;

typedef enum { INPUT, OUTPUT, STATE, DERIVATIVE, TIME, UNKNOWN } Kind;

static Kind kind_of(unsigned int reference, size_t *index) {
    const size_t count[] = {NU, NY, NX, NX, 1};
    size_t rest = reference, k;
    for (k = 0; k < 5; rest -= count[k++]) {
        if (rest < count[k]) {
            *index = rest;
            return (Kind)k;
        }
    }
    return UNKNOWN;
}

/* Row of [A B; C D] times [x; u]. */
static double row_times(size_t row, const double *x, const double *u) {
    double sum = 0.0;
    long k;
    for (k = START[row]; k < START[row + 1]; k++) {
        const long c = COLUMN[k];
        sum += VALUE[k] * (c < (long)NX ? x[c] : u[c - (long)NX]);
    }
    return sum;
}

static Linear *new_linear(void) {
    Linear *m = (Linear *)calloc(1, sizeof(Linear));
    if (m) memcpy(m->now.x, STARTS, sizeof(m->now.x));
    return m;
}

static void free_linear(Linear *m) {
    if (m) free(m->move);
    free(m);
}

static void reset_linear(Linear *m) {
    memset(&m->now, 0, sizeof(State));
    memcpy(m->now.x, STARTS, sizeof(m->now.x));
}

/* 1 where the reference names something that can be read. */
static int get_value(const Linear *m, unsigned int reference, double *value) {
    size_t i = 0;
    switch (kind_of(reference, &i)) {
    case INPUT: *value = m->now.u[i]; return 1;
    case OUTPUT: *value = row_times(NX + i, m->now.x, m->now.u); return 1;
    case STATE: *value = m->now.x[i]; return 1;
    case DERIVATIVE: *value = row_times(i, m->now.x, m->now.u); return 1;
    case TIME: *value = m->now.time; return 1;
    default: return 0;
    }
}

/* 1 where the reference names something that can be set: an input or a state. */
static int set_value(Linear *m, unsigned int reference, double value) {
    size_t i = 0;
    switch (kind_of(reference, &i)) {
    case INPUT: m->now.u[i] = value; return 1;
    case STATE: m->now.x[i] = value; return 1;
    default: return 0;
    }
}

#ifdef SLOPES
static int set_slope(Linear *m, unsigned int reference, double value) {
    size_t i = 0;
    if (kind_of(reference, &i) != INPUT) return 0;
    m->now.slope[i] = value;
    return 1;
}
#endif

/* Derivatives of unknowns (outputs, derivatives) in a direction of knowns (inputs, states): rows of A, B, C, D. */
static int directional(const unsigned int *unknown, size_t unknowns, const unsigned int *known, size_t knowns,
                       const double *seed, double *found) {
    double x[ROOM(NX)] = {0}, u[ROOM(NU)] = {0};
    size_t k, i = 0;
    for (k = 0; k < knowns; k++) {
        switch (kind_of(known[k], &i)) {
        case INPUT: u[i] += seed[k]; break;
        case STATE: x[i] += seed[k]; break;
        default: return 0;
        }
    }
    for (k = 0; k < unknowns; k++) {
        switch (kind_of(unknown[k], &i)) {
        case OUTPUT: found[k] = row_times(NX + i, x, u); break;
        case DERIVATIVE: found[k] = row_times(i, x, u); break;
        default: return 0;
        }
    }
    return 1;
}

#ifdef ADJOINT
/* The transposed: by knowns, of the sum of unknowns weighted by the seed. */
static int adjoint(const unsigned int *unknown, size_t unknowns, const unsigned int *known, size_t knowns,
                   const double *seed, double *found) {
    double sum[ROOM(NX + NU)] = {0};
    size_t k, i = 0, row;
    long e;
    for (k = 0; k < unknowns; k++) {
        switch (kind_of(unknown[k], &i)) {
        case OUTPUT: row = NX + i; break;
        case DERIVATIVE: row = i; break;
        default: return 0;
        }
        for (e = START[row]; e < START[row + 1]; e++) sum[COLUMN[e]] += VALUE[e] * seed[k];
    }
    for (k = 0; k < knowns; k++) {
        switch (kind_of(known[k], &i)) {
        case INPUT: found[k] = sum[NX + i]; break;
        case STATE: found[k] = sum[i]; break;
        default: return 0;
        }
    }
    return 1;
}
#endif

/* ---- exact steps: the exponential of [A B 0; 0 0 1; 0 0 0] h, by Taylor's series of a part of it and squaring */

static void times(const double *a, const double *b, double *out) { /* out = a b, (ALL, ALL) */
    size_t i, j, k;
    memset(out, 0, ALL * ALL * sizeof(double));
    for (i = 0; i < ALL; i++)
        for (k = 0; k < ALL; k++) {
            const double f = a[i * ALL + k];
            if (f != 0.0)
                for (j = 0; j < ALL; j++) out[i * ALL + j] += f * b[k * ALL + j];
        }
}

static double size_of(const double *a) { /* largest sum of absolute values in a row */
    double largest = 0.0;
    size_t i, j;
    for (i = 0; i < ALL; i++) {
        double sum = 0.0;
        for (j = 0; j < ALL; j++) sum += fabs(a[i * ALL + j]);
        if (!(sum <= largest)) largest = sum;
    }
    return largest;
}

static void generator(double *a, double h) { /* the balanced matrix times h */
    size_t i, j;
    long k;
    memset(a, 0, ALL * ALL * sizeof(double));
    for (i = 0; i < NX; i++)
        for (k = START[i]; k < START[i + 1]; k++)
            a[i * ALL + (size_t)COLUMN[k]] = VALUE[k] * SCALE[COLUMN[k]] / SCALE[i] * h;
    for (j = 0; j < NU; j++) a[(NX + j) * ALL + NX + NU + j] = h;
}

#define DEGREE 18 /* 0.5^19 / 19! is far below rounding */

static int know_step(Linear *m, double h) {
    const size_t n = (size_t)ROOM(ALL) * ROOM(ALL);
    double *a, *p, *q, *swap;
    int squarings = 0, k;
    size_t i, j;
    double size;
    if (m->move && fabs(h - m->step) <= 4e-16 * (fabs(m->now.time) + h)) return 1; /* times are sums with rounding */
    a = (double *)malloc(n * sizeof(double));
    p = (double *)malloc(n * sizeof(double));
    q = (double *)malloc(n * sizeof(double));
    if (!m->move) m->move = (double *)malloc((size_t)ROOM(NX) * ROOM(ALL) * sizeof(double));
    if (!a || !p || !q || !m->move) {
        free(a); free(p); free(q);
        return 0;
    }
    generator(a, h);
    size = size_of(a);
    if (!(size < 1e300)) {
        free(a); free(p); free(q);
        return 0;
    }
    for (; size > 0.5; size *= 0.5) squarings++;
    for (i = 0; i < ALL * ALL; i++) a[i] = ldexp(a[i], -squarings);
    memset(p, 0, n * sizeof(double));
    for (i = 0; i < ALL; i++) p[i * ALL + i] = 1.0;
    for (k = DEGREE; k > 0; k--) { /* 1 + a/1 (1 + a/2 (1 + ...)) */
        times(a, p, q);
        for (i = 0; i < ALL * ALL; i++) q[i] /= k;
        for (i = 0; i < ALL; i++) q[i * ALL + i] += 1.0;
        swap = p; p = q; q = swap;
    }
    for (k = 0; k < squarings; k++) {
        times(p, p, q);
        swap = p; p = q; q = swap;
    }
    for (i = 0; i < NX; i++)
        for (j = 0; j < ALL; j++) m->move[i * ALL + j] = p[i * ALL + j] * SCALE[i] / SCALE[j < NX + NU ? j : j - NU];
    m->step = h;
    free(a); free(p); free(q);
    return 1;
}

/* One step with inputs that change along straight lines; 0 where there is no memory or h is no number. */
static int step_linear(Linear *m, double h) {
    double x[ROOM(NX)];
    size_t i, j;
    if (!(h >= 0.0)) return 0;
    if (h > 0.0) {
        if (!know_step(m, h)) return 0;
        for (i = 0; i < NX; i++) {
            const double *row = m->move + i * ALL;
            double sum = 0.0;
            for (j = 0; j < NX; j++) sum += row[j] * m->now.x[j];
            for (j = 0; j < NU; j++) sum += row[NX + j] * m->now.u[j] + row[NX + NU + j] * m->now.slope[j];
            x[i] = sum;
        }
        if (NX) memcpy(m->now.x, x, NX * sizeof(double));
    }
    for (j = 0; j < NU; j++) {
        m->now.u[j] += h * m->now.slope[j];
        m->now.slope[j] = 0.0;
    }
    m->now.time += h;
    return 1;
}
