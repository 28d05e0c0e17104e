#include "device/code_metadata.h"

#include <inttypes.h>
#include <msgpack.h>
#include <string.h>

enum { MAX_DEPTH = 12 };

/* A cursor over MessagePack bytes that only measures: msgpack-c allocates an array's or map's announced size before it has
 * seen the elements, so hostile sizes are refused here first. Format: msgpack specification, "Formats". */
struct cursor {
    const uint8_t *at, *end;
};

static bool take(struct cursor *cursor, uint64_t n_bytes)
{
    if (n_bytes > (uint64_t)(cursor->end - cursor->at))
        return false;
    cursor->at += n_bytes;
    return true;
}

static bool take_size(struct cursor *cursor, unsigned n_bytes, uint64_t *size)
{
    const uint8_t *first = cursor->at;
    if (!take(cursor, n_bytes))
        return false;
    *size = 0;
    for (unsigned i = 0; i < n_bytes; i++)
        *size = *size << 8 | first[i];
    return true;
}

/* Formats whose length follows from the first byte: payload bytes after it, size of the length field, what the length
 * counts. */
struct layout {
    uint8_t first, last;
    uint8_t size_bytes;  /* big-endian length after the first byte; 0: none */
    uint8_t fixed_bytes; /* payload after the length field */
    uint8_t length_mask; /* the length's bits in the first byte where there is no length field */
    uint8_t per_item;    /* items (elements) that one unit of length stands for; 0: bytes */
};

static const struct layout layouts[] = {
    {0x00, 0x7f, 0, 0, 0, 0}, {0x80, 0x8f, 0, 0, 0x0f, 2}, {0x90, 0x9f, 0, 0, 0x0f, 1}, {0xa0, 0xbf, 0, 0, 0x1f, 0},
    {0xc0, 0xc0, 0, 0, 0, 0}, {0xc2, 0xc3, 0, 0, 0, 0},    {0xc4, 0xc4, 1, 0, 0, 0},    {0xc5, 0xc5, 2, 0, 0, 0},
    {0xc6, 0xc6, 4, 0, 0, 0}, {0xc7, 0xc7, 1, 1, 0, 0},    {0xc8, 0xc8, 2, 1, 0, 0},    {0xc9, 0xc9, 4, 1, 0, 0},
    {0xca, 0xca, 0, 4, 0, 0}, {0xcb, 0xcb, 0, 8, 0, 0},    {0xcc, 0xcc, 0, 1, 0, 0},    {0xcd, 0xcd, 0, 2, 0, 0},
    {0xce, 0xce, 0, 4, 0, 0}, {0xcf, 0xcf, 0, 8, 0, 0},    {0xd0, 0xd0, 0, 1, 0, 0},    {0xd1, 0xd1, 0, 2, 0, 0},
    {0xd2, 0xd2, 0, 4, 0, 0}, {0xd3, 0xd3, 0, 8, 0, 0},    {0xd4, 0xd4, 0, 2, 0, 0},    {0xd5, 0xd5, 0, 3, 0, 0},
    {0xd6, 0xd6, 0, 5, 0, 0}, {0xd7, 0xd7, 0, 9, 0, 0},    {0xd8, 0xd8, 0, 17, 0, 0},   {0xd9, 0xd9, 1, 0, 0, 0},
    {0xda, 0xda, 2, 0, 0, 0}, {0xdb, 0xdb, 4, 0, 0, 0},    {0xdc, 0xdc, 2, 0, 0, 1},    {0xdd, 0xdd, 4, 0, 0, 1},
    {0xde, 0xde, 2, 0, 0, 2}, {0xdf, 0xdf, 4, 0, 0, 2},    {0xe0, 0xff, 0, 0, 0, 0},
};

static const struct layout *layout_of(uint8_t first)
{
    for (size_t i = 0; i < sizeof layouts / sizeof *layouts; i++)
        if (first >= layouts[i].first && first <= layouts[i].last)
            return &layouts[i];
    return NULL;
}

