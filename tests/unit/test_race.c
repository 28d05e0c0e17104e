/*
 * The race check on accesses made by hand: which pairs race, what orders them, byte by byte, within a workgroup and between
 * workgroups. A random history is held to a model that compares every access with every earlier one.
 */
#include <limits.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "contract/base/random.h"
#include "device/emulator/memory_order.h"
#include "device/emulator/sanitizer/checks.h"
#include "device/emulator/sanitizer/race.h"
#include "tests/support/group_runner.h"
#include "tests/support/wave_runner.h"

enum { N_WAVES = 4 };

/* Instructions that stand for the accesses' own: a finding names them. */
enum { AT_STORE, AT_LOAD, AT_ATOMIC, AT_LDS_STORE, AT_LDS_LOAD, AT_LDS_ATOMIC, AT_COHERENT_LOAD };
static const char code_text[] = "global_store_b32 v0, v1, s[0:1]\n"
                                "global_load_b32 v1, v0, s[0:1]\n"
                                "global_atomic_add_u32 v0, v1, s[0:1]\n"
                                "ds_store_b32 v0, v1\n"
                                "ds_load_b32 v1, v0\n"
                                "ds_add_u32 v0, v1\n"
                                "global_load_b32 v1, v0, s[0:1] glc\n"
                                "s_endpgm\n";

struct bench {
    struct group_runner *runner;
    struct group_checks *checks;
    uint64_t memory; /* guest address of 4096 bytes */
};

static void start_group(struct bench *bench, uint32_t rank)
{
    bench->runner->group.rank = rank;
    bench->runner->group.id[0] = rank;
    sanitizer_group_start(&bench->runner->group, bench->checks, NULL);
}

static struct bench open_bench(void)
{
    struct bench bench;
    uint8_t *bytes;
    size_t n_bytes;
    struct error error;
    assert_true(wave_runner_assemble("gfx1151", 32, code_text, &bytes, &n_bytes));
    struct group_launch launch = {
        .chip = "gfx1151", .n_lanes = 32, .n_items = 32 * N_WAVES, .code = bytes, .code_bytes = n_bytes, .lds_bytes = 4096};
    bench.runner = group_runner_open(&launch, &error);
    free(bytes);
    assert_non_null(bench.runner);
    bench.runner->dispatch.grid[0] = bench.runner->dispatch.grid[1] = bench.runner->dispatch.grid[2] = 16;
    bench.runner->dispatch.checks_wanted = 1u << FINDING_RACE;
    bench.memory = group_runner_allocate(bench.runner, 4096, "shared");
    assert_true(sanitizer_dispatch_open(&bench.runner->dispatch));
    assert_true(sanitizer_group_open(&bench.runner->dispatch, N_WAVES, &bench.checks));
    start_group(&bench, 0);
    return bench;
}

static void close_bench(struct bench *bench)
{
    sanitizer_group_close(bench->checks);
    sanitizer_dispatch_close(&bench->runner->dispatch);
    bench->runner->group.checks = NULL;
    group_runner_close(bench->runner);
}

static void end_group(struct bench *bench)
{
    sanitizer_group_end(&bench->runner->group);
}

static uint32_t n_findings(const struct bench *bench)
{
    return bench->runner->dispatch.n_findings_seen;
}

/* One lane touches n_bytes of LDS at byte, or of memory where the instruction is global. */
static void touch(struct bench *bench, unsigned wave, int instruction, uint64_t byte, uint32_t n_bytes)
{
    static const enum access_kind kinds[] = {
        [AT_STORE] = ACCESS_STORE,       [AT_LOAD] = ACCESS_LOAD,     [AT_ATOMIC] = ACCESS_ATOMIC,
        [AT_LDS_STORE] = ACCESS_STORE,   [AT_LDS_LOAD] = ACCESS_LOAD, [AT_LDS_ATOMIC] = ACCESS_ATOMIC,
        [AT_COHERENT_LOAD] = ACCESS_LOAD};
    bool lds = instruction >= AT_LDS_STORE && instruction <= AT_LDS_ATOMIC;
    uint64_t bytes[64] = {[3] = lds ? byte : bench->memory + byte};
    struct access_record record = {.space = lds ? ACCESS_LDS : ACCESS_GLOBAL,
                                   .kind = (uint8_t)kinds[instruction],
                                   .n_bytes = n_bytes,
                                   .lanes = 1u << 3,
                                   .bytes = bytes};
    struct wave *by = &bench->runner->group.waves[wave];
    by->current = &bench->runner->code.instructions[instruction];
    sanitizer_access(by, &record);
}

