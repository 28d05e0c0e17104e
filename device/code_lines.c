#include "device/code_lines.h"

#include <dwarf.h>
#include <elfutils/libdw.h>
#include <libelf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct code_lines {
    Elf *elf;
    Dwarf *dwarf;
};

/* A line of a file; file is NULL where there is none, and borrowed from the tables. */
struct source_line {
    const char *file;
    int line;
};

struct code_lines *code_lines_open(const void *bytes, size_t n_bytes)
{
    struct code_lines *lines = calloc(1, sizeof *lines);
    if (!lines)
        return NULL;
    elf_version(EV_CURRENT);
    lines->elf = elf_memory((char *)(uintptr_t)bytes, n_bytes);
    lines->dwarf = lines->elf ? dwarf_begin_elf(lines->elf, DWARF_C_READ, NULL) : NULL;
    if (lines->dwarf)
        return lines;
    code_lines_close(lines);
    return NULL;
}

void code_lines_close(struct code_lines *lines)
{
    if (!lines)
        return;
    if (lines->dwarf)
        dwarf_end(lines->dwarf);
    if (lines->elf)
        elf_end(lines->elf);
    free(lines);
}

/* Headers of the compiler and of HIP: their lines say what was called, not where. */
static bool is_system_file(const char *file)
{
    static const char *const folders[] = {"/usr/", "/opt/"};
    for (size_t i = 0; i < sizeof folders / sizeof *folders; i++)
        if (strncmp(file, folders[i], strlen(folders[i])) == 0)
            return true;
    return false;
}

/* The line table's row for the address. */
static struct source_line row_at(Dwarf_Die *unit, uint64_t address)
{
    struct source_line found = {0};
    Dwarf_Line *row = dwarf_getsrc_die(unit, address);
    if (row && dwarf_lineno(row, &found.line) == 0 && found.line > 0)
        found.file = dwarf_linesrc(row, NULL, NULL);
    return found;
}

static bool read_attribute(Dwarf_Die *die, unsigned name, Dwarf_Word *value)
{
    Dwarf_Attribute attribute;
    return dwarf_attr(die, name, &attribute) && dwarf_formudata(&attribute, value) == 0;
}

/* Where an inlined function was called; no file for other scopes. */
static struct source_line call_of(Dwarf_Die *unit, Dwarf_Die *scope)
{
    struct source_line call = {0};
    Dwarf_Files *files;
    Dwarf_Word file, line;
    size_t n_files;
    if (dwarf_tag(scope) != DW_TAG_inlined_subroutine || !read_attribute(scope, DW_AT_call_file, &file) ||
        !read_attribute(scope, DW_AT_call_line, &line) || dwarf_getsrcfiles(unit, &files, &n_files) != 0 || file >= n_files)
        return call;
    call.line = (int)line;
    call.file = dwarf_filesrc(files, file, NULL, NULL);
    return call;
}

/* The scopes around the address, the innermost first; the caller frees *scopes. dwarf_getscopes alone goes on from an
 * inlined function to where it is defined, not to where it is called. */
static int scopes_at(Dwarf_Die *unit, uint64_t address, Dwarf_Die **scopes)
{
    Dwarf_Die *inner = NULL;
    *scopes = NULL;
    int n_scopes = dwarf_getscopes(unit, address, &inner) > 0 ? dwarf_getscopes_die(&inner[0], scopes) : 0;
    free(inner);
    return n_scopes;
}

/* The call nearest to the address that is written outside the system's headers. */
static struct source_line call_outside_system(Dwarf_Die *unit, uint64_t address)
{
    Dwarf_Die *scopes;
    struct source_line found = {0};
    int n_scopes = scopes_at(unit, address, &scopes);
    for (int i = 0; i < n_scopes && !found.file; i++) {
        struct source_line call = call_of(unit, &scopes[i]);
        if (call.file && !is_system_file(call.file))
            found = call;
    }
    free(scopes);
    return found;
}

bool code_lines_find(const struct code_lines *lines, uint64_t address, char *file, size_t capacity, uint32_t *line)
{
    Dwarf_CU *cu = NULL;
    Dwarf_Die unit, split;
    uint8_t type;
    while (dwarf_get_units(lines->dwarf, cu, &cu, NULL, &type, &unit, &split) == 0) {
        struct source_line found = row_at(&unit, address);
        if (!found.file)
            continue;
        struct source_line call = is_system_file(found.file) ? call_outside_system(&unit, address) : found;
        found = call.file ? call : found;
        snprintf(file, capacity, "%s", strncmp(found.file, "./", 2) == 0 ? found.file + 2 : found.file);
        *line = (uint32_t)found.line;
        return true;
    }
    return false;
}
