/*
 * Vector memory instructions against bytes that are known: every format and address form, range checks, findings.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "tests/support/memory_runner.h"

enum { BUFFER_BYTES = 4096, LANES = 32, POISON = 0x7fc0dead };

static struct memory_runner open_runner(void)
{
    return memory_runner_open("gfx1151", LANES, BUFFER_BYTES);
}

static uint32_t extended(size_t i, unsigned n_bytes, bool is_signed)
{
    uint64_t value = memory_runner_value(i, n_bytes);
    if (is_signed && n_bytes < 4 && value >> (8 * n_bytes - 1))
        value |= UINT64_MAX << 8 * n_bytes;
    return (uint32_t)value;
}

/* X(suffix of the mnemonic, bytes, signed, half): 0 whole register, 1 low half, 2 high half. */
static const struct format {
    const char *suffix;
    unsigned n_bytes;
    bool is_signed;
    int half;
} loads[] = {
    {"u8", 1, false, 0},       {"i8", 1, true, 0},          {"u16", 2, false, 0},     {"i16", 2, true, 0},
    {"d16_u8", 1, false, 1},   {"d16_i8", 1, true, 1},      {"d16_b16", 2, false, 1}, {"d16_hi_u8", 1, false, 2},
    {"d16_hi_i8", 1, true, 2}, {"d16_hi_b16", 2, false, 2}, {"b32", 4, false, 0},
};

static uint32_t loaded(const struct format *format, uint32_t old, size_t i)
{
    uint32_t value = extended(i, format->n_bytes, format->is_signed);
    if (format->half == 1)
        return (old & 0xffff0000u) | (value & 0xffffu);
    return format->half == 2 ? (old & 0xffffu) | value << 16 : value;
}

/* Each format in turn, at an odd stride, with lanes 3 and 30 off. */
static void check_loads(const char *pattern)
{
    struct memory_runner runner = open_runner();
    const uint64_t exec = 0xffffffff & ~(1u << 3 | 1u << 30);
    for (size_t f = 0; f < sizeof loads / sizeof *loads; f++) {
        char text[100];
        snprintf(text, sizeof text, pattern, loads[f].suffix);
        runner.wave->wave.exec = exec;
        memory_runner_addresses(&runner, 2, runner.address + 100, 7);
        memory_runner_set(&runner, 1, 100, 7);
        memory_runner_set(&runner, 4, 0x12345678, 0);
        assert_true(wave_runner_run(runner.wave, text));
        for (unsigned lane = 0; lane < LANES; lane++) {
            uint32_t expected = exec >> lane & 1 ? loaded(&loads[f], 0x12345678, 100 + 7 * lane + 5) : 0x12345678;
            assert_int_equal(memory_runner_get(&runner, 4, lane), expected);
        }
    }
    memory_runner_close(&runner);
}

static void global_loads_of_every_format_extend_as_they_say(void **state)
{
    (void)state;
    check_loads("global_load_%s v4, v[2:3], off offset:5");
    check_loads("global_load_%s v4, v1, s[2:3] offset:5");
}

static void flat_loads_reach_global_memory(void **state)
{
    (void)state;
    check_loads("flat_load_%s v4, v[2:3] offset:5");
}

/* A raw resource over the whole buffer. */
static void set_resource(struct memory_runner *runner, uint32_t n_records, uint32_t stride, uint32_t rule)
{
    uint32_t *sgpr = &runner->wave->wave.sgpr[4];
    sgpr[0] = (uint32_t)runner->address;
    sgpr[1] = (uint32_t)(runner->address >> 32) | stride << 16;
    sgpr[2] = n_records;
    sgpr[3] = rule << 28;
    runner->wave->wave.sgpr[8] = 1;
}

