/* FMI 2.0 for model exchange and co-simulation around linear.c. Needs nothing but a C compiler; where the official
   header fmi2Functions.h is included before, its types are used. */

#define SLOPES
#include "linear.c"

#ifndef fmi2Functions_h
typedef void *fmi2Component, *fmi2ComponentEnvironment, *fmi2FMUstate;
typedef unsigned int fmi2ValueReference;
typedef double fmi2Real;
typedef int fmi2Integer;
typedef int fmi2Boolean;
typedef char fmi2Char;
typedef const fmi2Char *fmi2String;
typedef char fmi2Byte;
typedef enum { fmi2OK, fmi2Warning, fmi2Discard, fmi2Error, fmi2Fatal, fmi2Pending } fmi2Status;
typedef enum { fmi2ModelExchange, fmi2CoSimulation } fmi2Type;
typedef enum { fmi2DoStepStatus, fmi2PendingStatus, fmi2LastSuccessfulTime, fmi2Terminated } fmi2StatusKind;
typedef struct {
    void (*logger)(fmi2ComponentEnvironment, fmi2String, fmi2Status, fmi2String, fmi2String, ...);
    void *(*allocateMemory)(size_t, size_t);
    void (*freeMemory)(void *);
    void (*stepFinished)(fmi2ComponentEnvironment, fmi2Status);
    fmi2ComponentEnvironment componentEnvironment;
} fmi2CallbackFunctions;
typedef struct {
    fmi2Boolean newDiscreteStatesNeeded, terminateSimulation, nominalsOfContinuousStatesChanged,
        valuesOfContinuousStatesChanged, nextEventTimeDefined;
    fmi2Real nextEventTime;
} fmi2EventInfo;
#if defined _WIN32
#define EXPORT __declspec(dllexport)
#elif defined __GNUC__
#define EXPORT __attribute__((visibility("default")))
#else
#define EXPORT
#endif
#ifdef FMI2_FUNCTION_PREFIX
#define GLUE(a, b) a##b
#define GLUED(a, b) GLUE(a, b)
#define FMI(name) GLUED(FMI2_FUNCTION_PREFIX, fmi2##name)
#else
#define FMI(name) fmi2##name
#endif
#else
#define EXPORT FMI2_Export
#define FMI(name) fmi2##name
#endif

typedef struct {
    const fmi2CallbackFunctions *callbacks;
    char *name;
} Host;

static fmi2Status fail(Linear *m, const char *what) {
    Host *host = (Host *)m->host;
    if (host->callbacks && host->callbacks->logger)
        host->callbacks->logger(host->callbacks->componentEnvironment, host->name, fmi2Error, "logStatusError", what);
    return fmi2Error;
}

EXPORT const char *FMI(GetTypesPlatform)(void) { return "default"; }
EXPORT const char *FMI(GetVersion)(void) { return "2.0"; }

EXPORT fmi2Status FMI(SetDebugLogging)(fmi2Component c, fmi2Boolean on, size_t n, const fmi2String categories[]) {
    (void)c; (void)on; (void)n; (void)categories;
    return fmi2OK;
}

EXPORT void FMI(FreeInstance)(fmi2Component c) {
    Linear *m = (Linear *)c;
    if (!m) return;
    if (m->host) free(((Host *)m->host)->name);
    free(m->host);
    free_linear(m);
}

EXPORT fmi2Component FMI(Instantiate)(fmi2String name, fmi2Type type, fmi2String guid, fmi2String resources,
                                      const fmi2CallbackFunctions *callbacks, fmi2Boolean visible, fmi2Boolean logging) {
    Linear *m;
    Host *host;
    (void)type; (void)resources; (void)visible; (void)logging;
    if (!guid || strcmp(guid, TOKEN)) {
        if (callbacks && callbacks->logger)
            callbacks->logger(callbacks->componentEnvironment, name, fmi2Error, "logStatusError", "The GUID is another.");
        return NULL;
    }
    m = new_linear();
    host = (Host *)calloc(1, sizeof(Host));
    if (host) host->name = (char *)calloc(strlen(name ? name : "") + 1, 1);
    if (!m || !host || !host->name) {
        if (host) free(host->name);
        free(host);
        free_linear(m);
        return NULL;
    }
    strcpy(host->name, name ? name : "");
    host->callbacks = callbacks;
    m->host = host;
    return m;
}

EXPORT fmi2Status FMI(SetupExperiment)(fmi2Component c, fmi2Boolean has_tolerance, fmi2Real tolerance, fmi2Real start,
                                       fmi2Boolean has_stop, fmi2Real stop) {
    Linear *m = (Linear *)c;
    (void)has_tolerance; (void)tolerance; (void)has_stop; (void)stop;
    m->now.time = m->start_time = start;
    return fmi2OK;
}

