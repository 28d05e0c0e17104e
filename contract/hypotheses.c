#include "contract/hypotheses.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

/* Of what shows a pattern at least so much: a few outputs may be right, or wrong otherwise, by coincidence. */
static bool is_most(int64_t n, int64_t of)
{
    return n * 20 >= of * 19;
}

static int64_t n_elements(const struct wrong_sample *s)
{
    return s->rows * s->columns;
}

bool hypothesis_zeros(const struct wrong_sample *s, char text[HYPOTHESIS_BYTES])
{
    int64_t n = 0, n_all = 0;
    for (int64_t i = 0; i < n_elements(s); i++) {
        n += s->is_wrong[i] && s->got[i] == 0;
        n_all += s->got[i] == 0;
    }
    snprintf(text, HYPOTHESIS_BYTES, n_all == n_elements(s) ? "all outputs are 0" : "they are 0");
    return n >= HYPOTHESIS_FEWEST && is_most(n, s->n_wrong);
}

/* A wrong output within the bound of another one. */
static bool holds_that_of(const struct wrong_sample *s, int64_t i, int64_t other)
{
    const struct bound *bound = &s->reference[other];
    return isfinite(s->got[i]) && isfinite(bound->error) && fabs(s->got[i] - bound->value) <= bound->error;
}

struct shifted {
    int64_t n_sources, n_held;
};

/* How many of the wrong outputs hold what belongs so many rows and columns further. */
static struct shifted count_shifted(const struct wrong_sample *s, int64_t rows, int64_t columns)
{
    struct shifted n = {0};
    for (int64_t row = 0; row < s->rows; row++)
        for (int64_t column = 0; column < s->columns; column++) {
            int64_t i = row * s->columns + column, other_row = row + rows, other_column = column + columns;
            if (!s->is_wrong[i] || other_row < 0 || other_row >= s->rows || other_column < 0 || other_column >= s->columns)
                continue;
            n.n_sources++;
            n.n_held += holds_that_of(s, i, other_row * s->columns + other_column);
        }
    return n;
}

/* Four in ten of the wrong outputs at least have an output there: of two rows one has. Where references change so little,
 * or bounds are so wide, that twice as far would do as well, that is no shift by one. */
static bool is_shifted(const struct wrong_sample *s, int64_t rows, int64_t columns)
{
    struct shifted once = count_shifted(s, rows, columns), twice = count_shifted(s, 2 * rows, 2 * columns);
    return once.n_sources >= HYPOTHESIS_FEWEST && 5 * once.n_sources >= 2 * s->n_wrong &&
           is_most(once.n_held, once.n_sources) && 2 * twice.n_held <= twice.n_sources;
}

bool hypothesis_row_late(const struct wrong_sample *s, char text[HYPOTHESIS_BYTES])
{
    snprintf(text, HYPOTHESIS_BYTES, "they hold what belongs one row before (one row late)");
    return is_shifted(s, -1, 0);
}

bool hypothesis_row_early(const struct wrong_sample *s, char text[HYPOTHESIS_BYTES])
{
    snprintf(text, HYPOTHESIS_BYTES, "they hold what belongs one row after (one row early)");
    return is_shifted(s, 1, 0);
}

bool hypothesis_column_late(const struct wrong_sample *s, char text[HYPOTHESIS_BYTES])
{
    snprintf(text, HYPOTHESIS_BYTES, "they hold what belongs one column before (one column late)");
    return is_shifted(s, 0, -1);
}

bool hypothesis_column_early(const struct wrong_sample *s, char text[HYPOTHESIS_BYTES])
{
    snprintf(text, HYPOTHESIS_BYTES, "they hold what belongs one column after (one column early)");
    return is_shifted(s, 0, 1);
}

/* The wrong output whose reference is known best says the factor; -1 where none has a finite one that is not 0. */
static int64_t best_known(const struct wrong_sample *s)
{
    int64_t best = -1;
    double most = 0;
    for (int64_t i = 0; i < n_elements(s); i++) {
        const struct bound *bound = &s->reference[i];
        double precision = fabs(bound->value) / bound->error; /* infinite where the error is 0 */
        if (!s->is_wrong[i] || !isfinite(s->got[i]) || !isfinite(bound->error) || !(precision > most))
            continue;
        best = i;
        most = precision;
    }
    return best;
}

/* What a factor makes of the wrong outputs: so many within their bounds, so many a quarter as far off as before, and the
 * range of their references. */
struct fit {
    int64_t n_within, n_nearer;
    double smallest, largest;
};