/* Steps over one value with all that it holds; false where it ends past the bytes, nests too deep or is no MessagePack. */
static bool skip_value(struct cursor *cursor, int depth)
{
    if (depth > MAX_DEPTH || cursor->at == cursor->end)
        return false;
    const struct layout *layout = layout_of(*cursor->at);
    if (!layout)
        return false;
    uint64_t length = *cursor->at++ & layout->length_mask;
    if (layout->size_bytes && !take_size(cursor, layout->size_bytes, &length))
        return false;
    if (!take(cursor, layout->fixed_bytes))
        return false;
    if (!layout->per_item)
        return take(cursor, length);
    uint64_t n_items = length * layout->per_item;
    if (n_items > (uint64_t)(cursor->end - cursor->at))
        return false;
    for (uint64_t i = 0; i < n_items; i++)
        if (!skip_value(cursor, depth + 1))
            return false;
    return true;
}

/* Where values come from and errors go to. */
struct reader {
    struct arena *arena;
    struct error *error;
    const char *kernel; /* being read; NULL outside one */
};

static bool fail(const struct reader *reader, const char *key, const char *what)
{
    return error_set(reader->error, STATUS_USAGE, "metadata%s%s: %s %s", reader->kernel ? " of kernel " : "",
                     reader->kernel ? reader->kernel : "", key, what);
}

static const msgpack_object *find(const msgpack_object *map, const char *key)
{
    if (map->type != MSGPACK_OBJECT_MAP)
        return NULL;
    size_t length = strlen(key);
    for (uint32_t i = 0; i < map->via.map.size; i++) {
        const msgpack_object_kv *pair = &map->via.map.ptr[i];
        if (pair->key.type == MSGPACK_OBJECT_STR && pair->key.via.str.size == length &&
            memcmp(pair->key.via.str.ptr, key, length) == 0)
            return &pair->val;
    }
    return NULL;
}

/* A number below 2^32; absent is `absent`, or an error where that is negative. */
static bool read_u32(const struct reader *reader, const msgpack_object *map, const char *key, int64_t absent,
                     uint32_t *value)
{
    const msgpack_object *found = find(map, key);
    if (!found && absent < 0)
        return fail(reader, key, "is missing");
    if (!found) {
        *value = (uint32_t)absent;
        return true;
    }
    if (found->type != MSGPACK_OBJECT_POSITIVE_INTEGER || found->via.u64 > UINT32_MAX)
        return fail(reader, key, "is not a number below 2^32");
    *value = (uint32_t)found->via.u64;
    return true;
}

/* A string without NUL or control characters, copied to the arena; absent gives `absent`, or an error where that is NULL.
 * NULL with the error set on failure. */
static const char *read_string(const struct reader *reader, const msgpack_object *map, const char *key, const char *absent)
{
    const msgpack_object *found = find(map, key);
    if (!found) {
        if (!absent)
            fail(reader, key, "is missing");
        return absent;
    }
    if (found->type != MSGPACK_OBJECT_STR || found->via.str.size > 65535) {
        fail(reader, key, "is not a string");
        return NULL;
    }
    for (uint32_t i = 0; i < found->via.str.size; i++)
        if ((unsigned char)found->via.str.ptr[i] < 0x20 || found->via.str.ptr[i] == 0x7f) {
            fail(reader, key, "holds a control character");
            return NULL;
        }
    const char *copy = arena_format(reader->arena, "%.*s", (int)found->via.str.size, found->via.str.ptr);
    if (!copy)
        error_set(reader->error, STATUS_ENVIRONMENT, "out of memory");
    return copy;
}

static enum code_arg_kind arg_kind(const char *name)
{
    static const char *const names[] = {
#define KIND_NAME(kind, text) text,
        CODE_ARG_KINDS(KIND_NAME)
#undef KIND_NAME
    };
    for (int kind = 0; kind < CODE_ARG_OTHER; kind++)
        if (strcmp(names[kind], name) == 0)
            return (enum code_arg_kind)kind;
    return CODE_ARG_OTHER;
}