static void barrier(struct bench *bench)
{
    sanitizer_barrier(&bench->runner->group);
}

struct step {
    int wave, instruction;
    uint32_t byte, n_bytes;
};
enum { BARRIER = -1 };

/* How many findings a history of LDS and memory accesses gives; it ends with a step of 0 bytes that is no barrier. */
static uint32_t findings_of(const struct step *steps)
{
    struct bench bench = open_bench();
    for (const struct step *step = steps; step->n_bytes || step->wave == BARRIER; step++) {
        if (step->wave == BARRIER)
            barrier(&bench);
        else
            touch(&bench, (unsigned)step->wave, step->instruction, step->byte, step->n_bytes);
    }
    end_group(&bench);
    uint32_t n = n_findings(&bench);
    close_bench(&bench);
    return n;
}

#define HISTORY(...) findings_of((const struct step[]){__VA_ARGS__, {0}})

static void writes_and_reads_of_two_waves_race(void **state)
{
    (void)state;
    assert_int_equal(HISTORY({0, AT_LDS_STORE, 64, 4}, {1, AT_LDS_STORE, 64, 4}), 1);
    assert_int_equal(HISTORY({0, AT_LDS_STORE, 64, 4}, {1, AT_LDS_LOAD, 64, 4}), 1);
    assert_int_equal(HISTORY({0, AT_LDS_LOAD, 64, 4}, {1, AT_LDS_STORE, 64, 4}), 1);
    assert_int_equal(HISTORY({0, AT_STORE, 64, 4}, {1, AT_STORE, 64, 4}), 1);
    assert_int_equal(HISTORY({0, AT_STORE, 64, 4}, {1, AT_LOAD, 64, 4}), 1);
    assert_int_equal(HISTORY({2, AT_LOAD, 64, 4}, {1, AT_LOAD, 64, 4}, {1, AT_STORE, 64, 4}), 1);
}

static void reads_and_one_waves_own_accesses_do_not_race(void **state)
{
    (void)state;
    assert_int_equal(HISTORY({0, AT_LDS_LOAD, 64, 4}, {1, AT_LDS_LOAD, 64, 4}, {2, AT_LDS_LOAD, 64, 4}), 0);
    assert_int_equal(HISTORY({0, AT_LDS_STORE, 64, 4}, {0, AT_LDS_LOAD, 64, 4}, {0, AT_LDS_STORE, 64, 4}), 0);
    assert_int_equal(HISTORY({0, AT_LDS_STORE, 64, 4}, {1, AT_STORE, 64, 4}), 0); /* LDS and memory are apart */
}

/* Waves that store halves or bytes of one dword are everyday; one byte further they race. */
static void bytes_are_told_apart(void **state)
{
    (void)state;
    assert_int_equal(HISTORY({0, AT_LDS_STORE, 64, 2}, {1, AT_LDS_STORE, 66, 2}, {2, AT_LDS_LOAD, 68, 16}), 0);
    assert_int_equal(HISTORY({0, AT_LDS_STORE, 64, 3}, {1, AT_LDS_STORE, 66, 1}), 1);
    assert_int_equal(HISTORY({0, AT_LDS_STORE, 0, 16}, {1, AT_LDS_STORE, 15, 1}), 1);
    assert_int_equal(HISTORY({0, AT_LDS_STORE, 508, 8}, {1, AT_LDS_LOAD, 512, 4}), 1);
    assert_int_equal(HISTORY({0, AT_LDS_STORE, 508, 4}, {1, AT_LDS_STORE, 512, 4}), 0);
}

