/* The report model: what logs come to, alone and merged; what they must have alike; what is missing; the worst first; the
 * command that repeats a verdict. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "reports/log.h"
#include "reports/report.h"

enum { MOST_LOGS = 3 };

struct fixture {
    char paths[MOST_LOGS][64];
    size_t n_paths;
    struct report report;
    struct error error;
};

static const struct log_environment environment = {.version = "0",
                                                   .commit = "c1",
                                                   .toolchain = "none",
                                                   .compiler = "none",
                                                   .device = "emulator",
                                                   .chips = "gfx1151,gfx90a",
                                                   .scope = "default",
                                                   .checks = "mem init race sync wait",
                                                   .matrix_model = "chip",
                                                   .seed = 7,
                                                   .n_runs = 5,
                                                   .command = "contract"};

static struct log_environment shard_of(int shard, int n_shards)
{
    struct log_environment part = environment;
    part.shard = shard;
    part.n_shards = n_shards;
    return part;
}

static struct verdict gate_of(const char *registration, const char *chip, int gate, enum verdict_status status)
{
    struct verdict v = {.subject = SUBJECT_GATE,
                        .status = status,
                        .gate = gate,
                        .device = "emulator",
                        .shape = "1x33",
                        .pattern = "signed",
                        .n_compared = 33,
                        .duration_ns = 10,
                        .worst.index = -1};
    snprintf(v.registration, sizeof v.registration, "%s", registration);
    snprintf(v.chip, sizeof v.chip, "%s", chip);
    return v;
}

static struct verdict limit_of(const char *kernel, const char *chip, enum verdict_status status)
{
    struct verdict v = gate_of(kernel, chip, GATE_LIMITS, status);
    v.subject = SUBJECT_LIMIT;
    v.shape[0] = v.pattern[0] = v.device[0] = '\0';
    v.n_compared = 0;
    snprintf(v.reason, sizeof v.reason, "record current");
    return v;
}

static struct run_log begin_log(struct fixture *f, const struct log_environment *of)
{
    struct run_log log;
    char *path = f->paths[f->n_paths++];
    snprintf(path, sizeof f->paths[0], "/tmp/hipcontract_test_XXXXXX");
    close(mkstemp(path));
    assert_true(log_open(&log, path, of, &f->error));
    return log;
}

static void put(struct run_log *log, struct verdict v)
{
    log_sink(log).verdict(log, &v);
}

static void end(struct run_log *log, const char *registration, const char *chip)
{
    log_sink(log).registration_end(
        log, &(struct registration_end){.registration = registration, .chip = chip, .duration_ns = 30});
}

/* One registration with two gates and its end. */
static void put_kernel(struct run_log *log, const char *registration, const char *chip, enum verdict_status status)
{
    put(log, gate_of(registration, chip, GATE_BYTES, VERDICT_PASS));
    put(log, gate_of(registration, chip, GATE_BOUND, status));
    end(log, registration, chip);
}

static void end_log(struct fixture *f, struct run_log *log, enum status status, int64_t n_cells_run)
{
    struct counts counts = {0};
    struct chip_counts *row = counts_of(&counts, "gfx1151");
    row->n_cells_run = n_cells_run;
    row->gates_ns = 100;
    log_summary(log, &counts, status, status == STATUS_INTERRUPTED);
    assert_true(log_close(log, &f->error));
}

static bool read_logs(struct fixture *f)
{
    for (size_t i = 0; i < f->n_paths; i++)
        if (!report_add_log(&f->report, f->paths[i], &f->error))
            return false;
    return report_settle(&f->report, &f->error);
}

static void settle(struct fixture *f)
{
    if (!read_logs(f))
        fail_msg("%s", f->error.text);
}

static void refused(struct fixture *f, const char *says)
{
    assert_false(read_logs(f));
    assert_int_equal(f->error.status, STATUS_USAGE);
    if (!strstr(f->error.text, says))
        fail_msg("'%s' does not say '%s'", f->error.text, says);
}

static void release(struct fixture *f)
{
    report_free(&f->report);
    for (size_t i = 0; i < f->n_paths; i++)
        unlink(f->paths[i]);
}

static const struct report_kernel *kernel(const struct fixture *f, const char *registration, const char *chip)
{
    const struct report_kernel *found = report_find(&f->report, registration, chip);
    assert_non_null(found);
    return found;
}

