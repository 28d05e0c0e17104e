/*
 * Streams, events and pinned memory. What a stream is given waits until something waits for it, and is then done in order.
 * Nothing orders two streams: where several are waited for, the schedule seed says which goes on next.
 */
#include <stdlib.h>
#include <string.h>

#include "contract/base/random.h"
#include "device/emulator/hip_state.h"

/* hipStreamLegacy, which is the null stream, and hipStreamPerThread, which is not emulated. */
enum { STREAM_LEGACY = 1, STREAM_PER_THREAD = 2 };

/* A copy, or a launch, with all that it needs of the caller's. */
struct hip_operation {
    struct hip_operation *next;
    hipError_t (*run)(struct emulator *emulator, struct hip_operation *operation);
    struct hip_launch launch;
    void *to;
    const void *from;
    size_t n_bytes; /* of the copy, or of the launch's arguments */
    int kind;
    void *extra[5];
    uint8_t kept[]; /* arguments, or what a copy from pageable memory read */
};

bool hip_is_null_stream(hipStream_t stream)
{
    return (uintptr_t)stream <= STREAM_LEGACY;
}

static bool is_stream(const struct emulator *emulator, hipStream_t stream)
{
    const struct ihipStream_t *found = emulator->streams;
    while (found && found != stream)
        found = found->next;
    return found != NULL;
}

/* Refuses what is neither the null stream nor an open one. */
static hipError_t check_stream(struct emulator *emulator, hipStream_t stream)
{
    if (hip_is_null_stream(stream) || is_stream(emulator, stream))
        return hipSuccess;
    if ((uintptr_t)stream == STREAM_PER_THREAD)
        return hip_refuse(emulator, hipErrorNotSupported, "hipStreamPerThread is not emulated; create a stream");
    return hip_refuse(emulator, hipErrorInvalidHandle, "no stream of that handle is open");
}

static bool is_event(const struct emulator *emulator, hipEvent_t event)
{
    const struct ihipEvent_t *found = emulator->events;
    while (found && found != event)
        found = found->next;
    return found != NULL;
}

static bool pinned_holds(const struct pinned *pinned, const void *pointer, size_t n_bytes)
{
    uintptr_t offset = (uintptr_t)pointer - (uintptr_t)pinned->host;
    return offset < pinned->n_bytes && n_bytes <= pinned->n_bytes - offset;
}

static bool is_pinned(const struct emulator *emulator, const void *pointer, size_t n_bytes)
{
    const struct pinned *pinned = emulator->pinned;
    while (pinned && !pinned_holds(pinned, pointer, n_bytes))
        pinned = pinned->next;
    return pinned != NULL;
}

static struct hip_operation *operation_open(hipError_t (*run)(struct emulator *, struct hip_operation *), size_t kept_bytes)
{
    struct hip_operation *operation = calloc(1, sizeof *operation + kept_bytes);
    if (operation)
        operation->run = run;
    return operation;
}

static void give(struct ihipStream_t *stream, struct hip_operation *operation)
{
    *stream->end = operation;
    stream->end = &operation->next;
    stream->n_given++;
}

static struct hip_operation *take(struct ihipStream_t *stream)
{
    struct hip_operation *operation = stream->first;
    stream->first = operation->next;
    if (!stream->first)
        stream->end = &stream->first;
    stream->n_done++;
    return operation;
}

/* Does a stream's next operation. An error ends the stream's work: what was given after it is dropped. */
static hipError_t step(struct emulator *emulator, struct ihipStream_t *stream)
{
    struct hip_operation *operation = take(stream);
    hipError_t result = operation->run(emulator, operation);
    free(operation);
    while (result != hipSuccess && stream->first)
        free(take(stream));
    return result;
}

/* The first n_operations of a stream are done. */
static hipError_t drain(struct emulator *emulator, struct ihipStream_t *stream, uint64_t n_operations)
{
    hipError_t result = hipSuccess;
    while (result == hipSuccess && stream->first && stream->n_done < n_operations)
        result = step(emulator, stream);
    return result;
}

