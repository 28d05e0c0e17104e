#include "device/code_object.h"

#include <gelf.h>
#include <inttypes.h>
#include <libelf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "device/code_extent.h"
#include "device/code_metadata.h"
#include "device/code_relocation.h"
#include "records/chips.h"

/* Figures of the format that libelf's header of Debian 12 does not have (AMDGPUUsage, "ELF Header" and "Note Records"). */
enum {
    ELF_MACHINE_AMDGPU = 224,
    ELF_OSABI_AMDGPU_HSA = 64,
    ABI_VERSION_OF_V4 = 2,
    MACHINE_MASK = 0xff,
    NOTE_AMDGPU_METADATA = 32,
    DESCRIPTOR_BYTES = 64,
    PROPERTY_WAVE32 = 1 << 10,
};
/* No code object of ours comes near it; a larger one is damaged or hostile. */
static const uint64_t max_image_bytes = (uint64_t)1 << 30;

struct parse {
    struct code_object *object;
    Elf *elf;
    struct error *error;
};

#define FAIL(parse, ...) error_set((parse)->error, STATUS_USAGE, __VA_ARGS__)

static bool out_of_memory(struct error *error)
{
    return error_set(error, STATUS_ENVIRONMENT, "out of memory");
}

/* Files that people give by mistake, by their first bytes, and what to do with each. */
static bool refuse_foreign(const uint8_t *bytes, size_t n_bytes, struct error *error)
{
    static const char unbundle[] =
        "take one chip's code object out of it: clang-offload-bundler --unbundle --type=o --input=FILE "
        "--targets=hip-amdgcn-amd-amdhsa--gfx1151 --output=k.co (or compile with --no-gpu-bundle-output)";
    static const struct {
        const char *magic, *what, *advice;
    } kinds[] = {
        {"__CLANG_OFFLOAD_BUNDLE__", "an offload bundle", unbundle},
        {"CCOB", "a compressed offload bundle", unbundle},
        {"BC\xc0\xde", "LLVM bitcode", "link it: clang --target=amdgcn-amd-amdhsa -mcpu=gfx1151"},
        {"!<arch>\n", "an archive", "give a linked code object"},
    };
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        size_t length = strlen(kinds[i].magic);
        if (n_bytes >= length && memcmp(bytes, kinds[i].magic, length) == 0)
            return error_set(error, STATUS_USAGE, "%s, not a code object; %s", kinds[i].what, kinds[i].advice);
    }
    if (n_bytes == 0)
        return error_set(error, STATUS_USAGE, "the file is empty");
    if (n_bytes < SELFMAG || memcmp(bytes, ELFMAG, SELFMAG) != 0)
        return error_set(error, STATUS_USAGE, "not an ELF file (no ELF magic at offset 0)");
    if (n_bytes < sizeof(Elf64_Ehdr))
        return error_set(error, STATUS_USAGE, "truncated: %zu bytes, an ELF header has %zu", n_bytes, sizeof(Elf64_Ehdr));
    return true;
}

static bool parse_chip(struct parse *parse, uint32_t flags)
{
    static const struct {
        uint32_t machine;
        const char *name;
    } generic[] = {{0x51, "gfx9-generic"},  {0x52, "gfx10-1-generic"}, {0x53, "gfx10-3-generic"},
                   {0x54, "gfx11-generic"}, {0x59, "gfx12-generic"},   {0x5f, "gfx9-4-generic"}};
    uint32_t machine = flags & MACHINE_MASK;
    for (size_t i = 0; i < sizeof generic / sizeof *generic; i++)
        if (generic[i].machine == machine)
            return FAIL(parse, "a code object for the generic target %s; compile for one chip, such as gfx1151",
                        generic[i].name);
    const struct chip *chip = chip_find_machine(machine);
    if (!chip)
        return FAIL(parse, "machine 0x%x in the ELF flags (offset 48) is no chip of docs/chips.md", machine);
    snprintf(parse->object->chip, sizeof parse->object->chip, "%s", chip->name);
    return true;
}

