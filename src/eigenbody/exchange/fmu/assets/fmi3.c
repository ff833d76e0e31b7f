/* FMI 3.0 for model exchange and co-simulation around linear.c. Needs nothing but a C compiler; where the official
   header fmi3Functions.h is included before, its types are used. */

#define ADJOINT
#include "linear.c"

#ifndef fmi3Functions_h
#include <stdbool.h>
#include <stdint.h>
typedef void *fmi3Instance, *fmi3InstanceEnvironment, *fmi3FMUState;
typedef uint32_t fmi3ValueReference;
typedef float fmi3Float32;
typedef double fmi3Float64;
typedef int8_t fmi3Int8;
typedef uint8_t fmi3UInt8;
typedef int16_t fmi3Int16;
typedef uint16_t fmi3UInt16;
typedef int32_t fmi3Int32;
typedef uint32_t fmi3UInt32;
typedef int64_t fmi3Int64;
typedef uint64_t fmi3UInt64;
typedef bool fmi3Boolean, fmi3Clock;
typedef char fmi3Char;
typedef const fmi3Char *fmi3String;
typedef uint8_t fmi3Byte;
typedef const fmi3Byte *fmi3Binary;
typedef enum { fmi3OK, fmi3Warning, fmi3Discard, fmi3Error, fmi3Fatal } fmi3Status;
typedef enum { fmi3Independent, fmi3Constant, fmi3Fixed, fmi3Tunable, fmi3Discrete, fmi3Dependent } fmi3DependencyKind;
typedef enum { fmi3IntervalNotYetKnown, fmi3IntervalUnchanged, fmi3IntervalChanged } fmi3IntervalQualifier;
typedef void (*fmi3LogMessageCallback)(fmi3InstanceEnvironment, fmi3Status, fmi3String, fmi3String);
typedef void (*fmi3ClockUpdateCallback)(fmi3InstanceEnvironment);
typedef void (*fmi3IntermediateUpdateCallback)(fmi3InstanceEnvironment, fmi3Float64, fmi3Boolean, fmi3Boolean,
                                               fmi3Boolean, fmi3Boolean, fmi3Boolean *, fmi3Float64 *);
typedef void (*fmi3LockPreemptionCallback)();
typedef void (*fmi3UnlockPreemptionCallback)();
#if defined _WIN32
#define EXPORT __declspec(dllexport)
#elif defined __GNUC__
#define EXPORT __attribute__((visibility("default")))
#else
#define EXPORT
#endif
#ifdef FMI3_FUNCTION_PREFIX
#define GLUE(a, b) a##b
#define GLUED(a, b) GLUE(a, b)
#define FMI(name) GLUED(FMI3_FUNCTION_PREFIX, fmi3##name)
#else
#define FMI(name) fmi3##name
#endif
#else
#define EXPORT FMI3_Export
#define FMI(name) fmi3##name
#endif

typedef struct {
    fmi3InstanceEnvironment environment;
    fmi3LogMessageCallback log;
} Host;

static fmi3Status fail(Linear *m, const char *what) {
    Host *host = (Host *)m->host;
    if (host->log) host->log(host->environment, fmi3Error, "logStatusError", what);
    return fmi3Error;
}

EXPORT const char *FMI(GetVersion)(void) { return "3.0"; }

EXPORT fmi3Status FMI(SetDebugLogging)(fmi3Instance c, fmi3Boolean on, size_t n, const fmi3String categories[]) {
    (void)c; (void)on; (void)n; (void)categories;
    return fmi3OK;
}

static fmi3Instance instantiate(fmi3String token, fmi3InstanceEnvironment environment, fmi3LogMessageCallback log) {
    Linear *m;
    Host *host;
    if (!token || strcmp(token, TOKEN)) {
        if (log) log(environment, fmi3Error, "logStatusError", "The instantiation token is another.");
        return NULL;
    }
    m = new_linear();
    host = (Host *)calloc(1, sizeof(Host));
    if (!m || !host) {
        free(host);
        free_linear(m);
        return NULL;
    }
    host->environment = environment;
    host->log = log;
    m->host = host;
    return m;
}