static void kernels_come_by_chip_as_listed_then_by_name(void **state)
{
    (void)state;
    static const char *const expected[][2] = {{"a", "gfx1151"}, {"b", "gfx1151"}, {"a", "gfx90a"}, {"a", "gfx1030"}};
    struct fixture f = {0};
    struct run_log log = begin_log(&f, &environment);
    put_kernel(&log, "a", "gfx1030", VERDICT_PASS);
    put_kernel(&log, "a", "gfx90a", VERDICT_PASS);
    put_kernel(&log, "b", "gfx1151", VERDICT_PASS);
    put_kernel(&log, "a", "gfx1151", VERDICT_PASS);
    end_log(&f, &log, STATUS_OK, 0);
    settle(&f);
    assert_int_equal(f.report.n_kernels, 4);
    for (size_t i = 0; i < 4; i++) {
        assert_string_equal(f.report.kernels[i].registration, expected[i][0]);
        assert_string_equal(f.report.kernels[i].chip, expected[i][1]);
        assert_int_equal(f.report.kernels[i].n_verdicts, 2);
        assert_int_equal(f.report.kernels[i].verdicts_ns, 20);
        assert_int_equal(f.report.kernels[i].duration_ns, 30);
    }
    assert_string_equal(f.report.counts.chips[1].chip, "gfx90a");
    release(&f);
}

static void states_are_those_of_the_gravest_verdict(void **state)
{
    (void)state;
    static const struct {
        enum verdict_status status;
        enum report_state state;
    } rows[] = {{VERDICT_PASS, REPORT_PASS},          {VERDICT_KNOWN_FINDING, REPORT_KNOWN}, {VERDICT_FAIL, REPORT_FAIL},
                {VERDICT_EXPIRED, REPORT_FAIL},       {VERDICT_INVALID, REPORT_INVALID},     {VERDICT_NOT_RUN, REPORT_PASS},
                {VERDICT_LAUNCH_FAILED, REPORT_FAIL}, {VERDICT_EXCUSED, REPORT_PASS},        {VERDICT_DIED, REPORT_FAIL}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct fixture f = {0};
        struct run_log log = begin_log(&f, &environment);
        put_kernel(&log, "a", "gfx1151", rows[i].status);
        end_log(&f, &log, STATUS_OK, 0);
        settle(&f);
        assert_int_equal(kernel(&f, "a", "gfx1151")->state, rows[i].state);
        release(&f);
    }
}

/* Its limit makes a kernel red too, and one of a name that is no registration is a row of its own. */
static void limits_come_last_and_count(void **state)
{
    (void)state;
    struct fixture f = {0};
    struct run_log log = begin_log(&f, &environment);
    put_kernel(&log, "a", "gfx1151", VERDICT_PASS);
    put(&log, limit_of("a", "gfx1151", VERDICT_LIMIT_PROBLEM));
    put(&log, limit_of("other", "gfx1151", VERDICT_PASS));
    end_log(&f, &log, STATUS_RED, 0);
    settle(&f);
    const struct report_kernel *a = kernel(&f, "a", "gfx1151"), *other = kernel(&f, "other", "gfx1151");
    assert_int_equal(a->state, REPORT_FAIL);
    assert_int_equal(a->n_verdicts, 3);
    assert_int_equal(a->n_limits, 1);
    assert_int_equal(a->verdicts[2]->subject, SUBJECT_LIMIT);
    assert_false(a->has_limits_only);
    assert_true(other->has_limits_only);
    assert_int_equal(other->state, REPORT_PASS);
    assert_int_equal(f.report.counts.chips[0].n_limits, 2);
    assert_int_equal(f.report.counts.chips[0].n_kernels, 1);
    assert_int_equal(f.report.status, STATUS_RED);
    release(&f);
}

static void a_registration_that_a_chip_does_not_run_is_not_unfinished(void **state)
{
    (void)state;
    struct fixture f = {0};
    struct run_log log = begin_log(&f, &environment);
    struct verdict left_out = gate_of("a", "gfx1151", 0, VERDICT_NOT_RUN);
    left_out.shape[0] = '\0';
    put(&log, left_out);
    end_log(&f, &log, STATUS_OK, 0);
    settle(&f);
    assert_int_equal(kernel(&f, "a", "gfx1151")->state, REPORT_NOT_RUN);
    assert_int_equal(f.report.counts.chips[0].n_kernels, 0);
    assert_int_equal(f.report.counts.chips[0].n_kernels_left_out, 1);
    assert_int_equal(f.report.status, STATUS_OK);
    release(&f);
}

