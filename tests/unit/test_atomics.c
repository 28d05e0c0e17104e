/*
 * Atomics on memory: each operation against its definition in integers, in every address space, with and without return.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "tests/support/memory_runner.h"

enum { LANES = 32, PLACE = 64 };

/* One lane's atomic: old and new value at the place, and the operand; n_bytes is 4 or 8. */
struct atomic_case {
    const char *name;
    unsigned n_bytes;
    uint64_t old, data, second, expected;
};

#define F32_ONE UINT64_C(0x3f800000)
#define F32_TWO UINT64_C(0x40000000)

static const struct atomic_case cases[] = {
    {"swap_b32", 4, 1, 2, 0, 2},
    {"cmpswap_b32", 4, 5, 9, 5, 9},
    {"cmpswap_b32", 4, 5, 9, 4, 5},
    {"add_u32", 4, 0xffffffff, 3, 0, 2},
    {"sub_u32", 4, 1, 3, 0, 0xfffffffe},
    {"min_i32", 4, 1, 0xffffffff, 0, 0xffffffff},
    {"max_i32", 4, 1, 0xffffffff, 0, 1},
    {"min_u32", 4, 1, 0xffffffff, 0, 1},
    {"max_u32", 4, 1, 0xffffffff, 0, 0xffffffff},
    {"and_b32", 4, 0xf0f0, 0xff00, 0, 0xf000},
    {"or_b32", 4, 0xf0f0, 0xff00, 0, 0xfff0},
    {"xor_b32", 4, 0xf0f0, 0xff00, 0, 0x0ff0},
    {"inc_u32", 4, 3, 4, 0, 4},
    {"inc_u32", 4, 4, 4, 0, 0},
    {"dec_u32", 4, 3, 4, 0, 2},
    {"dec_u32", 4, 0, 4, 0, 4},
    {"dec_u32", 4, 5, 4, 0, 4},
    {"add_f32", 4, F32_ONE, F32_ONE, 0, F32_TWO},
    {"add_f32", 4, 0x00400000, 0x00400000, 0, 0}, /* gfx11's caches flush f32 denormals */
    {"min_f32", 4, F32_TWO, F32_ONE, 0, F32_ONE},
    {"max_f32", 4, F32_TWO, F32_ONE, 0, F32_TWO},
    {"swap_b64", 8, 1, UINT64_C(0x200000003), 0, UINT64_C(0x200000003)},
    {"cmpswap_b64", 8, UINT64_C(0x500000000), 9, UINT64_C(0x500000000), 9},
    {"cmpswap_b64", 8, UINT64_C(0x500000000), 9, UINT64_C(0x500000001), UINT64_C(0x500000000)},
    {"add_u64", 8, UINT64_C(0xffffffff), 1, 0, UINT64_C(0x100000000)},
    {"sub_u64", 8, 0, 1, 0, UINT64_MAX},
    {"min_i64", 8, 1, UINT64_MAX, 0, UINT64_MAX},
    {"max_i64", 8, 1, UINT64_MAX, 0, 1},
    {"min_u64", 8, 1, UINT64_MAX, 0, 1},
    {"max_u64", 8, 1, UINT64_MAX, 0, UINT64_MAX},
    {"and_b64", 8, UINT64_C(0xf0f000000000), UINT64_C(0xff0000000000), 0, UINT64_C(0xf00000000000)},
    {"or_b64", 8, UINT64_C(0xf0f000000000), 1, 0, UINT64_C(0xf0f000000001)},
    {"xor_b64", 8, UINT64_C(0xf00000000001), 1, 0, UINT64_C(0xf00000000000)},
    {"inc_u64", 8, UINT64_C(0xffffffff), UINT64_MAX, 0, UINT64_C(0x100000000)},
    {"dec_u64", 8, UINT64_C(0x100000000), UINT64_MAX, 0, UINT64_C(0xffffffff)},
};

static void put(struct memory_runner *runner, uint64_t value, unsigned n_bytes)
{
    memcpy(runner->bytes + PLACE, &value, n_bytes);
}

