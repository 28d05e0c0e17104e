/*
 * Typed buffer accesses: buffer_load_format and its kin take the format from the resource, tbuffer ones from the
 * instruction
 * ("Vega" ISA, 8.1.6 and 12.14; "RDNA2" and "RDNA3" ISA, tables of buffer formats; LLVM, "AMDGPU MTBUF format"). Formats
 * whose components share a dword with odd sizes (10_11_11 and the like) are unsupported.
 */
#include "device/emulator/float_lanes.h"
#include "device/emulator/ops/access.h"

enum { MOST_COMPONENTS = 4 };
enum number { UNORM, SNORM, USCALED, SSCALED, UINT, SINT, NO_NUMBER, FLOAT };

struct buffer_format {
    uint8_t n_components, bits; /* n_components 0: not supported */
    uint8_t number;
};

/* Where the formats of a component size and count begin: gfx9's data format, and the unified numbers of gfx10 and of gfx11
 * and later, which run over UNORM … SINT and FLOAT as far as the size has them. */
static const struct layout_row {
    uint8_t n_components, bits, gfx9, gfx10, gfx11;
} layouts[] = {
    {1, 8, 1, 1, 1},    {1, 16, 2, 7, 7},    {2, 8, 3, 14, 14},   {1, 32, 4, 20, 20},  {2, 16, 5, 23, 23},
    {4, 8, 10, 56, 42}, {2, 32, 11, 62, 48}, {4, 16, 12, 65, 51}, {3, 32, 13, 72, 58}, {4, 32, 14, 75, 61},
};

static const uint8_t numbers_8[] = {UNORM, SNORM, USCALED, SSCALED, UINT, SINT};
static const uint8_t numbers_16[] = {UNORM, SNORM, USCALED, SSCALED, UINT, SINT, FLOAT};
static const uint8_t numbers_32[] = {UINT, SINT, FLOAT};

static struct buffer_format unified_format(bool is_gfx10, unsigned code)
{
    for (size_t i = 0; i < sizeof layouts / sizeof *layouts; i++) {
        const struct layout_row *row = &layouts[i];
        const uint8_t *numbers = row->bits == 8 ? numbers_8 : row->bits == 16 ? numbers_16 : numbers_32;
        unsigned n_numbers = row->bits == 8 ? sizeof numbers_8 : row->bits == 16 ? sizeof numbers_16 : sizeof numbers_32;
        unsigned first = is_gfx10 ? row->gfx10 : row->gfx11;
        if (code >= first && code < first + n_numbers)
            return (struct buffer_format){row->n_components, row->bits, numbers[code - first]};
    }
    return (struct buffer_format){0};
}

/* Dwords are integers or floats, bytes no floats. */
static bool exists(unsigned bits, unsigned number)
{
    return bits == 32 ? number == UINT || number == SINT || number == FLOAT
                      : number != NO_NUMBER && (number != FLOAT || bits == 16);
}

static struct buffer_format gfx9_format(unsigned data_format, unsigned number)
{
    for (size_t i = 0; i < sizeof layouts / sizeof *layouts; i++)
        if (layouts[i].gfx9 == data_format && exists(layouts[i].bits, number))
            return (struct buffer_format){layouts[i].n_components, layouts[i].bits, (uint8_t)number};
    return (struct buffer_format){0};
}

/* code: the instruction's field, or the resource's. */
static struct buffer_format find_format(const struct wave *wave, unsigned code)
{
    if (chip_is_cdna(wave->chip))
        return gfx9_format(code & 0xf, code >> 4 & 7);
    return unified_format(wave->chip->family == CHIP_RDNA2, code);
}

/* The resource's field as find_format wants it: gfx9 has the number below the data format. */
static unsigned resource_code(const struct wave *wave, uint32_t word)
{
    if (chip_is_cdna(wave->chip))
        return (word >> 15 & 0xf) | (word >> 12 & 7) << 4;
    return word >> 12 & (wave->chip->family == CHIP_RDNA2 ? 0x7f : 0x3f);
}

/* What an instruction moves: its format, its registers, and which component each of them takes. */
struct typed {
    struct buffer_format format;
    unsigned n_values;                /* of the instruction */
    bool is_d16, high_half;           /* 16-bit values, two a register; or one in the high half */
    uint8_t selects[MOST_COMPONENTS]; /* 0: zero, 1: one, 4 + k: component k */
};

enum { SELECT_ZERO, SELECT_ONE, SELECT_COMPONENT = 4 };