static void the_worst_verdict_is_the_one_nearest_to_its_bound(void **state)
{
    (void)state;
    static const double ratios[] = {0.25, 0.75, 0.5};
    struct fixture f = {0};
    struct run_log log = begin_log(&f, &environment);
    for (size_t i = 0; i < 3; i++) {
        struct verdict v = gate_of("a", "gfx1151", GATE_BOUND, VERDICT_PASS);
        v.worst_ratio = ratios[i];
        put(&log, v);
    }
    struct verdict control = gate_of("a", "gfx1151", GATE_BOUND, VERDICT_RED);
    control.subject = SUBJECT_CONTROL;
    control.worst_ratio = 1000;
    put(&log, control);
    end(&log, "a", "gfx1151");
    end_log(&f, &log, STATUS_OK, 0);
    settle(&f);
    assert_ptr_equal(kernel(&f, "a", "gfx1151")->worst, kernel(&f, "a", "gfx1151")->verdicts[1]);
    release(&f);
}

static void problems_come_worst_first(void **state)
{
    (void)state;
    static const struct {
        const char *registration;
        enum verdict_subject subject;
        enum verdict_status status;
        int gate;
        double ratio;
        int64_t n_wrong;
    } rows[] = {/* in the order that is expected, which names alone would not give */
                {"k0", SUBJECT_GATE, VERDICT_BUILD_FAILED, GATE_BYTES, 0, 0},
                {"m0", SUBJECT_GATE, VERDICT_DIED, GATE_BYTES, 0, 0},
                {"k1", SUBJECT_GATE, VERDICT_LAUNCH_FAILED, GATE_BYTES, 0, 0},
                {"k2", SUBJECT_GATE, VERDICT_INVALID, GATE_BOUND, 0, 0},
                {"k4", SUBJECT_GATE, VERDICT_FAIL, GATE_BYTES, 0, 9},
                {"k3", SUBJECT_GATE, VERDICT_FAIL, GATE_BYTES, 0, 2},
                {"k5", SUBJECT_GATE, VERDICT_FAIL, GATE_CLASSES, 0, 33},
                {"k8", SUBJECT_GATE, VERDICT_FAIL, GATE_BOUND, NAN, 1},
                {"k7", SUBJECT_GATE, VERDICT_FAIL, GATE_BOUND, 1e9, 1},
                {"k6", SUBJECT_GATE, VERDICT_EXPIRED, GATE_BOUND, 2, 33},
                {"k9", SUBJECT_CONTROL, VERDICT_MISS, GATE_BYTES, 0, 0},
                {"l0", SUBJECT_TOOTH, VERDICT_BLIND, GATE_BOUND, 0, 0},
                {"l1", SUBJECT_KNOWN, VERDICT_NOT_FOUND, GATE_BOUND, 0, 0},
                {"l2", SUBJECT_LIMIT, VERDICT_LIMIT_PROBLEM, GATE_LIMITS, 0, 0}};
    enum { N = sizeof rows / sizeof *rows };
    struct fixture f = {0};
    struct run_log log = begin_log(&f, &environment);
    for (size_t i = N; i-- > 0;) {
        struct verdict v = gate_of(rows[i].registration, "gfx1151", rows[i].gate, rows[i].status);
        v.subject = rows[i].subject;
        v.worst_ratio = rows[i].ratio;
        v.n_wrong = rows[i].n_wrong;
        put(&log, v);
        put(&log, gate_of(rows[i].registration, "gfx1151", GATE_EXACT, VERDICT_PASS));
        end(&log, rows[i].registration, "gfx1151");
    }
    end_log(&f, &log, STATUS_USAGE, 0);
    settle(&f);
    assert_int_equal(f.report.n_problems, N);
    for (size_t i = 0; i < N; i++)
        assert_string_equal(f.report.problems[i]->registration, rows[i].registration);
    assert_true(f.report.is_red);
    assert_int_equal(f.report.status, STATUS_USAGE);
    release(&f);
}