static bool read_arg(const struct reader *reader, const msgpack_object *map, uint32_t kernarg_bytes, struct code_arg *arg)
{
    if (!read_u32(reader, map, ".offset", -1, &arg->offset_bytes) || !read_u32(reader, map, ".size", -1, &arg->size_bytes))
        return false;
    const char *kind = read_string(reader, map, ".value_kind", NULL);
    arg->name = read_string(reader, map, ".name", "");
    if (!kind || !arg->name)
        return false;
    arg->kind = arg_kind(kind);
    if ((uint64_t)arg->offset_bytes + arg->size_bytes > kernarg_bytes)
        return fail(reader, ".args", "has an argument that ends past .kernarg_segment_size");
    return true;
}

static bool read_args(const struct reader *reader, const msgpack_object *map, struct code_kernel *kernel)
{
    const msgpack_object *list = find(map, ".args");
    if (!list)
        return true;
    if (list->type != MSGPACK_OBJECT_ARRAY || list->via.array.size > CODE_MAX_ARGS)
        return fail(reader, ".args", "is not a list of at most 1024 arguments");
    struct code_arg *args = arena_alloc(reader->arena, (list->via.array.size + 1) * sizeof *args);
    if (!args)
        return error_set(reader->error, STATUS_ENVIRONMENT, "out of memory");
    for (uint32_t i = 0; i < list->via.array.size; i++)
        if (!read_arg(reader, &list->via.array.ptr[i], kernel->kernarg_bytes, &args[i]))
            return false;
    kernel->args = args;
    kernel->n_args = list->via.array.size;
    return true;
}

/* .symbol is the descriptor's symbol: the kernel's name with ".kd". */
static bool read_name(struct reader *reader, const msgpack_object *map, struct code_kernel *kernel)
{
    const char *symbol = read_string(reader, map, ".symbol", NULL);
    if (!symbol)
        return false;
    size_t length = strlen(symbol);
    if (length <= 3 || strcmp(symbol + length - 3, ".kd") != 0)
        return fail(reader, ".symbol", "does not end in .kd");
    kernel->name = arena_format(reader->arena, "%.*s", (int)length - 3, symbol);
    reader->kernel = kernel->name;
    return kernel->name || error_set(reader->error, STATUS_ENVIRONMENT, "out of memory");
}

static bool read_required_workgroup(const struct reader *reader, const msgpack_object *map, struct code_kernel *kernel)
{
    const msgpack_object *list = find(map, ".reqd_workgroup_size");
    if (!list)
        return true;
    if (list->type != MSGPACK_OBJECT_ARRAY || list->via.array.size != 3)
        return fail(reader, ".reqd_workgroup_size", "is not a list of 3 numbers");
    for (int i = 0; i < 3; i++) {
        const msgpack_object *number = &list->via.array.ptr[i];
        if (number->type != MSGPACK_OBJECT_POSITIVE_INTEGER || number->via.u64 > 65535)
            return fail(reader, ".reqd_workgroup_size", "is not a list of 3 numbers");
        kernel->required_workgroup[i] = (uint32_t)number->via.u64;
    }
    return true;
}

static bool check_figures(const struct reader *reader, const struct code_kernel *kernel)
{
    if (kernel->wave_size != 32 && kernel->wave_size != 64)
        return fail(reader, ".wavefront_size", "is neither 32 nor 64");
    if (kernel->max_workgroup_threads < 1 || kernel->max_workgroup_threads > 1024)
        return fail(reader, ".max_flat_workgroup_size", "is not in 1 ... 1024");
    if (kernel->kernarg_bytes > CODE_KERNARG_LIMIT)
        return fail(reader, ".kernarg_segment_size", "is over 1 MiB");
    return true;
}

