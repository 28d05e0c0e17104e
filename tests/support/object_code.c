#include "tests/support/object_code.h"

#include <stdlib.h>

#include "device/code_object.h"

struct image {
    const struct chip *chip;
    uint32_t n_lanes;
    uint8_t *bytes;
    size_t n_bytes;
};

static bool visit_function(const struct image *image, const struct code_symbol *symbol, object_code_visitor *visit,
                           void *context, struct error *error)
{
    struct emulated_code code;
    if (!code_decode(image->chip, image->n_lanes, image->bytes, image->n_bytes, symbol->address, symbol->size_bytes, &code,
                     error))
        return error_prefix(error, "%s", symbol->name);
    visit(context, symbol->name, &code);
    code_free(&code);
    return true;
}

static bool visit_functions(const struct code_object *object, const struct image *image, object_code_visitor *visit,
                            void *context, struct error *error)
{
    bool ok = true;
    for (size_t i = 0; ok && i < object->n_symbols; i++) {
        const struct code_symbol *symbol = &object->symbols[i];
        const struct code_segment *segment = code_segment_at(object, symbol->address, symbol->size_bytes);
        if (symbol->is_function && symbol->size_bytes && segment && segment->executable)
            ok = visit_function(image, symbol, visit, context, error);
    }
    return ok;
}

bool object_code_visit(const unsigned char *bytes, size_t n_bytes, uint32_t n_lanes, object_code_visitor *visit,
                       void *context, struct error *error)
{
    struct code_object object;
    if (!code_object_parse(bytes, n_bytes, "code object", &object, error))
        return false;
    struct image image = {.chip = chip_find(object.chip), .n_lanes = n_lanes, .n_bytes = code_object_image_bytes(&object)};
    if (object.n_kernels && object.kernels[0].wave_size)
        image.n_lanes = object.kernels[0].wave_size;
    image.bytes = malloc(image.n_bytes + 1);
    bool ok = image.chip || error_set(error, STATUS_ENVIRONMENT, "%s: no known chip", object.chip);
    ok = ok && (image.bytes || error_set(error, STATUS_ENVIRONMENT, "out of memory"));
    ok = ok && code_object_load(&object, 0, image.bytes, image.n_bytes, error) &&
         visit_functions(&object, &image, visit, context, error);
    free(image.bytes);
    code_object_free(&object);
    return ok;
}