static void assert_same_reports(const struct report *a, const struct report *b)
{
    assert_int_equal(a->n_kernels, b->n_kernels);
    for (size_t i = 0; i < a->n_kernels; i++) {
        assert_string_equal(a->kernels[i].registration, b->kernels[i].registration);
        assert_string_equal(a->kernels[i].chip, b->kernels[i].chip);
        assert_int_equal(a->kernels[i].state, b->kernels[i].state);
        assert_int_equal(a->kernels[i].n_verdicts, b->kernels[i].n_verdicts);
        for (size_t v = 0; v < a->kernels[i].n_verdicts; v++)
            assert_memory_equal(a->kernels[i].verdicts[v], b->kernels[i].verdicts[v], sizeof(struct verdict));
    }
    assert_int_equal(a->n_problems, b->n_problems);
    for (size_t i = 0; i < a->n_problems; i++)
        assert_memory_equal(a->problems[i], b->problems[i], sizeof(struct verdict));
    assert_memory_equal(&a->counts, &b->counts, sizeof a->counts);
    assert_int_equal(a->status, b->status);
    assert_int_equal(a->n_notes, b->n_notes);
}

/* Two of four gate-5 cells are in each shard's summary; the kernel `shared` of record is judged in both. */
static void shards_merge_to_the_whole_run(void **state)
{
    (void)state;
    struct fixture whole = {0}, parts = {0};
    struct run_log log = begin_log(&whole, &environment);
    put_kernel(&log, "a", "gfx1151", VERDICT_PASS);
    put_kernel(&log, "b", "gfx1151", VERDICT_FAIL);
    put_kernel(&log, "c", "gfx1151", VERDICT_KNOWN_FINDING);
    put(&log, limit_of("shared", "gfx1151", VERDICT_PASS));
    end_log(&whole, &log, STATUS_RED, 3 * 2 + 3);
    struct log_environment second = shard_of(2, 2), first = shard_of(1, 2);
    log = begin_log(&parts, &second);
    put_kernel(&log, "b", "gfx1151", VERDICT_FAIL);
    put(&log, limit_of("shared", "gfx1151", VERDICT_PASS));
    end_log(&parts, &log, STATUS_RED, 2 + 1);
    log = begin_log(&parts, &first);
    put_kernel(&log, "a", "gfx1151", VERDICT_PASS);
    put_kernel(&log, "c", "gfx1151", VERDICT_KNOWN_FINDING);
    put(&log, limit_of("shared", "gfx1151", VERDICT_PASS));
    end_log(&parts, &log, STATUS_OK, 2 * 2 + 2);
    settle(&whole);
    settle(&parts);
    assert_int_equal(parts.report.counts.chips[0].gates_ns, 200);
    parts.report.counts.chips[0].gates_ns = whole.report.counts.chips[0].gates_ns;
    assert_int_equal(parts.report.counts.chips[0].n_cells_run, 9);
    assert_same_reports(&whole.report, &parts.report);
    release(&whole);
    release(&parts);
}

static void logs_of_other_runs_are_not_merged(void **state)
{
    (void)state;
    struct log_environment others[5];
    static const char *const says[] = {"they differ in the commit", "they differ in the seed",
                                       "they differ in the toolchain", "they differ in the number of shards",
                                       "they differ in the choice of --only"};
    for (size_t i = 0; i < 5; i++)
        others[i] = environment;
    others[0].commit = "c2";
    others[1].seed = 8;
    others[2].toolchain = "another";
    others[3].n_shards = 2;
    others[4].only = "a*";
    for (size_t i = 0; i < 5; i++) {
        struct fixture f = {0};
        struct run_log log = begin_log(&f, &environment);
        end_log(&f, &log, STATUS_OK, 0);
        log = begin_log(&f, &others[i]);
        end_log(&f, &log, STATUS_OK, 0);
        refused(&f, says[i]);
        release(&f);
    }
}

static void logs_that_overlap_are_not_merged(void **state)
{
    (void)state;
    struct fixture f = {0};
    struct log_environment first = shard_of(1, 2), second = shard_of(2, 2);
    struct run_log log = begin_log(&f, &first);
    put_kernel(&log, "a", "gfx1151", VERDICT_PASS);
    end_log(&f, &log, STATUS_OK, 0);
    log = begin_log(&f, &second);
    put_kernel(&log, "a", "gfx1151", VERDICT_PASS);
    end_log(&f, &log, STATUS_OK, 0);
    refused(&f, "overlap: both hold a on gfx1151");
    release(&f);
}

