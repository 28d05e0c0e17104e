#include "tests/support/evidence.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* One write a buffer, so that lines of processes that run at once do not mix. */
static void append(const char *path, const char *text, size_t length)
{
    int file = open(path, O_WRONLY | O_APPEND | O_CREAT, 0666);
    if (file < 0 || write(file, text, length) != (ssize_t)length)
        fprintf(stderr, "evidence: %s: %s\n", path, strerror(errno));
    if (file >= 0)
        close(file);
}

static const char *notes_path(void)
{
    const char *path = getenv("HIPCONTRACT_EVIDENCE");
    return path && *path ? path : NULL;
}

bool evidence_is_wanted(void)
{
    return notes_path() != NULL;
}

void evidence_note(const struct chip *chip, const char *mnemonic, const char *means)
{
    char line[200];
    if (!notes_path())
        return;
    int n = snprintf(line, sizeof line, "%s %s %s\n", chip->name, mnemonic, means ? means : program_invocation_short_name);
    if (n > 0 && (size_t)n < sizeof line)
        append(notes_path(), line, (size_t)n);
}

/* Lines that go out together, one a mnemonic. */
struct lines {
    const struct chip *chip;
    const char *means;
    bool *noted; /* by row of the opcode table; behind them, the same of halves */
    FILE *out;
    char *text;
    size_t length;
};

static bool lines_open(struct lines *lines, const struct chip *chip, const char *means)
{
    size_t n_opcodes;
    opcode_table(&n_opcodes);
    *lines = (struct lines){.chip = chip, .means = means ? means : program_invocation_short_name};
    lines->noted = notes_path() ? calloc(2 * n_opcodes, sizeof *lines->noted) : NULL;
    lines->out = lines->noted ? open_memstream(&lines->text, &lines->length) : NULL;
    if (!lines->out)
        free(lines->noted);
    return lines->out;
}

static void lines_close(struct lines *lines)
{
    if (fclose(lines->out) == 0)
        append(notes_path(), lines->text, lines->length);
    free(lines->text);
    free(lines->noted);
}

/* A half of a dual instruction is named v_dual_…. */
static void print_once(struct lines *lines, const struct instruction *in, bool is_half)
{
    size_t n_opcodes;
    opcode_table(&n_opcodes);
    bool *noted = in->opcode ? &lines->noted[in->opcode->index + (is_half ? n_opcodes : 0)] : NULL;
    if (!noted || *noted)
        return;
    *noted = true;
    fprintf(lines->out, "%s %s%s %s\n", lines->chip->name, is_half ? "v_dual" : "",
            in->opcode->mnemonic + (is_half ? strlen("v") : 0), lines->means);
}

static void print_instruction(struct lines *lines, const struct instruction *in)
{
    for (int half = 0; in->pair && half < 2; half++)
        print_once(lines, &in->pair[half], true);
    if (!in->pair)
        print_once(lines, in, false);
}

void evidence_note_code(const struct emulated_code *code, const struct instruction_profile *counts, const char *means)
{
    struct lines lines;
    if (!lines_open(&lines, code->chip, means))
        return;
    for (uint32_t i = 0; i < code->n_instructions; i++)
        if (!counts || counts[i].n_executed)
            print_instruction(&lines, &code->instructions[i]);
    lines_close(&lines);
}

static void print_executed(void *context, const struct profiled_instruction *executed)
{
    struct lines *lines = context;
    struct arena arena = {0};
    struct instruction in = {0};
    if (parse_instruction(lines->chip, executed->text, &arena, &in))
        print_instruction(lines, &in);
    arena_free(&arena);
}

void evidence_note_launches(const struct chip *chip, struct device *device)
{
    struct lines lines;
    if (!device->visit_profile || !lines_open(&lines, chip, NULL))
        return;
    device->visit_profile(device, print_executed, &lines);
    lines_close(&lines);
}