/* The n-th of a device's streams that have work to do, or NULL. */
static struct ihipStream_t *busy_stream(const struct emulator *emulator, int device, bool all, uint32_t n)
{
    for (struct ihipStream_t *stream = emulator->streams; stream; stream = stream->next)
        if (stream->first && stream->device == device && (all || stream->waits_for_null) && n-- == 0)
            return stream;
    return NULL;
}

/* The stream that goes on next: for seed 0 the first in the order of their making, else any of them. */
static struct ihipStream_t *choose_stream(struct emulator *emulator, int device, bool all)
{
    uint32_t n = 0, chosen = 0;
    while (emulator->schedule_seed && busy_stream(emulator, device, all, n))
        n++;
    if (n > 1)
        chosen = random_below(random_key_for(emulator->schedule_seed, "streams"), emulator->n_stream_choices++, n);
    return busy_stream(emulator, device, all, chosen);
}

static hipError_t drain_some(struct emulator *emulator, int device, bool all)
{
    hipError_t result = hipSuccess;
    for (struct ihipStream_t *stream; (stream = choose_stream(emulator, device, all));) {
        hipError_t own = step(emulator, stream);
        result = result == hipSuccess ? own : result;
    }
    return result;
}

hipError_t hip_drain_device(struct emulator *emulator, int device)
{
    return drain_some(emulator, device, true);
}

hipError_t hip_drain_for_null(struct emulator *emulator, int device)
{
    return drain_some(emulator, device, false);
}

static hipError_t run_launch(struct emulator *emulator, struct hip_operation *operation)
{
    return hip_launch_run(emulator, &operation->launch);
}

static hipError_t run_copy(struct emulator *emulator, struct hip_operation *operation)
{
    return hip_copy(emulator, operation->to, operation->from, operation->n_bytes, operation->kind);
}

hipError_t hip_stream_launch(struct emulator *emulator, hipStream_t stream, struct hip_launch *request)
{
    hipError_t result = check_stream(emulator, stream);
    if (result != hipSuccess)
        return result;
    request->device = stream->device;
    result = hip_launch_check(emulator, request);
    if (result != hipSuccess)
        return result;
    struct hip_operation *operation = operation_open(run_launch, hip_launch_argument_bytes(request));
    if (!operation)
        return hipErrorOutOfMemory;
    result = hip_launch_arguments(emulator, request, operation->kept);
    if (result != hipSuccess) {
        free(operation);
        return result;
    }
    operation->launch = *request;
    operation->n_bytes = hip_launch_argument_bytes(request);
    void *extra[] = {(void *)EXTRA_POINTER, operation->kept, (void *)EXTRA_SIZE, &operation->n_bytes, (void *)EXTRA_END};
    memcpy(operation->extra, extra, sizeof extra);
    operation->launch.parameters = NULL;
    operation->launch.extra = operation->extra;
    give(stream, operation);
    return hipSuccess;
}

/* A copy of pageable memory has read it when the call returns, and one to pageable memory has written it. */
static hipError_t give_copy(struct emulator *emulator, struct ihipStream_t *stream, void *to, const void *from,
                            size_t n_bytes, int kind)
{
    bool from_host = kind == hipMemcpyHostToDevice || kind == hipMemcpyHostToHost;
    bool to_host = kind == hipMemcpyDeviceToHost || kind == hipMemcpyHostToHost;
    bool keeps = from_host && !is_pinned(emulator, from, n_bytes);
    if (to_host && !is_pinned(emulator, to, n_bytes)) {
        hipError_t result = drain(emulator, stream, UINT64_MAX);
        return result == hipSuccess ? hip_copy(emulator, to, from, n_bytes, kind) : result;
    }
    struct hip_operation *operation = operation_open(run_copy, keeps ? n_bytes : 0);
    if (!operation)
        return hipErrorOutOfMemory;
    operation->to = to;
    operation->from = keeps ? memcpy(operation->kept, from, n_bytes) : from;
    operation->n_bytes = n_bytes;
    operation->kind = kind;
    give(stream, operation);
    return hipSuccess;
}