#define NOTHING_TO_DO(name) \
    EXPORT fmi2Status FMI(name)(fmi2Component c) { (void)c; return fmi2OK; }
NOTHING_TO_DO(EnterInitializationMode)
NOTHING_TO_DO(ExitInitializationMode)
NOTHING_TO_DO(Terminate)
NOTHING_TO_DO(EnterEventMode)
NOTHING_TO_DO(EnterContinuousTimeMode)

EXPORT fmi2Status FMI(Reset)(fmi2Component c) {
    reset_linear((Linear *)c);
    return fmi2OK;
}

/* ---- values */

EXPORT fmi2Status FMI(GetReal)(fmi2Component c, const fmi2ValueReference vr[], size_t n, fmi2Real value[]) {
    size_t k;
    for (k = 0; k < n; k++)
        if (!get_value((Linear *)c, vr[k], &value[k])) return fail((Linear *)c, "There is no such variable.");
    return fmi2OK;
}

EXPORT fmi2Status FMI(SetReal)(fmi2Component c, const fmi2ValueReference vr[], size_t n, const fmi2Real value[]) {
    size_t k;
    for (k = 0; k < n; k++)
        if (!set_value((Linear *)c, vr[k], value[k])) return fail((Linear *)c, "Inputs and states alone can be set.");
    return fmi2OK;
}

#define NO_SUCH_TYPE(name, type) \
    EXPORT fmi2Status FMI(Get##name)(fmi2Component c, const fmi2ValueReference vr[], size_t n, type value[]) { \
        (void)vr; (void)value; \
        return n ? fail((Linear *)c, "All variables are real.") : fmi2OK; \
    } \
    EXPORT fmi2Status FMI(Set##name)(fmi2Component c, const fmi2ValueReference vr[], size_t n, const type value[]) { \
        (void)vr; (void)value; \
        return n ? fail((Linear *)c, "All variables are real.") : fmi2OK; \
    }
NO_SUCH_TYPE(Integer, fmi2Integer)
NO_SUCH_TYPE(Boolean, fmi2Boolean)
NO_SUCH_TYPE(String, fmi2String)

EXPORT fmi2Status FMI(GetDirectionalDerivative)(fmi2Component c, const fmi2ValueReference unknown[], size_t unknowns,
                                                const fmi2ValueReference known[], size_t knowns,
                                                const fmi2Real seed[], fmi2Real found[]) {
    if (directional(unknown, unknowns, known, knowns, seed, found)) return fmi2OK;
    return fail((Linear *)c, "Outputs and derivatives have derivatives by inputs and states.");
}

/* ---- saved states */

EXPORT fmi2Status FMI(FreeFMUstate)(fmi2Component c, fmi2FMUstate *state) {
    (void)c;
    if (state) {
        free(*state);
        *state = NULL;
    }
    return fmi2OK;
}

EXPORT fmi2Status FMI(GetFMUstate)(fmi2Component c, fmi2FMUstate *state) {
    if (!*state) *state = malloc(sizeof(State));
    if (!*state) return fail((Linear *)c, "There is no memory.");
    memcpy(*state, &((Linear *)c)->now, sizeof(State));
    return fmi2OK;
}

EXPORT fmi2Status FMI(SetFMUstate)(fmi2Component c, fmi2FMUstate state) {
    if (!state) return fail((Linear *)c, "There is no saved state.");
    memcpy(&((Linear *)c)->now, state, sizeof(State));
    return fmi2OK;
}

EXPORT fmi2Status FMI(SerializedFMUstateSize)(fmi2Component c, fmi2FMUstate state, size_t *size) {
    (void)c; (void)state;
    *size = sizeof(State);
    return fmi2OK;
}

EXPORT fmi2Status FMI(SerializeFMUstate)(fmi2Component c, fmi2FMUstate state, fmi2Byte bytes[], size_t size) {
    if (!state || size < sizeof(State)) return fail((Linear *)c, "The saved state is longer.");
    memcpy(bytes, state, sizeof(State));
    return fmi2OK;
}

EXPORT fmi2Status FMI(DeSerializeFMUstate)(fmi2Component c, const fmi2Byte bytes[], size_t size, fmi2FMUstate *state) {
    if (size != sizeof(State)) return fail((Linear *)c, "These are not the bytes of a saved state.");
    if (!*state) *state = malloc(sizeof(State));
    if (!*state) return fail((Linear *)c, "There is no memory.");
    memcpy(*state, bytes, sizeof(State));
    return fmi2OK;
}