static bool parse_header(struct parse *parse)
{
    GElf_Ehdr header;
    if (elf_kind(parse->elf) != ELF_K_ELF || !gelf_getehdr(parse->elf, &header))
        return FAIL(parse, "damaged ELF header: %s", elf_errmsg(-1));
    if (header.e_ident[EI_CLASS] != ELFCLASS64 || header.e_ident[EI_DATA] != ELFDATA2LSB ||
        header.e_machine != ELF_MACHINE_AMDGPU)
        return FAIL(parse, "an ELF file for machine %u, not for AMDGPU (224)", header.e_machine);
    if (header.e_ident[EI_OSABI] != ELF_OSABI_AMDGPU_HSA)
        return FAIL(parse, "OS/ABI %u, not AMDGPU HSA (64): not made for the HIP runtime", header.e_ident[EI_OSABI]);
    int version = header.e_ident[EI_ABIVERSION] - ABI_VERSION_OF_V4 + 4;
    if (version < 4 || version > 6)
        return FAIL(parse,
                    "ABI version %u: code object versions 4, 5 and 6 are read (compile with -mcode-object-version=5)",
                    header.e_ident[EI_ABIVERSION]);
    if (header.e_type != ET_DYN)
        return FAIL(parse, "ELF type %u is not a linked code object (3); link it with ld.lld -shared", header.e_type);
    parse->object->version = version;
    return parse_chip(parse, header.e_flags);
}

static int by_address(const void *a, const void *b)
{
    const struct code_segment *left = a, *right = b;
    return (left->address > right->address) - (left->address < right->address);
}

static bool check_segment(struct parse *parse, size_t index, const GElf_Phdr *header)
{
    size_t n_bytes = parse->object->n_bytes;
    if (header->p_offset > n_bytes || header->p_filesz > n_bytes - header->p_offset)
        return FAIL(parse, "truncated: segment %zu has bytes 0x%" PRIx64 "+0x%" PRIx64 " of a file of 0x%zx", index,
                    header->p_offset, header->p_filesz, n_bytes);
    if (header->p_filesz > header->p_memsz || header->p_memsz > max_image_bytes || header->p_vaddr > max_image_bytes)
        return FAIL(parse, "segment %zu: 0x%" PRIx64 " bytes at address 0x%" PRIx64 " cannot be", index, header->p_memsz,
                    header->p_vaddr);
    return true;
}

static bool check_overlap(struct parse *parse, const struct code_segment *segments, size_t n_segments)
{
    for (size_t i = 1; i < n_segments; i++)
        if (segments[i].address - segments[i - 1].address < segments[i - 1].memory_bytes)
            return FAIL(parse, "segments overlap at address 0x%" PRIx64, segments[i].address);
    return true;
}

static bool parse_segments(struct parse *parse)
{
    struct code_object *object = parse->object;
    size_t n_headers;
    if (elf_getphdrnum(parse->elf, &n_headers) != 0 || n_headers > object->n_bytes / sizeof(Elf64_Phdr))
        return FAIL(parse, "truncated: the program headers end past the file");
    struct code_segment *segments = arena_alloc(&object->arena, (n_headers + 1) * sizeof *segments);
    if (!segments)
        return out_of_memory(parse->error);
    size_t n_segments = 0;
    for (size_t i = 0; i < n_headers; i++) {
        GElf_Phdr header;
        if (!gelf_getphdr(parse->elf, (int)i, &header))
            return FAIL(parse, "truncated: program header %zu: %s", i, elf_errmsg(-1));
        if (header.p_type != PT_LOAD)
            continue;
        if (!check_segment(parse, i, &header))
            return false;
        segments[n_segments++] = (struct code_segment){.address = header.p_vaddr,
                                                       .file_offset = header.p_offset,
                                                       .file_bytes = header.p_filesz,
                                                       .memory_bytes = header.p_memsz,
                                                       .executable = header.p_flags & PF_X,
                                                       .writable = header.p_flags & PF_W};
    }
    if (n_segments == 0)
        return FAIL(parse, "no loadable segment");
    qsort(segments, n_segments, sizeof *segments, by_address);
    object->segments = segments;
    object->n_segments = n_segments;
    return check_overlap(parse, segments, n_segments);
}

/* The section of a type; the first one, with its header in *header. NULL where there is none. */
static Elf_Scn *find_section(Elf *elf, uint32_t type, GElf_Shdr *header)
{
    for (Elf_Scn *section = NULL; (section = elf_nextscn(elf, section));)
        if (gelf_getshdr(section, header) && header->sh_type == type)
            return section;
    return NULL;
}

static int symbol_order(const void *a, const void *b)
{
    const struct code_symbol *left = a, *right = b;
    if (left->address != right->address)
        return left->address < right->address ? -1 : 1;
    return strcmp(left->name, right->name);
}