static void a_barrier_orders_what_lies_on_its_two_sides(void **state)
{
    (void)state;
    assert_int_equal(HISTORY({0, AT_LDS_STORE, 64, 4}, {BARRIER, 0, 0, 0}, {1, AT_LDS_LOAD, 64, 4}, {BARRIER, 0, 0, 0},
                             {2, AT_LDS_STORE, 64, 4}),
                     0);
    assert_int_equal(
        HISTORY({0, AT_LDS_STORE, 64, 4}, {BARRIER, 0, 0, 0}, {1, AT_LDS_LOAD, 64, 4}, {2, AT_LDS_STORE, 64, 4}), 1);
}

/* Readers that a barrier has ordered must not hide one that came after it. */
static void a_late_reader_among_ordered_ones_is_found(void **state)
{
    (void)state;
    assert_int_equal(HISTORY({0, AT_LDS_LOAD, 8, 4}, {1, AT_LDS_LOAD, 8, 4}, {BARRIER, 0, 0, 0}, {2, AT_LDS_LOAD, 8, 4},
                             {3, AT_LDS_STORE, 8, 4}),
                     1);
}

static void atomics_race_with_plain_accesses_only(void **state)
{
    (void)state;
    assert_int_equal(HISTORY({0, AT_LDS_ATOMIC, 8, 4}, {1, AT_LDS_ATOMIC, 8, 4}, {2, AT_LDS_ATOMIC, 8, 4}), 0);
    assert_int_equal(HISTORY({0, AT_ATOMIC, 8, 4}, {1, AT_ATOMIC, 8, 4}), 0);
    assert_int_equal(HISTORY({0, AT_LDS_STORE, 8, 4}, {1, AT_LDS_ATOMIC, 8, 4}), 1);
    assert_int_equal(HISTORY({0, AT_LDS_ATOMIC, 8, 4}, {1, AT_LDS_LOAD, 8, 4}), 1);
    assert_int_equal(HISTORY({0, AT_ATOMIC, 8, 4}, {1, AT_LOAD, 8, 4}), 1);
}

/* old = *at; do old = atomicCAS(at, …) while …: everyday code, whose first load is a guess. */
static void the_guess_of_a_compare_and_swap_loop_is_no_race(void **state)
{
    (void)state;
    assert_int_equal(HISTORY({0, AT_LOAD, 8, 4}, {0, AT_ATOMIC, 8, 4}, {1, AT_LOAD, 8, 4}, {1, AT_ATOMIC, 8, 4}), 0);
    assert_int_equal(HISTORY({0, AT_LOAD, 8, 4}, {1, AT_LOAD, 8, 4}, {0, AT_ATOMIC, 8, 4}, {1, AT_ATOMIC, 8, 4}), 0);
    assert_int_equal(HISTORY({0, AT_LOAD, 8, 4}, {0, AT_ATOMIC, 8, 4}, {1, AT_LOAD, 8, 4}, {1, AT_ATOMIC, 16, 4}), 1);
    assert_int_equal(HISTORY({0, AT_LOAD, 8, 4}, {0, AT_ATOMIC, 8, 4}, {1, AT_LOAD, 8, 4}), 1);
}

/* Two waves, one after the other, guess at many addresses and update all of them; the second may leave one out. */
static uint32_t findings_of_guesses(unsigned never_updated)
{
    enum { N_GUESSED = 100, LAST_WAVE = 2 };
    struct bench bench = open_bench();
    for (unsigned i = 0; i < N_GUESSED; i++)
        touch(&bench, 0, AT_ATOMIC, 8 * i, 4);
    for (unsigned wave = 1; wave <= LAST_WAVE; wave++) {
        for (unsigned i = 0; i < N_GUESSED; i++)
            touch(&bench, wave, AT_LOAD, 8 * i, 4);
        for (unsigned i = 0; i < N_GUESSED; i++)
            if (i != never_updated || wave < LAST_WAVE)
                touch(&bench, wave, AT_ATOMIC, 8 * i, 4);
    }
    end_group(&bench);
    uint32_t n = n_findings(&bench);
    close_bench(&bench);
    return n;
}