/* ---- model exchange */

EXPORT fmi2Status FMI(NewDiscreteStates)(fmi2Component c, fmi2EventInfo *info) {
    (void)c;
    memset(info, 0, sizeof(*info));
    return fmi2OK;
}

EXPORT fmi2Status FMI(CompletedIntegratorStep)(fmi2Component c, fmi2Boolean keep, fmi2Boolean *event, fmi2Boolean *end) {
    (void)c; (void)keep;
    *event = *end = 0;
    return fmi2OK;
}

EXPORT fmi2Status FMI(SetTime)(fmi2Component c, fmi2Real time) {
    ((Linear *)c)->now.time = time;
    return fmi2OK;
}

#define CHECK_COUNT(n, expected) \
    if ((n) != (size_t)(expected)) return fail((Linear *)c, "The number of values is another.");

EXPORT fmi2Status FMI(SetContinuousStates)(fmi2Component c, const fmi2Real x[], size_t n) {
    CHECK_COUNT(n, NX)
    if (n) memcpy(((Linear *)c)->now.x, x, n * sizeof(double));
    return fmi2OK;
}

EXPORT fmi2Status FMI(GetContinuousStates)(fmi2Component c, fmi2Real x[], size_t n) {
    CHECK_COUNT(n, NX)
    if (n) memcpy(x, ((Linear *)c)->now.x, n * sizeof(double));
    return fmi2OK;
}

EXPORT fmi2Status FMI(GetDerivatives)(fmi2Component c, fmi2Real dx[], size_t n) {
    const State *now = &((Linear *)c)->now;
    size_t i;
    CHECK_COUNT(n, NX)
    for (i = 0; i < n; i++) dx[i] = row_times(i, now->x, now->u);
    return fmi2OK;
}

EXPORT fmi2Status FMI(GetEventIndicators)(fmi2Component c, fmi2Real z[], size_t n) {
    (void)z;
    CHECK_COUNT(n, 0)
    return fmi2OK;
}

EXPORT fmi2Status FMI(GetNominalsOfContinuousStates)(fmi2Component c, fmi2Real nominal[], size_t n) {
    size_t i;
    CHECK_COUNT(n, NX)
    for (i = 0; i < n; i++) nominal[i] = 1.0;
    return fmi2OK;
}

/* ---- co-simulation */

EXPORT fmi2Status FMI(SetRealInputDerivatives)(fmi2Component c, const fmi2ValueReference vr[], size_t n,
                                               const fmi2Integer order[], const fmi2Real value[]) {
    size_t k;
    for (k = 0; k < n; k++)
        if (order[k] != 1 || !set_slope((Linear *)c, vr[k], value[k]))
            return fail((Linear *)c, "First derivatives of inputs alone can be set.");
    return fmi2OK;
}

EXPORT fmi2Status FMI(GetRealOutputDerivatives)(fmi2Component c, const fmi2ValueReference vr[], size_t n,
                                                const fmi2Integer order[], fmi2Real value[]) {
    (void)vr; (void)n; (void)order; (void)value;
    return fail((Linear *)c, "Derivatives of outputs are not given.");
}

EXPORT fmi2Status FMI(DoStep)(fmi2Component c, fmi2Real time, fmi2Real step, fmi2Boolean keep) {
    Linear *m = (Linear *)c;
    (void)keep;
    m->now.time = time;
    if (step_linear(m, step)) return fmi2OK;
    return fail(m, "The step cannot be done: it is negative or too large, or there is no memory.");
}

EXPORT fmi2Status FMI(CancelStep)(fmi2Component c) { return fail((Linear *)c, "No step is pending."); }

EXPORT fmi2Status FMI(GetRealStatus)(fmi2Component c, const fmi2StatusKind kind, fmi2Real *value) {
    if (kind != fmi2LastSuccessfulTime) return fmi2Discard;
    *value = ((Linear *)c)->now.time;
    return fmi2OK;
}

EXPORT fmi2Status FMI(GetBooleanStatus)(fmi2Component c, const fmi2StatusKind kind, fmi2Boolean *value) {
    (void)c;
    if (kind != fmi2Terminated) return fmi2Discard;
    *value = 0;
    return fmi2OK;
}

#define NO_STATUS(name, type) \
    EXPORT fmi2Status FMI(Get##name)(fmi2Component c, const fmi2StatusKind kind, type *value) { \
        (void)c; (void)kind; (void)value; \
        return fmi2Discard; \
    }
NO_STATUS(Status, fmi2Status)
NO_STATUS(IntegerStatus, fmi2Integer)
NO_STATUS(StringStatus, fmi2String)