static bool read_typed(struct wave *wave, const struct instruction *in, int k, bool is_load, struct typed *typed)
{
    const uint32_t *words = &wave->sgpr[in->src[k + 1].index];
    bool from_instruction = in->opcode->mnemonic[0] == 't';
    unsigned code = from_instruction ? (unsigned)in->immediate : resource_code(wave, words[3]);
    typed->format = find_format(wave, code);
    for (unsigned i = 0; i < MOST_COMPONENTS; i++)
        typed->selects[i] = (uint8_t)(from_instruction || !is_load ? SELECT_COMPONENT + i : words[3] >> 3 * i & 7);
    if (typed->format.n_components && (is_load || typed->n_values >= typed->format.n_components))
        return true;
    if (!typed->format.n_components)
        wave_finding(wave, FINDING_UNSUPPORTED, -1, "the emulator does not know the buffer format with code %u", code);
    else
        wave_finding(wave, FINDING_UNSUPPORTED, -1,
                     "the emulator cannot store %u components in the buffer format with code %u, which has %u",
                     typed->n_values, code, (unsigned)typed->format.n_components);
    return false;
}

/* One component's bits as a 32-bit value: a float, or an integer for UINT and SINT. */
static uint32_t decode_component(struct buffer_format format, uint32_t bits)
{
    unsigned unused = 32u - format.bits;
    int32_t value = (int32_t)(bits << unused) >> unused;
    float most = (float)((UINT64_C(1) << (format.bits - (format.number == SNORM))) - 1);
    switch (format.number) {
    case UNORM:
        return f32_bits((float)bits / most);
    case SNORM:
        return f32_bits((float)value / most < -1 ? -1.0f : (float)value / most);
    case USCALED:
        return f32_bits((float)bits);
    case SSCALED:
        return f32_bits((float)value);
    case SINT:
        return (uint32_t)value;
    case FLOAT:
        return format.bits == 16 ? f32_bits(f16_to_f32(bits)) : bits;
    default:
        return bits;
    }
}

static float clamp_float(float value, float least, float most)
{
    return value != value || value < least ? least : value > most ? most : value;
}

/* Rounds to nearest even; NaN counts as the least. */
static uint32_t encode_component(struct buffer_format format, uint32_t value)
{
    uint32_t mask = UINT32_MAX >> (32 - format.bits), half = mask >> 1;
    float real = bits_f32(value), most = (float)mask, signed_most = (float)half;
    switch (format.number) {
    case UNORM:
        return (uint32_t)__builtin_rintf(clamp_float(real, 0, 1) * most);
    case SNORM:
        return (uint32_t)(int32_t)__builtin_rintf(clamp_float(real, -1, 1) * signed_most) & mask;
    case USCALED:
        return (uint32_t)clamp_float(real, 0, most);
    case SSCALED:
        return (uint32_t)(int32_t)clamp_float(real, -signed_most - 1, signed_most) & mask;
    case UINT:
        return value > mask ? mask : value;
    case SINT:
        return (uint32_t)((int32_t)value > (int32_t)half        ? (int32_t)half
                          : (int32_t)value < -(int32_t)half - 1 ? -(int32_t)half - 1
                                                                : (int32_t)value) &
               mask;
    default:
        return format.bits == 16 ? f32_to_f16_rne(value) : value;
    }
}

static bool is_integer(struct buffer_format format)
{
    return format.number == UINT || format.number == SINT;
}

static uint32_t select_value(const struct typed *typed, unsigned select, const uint32_t *element)
{
    unsigned k = select - SELECT_COMPONENT;
    uint32_t one = is_integer(typed->format) ? 1 : 0x3f800000u;
    if (select == SELECT_ONE || (select >= SELECT_COMPONENT && k >= typed->format.n_components && k == 3))
        return one;
    if (select < SELECT_COMPONENT || k >= typed->format.n_components)
        return 0;
    unsigned bit = k * typed->format.bits;
    return decode_component(typed->format, element[bit / 32] >> bit % 32 & (UINT32_MAX >> (32 - typed->format.bits)));
}

static uint32_t to_d16(struct buffer_format format, uint32_t value)
{
    return is_integer(format) ? value & 0xffff : f32_to_f16_rne(value);
}

static uint32_t element_bytes(struct buffer_format format)
{
    return format.n_components * format.bits / 8u;
}

