/*
 * Transposed loads: lanes of a group read one matrix by rows, and each gets a column. Sources: "AMD Instinct CDNA4" ISA,
 * LDS transpose reads (ds_read_b64_tr); "RDNA4" ISA, GLOBAL_LOAD_TR; the lanes' places as public kernels for gfx950 and
 * gfx1201 that were checked on cards use them (b4 and b6 follow the rule of b8 and b16).
 */
#include "device/emulator/ops/access.h"

enum { MOST_DWORDS = 4 };

/* Where element k of a lane's result comes from. */
struct element_source {
    unsigned lane, element;
};
typedef struct element_source find_source(unsigned lane, unsigned k, unsigned n_elements);

/* Groups of 16 lanes hold a matrix of 16 columns, row after row over the lanes. */
static struct element_source source_of_16_columns(unsigned lane, unsigned k, unsigned n_elements)
{
    unsigned place = 16 * k + lane % 16;
    return (struct element_source){lane / 16 * 16 + place / n_elements, place % n_elements};
}

/* Groups of eight lanes hold a row of eight each. */
static struct element_source source_of_8_columns(unsigned lane, unsigned k, unsigned n_elements)
{
    (void)n_elements;
    return (struct element_source){lane / 8 * 8 + k, lane % 8};
}

/* gfx12's 16 x 16 bytes: four rows of eight bytes a group of four lanes, the right halves of the rows four lanes on. */
static struct element_source source_of_gfx12_bytes(unsigned lane, unsigned k, unsigned n_elements)
{
    (void)n_elements;
    unsigned from = (lane >> 3 & 1) * 4 + (lane >> 4 & 1) * 16 + (k & 3) + (k >> 2 & 1) * 8;
    return (struct element_source){from, lane & 7};
}

static uint32_t read_bits(const uint32_t rows[MOST_DWORDS][WAVE_LANES], unsigned lane, unsigned first_bit, unsigned n_bits)
{
    uint64_t pair = rows[first_bit / 32][lane];
    if (first_bit / 32 + 1 < MOST_DWORDS)
        pair |= (uint64_t)rows[first_bit / 32 + 1][lane] << 32;
    return (uint32_t)(pair >> first_bit % 32) & (UINT32_MAX >> (32 - n_bits));
}

static void write_bits(uint32_t rows[MOST_DWORDS][WAVE_LANES], unsigned lane, unsigned first_bit, unsigned n_bits,
                       uint32_t value)
{
    uint64_t pair = (uint64_t)value << first_bit % 32;
    rows[first_bit / 32][lane] |= (uint32_t)pair;
    if (first_bit % 32 + n_bits > 32)
        rows[first_bit / 32 + 1][lane] |= (uint32_t)(pair >> 32);
}

/* Loads n_dwords a lane into the destination and turns them there. A lane that is off reads nothing; an element that would
 * come from it is of a poison. */
static void load_transposed(struct wave *wave, const struct instruction *in, const struct access *access, unsigned n_dwords,
                            unsigned n_bits, find_source *source)
{
    unsigned row = operand_row(&in->dst[0]), n_elements = 32 * n_dwords / n_bits;
    uint32_t loaded[MOST_DWORDS][WAVE_LANES], turned[MOST_DWORDS][WAVE_LANES] = {{0}};
    load_dwords(wave, row, n_dwords, access);
    for (unsigned d = 0; d < MOST_DWORDS; d++)
        for (int lane = 0; lane < WAVE_LANES; lane++)
            loaded[d][lane] =
                d < n_dwords && exec_read(wave) >> lane & 1 ? vgpr_row(wave, row + d)[lane] : (uint32_t)MISSING_POISON;
    for (unsigned lane = 0; lane < WAVE_LANES; lane++)
        for (unsigned k = 0; k < n_elements; k++) {
            struct element_source from = source(lane, k, n_elements);
            write_bits(turned, lane, n_bits * k, n_bits, read_bits(loaded, from.lane, n_bits * from.element, n_bits));
        }
    for (unsigned d = 0; d < n_dwords; d++)
        commit_row(wave, row + d, turned[d]);
}

#define DS_TRANSPOSED(name, n_dwords, n_bits)                                                                              \
    HANDLER(name)                                                                                                          \
    {                                                                                                                      \
        LANES32(base, 0);                                                                                                  \
        LANE_ARRAY32(address);                                                                                             \
        struct access access;                                                                                              \
        EACH_LANE address[lane] = base[lane] + (uint32_t)in->offset;                                                       \
        resolve_lds(wave, address, 4 * (n_dwords), ACCESS_LOAD, &access);                                                  \
        load_transposed(wave, in, &access, n_dwords, n_bits, source_of_16_columns);                                        \
    }
DS_TRANSPOSED(ds_read_b64_tr_b4, 2, 4)
DS_TRANSPOSED(ds_read_b64_tr_b8, 2, 8)
DS_TRANSPOSED(ds_read_b64_tr_b16, 2, 16)
DS_TRANSPOSED(ds_read_b96_tr_b6, 3, 6)

/* No public source gives the places of wave64, where each lane gets half as much. */
#define GLOBAL_TRANSPOSED(name, n_dwords, n_bits, source)                                                                  \
    HANDLER(name)                                                                                                          \
    {                                                                                                                      \
        if (WAVE_LANES == 64) {                                                                                            \
            wave_finding(wave, FINDING_UNSUPPORTED, -1, "the emulator knows this load in wave32 only");                    \
            return;                                                                                                        \
        }                                                                                                                  \
        struct access access;                                                                                              \
        resolve_global(wave, in, 0, 4 * (n_dwords), ACCESS_LOAD, &access);                                                 \
        load_transposed(wave, in, &access, n_dwords, n_bits, source);                                                      \
    }
GLOBAL_TRANSPOSED(global_load_tr_b64, 2, 8, source_of_gfx12_bytes)
GLOBAL_TRANSPOSED(global_load_tr_b128, 4, 16, source_of_8_columns)
