#include "commands/row_dump.h"

#include <inttypes.h>

#include "contract/base/hash.h"

/* One input or output of a case. */
struct dumped {
    const struct host_case *host;
    const struct reg_tensor *tensor;
    const unsigned char *data; /* NULL: there is none */
};

static size_t row_bytes(const struct reg_tensor *tensor)
{
    return (size_t)tensor->columns * format_facts(tensor->format)->n_bytes;
}

static void print_place(FILE *out, const char *word, const struct dumped *d)
{
    fprintf(out, "%s %s %s %s %s ", word, d->host->c.registration->name, d->host->c.shape->label,
            reg_pattern_name(d->host->c.pattern), d->tensor->name);
}

static void print_hash(FILE *out, const struct dumped *d, const char *row, const unsigned char *data, size_t n_bytes)
{
    char hex[33] = "none";
    if (data)
        hash_hex(hash_bytes(data, n_bytes), hex);
    print_place(out, "HASH", d);
    fprintf(out, "%s %s\n", row, hex);
}

static void print_hashes(FILE *out, const struct dumped *d)
{
    print_hash(out, d, "all", d->data, tensor_bytes(d->tensor));
    for (int64_t row = 0; row < d->tensor->rows && d->data; row++) {
        char name[24];
        snprintf(name, sizeof name, "%" PRId64, row);
        print_hash(out, d, name, d->data + (size_t)row * row_bytes(d->tensor), row_bytes(d->tensor));
    }
}

static void print_row(FILE *out, const struct dumped *d, int64_t row)
{
    enum number_format format = d->tensor->format;
    if (!d->data) {
        print_place(out, "ROW", d);
        fprintf(out, "%" PRId64 " none\n", row);
        return;
    }
    for (int64_t column = 0; column < d->tensor->columns; column++) {
        int64_t index = row * d->tensor->columns + column;
        print_place(out, "ROW", d);
        fprintf(out, "%" PRId64 " %" PRId64 " 0x%0*" PRIx64 " %.9g\n", row, column, format_facts(format)->n_bytes * 2,
                format_bits(format, d->data, index), format_load(format, d->data, index));
    }
}

bool row_dump_fits(const struct row_dump *dump, const struct reg_plan *plan, struct error *error)
{
    int64_t most = 0;
    for (int t = 0; t < plan->n_tensors; t++)
        if (plan->tensor[t].role != REG_WORKSPACE && plan->tensor[t].rows > most)
            most = plan->tensor[t].rows;
    return dump->row < most || error_set(error, STATUS_USAGE,
                                         "--dump-row %" PRId64 ": no tensor of this shape has that row; give 0 to %" PRId64,
                                         dump->row, most - 1);
}

void row_dump_print(const struct row_dump *dump, FILE *out, const struct host_case *host, const struct outputs *outputs)
{
    for (int t = 0; t < host->plan.n_tensors; t++) {
        const struct reg_tensor *tensor = &host->plan.tensor[t];
        struct dumped d = {host, tensor, tensor->role == REG_INPUT ? host->c.data[t] : outputs->data[t]};
        if (tensor->role == REG_WORKSPACE)
            continue;
        if (dump->hashes)
            print_hashes(out, &d);
        if (dump->row >= 0 && dump->row < tensor->rows)
            print_row(out, &d, dump->row);
    }
}