/* Functions and objects that lie in a section; the compiler's absolute marks ("k.num_vgpr") are not addresses. */
static bool is_placed(const GElf_Sym *symbol)
{
    int type = GELF_ST_TYPE(symbol->st_info);
    return symbol->st_shndx != SHN_UNDEF && symbol->st_shndx < SHN_LORESERVE &&
           (type == STT_FUNC || type == STT_OBJECT || type == STT_NOTYPE);
}

/* Names are shown to people, whose terminals would obey. */
static bool is_printable(const char *name)
{
    while ((unsigned char)*name >= ' ' && *name != 0x7f)
        name++;
    return *name == '\0';
}

static bool parse_symbols(struct parse *parse)
{
    struct code_object *object = parse->object;
    GElf_Shdr header;
    Elf_Scn *section = find_section(parse->elf, SHT_SYMTAB, &header);
    if (!section)
        section = find_section(parse->elf, SHT_DYNSYM, &header);
    Elf_Data *data = section ? elf_getdata(section, NULL) : NULL;
    if (!data || !data->d_buf)
        return FAIL(parse, "no symbol table (stripped, or truncated before the section headers)");
    size_t n_entries = data->d_size / sizeof(Elf64_Sym);
    struct code_symbol *symbols = arena_alloc(&object->arena, (n_entries + 1) * sizeof *symbols);
    if (!symbols)
        return out_of_memory(parse->error);
    for (size_t i = 0; i < n_entries; i++) {
        GElf_Sym symbol;
        if (!gelf_getsym(data, (int)i, &symbol) || !is_placed(&symbol))
            continue;
        const char *name = elf_strptr(parse->elf, header.sh_link, symbol.st_name);
        if (!name)
            return FAIL(parse, "symbol %zu has no name: %s", i, elf_errmsg(-1));
        if (!is_printable(name))
            return FAIL(parse, "symbol %zu has control characters in its name: %s", i, name);
        const char *copy = arena_format(&object->arena, "%s", name);
        if (!copy)
            return out_of_memory(parse->error);
        symbols[object->n_symbols++] = (struct code_symbol){.name = copy,
                                                            .address = symbol.st_value,
                                                            .size_bytes = symbol.st_size,
                                                            .is_function = GELF_ST_TYPE(symbol.st_info) == STT_FUNC};
    }
    qsort(symbols, object->n_symbols, sizeof *symbols, symbol_order);
    object->symbols = symbols;
    return true;
}

static bool parse_metadata_note(struct parse *parse, Elf_Data *data, struct code_metadata *metadata, bool *found)
{
    GElf_Nhdr note;
    size_t name_at, bytes_at;
    for (size_t at = 0; !*found && at < data->d_size;) {
        size_t next = gelf_getnote(data, at, &note, &name_at, &bytes_at);
        if (next <= at)
            return FAIL(parse, "damaged note at byte %zu of the note segment", at);
        at = next;
        const char *owner = (const char *)data->d_buf + name_at;
        if (note.n_type != NOTE_AMDGPU_METADATA || note.n_namesz != 7 || memcmp(owner, "AMDGPU", 7) != 0)
            continue;
        *found = true;
        if (!code_metadata_parse((const uint8_t *)data->d_buf + bytes_at, note.n_descsz, &parse->object->arena, metadata,
                                 parse->error))
            return false;
    }
    return true;
}

static bool parse_notes(struct parse *parse, struct code_metadata *metadata)
{
    size_t n_headers = 0;
    bool found = false;
    elf_getphdrnum(parse->elf, &n_headers);
    for (size_t i = 0; i < n_headers && !found; i++) {
        GElf_Phdr header;
        if (!gelf_getphdr(parse->elf, (int)i, &header) || header.p_type != PT_NOTE)
            continue;
        Elf_Data *data = NULL;
        if (header.p_offset <= parse->object->n_bytes && header.p_filesz <= parse->object->n_bytes - header.p_offset)
            data = elf_getdata_rawchunk(parse->elf, (int64_t)header.p_offset, header.p_filesz,
                                        header.p_align == 8 ? ELF_T_NHDR8 : ELF_T_NHDR);
        if (!data)
            return FAIL(parse, "truncated: the note segment at offset 0x%" PRIx64 " ends past the file", header.p_offset);
        if (!parse_metadata_note(parse, data, metadata, &found))
            return false;
    }
    return found || FAIL(parse, "no AMDGPU metadata note: not a code object that the HIP runtime can load");
}