static void buffer_loads_of_every_format_extend_as_they_say(void **state)
{
    (void)state;
    struct memory_runner runner = open_runner();
    set_resource(&runner, BUFFER_BYTES, 0, 3);
    for (size_t f = 0; f < sizeof loads / sizeof *loads; f++) {
        char text[100];
        snprintf(text, sizeof text, "buffer_load_%s v4, v1, s[4:7], s8 offen offset:4", loads[f].suffix);
        memory_runner_set(&runner, 1, 100, 7);
        memory_runner_set(&runner, 4, 0x12345678, 0);
        assert_true(wave_runner_run(runner.wave, text));
        for (unsigned lane = 0; lane < LANES; lane++)
            assert_int_equal(memory_runner_get(&runner, 4, lane), loaded(&loads[f], 0x12345678, 100 + 7 * lane + 5));
    }
    memory_runner_close(&runner);
}

/* Wide loads at the strides that have fast paths (consecutive, one address for all) and at one that has none. */
static void wide_loads_fill_consecutive_registers(void **state)
{
    (void)state;
    static const char *const names[] = {"b32", "b64", "b96", "b128"};
    struct memory_runner runner = open_runner();
    for (unsigned n_dwords = 1; n_dwords <= 4; n_dwords++) {
        const int64_t strides[] = {4 * n_dwords, 0, 28, -20};
        for (size_t s = 0; s < 4; s++) {
            char text[100];
            snprintf(text, sizeof text, "global_load_%s v[10:%u], v[2:3], off offset:-8", names[n_dwords - 1],
                     9 + n_dwords);
            if (n_dwords == 1)
                snprintf(text, sizeof text, "global_load_b32 v10, v[2:3], off offset:-8");
            memory_runner_addresses(&runner, 2, runner.address + 1008, strides[s]);
            assert_true(wave_runner_run(runner.wave, text));
            for (unsigned lane = 0; lane < LANES; lane++)
                for (unsigned d = 0; d < n_dwords; d++)
                    assert_int_equal(memory_runner_get(&runner, 10 + d, lane),
                                     memory_runner_value((size_t)(1000 + lane * strides[s] + 4 * d), 4));
        }
    }
    memory_runner_close(&runner);
}

/* The address registers are among the results. */
static void a_load_reads_its_address_before_it_writes(void **state)
{
    (void)state;
    struct memory_runner runner = open_runner();
    memory_runner_addresses(&runner, 2, runner.address, 24);
    assert_true(wave_runner_run(runner.wave, "global_load_b128 v[1:4], v[2:3], off"));
    for (unsigned lane = 0; lane < LANES; lane++)
        for (unsigned d = 0; d < 4; d++)
            assert_int_equal(memory_runner_get(&runner, 1 + d, lane), memory_runner_value(24 * lane + 4 * d, 4));
    memory_runner_close(&runner);
}

/* What the buffer must hold after a store of n bytes of value(lane) at 100 + lane * stride + 5 for the lanes of exec. */
static void check_stored(struct memory_runner *runner, uint64_t exec, size_t stride, unsigned n_bytes,
                         uint64_t (*value)(unsigned lane))
{
    uint8_t expected[BUFFER_BYTES];
    for (size_t i = 0; i < BUFFER_BYTES; i++)
        expected[i] = memory_runner_byte(i);
    for (unsigned lane = 0; lane < LANES; lane++)
        for (unsigned b = 0; (exec >> lane & 1) && b < n_bytes; b++)
            expected[105 + lane * stride + b] = (uint8_t)(value(lane) >> 8 * b);
    assert_memory_equal(runner->bytes, expected, BUFFER_BYTES);
}

static uint64_t data_low(unsigned lane)
{
    return 0x9b8a7f61u + 0x01030507u * lane;
}

static uint64_t data_high_half(unsigned lane)
{
    return (uint32_t)data_low(lane) >> 16;
}

static uint64_t data_pair(unsigned lane)
{
    return (uint32_t)data_low(lane) | (uint64_t)(0x55aa1100u + lane) << 32;
}

