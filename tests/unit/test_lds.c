/*
 * LDS instructions against bytes that are known, atomics against integer arithmetic on the host, and lane permutes.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "tests/support/memory_runner.h"

enum { LANES = 32 };

static struct memory_runner open_runner(void)
{
    return memory_runner_open("gfx1151", LANES, 64);
}

static uint32_t lds_dword(struct memory_runner *runner, size_t byte)
{
    uint32_t value;
    memcpy(&value, runner->wave->group.lds + byte, 4);
    return value;
}

static void set_lds(struct memory_runner *runner, size_t byte, uint64_t value, unsigned n_bytes)
{
    memcpy(runner->wave->group.lds + byte, &value, n_bytes);
}

static void loads_of_every_format_extend_as_they_say(void **state)
{
    (void)state;
    struct memory_runner runner = open_runner();
    memory_runner_set(&runner, 1, 40, 3);
    for (unsigned v = 10; v < 30; v++)
        memory_runner_set(&runner, v, 0x12345678, 0);
    assert_true(wave_runner_run(runner.wave, "ds_load_u8 v10, v1 offset:300\nds_load_i8 v11, v1 offset:300\n"
                                             "ds_load_u16 v12, v1 offset:300\nds_load_i16 v13, v1 offset:300\n"
                                             "ds_load_u8_d16 v14, v1 offset:300\nds_load_i8_d16_hi v15, v1 offset:300\n"
                                             "ds_load_u16_d16 v16, v1 offset:300\nds_load_u16_d16_hi v17, v1 offset:300\n"
                                             "ds_load_b32 v18, v1 offset:300\nds_load_b64 v[19:20], v1 offset:300\n"
                                             "ds_load_b96 v[21:23], v1 offset:300\nds_load_b128 v[24:27], v1 offset:300"));
    for (unsigned lane = 0; lane < LANES; lane++) {
        size_t i = 340 + 3 * lane;
        uint32_t byte = (uint32_t)memory_runner_value(i, 1), word = (uint32_t)memory_runner_value(i, 2);
        assert_int_equal(memory_runner_get(&runner, 10, lane), byte);
        assert_int_equal(memory_runner_get(&runner, 11, lane), (uint32_t)(int8_t)byte);
        assert_int_equal(memory_runner_get(&runner, 12, lane), word);
        assert_int_equal(memory_runner_get(&runner, 13, lane), (uint32_t)(int16_t)word);
        assert_int_equal(memory_runner_get(&runner, 14, lane), 0x12340000 | byte);
        assert_int_equal(memory_runner_get(&runner, 15, lane), 0x5678 | (uint32_t)(int8_t)byte << 16);
        assert_int_equal(memory_runner_get(&runner, 16, lane), 0x12340000 | word);
        assert_int_equal(memory_runner_get(&runner, 17, lane), 0x5678 | word << 16);
        static const struct {
            unsigned first, n_dwords;
        } wide[] = {{18, 1}, {19, 2}, {21, 3}, {24, 4}};
        for (size_t w = 0; w < 4; w++)
            for (unsigned d = 0; d < wide[w].n_dwords; d++)
                assert_int_equal(memory_runner_get(&runner, wide[w].first + d, lane), memory_runner_value(i + 4 * d, 4));
    }
    memory_runner_close(&runner);
}

/* Offsets count elements (4 or 8 bytes), or 64 of them; the address register may be overwritten. */
static void two_address_forms_scale_their_offsets(void **state)
{
    (void)state;
    struct memory_runner runner = open_runner();
    memory_runner_set(&runner, 1, 0, 4);
    memory_runner_set(&runner, 2, 0, 4);
    assert_true(wave_runner_run(runner.wave, "ds_load_2addr_b32 v[10:11], v1 offset0:3 offset1:255\n"
                                             "ds_load_2addr_stride64_b32 v[12:13], v1 offset0:1 offset1:5\n"
                                             "ds_load_2addr_b64 v[14:17], v1 offset0:2 offset1:9\n"
                                             "ds_load_2addr_stride64_b64 v[2:5], v2 offset1:3"));
    for (unsigned lane = 0; lane < LANES; lane++) {
        const size_t i = 4 * lane;
        const size_t places[] = {i + 12, i + 1020, i + 256, i + 1280, i + 16, i + 20, i + 72, i + 76};
        for (unsigned v = 0; v < 8; v++)
            assert_int_equal(memory_runner_get(&runner, 10 + v, lane), memory_runner_value(places[v], 4));
        assert_int_equal(memory_runner_get(&runner, 2, lane), memory_runner_value(i, 4));
        assert_int_equal(memory_runner_get(&runner, 5, lane), memory_runner_value(i + 1536 + 4, 4));
    }
    memory_runner_close(&runner);
}