static bool read_kernel(struct reader *reader, const msgpack_object *map, struct code_kernel *kernel)
{
    if (map->type != MSGPACK_OBJECT_MAP)
        return fail(reader, "amdhsa.kernels", "holds something that is not a map");
    if (!read_name(reader, map, kernel))
        return false;
    const struct {
        const char *key;
        int64_t absent;
        uint32_t *value;
    } figures[] = {
        {".vgpr_count", -1, &kernel->vgprs},
        {".agpr_count", 0, &kernel->agprs},
        {".sgpr_count", -1, &kernel->sgprs},
        {".vgpr_spill_count", 0, &kernel->vgpr_spills},
        {".sgpr_spill_count", 0, &kernel->sgpr_spills},
        {".group_segment_fixed_size", -1, &kernel->lds_bytes},
        {".private_segment_fixed_size", -1, &kernel->private_bytes},
        {".kernarg_segment_size", -1, &kernel->kernarg_bytes},
        {".kernarg_segment_align", -1, &kernel->kernarg_align_bytes},
        {".max_flat_workgroup_size", -1, &kernel->max_workgroup_threads},
        {".wavefront_size", -1, &kernel->wave_size},
    };
    for (size_t i = 0; i < sizeof figures / sizeof *figures; i++)
        if (!read_u32(reader, map, figures[i].key, figures[i].absent, figures[i].value))
            return false;
    const msgpack_object *dynamic = find(map, ".uses_dynamic_stack");
    kernel->uses_dynamic_stack = dynamic && dynamic->type == MSGPACK_OBJECT_BOOLEAN && dynamic->via.boolean;
    return check_figures(reader, kernel) && read_required_workgroup(reader, map, kernel) && read_args(reader, map, kernel);
}

static bool read_root(struct reader *reader, const msgpack_object *root, struct code_metadata *metadata)
{
    const char *target = read_string(reader, root, "amdhsa.target", NULL);
    if (!target)
        return false;
    snprintf(metadata->target, sizeof metadata->target, "%s", target);
    const msgpack_object *list = find(root, "amdhsa.kernels");
    if (!list)
        return fail(reader, "amdhsa.kernels", "is missing");
    if (list->type != MSGPACK_OBJECT_ARRAY || list->via.array.size > CODE_MAX_KERNELS)
        return fail(reader, "amdhsa.kernels", "is not a list of at most 4096 kernels");
    metadata->n_kernels = list->via.array.size;
    metadata->kernels = arena_alloc(reader->arena, (metadata->n_kernels + 1) * sizeof *metadata->kernels);
    if (!metadata->kernels)
        return error_set(reader->error, STATUS_ENVIRONMENT, "out of memory");
    for (size_t i = 0; i < metadata->n_kernels; i++) {
        reader->kernel = NULL;
        if (!read_kernel(reader, &list->via.array.ptr[i], &metadata->kernels[i]))
            return false;
    }
    return true;
}

bool code_metadata_parse(const uint8_t *bytes, size_t n_bytes, struct arena *arena, struct code_metadata *metadata,
                         struct error *error)
{
    *metadata = (struct code_metadata){0};
    struct cursor cursor = {bytes, bytes + n_bytes};
    if (!skip_value(&cursor, 0))
        return error_set(error, STATUS_USAGE, "metadata: damaged MessagePack at byte %td of %zu", cursor.at - bytes,
                         n_bytes);
    msgpack_unpacked unpacked;
    msgpack_unpacked_init(&unpacked);
    size_t offset = 0;
    struct reader reader = {.arena = arena, .error = error};
    bool ok;
    if (msgpack_unpack_next(&unpacked, (const char *)bytes, n_bytes, &offset) != MSGPACK_UNPACK_SUCCESS)
        ok = error_set(error, STATUS_USAGE, "metadata: damaged MessagePack at byte %zu of %zu", offset, n_bytes);
    else
        ok = read_root(&reader, &unpacked.data, metadata);
    msgpack_unpacked_destroy(&unpacked);
    return ok;
}
