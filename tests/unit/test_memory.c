/*
 * The guest's address space: deterministic addresses, guard gaps, names in findings, freed memory.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "device/emulator/memory.h"

enum { GUARD_BYTES = 64 << 10 };

static int open_memory(void **state)
{
    *state = memory_open();
    return *state ? 0 : -1;
}

static int close_memory(void **state)
{
    memory_close(*state);
    return 0;
}

static void the_same_calls_give_the_same_addresses(void **state)
{
    struct memory *first = *state, *second = memory_open();
    for (size_t n_bytes = 0; n_bytes < 100000; n_bytes = 3 * n_bytes + 1)
        assert_true(memory_allocate(first, n_bytes, 0, "a") == memory_allocate(second, n_bytes, 0, "b"));
    memory_close(second);
}

/* And they stay apart, also where there is no more room for it. */
static void allocations_straddle_a_multiple_of_4_gib_where_they_are_to(void **state)
{
    uint64_t end = 0;
    int n_straddling = 0, n = 0;
    memory_straddle(*state, true);
    for (; n < 30000; n++) {
        uint64_t address = memory_allocate(*state, 1024, 0, "x");
        assert_true(address % 256 == 0 && (end == 0 || address - end >= GUARD_BYTES));
        n_straddling += address >> 32 != (address + 1023) >> 32;
        end = address + 1024;
    }
    assert_in_range(n_straddling, 20000, n - 1);
    memory_straddle(*state, false);
    assert_true(memory_allocate(*state, 1024, 0, "x") - end < 2 * GUARD_BYTES);
}

/* A tensor of few elements too: its length need only be more than what addresses are aligned to. */
static void short_allocations_straddle_too(void **state)
{
    memory_straddle(*state, true);
    for (size_t n_bytes = 257; n_bytes < 1100; n_bytes++) {
        uint64_t address = memory_allocate(*state, n_bytes, 0, "x");
        assert_true(address % 256 == 0);
        if (address >> 32 == (address + n_bytes - 1) >> 32)
            fail_msg("%zu bytes at 0x%llx", n_bytes, (unsigned long long)address);
    }
}

static void allocations_are_aligned_and_apart(void **state)
{
    uint64_t end = 0;
    for (size_t n_bytes = 1; n_bytes < 1000; n_bytes += 37) {
        uint64_t address = memory_allocate(*state, n_bytes, 0, "x");
        assert_true(address % 256 == 0 && (end == 0 || address - end >= GUARD_BYTES));
        end = address + n_bytes;
    }
}

static void contents_start_poisoned(void **state)
{
    uint64_t address = memory_allocate(*state, 100, 0, "x");
    const uint8_t *host = memory_host(*state, address, 100);
    for (int i = 0; i < 100; i++)
        assert_int_equal(host[i], 0xa5);
}

static void host_bytes_must_lie_in_one_live_allocation(void **state)
{
    uint64_t address = memory_allocate(*state, 100, 0, "x");
    uint8_t *host = memory_host(*state, address, 100);
    assert_non_null(host);
    assert_ptr_equal(memory_host(*state, address + 99, 1), host + 99);
    assert_null(memory_host(*state, address, 101));
    assert_null(memory_host(*state, address - 1, 1));
    assert_null(memory_host(*state, address + 100, 1));
    assert_null(memory_host(*state, address + 1, SIZE_MAX));
    assert_true(memory_free(*state, address));
    assert_null(memory_host(*state, address, 1));
}

static void only_the_first_byte_of_a_live_allocation_frees_it(void **state)
{
    uint64_t address = memory_allocate(*state, 100, 0, "x");
    assert_false(memory_free(*state, address + 1));
    assert_true(memory_free(*state, address));
    assert_false(memory_free(*state, address));
    assert_false(memory_free(*state, 0));
}

static void assert_described(const struct memory *memory, uint64_t address, const char *expected)
{
    char text[200];
    memory_describe(memory, address, text, sizeof text);
    assert_string_equal(text, expected);
}

static void an_address_is_described_by_its_nearest_allocation(void **state)
{
    assert_described(*state, 0x123456789, "address 0x123456789 is in no allocation");
    uint64_t x = memory_allocate(*state, 1024, 0, "x"), y = memory_allocate(*state, 8, 0, "y");
    assert_described(*state, x + 1024, "the address is 0 bytes past x (1024 bytes)");
    assert_described(*state, x + 1028, "the address is 4 bytes past x (1024 bytes)");
    assert_described(*state, x - 16, "the address is 16 bytes before x (1024 bytes)");
    assert_described(*state, x + 5, "the address is byte 5 of x (1024 bytes)");
    assert_described(*state, y - 3, "the address is 3 bytes before y (8 bytes)");
    assert_described(*state, 0, "the address is null");
    assert_described(*state, 12, "the address is 12 bytes past null");
    assert_described(*state, UINT64_MAX, "address 0xffffffffffffffff is in no allocation");
    assert_true(memory_rename(*state, y, "z"));
    assert_true(memory_free(*state, y));
    assert_described(*state, y + 1, "the address is byte 1 of freed z (8 bytes)");
}