static void stores_write_their_bytes_and_no_other(void **state)
{
    (void)state;
    struct memory_runner runner = open_runner();
    runner.wave->wave.exec = 0x6; /* lanes 1 and 2 */
    memory_runner_set(&runner, 1, 0, 64);
    memory_runner_set(&runner, 8, 0xa1b2c3d0, 1);
    memory_runner_set(&runner, 9, 0x11223340, 1);
    assert_true(wave_runner_run(runner.wave, "ds_store_b8 v1, v8\nds_store_b16 v1, v8 offset:3\n"
                                             "ds_store_b8_d16_hi v1, v8 offset:6\nds_store_b16_d16_hi v1, v8 offset:9\n"
                                             "ds_store_b32 v1, v8 offset:12\nds_store_b64 v1, v[8:9] offset:20\n"
                                             "ds_store_2addr_b32 v1, v8, v9 offset0:8 offset1:10"));
    uint8_t expected[256];
    for (size_t i = 0; i < sizeof expected; i++)
        expected[i] = memory_runner_byte(i);
    for (unsigned lane = 1; lane <= 2; lane++) {
        uint8_t *at = expected + 64 * lane;
        const uint32_t low = 0xa1b2c3d0 + lane, high = 0x11223340 + lane;
        at[0] = (uint8_t)low;
        memcpy(at + 3, &(uint16_t){(uint16_t)low}, 2);
        at[6] = 0xb2;
        memcpy(at + 9, &(uint16_t){0xa1b2}, 2);
        memcpy(at + 12, &low, 4);
        memcpy(at + 20, &low, 4);
        memcpy(at + 24, &high, 4);
        memcpy(at + 32, &low, 4);
        memcpy(at + 40, &high, 4);
    }
    assert_memory_equal(runner.wave->group.lds, expected, sizeof expected);
    memory_runner_close(&runner);
}

/* 32-bit wrapping: a negative base with an offset is in range; past the workgroup's bytes is not. */
static void addresses_wrap_and_are_checked(void **state)
{
    (void)state;
    struct memory_runner runner = open_runner();
    runner.wave->group.lds_bytes = 512;
    memory_runner_set(&runner, 1, (uint32_t)-8, 4);
    assert_true(wave_runner_run(runner.wave, "ds_load_b32 v10, v1 offset:8"));
    assert_int_equal(memory_runner_get(&runner, 10, 31), memory_runner_value(124, 4));
    assert_true(memory_runner_finds(&runner, "ds_load_b32 v10, v1 offset:4",
                                    "lane 0: LDS address 0xfffffffc (4 bytes) is outside the workgroup's 512 bytes"));
    assert_int_equal(memory_runner_get(&runner, 10, 0), 0x7fc0dead);
    assert_int_equal(memory_runner_get(&runner, 10, 1), memory_runner_value(0, 4));
    memory_runner_set(&runner, 1, 509, 0);
    assert_true(memory_runner_finds(&runner, "ds_store_b32 v1, v10", "LDS address 0x1fd (4 bytes)"));
    assert_int_equal(lds_dword(&runner, 509), memory_runner_value(509, 4));
    memory_runner_close(&runner);
}