static uint64_t at_place(const struct memory_runner *runner, unsigned n_bytes)
{
    uint64_t value = 0;
    memcpy(&value, runner->bytes + PLACE, n_bytes);
    return value;
}

/* The data registers hold the operand and then the value compared with. */
static void set_data(struct memory_runner *runner, const struct atomic_case *c)
{
    const uint64_t values[] = {c->data, c->second};
    for (unsigned v = 0; v < 2; v++)
        for (unsigned d = 0; d < c->n_bytes / 4; d++)
            memory_runner_set(runner, 8 + v * c->n_bytes / 4 + d, (uint32_t)(values[v] >> 32 * d), 0);
    memory_runner_set(runner, 12, 1, 0);
    memory_runner_set(runner, 13, 1, 0);
}

static void check_case(struct memory_runner *runner, const struct atomic_case *c, const char *pattern, bool returns,
                       unsigned result)
{
    char data[16], text[120], destination[16];
    unsigned n_registers = c->n_bytes / 4 * (strncmp(c->name, "cmpswap", 7) == 0 ? 2 : 1);
    snprintf(data, sizeof data, n_registers == 1 ? "v8" : "v[8:%u]", 7 + n_registers);
    snprintf(destination, sizeof destination, c->n_bytes == 4 ? "v12" : "v[12:13]");
    if (returns && result == 12)
        snprintf(text, sizeof text, pattern, c->name, destination, data);
    else
        snprintf(text, sizeof text, pattern, c->name, data);
    set_data(runner, c);
    put(runner, c->old, c->n_bytes);
    assert_true(wave_runner_run(runner->wave, text));
    assert_true(at_place(runner, c->n_bytes) == c->expected);
    if (returns) {
        assert_int_equal(memory_runner_get(runner, result, 0), (uint32_t)c->old);
        if (c->n_bytes == 8)
            assert_int_equal(memory_runner_get(runner, result + 1, 0), (uint32_t)(c->old >> 32));
    } else {
        assert_int_equal(memory_runner_get(runner, 12, 0), 1);
    }
}

static struct memory_runner open_one_lane(void)
{
    struct memory_runner runner = memory_runner_open("gfx1151", LANES, 256);
    uint32_t *sgpr = &runner.wave->wave.sgpr[4];
    runner.wave->wave.exec = 1;
    memory_runner_addresses(&runner, 2, runner.address + PLACE, 0);
    memory_runner_set(&runner, 1, PLACE, 0);
    sgpr[0] = (uint32_t)runner.address;
    sgpr[1] = (uint32_t)(runner.address >> 32);
    sgpr[2] = 256;
    sgpr[3] = 3u << 28;
    return runner;
}

static void every_operation_follows_its_definition(void **state)
{
    (void)state;
    struct memory_runner runner = open_one_lane();
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        check_case(&runner, &cases[i], "global_atomic_%s v[2:3], %s, off", false, 0);
        check_case(&runner, &cases[i], "global_atomic_%s %s, v1, %s, s[2:3] glc", true, 12);
    }
    memory_runner_close(&runner);
}

static void flat_and_buffer_forms_do_the_same(void **state)
{
    (void)state;
    struct memory_runner runner = open_one_lane();
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i += 3) {
        check_case(&runner, &cases[i], "flat_atomic_%s %s, v[2:3], %s glc", true, 12);
        check_case(&runner, &cases[i], "buffer_atomic_%s %s, v1, s[4:7], 0 offen", false, 0);
        check_case(&runner, &cases[i], "buffer_atomic_%s %s, v1, s[4:7], 0 offen glc", true, 8);
    }
    memory_runner_close(&runner);
}

static void saturating_subtraction_stops_at_zero(void **state)
{
    (void)state;
    struct memory_runner runner = open_one_lane();
    check_case(&runner, &(struct atomic_case){"csub_u32", 4, 9, 4, 0, 5}, "global_atomic_%s %s, v1, %s, s[2:3] glc", true,
               12);
    check_case(&runner, &(struct atomic_case){"csub_u32", 4, 3, 4, 0, 0}, "global_atomic_%s %s, v1, %s, s[2:3] glc", true,
               12);
    memory_runner_close(&runner);
}