static void of_many_guesses_the_one_that_is_never_updated_is_a_race(void **state)
{
    (void)state;
    assert_int_equal(findings_of_guesses(UINT_MAX), 0);
    for (unsigned never_updated = 0; never_updated < 100; never_updated += 33)
        assert_int_equal(findings_of_guesses(never_updated), 1);
}

/* A wave that polls with a plain load is one guess, however often it looks; and its storage serves the next group. */
static void a_loop_of_loads_holds_one_guess(void **state)
{
    (void)state;
    struct bench bench = open_bench();
    for (unsigned group = 0; group < 2; group++) {
        start_group(&bench, group);
        touch(&bench, 0, AT_LDS_ATOMIC, 8, 4);
        for (unsigned i = 0; i < 1000; i++)
            touch(&bench, 1, AT_LDS_LOAD, 8, 4);
        assert_int_equal(bench.checks->race->guesses.n_held, 1);
        assert_int_equal(bench.checks->race->guesses.n_used, 1);
        end_group(&bench);
        assert_int_equal(n_findings(&bench), group + 1);
    }
    close_bench(&bench);
}

/* The host ran out of memory for a group that had not begun when the launch was abandoned. */
static void a_group_without_memory_says_what_to_do(void **state)
{
    (void)state;
    struct bench bench = open_bench();
    bench.checks->race->out_of_memory = true;
    end_group(&bench);
    assert_int_equal(n_findings(&bench), 1);
    assert_non_null(strstr(bench.runner->findings[0].text, "--no-check race"));
    close_bench(&bench);
}

/* Data, then the flag; the flag, then the data. */
static void atomics_publish_what_came_before_them(void **state)
{
    (void)state;
    assert_int_equal(HISTORY({0, AT_STORE, 256, 4}, {0, AT_ATOMIC, 8, 4}, {1, AT_ATOMIC, 8, 4}, {1, AT_LOAD, 256, 4}), 0);
    assert_int_equal(
        HISTORY({0, AT_LDS_STORE, 256, 4}, {0, AT_LDS_ATOMIC, 8, 4}, {1, AT_LDS_ATOMIC, 8, 4}, {1, AT_LDS_LOAD, 256, 4}),
        0);
    /* through a third wave */
    assert_int_equal(HISTORY({0, AT_STORE, 256, 4}, {0, AT_ATOMIC, 8, 4}, {1, AT_ATOMIC, 8, 4}, {1, AT_ATOMIC, 16, 4},
                             {2, AT_ATOMIC, 16, 4}, {2, AT_LOAD, 256, 4}),
                     0);
}

static void what_an_atomic_does_not_publish_races(void **state)
{
    (void)state;
    /* the flag is raised before the data is there */
    assert_int_equal(HISTORY({0, AT_ATOMIC, 8, 4}, {0, AT_STORE, 256, 4}, {1, AT_ATOMIC, 8, 4}, {1, AT_LOAD, 256, 4}), 1);
    /* the data is read before the flag */
    assert_int_equal(HISTORY({0, AT_STORE, 256, 4}, {0, AT_ATOMIC, 8, 4}, {1, AT_LOAD, 256, 4}, {1, AT_ATOMIC, 8, 4}), 1);
    /* another flag */
    assert_int_equal(HISTORY({0, AT_STORE, 256, 4}, {0, AT_ATOMIC, 8, 4}, {1, AT_ATOMIC, 16, 4}, {1, AT_LOAD, 256, 4}), 1);
}