/* A finding of a kernel is the same whatever ran before it in the process. */
static void a_description_does_not_depend_on_where_the_allocation_lies(void **state)
{
    char texts[2][200], names[2][200];
    for (int i = 0; i < 2; i++) {
        uint64_t x = memory_allocate(*state, 1024, 0, "x");
        memory_describe(*state, x + 1028, texts[i], sizeof texts[i]);
        memory_name_byte(*state, x + 64, names[i], sizeof names[i]);
    }
    assert_string_equal(texts[0], texts[1]);
    assert_string_equal(names[0], "byte 64 of x (1024 bytes)");
    assert_string_equal(names[1], names[0]);
}

/* The cache must forget a span when it is freed or its place moves. */
static void a_cached_span_is_not_found_once_freed(void **state)
{
    struct span_cache cache = {0};
    uint64_t address = memory_allocate(*state, 64, 3, "x");
    const struct span *span = memory_find_cached(*state, &cache, address + 63);
    assert_true(span && span->base == address && span->device == 3);
    for (int i = 0; i < 1000; i++)
        memory_allocate(*state, 1, 0, "more");
    span = memory_find_cached(*state, &cache, address + 63);
    assert_true(span && span->base == address);
    assert_true(memory_free(*state, address));
    assert_null(memory_find_cached(*state, &cache, address + 63));
}

static void thousands_of_freed_allocations_leave_the_live_ones_findable(void **state)
{
    uint64_t kept = memory_allocate(*state, 16, 0, "kept"), last = 0;
    for (int i = 0; i < 5000; i++) {
        last = memory_allocate(*state, 16, 0, "short-lived");
        assert_true(memory_free(*state, last));
    }
    assert_non_null(memory_find(*state, kept + 15));
    assert_null(memory_find(*state, last));
    assert_described(*state, last, "the address is byte 0 of freed short-lived (16 bytes)");
}

static void the_parts_of_a_split_allocation_lie_side_by_side(void **state)
{
    uint64_t code = memory_allocate(*state, 300, 0, "code");
    uint8_t *host = memory_host(*state, code, 300);
    assert_true(memory_split(*state, code + 200));
    assert_true(memory_rename(*state, code + 200, "data"));
    memory_set_read_only(*state, code, true);
    assert_true(memory_find(*state, code + 199)->read_only);
    assert_false(memory_find(*state, code + 200)->read_only);
    assert_ptr_equal(memory_host(*state, code + 200, 100), host + 200);
    assert_null(memory_host(*state, code, 201));
    assert_described(*state, code + 300, "the address is 0 bytes past data (100 bytes)");
    assert_false(memory_free(*state, code + 200));
    assert_true(memory_free(*state, code));
    assert_null(memory_find(*state, code + 200));
}

/* More than the host has: pages are taken as they are touched. */
static void a_huge_allocation_costs_what_is_touched(void **state)
{
    const size_t n_bytes = (size_t)1 << 40;
    uint64_t address = memory_allocate(*state, n_bytes, 0, "sparse");
    assert_true(address != 0);
    *memory_host(*state, address + n_bytes - 1, 1) = 7;
    assert_int_equal(*memory_host(*state, address + n_bytes / 2, 1), 0);
}

#define MEMORY_TEST(name) cmocka_unit_test_setup_teardown(name, open_memory, close_memory)

int main(void)
{
    const struct CMUnitTest tests[] = {
        MEMORY_TEST(the_same_calls_give_the_same_addresses),
        MEMORY_TEST(allocations_are_aligned_and_apart),
        MEMORY_TEST(allocations_straddle_a_multiple_of_4_gib_where_they_are_to),
        MEMORY_TEST(short_allocations_straddle_too),
        MEMORY_TEST(contents_start_poisoned),
        MEMORY_TEST(host_bytes_must_lie_in_one_live_allocation),
        MEMORY_TEST(only_the_first_byte_of_a_live_allocation_frees_it),
        MEMORY_TEST(an_address_is_described_by_its_nearest_allocation),
        MEMORY_TEST(a_description_does_not_depend_on_where_the_allocation_lies),
        MEMORY_TEST(a_cached_span_is_not_found_once_freed),
        MEMORY_TEST(thousands_of_freed_allocations_leave_the_live_ones_findable),
        MEMORY_TEST(the_parts_of_a_split_allocation_lie_side_by_side),
        MEMORY_TEST(a_huge_allocation_costs_what_is_touched),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