static void lanes_on_one_address_take_turns(void **state)
{
    (void)state;
    struct memory_runner runner = open_one_lane();
    runner.wave->wave.exec = 0xfffffff0;
    put(&runner, 1000, 4);
    memory_runner_set(&runner, 8, 3, 0);
    assert_true(wave_runner_run(runner.wave, "global_atomic_add_u32 v12, v[2:3], v8, off glc"));
    assert_true(at_place(&runner, 4) == 1000 + 3 * 28);
    for (unsigned lane = 4; lane < LANES; lane++)
        assert_int_equal(memory_runner_get(&runner, 12, lane), 1000 + 3 * (lane - 4));
    assert_int_equal(memory_runner_get(&runner, 12, 0), 0);
    memory_runner_close(&runner);
}

/* A flat atomic whose address is in the LDS aperture. */
static void flat_atomics_reach_lds(void **state)
{
    (void)state;
    struct memory_runner runner = open_one_lane();
    uint32_t value;
    memory_runner_addresses(&runner, 2, SHARED_APERTURE + 16, 0);
    memory_runner_set(&runner, 8, 5, 0);
    assert_true(wave_runner_run(runner.wave, "flat_atomic_add_u32 v12, v[2:3], v8 glc"));
    memcpy(&value, runner.wave->group.lds + 16, 4);
    assert_int_equal(value, (uint32_t)memory_runner_value(16, 4) + 5);
    assert_int_equal(memory_runner_get(&runner, 12, 0), memory_runner_value(16, 4));
    memory_runner_close(&runner);
}

static void misaligned_read_only_and_outside_are_findings(void **state)
{
    (void)state;
    struct memory_runner runner = open_one_lane();
    memory_runner_addresses(&runner, 2, runner.address + PLACE + 4, 0);
    assert_true(memory_runner_finds(&runner, "global_atomic_add_u64 v[2:3], v[8:9], off",
                                    "of an atomic is 4 past a multiple of 8"));
    memory_runner_addresses(&runner, 2, runner.address + 256, 0);
    assert_true(
        memory_runner_finds(&runner, "global_atomic_add_u32 v[2:3], v8, off", "is 0 bytes past buffer (256 bytes)"));
    memory_set_read_only(runner.memory, runner.address, true);
    memory_runner_addresses(&runner, 2, runner.address, 0);
    assert_true(memory_runner_finds(&runner, "global_atomic_or_b32 v[2:3], v8, off", "which is read-only"));
    for (size_t i = 0; i < 256; i++)
        assert_int_equal(runner.bytes[i], memory_runner_byte(i));
    memory_runner_close(&runner);
}

/* NaN operands come through quieted, and infinities of both signs give the negative quiet NaN. */
static void float_sums_give_the_devices_nans(void **state)
{
    (void)state;
    struct memory_runner runner = open_one_lane();
    const char *pattern = "global_atomic_%s %s, v1, %s, s[2:3] glc";
    check_case(&runner, &(struct atomic_case){"add_f32", 4, 0xffa00001, F32_ONE, 0, 0xffe00001}, pattern, true, 12);
    check_case(&runner, &(struct atomic_case){"add_f32", 4, F32_ONE, 0x7f800001, 0, 0x7fc00001}, pattern, true, 12);
    check_case(&runner, &(struct atomic_case){"add_f32", 4, 0x7f800000, 0xff800000, 0, 0xffc00000}, pattern, true, 12);
    memory_runner_close(&runner);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_operation_follows_its_definition),
        cmocka_unit_test(flat_and_buffer_forms_do_the_same),
        cmocka_unit_test(saturating_subtraction_stops_at_zero),
        cmocka_unit_test(lanes_on_one_address_take_turns),
        cmocka_unit_test(flat_atomics_reach_lds),
        cmocka_unit_test(misaligned_read_only_and_outside_are_findings),
        cmocka_unit_test(float_sums_give_the_devices_nans),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
