#include "tests/support/fidelity.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "device/emulator/code.h"
#include "device/emulator/modelled.h"

static const char first_mark[] = "<!-- make fidelity: from here -->\n", last_mark[] = "<!-- make fidelity: to here -->\n";

#define EACH_FAMILY(family) for (int family = 0; family < CHIP_FAMILIES; family++)

static const char grade_letters[GRADE_COUNT] = {
#define GRADE_LETTER(letter, name, text) letter,
    FIDELITY_GRADES(GRADE_LETTER)
#undef GRADE_LETTER
        [GRADE_ABSENT] = ' '};

static const char *const class_names[CLASS_COUNT] = {
#define CLASS_NAME(class) #class,
    OPCODE_CLASSES(CLASS_NAME)
#undef CLASS_NAME
};

/* Marks every opcode whose handler was compared under any name on any family. A half of a dual instruction runs in a pair,
 * which says nothing of the single one. */
static void mark_compared(struct fidelity *fidelity)
{
    size_t n_opcodes;
    opcode_table(&n_opcodes);
    handler *const *handlers = opcode_handlers(64);
    for (size_t i = 0; i < fidelity->evidence->n_rows; i++) {
        const char *mnemonic = fidelity->evidence->rows[i].mnemonic;
        const struct opcode *opcode = opcode_find(mnemonic, strlen(mnemonic));
        if (!opcode || fidelity->compared[opcode->index])
            continue;
        for (size_t k = 0; k < n_opcodes; k++)
            fidelity->compared[k] |= handlers[k] == handlers[opcode->index];
    }
}

struct family_walk {
    pthread_t thread;
    const struct chip *chip;
    struct instruction_set *set;
    bool started, ok;
    struct error error;
};

static void *walk_family(void *context)
{
    struct family_walk *walk = context;
    walk->ok = instruction_set_walk(walk->chip, walk->set, &walk->error);
    return NULL;
}

/* A thread a family; the first error of them. */
static bool walk_all(struct fidelity *fidelity, struct error *error)
{
    struct family_walk walks[CHIP_FAMILIES] = {0};
    bool ok = true;
    EACH_FAMILY(family)
    {
        struct family_walk *walk = &walks[family];
        walk->chip = chip_of_family(family);
        walk->set = &fidelity->sets[family];
        walk->started = pthread_create(&walk->thread, NULL, walk_family, walk) == 0;
        if (!walk->started)
            walk_family(walk);
    }
    EACH_FAMILY(family)
    {
        if (walks[family].started)
            pthread_join(walks[family].thread, NULL);
        if (ok && !walks[family].ok)
            *error = walks[family].error;
        ok &= walks[family].ok;
    }
    return ok;
}

bool fidelity_open(struct fidelity *fidelity, struct error *error)
{
    size_t n_opcodes;
    opcode_table(&n_opcodes);
    *fidelity = (struct fidelity){.compared = calloc(n_opcodes, 1)};
    if (!fidelity->compared)
        return error_set(error, STATUS_ENVIRONMENT, "out of memory");
    return walk_all(fidelity, error);
}

void fidelity_use(struct fidelity *fidelity, const struct evidence_table *evidence)
{
    size_t n_opcodes;
    opcode_table(&n_opcodes);
    memset(fidelity->compared, 0, n_opcodes);
    fidelity->evidence = evidence;
    mark_compared(fidelity);
}

void fidelity_close(struct fidelity *fidelity)
{
    EACH_FAMILY(family)
    instruction_set_free(&fidelity->sets[family]);
    free(fidelity->compared);
}

static enum fidelity_grade grade_of_evidence(const struct fidelity *fidelity, enum chip_family family, const char *mnemonic)
{
    size_t n;
    const struct evidence *rows = evidence_of(fidelity->evidence, mnemonic, &n);
    enum fidelity_grade grade = GRADE_UNTESTED;
    for (size_t i = 0; i < n; i++)
        if (rows[i].family == family && grade != GRADE_SILICON)
            grade = strcmp(rows[i].means, "vector") == 0 ? GRADE_SILICON : GRADE_EXACT;
    return grade;
}

enum fidelity_grade fidelity_grade(const struct fidelity *fidelity, enum chip_family family, const char *mnemonic)
{
    const struct known_instruction *known = instruction_set_find(&fidelity->sets[family], mnemonic);
    if (!known || known->left_out)
        return GRADE_ABSENT;
    if (!known->opcode)
        return GRADE_MISSING;
    if (known->unread)
        return GRADE_UNREAD;
    enum fidelity_grade grade = grade_of_evidence(fidelity, family, mnemonic);
    if (modelled_find(chip_of_family(family), known->opcode->mnemonic))
        return grade == GRADE_UNTESTED ? GRADE_ASSUMED : GRADE_MODELLED;
    return grade == GRADE_UNTESTED && fidelity->compared[known->opcode->index] ? GRADE_SHARED : grade;
}