static void a_shard_that_is_missing_is_told_and_costs_the_status(void **state)
{
    (void)state;
    struct fixture f = {0};
    struct log_environment first = shard_of(1, 3), third = shard_of(3, 3);
    struct run_log log = begin_log(&f, &third);
    put_kernel(&log, "a", "gfx1151", VERDICT_PASS);
    end_log(&f, &log, STATUS_OK, 0);
    log = begin_log(&f, &first);
    put_kernel(&log, "b", "gfx1151", VERDICT_PASS);
    end_log(&f, &log, STATUS_OK, 0);
    settle(&f);
    assert_int_equal(f.report.n_notes, 1);
    assert_string_equal(f.report.notes[0], "shard 2 of 3 is missing: no log holds its part of gfx1151,gfx90a");
    assert_int_equal(f.report.status, STATUS_INTERRUPTED);
    assert_false(f.report.is_red);
    release(&f);
}

/* One matrix job a chip: chips are joined, and shards are looked for a list of chips. */
static void logs_of_different_chips_merge(void **state)
{
    (void)state;
    struct fixture f = {0};
    struct log_environment one = shard_of(1, 1), other = one;
    one.chips = "gfx1151";
    other.chips = "gfx90a";
    struct run_log log = begin_log(&f, &one);
    put_kernel(&log, "a", "gfx1151", VERDICT_PASS);
    end_log(&f, &log, STATUS_OK, 0);
    log = begin_log(&f, &other);
    put_kernel(&log, "a", "gfx90a", VERDICT_PASS);
    end_log(&f, &log, STATUS_OK, 0);
    settle(&f);
    assert_int_equal(f.report.n_notes, 0);
    assert_string_equal(f.report.environment.chips, "gfx1151,gfx90a");
    release(&f);
}

static void a_run_that_was_killed_is_told_with_what_it_left(void **state)
{
    (void)state;
    struct fixture f = {0};
    struct run_log log = begin_log(&f, &environment);
    put_kernel(&log, "a", "gfx1151", VERDICT_PASS);
    put(&log, gate_of("b", "gfx1151", GATE_BYTES, VERDICT_FAIL));
    fputs("{\"record\":\"verdict\",\"subj", log.file);
    assert_true(log_close(&log, &f.error));
    settle(&f);
    char expected[300];
    snprintf(expected, sizeof expected,
             "%s: the run was killed before its end, at b on gfx1151; `--resume %s` goes on from it", f.paths[0],
             f.paths[0]);
    assert_int_equal(f.report.n_notes, 1);
    assert_string_equal(f.report.notes[0], expected);
    assert_true(f.report.logs[0].is_cut);
    assert_int_equal(kernel(&f, "b", "gfx1151")->state, REPORT_UNFINISHED);
    assert_int_equal(f.report.counts.chips[0].n_kernels, 1);
    assert_int_equal(f.report.n_problems, 1);
    assert_int_equal(f.report.status, STATUS_INTERRUPTED);
    release(&f);
}

/* Where a registration is in a log twice, the last that has its end counts. */
static void the_last_finished_go_counts(void **state)
{
    (void)state;
    struct fixture f = {0};
    struct run_log log = begin_log(&f, &environment);
    put_kernel(&log, "a", "gfx1151", VERDICT_FAIL);
    put_kernel(&log, "a", "gfx1151", VERDICT_PASS);
    end(&log, "a", "gfx1151");
    put(&log, gate_of("a", "gfx1151", GATE_BYTES, VERDICT_FAIL));
    end_log(&f, &log, STATUS_OK, 0);
    settle(&f);
    assert_int_equal(f.report.n_kernels, 1);
    assert_int_equal(kernel(&f, "a", "gfx1151")->state, REPORT_PASS);
    assert_int_equal(f.report.counts.chips[0].n_kernels, 1);
    release(&f);
}

static void a_report_of_the_stream_is_that_of_its_log(void **state)
{
    (void)state;
    struct fixture f = {0};
    struct report live = {0};
    struct counts counts = {0};
    struct run_log log = begin_log(&f, &environment);
    assert_true(report_begin(&live, &environment, &f.error));
    struct verdict_stream stream = {0};
    stream_add(&stream, log_sink(&log));
    stream_add(&stream, counts_sink(&counts));
    stream_add(&stream, report_sink(&live));
    static const enum verdict_status statuses[] = {VERDICT_PASS, VERDICT_FAIL};
    for (size_t i = 0; i < 2; i++) {
        struct verdict v = gate_of(i ? "a" : "b", "gfx1151", GATE_BOUND, statuses[i]);
        stream_put(&stream, &v);
        stream_registration_end(&stream, &(struct registration_end){v.registration, v.chip, 30, false});
    }
    counts_limits(&counts, "gfx1151", 2, true);
    counts_of(&counts, "gfx1151")->gates_ns = 5;
    log_summary(&log, &counts, stream.worst, false);
    assert_true(log_close(&log, &f.error));
    report_end(&live, &counts, stream.worst, false);
    assert_true(report_settle(&live, &f.error));
    settle(&f);
    assert_same_reports(&live, &f.report);
    assert_int_equal(live.counts.chips[0].n_cells_run, counts.chips[0].n_cells_run);
    assert_int_equal(live.counts.chips[0].n_cells_not_run, counts.chips[0].n_cells_not_run);
    report_free(&live);
    release(&f);
}

