/*
 * The opcode table itself: every row is well formed, reachable and has a handler.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "device/emulator/code.h"

/* A row shadowed by an earlier one of the same name would never run. */
static void each_mnemonic_finds_its_own_row(void **state)
{
    (void)state;
    size_t n_opcodes;
    const struct opcode *table = opcode_table(&n_opcodes);
    for (size_t i = 0; i < n_opcodes; i++) {
        assert_int_equal(table[i].index, i);
        if (opcode_find(table[i].mnemonic, strlen(table[i].mnemonic)) != &table[i])
            fail_msg("%s stands twice in the opcode table", table[i].mnemonic);
    }
}

static void unknown_names_are_not_found(void **state)
{
    (void)state;
    assert_null(opcode_find("s_add_u3", 8));
    assert_null(opcode_find("s_add_u321", 10));
    assert_null(opcode_find("", 0));
    assert_non_null(opcode_find("s_endpgm 0", 8));
}

static unsigned count_types(const char *text, size_t length)
{
    unsigned n = length != 0;
    for (size_t i = 0; i < length; i++)
        n += text[i] == ',';
    return n;
}

/* A misspelt type, or more operands than an instruction holds, would read operands wrongly. */
static void each_signature_is_made_of_known_types(void **state)
{
    (void)state;
    size_t n_opcodes;
    const struct opcode *table = opcode_table(&n_opcodes);
    for (size_t i = 0; i < n_opcodes; i++) {
        const struct opcode_signature *signature = opcode_signature(&table[i]);
        const char *text = table[i].signature, *sources = strchr(text, '=');
        size_t n_left = sources ? (size_t)(sources - text) : strlen(text);
        if (signature->n_dst != count_types(text, n_left) ||
            signature->n_src != (sources ? count_types(sources + 1, strlen(sources + 1)) : 0))
            fail_msg("%s: too many operands in \"%s\"", table[i].mnemonic, text);
        for (unsigned k = 0; k < signature->n_dst + signature->n_src; k++)
            if ((k < signature->n_dst ? signature->dst[k] : signature->src[k - signature->n_dst]) == TYPE_NONE)
                fail_msg("%s: unknown type in \"%s\"", table[i].mnemonic, text);
        if (*text && !sources)
            fail_msg("%s: \"%s\" lacks its '='", table[i].mnemonic, text);
    }
}

static void each_row_has_a_handler_for_both_wave_sizes(void **state)
{
    (void)state;
    size_t n_opcodes;
    const struct opcode *table = opcode_table(&n_opcodes);
    handler *const *wave32 = opcode_handlers(32), *const *wave64 = opcode_handlers(64);
    assert_non_null(wave32);
    assert_non_null(wave64);
    for (size_t i = 0; i < n_opcodes; i++)
        if (!wave32[i] || !wave64[i] || wave32[i] == wave64[i])
            fail_msg("%s: wrong handlers", table[i].mnemonic);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_mnemonic_finds_its_own_row),
        cmocka_unit_test(unknown_names_are_not_found),
        cmocka_unit_test(each_signature_is_made_of_known_types),
        cmocka_unit_test(each_row_has_a_handler_for_both_wave_sizes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
