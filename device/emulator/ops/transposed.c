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

/* The elements that `source` names, for each lane, into the first registers of the destination. */
static void turn(struct wave *wave, const struct instruction *in, const uint32_t loaded[MOST_DWORDS][WAVE_LANES],
                 unsigned n_bits, unsigned n_elements, unsigned n_results, find_source *source)
{
    uint32_t turned[MOST_DWORDS][WAVE_LANES] = {{0}};
    for (unsigned lane = 0; lane < WAVE_LANES; lane++)
        for (unsigned k = 0; k < n_results; k++) {
            struct element_source from = source(lane, k, n_elements);
            lane_field_put(turned, lane, n_bits * k, n_bits, lane_field(loaded, from.lane, n_bits * from.element, n_bits));
        }
    for (unsigned d = 0; d < n_bits * n_results / 32; d++)
        commit_row(wave, operand_row(&in->dst[0]) + d, turned[d]);
}

/* Loads n_dwords a lane into the destination and turns them there. A lane that is off reads nothing; an element that would
 * come from it is of a poison. */
static void load_transposed(struct wave *wave, const struct instruction *in, const struct access *access, unsigned n_dwords,
                            unsigned n_bits, find_source *source)
{
    unsigned row = operand_row(&in->dst[0]), n_elements = 32 * n_dwords / n_bits;
    uint32_t loaded[MOST_DWORDS][WAVE_LANES];
    load_dwords(wave, row, n_dwords, access);
    for (unsigned d = 0; d < MOST_DWORDS; d++)
        for (int lane = 0; lane < WAVE_LANES; lane++)
            loaded[d][lane] =
                d < n_dwords && exec_read(wave) >> lane & 1 ? vgpr_row(wave, row + d)[lane] : (uint32_t)MISSING_POISON;
    turn(wave, in, loaded, n_bits, n_elements, n_elements, source);
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

/* As if every lane read half of what its lane of the first 32 does: for the sanitizer. */
static __attribute__((noinline, cold)) void report_halves(struct wave *wave, const struct instruction *in,
                                                          const struct access *access, unsigned n_bytes)
{
    struct access wide = *access;
    wide.lanes = access->lanes | access->lanes << 32;
    for (int lane = 32; lane < WAVE_LANES; lane++)
        wide.guest[lane] = access->guest[lane - 32] + n_bytes / 2;
    access_report(wave, &wide, 0,
                  &(struct access_record){
                      .registers = REGISTERS_VECTOR, .row = (uint16_t)operand_row(&in->dst[0]), .n_bytes = n_bytes / 2});
}

/* Wave64: the addresses of lanes 0 to 31 count, and each lane gets half as many elements, where matrix instructions of that
 * wave size look for them (RDNA4 ISA, 11.6 "WMMA Matrix Load Ops with Transpose"; AMD's matrix instruction calculator). */
static void load_by_half_wave(struct wave *wave, const struct instruction *in, unsigned n_dwords, unsigned n_bits,
                              find_source *source)
{
    uint32_t loaded[MOST_DWORDS][WAVE_LANES];
    struct access access;
    uint64_t exec = wave->exec;
    wave->exec = exec & UINT32_MAX;
    resolve_global(wave, in, 0, 4 * n_dwords, ACCESS_LOAD, &access);
    wave->exec = exec;
    if (__builtin_expect(wave->watched, 0))
        report_halves(wave, in, &access, 4 * n_dwords);
    for (unsigned d = 0; d < MOST_DWORDS; d++)
        for (int lane = 0; lane < WAVE_LANES; lane++)
            loaded[d][lane] = MISSING_POISON;
    EACH_LANE_OF(access.lanes)
    for (unsigned d = 0; d < n_dwords; d++)
        memcpy(&loaded[d][lane], access_at(&access, lane) + 4 * (size_t)d, 4);
    unsigned n_elements = 32 * n_dwords / n_bits;
    turn(wave, in, loaded, n_bits, n_elements, n_elements / 2, source);
}

/* The lane and the element of wave32 that hold a wave64 lane's element: rows of K in fours instead of eights. */
static struct element_source of_wave32(unsigned lane, unsigned k, unsigned n_elements, find_source *source)
{
    unsigned half = n_elements / 2;
    return source(lane % 16 + lane / 32 * 16, lane / 16 % 2 * half + k, n_elements);
}

static struct element_source source_of_8_columns_wave64(unsigned lane, unsigned k, unsigned n_elements)
{
    return of_wave32(lane, k, n_elements, source_of_8_columns);
}

static struct element_source source_of_gfx12_bytes_wave64(unsigned lane, unsigned k, unsigned n_elements)
{
    return of_wave32(lane, k, n_elements, source_of_gfx12_bytes);
}

#define GLOBAL_TRANSPOSED(name, n_dwords, n_bits, source)                                                                  \
    HANDLER(name)                                                                                                          \
    {                                                                                                                      \
        struct access access;                                                                                              \
        if (WAVE_LANES == 64) {                                                                                            \
            load_by_half_wave(wave, in, n_dwords, n_bits, source##_wave64);                                                \
            return;                                                                                                        \
        }                                                                                                                  \
        resolve_global(wave, in, 0, 4 * (n_dwords), ACCESS_LOAD, &access);                                                 \
        load_transposed(wave, in, &access, n_dwords, n_bits, source);                                                      \
    }
GLOBAL_TRANSPOSED(global_load_tr_b64, 2, 8, source_of_gfx12_bytes)
GLOBAL_TRANSPOSED(global_load_tr_b128, 4, 16, source_of_8_columns)