static void stores_write_their_bytes_and_no_other(void **state)
{
    (void)state;
    static const struct {
        const char *suffix;
        unsigned n_bytes;
        uint64_t (*value)(unsigned lane);
    } stores[] = {
        {"b8 %s, v8", 1, data_low},
        {"b16 %s, v8", 2, data_low},
        {"d16_hi_b8 %s, v8", 1, data_high_half},
        {"d16_hi_b16 %s, v8", 2, data_high_half},
        {"b32 %s, v8", 4, data_low},
        {"b64 %s, v[8:9]", 8, data_pair},
    };
    static const struct {
        const char *space, *address, *rest;
    } forms[] = {
        {"global", "v[2:3]", ", off offset:5"},
        {"global", "v1", ", s[2:3] offset:5"},
        {"flat", "v[2:3]", " offset:5"},
    };
    for (size_t f = 0; f < sizeof forms / sizeof *forms; f++)
        for (size_t s = 0; s < sizeof stores / sizeof *stores; s++)
            for (size_t stride = stores[s].n_bytes; stride < 20; stride += 11) {
                struct memory_runner runner = open_runner();
                const uint64_t exec = stride < 11 ? 0xffffffff : 0xf0f1fffe;
                char middle[60], text[120];
                snprintf(middle, sizeof middle, stores[s].suffix, forms[f].address);
                snprintf(text, sizeof text, "%s_store_%s%s", forms[f].space, middle, forms[f].rest);
                runner.wave->wave.exec = exec;
                memory_runner_addresses(&runner, 2, runner.address + 100, (int64_t)stride);
                memory_runner_set(&runner, 1, 100, (uint32_t)stride);
                memory_runner_set(&runner, 8, (uint32_t)data_low(0), 0x01030507u);
                memory_runner_set(&runner, 9, 0x55aa1100u, 1);
                assert_true(wave_runner_run(runner.wave, text));
                check_stored(&runner, exec, stride, stores[s].n_bytes, stores[s].value);
                memory_runner_close(&runner);
            }
}

static void every_lane_has_its_own_scratch(void **state)
{
    (void)state;
    struct memory_runner runner = open_runner();
    runner.wave->wave.sgpr[1] = 16;
    memory_runner_set(&runner, 1, 32, 4); /* address: another one a lane */
    memory_runner_set(&runner, 8, 1000, 1);
    assert_true(wave_runner_run(runner.wave, "scratch_store_b32 off, v8, s1 offset:4\n"
                                             "scratch_store_b8 v1, v8, off offset:8\n"
                                             "scratch_load_b32 v4, off, s1 offset:4\n"
                                             "scratch_load_u8 v5, v1, s1 offset:-8\n"
                                             "scratch_load_b64 v[6:7], off, off offset:20"));
    for (unsigned lane = 0; lane < LANES; lane++) {
        assert_int_equal(memory_runner_get(&runner, 4, lane), 1000 + lane);
        assert_int_equal(memory_runner_get(&runner, 5, lane), (1000 + lane) & 0xff);
        assert_int_equal(memory_runner_get(&runner, 6, lane), 1000 + lane);
        assert_int_equal(memory_runner_get(&runner, 7, lane), 0);
    }
    memory_runner_close(&runner);
}

static void flat_addresses_route_to_lds_scratch_and_memory_by_lane(void **state)
{
    (void)state;
    struct memory_runner runner = open_runner();
    memory_runner_addresses(&runner, 2, 0, 0);
    for (unsigned lane = 0; lane < LANES; lane++) {
        static const uint64_t bases[] = {SHARED_APERTURE, PRIVATE_APERTURE, 0};
        uint64_t address = (bases[lane % 3] ? bases[lane % 3] : runner.address) + 4 * lane;
        wave_runner_vgpr(runner.wave, 2)[lane] = (uint32_t)address;
        wave_runner_vgpr(runner.wave, 3)[lane] = (uint32_t)(address >> 32);
    }
    memory_runner_set(&runner, 8, 7000, 1);
    assert_true(
        wave_runner_run(runner.wave, "flat_load_b32 v4, v[2:3]\nflat_store_b32 v[2:3], v8\nflat_load_b32 v5, v[2:3]"));
    for (unsigned lane = 0; lane < LANES; lane++) {
        assert_int_equal(memory_runner_get(&runner, 4, lane), lane % 3 == 1 ? 0 : memory_runner_value(4 * lane, 4));
        assert_int_equal(memory_runner_get(&runner, 5, lane), 7000 + lane);
    }
    memory_runner_close(&runner);
}

