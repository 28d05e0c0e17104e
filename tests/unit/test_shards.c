/* Shards: every registration that is selected is in one of them, loads are as even as the dearest allows, the split is the
 * same wherever it is made, and its name tells another one. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "commands/shard.h"
#include "contract/base/file.h"
#include "contract/base/random.h"
#include "contract/shards.h"
#include "contract/work.h"
#include "reports/history.h"
#include "tests/support/fake_kernels.h"

enum { N_COSTS = 61, N_REGISTRATIONS = 4 };

static void draw_costs(double costs[N_COSTS], uint64_t seed)
{
    for (size_t i = 0; i < N_COSTS; i++)
        costs[i] = (double)(random_bits((struct random_key){seed}, i) % 1000 + 1);
}

/* The dearest first, each to the emptiest: when the last one went to the fullest shard, that had at most the mean. */
static void no_shard_is_over_the_mean_by_more_than_one_registration(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 50; seed++) {
        double costs[N_COSTS], loads[8] = {0}, sum = 0, dearest = 0;
        int shard_of[N_COSTS];
        draw_costs(costs, seed);
        assert_true(shards_split(costs, N_COSTS, 8, shard_of));
        for (size_t i = 0; i < N_COSTS; i++) {
            assert_in_range(shard_of[i], 1, 8);
            loads[shard_of[i] - 1] += costs[i];
            sum += costs[i];
            dearest = costs[i] > dearest ? costs[i] : dearest;
        }
        for (int shard = 0; shard < 8; shard++)
            assert_true(loads[shard] <= sum / 8 + dearest);
    }
}

static void what_is_not_selected_is_in_no_shard(void **state)
{
    (void)state;
    static const double costs[] = {5, -1, 3, 0, -1};
    int shard_of[5];
    assert_true(shards_split(costs, 5, 2, shard_of));
    static const int expected[] = {1, 0, 2, 2, 0};
    assert_memory_equal(shard_of, expected, sizeof expected);
}

static void equal_costs_go_round_in_their_order(void **state)
{
    (void)state;
    static const double costs[] = {1, 1, 1, 1, 1};
    static const int expected[] = {1, 2, 3, 1, 2};
    int shard_of[5];
    assert_true(shards_split(costs, 5, 3, shard_of));
    assert_memory_equal(shard_of, expected, sizeof expected);
}

static void more_shards_than_registrations_leave_some_empty(void **state)
{
    (void)state;
    static const double costs[] = {1, 2};
    static const int expected[] = {2, 1};
    int shard_of[2];
    assert_true(shards_split(costs, 2, 5, shard_of));
    assert_memory_equal(shard_of, expected, sizeof expected);
}

/* Four registrations of fake_dot: of one, two, three and four shapes. */
struct fixture {
    struct registration rows[N_REGISTRATIONS];
    const struct registration *list[N_REGISTRATIONS];
    struct registry registry;
    struct run_options options;
    struct arguments arguments;
    struct log_environment environment;
    struct arena arena;
    struct error error;
};

static void open_fixture(struct fixture *f)
{
    static const char *const names[] = {"a", "b", "c", "d"};
    *f = (struct fixture){.options = {.n_runs = 5},
                          .arguments = {.command = "gates", .shard = 1, .n_shards = 2},
                          .registry = {.registrations = f->list, .n_registrations = N_REGISTRATIONS}};
    for (size_t i = 0; i < N_REGISTRATIONS; i++) {
        f->rows[i] = fake_registration("dot");
        f->rows[i].name = names[i];
        f->rows[i].n_shapes = i % f->rows[i].n_shapes + 1;
        f->list[i] = &f->rows[i];
    }
}

static void choose(struct fixture *f, int shard, const struct log_environment *earlier)
{
    f->arguments.shard = shard;
    f->options.part = NULL;
    if (!shard_choose(&f->arguments, &f->registry, earlier, &f->arena, &f->options, &f->environment, &f->error))
        fail_msg("%s", f->error.text);
}

static void the_names_tell_the_split(void **state)
{
    (void)state;
    struct fixture f;
    open_fixture(&f);
    int one[] = {1, 2, 1, 2}, other[] = {1, 2, 2, 1};
    struct hash128 hash = shards_hash(&f.registry, one);
    assert_true(hash_equal(hash, shards_hash(&f.registry, one)));
    assert_false(hash_equal(hash, shards_hash(&f.registry, other)));
    f.rows[0].name = "z";
    assert_false(hash_equal(hash, shards_hash(&f.registry, one)));
}

static void an_estimate_grows_with_shapes_patterns_and_runs(void **state)
{
    (void)state;
    struct fixture f;
    open_fixture(&f);
    double one = shards_estimate(&f.registry, &f.options, 0), two = shards_estimate(&f.registry, &f.options, 1);
    double expected =
        work_of_case(&f.rows[0], &f.rows[0].shapes[0]) * __builtin_popcount(registration_patterns(&f.rows[0])) * 5;
    assert_true(one == expected);
    assert_true(two > one);
    f.options.n_runs = 10;
    assert_true(shards_estimate(&f.registry, &f.options, 0) == 2 * one);
}