/* "amdgcn-amd-amdhsa--gfx90a:sramecc+" must name the chip that the ELF flags name. */
static bool check_target(struct parse *parse, const char *target)
{
    const char *dash = strrchr(target, '-');
    const char *name = dash ? dash + 1 : target;
    if (strncmp(target, "amdgcn-", 7) == 0 && strcspn(name, ":") == strlen(parse->object->chip) &&
        strncmp(name, parse->object->chip, strlen(parse->object->chip)) == 0)
        return true;
    return FAIL(parse, "the metadata's target %s is not the ELF flags' chip %s", target, parse->object->chip);
}

static uint64_t little_endian(const uint8_t *bytes, unsigned n_bytes)
{
    uint64_t value = 0;
    for (unsigned i = n_bytes; i-- > 0;)
        value = value << 8 | bytes[i];
    return value;
}

/* Offsets: AMDGPUUsage, "Kernel Descriptor". */
static struct code_descriptor read_descriptor(const uint8_t *bytes)
{
    return (struct code_descriptor){
        .group_segment_bytes = (uint32_t)little_endian(bytes, 4),
        .private_segment_bytes = (uint32_t)little_endian(bytes + 4, 4),
        .kernarg_bytes = (uint32_t)little_endian(bytes + 8, 4),
        .entry_offset_bytes = (int64_t)little_endian(bytes + 16, 8),
        .rsrc3 = (uint32_t)little_endian(bytes + 44, 4),
        .rsrc1 = (uint32_t)little_endian(bytes + 48, 4),
        .rsrc2 = (uint32_t)little_endian(bytes + 52, 4),
        .kernel_code_properties = (uint16_t)little_endian(bytes + 56, 2),
        .kernarg_preload = (uint16_t)little_endian(bytes + 58, 2),
    };
}

static const struct code_symbol *find_symbol(const struct code_object *object, const char *name, const char *suffix)
{
    size_t length = strlen(name);
    for (size_t i = 0; i < object->n_symbols; i++)
        if (strncmp(object->symbols[i].name, name, length) == 0 && strcmp(object->symbols[i].name + length, suffix) == 0)
            return &object->symbols[i];
    return NULL;
}

static bool check_descriptor(struct parse *parse, const struct code_kernel *kernel)
{
    const struct code_segment *entry = code_segment_at(parse->object, kernel->entry_address, 4);
    if (!entry || !entry->executable || kernel->entry_address % 4 != 0)
        return FAIL(parse, "kernel %s: entry address 0x%" PRIx64 " is not in executable code", kernel->name,
                    kernel->entry_address);
    bool wave32 = kernel->descriptor.kernel_code_properties & PROPERTY_WAVE32;
    if ((kernel->wave_size == 32) != wave32)
        return FAIL(parse, "kernel %s: wave size %u in the metadata, %d in the descriptor", kernel->name, kernel->wave_size,
                    wave32 ? 32 : 64);
    if (kernel->descriptor.kernarg_bytes > CODE_KERNARG_LIMIT)
        return FAIL(parse, "kernel %s: a kernarg segment of %u bytes in the descriptor, over 1 MiB", kernel->name,
                    kernel->descriptor.kernarg_bytes);
    const struct chip *chip = chip_find(parse->object->chip);
    if (wave32 ? !chip->has_wave32 : !chip->has_wave64)
        return FAIL(parse, "kernel %s: %s has no waves of %u lanes", kernel->name, chip->name, kernel->wave_size);
    return true;
}

static bool parse_kernel(struct parse *parse, struct code_kernel *kernel)
{
    struct code_object *object = parse->object;
    const struct code_symbol *symbol = find_symbol(object, kernel->name, ".kd");
    if (!symbol)
        return FAIL(parse, "kernel %s: no symbol %s.kd", kernel->name, kernel->name);
    const struct code_segment *segment = code_segment_at(object, symbol->address, DESCRIPTOR_BYTES);
    if (!segment || symbol->address - segment->address + DESCRIPTOR_BYTES > segment->file_bytes)
        return FAIL(parse, "kernel %s: its descriptor at address 0x%" PRIx64 " is not in the file", kernel->name,
                    symbol->address);
    kernel->descriptor_address = symbol->address;
    kernel->descriptor = read_descriptor(object->bytes + segment->file_offset + (symbol->address - segment->address));
    kernel->entry_address = symbol->address + (uint64_t)kernel->descriptor.entry_offset_bytes;
    const struct code_symbol *function = find_symbol(object, kernel->name, "");
    if (function && function->is_function && function->address == kernel->entry_address &&
        function->size_bytes <= UINT32_MAX)
        kernel->code_bytes = (uint32_t)function->size_bytes;
    return check_descriptor(parse, kernel);
}

