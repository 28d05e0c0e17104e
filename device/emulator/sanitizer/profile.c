#include "device/emulator/sanitizer/profile.h"

#include <stdlib.h>

#include "device/emulator/code.h"

/* What an access costs on a family. LDS: 32 banks of a dword (AMD's ISA documents, "Local Data Share"); CDNA4 reads 128
 * bytes a clock, twice the width (CDNA4 white paper). Lines of the vector cache nearest to the lanes: 64 bytes on CDNA1 and
 * CDNA2, 128 on CDNA3 (CDNA3 white paper) and RDNA (RDNA white paper). */
static const struct {
    uint8_t n_banks, line_bytes;
} costs[] = {
    [CHIP_RDNA2] = {32, 128}, [CHIP_RDNA3] = {32, 128}, [CHIP_RDNA35] = {32, 128}, [CHIP_RDNA4] = {32, 128},
    [CHIP_CDNA1] = {32, 64},  [CHIP_CDNA2] = {32, 64},  [CHIP_CDNA3] = {32, 128},  [CHIP_CDNA4] = {64, 128},
};

enum { MAX_BANKS = 64 };

struct instruction_profile *profile_open(uint32_t n_instructions)
{
    return calloc((size_t)n_instructions + 1, sizeof(struct instruction_profile));
}

void profile_add(struct instruction_profile *to, const struct instruction_profile *from, uint32_t n_instructions)
{
    for (uint32_t i = 0; i <= n_instructions; i++)
        instruction_profile_add(&to[i], &from[i]);
}

static struct instruction_profile *row_of(struct wave *wave, const struct instruction *in)
{
    return &wave->profile[in - wave->code->instructions];
}

void profile_instruction(struct wave *wave, const struct instruction *in)
{
    struct instruction_profile *row = row_of(wave, in);
    row->n_executed++;
    if (instruction_is_vector(in))
        row->n_lanes += (unsigned)__builtin_popcountll(wave->exec & wave->full_exec);
}

void profile_branch(struct wave *wave, const struct instruction *in)
{
    if (in->class == CLASS_BRANCH)
        row_of(wave, in)->n_taken += wave->pc != (uint32_t)(in - wave->code->instructions) + 1;
}

/* Dwords that a group of lanes touches, each once. */
struct dwords {
    uint64_t dword[MAX_BANKS * 2];
    uint32_t n, in_bank[MAX_BANKS];
};

static void add_dword(struct dwords *dwords, uint64_t dword, uint32_t n_banks)
{
    for (uint32_t i = 0; i < dwords->n; i++)
        if (dwords->dword[i] == dword)
            return;
    dwords->dword[dwords->n++] = dword;
    dwords->in_bank[dword & (n_banks - 1)]++;
}

static uint32_t passes_of(const struct dwords *dwords, uint32_t n_banks, uint32_t *least)
{
    uint32_t most = 0;
    for (uint32_t bank = 0; bank < n_banks; bank++)
        most = dwords->in_bank[bank] > most ? dwords->in_bank[bank] : most;
    *least += (dwords->n + n_banks - 1) >> __builtin_ctz(n_banks);
    return most;
}

/* The largest power of two of lanes that fill the banks once. */
static uint32_t lanes_at_once(uint32_t n_banks, uint32_t n_bytes)
{
    uint32_t n = n_banks;
    while (n > 1 && n * n_bytes > 4 * n_banks)
        n /= 2;
    return n;
}

uint32_t profile_lds_passes(uint32_t n_banks, uint32_t n_lanes, uint64_t lanes, const uint64_t *bytes, uint32_t n_bytes,
                            uint32_t *least)
{
    uint32_t n_passes = 0, at_once = lanes_at_once(n_banks, n_bytes);
    *least = 0;
    for (uint32_t first = 0; first < n_lanes; first += at_once) {
        struct dwords dwords = {.n = 0};
        for (uint32_t lane = first; lane < first + at_once && lane < n_lanes; lane++)
            if (lanes >> lane & 1)
                for (uint64_t dword = bytes[lane] / 4; dword <= (bytes[lane] + n_bytes - 1) / 4; dword++)
                    add_dword(&dwords, dword, n_banks);
        n_passes += passes_of(&dwords, n_banks, least);
    }
    return n_passes;
}

uint32_t profile_lines(uint32_t line_bytes, uint64_t lanes, const uint64_t *bytes, uint32_t n_bytes)
{
    uint64_t lines[2 * MAX_LANES];
    uint32_t n_lines = 0, shift = (uint32_t)__builtin_ctz(line_bytes);
    for (uint64_t left = lanes; left; left &= left - 1) {
        uint64_t first = bytes[__builtin_ctzll(left)];
        for (uint64_t line = first >> shift; line <= (first + n_bytes - 1) >> shift; line++) {
            uint32_t i = n_lines;
            while (i > 0 && lines[i - 1] != line)
                i--;
            if (i == 0)
                lines[n_lines++] = line;
        }
    }
    return n_lines;
}

static void count_bytes(const struct access_record *record, struct instruction_profile *row)
{
    uint64_t n_bytes = (uint64_t)record->n_bytes * (unsigned)__builtin_popcountll(record->lanes);
    if (record->kind != ACCESS_STORE)
        row->read_bytes[record->space] += n_bytes;
    if (record->kind != ACCESS_LOAD)
        row->written_bytes[record->space] += n_bytes;
}

void profile_access(struct wave *wave, const struct access_record *record)
{
    struct instruction_profile *row = row_of(wave, wave->current);
    uint32_t n_banks = costs[wave->chip->family].n_banks, line_bytes = costs[wave->chip->family].line_bytes, least;
    count_bytes(record, row);
    if (!record->lanes || record->registers == REGISTERS_SCALAR)
        return;
    if (record->space == ACCESS_GLOBAL) {
        row->n_accesses++;
        row->n_lines += profile_lines(line_bytes, record->lanes, record->bytes, record->n_bytes);
    } else if (record->space == ACCESS_LDS) {
        row->n_lds_accesses++;
        row->n_passes += profile_lds_passes(n_banks, wave->n_lanes, record->lanes, record->bytes, record->n_bytes, &least);
        row->n_least_passes += least;
    }
}
