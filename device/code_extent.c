#include "device/code_extent.h"

#include <elf.h>
#include <stdbool.h>
#include <string.h>

/* Larger figures are damaged or hostile, and sums of them do not overflow. */
static const uint64_t limit = UINT64_C(1) << 40;

static uint64_t greater(uint64_t a, uint64_t b)
{
    return a > b ? a : b;
}

static bool read_header(const uint8_t *bytes, Elf64_Ehdr *header)
{
    memcpy(header, bytes, sizeof *header);
    return memcmp(header->e_ident, ELFMAG, SELFMAG) == 0 && header->e_ident[EI_CLASS] == ELFCLASS64 &&
           header->e_ident[EI_DATA] == ELFDATA2LSB && header->e_phoff <= limit && header->e_shoff <= limit &&
           (!header->e_phnum || header->e_phentsize == sizeof(Elf64_Phdr)) &&
           (!header->e_shnum || header->e_shentsize == sizeof(Elf64_Shdr));
}

/* The end of bytes at offset; over the limit where they cannot be. */
static uint64_t end_of(uint64_t offset, uint64_t n_bytes)
{
    return offset > limit || n_bytes > limit ? limit + 1 : offset + n_bytes;
}

uint64_t code_extent(const uint8_t *bytes, uint64_t available)
{
    Elf64_Ehdr header;
    if (!read_header(bytes, &header))
        return 0;
    uint64_t end = greater(sizeof header, greater(header.e_phoff + header.e_phnum * sizeof(Elf64_Phdr),
                                                  header.e_shoff + header.e_shnum * sizeof(Elf64_Shdr)));
    if (end > available)
        return 0;
    for (unsigned i = 0; i < header.e_phnum; i++) {
        Elf64_Phdr segment;
        memcpy(&segment, bytes + header.e_phoff + i * sizeof segment, sizeof segment);
        end = greater(end, end_of(segment.p_offset, segment.p_filesz));
    }
    for (unsigned i = 0; i < header.e_shnum; i++) {
        Elf64_Shdr section;
        memcpy(&section, bytes + header.e_shoff + i * sizeof section, sizeof section);
        if (section.sh_type != SHT_NOBITS)
            end = greater(end, end_of(section.sh_offset, section.sh_size));
    }
    return end <= limit ? end : 0;
}