/* gfx9 to gfx11 compile an atomic store to a plain one: a poll of it by an atomic load is no race, and orders. */
static void a_coherent_load_of_a_plain_store_is_a_flag(void **state)
{
    (void)state;
    assert_int_equal(HISTORY({0, AT_STORE, 256, 4}, {0, AT_STORE, 8, 4}, {1, AT_COHERENT_LOAD, 8, 4}, {1, AT_LOAD, 256, 4}),
                     0);
    assert_int_equal(HISTORY({0, AT_STORE, 256, 4}, {0, AT_STORE, 8, 4}, {1, AT_LOAD, 8, 4}), 1);
}

/* gfx12: what a wave does between its signal and its wait is in no order with the others. */
static void the_middle_of_a_split_barrier_is_unordered(void **state)
{
    (void)state;
    struct bench bench = open_bench();
    struct chip gfx12 = *bench.runner->group.waves[0].chip;
    gfx12.family = CHIP_RDNA4;
    bench.runner->group.waves[0].chip = &gfx12;
    static const struct instruction signal = {.ordering = MEMORY_SIGNALS}, wait = {.ordering = MEMORY_WAITS};
    touch(&bench, 0, AT_LDS_STORE, 8, 4);
    for (unsigned wave = 0; wave < N_WAVES; wave++)
        race_before(&bench.runner->group.waves[wave], &signal);
    touch(&bench, 0, AT_LDS_STORE, 16, 4);
    bench.runner->group.waves[1].state = WAVE_AT_BARRIER;
    barrier(&bench);
    touch(&bench, 1, AT_LDS_LOAD, 8, 4);
    assert_int_equal(n_findings(&bench), 0);
    touch(&bench, 1, AT_LDS_LOAD, 16, 4); /* wave 0 stored this after its signal */
    assert_int_equal(n_findings(&bench), 1);
    touch(&bench, 2, AT_LDS_STORE, 8, 4); /* wave 2 has not come to its wait: races with wave 0's store and 1's load */
    assert_int_equal(n_findings(&bench), 3);
    race_before(&bench.runner->group.waves[3], &wait);
    touch(&bench, 3, AT_LDS_STORE, 4, 4);
    touch(&bench, 3, AT_LDS_ATOMIC, 8, 4); /* races with wave 2's store only */
    assert_int_equal(n_findings(&bench), 4);
    close_bench(&bench);
}

static void both_parties_are_named(void **state)
{
    (void)state;
    struct bench bench = open_bench();
    uint64_t bytes[64];
    for (int lane = 0; lane < 32; lane++)
        bytes[lane] = 128 + 4 * (uint64_t)lane;
    struct access_record record = {
        .space = ACCESS_LDS, .kind = ACCESS_STORE, .n_bytes = 4, .lanes = UINT32_MAX, .bytes = bytes};
    struct wave *by = &bench.runner->group.waves[2];
    by->current = &bench.runner->code.instructions[AT_LDS_STORE];
    sanitizer_access(by, &record);
    touch(&bench, 1, AT_LDS_LOAD, 128 + 4 * 21 + 2, 1);
    assert_int_equal(n_findings(&bench), 1);
    const struct finding *finding = &bench.runner->findings[0];
    assert_int_equal(finding->kind, FINDING_RACE);
    assert_int_equal(finding->place.wave, 1);
    assert_int_equal(finding->place.lane, 3);
    assert_true(finding->has_other);
    assert_int_equal(finding->other.wave, 2);
    assert_int_equal(finding->other.lane, 21);
    assert_non_null(strstr(finding->other.instruction, "ds_store_b32"));
    assert_non_null(strstr(finding->text, "LDS byte 0xd6"));
    close_bench(&bench);
}

/* Groups 0 and 1 touch one byte of memory. */
static uint32_t findings_between_groups(int first, int second)
{
    struct bench bench = open_bench();
    touch(&bench, 3, first, 100, 4);
    end_group(&bench);
    start_group(&bench, 1);
    touch(&bench, 3, second, 103, 1);
    end_group(&bench);
    uint32_t n = n_findings(&bench);
    if (n) {
        assert_int_equal(bench.runner->findings[0].place.workgroup[0], 1);
        assert_int_equal(bench.runner->findings[0].other.workgroup[0], 0);
        assert_non_null(strstr(bench.runner->findings[0].text, "shared"));
    }
    close_bench(&bench);
    return n;
}