EXPORT fmi3Instance FMI(InstantiateModelExchange)(fmi3String name, fmi3String token, fmi3String resources,
                                                  fmi3Boolean visible, fmi3Boolean logging,
                                                  fmi3InstanceEnvironment environment, fmi3LogMessageCallback log) {
    (void)name; (void)resources; (void)visible; (void)logging;
    return instantiate(token, environment, log);
}

EXPORT fmi3Instance FMI(InstantiateCoSimulation)(fmi3String name, fmi3String token, fmi3String resources,
                                                 fmi3Boolean visible, fmi3Boolean logging, fmi3Boolean events,
                                                 fmi3Boolean early, const fmi3ValueReference required[], size_t n,
                                                 fmi3InstanceEnvironment environment, fmi3LogMessageCallback log,
                                                 fmi3IntermediateUpdateCallback update) {
    (void)name; (void)resources; (void)visible; (void)logging; (void)early; (void)required; (void)update;
    if (events || n) {
        if (log) log(environment, fmi3Error, "logStatusError", "There are no events and no intermediate variables.");
        return NULL;
    }
    return instantiate(token, environment, log);
}

EXPORT fmi3Instance FMI(InstantiateScheduledExecution)(fmi3String name, fmi3String token, fmi3String resources,
                                                       fmi3Boolean visible, fmi3Boolean logging,
                                                       fmi3InstanceEnvironment environment, fmi3LogMessageCallback log,
                                                       fmi3ClockUpdateCallback clock, fmi3LockPreemptionCallback lock,
                                                       fmi3UnlockPreemptionCallback unlock) {
    (void)name; (void)token; (void)resources; (void)visible; (void)logging; (void)clock; (void)lock; (void)unlock;
    if (log) log(environment, fmi3Error, "logStatusError", "There is no scheduled execution.");
    return NULL;
}

EXPORT void FMI(FreeInstance)(fmi3Instance c) {
    if (!c) return;
    free(((Linear *)c)->host);
    free_linear((Linear *)c);
}

EXPORT fmi3Status FMI(EnterInitializationMode)(fmi3Instance c, fmi3Boolean has_tolerance, fmi3Float64 tolerance,
                                               fmi3Float64 start, fmi3Boolean has_stop, fmi3Float64 stop) {
    Linear *m = (Linear *)c;
    (void)has_tolerance; (void)tolerance; (void)has_stop; (void)stop;
    m->now.time = m->start_time = start;
    return fmi3OK;
}

#define NOTHING_TO_DO(name) \
    EXPORT fmi3Status FMI(name)(fmi3Instance c) { (void)c; return fmi3OK; }
NOTHING_TO_DO(ExitInitializationMode)
NOTHING_TO_DO(EnterEventMode)
NOTHING_TO_DO(Terminate)
NOTHING_TO_DO(EvaluateDiscreteStates)
NOTHING_TO_DO(EnterContinuousTimeMode)

#define NOT_HERE(name) \
    EXPORT fmi3Status FMI(name)(fmi3Instance c) { return fail((Linear *)c, "There is no such mode."); }
NOT_HERE(EnterConfigurationMode)
NOT_HERE(ExitConfigurationMode)
NOT_HERE(EnterStepMode)

EXPORT fmi3Status FMI(Reset)(fmi3Instance c) {
    reset_linear((Linear *)c);
    return fmi3OK;
}

/* ---- values */

#define CHECK_COUNT(n, expected) \
    if ((n) != (size_t)(expected)) return fail((Linear *)c, "The number of values is another.");

EXPORT fmi3Status FMI(GetFloat64)(fmi3Instance c, const fmi3ValueReference vr[], size_t n, fmi3Float64 value[],
                                  size_t values) {
    size_t k;
    CHECK_COUNT(values, n)
    for (k = 0; k < n; k++)
        if (!get_value((Linear *)c, vr[k], &value[k])) return fail((Linear *)c, "There is no such variable.");
    return fmi3OK;
}

EXPORT fmi3Status FMI(SetFloat64)(fmi3Instance c, const fmi3ValueReference vr[], size_t n, const fmi3Float64 value[],
                                  size_t values) {
    size_t k;
    CHECK_COUNT(values, n)
    for (k = 0; k < n; k++)
        if (!set_value((Linear *)c, vr[k], value[k])) return fail((Linear *)c, "Inputs and states alone can be set.");
    return fmi3OK;
}

