#include "reports/kept_outputs.h"

#include <ctype.h>
#include <string.h>

#include "contract/base/file.h"
#include "reports/npy.h"

bool kept_outputs_open(struct kept_outputs *kept, const char *folder, struct error *error)
{
    *kept = (struct kept_outputs){.folder = folder};
    return file_make_directories(folder, error);
}

static bool is_plain(const char *name, size_t i)
{
    return isalnum((unsigned char)name[i]) || strchr("_+-=,", name[i]) || (name[i] == '.' && i > 0);
}

static void append_name(struct text *path, const char *name)
{
    text_append(path, "/");
    for (size_t i = 0; name[i]; i++)
        text_append(path, is_plain(name, i) ? "%c" : "%%%02X", (unsigned char)name[i]);
}

void kept_outputs_folder(struct text *path, const char *folder, const struct kept_case *of)
{
    text_append(path, "%s", folder);
    append_name(path, of->chip);
    append_name(path, of->registration);
    append_name(path, of->shape);
    append_name(path, of->pattern);
}

void kept_outputs_file(struct text *path, const char *tensor, enum number_format format)
{
    append_name(path, tensor);
    text_append(path, ".%s.npy", format_facts(format)->name);
}

static bool write_tensor(const struct text *folder, const struct reg_tensor *tensor, const void *data, struct error *error)
{
    struct text path = {0};
    text_append(&path, "%s", folder->data);
    kept_outputs_file(&path, tensor->name, tensor->format);
    bool ok = path.failed ? error_set(error, STATUS_ENVIRONMENT, "%s: out of host memory", folder->data)
                          : npy_write(path.data, tensor->format, tensor->rows, tensor->columns, data, error);
    text_free(&path);
    return ok;
}

static bool write_case(const struct kept_outputs *kept, const struct case_outputs *outputs, struct error *error)
{
    struct text folder = {0};
    const struct kept_case of = {outputs->chip, outputs->registration, outputs->shape, outputs->pattern};
    kept_outputs_folder(&folder, kept->folder, &of);
    bool ok = folder.failed ? error_set(error, STATUS_ENVIRONMENT, "%s: out of host memory", kept->folder)
                            : file_make_directories(folder.data, error);
    for (int t = 0; t < outputs->plan->n_tensors && ok; t++)
        if (outputs->data[t])
            ok = write_tensor(&folder, &outputs->plan->tensor[t], outputs->data[t], error);
    text_free(&folder);
    return ok;
}

static void keep(void *context, const struct case_outputs *outputs)
{
    struct kept_outputs *kept = context;
    kept->failed = kept->failed || !write_case(kept, outputs, &kept->error);
}

struct verdict_sink kept_outputs_sink(struct kept_outputs *kept)
{
    return (struct verdict_sink){.outputs = keep, .context = kept};
}

bool kept_outputs_close(const struct kept_outputs *kept, struct error *error)
{
    return !kept->failed ||
           error_set(error, kept->error.status, "%.900s; the verdicts above are complete, the kept outputs are not",
                     kept->error.text);
}
