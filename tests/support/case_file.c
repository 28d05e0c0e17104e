#include "tests/support/case_file.h"

#include <stdlib.h>
#include <string.h>

#include "contract/base/file.h"
#include "tests/support/case_parse.h"
#include "tests/support/evidence.h"
#include "tests/support/group_runner.h"
#include "tests/support/wave_runner.h"

/* Before each case's code; the assembler puts all cases of a file into one section. */
#define MARK UINT32_C(0x00c0ffee)

static uint64_t value_at(const struct case_state *state, unsigned element)
{
    const struct case_value *value = &state->values[element < state->n_values ? element : state->n_values - 1];
    return value->base + value->slope * element;
}

static bool is_ignored(const struct case_state *state, unsigned element)
{
    return state->values[element < state->n_values ? element : state->n_values - 1].ignored;
}

/* Where dword `d` of an element of a place lies on the host: lanes of a VGPR, dwords of memory. */
static uint32_t *place_dword(struct group_runner *runner, uint8_t *memory, const struct place *place, unsigned element,
                             unsigned d)
{
    struct wave *wave = &runner->group.waves[0];
    switch (place->kind) {
    case PLACE_VGPR:
        return &group_runner_vgpr(runner, 0, place->index + d)[element];
    case PLACE_SCALAR:
        return &wave->sgpr[place->index + d];
    case PLACE_SCC:
        return &wave->scc;
    case PLACE_MODE:
        return &wave->mode;
    case PLACE_MEMORY:
        return (uint32_t *)(memory + place->index) + element;
    default:
        return (uint32_t *)(runner->group.lds + place->index) + element;
    }
}

static unsigned n_elements(const struct case_state *state, uint32_t n_lanes)
{
    if (state->place.kind == PLACE_VGPR)
        return n_lanes;
    return state->place.kind == PLACE_MEMORY || state->place.kind == PLACE_LDS ? (unsigned)state->n_values : 1;
}

static void set_state(struct group_runner *runner, uint8_t *memory, const struct case_state *state)
{
    struct wave *wave = &runner->group.waves[0];
    for (unsigned i = 0; i < n_elements(state, wave->n_lanes); i++)
        for (unsigned d = 0; d < state->place.n_dwords; d++)
            *place_dword(runner, memory, &state->place, i, d) = (uint32_t)(value_at(state, i) >> 32 * d);
    if (state->place.kind == PLACE_MODE)
        wave_mode_changed(wave);
}

/* Prints the first element that differs. */
static bool check_state(struct group_runner *runner, uint8_t *memory, const struct case_state *state, const char *place,
                        FILE *out)
{
    for (unsigned i = 0; i < n_elements(state, runner->group.waves[0].n_lanes); i++) {
        uint64_t got = 0, expected = value_at(state, i);
        for (unsigned d = 0; d < state->place.n_dwords; d++)
            got |= (uint64_t)*place_dword(runner, memory, &state->place, i, d) << 32 * d;
        if (state->place.n_dwords == 1)
            expected = (uint32_t)expected;
        if (got == expected || is_ignored(state, i))
            continue;
        fprintf(out, "FAIL %s: %s, element %u: got 0x%llx, expected 0x%llx\n", place, state->text, i,
                (unsigned long long)got, (unsigned long long)expected);
        return false;
    }
    return true;
}

static bool run_prepared(const struct instruction_case *test, struct group_runner *runner, const char *path, FILE *out)
{
    uint64_t address = group_runner_allocate(runner, CASE_MEMORY_BYTES, "memory");
    uint8_t *memory = address ? memory_host(runner->memory, address, CASE_MEMORY_BYTES) : NULL;
    if (!memory) {
        fprintf(out, "FAIL %s: out of memory\n", test->name);
        return false;
    }
    memcpy(&runner->group.waves[0].sgpr[2], &address, 8);
    for (size_t i = 0; i < test->n_before; i++)
        set_state(runner, memory, &test->before[i]);
    if (!group_runner_run(runner)) {
        fprintf(out, "FAIL %s:%zu: %s: %s: %s\n", path, test->line, test->name, finding_kind_name(runner->findings[0].kind),
                runner->findings[0].text);
        return false;
    }
    bool ok = true;
    for (size_t i = 0; i < test->n_after; i++) {
        char place[400];
        snprintf(place, sizeof place, "%s:%zu: %s", path, test->after[i].line, test->name);
        ok &= check_state(runner, memory, &test->after[i], place, out);
    }
    return ok;
}

