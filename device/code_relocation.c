#include "device/code_relocation.h"

#include <gelf.h>
#include <inttypes.h>
#include <string.h>

/* How a type computes its value from S (symbol), A (addend), P (place) and B (load address): AMDGPUUsage, "Relocation
 * Records". */
struct relocation_type {
    const char *name;
    uint32_t type;
    uint8_t n_bytes, shift;
    bool minus_place, uses_symbol;
};

static const struct relocation_type types[] = {
    {"R_AMDGPU_ABS32_LO", 1, 4, 0, false, true},     {"R_AMDGPU_ABS32_HI", 2, 4, 32, false, true},
    {"R_AMDGPU_ABS64", 3, 8, 0, false, true},        {"R_AMDGPU_REL32", 4, 4, 0, true, true},
    {"R_AMDGPU_REL64", 5, 8, 0, true, true},         {"R_AMDGPU_ABS32", 6, 4, 0, false, true},
    {"R_AMDGPU_REL32_LO", 10, 4, 0, true, true},     {"R_AMDGPU_REL32_HI", 11, 4, 32, true, true},
    {"R_AMDGPU_RELATIVE64", 13, 8, 0, false, false},
};

static const struct relocation_type *find_type(uint32_t type)
{
    for (size_t i = 0; i < sizeof types / sizeof *types; i++)
        if (types[i].type == type)
            return &types[i];
    return NULL;
}

/* The table of symbols that a relocation section names. */
struct symbols {
    Elf *elf;
    Elf_Data *data;
    size_t names; /* index of its string section */
};

static bool read_symbol(const struct symbols *symbols, uint64_t index, struct code_relocation *relocation,
                        struct error *error)
{
    GElf_Sym symbol;
    if (!symbols->data || index > INT32_MAX || !gelf_getsym(symbols->data, (int)index, &symbol))
        return error_set(error, STATUS_USAGE,
                         "a relocation at address 0x%" PRIx64 " names symbol %" PRIu64 ", which is not there",
                         relocation->offset, index);
    const char *name = elf_strptr(symbols->elf, symbols->names, symbol.st_name);
    if (symbol.st_shndx == SHN_UNDEF && GELF_ST_BIND(symbol.st_info) != STB_WEAK && index != 0)
        return error_set(error, STATUS_USAGE, "undefined symbol %s: the code object is not whole", name ? name : "?");
    relocation->absolute = symbol.st_shndx == SHN_ABS || symbol.st_shndx == SHN_UNDEF;
    relocation->symbol_value = symbol.st_value;
    return true;
}

static bool read_relocation(const struct code_object *object, const struct symbols *symbols, const GElf_Rela *entry,
                            struct code_relocation *relocation, struct error *error)
{
    const struct relocation_type *type = find_type((uint32_t)GELF_R_TYPE(entry->r_info));
    if (!type)
        return error_set(error, STATUS_USAGE, "relocation type %u at address 0x%" PRIx64 " is not known",
                         (unsigned)GELF_R_TYPE(entry->r_info), entry->r_offset);
    if (!code_segment_at(object, entry->r_offset, type->n_bytes))
        return error_set(error, STATUS_USAGE, "%s at address 0x%" PRIx64 " lies outside the segments", type->name,
                         entry->r_offset);
    *relocation = (struct code_relocation){.offset = entry->r_offset, .type = type->type, .addend = entry->r_addend};
    return !type->uses_symbol || read_symbol(symbols, GELF_R_SYM(entry->r_info), relocation, error);
}

static bool read_section(const struct code_object *object, const struct symbols *symbols, Elf_Data *data, size_t n_entries,
                         struct code_relocation *relocations, size_t *n_read, struct error *error)
{
    for (size_t i = 0; i < n_entries; i++) {
        GElf_Rela entry;
        if (!gelf_getrela(data, (int)i, &entry))
            return error_set(error, STATUS_USAGE, "truncated relocation %zu: %s", i, elf_errmsg(-1));
        if (GELF_R_TYPE(entry.r_info) == 0) /* R_AMDGPU_NONE */
            continue;
        if (!read_relocation(object, symbols, &entry, &relocations[(*n_read)++], error))
            return false;
    }
    return true;
}

static bool parse_section(Elf *elf, Elf_Scn *section, const GElf_Shdr *header, struct code_object *object,
                          struct error *error)
{
    Elf_Data *data = elf_getdata(section, NULL);
    if (!data || !data->d_buf)
        return header->sh_size == 0 ||
               error_set(error, STATUS_USAGE, "truncated relocations at offset 0x%" PRIx64, header->sh_offset);
    size_t n_entries = data->d_size / sizeof(Elf64_Rela), n_old = object->n_relocations;
    struct code_relocation *all = arena_alloc(&object->arena, (n_old + n_entries + 1) * sizeof *all);
    if (!all)
        return error_set(error, STATUS_ENVIRONMENT, "out of memory");
    if (n_old)
        memcpy(all, object->relocations, n_old * sizeof *all);
    GElf_Shdr symbol_header = {0};
    Elf_Scn *symbol_section = elf_getscn(elf, header->sh_link);
    struct symbols symbols = {.elf = elf};
    if (symbol_section && gelf_getshdr(symbol_section, &symbol_header) &&
        (symbol_header.sh_type == SHT_DYNSYM || symbol_header.sh_type == SHT_SYMTAB)) {
        symbols.data = elf_getdata(symbol_section, NULL);
        symbols.names = symbol_header.sh_link;
    }
    object->relocations = all;
    return read_section(object, &symbols, data, n_entries, all, &object->n_relocations, error);
}

bool code_relocations_parse(Elf *elf, struct code_object *object, struct error *error)
{
    for (Elf_Scn *section = NULL; (section = elf_nextscn(elf, section));) {
        GElf_Shdr header;
        if (!gelf_getshdr(section, &header) || !(header.sh_flags & SHF_ALLOC))
            continue;
        if (header.sh_type == SHT_REL)
            return error_set(error, STATUS_USAGE, "relocations without addends at offset 0x%" PRIx64 " are not AMDGPU's",
                             header.sh_offset);
        if (header.sh_type == SHT_RELA && !parse_section(elf, section, &header, object, error))
            return false;
    }
    return true;
}

void code_relocation_apply(const struct code_relocation *relocation, uint64_t load_address, uint8_t *image)
{
    const struct relocation_type *type = find_type(relocation->type);
    uint64_t base = type->uses_symbol && relocation->absolute ? 0 : load_address;
    uint64_t value = base + relocation->symbol_value + (uint64_t)relocation->addend;
    if (type->minus_place)
        value -= load_address + relocation->offset;
    value >>= type->shift;
    for (unsigned i = 0; i < type->n_bytes; i++)
        image[relocation->offset + i] = (uint8_t)(value >> 8 * i);
}