static void addtid_forms_take_m0_and_the_lane(void **state)
{
    (void)state;
    struct memory_runner runner = open_runner();
    memory_runner_set(&runner, 8, 900, 1);
    assert_true(
        wave_runner_run(runner.wave, "s_mov_b32 m0, 64\nds_load_addtid_b32 v10 offset:4\nds_store_addtid_b32 v8 offset:8"));
    for (unsigned lane = 0; lane < LANES; lane++) {
        assert_int_equal(memory_runner_get(&runner, 10, lane), memory_runner_value(68 + 4 * lane, 4));
        assert_int_equal(lds_dword(&runner, 72 + 4 * lane), 900 + lane);
    }
    memory_runner_close(&runner);
}

/* One 32-bit atomic on one lane: old value, operand, second operand; new value as the ISA defines it. */
struct atomic_case {
    const char *stem, *type;
    uint32_t old, data, second, expected;
    bool two_data;
};

static const uint32_t minus_5 = (uint32_t)-5;

static void check_atomic(struct memory_runner *runner, const struct atomic_case *c)
{
    char text[200];
    const char *rest = c->two_data ? ", v9" : "";
    runner->wave->wave.exec = 1;
    snprintf(text, sizeof text, "ds_%s_rtn_%s v10, v1, v8%s offset:16\nds_%s_%s v1, v8%s offset:32", c->stem, c->type, rest,
             c->stem, c->type, rest);
    memory_runner_set(runner, 1, 0, 0);
    memory_runner_set(runner, 8, c->data, 0);
    memory_runner_set(runner, 9, c->second, 0);
    memory_runner_set(runner, 10, 1, 0);
    set_lds(runner, 16, c->old, 4);
    set_lds(runner, 32, c->old, 4);
    assert_true(wave_runner_run(runner->wave, text));
    assert_int_equal(memory_runner_get(runner, 10, 0), c->old);
    assert_int_equal(memory_runner_get(runner, 10, 1), 1);
    assert_int_equal(lds_dword(runner, 16), c->expected);
    assert_int_equal(lds_dword(runner, 32), c->expected);
}