static void workgroups_race_by_memory(void **state)
{
    (void)state;
    assert_int_equal(findings_between_groups(AT_STORE, AT_STORE), 1);
    assert_int_equal(findings_between_groups(AT_STORE, AT_LOAD), 1);
    assert_int_equal(findings_between_groups(AT_LOAD, AT_STORE), 1);
    assert_int_equal(findings_between_groups(AT_ATOMIC, AT_STORE), 1);
    assert_int_equal(findings_between_groups(AT_LOAD, AT_LOAD), 0);
    assert_int_equal(findings_between_groups(AT_ATOMIC, AT_ATOMIC), 0);
    assert_int_equal(findings_between_groups(AT_LDS_STORE, AT_LDS_STORE), 0);
}

/* All groups read, then one writes: it may be one of the two whose reads the shadow keeps. */
static void a_group_that_reads_with_others_and_writes_is_found(void **state)
{
    (void)state;
    for (uint32_t writer = 0; writer < 4; writer++) {
        struct bench bench = open_bench();
        for (uint32_t rank = 0; rank < 4; rank++) {
            if (rank)
                start_group(&bench, rank);
            touch(&bench, 0, AT_LOAD, 8, 4);
            if (rank == writer)
                touch(&bench, 0, AT_STORE, 8, 4);
            end_group(&bench);
        }
        assert_true(n_findings(&bench) > 0);
        close_bench(&bench);
    }
}

static struct race_stamp access_of(uint32_t group, uint32_t clock)
{
    return (struct race_stamp){.group = group, .clock = clock, .wave = 0};
}

static void pass_on(struct race_flags *flags, uint64_t address, uint32_t group, uint32_t clock)
{
    struct race_stamp by = access_of(group, clock);
    assert_true(race_flags_acquire(flags, race_flags_look(flags, address), &by));
}

static void publish(struct race_flags *flags, uint64_t address, uint32_t group, uint32_t clock)
{
    struct race_stamp by = access_of(group, clock);
    assert_true(race_flags_release(flags, address, &by, 0));
}

static bool ordered(struct race_flags *flags, struct race_stamp before, struct race_stamp after)
{
    return race_flags_ordered(flags, &before, &after);
}

/* Group 0 releases at its clock 5, group 1 acquires that at its clock 3 and releases at 4, group 2 acquires that at 7. */
static void releases_and_acquires_order_groups_along_a_chain(void **state)
{
    (void)state;
    struct race_flags *flags = race_flags_open();
    assert_non_null(flags);
    publish(flags, 0x100, 0, 5);
    pass_on(flags, 0x100, 1, 3);
    publish(flags, 0x200, 1, 4);
    pass_on(flags, 0x200, 2, 7);
    assert_true(ordered(flags, access_of(0, 5), access_of(1, 3)));
    assert_true(ordered(flags, access_of(0, 5), access_of(2, 7)));
    assert_false(ordered(flags, access_of(0, 6), access_of(1, 9))); /* after the release */
    assert_false(ordered(flags, access_of(0, 6), access_of(2, 9)));
    assert_false(ordered(flags, access_of(0, 5), access_of(1, 2))); /* before the acquire */
    assert_false(ordered(flags, access_of(0, 5), access_of(2, 6)));
    assert_false(ordered(flags, access_of(2, 1), access_of(0, 9))); /* never back */
    assert_false(ordered(flags, access_of(3, 1), access_of(2, 9)));
    publish(flags, 0x200, 3, 9);
    assert_false(ordered(flags, access_of(3, 1), access_of(2, 9))); /* released after group 2 looked */
    race_flags_close(flags);
}

struct event {
    unsigned wave, phase;
    uint32_t byte, n_bytes;
    bool writes;
};

