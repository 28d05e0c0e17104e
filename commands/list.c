/* `hipcontract list`: what is registered, as text, JSON, or the table of teeth. */
#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "commands/commands.h"
#include "commands/options.h"
#include "commands/registrations.h"
#include "contract/base/globs.h"
#include "contract/bytes.h"
#include "contract/host_case.h"
#include "contract/registry_list.h"
#include "contract/run.h"
#include "contract/teeth.h"
#include "reports/json_text.h"

static const char usage[] = "usage: hipcontract list [OPTIONS]\n\n"
                            "Registrations with their shapes, patterns, chips, byte contracts and controls.\n";

static const char *const control_kinds[] = {
    [CONTROL_POINTER] = "pointer", [CONTROL_SWAP] = "swap",   [CONTROL_SCALAR] = "scalar", [CONTROL_GRID] = "grid",
    [CONTROL_STALE] = "stale",     [CONTROL_BUILD] = "build", [CONTROL_RECORD] = "record", [CONTROL_LAUNCHER] = "launcher"};

static void print_shapes(const struct registration *r)
{
    printf("  shapes  ");
    for (size_t i = 0; i < r->n_shapes; i++)
        printf(" %s%s%s", r->shapes[i].label, r->shapes[i].heavy ? "(heavy)" : "", r->shapes[i].quick ? "(quick)" : "");
    printf("\n  patterns");
    for (int p = 0; p < REG_PATTERN_COUNT; p++)
        if (registration_patterns(r) & 1u << p)
            printf(" %s", reg_pattern_name((enum reg_pattern)p));
    putchar('\n');
}

static void print_bytes(const struct registration *r)
{
    for (size_t i = 0; i < r->n_bytes; i++) {
        const struct reg_bytes *b = &r->bytes[i];
        printf("  bytes   %s  %s (%d launch%s at %s%s%s, %s)\n", b->name, b->what, bytes_launches(b),
               bytes_launches(b) == 1 ? "" : "es", b->shape.label, b->shape.heavy ? "(heavy)" : "",
               b->shape.quick ? "(quick)" : "", reg_pattern_name(b->pattern));
    }
}

static void print_chips(const char *lead, const char *chips)
{
    if (chips)
        printf("; %s on %s", lead, chips);
}

static void print_control(const struct control *k, const struct registration *r)
{
    struct control_place place = control_place(k, r);
    printf("  control %s  %s (%s, gate %d%s%s at %s, %s", k->name, k->what, control_kinds[k->how], k->gate,
           k->bytes ? ", bytes " : "", k->bytes ? k->bytes : "", place.shape->label, reg_pattern_name(place.pattern));
    print_chips("red", k->chips);
    print_chips("green", k->green_chips);
    puts(")");
}

static int n_kernels(const struct registration *r)
{
    int n = r->launcher ? 0 : 1;
    while (r->launcher && n < REG_MAX_KERNELS && r->launcher->kernels[n])
        n++;
    return n;
}

static const char *kernel_name(const struct registration *r, int i)
{
    return r->launcher ? r->launcher->kernels[i] : r->symbol;
}

static json_t *kernels_to_json(const struct registration *r)
{
    json_t *kernels = json_array();
    for (int i = 0; i < n_kernels(r); i++)
        json_array_append_new(kernels, json_string(kernel_name(r, i)));
    return kernels;
}

static void print_registration(const struct registry *registry, const struct registration *r)
{
    printf("%s  %s, %s", r->name, r->source, r->launcher ? "a launcher of" : "kernel");
    for (int i = 0; i < n_kernels(r); i++)
        printf("%s %s", i ? "," : "", kernel_name(r, i));
    printf(", chips %s\n", r->chips ? r->chips : "all");
    print_shapes(r);
    if (r->shape_note)
        printf("  shape note: %s\n", r->shape_note);
    if (r->twin)
        printf("  twin    %s\n", r->twin);
    if (r->depth_note)
        printf("  no depth: %s\n", r->depth_note);
    print_bytes(r);
    for (size_t i = 0; i < registry->n_controls; i++)
        if (strcmp(registry->controls[i]->registration, r->name) == 0)
            print_control(registry->controls[i], r);
    for (size_t i = 0; i < r->n_known; i++)
        printf("  known   gate %d until %s: %s (%s, %s)\n", r->known[i].gate, r->known[i].expires, r->known[i].reason,
               r->known[i].owner, r->known[i].link);
}

static json_t *shapes_to_json(const struct registration *r)
{
    json_t *shapes = json_array();
    for (size_t i = 0; i < r->n_shapes; i++)
        json_array_append_new(shapes, json_pack("{s:s, s:b, s:b}", "label", r->shapes[i].label, "heavy", r->shapes[i].heavy,
                                                "quick", r->shapes[i].quick));
    return shapes;
}

static json_t *patterns_to_json(const struct registration *r)
{
    json_t *patterns = json_array();
    for (int p = 0; p < REG_PATTERN_COUNT; p++)
        if (registration_patterns(r) & 1u << p)
            json_array_append_new(patterns, json_string(reg_pattern_name((enum reg_pattern)p)));
    return patterns;
}