static bool run_case(const struct instruction_case *test, const char *chip, const uint8_t *code, size_t code_bytes,
                     const char *path, FILE *out)
{
    struct error error;
    struct group_launch launch = {.chip = chip,
                                  .n_lanes = test->n_lanes,
                                  .n_items = test->n_lanes,
                                  .code = code,
                                  .code_bytes = code_bytes,
                                  .lds_bytes = CASE_LDS_BYTES,
                                  .scratch_bytes = 256};
    struct group_runner *runner = group_runner_open(&launch, &error);
    bool ok = runner && run_prepared(test, runner, path, out);
    if (!runner)
        fprintf(out, "FAIL %s:%zu: %s: %s\n", path, test->line, test->name, error.text);
    else if (ok)
        evidence_note_code(&runner->code, NULL, "case");
    group_runner_close(runner);
    return ok;
}

/* Bytes from `from` on until the mark of case `number`; n_bytes where there is none. */
static size_t find_mark(const uint8_t *bytes, size_t n_bytes, size_t from, uint32_t number)
{
    const uint32_t mark[] = {MARK, number};
    for (; from + sizeof mark <= n_bytes; from += 4)
        if (memcmp(bytes + from, mark, sizeof mark) == 0)
            return from;
    return n_bytes;
}

/* Cases that stand together and are for the same chips and wave size: one run of the assembler serves them. */
static bool run_together(const struct instruction_case *cases, size_t n, const char *chip, const char *path, FILE *out,
                         struct case_tally *tally, struct error *error)
{
    struct text text = {0};
    uint8_t *bytes;
    size_t n_bytes;
    for (size_t i = 0; i < n; i++)
        text_append(&text, ".long 0x%x, %zu\n%ss_endpgm\n", MARK, i, cases[i].assembly.data);
    bool ok = wave_runner_assemble(chip, cases[0].n_lanes, text.data, &bytes, &n_bytes);
    text_free(&text);
    if (!ok)
        return error_set(error, STATUS_USAGE, "%s: does not assemble for %s", path, chip);
    size_t start = find_mark(bytes, n_bytes, 0, 0);
    for (size_t i = 0; i < n; i++) {
        size_t end = find_mark(bytes, n_bytes, start + 8, (uint32_t)i + 1);
        tally->n_run++;
        tally->n_failed += !run_case(&cases[i], chip, bytes + start + 8, end - start - 8, path, out);
        start = end;
    }
    free(bytes);
    return true;
}

/* run_together for each chip that the cases name, or for the only one that is asked for. */
static bool run_on_chips(const struct instruction_case *cases, size_t n, const char *only, const char *path, FILE *out,
                         struct case_tally *tally, struct error *error)
{
    char names[256], *rest = names;
    bool ok = true;
    snprintf(names, sizeof names, "%s", cases[0].chips);
    for (char *chip; ok && (chip = strsep(&rest, " "));)
        if (*chip && (!only || strcmp(chip, only) == 0))
            ok = run_together(cases, n, chip, path, out, tally, error);
    return ok;
}

bool case_file_run(const char *path, const char *chip, FILE *out, struct case_tally *tally, struct error *error)
{
    struct arena arena = {0};
    struct instruction_case *cases = NULL;
    char *text;
    size_t n_bytes, n_cases = 0;
    if (!file_read(path, &text, &n_bytes, error))
        return false;
    bool ok = cases_parse(path, text, &arena, &cases, &n_cases, error);
    for (size_t first = 0, n; ok && first < n_cases; first += n) {
        for (n = 1; first + n < n_cases && !strcmp(cases[first + n].chips, cases[first].chips) &&
                    cases[first + n].n_lanes == cases[first].n_lanes;)
            n++;
        ok = run_on_chips(cases + first, n, chip, path, out, tally, error);
    }
    cases_free(cases, n_cases);
    arena_free(&arena);
    free(text);
    return ok;
}