static void atomics_of_32_bits_follow_their_definitions(void **state)
{
    (void)state;
    struct memory_runner runner = open_runner();
    const uint32_t f1 = 0x3f800000, f2 = 0x40000000, f3 = 0x40400000, nan = 0x7fc00000;
    const struct atomic_case cases[] = {
        {"add", "u32", 0xfffffffe, 3, 0, 1, false},
        {"sub", "u32", 1, 3, 0, 0xfffffffe, false},
        {"rsub", "u32", 1, 3, 0, 2, false},
        {"inc", "u32", 6, 7, 0, 7, false},
        {"inc", "u32", 7, 7, 0, 0, false},
        {"dec", "u32", 5, 7, 0, 4, false},
        {"dec", "u32", 0, 7, 0, 7, false},
        {"dec", "u32", 8, 7, 0, 7, false},
        {"min", "i32", 3, minus_5, 0, minus_5, false},
        {"max", "i32", 3, minus_5, 0, 3, false},
        {"min", "u32", 3, minus_5, 0, 3, false},
        {"max", "u32", 3, minus_5, 0, minus_5, false},
        {"and", "b32", 0xff00ff00, 0x0ff00ff0, 0, 0x0f000f00, false},
        {"or", "b32", 0xff00ff00, 0x0ff00ff0, 0, 0xfff0fff0, false},
        {"xor", "b32", 0xff00ff00, 0x0ff00ff0, 0, 0xf0f0f0f0, false},
        {"mskor", "b32", 0xffffffff, 0x00ffff00, 0x00120000, 0xff1200ff, true},
        {"cmpstore", "b32", 5, 9, 5, 9, true},
        {"cmpstore", "b32", 5, 9, 6, 5, true},
        {"cmpstore", "f32", 0x80000000, f1, 0, f1, true}, /* -0 equals +0 */
        {"cmpstore", "f32", nan, f1, nan, nan, true},
        {"add", "f32", f1, f2, 0, f3, false},
        {"add", "f32", 0x00400000, 0x00400000, 0, 0, false}, /* denormals are flushed in the HSA mode */
        {"min", "f32", f2, f1, 0, f1, false},
        {"min", "f32", f2, nan, 0, f2, false}, /* data < old is false */
        {"max", "f32", f2, f3, 0, f3, false},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        check_atomic(&runner, &cases[i]);
    wave_runner_set_mode(runner.wave, WAVE_RUNNER_HSA_MODE | MODE_DENORM_F32);
    check_atomic(&runner, &(struct atomic_case){"add", "f32", 0x00400000, 0x00400000, 0, 0x00800000, false});
    memory_runner_close(&runner);
}

static void atomics_of_64_bits_take_register_pairs(void **state)
{
    (void)state;
    struct memory_runner runner = open_runner();
    runner.wave->wave.exec = 1;
    set_lds(&runner, 0, UINT64_C(0xffffffff), 8);
    set_lds(&runner, 8, UINT64_C(0x8000000000000001), 8);
    set_lds(&runner, 16, 77, 8);
    set_lds(&runner, 24, UINT64_C(0x3ff0000000000000), 8); /* 1.0 */
    memory_runner_set(&runner, 1, 0, 0);
    memory_runner_set(&runner, 8, 1, 0);
    memory_runner_set(&runner, 9, 0, 0);
    memory_runner_set(&runner, 10, 77, 0);
    memory_runner_set(&runner, 12, 0, 0);
    memory_runner_set(&runner, 13, 0x40000000, 0); /* 2.0 */
    assert_true(wave_runner_run(runner.wave, "ds_add_rtn_u64 v[20:21], v1, v[8:9]\nds_min_i64 v1, v[8:9] offset:8\n"
                                             "ds_cmpstore_rtn_b64 v[22:23], v1, v[8:9], v[10:11] offset:16\n"
                                             "ds_max_f64 v1, v[12:13] offset:24\n"
                                             "ds_storexchg_rtn_b64 v[24:25], v1, v[12:13] offset:8"));
    uint64_t value[4];
    memcpy(value, runner.wave->group.lds, sizeof value);
    assert_true(value[0] == UINT64_C(0x100000000) && value[1] == UINT64_C(0x4000000000000000));
    assert_true(value[2] == 1 && value[3] == UINT64_C(0x4000000000000000));
    assert_int_equal(memory_runner_get(&runner, 20, 0), 0xffffffff);
    assert_int_equal(memory_runner_get(&runner, 22, 0), 77);
    assert_int_equal(memory_runner_get(&runner, 25, 0), 0x80000000); /* the minimum, negative, exchanged */
    memory_runner_close(&runner);
}

/* Lanes act one after another on one counter: every number is handed out once. */
static void lanes_on_one_address_take_turns(void **state)
{
    (void)state;
    struct memory_runner runner = open_runner();
    set_lds(&runner, 0, 100, 4);
    set_lds(&runner, 4, 50, 4);
    runner.wave->wave.exec = 0xff00ff;
    memory_runner_set(&runner, 1, 0, 0);
    memory_runner_set(&runner, 8, 2, 0);
    assert_true(wave_runner_run(
        runner.wave, "ds_add_rtn_u32 v10, v1, v8\ns_mov_b32 m0, 0\nds_append v11 offset:4\nds_consume v12 offset:4"));
    assert_int_equal(lds_dword(&runner, 0), 132);
    assert_int_equal(lds_dword(&runner, 4), 50);
    for (unsigned lane = 0; lane < 24; lane++) {
        bool on = 0xff00ff >> lane & 1;
        assert_int_equal(memory_runner_get(&runner, 10, lane), on ? 100 + 2 * (lane < 8 ? lane : lane - 8) : 0);
        assert_int_equal(memory_runner_get(&runner, 11, lane), on ? 50 : 0);
        assert_int_equal(memory_runner_get(&runner, 12, lane), on ? 66 : 0);
    }
    memory_runner_close(&runner);
}

static void a_misaligned_atomic_is_a_finding(void **state)
{
    (void)state;
    struct memory_runner runner = open_runner();
    memory_runner_set(&runner, 1, 2, 0);
    assert_true(memory_runner_finds(&runner, "ds_add_u32 v1, v1", "of an atomic is 2 past a multiple of 4"));
    assert_int_equal(lds_dword(&runner, 0), memory_runner_value(0, 4));
    memory_runner_close(&runner);
}

static void exchange_of_two_reads_both_before_it_writes(void **state)
{
    (void)state;
    struct memory_runner runner = open_runner();
    runner.wave->wave.exec = 1;
    memory_runner_set(&runner, 1, 0, 0);
    memory_runner_set(&runner, 8, 11, 0);
    memory_runner_set(&runner, 9, 22, 0);
    assert_true(wave_runner_run(runner.wave, "ds_storexchg_2addr_rtn_b32 v[10:11], v1, v8, v9 offset0:1 offset1:2"));
    assert_int_equal(memory_runner_get(&runner, 10, 0), memory_runner_value(4, 4));
    assert_int_equal(memory_runner_get(&runner, 11, 0), memory_runner_value(8, 4));
    assert_int_equal(lds_dword(&runner, 4), 11);
    assert_int_equal(lds_dword(&runner, 8), 22);
    memory_runner_close(&runner);
}

/* bpermute pulls, permute pushes; lanes that are off give and get nothing; the highest sender wins. */
static void permutes_move_values_between_lanes(void **state)
{
    (void)state;
    struct memory_runner runner = open_runner();
    const uint32_t exec = ~(1u << 5);
    runner.wave->wave.exec = exec;
    memory_runner_set(&runner, 8, 100, 1);
    for (unsigned lane = 0; lane < LANES; lane++) {
        wave_runner_vgpr(runner.wave, 1)[lane] = 4 * ((lane * 3 + 2) % 32); /* a permutation */
        wave_runner_vgpr(runner.wave, 2)[lane] = 4 * (lane / 2);            /* two send to each */
        wave_runner_vgpr(runner.wave, 3)[lane] = 4 * (lane + 64) + 3;       /* high and low bits are ignored */
    }
    assert_true(wave_runner_run(runner.wave, "ds_bpermute_b32 v10, v1, v8\nds_permute_b32 v11, v1, v8\n"
                                             "ds_permute_b32 v12, v2, v8\nds_bpermute_b32 v13, v3, v8 offset:4"));
    for (unsigned lane = 0; lane < LANES; lane++) {
        if (lane == 5)
            continue;
        unsigned from = (lane * 3 + 2) % 32, sender = 0;
        while ((sender * 3 + 2) % 32 != lane)
            sender++;
        assert_int_equal(memory_runner_get(&runner, 10, lane), from == 5 ? 0 : 100 + from);
        assert_int_equal(memory_runner_get(&runner, 11, lane), sender == 5 ? 0 : 100 + sender);
        unsigned last = 2 * lane + 1 == 5 ? 4 : 2 * lane + 1;
        assert_int_equal(memory_runner_get(&runner, 12, lane), lane < 16 ? 100 + last : 0);
        assert_int_equal(memory_runner_get(&runner, 13, lane), (lane + 1) % 32 == 5 ? 0 : 100 + (lane + 1) % 32);
    }
    assert_int_equal(memory_runner_get(&runner, 10, 5), 0);
    memory_runner_close(&runner);
}

/* RDNA3's wave64 permutes stay within each half. */
static void wave64_permutes_stay_within_halves_on_gfx11(void **state)
{
    (void)state;
    struct memory_runner runner = memory_runner_open("gfx1151", 64, 64);
    memory_runner_set(&runner, 8, 100, 1);
    for (unsigned lane = 0; lane < 64; lane++)
        wave_runner_vgpr(runner.wave, 1)[lane] = 4 * (63 - lane);
    assert_true(wave_runner_run(runner.wave, "ds_bpermute_b32 v10, v1, v8"));
    for (unsigned lane = 0; lane < 64; lane++)
        assert_int_equal(memory_runner_get(&runner, 10, lane), 100 + (lane & 32) + (31 - lane % 32));
    memory_runner_close(&runner);
}

static unsigned reversed(unsigned lane)
{
    return (lane & 1) << 4 | (lane & 2) << 2 | (lane & 4) | (lane & 8) >> 2 | (lane & 16) >> 4;
}

static void swizzles_read_the_lane_that_their_control_names(void **state)
{
    (void)state;
    struct memory_runner runner = open_runner();
    memory_runner_set(&runner, 8, 100, 1);
    assert_true(wave_runner_run(runner.wave, "ds_swizzle_b32 v10, v8 offset:swizzle(QUAD_PERM, 3, 0, 2, 1)\n"
                                             "ds_swizzle_b32 v11, v8 offset:swizzle(SWAP, 4)\n"
                                             "ds_swizzle_b32 v12, v8 offset:swizzle(BROADCAST, 8, 3)\n"
                                             "ds_swizzle_b32 v13, v8 offset:swizzle(REVERSE, 16)\n"
                                             "ds_swizzle_b32 v14, v8 offset:0xe000\n"
                                             "ds_swizzle_b32 v15, v8 offset:0xc060\n"
                                             "ds_swizzle_b32 v16, v8 offset:0xc460"));
    static const unsigned quad[] = {3, 0, 2, 1};
    for (unsigned lane = 0; lane < LANES; lane++) {
        const unsigned from[] = {(lane & ~3u) + quad[lane & 3],
                                 lane ^ 4,
                                 (lane & ~7u) + 3,
                                 lane ^ 15,
                                 reversed(lane),
                                 (lane + 3) % 32,
                                 (lane + 29) % 32};
        for (unsigned v = 0; v < 7; v++)
            assert_int_equal(memory_runner_get(&runner, 10 + v, lane), 100 + from[v]);
    }
    runner.wave->wave.exec = 0xfffffffe; /* lane 0 is off: who reads it gets 0 */
    assert_true(wave_runner_run(runner.wave, "ds_swizzle_b32 v10, v8 offset:swizzle(BROADCAST, 32, 0)"));
    assert_int_equal(memory_runner_get(&runner, 10, 7), 0);
    memory_runner_close(&runner);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(loads_of_every_format_extend_as_they_say),
        cmocka_unit_test(two_address_forms_scale_their_offsets),
        cmocka_unit_test(stores_write_their_bytes_and_no_other),
        cmocka_unit_test(addresses_wrap_and_are_checked),
        cmocka_unit_test(addtid_forms_take_m0_and_the_lane),
        cmocka_unit_test(atomics_of_32_bits_follow_their_definitions),
        cmocka_unit_test(atomics_of_64_bits_take_register_pairs),
        cmocka_unit_test(lanes_on_one_address_take_turns),
        cmocka_unit_test(a_misaligned_atomic_is_a_finding),
        cmocka_unit_test(exchange_of_two_reads_both_before_it_writes),
        cmocka_unit_test(permutes_move_values_between_lanes),
        cmocka_unit_test(wave64_permutes_stay_within_halves_on_gfx11),
        cmocka_unit_test(swizzles_read_the_lane_that_their_control_names),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