static bool parse_kernels(struct parse *parse)
{
    struct code_metadata metadata = {0};
    if (!parse_notes(parse, &metadata) || !check_target(parse, metadata.target))
        return false;
    for (size_t i = 0; i < metadata.n_kernels; i++)
        if (!parse_kernel(parse, &metadata.kernels[i]))
            return false;
    parse->object->kernels = metadata.kernels;
    parse->object->n_kernels = metadata.n_kernels;
    return true;
}

/* What the headers name must be there: a loader without a length takes the file by them. */
static bool check_extent(struct parse *parse)
{
    uint64_t extent = code_extent(parse->object->bytes, parse->object->n_bytes);
    if (extent == 0)
        return FAIL(parse, "truncated or damaged: its headers lie past its %zu bytes or hold impossible figures",
                    parse->object->n_bytes);
    if (extent > parse->object->n_bytes)
        return FAIL(parse, "truncated: %zu bytes, its headers name %" PRIu64, parse->object->n_bytes, extent);
    return true;
}

static bool parse_elf(struct parse *parse)
{
    return parse_header(parse) && check_extent(parse) && parse_segments(parse) && parse_symbols(parse) &&
           parse_kernels(parse) && code_relocations_parse(parse->elf, parse->object, parse->error);
}

bool code_object_parse(const void *bytes, size_t n_bytes, const char *name, struct code_object *object, struct error *error)
{
    *object = (struct code_object){.bytes = bytes, .n_bytes = n_bytes};
    if (!refuse_foreign(bytes, n_bytes, error))
        return error_prefix(error, "%s", name);
    object->hash = hash_bytes(bytes, n_bytes);
    elf_version(EV_CURRENT);
    /* libelf takes a char * but only reads: the descriptor is opened as ELF_C_READ. */
    struct parse parse = {.object = object, .error = error, .elf = elf_memory((char *)(uintptr_t)bytes, n_bytes)};
    bool ok = parse.elf ? parse_elf(&parse) : FAIL(&parse, "damaged ELF file: %s", elf_errmsg(-1));
    elf_end(parse.elf);
    if (ok)
        return true;
    code_object_free(object);
    return error_prefix(error, "%s", name);
}

void code_object_free(struct code_object *object)
{
    arena_free(&object->arena);
    *object = (struct code_object){0};
}

const struct code_kernel *code_object_kernel(const struct code_object *object, const char *name)
{
    for (size_t i = 0; i < object->n_kernels; i++)
        if (strcmp(object->kernels[i].name, name) == 0)
            return &object->kernels[i];
    return NULL;
}

const struct code_segment *code_segment_at(const struct code_object *object, uint64_t address, uint64_t n_bytes)
{
    for (size_t i = 0; i < object->n_segments; i++) {
        const struct code_segment *segment = &object->segments[i];
        if (address >= segment->address && address - segment->address <= segment->memory_bytes &&
            n_bytes <= segment->memory_bytes - (address - segment->address))
            return segment;
    }
    return NULL;
}

uint64_t code_object_image_bytes(const struct code_object *object)
{
    const struct code_segment *last = object->n_segments ? &object->segments[object->n_segments - 1] : NULL;
    return last ? last->address + last->memory_bytes : 0;
}

bool code_object_load(const struct code_object *object, uint64_t load_address, uint8_t *image, size_t image_bytes,
                      struct error *error)
{
    uint64_t needed = code_object_image_bytes(object);
    if (image_bytes < needed)
        return error_set(error, STATUS_USAGE, "image of %zu bytes: the code object takes %" PRIu64, image_bytes, needed);
    memset(image, 0, image_bytes);
    for (size_t i = 0; i < object->n_segments; i++) {
        const struct code_segment *segment = &object->segments[i];
        memcpy(image + segment->address, object->bytes + segment->file_offset, segment->file_bytes);
    }
    for (size_t i = 0; i < object->n_relocations; i++)
        code_relocation_apply(&object->relocations[i], load_address, image);
    return true;
}