/* Every mnemonic of compute, once, in order: calls back with the first family's entry. */
typedef void each_instruction(const struct fidelity *fidelity, const struct known_instruction *known, void *context);

static void for_each(const struct fidelity *fidelity, each_instruction *call, void *context)
{
    size_t next[CHIP_FAMILIES] = {0};
    for (;;) {
        const struct known_instruction *least = NULL;
        EACH_FAMILY(family)
        {
            const struct instruction_set *set = &fidelity->sets[family];
            const struct known_instruction *known =
                next[family] < set->n_instructions ? &set->instructions[next[family]] : NULL;
            if (known && (!least || strcmp(known->stem, least->stem) < 0))
                least = known;
        }
        if (!least)
            return;
        if (!least->left_out)
            call(fidelity, least, context);
        EACH_FAMILY(family)
        {
            const struct instruction_set *set = &fidelity->sets[family];
            while (next[family] < set->n_instructions && strcmp(set->instructions[next[family]].stem, least->stem) == 0)
                next[family]++;
        }
    }
}

struct totals {
    size_t n[CHIP_FAMILIES][GRADE_COUNT];
};

static void count(const struct fidelity *fidelity, const struct known_instruction *known, void *context)
{
    struct totals *totals = context;
    EACH_FAMILY(family)
    totals->n[family][fidelity_grade(fidelity, family, known->stem)]++;
}

static void print_chips(FILE *out)
{
    EACH_FAMILY(family)
    fprintf(out, " %s |", family_chip(family));
    fputc('\n', out);
}

static void print_rule(FILE *out, int n_columns)
{
    fputs("|---|", out);
    for (int i = 0; i < n_columns; i++)
        fputs("---|", out);
    fputc('\n', out);
}

static void print_totals(const struct fidelity *fidelity, FILE *out)
{
    static const char *const texts[] = {
#define GRADE_TEXT(letter, name, text) "`" #letter "` " text,
        FIDELITY_GRADES(GRADE_TEXT)
#undef GRADE_TEXT
    };
    struct totals totals = {0};
    for_each(fidelity, count, &totals);
    fputs("### Counts\n\n| instructions of compute |", out);
    print_chips(out);
    print_rule(out, CHIP_FAMILIES);
    fputs("| that LLVM knows |", out);
    EACH_FAMILY(family)
    {
        size_t n = 0;
        for (int grade = 0; grade < GRADE_ABSENT; grade++)
            n += totals.n[family][grade];
        fprintf(out, " %zu |", n);
    }
    fputc('\n', out);
    for (int grade = 0; grade < GRADE_ABSENT; grade++) {
        fprintf(out, "| %c%c%c%s |", '`', grade_letters[grade], '`', strchr(texts[grade] + 1, '`') + 1);
        EACH_FAMILY(family)
        fprintf(out, " %zu |", totals.n[family][grade]);
        fputc('\n', out);
    }
}

static void print_left_out(const struct fidelity *fidelity, FILE *out)
{
    const char *reason, *pattern;
    fputs(
        "\n### Left out\n\nInstructions that no compute kernel needs, by rule; the number that LLVM knows on each chip.\n\n"
        "| rule |",
        out);
    print_chips(out);
    print_rule(out, CHIP_FAMILIES);
    for (size_t i = 0; (pattern = instruction_rule(i, &reason)); i++) {
        fprintf(out, "| `%s`: %s |", pattern, reason);
        EACH_FAMILY(family)
        {
            size_t n = 0;
            for (size_t k = 0; k < fidelity->sets[family].n_instructions; k++)
                n += fidelity->sets[family].instructions[k].left_out == reason;
            fprintf(out, " %zu |", n);
        }
        fputc('\n', out);
    }
}

static void print_missing(const struct fidelity *fidelity, FILE *out)
{
    fputs("\n### Not implemented, or not in every encoding\n\n", out);
    EACH_FAMILY(family)
    {
        const struct instruction_set *set = &fidelity->sets[family];
        size_t n = 0;
        fprintf(out, "- %s:", family_chip(family));
        for (size_t i = 0; i < set->n_instructions; i++) {
            const struct known_instruction *known = &set->instructions[i];
            if (known->left_out || (known->opcode && !known->unread))
                continue;
            if (known->unread)
                fprintf(out, "%s `%s`", n++ ? "," : "", known->unread);
            else
                fprintf(out, "%s `%s`", n++ ? "," : "", known->stem);
        }
        fputs(n ? "\n" : " none\n", out);
    }
}