/* Raw: the offset with its bytes must lie below the records; dwords of one load are checked one by one. */
static void buffer_lanes_out_of_range_load_zero_and_store_nothing(void **state)
{
    (void)state;
    struct memory_runner runner = open_runner();
    set_resource(&runner, 100, 0, 3);
    runner.wave->wave.sgpr[8] = 0;
    memory_runner_set(&runner, 1, 0, 8);
    memory_runner_set(&runner, 8, 0xabcd0000, 1);
    assert_true(wave_runner_run(runner.wave, "buffer_load_b64 v[4:5], v1, s[4:7], s8 offen\n"
                                             "buffer_store_b64 v[8:9], v1, s[4:7], s8 offen"));
    for (unsigned lane = 0; lane < LANES; lane++) {
        assert_int_equal(memory_runner_get(&runner, 4, lane), 8 * lane + 4 <= 100 ? memory_runner_value(8 * lane, 4) : 0);
        assert_int_equal(memory_runner_get(&runner, 5, lane),
                         8 * lane + 8 <= 100 ? memory_runner_value(8 * lane + 4, 4) : 0);
    }
    uint32_t dword;
    memcpy(&dword, runner.bytes + 96, 4);
    assert_int_equal(dword, 0xabcd000c);
    for (size_t i = 100; i < BUFFER_BYTES; i++)
        assert_int_equal(runner.bytes[i], memory_runner_byte(i));
    memory_runner_close(&runner);
}

/* Structured: the index must be below the records, and (rule 0) the offset's bytes inside the stride. */
static void structured_buffers_check_index_and_stride(void **state)
{
    (void)state;
    struct memory_runner runner = open_runner();
    set_resource(&runner, 10, 16, 0);
    runner.wave->wave.sgpr[8] = 0;
    memory_runner_set(&runner, 1, 0, 1); /* index */
    memory_runner_set(&runner, 2, 0, 4); /* offset, for lanes 0 to 3 inside the stride */
    assert_true(wave_runner_run(runner.wave, "buffer_load_b32 v4, v[1:2], s[4:7], s8 idxen offen\n"
                                             "buffer_load_b32 v5, v1, s[4:7], s8 idxen offset:12"));
    for (unsigned lane = 0; lane < LANES; lane++) {
        assert_int_equal(memory_runner_get(&runner, 4, lane), lane < 4 ? memory_runner_value(20 * lane, 4) : 0);
        assert_int_equal(memory_runner_get(&runner, 5, lane), lane < 10 ? memory_runner_value(16 * lane + 12, 4) : 0);
    }
    memory_runner_close(&runner);
}

/* In range of the resource, but past the allocation: that is no clipping. */
static void a_resource_larger_than_its_memory_is_a_finding(void **state)
{
    (void)state;
    struct memory_runner runner = open_runner();
    set_resource(&runner, BUFFER_BYTES + 4, 0, 3);
    runner.wave->wave.sgpr[8] = 0;
    memory_runner_set(&runner, 1, BUFFER_BYTES, 0);
    assert_true(
        memory_runner_finds(&runner, "buffer_load_b32 v4, v1, s[4:7], s8 offen", "is 0 bytes past buffer (4096 bytes)"));
    memory_runner_close(&runner);
}