static struct fit fit_of(const struct wrong_sample *s, double factor)
{
    struct fit fit = {.smallest = INFINITY};
    for (int64_t i = 0; i < n_elements(s); i++) {
        const struct bound *bound = &s->reference[i];
        if (!s->is_wrong[i] || !isfinite(s->got[i]) || !isfinite(bound->error))
            continue;
        double left = fabs(s->got[i] - factor * bound->value);
        fit.n_within += left <= fmax(1, fabs(factor)) * bound->error;
        fit.n_nearer += 4 * left <= fabs(s->got[i] - bound->value);
        fit.smallest = fmin(fit.smallest, fabs(bound->value));
        fit.largest = fmax(fit.largest, fabs(bound->value));
    }
    return fit;
}

/* Noise around the reference lies within a bound of 1 times it as well, so most must come nearer; and of outputs that are
 * nearly the same any offset is a factor. */
bool hypothesis_factor(const struct wrong_sample *s, char text[HYPOTHESIS_BYTES])
{
    int64_t best = best_known(s);
    if (best < 0 || s->n_wrong < HYPOTHESIS_FEWEST)
        return false;
    double factor = s->got[best] / s->reference[best].value;
    struct fit fit = fit_of(s, factor);
    snprintf(text, HYPOTHESIS_BYTES, "they are %.6g times the reference", factor);
    return factor != 0 && is_most(fit.n_within, s->n_wrong) && 2 * fit.n_nearer >= s->n_wrong &&
           fit.largest >= 2 * fit.smallest;
}

/* Of a format with so many fraction bits less, that one in 2^bits is so by chance. */
static bool are_numbers_of(const struct wrong_sample *s, enum number_format narrow)
{
    enum { FEWEST_BITS = 3 };
    const struct format_facts *stored = format_facts(s->format);
    int64_t n = 0;
    if (!stored->is_float || stored->precision_bits - format_facts(narrow)->precision_bits < FEWEST_BITS)
        return false;
    for (int64_t i = 0; i < n_elements(s); i++)
        n += s->is_wrong[i] && isfinite(s->got[i]) && s->got[i] != 0 && format_round(narrow, s->got[i]) == s->got[i];
    return n >= HYPOTHESIS_FEWEST && is_most(n, s->n_wrong);
}

bool hypothesis_bf16(const struct wrong_sample *s, char text[HYPOTHESIS_BYTES])
{
    snprintf(text, HYPOTHESIS_BYTES, "they are bf16 numbers: rounded on the way, to bf16 or less");
    return are_numbers_of(s, FORMAT_BF16);
}

bool hypothesis_fp16(const struct wrong_sample *s, char text[HYPOTHESIS_BYTES])
{
    snprintf(text, HYPOTHESIS_BYTES, "they are fp16 numbers: rounded on the way, to fp16 or less");
    return are_numbers_of(s, FORMAT_F16);
}

/* A part of the tensor is wrong as a whole where nine in ten of its outputs are: wide bounds let some pass. */
static bool is_whole(int64_t n_wrong, int64_t n)
{
    return n_wrong * 10 >= n * 9;
}