static void the_shards_are_parts_of_what_is_selected(void **state)
{
    (void)state;
    struct fixture f;
    static const char *const only[] = {"[abc]"};
    open_fixture(&f);
    f.options.only = only;
    f.options.n_only = 1;
    int n_taken[N_REGISTRATIONS] = {0};
    const char *split = NULL;
    for (int shard = 1; shard <= 2; shard++) {
        choose(&f, shard, NULL);
        assert_true(!split || strcmp(split, f.environment.split) == 0);
        split = f.environment.split;
        for (size_t i = 0; i < N_REGISTRATIONS; i++)
            n_taken[i] += run_selects(&f.registry, &f.options, i);
    }
    static const int expected[] = {1, 1, 1, 0};
    assert_memory_equal(n_taken, expected, sizeof expected);
    assert_memory_equal(split, "estimate ", 9);
    arena_free(&f.arena);
}

/* A history of one run in which "a" took four seconds and "c" and "d" a microsecond; "b" was not measured. */
static void record_costs(const char *path, const struct log_environment *environment)
{
    struct error error = {0};
    static const struct registration_end ends[] = {
        {"a", "gfx1151", 4000000000, false}, {"c", "gfx1151", 1000, false}, {"d", "gfx1151", 1000, false}};
    struct history *history = history_open(path, HISTORY_RECORD, &error);
    assert_non_null(history);
    assert_true(history_begin(history, environment, &error));
    struct verdict_sink sink = history_sink(history);
    for (size_t i = 0; i < 3; i++) {
        struct verdict v = {.subject = SUBJECT_GATE, .gate = GATE_BYTES, .chip = "gfx1151"};
        snprintf(v.registration, sizeof v.registration, "%s", ends[i].registration);
        sink.verdict(sink.context, &v);
        sink.registration_end(sink.context, &ends[i]);
    }
    assert_true(history_finish(history, STATUS_OK, 0, &error));
    history_close(history);
}

static void measured_costs_count_before_estimates(void **state)
{
    (void)state;
    struct fixture f;
    char folder[] = "/tmp/hipcontract_test_XXXXXX", path[64];
    assert_non_null(mkdtemp(folder));
    snprintf(path, sizeof path, "%s/history.db", folder);
    open_fixture(&f);
    f.environment = (struct log_environment){.version = "0",
                                             .toolchain = "none",
                                             .compiler = "none",
                                             .device = "emulator",
                                             .scope = "default",
                                             .chips = "gfx1151",
                                             .n_runs = 5};
    record_costs(path, &f.environment);
    choose(&f, 1, NULL);
    assert_string_not_equal(f.environment.registrations, "a");
    f.arguments.costs = path;
    choose(&f, 1, NULL);
    assert_memory_equal(f.environment.split, "history ", 8);
    const char *first = f.environment.registrations;
    choose(&f, 2, NULL);
    const char *second = f.environment.registrations;
    assert_string_equal(*first == 'a' ? first : second, "a");
    assert_string_equal(*first == 'a' ? second : first, "b,c,d");
    arena_free(&f.arena);
    file_remove_tree(folder);
}

static void a_history_that_cannot_be_read_is_one_line(void **state)
{
    (void)state;
    struct fixture f;
    open_fixture(&f);
    f.arguments.costs = "/nonexistent/history.db";
    assert_false(shard_choose(&f.arguments, &f.registry, NULL, &f.arena, &f.options, &f.environment, &f.error));
    assert_int_equal(f.error.status, STATUS_USAGE);
    assert_memory_equal(f.error.text, "/nonexistent/history.db", 23);
    arena_free(&f.arena);
}

/* What costs are known may have changed since the run that is resumed. */
static void a_resumed_shard_is_that_of_its_log(void **state)
{
    (void)state;
    struct fixture f;
    const struct log_environment earlier = {.split = "history 12", .registrations = "a,d"};
    open_fixture(&f);
    choose(&f, 2, &earlier);
    assert_string_equal(f.environment.split, "history 12");
    assert_string_equal(f.environment.registrations, "a,d");
    for (size_t i = 0; i < N_REGISTRATIONS; i++)
        assert_int_equal(run_selects(&f.registry, &f.options, i), i == 0 || i == 3);
    const struct log_environment gone = {.split = "history 12", .registrations = "a,gone"};
    assert_false(shard_choose(&f.arguments, &f.registry, &gone, &f.arena, &f.options, &f.environment, &f.error));
    assert_int_equal(f.error.status, STATUS_USAGE);
    assert_non_null(strstr(f.error.text, "registration gone, which there is no more"));
    arena_free(&f.arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(no_shard_is_over_the_mean_by_more_than_one_registration),
        cmocka_unit_test(what_is_not_selected_is_in_no_shard),
        cmocka_unit_test(equal_costs_go_round_in_their_order),
        cmocka_unit_test(more_shards_than_registrations_leave_some_empty),
        cmocka_unit_test(the_names_tell_the_split),
        cmocka_unit_test(an_estimate_grows_with_shapes_patterns_and_runs),
        cmocka_unit_test(the_shards_are_parts_of_what_is_selected),
        cmocka_unit_test(measured_costs_count_before_estimates),
        cmocka_unit_test(a_history_that_cannot_be_read_is_one_line),
        cmocka_unit_test(a_resumed_shard_is_that_of_its_log),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