static json_t *controls_to_json(const struct registry *registry, const struct registration *r)
{
    json_t *controls = json_array();
    for (size_t i = 0; i < registry->n_controls; i++) {
        const struct control *k = registry->controls[i];
        struct control_place place = control_place(k, r);
        if (strcmp(k->registration, r->name) == 0)
            json_array_append_new(controls,
                                  json_pack("{s:s, s:s, s:s, s:i, s:s*, s:s, s:s, s:s*, s:s*}", "name", k->name, "what",
                                            k->what, "kind", control_kinds[k->how], "gate", k->gate, "bytes", k->bytes,
                                            "shape", place.shape->label, "pattern", reg_pattern_name(place.pattern),
                                            "chips", k->chips, "green_chips", k->green_chips));
    }
    return controls;
}

static const char *kind_of_bytes(const struct reg_bytes *b)
{
    return b->windows       ? "windows"
           : b->expect      ? "expected"
           : b->scaling     ? "scaling"
           : b->permutation ? "permutation"
                            : "padding";
}

static json_t *bytes_to_json(const struct registration *r)
{
    json_t *all = json_array();
    for (size_t i = 0; i < r->n_bytes; i++) {
        const struct reg_bytes *b = &r->bytes[i];
        json_array_append_new(all, json_pack("{s:s, s:s, s:s, s:s, s:s, s:b, s:b, s:i}", "name", b->name, "kind",
                                             kind_of_bytes(b), "what", b->what, "shape", b->shape.label, "pattern",
                                             reg_pattern_name(b->pattern), "heavy", b->shape.heavy, "quick", b->shape.quick,
                                             "launches", bytes_launches(b)));
    }
    return all;
}

static json_t *registration_to_json(const struct registry *registry, const struct registration *r)
{
    return json_pack("{s:s, s:s, s:s, s:s*, s:o*, s:s, s:s*, s:s*, s:o, s:o, s:o, s:o}", "name", r->name, "family",
                     r->family, "source", r->source, "kernel", r->symbol, "launches",
                     r->launcher ? kernels_to_json(r) : NULL, "chips", r->chips ? r->chips : "all", "shape_note",
                     r->shape_note, "twin", r->twin, "shapes", shapes_to_json(r), "patterns", patterns_to_json(r), "bytes",
                     bytes_to_json(r), "controls", controls_to_json(registry, r));
}

/* Tries all teeth on every case that the default run has. */
static bool try_teeth(const struct registration *r, const struct arguments *arguments, struct teeth *teeth,
                      struct error *error)
{
    struct run_options options = {0};
    teeth_begin(teeth, r);
    bool ok = true;
    for (size_t i = 0; i < r->n_shapes && ok; i++)
        for (int p = 0; p < REG_PATTERN_COUNT && ok; p++) {
            if (teeth_done(teeth) || !run_selects_shape(&options, r, &r->shapes[i]) ||
                !(registration_patterns(r) & 1u << p))
                continue;
            struct host_case host;
            ok = host_case_open(&host, r, &r->shapes[i], (enum reg_pattern)p, arguments->seed, arguments->n_jobs, error) &&
                 host_case_reference(&host, error) && teeth_try(teeth, &host, error);
            host_case_close(&host);
        }
    return ok;
}

static int print_teeth(const struct registration *r, const struct arguments *arguments, struct error *error)
{
    struct teeth teeth;
    int status = STATUS_OK;
    if (!try_teeth(r, arguments, &teeth, error))
        return command_fail("list", error);
    printf("%s\n", r->name);
    for (int tooth = 0; tooth < TOOTH_COUNT; tooth++) {
        struct verdict v = teeth_verdict(&teeth, (enum tooth)tooth, false);
        if (v.status == VERDICT_PASS)
            printf("  %-15s gate %d  %8.3g%s  at %s (%s)\n", v.name, v.gate, v.worst_ratio,
                   isinf(v.worst_ratio) ? " " : "x", v.shape, v.pattern);
        else
            printf("  %-15s %s: %s\n", v.name, v.status == VERDICT_BLIND ? "BLIND" : verdict_status_name(v.status),
                   v.reason);
        status = v.status == VERDICT_BLIND ? STATUS_RED : status;
    }
    fflush(stdout);
    return status;
}

static int list(const struct arguments *arguments, const struct registry *registry)
{
    struct error error = {0};
    int status = STATUS_OK;
    json_t *all = json_array();
    for (size_t i = 0; i < registry->n_registrations; i++) {
        const struct registration *r = registry->registrations[i];
        if (!globs_choose(arguments->only, arguments->n_only, r->name))
            continue;
        int own = STATUS_OK;
        if (arguments->teeth)
            own = print_teeth(r, arguments, &error);
        else if (arguments->json)
            json_array_append_new(all, registration_to_json(registry, r));
        else
            print_registration(registry, r);
        status = own > status ? own : status;
    }
    if (!arguments->json || arguments->teeth)
        json_decref(all);
    else if (!json_write(stdout, all, JSON_INDENT(2))) {
        error_set(&error, STATUS_ENVIRONMENT, "out of host memory for the list");
        return command_fail(arguments->command, &error);
    }
    return status;
}

int command_list(int argc, char **argv)
{
    struct arguments arguments;
    struct error error = {0};
    struct registry registry;
    struct arena arena = {0};
    if (!arguments_parse(argc, argv, FOR_LIST, &arguments, &error))
        return command_fail(argv[0], &error);
    if (arguments.help) {
        arguments_print_help(FOR_LIST, usage);
        return STATUS_OK;
    }
    struct kernel_files files;
    int status = registrations_open(&arguments, &arena, &files, &registry, &error) ? list(&arguments, &registry)
                                                                                   : command_fail(argv[0], &error);
    kernel_files_close(&files);
    arena_free(&arena);
    return status;
}
