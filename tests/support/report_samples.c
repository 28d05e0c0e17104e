#include "tests/support/report_samples.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static const struct log_environment environment = {.version = "0.1.0",
                                                   .commit = "0123456789abcdef0123456789abcdef01234567",
                                                   .records = "records/a.txt,records/b.txt",
                                                   .toolchain = "debian-clang-22",
                                                   .compiler = "Debian clang version 22",
                                                   .device = "emulator",
                                                   .chips = "gfx1151,gfx90a",
                                                   .scope = "default",
                                                   .checks = "mem init race sync wait",
                                                   .matrix_model = "chip",
                                                   .seed = 1,
                                                   .n_runs = 5,
                                                   .command = "contract"};

struct verdict sample_pass(int gate)
{
    return (struct verdict){.subject = SUBJECT_GATE,
                            .status = VERDICT_PASS,
                            .gate = gate,
                            .chip = "gfx1151",
                            .device = "emulator",
                            .registration = "k",
                            .file = "kernels/k/k.c",
                            .line = 12,
                            .shape = "1x33",
                            .pattern = "signed",
                            .n_compared = 33,
                            .worst.index = -1,
                            .duration_ns = 1500000};
}

struct verdict sample_miss(double ratio)
{
    struct verdict v = sample_pass(GATE_BOUND);
    v.status = VERDICT_FAIL;
    v.n_wrong = 1;
    v.worst_ratio = ratio;
    v.worst = (struct verdict_element){"y", 7, 0x40000000, 2, 1, 0.125};
    verdict_reason(&v, "output 7 is %.4g times its bound", ratio);
    return v;
}

static struct finding_place place_in_group(int64_t offset_bytes, const char *instruction, uint32_t line, int wave, int lane)
{
    struct finding_place place = {
        .kernel = "k", .offset_bytes = offset_bytes, .line = line, .workgroup = {1, 2, 3}, .wave = wave, .lane = lane};
    snprintf(place.instruction, sizeof place.instruction, "%s", instruction);
    snprintf(place.file, sizeof place.file, "kernels/k/k.hip");
    return place;
}

struct verdict sample_race(void)
{
    struct verdict v = sample_pass(GATE_BYTES);
    v.status = VERDICT_FAIL;
    v.has_finding = true;
    v.finding = (struct finding){.kind = FINDING_RACE,
                                 .has_other = true,
                                 .place = place_in_group(0x1c4, "ds_store_b32 v0, v1", 40, 4, 31),
                                 .other = place_in_group(0x1d0, "ds_load_b32 v2, v1", 44, 5, -1),
                                 .message = "byte 4 of LDS is written while another reads it"};
    finding_compose(&v.finding);
    verdict_reason(&v, "run 1: race: %.600s", v.finding.text);
    return v;
}

static bool is_last_of_its_registration(const struct verdict *verdicts, size_t n, size_t index)
{
    for (size_t i = index + 1; i < n; i++)
        if (strcmp(verdicts[i].registration, verdicts[index].registration) == 0 &&
            strcmp(verdicts[i].chip, verdicts[index].chip) == 0)
            return false;
    return true;
}

struct report sample_report(const struct verdict *verdicts, size_t n, bool interrupted)
{
    struct report report = {0};
    struct error error = {0};
    struct counts counts = {0};
    assert_true(report_begin(&report, &environment, &error));
    struct verdict_sink sinks[] = {report_sink(&report), counts_sink(&counts)};
    enum status status = STATUS_OK;
    for (size_t i = 0; i < n; i++) {
        enum status exit = verdict_exit(&verdicts[i]);
        status = exit > status ? exit : status;
        for (size_t s = 0; s < sizeof sinks / sizeof *sinks; s++) {
            sinks[s].verdict(sinks[s].context, &verdicts[i]);
            if (is_last_of_its_registration(verdicts, n, i))
                sinks[s].registration_end(sinks[s].context,
                                          &(struct registration_end){.registration = verdicts[i].registration,
                                                                     .chip = verdicts[i].chip,
                                                                     .duration_ns = 2500000});
        }
    }
    report_end(&report, &counts, status, interrupted);
    if (!report_settle(&report, &error))
        fail_msg("%s", error.text);
    return report;
}

char *sample_written(report_writer *write, const struct report *report)
{
    char *text = NULL;
    size_t n_bytes = 0;
    struct error error = {0};
    FILE *out = open_memstream(&text, &n_bytes);
    assert_non_null(out);
    if (!write(out, report, &error))
        fail_msg("%s", error.text);
    fclose(out);
    return text;
}

size_t count_of(const char *text, const char *part)
{
    size_t n = 0;
    for (const char *at = strstr(text, part); at; at = strstr(at + 1, part))
        n++;
    return n;
}