static bool events_race(const struct event *a, const struct event *b)
{
    return a->wave != b->wave && a->phase == b->phase && (a->writes || b->writes) && a->byte < b->byte + b->n_bytes &&
           b->byte < a->byte + a->n_bytes;
}

/* The model: every access against all earlier ones. The first access that races must be the one that reports. */
static void a_random_history_races_where_the_model_says(void **state)
{
    (void)state;
    unsigned n_racy = 0;
    for (uint64_t seed = 0; seed < 300; seed++) {
        struct random_key key = random_key_for(seed, "race history");
        struct bench bench = open_bench();
        struct event events[64];
        unsigned phase = 0;
        bool raced = false;
        for (unsigned i = 0; i < 64 && !raced; i++) {
            uint64_t bits = random_bits(key, i);
            struct event *event = &events[i];
            uint32_t n_bytes = 1u << (bits & 3), range = 256;
            *event = (struct event){.wave = bits >> 8 & 3, .n_bytes = n_bytes, .writes = (bits >> 16 & 7) == 0};
            event->byte = 480 + (uint32_t)(bits >> 24) % range;
            if ((bits >> 56 & 7) == 0) {
                barrier(&bench);
                phase++;
            }
            event->phase = phase;
            for (unsigned j = 0; j < i; j++)
                raced |= events_race(event, &events[j]);
            touch(&bench, event->wave, event->writes ? AT_LDS_STORE : AT_LDS_LOAD, event->byte, event->n_bytes);
            assert_int_equal(n_findings(&bench) > 0, raced);
        }
        n_racy += raced;
        close_bench(&bench);
    }
    assert_in_range(n_racy, 30, 270);
}

static void an_index_table_knows_what_was_set_since_it_was_cleared(void **state)
{
    (void)state;
    enum { N_NUMBERS = 1000 };
    struct index_table table = {0};
    for (uint32_t round = 0; round < 3; round++) {
        index_table_clear(&table);
        for (uint32_t i = 0; i < N_NUMBERS; i++) {
            assert_int_equal(index_table_find(&table, i * 512), INDEX_NONE);
            assert_true(index_table_set(&table, i * 512, i));
        }
        assert_true(index_table_set(&table, 512, 7 + round));
        assert_int_equal(table.n, N_NUMBERS);
        for (uint32_t i = 0; i < N_NUMBERS; i++)
            assert_int_equal(index_table_find(&table, i * 512), i == 1 ? 7 + round : i);
    }
    index_table_free(&table);
    assert_int_equal(index_table_find(&table, 512), INDEX_NONE);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(writes_and_reads_of_two_waves_race),
        cmocka_unit_test(reads_and_one_waves_own_accesses_do_not_race),
        cmocka_unit_test(bytes_are_told_apart),
        cmocka_unit_test(a_barrier_orders_what_lies_on_its_two_sides),
        cmocka_unit_test(a_late_reader_among_ordered_ones_is_found),
        cmocka_unit_test(atomics_race_with_plain_accesses_only),
        cmocka_unit_test(the_guess_of_a_compare_and_swap_loop_is_no_race),
        cmocka_unit_test(of_many_guesses_the_one_that_is_never_updated_is_a_race),
        cmocka_unit_test(a_loop_of_loads_holds_one_guess),
        cmocka_unit_test(a_group_without_memory_says_what_to_do),
        cmocka_unit_test(an_index_table_knows_what_was_set_since_it_was_cleared),
        cmocka_unit_test(atomics_publish_what_came_before_them),
        cmocka_unit_test(what_an_atomic_does_not_publish_races),
        cmocka_unit_test(a_coherent_load_of_a_plain_store_is_a_flag),
        cmocka_unit_test(the_middle_of_a_split_barrier_is_unordered),
        cmocka_unit_test(both_parties_are_named),
        cmocka_unit_test(workgroups_race_by_memory),
        cmocka_unit_test(a_group_that_reads_with_others_and_writes_is_found),
        cmocka_unit_test(releases_and_acquires_order_groups_along_a_chain),
        cmocka_unit_test(a_random_history_races_where_the_model_says),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