static void print_assumptions(FILE *out)
{
    size_t n_rows;
    const struct modelled *rows = modelled_table(&n_rows);
    fputs("\n### Assumptions\n\nWhere the last column says so, the documented error of the instruction is part of every "
          "bound, so that "
          "no verdict rests on the\nassumption; the others are named in the log and the coverage line of a run whose "
          "kernels use "
          "them.\n\n| instructions | chips | assumption | in the bounds |\n|---|---|---|---|\n",
          out);
    for (size_t i = 0; i < n_rows; i++) {
        size_t n = 0;
        fprintf(out, "| `%s` | ", rows[i].pattern);
        if (rows[i].families == (1u << CHIP_FAMILIES) - 1)
            fputs("all", out);
        else
            EACH_FAMILY(family)
        if (rows[i].families >> family & 1)
            fprintf(out, "%s%s", n++ ? ", " : "", family_chip(family));
        fprintf(out, " | %s | %s |\n", rows[i].assumption, rows[i].bounded ? "yes" : "no");
    }
}

struct class_rows {
    FILE *out;
    int class; /* -1: of no class, as nothing implements them */
    size_t n;
};

static void print_means(const struct fidelity *fidelity, const char *mnemonic, FILE *out)
{
    size_t n;
    const struct evidence *rows = evidence_of(fidelity->evidence, mnemonic, &n);
    size_t n_printed = 0;
    for (size_t i = 0; i < n; i++) {
        bool seen = false;
        for (size_t k = 0; k < i; k++)
            seen |= strcmp(rows[k].means, rows[i].means) == 0;
        if (!seen)
            fprintf(out, "%s%s", n_printed++ ? ", " : "",
                    strncmp(rows[i].means, "test_", 5) == 0 ? rows[i].means + 5 : rows[i].means);
    }
}

static const struct opcode *opcode_anywhere(const struct fidelity *fidelity, const char *stem)
{
    EACH_FAMILY(family)
    {
        const struct known_instruction *known = instruction_set_find(&fidelity->sets[family], stem);
        if (known && known->opcode)
            return known->opcode;
    }
    return NULL;
}

static void print_row(const struct fidelity *fidelity, const struct known_instruction *known, void *context)
{
    struct class_rows *rows = context;
    const struct opcode *opcode = opcode_anywhere(fidelity, known->stem);
    if ((opcode ? opcode->class : -1) != rows->class)
        return;
    if (rows->n++ == 0) {
        fprintf(rows->out, "\n#### %s\n\n| instruction |", rows->class < 0 ? "Not implemented" : class_names[rows->class]);
        EACH_FAMILY(family)
        fprintf(rows->out, " %s |", family_chip(family));
        fputs(" compared by |\n", rows->out);
        print_rule(rows->out, CHIP_FAMILIES + 1);
    }
    fprintf(rows->out, "| `%s` |", known->stem);
    EACH_FAMILY(family)
    fprintf(rows->out, " %c |", grade_letters[fidelity_grade(fidelity, family, known->stem)]);
    fputc(' ', rows->out);
    print_means(fidelity, known->stem, rows->out);
    fputs(" |\n", rows->out);
}

void fidelity_print(const struct fidelity *fidelity, FILE *out)
{
    print_totals(fidelity, out);
    print_left_out(fidelity, out);
    print_missing(fidelity, out);
    print_assumptions(out);
    fputs("\n### Instructions\n\nThe last column names the published vectors (`vector`), the tree's cases (`case`) and the "
          "test "
          "programs (`tests/unit/test_…`) that\nran the instruction in a program whose results they compared.\n",
          out);
    for (int class = 0; class < CLASS_COUNT; class ++)
        for_each(fidelity, print_row, &(struct class_rows){out, class, 0});
    for_each(fidelity, print_row, &(struct class_rows){out, -1, 0});
}

char *fidelity_page(const struct fidelity *fidelity, const char *page, struct error *error)
{
    const char *first = strstr(page, first_mark), *last = first ? strstr(first, last_mark) : NULL;
    char *text = NULL;
    size_t length;
    FILE *out = last ? open_memstream(&text, &length) : NULL;
    if (!out) {
        error_set(error, STATUS_USAGE, "the page lacks the line %.*s", (int)strlen(first_mark) - 1, first_mark);
        return NULL;
    }
    fwrite(page, 1, (size_t)(first - page) + strlen(first_mark), out);
    fputc('\n', out);
    fidelity_print(fidelity, out);
    fputc('\n', out);
    fputs(last, out);
    fclose(out);
    return text;
}