hipError_t emu_memcpy_async(void *to, const void *from, size_t n_bytes, int kind, hipStream_t stream)
{
    ENTER_OR_FAIL(emulator);
    bool is_null = hip_is_null_stream(stream);
    hipError_t result = check_stream(emulator, stream);
    if (result == hipSuccess)
        result = hip_copy_check(emulator, to, from, n_bytes, &kind);
    if (result == hipSuccess && is_null)
        result = hip_drain_for_null(emulator, hip_current_device());
    if (result == hipSuccess && n_bytes)
        result =
            is_null ? hip_copy(emulator, to, from, n_bytes, kind) : give_copy(emulator, stream, to, from, n_bytes, kind);
    return hip_leave(emulator, result);
}

hipError_t emu_host_malloc(void **pointer, size_t n_bytes, unsigned flags)
{
    (void)flags; /* hints: of the caching, of who may use it */
    ENTER_OR_FAIL(emulator);
    if (!pointer)
        return hip_leave(emulator, hipErrorInvalidValue);
    struct pinned *pinned = calloc(1, sizeof *pinned);
    uint8_t *host = n_bytes ? calloc(1, n_bytes) : NULL;
    *pointer = NULL;
    if (!pinned || !host) {
        free(pinned);
        free(host);
        return hip_leave(emulator, n_bytes ? hipErrorOutOfMemory : hipSuccess);
    }
    *pinned = (struct pinned){emulator->pinned, host, n_bytes, hip_current_device()};
    memory_poison(host, n_bytes);
    emulator->pinned = pinned;
    *pointer = host;
    return hip_leave(emulator, hipSuccess);
}

static bool copies_of(const struct ihipStream_t *stream, const struct pinned *pinned)
{
    for (const struct hip_operation *operation = stream->first; operation; operation = operation->next)
        if (pinned_holds(pinned, operation->to, 0) || pinned_holds(pinned, operation->from, 0))
            return true;
    return false;
}

/* Waits for the memory's device, as hipFree does, and for every stream of another one that still copies it. */
static hipError_t drain_pinned(struct emulator *emulator, const struct pinned *pinned)
{
    hipError_t result = hip_drain_device(emulator, pinned->device);
    for (struct ihipStream_t *stream = emulator->streams; stream; stream = stream->next) {
        if (!copies_of(stream, pinned))
            continue;
        hipError_t own = drain(emulator, stream, UINT64_MAX);
        result = result == hipSuccess ? own : result;
    }
    return result;
}

hipError_t emu_host_free(void *pointer)
{
    ENTER_OR_FAIL(emulator);
    for (struct pinned **link = &emulator->pinned; *link; link = &(*link)->next) {
        struct pinned *pinned = *link;
        if (pinned->host != pointer)
            continue;
        hipError_t result = drain_pinned(emulator, pinned);
        *link = pinned->next;
        free(pinned->host);
        free(pinned);
        return hip_leave(emulator, result);
    }
    return hip_leave(emulator, pointer ? hipErrorInvalidValue : hipSuccess);
}

hipError_t emu_stream_create(hipStream_t *stream, unsigned flags)
{
    ENTER_OR_FAIL(emulator);
    if (!stream || flags > hipStreamNonBlocking)
        return hip_leave(emulator, hipErrorInvalidValue);
    struct ihipStream_t *made = calloc(1, sizeof *made), **end = &emulator->streams;
    if (!made)
        return hip_leave(emulator, hipErrorOutOfMemory);
    made->device = hip_current_device();
    made->waits_for_null = flags != hipStreamNonBlocking;
    made->end = &made->first;
    while (*end)
        end = &(*end)->next;
    *stream = *end = made;
    return hip_leave(emulator, hipSuccess);
}