static void lanes_outside_are_found_and_the_others_go_on(void **state)
{
    (void)state;
    struct memory_runner runner = open_runner();
    memory_runner_addresses(&runner, 2, runner.address + BUFFER_BYTES - 4 * 30, 4);
    assert_true(
        memory_runner_finds(&runner, "global_load_b32 v4, v[2:3], off", "lane 30: the address is 0 bytes past buffer"));
    for (unsigned lane = 0; lane < LANES; lane++)
        assert_int_equal(memory_runner_get(&runner, 4, lane),
                         lane < 30 ? memory_runner_value(BUFFER_BYTES - 4 * 30 + 4 * lane, 4) : POISON);
    memory_runner_set(&runner, 8, 5, 0);
    assert_true(memory_runner_finds(&runner, "global_store_b32 v[2:3], v8, off", "(and 1 more lanes)"));
    for (unsigned lane = 0; lane < 30; lane++)
        assert_int_equal(runner.bytes[BUFFER_BYTES - 4 * 30 + 4 * lane], 5);
    memory_runner_close(&runner);
}

/* The first bytes are inside, the last are not. */
static void an_access_that_runs_over_the_end_is_found(void **state)
{
    (void)state;
    struct memory_runner runner = open_runner();
    memory_runner_addresses(&runner, 2, runner.address + BUFFER_BYTES - 3, 0);
    assert_true(memory_runner_finds(&runner, "global_load_b32 v4, v[2:3], off", "and 1 of the 4 bytes lie past its end"));
    assert_true(
        memory_runner_finds(&runner, "global_load_b128 v[4:7], v[2:3], off", "and 13 of the 16 bytes lie past its end"));
    assert_true(wave_runner_run(runner.wave, "global_load_u16 v4, v[2:3], off"));
    memory_runner_close(&runner);
}

static void read_only_memory_loads_but_does_not_store(void **state)
{
    (void)state;
    struct memory_runner runner = open_runner();
    memory_runner_addresses(&runner, 2, runner.address, 4);
    memory_set_read_only(runner.memory, runner.address, true);
    assert_true(wave_runner_run(runner.wave, "global_load_b32 v4, v[2:3], off"));
    assert_true(memory_runner_finds(&runner, "global_store_b32 v[2:3], v4, off", "which is read-only"));
    memory_runner_close(&runner);
}

static void scratch_past_the_lanes_own_is_found(void **state)
{
    (void)state;
    struct memory_runner runner = open_runner();
    memory_runner_set(&runner, 1, 0, 8); /* lane 31 at 248: its 8 bytes end at 256, and 16 do not fit */
    assert_true(wave_runner_run(runner.wave, "scratch_load_b64 v[4:5], v1, off"));
    assert_true(memory_runner_finds(&runner, "scratch_load_b128 v[4:7], v1, off",
                                    "lane 31: scratch address 0xf8 (16 bytes) is outside the lane's 256 bytes"));
    memory_runner_close(&runner);
}

static void an_instruction_without_lanes_touches_nothing(void **state)
{
    (void)state;
    struct memory_runner runner = open_runner();
    runner.wave->wave.exec = 0;
    memory_runner_addresses(&runner, 2, 0, 0);
    assert_true(wave_runner_run(runner.wave, "global_load_b32 v4, v[2:3], off\nglobal_store_b128 v[2:3], v[4:7], off\n"
                                             "flat_load_b32 v4, v[2:3]\nscratch_load_b32 v4, v2, off"));
    assert_int_equal(memory_runner_get(&runner, 4, 0), 0);
    memory_runner_close(&runner);
}

static void wave64_loads_reach_all_lanes(void **state)
{
    (void)state;
    struct memory_runner runner = memory_runner_open("gfx1151", 64, BUFFER_BYTES);
    memory_runner_addresses(&runner, 2, runner.address, 8);
    assert_true(wave_runner_run(runner.wave, "global_load_b64 v[4:5], v[2:3], off"));
    for (unsigned lane = 0; lane < 64; lane++)
        assert_int_equal(memory_runner_get(&runner, 5, lane), memory_runner_value(8 * lane + 4, 4));
    memory_runner_close(&runner);
}

