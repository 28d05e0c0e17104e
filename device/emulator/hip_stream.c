/*
 * Streams, events and pinned memory. What a stream is given waits until something waits for it, and is then done in order;
 * the streams of a device in the order of their making.
 */
#include <stdlib.h>
#include <string.h>

#include "device/emulator/hip_state.h"

/* hipStreamLegacy and hipStreamPerThread, which here are the null stream. */
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
    return (uintptr_t)stream <= STREAM_PER_THREAD;
}

static bool is_stream(const struct emulator *emulator, hipStream_t stream)
{
    const struct ihipStream_t *found = emulator->streams;
    while (found && found != stream)
        found = found->next;
    return found != NULL;
}

static bool is_event(const struct emulator *emulator, hipEvent_t event)
{
    const struct ihipEvent_t *found = emulator->events;
    while (found && found != event)
        found = found->next;
    return found != NULL;
}

static bool is_pinned(const struct emulator *emulator, const void *pointer, size_t n_bytes)
{
    for (const struct pinned *pinned = emulator->pinned; pinned; pinned = pinned->next) {
        uintptr_t offset = (uintptr_t)pointer - (uintptr_t)pinned->host;
        if (offset < pinned->n_bytes && n_bytes <= pinned->n_bytes - offset)
            return true;
    }
    return false;
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

/* The first n_operations of a stream are done. An error ends the stream's work: what was given after it is dropped. */
static hipError_t drain(struct emulator *emulator, struct ihipStream_t *stream, uint64_t n_operations)
{
    hipError_t result = hipSuccess;
    while (stream->first && (stream->n_done < n_operations || result != hipSuccess)) {
        struct hip_operation *operation = take(stream);
        if (result == hipSuccess)
            result = operation->run(emulator, operation);
        free(operation);
    }
    return result;
}

static hipError_t drain_some(struct emulator *emulator, int device, bool all)
{
    hipError_t result = hipSuccess;
    for (struct ihipStream_t *stream = emulator->streams; stream; stream = stream->next) {
        if (stream->device != device || !(all || stream->waits_for_null))
            continue;
        hipError_t own = drain(emulator, stream, UINT64_MAX);
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
    if (!is_stream(emulator, stream))
        return hip_refuse(emulator, hipErrorInvalidHandle, "no stream of that handle is open");
    request->device = stream->device;
    hipError_t result = hip_launch_check(emulator, request);
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

/* What `default` stands for. */
static int resolve_kind(const struct emulator *emulator, const void *to, const void *from, int kind)
{
    if (kind != MEMCPY_DEFAULT)
        return kind;
    bool to_device = memory_find(emulator->memory, (uintptr_t)to),
         from_device = memory_find(emulator->memory, (uintptr_t)from);
    return to_device ? (from_device ? hipMemcpyDeviceToDevice : hipMemcpyHostToDevice)
                     : (from_device ? hipMemcpyDeviceToHost : hipMemcpyHostToHost);
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
    if (kind < hipMemcpyHostToHost || kind > MEMCPY_DEFAULT)
        return hip_leave(emulator, hipErrorInvalidValue);
    if (!is_null && !is_stream(emulator, stream))
        return hip_leave(emulator, hipErrorInvalidHandle);
    kind = resolve_kind(emulator, to, from, kind);
    hipError_t result = is_null ? hip_drain_for_null(emulator, hip_current_device()) : hipSuccess;
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
    *pointer = host;
    if (!pinned || !host) {
        free(pinned);
        free(host);
        return hip_leave(emulator, n_bytes ? hipErrorOutOfMemory : hipSuccess);
    }
    *pinned = (struct pinned){emulator->pinned, host, n_bytes, hip_current_device()};
    emulator->pinned = pinned;
    return hip_leave(emulator, hipSuccess);
}

/* Waits, as hipFree does. */
hipError_t emu_host_free(void *pointer)
{
    ENTER_OR_FAIL(emulator);
    for (struct pinned **link = &emulator->pinned; *link; link = &(*link)->next) {
        struct pinned *pinned = *link;
        if (pinned->host != pointer)
            continue;
        hipError_t result = hip_drain_device(emulator, pinned->device);
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
    if (hip_is_null_stream(stream))
        return hip_leave(emulator, hip_drain_for_null(emulator, hip_current_device()));
    return hip_leave(emulator, is_stream(emulator, stream) ? drain(emulator, stream, UINT64_MAX) : hipErrorInvalidHandle);
}

hipError_t emu_event_create(hipEvent_t *event, unsigned flags)
{
    (void)flags; /* of timing, which there is none of, and of how to wait */
    ENTER_OR_FAIL(emulator);
    struct ihipEvent_t *made = event ? calloc(1, sizeof *made) : NULL;
    if (!made)
        return hip_leave(emulator, event ? hipErrorOutOfMemory : hipErrorInvalidValue);
    made->next = emulator->events;
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
    if (!is_event(emulator, event) || (!is_null && !is_stream(emulator, stream)))
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
