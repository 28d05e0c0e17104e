/*
 * Fuzz target: `disasm` of any bytes as a code object, with any bytes as a profile of it. It is refused with one line on
 * standard error, or printed as text to the last line. A profile is read and written again: the same.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "commands/commands.h"
#include "commands/profile_file.h"
#include "contract/base/file.h"
#include "device/code_object.h"
#include "tests/fuzz/input_file.h"
#include "tests/fuzz/must.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n_bytes);

/* Input: flags, the profile's bytes in 16 bits; then the profile, then the code object. */
enum { HEADER_BYTES = 3, HEX_BYTES = 32 };
enum { HAS_PROFILE = 1, IS_OF_OBJECT = 2 /* its lines, which then begin with the object's hash */ };
/* Memory limit of the fuzzer itself; larger images only take longer. */
enum { IMAGE_BYTES = 4 << 20 };

/* What a command prints, on standard output and error. */
struct printed {
    char *text[2];
    size_t n_bytes[2];
};

static int disassemble(char **argv, int argc, struct printed *printed)
{
    FILE *kept[] = {stdout, stderr};
    stdout = open_memstream(&printed->text[0], &printed->n_bytes[0]);
    stderr = open_memstream(&printed->text[1], &printed->n_bytes[1]);
    must(stdout && stderr);
    int status = command_disasm(argc, argv);
    must(fclose(stdout) == 0 && fclose(stderr) == 0);
    stdout = kept[0];
    stderr = kept[1];
    return status;
}

static void check_printed(int status, const struct printed *printed)
{
    struct error refusal = {.status = STATUS_USAGE};
    for (size_t i = 0; i < printed->n_bytes[0]; i++)
        must(printed->text[0][i] == '\n' || (unsigned char)printed->text[0][i] >= ' ');
    if (status == STATUS_OK) {
        must(printed->n_bytes[0] && !printed->n_bytes[1]);
        return;
    }
    must((status == STATUS_USAGE || status == STATUS_ENVIRONMENT) && printed->n_bytes[1]);
    must(printed->text[1][printed->n_bytes[1] - 1] == '\n');
    snprintf(refusal.text, sizeof refusal.text, "%.*s", (int)printed->n_bytes[1] - 1, printed->text[1]);
    must_be_clear(&refusal);
}

/* The counts of an instruction are found by its address, and stand in the file that is written. */
static void write_again(const struct profile_file *file, struct text *text)
{
    profile_file_start(text);
    for (size_t i = 0; i < file->n_lines; i++) {
        const struct profile_line *line = &file->lines[i];
        struct instruction_profile counts;
        must(profile_file_is_of(file, line->code));
        must(profile_file_find(file, line->code, line->address, &counts) == (line->counts.n_executed != 0));
        must(memcmp(&counts, &line->counts, sizeof counts) == 0);
        profile_file_append(
            text, &(struct profiled_instruction){.code = line->code, .address = line->address, .counts = &line->counts});
    }
    must(!text->failed);
}

static void check_profile(const char *path)
{
    struct profile_file file, again;
    struct error error = {0};
    struct text text = {0};
    char copy[600];
    if (!profile_file_read(path, &file, &error)) {
        must_be_clear(&error);
        profile_file_free(&file);
        return;
    }
    write_again(&file, &text);
    snprintf(copy, sizeof copy, "%s/again", input_folder());
    must(file_write(copy, text.data, text.length, &error) && profile_file_read(copy, &again, &error));
    must(again.n_lines == file.n_lines);
    for (size_t i = 0; i < file.n_lines; i++)
        must(memcmp(&again.lines[i], &file.lines[i], sizeof file.lines[i]) == 0);
    text_free(&text);
    profile_file_free(&again);
    profile_file_free(&file);
}

/* Puts the object's hash where each line of a profile has one. */
static void put_hash(char *profile, size_t n_bytes, struct hash128 hash)
{
    char hex[HEX_BYTES + 1];
    hash_hex(hash, hex);
    for (char *line = profile, *end = profile + n_bytes; line < end;) {
        char *next = memchr(line, '\n', (size_t)(end - line));
        next = next ? next + 1 : end;
        if (*line != '#' && next - line > HEX_BYTES)
            memcpy(line, hex, HEX_BYTES);
        line = next;
    }
}

static bool is_small(const uint8_t *bytes, size_t n_bytes)
{
    struct code_object object;
    if (!code_object_parse(bytes, n_bytes, "input", &object, NULL))
        return true;
    bool is = code_object_image_bytes(&object) <= IMAGE_BYTES;
    code_object_free(&object);
    return is;
}

/* The profile as a file, of that object where one is given. */
static void write_profile(const char *path, const uint8_t *bytes, size_t n_bytes, const struct hash128 *object)
{
    struct error error;
    char *profile = malloc(n_bytes + 1);
    must(profile != NULL);
    memcpy(profile, bytes, n_bytes);
    if (object)
        put_hash(profile, n_bytes, *object);
    must(file_write(path, profile, n_bytes, &error));
    free(profile);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n_bytes)
{
    char path[600];
    if (n_bytes < HEADER_BYTES)
        return 0;
    size_t n_rest = n_bytes - HEADER_BYTES, n_profile = (size_t)data[1] | (size_t)data[2] << 8;
    n_profile = n_profile < n_rest ? n_profile : n_rest;
    const uint8_t *profile = data + HEADER_BYTES, *object = profile + n_profile;
    size_t n_object = n_rest - n_profile;
    struct hash128 hash = hash_bytes(object, n_object);
    snprintf(path, sizeof path, "%s/profile", input_folder());
    write_profile(path, profile, n_profile, data[0] & IS_OF_OBJECT ? &hash : NULL);
    check_profile(path);
    if (is_small(object, n_object)) {
        struct printed printed = {0};
        char *argv[] = {"disasm", (char *)(uintptr_t)input_file(object, n_object), "--profile", path, NULL};
        check_printed(disassemble(argv, data[0] & HAS_PROFILE ? 4 : 2, &printed), &printed);
        free(printed.text[0]);
        free(printed.text[1]);
    }
    return 0;
}