#define NO_SUCH_TYPE(name, type) \
    EXPORT fmi3Status FMI(Get##name)(fmi3Instance c, const fmi3ValueReference vr[], size_t n, type value[], size_t m) { \
        (void)vr; (void)value; (void)m; \
        return n ? fail((Linear *)c, "All variables are Float64.") : fmi3OK; \
    } \
    EXPORT fmi3Status FMI(Set##name)(fmi3Instance c, const fmi3ValueReference vr[], size_t n, const type value[], \
                                     size_t m) { \
        (void)vr; (void)value; (void)m; \
        return n ? fail((Linear *)c, "All variables are Float64.") : fmi3OK; \
    }
NO_SUCH_TYPE(Float32, fmi3Float32)
NO_SUCH_TYPE(Int8, fmi3Int8)
NO_SUCH_TYPE(UInt8, fmi3UInt8)
NO_SUCH_TYPE(Int16, fmi3Int16)
NO_SUCH_TYPE(UInt16, fmi3UInt16)
NO_SUCH_TYPE(Int32, fmi3Int32)
NO_SUCH_TYPE(UInt32, fmi3UInt32)
NO_SUCH_TYPE(Int64, fmi3Int64)
NO_SUCH_TYPE(UInt64, fmi3UInt64)
NO_SUCH_TYPE(Boolean, fmi3Boolean)
NO_SUCH_TYPE(String, fmi3String)

EXPORT fmi3Status FMI(GetBinary)(fmi3Instance c, const fmi3ValueReference vr[], size_t n, size_t sizes[],
                                 fmi3Binary value[], size_t m) {
    (void)vr; (void)sizes; (void)value; (void)m;
    return n ? fail((Linear *)c, "All variables are Float64.") : fmi3OK;
}

EXPORT fmi3Status FMI(SetBinary)(fmi3Instance c, const fmi3ValueReference vr[], size_t n, const size_t sizes[],
                                 const fmi3Binary value[], size_t m) {
    (void)vr; (void)sizes; (void)value; (void)m;
    return n ? fail((Linear *)c, "All variables are Float64.") : fmi3OK;
}

EXPORT fmi3Status FMI(GetDirectionalDerivative)(fmi3Instance c, const fmi3ValueReference unknown[], size_t unknowns,
                                                const fmi3ValueReference known[], size_t knowns,
                                                const fmi3Float64 seed[], size_t seeds, fmi3Float64 found[],
                                                size_t sensitivities) {
    CHECK_COUNT(seeds, knowns)
    CHECK_COUNT(sensitivities, unknowns)
    if (directional(unknown, unknowns, known, knowns, seed, found)) return fmi3OK;
    return fail((Linear *)c, "Outputs and derivatives have derivatives by inputs and states.");
}

EXPORT fmi3Status FMI(GetAdjointDerivative)(fmi3Instance c, const fmi3ValueReference unknown[], size_t unknowns,
                                            const fmi3ValueReference known[], size_t knowns, const fmi3Float64 seed[],
                                            size_t seeds, fmi3Float64 found[], size_t sensitivities) {
    CHECK_COUNT(seeds, unknowns)
    CHECK_COUNT(sensitivities, knowns)
    if (adjoint(unknown, unknowns, known, knowns, seed, found)) return fmi3OK;
    return fail((Linear *)c, "Outputs and derivatives have derivatives by inputs and states.");
}

/* ---- dependencies, clocks: none beyond the description */

EXPORT fmi3Status FMI(GetNumberOfVariableDependencies)(fmi3Instance c, fmi3ValueReference vr, size_t *n) {
    (void)vr; (void)n;
    return fail((Linear *)c, "The description has the dependencies.");
}

EXPORT fmi3Status FMI(GetVariableDependencies)(fmi3Instance c, fmi3ValueReference dependent, size_t at[],
                                               fmi3ValueReference independents[], size_t there[],
                                               fmi3DependencyKind kinds[], size_t n) {
    (void)dependent; (void)at; (void)independents; (void)there; (void)kinds; (void)n;
    return fail((Linear *)c, "The description has the dependencies.");
}

