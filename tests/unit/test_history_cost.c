/* What a registration costs, by the history: the median of the last runs that can be compared. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "tests/support/history_runs.h"

/* Times of other devices, scopes and files say nothing of these, nor does a run that took its verdicts over. */
static void cost_is_the_median_of_comparable_runs(void **state)
{
    const struct history_place *place = *state;
    const struct history_key key = {.registration = "k", .chip = "gfx1151", .device = "emulator", .scope = "quick"};
    struct log_environment other = history_environment;
    history_record_run(place->path, &history_environment, 30);
    assert_int_equal(history_ask_cost(place->path, &key), 30);
    history_record_run(place->path, &history_environment, 10);
    assert_int_equal(history_ask_cost(place->path, &key), 20);
    history_record_run(place->path, &history_environment, 11);
    assert_int_equal(history_ask_cost(place->path, &key), 11);
    history_record_run(place->path, &history_environment, 0);
    other.scope = "full";
    history_record_run(place->path, &other, 1000);
    other.scope = "quick", other.device = "rocm";
    history_record_run(place->path, &other, 1);
    other.device = "emulator", other.kernels = "mine.so";
    history_record_run(place->path, &other, 2);
    assert_int_equal(history_ask_cost(place->path, &key), 11);
    assert_int_equal(history_ask_cost(place->path,
                                      &(struct history_key){
                                          .registration = "k", .chip = "gfx1151", .device = "emulator", .scope = "full"}),
                     1000);
    assert_int_equal(history_ask_cost(place->path, &(struct history_key){.registration = "k",
                                                                         .chip = "gfx1151",
                                                                         .device = "emulator",
                                                                         .scope = "quick",
                                                                         .kernels = "mine.so"}),
                     2);
    assert_int_equal(history_ask_cost(place->path,
                                      &(struct history_key){
                                          .registration = "k", .chip = "gfx90a", .device = "emulator", .scope = "quick"}),
                     0);
}

/* The second shard has to make the split that the first made, though that one's times are recorded by now. */
static void cost_is_the_same_for_all_shards_of_a_run(void **state)
{
    const struct history_place *place = *state;
    struct history_key key = {.registration = "k",
                              .chip = "gfx1151",
                              .device = "emulator",
                              .scope = "quick",
                              .n_shards = 2,
                              .commit = history_environment.commit};
    struct log_environment shard = history_environment;
    history_record_run(place->path, &history_environment, 10);
    shard.shard = 1, shard.n_shards = 2;
    history_record_run(place->path, &shard, 1000);
    assert_int_equal(history_ask_cost(place->path, &key), 10);
    key.commit = "of another commit";
    assert_int_equal(history_ask_cost(place->path, &key), 505);
    key.commit = history_environment.commit, key.n_shards = 8;
    assert_int_equal(history_ask_cost(place->path, &key), 505);
    key.n_shards = 0;
    assert_int_equal(history_ask_cost(place->path, &key), 505);
    struct history_answer answer = history_ask(place->path, &history_all);
    assert_true(answer.runs[0].shard == 1 && answer.runs[0].n_shards == 2 && answer.runs[1].n_shards == 0);
    history_drop(&answer);
}

/* A kernel that became slower costs what it costs now. */
static void cost_forgets_what_is_long_ago(void **state)
{
    const struct history_place *place = *state;
    for (int i = 0; i < 2 * HISTORY_COST_RUNS; i++)
        history_record_run(place->path, &history_environment, i < HISTORY_COST_RUNS ? 5 : 900);
    assert_int_equal(history_ask_cost(place->path,
                                      &(struct history_key){
                                          .registration = "k", .chip = "gfx1151", .device = "emulator", .scope = "quick"}),
                     900);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        IN_HISTORY_PLACE(cost_is_the_median_of_comparable_runs),
        IN_HISTORY_PLACE(cost_is_the_same_for_all_shards_of_a_run),
        IN_HISTORY_PLACE(cost_forgets_what_is_long_ago),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