/* The dwords of every lane's element, 0 where it is clipped. */
static void read_elements(struct wave *wave, const struct instruction *in, struct buffer_format format,
                          uint32_t elements[WAVE_LANES][MOST_COMPONENTS])
{
    struct access pieces[BUFFER_PIECES];
    uint32_t n_bytes = element_bytes(format);
    unsigned n_pieces = resolve_buffer(wave, in, 0, n_bytes, ACCESS_LOAD, pieces);
    memset(elements, 0, WAVE_LANES * sizeof *elements);
    for (unsigned i = 0; i < n_pieces; i++) {
        uint32_t bytes = n_pieces == 1 ? n_bytes : 4;
        if (__builtin_expect(wave->watched, 0))
            access_report(wave, &pieces[i], 0, &(struct access_record){.registers = REGISTERS_NONE, .n_bytes = bytes});
        EACH_LANE_OF(pieces[i].lanes) memcpy(&elements[lane][i], access_at(&pieces[i], lane), bytes);
    }
}

static void load_typed(struct wave *wave, const struct instruction *in, struct typed *typed)
{
    uint32_t elements[WAVE_LANES][MOST_COMPONENTS];
    LANE_ARRAY32(result);
    unsigned row = operand_row(&in->dst[0]);
    if (!read_typed(wave, in, 0, true, typed))
        return;
    read_elements(wave, in, typed->format, elements);
    for (unsigned i = 0; i < typed->n_values; i++) {
        bool upper = typed->high_half || (typed->is_d16 && i % 2);
        if (!typed->is_d16 || i % 2 == 0)
            memcpy(result, vgpr_row(wave, row + (typed->is_d16 ? i / 2 : i)), sizeof result);
        for (int lane = 0; lane < WAVE_LANES; lane++) {
            uint32_t value = select_value(typed, typed->selects[i], elements[lane]);
            if (!typed->is_d16)
                result[lane] = value;
            else if (upper)
                result[lane] = (result[lane] & 0xffffu) | to_d16(typed->format, value) << 16;
            else
                result[lane] = (result[lane] & 0xffff0000u) | to_d16(typed->format, value);
        }
        commit_row(wave, row + (typed->is_d16 ? i / 2 : i), result);
    }
}

static uint32_t register_value(const struct wave *wave, const struct typed *typed, unsigned row, unsigned i, int lane)
{
    if (!typed->is_d16)
        return vgpr_row(wave, row + i)[lane];
    uint32_t pair = vgpr_row(wave, row + i / 2)[lane], half = typed->high_half || i % 2 ? pair >> 16 : pair & 0xffffu;
    if (typed->format.number == SINT)
        return (uint32_t)(int32_t)(int16_t)half;
    return is_integer(typed->format) ? half : f32_bits(f16_to_f32(half));
}

static void store_typed(struct wave *wave, const struct instruction *in, struct typed *typed)
{
    struct access pieces[BUFFER_PIECES];
    unsigned row = operand_row(&in->src[0]);
    if (!read_typed(wave, in, 1, false, typed))
        return;
    uint32_t n_bytes = element_bytes(typed->format);
    unsigned n_pieces = resolve_buffer(wave, in, 1, n_bytes, ACCESS_STORE, pieces);
    for (unsigned i = 0; i < n_pieces; i++) {
        uint32_t bytes = n_pieces == 1 ? n_bytes : 4;
        if (__builtin_expect(wave->watched, 0))
            access_report(wave, &pieces[i], 0, &(struct access_record){.registers = REGISTERS_NONE, .n_bytes = bytes});
        EACH_LANE_OF(pieces[i].lanes)
        {
            uint32_t element[MOST_COMPONENTS] = {0};
            for (unsigned k = 0; k < typed->format.n_components; k++) {
                unsigned bit = k * typed->format.bits;
                element[bit / 32] |= encode_component(typed->format, register_value(wave, typed, row, k, lane)) << bit % 32;
            }
            memcpy(access_at(&pieces[i], lane), &element[i], bytes);
        }
    }
}

#define TYPED(name, values, d16, high)                                                                                     \
    HANDLER(buffer_load_format_##name)                                                                                     \
    {                                                                                                                      \
        struct typed typed = {.n_values = (values), .is_d16 = (d16), .high_half = (high)};                                 \
        load_typed(wave, in, &typed);                                                                                      \
    }                                                                                                                      \
    HANDLER(buffer_store_format_##name)                                                                                    \
    {                                                                                                                      \
        struct typed typed = {.n_values = (values), .is_d16 = (d16), .high_half = (high)};                                 \
        store_typed(wave, in, &typed);                                                                                     \
    }
TYPED(x, 1, false, false)
TYPED(xy, 2, false, false)
TYPED(xyz, 3, false, false)
TYPED(xyzw, 4, false, false)
TYPED(d16_x, 1, true, false)
TYPED(d16_xy, 2, true, false)
TYPED(d16_xyz, 3, true, false)
TYPED(d16_xyzw, 4, true, false)
TYPED(d16_hi_x, 1, true, true)