#define NO_CLOCK return n ? fail((Linear *)c, "There is no clock.") : fmi3OK;

EXPORT fmi3Status FMI(GetClock)(fmi3Instance c, const fmi3ValueReference vr[], size_t n, fmi3Clock value[]) {
    (void)vr; (void)value;
    NO_CLOCK
}

EXPORT fmi3Status FMI(SetClock)(fmi3Instance c, const fmi3ValueReference vr[], size_t n, const fmi3Clock value[]) {
    (void)vr; (void)value;
    NO_CLOCK
}

EXPORT fmi3Status FMI(GetIntervalDecimal)(fmi3Instance c, const fmi3ValueReference vr[], size_t n,
                                          fmi3Float64 intervals[], fmi3IntervalQualifier qualifiers[]) {
    (void)vr; (void)intervals; (void)qualifiers;
    NO_CLOCK
}

EXPORT fmi3Status FMI(GetIntervalFraction)(fmi3Instance c, const fmi3ValueReference vr[], size_t n,
                                           fmi3UInt64 counters[], fmi3UInt64 resolutions[],
                                           fmi3IntervalQualifier qualifiers[]) {
    (void)vr; (void)counters; (void)resolutions; (void)qualifiers;
    NO_CLOCK
}

EXPORT fmi3Status FMI(GetShiftDecimal)(fmi3Instance c, const fmi3ValueReference vr[], size_t n, fmi3Float64 shifts[]) {
    (void)vr; (void)shifts;
    NO_CLOCK
}

EXPORT fmi3Status FMI(GetShiftFraction)(fmi3Instance c, const fmi3ValueReference vr[], size_t n, fmi3UInt64 counters[],
                                        fmi3UInt64 resolutions[]) {
    (void)vr; (void)counters; (void)resolutions;
    NO_CLOCK
}

#define SET_CLOCK(name) \
    EXPORT fmi3Status FMI(Set##name##Decimal)(fmi3Instance c, const fmi3ValueReference vr[], size_t n, \
                                              const fmi3Float64 value[]) { \
        (void)vr; (void)value; \
        NO_CLOCK \
    } \
    EXPORT fmi3Status FMI(Set##name##Fraction)(fmi3Instance c, const fmi3ValueReference vr[], size_t n, \
                                               const fmi3UInt64 counters[], const fmi3UInt64 resolutions[]) { \
        (void)vr; (void)counters; (void)resolutions; \
        NO_CLOCK \
    }
SET_CLOCK(Interval)
SET_CLOCK(Shift)

EXPORT fmi3Status FMI(ActivateModelPartition)(fmi3Instance c, fmi3ValueReference clock, fmi3Float64 time) {
    (void)clock; (void)time;
    return fail((Linear *)c, "There is no clock.");
}

/* ---- saved states */

EXPORT fmi3Status FMI(FreeFMUState)(fmi3Instance c, fmi3FMUState *state) {
    (void)c;
    if (state) {
        free(*state);
        *state = NULL;
    }
    return fmi3OK;
}

EXPORT fmi3Status FMI(GetFMUState)(fmi3Instance c, fmi3FMUState *state) {
    if (!*state) *state = malloc(sizeof(State));
    if (!*state) return fail((Linear *)c, "There is no memory.");
    memcpy(*state, &((Linear *)c)->now, sizeof(State));
    return fmi3OK;
}

EXPORT fmi3Status FMI(SetFMUState)(fmi3Instance c, fmi3FMUState state) {
    if (!state) return fail((Linear *)c, "There is no saved state.");
    memcpy(&((Linear *)c)->now, state, sizeof(State));
    return fmi3OK;
}

EXPORT fmi3Status FMI(SerializedFMUStateSize)(fmi3Instance c, fmi3FMUState state, size_t *size) {
    (void)c; (void)state;
    *size = sizeof(State);
    return fmi3OK;
}

EXPORT fmi3Status FMI(SerializeFMUState)(fmi3Instance c, fmi3FMUState state, fmi3Byte bytes[], size_t size) {
    if (!state || size < sizeof(State)) return fail((Linear *)c, "The saved state is longer.");
    memcpy(bytes, state, sizeof(State));
    return fmi3OK;
}