static void assert_repro(const struct report *report, struct verdict v, const char *expected)
{
    struct arena arena = {0};
    assert_string_equal(report_repro(report, &v, &arena), expected);
    arena_free(&arena);
}

static void each_verdict_has_the_command_that_repeats_it(void **state)
{
    (void)state;
    struct report report = {.environment = environment};
    struct verdict v = gate_of("a", "gfx90a", GATE_BYTES, VERDICT_FAIL);
    v.schedule = 0x2f;
    assert_repro(&report, v,
                 "hipcontract run a --shape 1x33 --pattern signed --chip gfx90a --seed 7 --runs 5 --schedule 0x2f");
    v.schedule = 0;
    snprintf(v.name, sizeof v.name, "rows it's");
    assert_repro(&report, v, "hipcontract run a --bytes 'rows it'\\''s' --chip gfx90a --seed 7 --runs 5");
    snprintf(v.name, sizeof v.name, "wave size");
    assert_repro(&report, v, "hipcontract run a --shape 1x33 --pattern signed --chip gfx90a --seed 7 --runs 5");
    v.subject = SUBJECT_CONTROL;
    assert_repro(&report, v, "hipcontract gates --only a --chip gfx90a --seed 7 --runs 5");
    report.environment.scope = "quick";
    assert_repro(&report, v, "hipcontract gates --only a --quick --chip gfx90a --seed 7 --runs 5");
    assert_repro(&report, limit_of("a", "gfx90a", VERDICT_LIMIT_PROBLEM), "hipcontract limits --only a --chip gfx90a");
}

/* What the run was asked for otherwise than by default is asked for again. */
static void a_command_asks_for_what_the_run_was_asked_for(void **state)
{
    (void)state;
    struct report report = {.environment = environment};
    struct verdict v = gate_of("a", "gfx90a", GATE_BOUND, VERDICT_FAIL);
    report.environment.checks = "mem sync";
    report.environment.matrix_model = "ieee";
    report.environment.n_devices = 3;
    report.environment.kernels = "./a.so,b c.so";
    assert_repro(&report, v,
                 "hipcontract run a --shape 1x33 --pattern signed --kernels ./a.so --kernels 'b c.so' --chip gfx90a "
                 "--seed 7 --runs 5 --check mem,sync --matrix-model ieee --device-count 3");
    report.environment = environment;
    report.environment.device = "rocm";
    report.environment.checks = report.environment.matrix_model = NULL;
    assert_repro(&report, v,
                 "hipcontract run a --shape 1x33 --pattern signed --chip gfx90a --seed 7 --runs 5 --device rocm");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(kernels_come_by_chip_as_listed_then_by_name),
        cmocka_unit_test(states_are_those_of_the_gravest_verdict),
        cmocka_unit_test(limits_come_last_and_count),
        cmocka_unit_test(a_registration_that_a_chip_does_not_run_is_not_unfinished),
        cmocka_unit_test(the_worst_verdict_is_the_one_nearest_to_its_bound),
        cmocka_unit_test(problems_come_worst_first),
        cmocka_unit_test(shards_merge_to_the_whole_run),
        cmocka_unit_test(logs_of_other_runs_are_not_merged),
        cmocka_unit_test(logs_that_overlap_are_not_merged),
        cmocka_unit_test(a_shard_that_is_missing_is_told_and_costs_the_status),
        cmocka_unit_test(logs_of_different_chips_merge),
        cmocka_unit_test(a_run_that_was_killed_is_told_with_what_it_left),
        cmocka_unit_test(the_last_finished_go_counts),
        cmocka_unit_test(a_report_of_the_stream_is_that_of_its_log),
        cmocka_unit_test(each_verdict_has_the_command_that_repeats_it),
        cmocka_unit_test(a_command_asks_for_what_the_run_was_asked_for),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
