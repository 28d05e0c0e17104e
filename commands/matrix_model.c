#include "commands/matrix_model.h"

#include <string.h>

static const char *const names[] = {
#define MATRIX_MODEL_NAME(name, text) text,
    MATRIX_MODELS(MATRIX_MODEL_NAME)
#undef MATRIX_MODEL_NAME
};

const char *matrix_model_name(enum matrix_model model)
{
    return names[model];
}

bool matrix_model_parse(const char *text, enum matrix_model *model, struct error *error)
{
    for (int i = 0; i < MATRIX_MODEL_COUNT; i++) {
        if (strcmp(text, names[i]) == 0) {
            *model = (enum matrix_model)i;
            return true;
        }
    }
    return error_set(error, STATUS_USAGE, "--matrix-model %s: give chip or ieee", text);
}