EXPORT fmi3Status FMI(DeserializeFMUState)(fmi3Instance c, const fmi3Byte bytes[], size_t size, fmi3FMUState *state) {
    if (size != sizeof(State)) return fail((Linear *)c, "These are not the bytes of a saved state.");
    if (!*state) *state = malloc(sizeof(State));
    if (!*state) return fail((Linear *)c, "There is no memory.");
    memcpy(*state, bytes, sizeof(State));
    return fmi3OK;
}

/* ---- model exchange */

EXPORT fmi3Status FMI(UpdateDiscreteStates)(fmi3Instance c, fmi3Boolean *again, fmi3Boolean *end, fmi3Boolean *nominals,
                                            fmi3Boolean *values, fmi3Boolean *has_next, fmi3Float64 *next) {
    (void)c; (void)next;
    *again = *end = *nominals = *values = *has_next = false;
    return fmi3OK;
}

EXPORT fmi3Status FMI(CompletedIntegratorStep)(fmi3Instance c, fmi3Boolean keep, fmi3Boolean *event, fmi3Boolean *end) {
    (void)c; (void)keep;
    *event = *end = false;
    return fmi3OK;
}

EXPORT fmi3Status FMI(SetTime)(fmi3Instance c, fmi3Float64 time) {
    ((Linear *)c)->now.time = time;
    return fmi3OK;
}

EXPORT fmi3Status FMI(SetContinuousStates)(fmi3Instance c, const fmi3Float64 x[], size_t n) {
    CHECK_COUNT(n, NX)
    if (n) memcpy(((Linear *)c)->now.x, x, n * sizeof(double));
    return fmi3OK;
}

EXPORT fmi3Status FMI(GetContinuousStates)(fmi3Instance c, fmi3Float64 x[], size_t n) {
    CHECK_COUNT(n, NX)
    if (n) memcpy(x, ((Linear *)c)->now.x, n * sizeof(double));
    return fmi3OK;
}

EXPORT fmi3Status FMI(GetContinuousStateDerivatives)(fmi3Instance c, fmi3Float64 dx[], size_t n) {
    const State *now = &((Linear *)c)->now;
    size_t i;
    CHECK_COUNT(n, NX)
    for (i = 0; i < n; i++) dx[i] = row_times(i, now->x, now->u);
    return fmi3OK;
}

EXPORT fmi3Status FMI(GetEventIndicators)(fmi3Instance c, fmi3Float64 z[], size_t n) {
    (void)z;
    CHECK_COUNT(n, 0)
    return fmi3OK;
}

EXPORT fmi3Status FMI(GetNominalsOfContinuousStates)(fmi3Instance c, fmi3Float64 nominal[], size_t n) {
    size_t i;
    CHECK_COUNT(n, NX)
    for (i = 0; i < n; i++) nominal[i] = 1.0;
    return fmi3OK;
}

EXPORT fmi3Status FMI(GetNumberOfEventIndicators)(fmi3Instance c, size_t *n) {
    (void)c;
    *n = 0;
    return fmi3OK;
}

EXPORT fmi3Status FMI(GetNumberOfContinuousStates)(fmi3Instance c, size_t *n) {
    (void)c;
    *n = NX;
    return fmi3OK;
}

/* ---- co-simulation */

EXPORT fmi3Status FMI(GetOutputDerivatives)(fmi3Instance c, const fmi3ValueReference vr[], size_t n,
                                            const fmi3Int32 orders[], fmi3Float64 value[], size_t values) {
    (void)vr; (void)n; (void)orders; (void)value; (void)values;
    return fail((Linear *)c, "Derivatives of outputs are not given.");
}

EXPORT fmi3Status FMI(DoStep)(fmi3Instance c, fmi3Float64 time, fmi3Float64 step, fmi3Boolean keep, fmi3Boolean *event,
                              fmi3Boolean *end, fmi3Boolean *early, fmi3Float64 *last) {
    Linear *m = (Linear *)c;
    (void)keep;
    *event = *end = *early = false;
    m->now.time = time;
    if (!step_linear(m, step)) {
        *last = time;
        return fail(m, "The step cannot be done: it is negative or too large, or there is no memory.");
    }
    *last = m->now.time;
    return fmi3OK;
}
