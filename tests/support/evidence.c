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

void evidence_note(const struct chip *chip, const char *mnemonic, const char *means)
{
    const char *path = getenv("HIPCONTRACT_EVIDENCE");
    char line[200];
    if (!path || !*path)
        return;
    int n = snprintf(line, sizeof line, "%s %s %s\n", chip->name, mnemonic, means ? means : program_invocation_short_name);
    if (n > 0 && (size_t)n < sizeof line)
        append(path, line, (size_t)n);
}

/* noted: by row of the opcode table, whether it has its line. A half of a dual instruction is named v_dual_…. */
static void print_once(FILE *out, const struct chip *chip, const struct instruction *in, bool is_half, const char *means,
                       bool *noted)
{
    if (!in->opcode || noted[in->opcode->index])
        return;
    noted[in->opcode->index] = true;
    fprintf(out, "%s %s%s %s\n", chip->name, is_half ? "v_dual" : "", in->opcode->mnemonic + (is_half ? strlen("v") : 0),
            means ? means : program_invocation_short_name);
}

void evidence_note_code(const struct emulated_code *code, const char *means)
{
    const char *path = getenv("HIPCONTRACT_EVIDENCE");
    char *text = NULL;
    size_t length = 0;
    size_t n_opcodes;
    opcode_table(&n_opcodes);
    bool *noted = path && *path ? calloc(2 * n_opcodes, sizeof *noted) : NULL; /* singles, then halves */
    FILE *out = noted ? open_memstream(&text, &length) : NULL;
    if (!out) {
        free(noted);
        return;
    }
    for (uint32_t i = 0; i < code->n_instructions; i++) {
        const struct instruction *in = &code->instructions[i];
        for (int half = 0; in->pair && half < 2; half++)
            print_once(out, code->chip, &in->pair[half], true, means, noted + n_opcodes);
        if (!in->pair)
            print_once(out, code->chip, in, false, means, noted);
    }
    free(noted);
    if (fclose(out) == 0)
        append(path, text, length);
    free(text);
}