/* gfx9's vector skipping, turned on through MODE, also in code that only indexes registers. */
static void skipping_through_mode_skips_memory_too(void **state)
{
    (void)state;
    struct memory_runner runner = memory_runner_open("gfx90a", 64, BUFFER_BYTES);
    memory_runner_addresses(&runner, 2, runner.address, 4);
    memory_runner_set(&runner, 4, 77, 0);
    memory_runner_set(&runner, 5, 78, 0);
    assert_true(wave_runner_run(runner.wave, "s_set_gpr_idx_on s0, gpr_idx()\ns_set_gpr_idx_off\n"
                                             "s_setreg_imm32_b32 hwreg(HW_REG_MODE, 28, 1), 1\n"
                                             "global_store_dword v[2:3], v4, off\nv_mov_b32 v5, v4\n"
                                             "s_setreg_imm32_b32 hwreg(HW_REG_MODE, 28, 1), 0\n"
                                             "global_store_dword v[2:3], v4, off offset:256"));
    uint32_t skipped = (uint32_t)memory_runner_value(0, 4), stored = 77;
    assert_memory_equal(runner.bytes, &skipped, 4);
    assert_memory_equal(runner.bytes + 256, &stored, 4);
    assert_int_equal(memory_runner_get(&runner, 5, 0), 78);
    memory_runner_close(&runner);
}

/* What is wrong with a typed store is said with the format's code. */
static void a_typed_store_that_cannot_be_names_its_format(void **state)
{
    (void)state;
    static const struct {
        uint32_t code;
        const char *part;
    } cases[] = {
        {0, "the emulator does not know the buffer format with code 0"},
        {48, "the emulator cannot store 1 components in the buffer format with code 48, which has 2"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct memory_runner runner = memory_runner_open("gfx1151", 32, BUFFER_BYTES);
        runner.wave->wave.sgpr[4] = (uint32_t)runner.address;
        runner.wave->wave.sgpr[5] = (uint32_t)(runner.address >> 32);
        runner.wave->wave.sgpr[6] = BUFFER_BYTES;
        runner.wave->wave.sgpr[7] = cases[i].code << 12;
        assert_false(wave_runner_run(runner.wave, "buffer_store_format_x v4, off, s[4:7], 0"));
        assert_true(wave_runner_found(runner.wave, FINDING_UNSUPPORTED, cases[i].part));
        memory_runner_close(&runner);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(global_loads_of_every_format_extend_as_they_say),
        cmocka_unit_test(flat_loads_reach_global_memory),
        cmocka_unit_test(buffer_loads_of_every_format_extend_as_they_say),
        cmocka_unit_test(wide_loads_fill_consecutive_registers),
        cmocka_unit_test(a_load_reads_its_address_before_it_writes),
        cmocka_unit_test(stores_write_their_bytes_and_no_other),
        cmocka_unit_test(every_lane_has_its_own_scratch),
        cmocka_unit_test(flat_addresses_route_to_lds_scratch_and_memory_by_lane),
        cmocka_unit_test(buffer_lanes_out_of_range_load_zero_and_store_nothing),
        cmocka_unit_test(structured_buffers_check_index_and_stride),
        cmocka_unit_test(a_resource_larger_than_its_memory_is_a_finding),
        cmocka_unit_test(lanes_outside_are_found_and_the_others_go_on),
        cmocka_unit_test(an_access_that_runs_over_the_end_is_found),
        cmocka_unit_test(read_only_memory_loads_but_does_not_store),
        cmocka_unit_test(scratch_past_the_lanes_own_is_found),
        cmocka_unit_test(an_instruction_without_lanes_touches_nothing),
        cmocka_unit_test(wave64_loads_reach_all_lanes),
        cmocka_unit_test(skipping_through_mode_skips_memory_too),
        cmocka_unit_test(a_typed_store_that_cannot_be_names_its_format),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
