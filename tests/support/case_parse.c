#include "tests/support/case_parse.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "device/emulator/wave.h"
#include "records/chips.h"
#include "reference/format.h"

struct parser {
    const char *path, *chips;
    uint32_t n_lanes;
    size_t line;
    struct arena *arena;
    struct instruction_case *cases, *current;
    size_t n_cases;
    bool in_program;
    struct error *error;
};

static bool complain(struct parser *parser, const char *reason, const char *text)
{
    return error_set(parser->error, STATUS_USAGE, "%s:%zu: %s: %s", parser->path, parser->line, reason, text);
}

/* "[N:N+1]" or "N". */
static bool parse_range(const char *text, struct place *place)
{
    char *end;
    bool pair = *text == '[';
    place->index = (unsigned)strtoul(text + pair, &end, 0);
    place->n_dwords = 1;
    if (end == text + pair)
        return false;
    if (pair && *end == ':') {
        unsigned long last = strtoul(end + 1, &end, 0);
        place->n_dwords = 2;
        if (last != place->index + 1)
            return false;
    }
    return pair ? strcmp(end, "]") == 0 : *end == 0;
}

struct named_place {
    const char *name;
    struct place place;
};

static const struct named_place named_places[] = {
    {"vcc", {PLACE_SCALAR, SREG_VCC_LO, 2}},
    {"exec", {PLACE_SCALAR, SREG_EXEC_LO, 2}},
    {"m0", {PLACE_SCALAR, SREG_M0, 1}},
    {"scc", {PLACE_SCC, 0, 1}},
    {"mode", {PLACE_MODE, 0, 1}},
};

static bool parse_place(const char *text, struct place *place)
{
    for (size_t i = 0; i < sizeof named_places / sizeof *named_places; i++)
        if (strcmp(text, named_places[i].name) == 0) {
            *place = named_places[i].place;
            return true;
        }
    const char *bracket = strchr(text, '[');
    place->kind = *text == 's' ? PLACE_SCALAR : PLACE_VGPR;
    if (bracket && strncmp(text, "memory", 6) == 0) {
        place->kind = PLACE_MEMORY;
        return parse_range(bracket, place) && place->n_dwords == 1 && place->index < CASE_MEMORY_BYTES &&
               place->index % 4 == 0;
    }
    if (bracket && strncmp(text, "lds", 3) == 0) {
        place->kind = PLACE_LDS;
        return parse_range(bracket, place) && place->n_dwords == 1 && place->index < CASE_LDS_BYTES &&
               place->index % 4 == 0;
    }
    if (!strchr("vas", *text) || !parse_range(text + 1, place) || place->index + place->n_dwords > AGPR_FIRST_ROW)
        return false;
    bool fits = *text != 's' || place->index + place->n_dwords <= SREG_VCC_LO;
    place->index += *text == 'a' ? AGPR_FIRST_ROW : 0;
    return fits;
}

static bool parse_float(const char *text, struct case_value *value)
{
    static const struct {
        char suffix;
        enum number_format format;
    } formats[] = {{'f', FORMAT_F32}, {'h', FORMAT_F16}, {'b', FORMAT_BF16}, {'d', FORMAT_F64}};
    char *end;
    double number = strtod(text, &end);
    bool negative_nan = *text == '-' && number != number;
    for (size_t i = 0; i < sizeof formats / sizeof *formats; i++)
        if (end != text && end[0] == formats[i].suffix && end[1] == 0) {
            value->base = 0;
            format_store(formats[i].format, &value->base, 0, number);
            value->base |= negative_nan ? UINT64_C(1) << (8 * format_facts(formats[i].format)->n_bytes - 1) : 0;
            return true;
        }
    return false;
}

/* lane, lane*A, lane+B, lane*A+B. */
static bool parse_lane(const char *text, struct case_value *value)
{
    char *end = (char *)text + 4;
    value->slope = 1;
    if (*end == '*')
        value->slope = strtoull(end + 1, &end, 0);
    if (*end == '+' || *end == '-')
        value->base = strtoull(end, &end, 0);
    return *end == 0;
}

static bool parse_number(const char *text, struct case_value *value)
{
    char *end;
    *value = (struct case_value){0};
    if (strcmp(text, "_") == 0)
        return value->ignored = true;
    if (strncmp(text, "lane", 4) == 0)
        return parse_lane(text, value);
    value->base = strtoull(text, &end, 0);
    return (end != text && *end == 0) || parse_float(text, value);
}

/* One word of a value list: VALUE or N:VALUE. */
static bool parse_values(char *word, struct case_state *state)
{
    char *colon = strchr(word, ':');
    size_t n = colon ? strtoul(word, NULL, 0) : 1;
    struct case_value value;
    if (n == 0 || state->n_values + n > MAX_CASE_VALUES || !parse_number(colon ? colon + 1 : word, &value))
        return false;
    if (state->place.n_dwords == 1 && !value.slope && value.base >> 32 && value.base >> 31 != UINT64_MAX >> 31)
        return false; /* does not fit */
    for (size_t i = 0; i < n; i++)
        state->values[state->n_values++] = value;
    return true;
}

