/* Files that a user may give: a run log with something in every field, records of the project, safetensors files. */
#include <glob.h>
#include <stdlib.h>
#include <string.h>

#include "contract/base/file.h"
#include "reports/log.h"
#include "tests/fuzz/seeds.h"
#include "tests/support/exl3_file.h"
#include "tests/support/report_samples.h"

enum { RECORD_LINES = 30 };

static struct verdict sample_control(void)
{
    struct verdict v = sample_pass(GATE_BOUND);
    v.subject = SUBJECT_CONTROL;
    v.status = VERDICT_RED;
    strcpy(v.name, "k_late");
    return v;
}

static struct verdict sample_limit(void)
{
    struct verdict v = {.subject = SUBJECT_LIMIT, .status = VERDICT_LIMIT_PROBLEM, .gate = GATE_LIMITS, .worst.index = -1};
    strcpy(v.registration, "k");
    strcpy(v.chip, "gfx1151");
    v.resources.are_known = true;
    verdict_reason(&v, "record stale: vgprs 3 -> 4");
    return v;
}

static void write_verdicts(struct verdict_sink sink, struct run_log *log)
{
    static const struct reg_plan plan = {.n_tensors = 1, .tensor = {{"y", FORMAT_F32, REG_OUTPUT, 2, 4}}};
    static const float y[8] = {1, 2, 3};
    const struct executed executed[] = {{"v_add_f32", "VALU", 480}};
    const struct case_outputs outputs = {.registration = "k",
                                         .chip = "gfx1151",
                                         .shape = "1x33",
                                         .pattern = "signed",
                                         .plan = &plan,
                                         .data = {y},
                                         .executed = executed,
                                         .n_executed = 1};
    struct verdict verdicts[] = {sample_pass(GATE_BYTES), sample_pass(GATE_CLASSES), sample_miss(2),
                                 sample_race(),           sample_control(),          sample_limit()};
    struct counts counts = {0};
    verdicts[0].output = (struct hash128){1, 2};
    sink.outputs(sink.context, &outputs);
    for (size_t i = 0; i < sizeof verdicts / sizeof *verdicts; i++)
        sink.verdict(sink.context, &verdicts[i]);
    sink.registration_end(sink.context, &(struct registration_end){.registration = "k", .chip = "gfx1151"});
    counts_of(&counts, "gfx1151");
    log_summary(log, &counts, STATUS_RED, false);
}

static bool write_log(const char *folder, struct error *error)
{
    const struct log_environment environment = {
        .version = "0", .device = "emulator", .chips = "gfx1151", .scope = "default", .seed = 1, .n_runs = 5};
    struct run_log log;
    char path[600];
    snprintf(path, sizeof path, "%s/log/run", folder);
    if (!seed_write(folder, "log", "empty", "", 0, error) || !log_open(&log, path, &environment, error))
        return false;
    log.with_outputs = true;
    write_verdicts(log_sink(&log), &log);
    return log_close(&log, error);
}

/* The first lines of each record file. */
static bool write_records(const char *folder, struct error *error)
{
    glob_t found;
    bool ok = glob("records/*/*.txt", 0, NULL, &found) == 0 || error_set(error, STATUS_USAGE, "no records/*/*.txt here");
    for (size_t i = 0; ok && i < found.gl_pathc; i++) {
        char *text, name[24];
        size_t n_bytes, end = 0;
        if (!file_read(found.gl_pathv[i], &text, &n_bytes, error))
            return false;
        for (int line = 0; line < RECORD_LINES && end < n_bytes; line++)
            end += strcspn(text + end, "\n") + 1;
        snprintf(name, sizeof name, "%zu", i);
        ok = seed_write(folder, "records", name, text, end < n_bytes ? end : n_bytes, error);
        free(text);
    }
    if (ok)
        globfree(&found);
    return ok;
}

static bool write_safetensors(const char *folder, struct error *error)
{
    static const char *const headers[] = {
        "{}",
        "{\"__metadata__\":{\"format\":\"pt\"},\"a.weight\":{\"dtype\":\"F16\",\"shape\":[2,8],\"data_offsets\":[0,32]},"
        "\"a.scale\":{\"dtype\":\"F32\",\"shape\":[],\"data_offsets\":[32,36]}}",
        "{\"a\":{\"dtype\":\"I8\",\"shape\":[0,4],\"data_offsets\":[0,0]},\"b\":{\"dtype\":\"BF16\",\"shape\":[18],"
        "\"data_offsets\":[0,36]}}",
    };
    static const size_t data_bytes[] = {0, 36, 36};
    const unsigned char data[36] = {1, 2, 3};
    bool ok = true;
    for (size_t i = 0; ok && i < sizeof headers / sizeof *headers; i++) {
        size_t n_bytes;
        char name[24];
        unsigned char *bytes = safetensors_bytes(headers[i], data, data_bytes[i], &n_bytes);
        snprintf(name, sizeof name, "%zu", i);
        ok = seed_write(folder, "safetensors", name, bytes, n_bytes, error);
        free(bytes);
    }
    return ok;
}

bool seeds_of_files(const char *folder, struct error *error)
{
    return write_log(folder, error) && write_records(folder, error) && write_safetensors(folder, error);
}