static int64_t smaller(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

struct tiling {
    int64_t n, n_wrong; /* tiles; those that are wrong as a whole */
    int64_t first_row, first_column;
    bool has_partly; /* some tile is neither right nor wrong as a whole */
};

static void note_tile(const struct wrong_sample *s, int64_t size, int64_t row, int64_t column, struct tiling *tiling)
{
    int64_t last_row = smaller(row + size, s->rows), last_column = smaller(column + size, s->columns), n_wrong = 0;
    for (int64_t r = row; r < last_row; r++)
        for (int64_t c = column; c < last_column; c++)
            n_wrong += s->is_wrong[r * s->columns + c];
    tiling->n++;
    if (n_wrong == 0)
        return;
    tiling->has_partly |= !is_whole(n_wrong, (last_row - row) * (last_column - column));
    if (tiling->n_wrong++ == 0) {
        tiling->first_row = row;
        tiling->first_column = column;
    }
}

/* The largest size of which whole tiles are wrong and at least as many are right. */
bool hypothesis_tiles(const struct wrong_sample *s, char text[HYPOTHESIS_BYTES])
{
    enum { LARGEST = 128, SMALLEST = 16, FEWEST_TILES = 4 };
    for (int64_t size = LARGEST; size >= SMALLEST && s->n_wrong >= HYPOTHESIS_FEWEST; size /= 2) {
        struct tiling tiling = {0};
        for (int64_t row = 0; row < s->rows && !tiling.has_partly; row += size)
            for (int64_t column = 0; column < s->columns && !tiling.has_partly; column += size)
                note_tile(s, size, row, column, &tiling);
        if (tiling.has_partly || tiling.n < FEWEST_TILES || 2 * tiling.n_wrong > tiling.n)
            continue;
        snprintf(text, HYPOTHESIS_BYTES,
                 "they fill whole tiles of %" PRId64 "x%" PRId64 ": %" PRId64 " of %" PRId64 ", the first at [%" PRId64
                 "][%" PRId64 "]",
                 size, size, tiling.n_wrong, tiling.n, tiling.first_row, tiling.first_column);
        return true;
    }
    return false;
}

/* All wrong outputs are those of one residue of their column, or of their index, and nearly all of those are wrong.
 * *residue: which. */
static bool is_every(const struct wrong_sample *s, int64_t period, bool by_column, int64_t *residue)
{
    int64_t n = 0;
    *residue = -1;
    for (int64_t i = 0; i < n_elements(s); i++) {
        int64_t at = (by_column ? i % s->columns : i) % period;
        if (s->is_wrong[i] && *residue < 0)
            *residue = at;
        if (s->is_wrong[i] && at != *residue)
            return false;
    }
    for (int64_t i = 0; i < n_elements(s) && *residue >= 0; i++)
        n += (by_column ? i % s->columns : i) % period == *residue;
    return *residue >= 0 && is_whole(s->n_wrong, n);
}

static const char *ordinal_end(int64_t n)
{
    return n % 10 == 2 ? "nd" : "th"; /* of 2, 4, 8, 16, 32, 64 */
}

/* Each lane of a wave, or each thread of a group of so many, does one column or one output. */
bool hypothesis_lanes(const struct wrong_sample *s, char text[HYPOTHESIS_BYTES])
{
    enum { MOST_LANES = 64 };
    for (int by_column = 1; by_column >= 0; by_column--)
        for (int64_t period = MOST_LANES; period >= 2 && s->n_wrong >= HYPOTHESIS_FEWEST; period /= 2) {
            int64_t residue;
            if ((by_column ? s->columns : n_elements(s)) < 2 * period || !is_every(s, period, by_column, &residue))
                continue;
            snprintf(text, HYPOTHESIS_BYTES, "they are every %" PRId64 "%s %s, from %" PRId64 " on", period,
                     ordinal_end(period), by_column ? "column" : "output", residue);
            return true;
        }
    return false;
}

bool hypothesis_rows(const struct wrong_sample *s, char text[HYPOTHESIS_BYTES])
{
    int64_t n = 0, first = -1;
    for (int64_t row = 0; row < s->rows; row++) {
        int64_t n_wrong = 0;
        for (int64_t column = 0; column < s->columns; column++)
            n_wrong += s->is_wrong[row * s->columns + column];
        if (n_wrong && !is_whole(n_wrong, s->columns))
            return false;
        if (n_wrong && n++ == 0)
            first = row;
    }
    snprintf(text, HYPOTHESIS_BYTES, "they fill whole rows: %" PRId64 " of %" PRId64 ", the first row %" PRId64, n, s->rows,
             first);
    return n > 0 && n < s->rows && s->columns >= HYPOTHESIS_FEWEST;
}

typedef bool hypothesis(const struct wrong_sample *sample, char text[HYPOTHESIS_BYTES]);

#define HYPOTHESIS_ROW(name) hypothesis_##name,
static hypothesis *const what[] = {WHAT_HYPOTHESES(HYPOTHESIS_ROW)}, *const where[] = {WHERE_HYPOTHESES(HYPOTHESIS_ROW)};
#undef HYPOTHESIS_ROW

/* "" where none holds. */
static void first_of(hypothesis *const *table, size_t n, const struct wrong_sample *sample, char text[HYPOTHESIS_BYTES])
{
    for (size_t i = 0; i < n; i++)
        if (table[i](sample, text))
            return;
    *text = '\0';
}

void hypotheses_guess(const struct wrong_sample *sample, char text[2 * HYPOTHESIS_BYTES])
{
    char place[HYPOTHESIS_BYTES];
    first_of(what, sizeof what / sizeof *what, sample, text);
    first_of(where, sizeof where / sizeof *where, sample, place);
    size_t used = strlen(text);
    snprintf(text + used, 2 * HYPOTHESIS_BYTES - used, "%s%s", used && *place ? "; " : "", place);
}