/* "PLACE = VALUES". */
static bool parse_state(struct parser *parser, char *text, struct case_state *states, size_t *n_states)
{
    char *rest = strchr(text, '='), *place_end = rest;
    if (!rest || *n_states == MAX_CASE_STATES)
        return complain(parser, "want PLACE = VALUES", text);
    while (place_end > text && isspace((unsigned char)place_end[-1]))
        place_end--;
    *place_end = 0;
    struct case_state *state = &states[(*n_states)++];
    state->text = arena_format(parser->arena, "%s", text);
    state->line = parser->line;
    if (!parse_place(text, &state->place))
        return complain(parser, "no such place", text);
    rest++;
    for (char *word; (word = strsep(&rest, " \t"));)
        if (*word && !parse_values(word, state))
            return complain(parser, "no such value, or more than fits", word);
    return state->n_values ? true : complain(parser, "no value", text);
}

static bool start_case(struct parser *parser, const char *name)
{
    if (!parser->chips || !parser->n_lanes)
        return complain(parser, "chip and wave must come before", name);
    parser->current = &parser->cases[parser->n_cases++];
    parser->current->name = arena_format(parser->arena, "%s", name);
    parser->current->chips = parser->chips;
    parser->current->n_lanes = parser->n_lanes;
    parser->current->line = parser->line;
    return true;
}

static bool ends_program(const char *word)
{
    return !strcmp(word, "case") || !strcmp(word, "expect") || !strcmp(word, "chip") || !strcmp(word, "wave");
}

/* A chip that is misspelt would run no case. */
static bool parse_chips(struct parser *parser, char *names)
{
    parser->chips = arena_format(parser->arena, "%s", names);
    if (!parser->chips)
        return error_set(parser->error, STATUS_ENVIRONMENT, "%s: out of memory", parser->path);
    for (char *name; (name = strsep(&names, " "));)
        if (!chip_find(name))
            return complain(parser, "no chip of the table", name);
    return true;
}

static bool parse_statement(struct parser *parser, const char *word, char *rest)
{
    struct instruction_case *current = parser->current;
    if (strcmp(word, "chip") == 0)
        return parse_chips(parser, rest);
    if (strcmp(word, "wave") == 0) {
        parser->n_lanes = (uint32_t)strtoul(rest, NULL, 10);
        return parser->n_lanes == 32 || parser->n_lanes == 64 ? true : complain(parser, "wave is 32 or 64, not", rest);
    }
    if (strcmp(word, "case") == 0)
        return start_case(parser, rest);
    if (!current)
        return complain(parser, "no case to belong to", word);
    if (strcmp(word, "set") == 0)
        return parse_state(parser, rest, current->before, &current->n_before);
    if (strcmp(word, "expect") == 0)
        return parse_state(parser, rest, current->after, &current->n_after);
    if (strcmp(word, "run") == 0)
        return parser->in_program = true;
    return complain(parser, "want chip, wave, case, set, run or expect, not", word);
}

static bool parse_line(struct parser *parser, char *line)
{
    char *comment = strchr(line, '#');
    if (comment)
        *comment = 0;
    size_t length = strlen(line);
    while (length && isspace((unsigned char)line[length - 1]))
        line[--length] = 0;
    line += strspn(line, " \t");
    if (!*line)
        return true;
    size_t word_length = strcspn(line, " \t");
    char *word = arena_format(parser->arena, "%.*s", (int)word_length, line);
    parser->in_program = parser->in_program && !ends_program(word);
    if (parser->in_program) {
        text_append(&parser->current->assembly, "%s\n", line);
        return true;
    }
    return parse_statement(parser, word, line + word_length + strspn(line + word_length, " \t"));
}

static size_t count_cases(const char *text)
{
    size_t n = 1;
    while ((text = strstr(text, "case "))) {
        n++;
        text += 5;
    }
    return n;
}

bool cases_parse(const char *path, char *text, struct arena *arena, struct instruction_case **cases, size_t *n_cases,
                 struct error *error)
{
    struct parser parser = {.path = path, .arena = arena, .error = error};
    parser.cases = *cases = arena_alloc(arena, count_cases(text) * sizeof **cases);
    bool ok = *cases || error_set(error, STATUS_ENVIRONMENT, "%s: out of memory", path);
    for (char *line; ok && (line = strsep(&text, "\n"));) {
        parser.line++;
        ok = parse_line(&parser, line);
    }
    *n_cases = parser.n_cases;
    for (size_t i = 0; ok && i < parser.n_cases; i++)
        if (!parser.cases[i].n_after || !parser.cases[i].assembly.data)
            ok = error_set(error, STATUS_USAGE, "%s:%zu: case %s runs or expects nothing", path, parser.cases[i].line,
                           parser.cases[i].name);
    return ok;
}

void cases_free(struct instruction_case *cases, size_t n_cases)
{
    for (size_t i = 0; i < n_cases; i++)
        text_free(&cases[i].assembly);
}