/* Events of the stream have then happened. */
static void forget_stream(struct emulator *emulator, const struct ihipStream_t *stream)
{
    for (struct ihipEvent_t *event = emulator->events; event; event = event->next)
        if (event->stream == stream)
            event->stream = NULL;
}

hipError_t emu_stream_destroy(hipStream_t stream)
{
    ENTER_OR_FAIL(emulator);
    for (struct ihipStream_t **link = &emulator->streams; *link; link = &(*link)->next) {
        if (*link != stream)
            continue;
        hipError_t result = drain(emulator, stream, UINT64_MAX);
        forget_stream(emulator, stream);
        *link = stream->next;
        free(stream);
        return hip_leave(emulator, result);
    }
    return hip_leave(emulator, hipErrorInvalidHandle);
}

hipError_t emu_stream_synchronize(hipStream_t stream)
{
    ENTER_OR_FAIL(emulator);
    hipError_t result = check_stream(emulator, stream);
    if (result == hipSuccess)
        result = hip_is_null_stream(stream) ? hip_drain_for_null(emulator, hip_current_device())
                                            : drain(emulator, stream, UINT64_MAX);
    return hip_leave(emulator, result);
}

hipError_t emu_event_create(hipEvent_t *event, unsigned flags)
{
    (void)flags; /* of timing, which there is none of, and of how to wait */
    ENTER_OR_FAIL(emulator);
    struct ihipEvent_t *made = event ? calloc(1, sizeof *made) : NULL;
    if (!made)
        return hip_leave(emulator, event ? hipErrorOutOfMemory : hipErrorInvalidValue);
    made->next = emulator->events;
    made->device = hip_current_device();
    *event = emulator->events = made;
    return hip_leave(emulator, hipSuccess);
}

hipError_t emu_event_destroy(hipEvent_t event)
{
    ENTER_OR_FAIL(emulator);
    for (struct ihipEvent_t **link = &emulator->events; *link; link = &(*link)->next)
        if (*link == event) {
            *link = event->next;
            free(event);
            return hip_leave(emulator, hipSuccess);
        }
    return hip_leave(emulator, hipErrorInvalidHandle);
}

hipError_t emu_event_record(hipEvent_t event, hipStream_t stream)
{
    ENTER_OR_FAIL(emulator);
    bool is_null = hip_is_null_stream(stream);
    hipError_t result = check_stream(emulator, stream);
    if (result != hipSuccess)
        return hip_leave(emulator, result);
    if (!is_event(emulator, event) || event->device != (is_null ? hip_current_device() : stream->device))
        return hip_leave(emulator, hipErrorInvalidHandle);
    event->stream = is_null ? NULL : stream;
    event->n_operations = is_null ? 0 : stream->n_given;
    return hip_leave(emulator, is_null ? hip_drain_for_null(emulator, hip_current_device()) : hipSuccess);
}

hipError_t emu_event_synchronize(hipEvent_t event)
{
    ENTER_OR_FAIL(emulator);
    if (!is_event(emulator, event))
        return hip_leave(emulator, hipErrorInvalidHandle);
    return hip_leave(emulator, event->stream ? drain(emulator, event->stream, event->n_operations) : hipSuccess);
}

void hip_streams_close(struct emulator *emulator)
{
    for (struct ihipStream_t *stream; (stream = emulator->streams); free(stream)) {
        emulator->streams = stream->next;
        while (stream->first)
            free(take(stream));
    }
    for (struct ihipEvent_t *event; (event = emulator->events); free(event))
        emulator->events = event->next;
    for (struct pinned *pinned; (pinned = emulator->pinned); free(pinned)) {
        emulator->pinned = pinned->next;
        free(pinned->host);
    }
}
